//! Reads definitions from KDL: every problem of a file in one run, and what could be read. Long, since it is one grammar.
//!
//! Invariant (nothing skipped): a node, property or value that is neither of the vocabulary nor one of the listed words of
//! the usage specification is a problem.

use std::ops::Range;

use kdl::{KdlDocument, KdlEntry, KdlNode, KdlValue};
use smol_str::SmolStr;

use super::model::{
    Alone, Appends, Arg, Arity, Block, Claim, Command, Definition, Example, ExitCode, Flag, FlagValue,
    Follows, NameEntry, Options, OrPath, Own, Runs, Style, Subcommand, Test, ValueEffect, ValueKind,
};
use super::problem::{Problem, nearest};
use super::shape::{Renaming, Shape};
use super::usage::{parse_arg, parse_flag};
use super::words::{BODY, CLAIMS, IGNORED, IGNORED_PROPS, OWN, VALUE};

/// Deepest nesting of nodes that is read.
const DEPTH: usize = 24;

/// Reads the definitions of one file; usable only if there are no problems.
#[must_use]
pub(super) fn read_definitions(text: &str) -> (Vec<Definition>, Vec<Problem>) {
    let mut reader = Reader::default();
    if let Some(problem) = too_deep(text) {
        return (Vec::new(), vec![problem]);
    }
    let document = match KdlDocument::parse_v2(text) {
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

fn node_span(node: &KdlNode) -> Range<usize> {
    let span = node.name().span();
    span.offset()..span.offset() + span.len()
}

fn entry_span(entry: &KdlEntry) -> Range<usize> {
    let span = entry.span();
    span.offset()..span.offset() + span.len()
}

fn children(node: &KdlNode) -> impl Iterator<Item = &KdlNode> {
    node.children().into_iter().flat_map(KdlDocument::nodes)
}

/// What a command body may hold besides effects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Cmd,
}

/// Block conditions before their flags are known: where the flag words stood.
type Pending = Vec<(SmolStr, Range<usize>)>;

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.problems.push(Problem {
            message: message.into(),
            label: String::new(),
            help,
            span,
        });
    }

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
        self.props(node, &["effect"]);
        let body: Vec<&KdlNode> = children(node).collect();
        let own = std::mem::take(&mut command.own);
        let mut command = self.command(command, &body, Place::Cmd, options, above);
        command.own.splice(0..0, own);
        Some(command)
    }

    /// A flag that has a name of one before it.
    fn repeated(&mut self, before: &[Flag], flag: &Flag, span: &Range<usize>) {
        for name in &flag.names {
            if before.iter().any(|other| other.names.contains(name)) {
                self.problem(span.clone(), format!("`{name}` is listed twice"), None);
            }
        }
    }

    fn options(&mut self, node: &KdlNode, mut options: Options) -> Options {
        self.no_children(node);
        for entry in node.entries() {
            let Some(name) = entry.name().map(kdl::KdlIdentifier::value) else {
                self.problem(entry_span(entry), "`options` takes properties only", None);
                continue;
            };
            let switch = match name {
                "style" => {
                    match entry.value().as_string() {
                        Some("gnu") => options.style = Style::Gnu,
                        Some("single-dash-words") => {
                            options.style = Style::SingleDashWords;
                            // `find -- -delete` deletes.
                            options.double_dash = false;
                        }
                        Some("tar") => options.style = Style::Tar,
                        Some("dd") => {
                            options.style = Style::Dd;
                            options.double_dash = false;
                        }
                        Some("none") => options.style = Style::None,
                        _ => self.problem(
                            entry_span(entry),
                            "`style` is one of `gnu`, `single-dash-words`, `tar`, `dd`, `none`",
                            None,
                        ),
                    }
                    continue;
                }
                "permute" => &mut options.permute,
                "bundling" => &mut options.bundling,
                "abbreviations" => &mut options.abbreviations,
                "numbers" => &mut options.numbers,
                "plus" => &mut options.plus,
                "double-dash" => &mut options.double_dash,
                "equals" => &mut options.equals,
                _ => {
                    self.unknown_prop(
                        entry,
                        name,
                        &[
                            "style",
                            "permute",
                            "bundling",
                            "abbreviations",
                            "numbers",
                            "plus",
                            "double-dash",
                            "equals",
                        ],
                    );
                    continue;
                }
            };
            match entry.value().as_bool() {
                Some(on) => *switch = on,
                None => self.problem(entry_span(entry), format!("`{name}` is #true or #false"), None),
            }
        }
        options
    }

    fn flags(&mut self, node: &KdlNode) -> Vec<(Flag, Range<usize>)> {
        self.props(node, &[]);
        self.no_children(node);
        let mut out = Vec::new();
        for entry in node.entries().iter().filter(|entry| entry.name().is_none()) {
            let Some(text) = entry.value().as_string() else {
                self.problem(entry_span(entry), "an option is a text", None);
                continue;
            };
            match parse_flag(text) {
                Ok(flag) => out.push((flag, entry_span(entry))),
                Err(message) => self.problem(entry_span(entry), message, None),
            }
        }
        out
    }

    fn flag(&mut self, node: &KdlNode) -> Vec<(Flag, Range<usize>)> {
        self.props(
            node,
            &[
                "satisfies",
                "effect",
                "ends-options",
                "separate",
                "terminal",
                "global",
                "negate",
                "default",
            ],
        );
        let span = node_span(node);
        let Some(text) = self.text(node) else {
            return Vec::new();
        };
        let mut flag = match parse_flag(&text) {
            Ok(flag) => flag,
            Err(message) => {
                self.problem(span, message, None);
                return Vec::new();
            }
        };
        flag.satisfies = self.text_prop(node, "satisfies");
        flag.ends_options = self.switch_prop(node, "ends-options");
        flag.separate = self.switch_prop(node, "separate");
        flag.terminal = self.switch_prop(node, "terminal");
        flag.global = self.switch_prop(node, "global");
        flag.own.extend(self.effect_prop(node));
        let mut effects = Vec::new();
        for child in children(node) {
            let name = child.name().value();
            if name == "arg" {
                if let Some(arg) = self.arg(child) {
                    if flag.arity == Arity::None {
                        flag.arity = if arg.variadic {
                            Arity::Words
                        } else if arg.required || !flag.values.is_empty() {
                            Arity::Next
                        } else {
                            Arity::Optional
                        };
                    }
                    match flag.values.iter_mut().find(|value| value.name == arg.name) {
                        Some(value) => value.effects.extend(arg.effects),
                        None => flag.values.push(FlagValue {
                            name: arg.name,
                            effects: arg.effects,
                        }),
                    }
                }
            } else if name == "alias" {
                for alias in self.texts(child, 1) {
                    flag.names.push(alias);
                }
            } else if is_own(child, flag.arity) {
                flag.own.extend(self.own(child));
            } else if VALUE.contains(&name) {
                let effect = self.value_effect(child);
                effects.extend(effect);
            } else if !IGNORED.contains(&name) {
                let mut known = VALUE.to_vec();
                known.extend(OWN);
                self.unknown_node(child, &known);
            }
        }
        if !effects.is_empty() {
            match flag.values.last_mut() {
                Some(value) => value.effects.extend(effects),
                None => self.problem(
                    span.clone(),
                    format!("`{}` has no value that this could be said of", flag.canonical()),
                    Some("name the value: flag \"-o <file>\"".to_owned()),
                ),
            }
        }
        let negation = self.text_prop(node, "negate").map(|name| Flag {
            names: vec![name],
            negates: Some(flag.canonical().clone()),
            global: flag.global,
            ..Flag::default()
        });
        let mut out = vec![(flag, span.clone())];
        out.extend(negation.map(|flag| (flag, span)));
        out
    }

    fn arg(&mut self, node: &KdlNode) -> Option<Arg> {
        self.props(node, &["unless-given", "when-given", "default", "effect"]);
        let text = self.text(node)?;
        let mut arg = match parse_arg(&text) {
            Ok(arg) => arg,
            Err(message) => {
                self.problem(node_span(node), message, None);
                return None;
            }
        };
        if node.get("var").and_then(KdlValue::as_bool) == Some(true) {
            arg.variadic = true;
        }
        if node.get("required").and_then(KdlValue::as_bool) == Some(false) {
            arg.required = false;
        }
        if node.get("double_dash").and_then(KdlValue::as_string) == Some("required") {
            arg.after_dashes = true;
        }
        arg.unless_given = self.text_prop(node, "unless-given");
        arg.when_given = self.text_prop(node, "when-given");
        arg.default = node
            .get("default")
            .and_then(KdlValue::as_string)
            .map(SmolStr::new);
        for child in children(node) {
            let name = child.name().value();
            if VALUE.contains(&name) {
                arg.effects.extend(self.value_effect(child));
            } else if !IGNORED.contains(&name) && name != "default" {
                self.unknown_node(child, VALUE);
            }
        }
        Some(arg)
    }

    /// `--` operands come last, and only one of the others takes any number.
    fn args_in_order(&mut self, args: &[Arg], nodes: &[&KdlNode]) {
        let place = |name: &str| {
            nodes
                .iter()
                .filter(|node| node.name().value() == "arg")
                .find(|node| {
                    node.get(0)
                        .and_then(KdlValue::as_string)
                        .is_some_and(|text| text.contains(name))
                })
                .map_or(0..0, |node| node_span(node))
        };
        let mut before: Option<&Arg> = None;
        for arg in args.iter().filter(|arg| arg.variadic && !arg.after_dashes) {
            if let Some(first) = before {
                let alternatives = arg.unless_given.is_some()
                    || arg.when_given.is_some()
                    || first.unless_given.is_some()
                    || first.when_given.is_some();
                if !alternatives {
                    self.problem(
                        place(&arg.name),
                        format!(
                            "`{}` and `{}` both take any number of words",
                            first.name, arg.name
                        ),
                        None,
                    );
                }
            }
            before = Some(arg);
        }
    }

    fn block(&mut self, node: &KdlNode, known: &[&[Flag]]) -> Option<Block> {
        self.props(node, &["flag", "operands", "operand", "index"]);
        let mut block = Block {
            negated: node.name().value() == "unless",
            ..Block::default()
        };
        for entry in node.entries() {
            let Some(name) = entry.name().map(kdl::KdlIdentifier::value) else {
                self.problem(
                    entry_span(entry),
                    "a condition is a property",
                    Some("write when flag=\"-c\" { ... }".to_owned()),
                );
                continue;
            };
            match name {
                "flag" => {
                    let pending: Pending = entry
                        .value()
                        .as_string()
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(|word| (SmolStr::new(word), entry_span(entry)))
                        .collect();
                    block.tests.push(Test::Flags(self.canonical(pending, known)));
                }
                "operands" => block.tests.extend(self.operand_count(entry)),
                "operand" => {
                    let index = node.get("index").and_then(KdlValue::as_integer).unwrap_or(1);
                    let index = u32::try_from(index).unwrap_or(0);
                    if index == 0 {
                        self.problem(entry_span(entry), "`index` counts from 1", None);
                    }
                    let words = entry
                        .value()
                        .as_string()
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(SmolStr::new)
                        .collect();
                    block.tests.push(Test::Operand { words, index });
                }
                _ => {}
            }
        }
        if block.tests.is_empty() {
            self.problem(
                node_span(node),
                "a block needs a condition",
                Some("`flag`, `operands` or `operand`".to_owned()),
            );
            return None;
        }
        let nodes: Vec<&KdlNode> = children(node).collect();
        for child in &nodes {
            let name = child.name().value();
            match name {
                "arg" => block.args.extend(self.arg(child)),
                "value" => block.values.extend(self.value_of_flag(child, known)),
                "when" | "unless" => block.blocks.extend(self.block(child, known)),
                _ if OWN.contains(&name) => block.own.extend(self.own(child)),
                _ => {
                    let mut words = OWN.to_vec();
                    words.extend(["arg", "value", "when", "unless"]);
                    self.unknown_node(child, &words);
                }
            }
        }
        self.args_in_order(&block.args, &nodes);
        Some(block)
    }

    /// What the value of an option is where a block holds.
    fn value_of_flag(&mut self, node: &KdlNode, known: &[&[Flag]]) -> Option<(SmolStr, Vec<ValueEffect>)> {
        self.props(node, &[]);
        let pending = vec![(self.text(node)?, node_span(node))];
        let name = self.canonical(pending, known).into_iter().next()?;
        let valued = known
            .iter()
            .flat_map(|flags| flags.iter())
            .any(|flag| *flag.canonical() == name && !flag.values.is_empty());
        if !valued {
            self.problem(node_span(node), format!("`{name}` has no value"), None);
        }
        let mut effects = Vec::new();
        for child in children(node) {
            if VALUE.contains(&child.name().value()) {
                effects.extend(self.value_effect(child));
            } else {
                self.unknown_node(child, VALUE);
            }
        }
        if let Some(runs) = effects.iter().position(|effect| effect.kind.runs().is_some()) {
            effects.remove(runs);
            self.problem(node_span(node), "`runs` is said where the option is listed", None);
        }
        Some((name, effects))
    }

    /// The canonical names of flags that a condition names.
    fn canonical(&mut self, pending: Pending, known: &[&[Flag]]) -> Vec<SmolStr> {
        let mut out: Vec<SmolStr> = Vec::new();
        for (word, span) in pending {
            let flags = || known.iter().rev().flat_map(|flags| flags.iter());
            let found = flags().find(|flag| flag.names.contains(&word));
            if let Some(flag) = found {
                if !out.contains(flag.canonical()) {
                    out.push(flag.canonical().clone());
                }
            } else {
                let help = nearest(
                    &word,
                    flags().flat_map(|flag| flag.names.iter().map(SmolStr::as_str)),
                );
                self.problem(span, format!("no option `{word}` is listed"), help);
            }
        }
        out
    }

    fn operand_count(&mut self, entry: &KdlEntry) -> Option<Test> {
        let (least, most) = if let Some(count) = entry.value().as_integer() {
            (u32::try_from(count).ok(), u32::try_from(count).ok())
        } else {
            let text = entry.value().as_string().unwrap_or_default();
            match text.strip_suffix('+') {
                Some(least) => (least.parse().ok(), None),
                None => (text.parse().ok(), text.parse().ok()),
            }
        };
        let Some(least) = least else {
            self.problem(
                entry_span(entry),
                "`operands` is a number or \"1+\" for at least one",
                None,
            );
            return None;
        };
        Some(Test::Operands { least, most })
    }

    fn value_effect(&mut self, node: &KdlNode) -> Option<ValueEffect> {
        let name = node.name().value();
        let own_props: &[&str] = match name {
            "connects" => &["or", "follows"],
            "runs" => &[
                "until",
                "until-plus",
                "placeholder",
                "placeholder-from",
                "appends",
                "assignments",
            ],
            "runs-shell" => &["remote", "shell", "each"],
            "changes-directory" => &["following"],
            "reads-tree" => &["follows"],
            "writes" | "writes-into" => &["suffix", "suffix-from", "without", "without-from", "open"],
            _ => &[],
        };
        let mut props = vec![
            "at", "fold", "after", "every", "before", "list", "special", "url", "dash",
        ];
        props.extend(own_props);
        self.props(node, &props);
        let takes_text = matches!(name, "evaluates");
        if takes_text {
            self.no_children(node);
        } else {
            for entry in node.entries().iter().filter(|entry| entry.name().is_none()) {
                self.problem(
                    entry_span(entry),
                    format!("`{name}` takes no text: it is said of the value"),
                    None,
                );
            }
            self.no_children(node);
        }
        let kind = match name {
            "reads" => ValueKind::Reads,
            "reads-tree" => ValueKind::ReadsTree,
            "writes" => ValueKind::Writes,
            "writes-into" => ValueKind::WritesInto,
            "writes-tree" => ValueKind::WritesTree,
            "creates" => ValueKind::Creates,
            "deletes" => ValueKind::Deletes,
            "deletes-tree" => ValueKind::DeletesTree,
            "links" => ValueKind::Links,
            "connects" => ValueKind::Connects {
                or: match node.get("or").map(KdlValue::as_string) {
                    None => None,
                    Some(Some("path" | "reads")) => Some(OrPath::Read),
                    Some(Some("writes")) => Some(OrPath::Write),
                    Some(Some("reads-file")) => Some(OrPath::ReadFile),
                    Some(Some("writes-file")) => Some(OrPath::WriteFile),
                    Some(_) => {
                        self.problem(
                            node_span(node),
                            "`or` is `path`, `reads`, `reads-file`, `writes` or `writes-file`",
                            None,
                        );
                        None
                    }
                },
            },
            "runs" => ValueKind::Runs(Box::new(Runs {
                until: self.text_prop(node, "until"),
                until_plus: self.text_prop(node, "until-plus"),
                placeholder: self.text_prop(node, "placeholder"),
                placeholder_from: self.text_prop(node, "placeholder-from"),
                appends: match node.get("appends").map(KdlValue::as_string) {
                    None => None,
                    Some(Some("stdin")) => Some(Appends::Stdin),
                    Some(Some("stdin-nul")) => Some(Appends::StdinNul),
                    Some(Some("stdin-words")) => Some(Appends::StdinWords),
                    Some(Some("stdin-lines")) => Some(Appends::StdinLines),
                    Some(Some("paths")) => Some(Appends::Paths),
                    Some(_) => {
                        self.problem(
                            node_span(node),
                            "`appends` is `stdin`, `stdin-nul`, `stdin-words`, `stdin-lines` or `paths`",
                            None,
                        );
                        None
                    }
                },
                assignments: self.switch_prop(node, "assignments"),
            })),
            "runs-split" => ValueKind::RunsSplit,
            "runs-shell" => ValueKind::RunsShell {
                remote: self.switch_prop(node, "remote"),
                shell: self.text_prop(node, "shell"),
                each: self.switch_prop(node, "each"),
            },
            "evaluates" => ValueKind::Evaluates(self.text(node)?),
            "loads-code" => ValueKind::LoadsCode,
            "sets-env" => ValueKind::SetsEnv,
            "changes-directory" => ValueKind::ChangesDirectory {
                following: self.switch_prop(node, "following"),
            },
            "narrows" => ValueKind::Narrows,
            "excludes" => ValueKind::Excludes,
            "appears" => ValueKind::Appears,
            _ => {
                self.unknown_node(node, VALUE);
                return None;
            }
        };
        let dash = match node.get("dash") {
            Some(value) => value.as_bool().unwrap_or(true),
            None => true,
        };
        Some(ValueEffect {
            kind,
            shape: self.shape(node),
            renaming: self.renaming(node),
            follows: self.follows(node),
            dash,
        })
    }

    fn shape(&mut self, node: &KdlNode) -> Shape {
        Shape {
            at: self.text_prop(node, "at"),
            fold: self.switch_prop(node, "fold"),
            after: self.text_prop(node, "after"),
            every: self.switch_prop(node, "every"),
            before: self.text_prop(node, "before"),
            list: self.text_prop(node, "list"),
            special: self.text_prop(node, "special"),
            url: self.switch_prop(node, "url"),
        }
    }

    fn renaming(&mut self, node: &KdlNode) -> Renaming {
        Renaming {
            suffix: self.text_prop(node, "suffix"),
            suffix_from: self.text_prop(node, "suffix-from"),
            without: self
                .text_prop(node, "without")
                .unwrap_or_default()
                .split_whitespace()
                .map(|word| match word.split_once(':') {
                    Some((ending, instead)) => (SmolStr::new(ending), SmolStr::new(instead)),
                    None => (SmolStr::new(word), SmolStr::default()),
                })
                .collect(),
            without_from: self.text_prop(node, "without-from"),
            open: self.switch_prop(node, "open"),
        }
    }

    fn follows(&mut self, node: &KdlNode) -> Follows {
        match node.get("follows") {
            None => Follows::No,
            Some(value) if value.as_bool() == Some(true) => Follows::Always,
            Some(value) if value.as_bool() == Some(false) => Follows::No,
            Some(value) if value.as_string() == Some("seen") => Follows::Seen,
            Some(_) => {
                self.problem(node_span(node), "`follows` is #true or \"seen\"", None);
                Follows::Always
            }
        }
    }

    fn own(&mut self, node: &KdlNode) -> Option<Own> {
        let name = node.name().value();
        self.props(
            node,
            match name {
                "loads-code" => &["keys"],
                "prints-paths" => &["bare"],
                _ => &[],
            },
        );
        self.no_children(node);
        Some(match name {
            "effect" => {
                let text = self.text(node)?;
                return self.effect(&text, node_span(node));
            }
            "network" => Own::Network,
            "privileged" => Own::Privileged,
            "background" => Own::Background,
            "interactive" => Own::Interactive,
            "reads-stdin" => Own::ReadsStdin,
            "runs-stdin" => Own::RunsStdin(self.text(node)?),
            "state" => Own::State(self.text(node)?),
            "prints-paths" => Own::PrintsPaths {
                arg: self.text(node)?,
                bare: self.switch_prop(node, "bare"),
            },
            "unknown" => Own::Unknown(self.text(node)?),
            "reads-listed" => Own::ReadsListed(self.text(node)?),
            "writes-listed" => Own::WritesListed(self.text(node)?),
            "connects" => {
                self.problem(
                    node_span(node),
                    "`connects` is said of a value",
                    Some("`network` is a connection that no operand names".to_owned()),
                );
                return None;
            }
            "evaluates" => Own::Evaluates(self.text(node)?),
            "reads" | "reads-tree" => Own::Reads {
                path: self.text(node)?,
                tree: name == "reads-tree",
            },
            "writes" | "writes-tree" => Own::Writes {
                path: self.text(node)?,
                tree: name == "writes-tree",
            },
            "loads-code" => Own::Consults {
                file: self.text(node)?,
                keys: self
                    .text_prop(node, "keys")
                    .unwrap_or_default()
                    .split_whitespace()
                    .map(SmolStr::new)
                    .collect(),
            },
            "runs-default" => Own::RunsDefault(self.texts(node, 1)),
            _ => {
                self.unknown_node(node, OWN);
                return None;
            }
        })
    }

    fn effect(&mut self, text: &str, span: Range<usize>) -> Option<Own> {
        match text {
            "read" => None,
            "write" => Some(Own::Changes { destructive: false }),
            "destructive" => Some(Own::Changes { destructive: true }),
            _ => {
                let help = nearest(text, ["read", "write", "destructive"]);
                self.problem(span, "`effect` is `read`, `write` or `destructive`", help);
                None
            }
        }
    }

    fn effect_prop(&mut self, node: &KdlNode) -> Option<Own> {
        let text = self.text_prop(node, "effect")?;
        self.effect(&text, node_span(node))
    }

    fn alone(&mut self, node: &KdlNode) -> Vec<Alone> {
        self.props(node, &["of"]);
        self.no_children(node);
        let of: Vec<SmolStr> = self
            .text_prop(node, "of")
            .unwrap_or_default()
            .split_whitespace()
            .map(SmolStr::new)
            .collect();
        self.texts(node, 1)
            .into_iter()
            .map(|words| Alone {
                words,
                of: of.clone(),
            })
            .collect()
    }

    fn exit_code(&mut self, node: &KdlNode) -> Option<ExitCode> {
        self.props(node, &["ok"]);
        let code = node
            .get(0)
            .and_then(|value| {
                value
                    .as_integer()
                    .or_else(|| value.as_string().and_then(|text| text.parse().ok()))
            })
            .and_then(|code| i32::try_from(code).ok());
        let Some(code) = code else {
            self.problem(node_span(node), "an exit code is a number", None);
            return None;
        };
        Some(ExitCode {
            code,
            about: node
                .get(1)
                .and_then(KdlValue::as_string)
                .map(SmolStr::new)
                .unwrap_or_default(),
            ok: self.switch_prop(node, "ok"),
        })
    }

    fn tests(&mut self, node: &KdlNode) -> Vec<Example> {
        let mut out = Vec::new();
        for child in children(node) {
            let claim = match child.name().value() {
                "reads" => Claim::Reads,
                "writes" => Claim::Writes,
                "deletes" => Claim::Deletes,
                "runs" => Claim::Runs,
                "connects" => Claim::Connects,
                "loads-code" => Claim::LoadsCode,
                "nothing" => Claim::Nothing,
                "unknown" => Claim::Unknown,
                "known" => Claim::Known,
                "changes" => Claim::Changes,
                _ => {
                    self.unknown_node(child, CLAIMS);
                    continue;
                }
            };
            self.props(child, &[]);
            let mut texts = self.texts(child, 1).into_iter();
            let Some(command) = texts.next() else { continue };
            let span = node_span(child);
            let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            out.push(Example {
                claim,
                command,
                expected: texts.collect(),
                span: (offset(span.start), offset(span.end)),
            });
        }
        out
    }

    /// The texts of a node, at least `least` of them.
    fn texts(&mut self, node: &KdlNode, least: usize) -> Vec<SmolStr> {
        let mut out = Vec::new();
        for entry in node.entries().iter().filter(|entry| entry.name().is_none()) {
            match entry.value() {
                KdlValue::String(text) => out.push(SmolStr::new(text)),
                KdlValue::Integer(number) => out.push(SmolStr::new(number.to_string())),
                KdlValue::Float(_) | KdlValue::Bool(_) | KdlValue::Null => {
                    self.problem(entry_span(entry), "a text is needed here", None);
                }
            }
        }
        if out.len() < least {
            self.problem(
                node_span(node),
                format!("`{}` needs a text", node.name().value()),
                None,
            );
        }
        out
    }

    fn text(&mut self, node: &KdlNode) -> Option<SmolStr> {
        let texts = self.texts(node, 1);
        if texts.len() > 1 {
            self.problem(
                node_span(node),
                format!("`{}` takes one text", node.name().value()),
                None,
            );
        }
        texts.into_iter().next()
    }

    fn text_prop(&mut self, node: &KdlNode, name: &str) -> Option<SmolStr> {
        let entry = node.entry(name)?;
        let text = entry.value().as_string().map(SmolStr::new);
        if text.is_none() {
            self.problem(entry_span(entry), format!("`{name}` is a text"), None);
        }
        text
    }

    fn switch_prop(&mut self, node: &KdlNode, name: &str) -> bool {
        let Some(entry) = node.entry(name) else {
            return false;
        };
        entry.value().as_bool().unwrap_or_else(|| {
            self.problem(entry_span(entry), format!("`{name}` is #true or #false"), None);
            false
        })
    }

    fn props(&mut self, node: &KdlNode, known: &[&str]) {
        for entry in node.entries() {
            if let Some(name) = entry.name().map(kdl::KdlIdentifier::value)
                && !known.contains(&name)
                && !IGNORED_PROPS.contains(&name)
            {
                self.unknown_prop(entry, name, known);
            }
        }
    }

    fn unknown_prop(&mut self, entry: &KdlEntry, name: &str, known: &[&str]) {
        let help = nearest(name, known.iter().copied());
        self.problem(entry_span(entry), format!("unknown property `{name}`"), help);
    }

    fn unknown_node(&mut self, node: &KdlNode, known: &[&str]) {
        let name = node.name().value();
        let help = nearest(name, known.iter().copied());
        let message = if BODY.contains(&name) || VALUE.contains(&name) {
            format!("`{name}` cannot stand here")
        } else {
            format!("unknown node `{name}`")
        };
        self.problem(node_span(node), message, help);
    }

    fn no_children(&mut self, node: &KdlNode) {
        if children(node).next().is_some() {
            self.problem(
                node_span(node),
                format!("`{}` takes no block", node.name().value()),
                None,
            );
        }
    }

    fn bare(&mut self, node: &KdlNode) {
        self.no_children(node);
        if !node.entries().is_empty() {
            self.problem(
                node_span(node),
                format!("`{}` stands alone", node.name().value()),
                None,
            );
        }
    }
}

/// Whether a node under a `flag` says something of giving the option rather than of its value.
fn is_own(node: &KdlNode, arity: Arity) -> bool {
    let name = node.name().value();
    if !OWN.contains(&name) {
        return false;
    }
    if !VALUE.contains(&name) {
        return true;
    }
    let named = node.entries().iter().any(|entry| entry.name().is_none());
    match name {
        "evaluates" => arity == Arity::None,
        _ => named,
    }
}

fn index(flags: &[Flag]) -> Vec<NameEntry> {
    let number = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
    let mut named: Vec<(&str, NameEntry)> = flags
        .iter()
        .enumerate()
        .flat_map(|(flag, listed)| {
            listed.names.iter().enumerate().map(move |(name, text)| {
                (
                    text.as_str(),
                    NameEntry {
                        flag: number(flag),
                        name: number(name),
                    },
                )
            })
        })
        .collect();
    named.sort_by_key(|(text, _)| *text);
    named.into_iter().map(|(_, entry)| entry).collect()
}

fn claims_complete(command: &Command) -> bool {
    command.complete
        || command
            .commands
            .iter()
            .filter_map(Subcommand::command)
            .any(claims_complete)
}

fn runs_operands(args: &[Arg], blocks: &[Block]) -> bool {
    args.iter()
        .flat_map(|arg| &arg.effects)
        .any(|effect| effect.kind.takes_the_rest())
        || blocks
            .iter()
            .any(|block| runs_operands(&block.args, &block.blocks))
}
