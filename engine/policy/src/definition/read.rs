//! Reads definitions from KDL: every problem of a file in one run, and what could be read.
//!
//! Invariant (nothing skipped): a node, property or value that is neither of the vocabulary nor one of the listed words of
//! the usage specification is a problem.

#[path = "read/blocks.rs"]
mod blocks;
#[path = "read/effects.rs"]
mod effects;
#[path = "read/examples.rs"]
mod examples;
#[path = "read/node.rs"]
mod node;
#[path = "read/operands.rs"]
mod operands;
#[path = "read/options.rs"]
mod options;
#[path = "read/shared.rs"]
mod shared;

use self::node::{children, node_span};
use self::operands::runs_operands;
use self::options::index;
use kdl::{KdlDocument, KdlNode};

use super::model::{Command, Definition, Flag, Options, Subcommand};
use super::problem::Problem;
use super::words::{BODY, IGNORED, OWN};

/// Deepest nesting of nodes that is read.
const DEPTH: usize = 24;

/// Reads the definitions of one file; usable only if there are no problems.
#[must_use]
pub(super) fn read_definitions(text: &str) -> (Vec<Definition>, Vec<Problem>) {
    let mut reader = Reader::default();
    if let Some(problem) = too_deep(text) {
        return (Vec::new(), vec![problem]);
    }
    let mut document = match KdlDocument::parse_v2(text) {
        Ok(document) => document,
        Err(error) => {
            let problems = error
                .diagnostics
                .iter()
                .map(|diagnostic| Problem {
                    message: diagnostic
                        .message
                        .clone()
                        .unwrap_or_else(|| "not KDL".to_owned())
                        .to_lowercase(),
                    label: diagnostic.label.clone().unwrap_or_default(),
                    help: diagnostic.help.clone(),
                    span: diagnostic.span.offset()..diagnostic.span.offset() + diagnostic.span.len(),
                })
                .collect();
            return (Vec::new(), problems);
        }
    };
    reader.put_shared(&mut document);
    // A second `bin` after other nodes begins the next definition; what stands before the first belongs to it.
    let mut groups: Vec<Vec<&KdlNode>> = vec![Vec::new()];
    let mut named = false;
    for node in document.nodes() {
        if node.name().value() == "bin" {
            let fresh = named
                && groups
                    .last()
                    .is_some_and(|group| group.iter().any(|other| other.name().value() != "bin"));
            if fresh {
                groups.push(Vec::new());
            }
            named = true;
        }
        if let Some(group) = groups.last_mut() {
            group.push(node);
        }
    }
    let mut definitions = Vec::new();
    for group in groups {
        definitions.push(reader.definition(&group));
    }
    (definitions, reader.problems)
}

/// Braces that nest deeper than any definition does, found before the parser recurses into them.
fn too_deep(text: &str) -> Option<Problem> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Some(Problem {
                message: "braces nest too deep".to_owned(),
                label: String::new(),
                help: None,
                span: at..at + 1,
            });
        }
    }
    None
}

/// What a command body may hold besides effects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Cmd,
}

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn definition(&mut self, nodes: &[&KdlNode]) -> Definition {
        let mut definition = Definition::default();
        let mut bins = 0_usize;
        for node in nodes {
            match node.name().value() {
                "bin" => {
                    bins += 1;
                    self.props(node, &[]);
                    definition.names.extend(self.texts(node, 1));
                    self.no_children(node);
                }
                "source" => definition.source = self.text(node).unwrap_or_default(),
                "about" => definition.about = self.text(node).unwrap_or_default(),
                "alone" => definition.alone.extend(self.alone(node)),
                "exit_code" => {
                    if let Some(code) = self.exit_code(node) {
                        definition.exit_codes.push(code);
                    }
                }
                "tests" => definition.tests.extend(self.tests(node)),
                _ => {}
            }
        }
        let place = nodes.first().map_or(0..0, |node| node_span(node));
        if bins == 0 {
            self.problem(place.clone(), "a definition begins with `bin \"name\"`", None);
        }
        definition.command.name = definition.names.first().cloned().unwrap_or_default();
        let body: Vec<&KdlNode> = nodes.to_vec();
        definition.command = self.command(
            std::mem::take(&mut definition.command),
            &body,
            Place::File,
            Options::default(),
            &[],
        );
        let unlisted = definition
            .alone
            .iter()
            .flat_map(|alone| &alone.of)
            .find(|name| !definition.names.contains(name));
        if let Some(name) = unlisted {
            self.problem(
                place.clone(),
                format!("`{name}` is no name of this definition"),
                None,
            );
        }
        if claims_complete(&definition.command) && definition.source.is_empty() {
            self.problem(
                place,
                "`complete` needs a `source`",
                Some("name the manual and its version: source \"GNU grep 3.8 manual\"".to_owned()),
            );
        }
        definition
    }

    fn command(
        &mut self,
        mut command: Command,
        nodes: &[&KdlNode],
        place: Place,
        inherited: Options,
        above: &[&[Flag]],
    ) -> Command {
        command.options = inherited;
        // Options first: subcommands inherit them wherever they stand.
        for node in nodes.iter().filter(|node| node.name().value() == "options") {
            command.options = self.options(node, command.options);
        }
        for node in nodes {
            let flags = match node.name().value() {
                "flag" => self.flag(node),
                "flags" => self.flags(node),
                _ => continue,
            };
            for (flag, span) in flags {
                self.repeated(&command.flags, &flag, &span);
                command.flags.push(flag);
            }
        }
        command.index = index(&command.flags);
        let known: Vec<&[Flag]> = above
            .iter()
            .copied()
            .chain(std::iter::once(command.flags.as_slice()))
            .collect();
        let mut commands = Vec::new();
        for node in nodes {
            let name = node.name().value();
            match name {
                "flag" | "flags" | "options" | "source" | "exit_code" | "about" => {}
                "alone" | "bin" | "tests" if place == Place::File => {}
                "alias" => command.aliases.extend(self.texts(node, 1)),
                "class" => command.class = self.text(node),
                // `complete "name" run=...` is the usage specification's shell completion.
                "complete" if !node.entries().is_empty() => {}
                "complete" => command.complete = true,
                "wrapper" => {
                    self.bare(node);
                    command.wrapper = true;
                }
                "arg" => command.args.extend(self.arg(node)),
                "cmd" => {
                    if let Some(inner) = self.cmd(node, command.options, &known) {
                        commands.push(inner.into());
                    }
                }
                "when" | "unless" => command.blocks.extend(self.block(node, &known)),
                _ if OWN.contains(&name) => command.own.extend(self.own(node)),
                _ if IGNORED.contains(&name) => {}
                _ => self.unknown_node(node, BODY),
            }
        }
        command.commands = commands;
        self.args_in_order(&command.args, nodes);
        command.operands_run = runs_operands(&command.args, &command.blocks);
        command
    }

    fn cmd(&mut self, node: &KdlNode, options: Options, above: &[&[Flag]]) -> Option<Command> {
        let mut names = self.texts(node, 1).into_iter();
        let mut command = Command {
            name: names.next()?,
            aliases: names.collect(),
            ..Command::default()
        };
        if let Some(own) = self.effect_prop(node) {
            command.own.push(own);
        }
        command.each = self.switch_prop(node, "each");
        self.props(node, &["effect", "each"]);
        for name in std::iter::once(&command.name).chain(&command.aliases) {
            match name.find('*') {
                Some(at) if at + 1 < name.len() => {
                    self.problem(
                        node_span(node),
                        format!("the `*` in `{name}` is not at its end"),
                        None,
                    );
                }
                // What is matched by a beginning is never the beginning itself.
                Some(_) => command.each = true,
                None => {}
            }
        }
        let body: Vec<&KdlNode> = children(node).collect();
        let own = std::mem::take(&mut command.own);
        let mut command = self.command(command, &body, Place::Cmd, options, above);
        command.own.splice(0..0, own);
        Some(command)
    }
}

fn claims_complete(command: &Command) -> bool {
    command.complete
        || command
            .commands
            .iter()
            .filter_map(Subcommand::command)
            .any(claims_complete)
}
