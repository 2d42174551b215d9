//! Reads definitions from KDL: every problem of a file in one run, and what could be read.
//!
//! Invariant (nothing skipped): a node, property or value that is neither of the vocabulary nor one of the listed words of
//! the usage specification is a problem: an error, or a warning in what a tool says of itself.

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
#[path = "read/published.rs"]
mod published;
#[path = "read/shared.rs"]
mod shared;

use std::ops::Range;

use kdl::{KdlDocument, KdlNode};
use smol_str::SmolStr;

use self::node::{children, node_span};
use self::operands::runs_operands;
pub(super) use self::options::index;
use self::published::{FlagSet, is_published};
use super::model::{Command, Definition, ExitCode, Flag, Options, Subcommand};
use super::notes::{CommandNote, Include, Notes, Read, line_of};
use super::problem::{Problem, Weight};
use super::words::{BODY, IGNORED, OWN};

/// Deepest nesting of nodes that is read.
const DEPTH: usize = 24;

/// Most names that the options of one command have: each is told from every other.
pub(super) const MOST_NAMES: usize = 8192;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Whole definitions, each with its names.
    Definitions,
    /// Something that belongs to a definition of another file.
    Part,
}

/// Reads the definitions of one file; usable only if no problem is an error.
#[must_use]
pub(crate) fn read_file(text: &str, holds: Holds) -> (Vec<Read>, Vec<Problem>) {
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
                    weight: Weight::Error,
                })
                .collect();
            return (Vec::new(), problems);
        }
    };
    let published = is_published(&document);
    let mut reader = Reader {
        published,
        part: holds == Holds::Part,
        ..Reader::default()
    };
    reader.put_shared(&mut document);
    // A second `bin` after other nodes begins the next definition; what stands before the first belongs to it.
    let mut groups: Vec<Vec<&KdlNode>> = vec![Vec::new()];
    let mut named = false;
    for node in document.nodes() {
        if node.name().value() == "bin" {
            let fresh = named
                && !published
                && holds == Holds::Definitions
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
        let mut read = reader.definition(&group);
        read.definition.published = published;
        for (note, at) in read
            .notes
            .commands
            .iter_mut()
            .zip(std::mem::take(&mut reader.offsets))
        {
            note.line = line_of(text, at);
        }
        definitions.push(read);
    }
    // What is shared is read wherever it is used.
    let mut problems: Vec<Problem> = Vec::new();
    for problem in reader.problems {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    (definitions, problems)
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
                weight: Weight::Error,
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
    /// What is read is a tool's own specification.
    published: bool,
    /// What is read belongs to a definition of another file.
    part: bool,
    /// Names of the subcommands that are being read.
    path: Vec<SmolStr>,
    notes: Vec<CommandNote>,
    /// What exit codes mean, of the program and of its subcommands.
    exit_codes: Vec<ExitCode>,
    /// Where each of the notes stands.
    offsets: Vec<usize>,
    /// Named sets of flags that commands take in.
    flagsets: Vec<FlagSet>,
}

impl Reader {
    fn definition(&mut self, nodes: &[&KdlNode]) -> Read {
        let mut definition = Definition::default();
        let mut notes = Notes::default();
        let mut named: Option<Range<usize>> = None;
        self.flagsets = self.flagsets(nodes);
        for node in nodes {
            match node.name().value() {
                "bin" => {
                    named = named.or(Some(node_span(node)));
                    self.props(node, &[]);
                    definition.names.extend(self.texts(node, 1));
                    self.no_children(node);
                }
                "source" => definition.source = self.text(node).unwrap_or_default(),
                "about" => definition.about = self.text(node).unwrap_or_default(),
                "alone" => definition.alone.extend(self.alone(node)),
                "tests" => definition.tests.extend(self.tests(node)),
                "default_subcommand" => definition.default_subcommand = self.text(node),
                "replaces" => {
                    self.bare(node);
                    notes.replaces = true;
                }
                "include" => notes.includes.extend(self.include(node)),
                _ => {}
            }
        }
        // The usage specification takes the name for the program where no `bin` is said.
        if named.is_none()
            && self.published
            && let Some(node) = nodes.iter().find(|node| node.name().value() == "name")
        {
            named = Some(node_span(node));
            definition.names.extend(self.text(node));
        }
        let place = nodes.first().map_or(0..0, |node| node_span(node));
        if named.is_none() && !self.part {
            self.problems.push(Problem {
                message: "a definition begins with `bin \"name\"`".to_owned(),
                label: String::new(),
                help: None,
                span: place.clone(),
                weight: Weight::Error,
            });
        }
        notes.span = named.unwrap_or_else(|| place.clone());
        self.note(notes.span.start, definition.about.clone(), nodes);
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
        notes.commands = std::mem::take(&mut self.notes);
        definition.exit_codes = std::mem::take(&mut self.exit_codes);
        Read { definition, notes }
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
        // What stands in a clause stands in the command: it is a run of words that may come again.
        let nodes: Vec<&KdlNode> = nodes
            .iter()
            .flat_map(|node| {
                let clause = node.name().value() == "clause";
                let inner = children(node).filter(move |_| clause);
                std::iter::once(*node).filter(move |_| !clause).chain(inner)
            })
            .collect();
        // Options first: subcommands inherit them wherever they stand.
        for node in nodes.iter().filter(|node| node.name().value() == "options") {
            command.options = self.options(node, command.options);
        }
        let mut names = 0_usize;
        for node in &nodes {
            let flags = match node.name().value() {
                "flag" => self.flag(node),
                "flags" => self.flags(node),
                _ => continue,
            };
            for (flag, span) in flags {
                names += flag.names.len();
                if names > MOST_NAMES {
                    let message = format!("more than {MOST_NAMES} names of options");
                    self.problem(span, message, None);
                    break;
                }
                self.repeated(&command.flags, &flag, &span);
                command.flags.push(flag);
            }
        }
        for node in nodes.iter().filter(|node| node.name().value() == "use") {
            self.take_in(node, &mut command.flags);
        }
        command.index = index(&command.flags);
        let known: Vec<&[Flag]> = above
            .iter()
            .copied()
            .chain(std::iter::once(command.flags.as_slice()))
            .collect();
        let mut commands = Vec::new();
        for node in &nodes {
            let name = node.name().value();
            match name {
                "flag" | "flags" | "options" | "source" | "about" | "use" => {}
                "exit_code" => {
                    let code = self.exit_code(node);
                    self.exit_codes.extend(code);
                }
                "alone" | "bin" | "tests" | "replaces" | "flagset" if place == Place::File => {}
                "alias" => command.aliases.extend(self.texts(node, 1)),
                "class" => command.class = self.text(node),
                // `complete "name" run=...` is the usage specification's shell completion.
                "complete" if !node.entries().is_empty() => {}
                "complete" => {
                    if command
                        .index
                        .iter()
                        .any(|entry| command.entry_name(*entry) == "--*")
                    {
                        let message = "an option that stands for others cannot be complete";
                        self.problem(node_span(node), message, None);
                    }
                    command.complete = true;
                }
                "wrapper" => {
                    self.bare(node);
                    command.wrapper = true;
                }
                // An operand that is told by its beginning has no place among the others.
                "arg" if node.entry("sigil").is_some() => {}
                "arg" => {
                    if let Some(arg) = self.arg(node) {
                        let first = if command.args.iter().any(|before| before.variadic) || arg.after_dashes {
                            0
                        } else {
                            command.args.len()
                        };
                        command.blocks.extend(self.effect_of_arg(node, first));
                        command.args.push(arg);
                    }
                }
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
        self.args_in_order(&command.args, &nodes);
        command.operands_run = runs_operands(&command.args, &command.blocks);
        command
    }

    /// A file whose content belongs here.
    fn include(&mut self, node: &KdlNode) -> Option<Include> {
        let path = match self.text_prop(node, "file") {
            Some(path) => path,
            None => self.text(node)?,
        };
        Some(Include {
            path,
            span: node_span(node),
        })
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
        self.path.push(command.name.clone());
        let about = Self::about_of(node, &body);
        self.note(node_span(node).start, about, &[&[node], body.as_slice()].concat());
        let own = std::mem::take(&mut command.own);
        let mut command = self.command(command, &body, Place::Cmd, options, above);
        command.own.splice(0..0, own);
        self.path.pop();
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
