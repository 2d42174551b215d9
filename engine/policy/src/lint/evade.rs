//! Guards that the same command in another spelling gets around: `evadable-deny`.
//!
//! From each pattern that forbids or asks, command lines are made that it matches; each is respelled in ways that its definition says mean
//! the same, and decided. A respelling that is decided more mildly is the witness. So whatever the engine sees through by itself
//! (wrappers, bundles, other names of an option) is never reported.

use serde_json::json;
use smol_str::SmolStr;

use super::groups::{Group, Item, NameKind, What};
use super::lines::{Line, command_of, decided, decided_call, is_by, samples, used};
use super::{Context, Finding, Lint};
use crate::decide::Call;
use crate::definition::model::{Arity, Command, Definition, Flag};
use crate::document::{Alternatives, Block, Condition, Document, Outcome, Rule, Subject};
use crate::effect::{Use, WordKind};
use crate::pattern::{CommandPart, CommandPattern, HostName, ProgramPattern, Term, WordPattern};
use crate::plan::{Plan, compile};
use crate::source::Spanned;

/// Options that only say more or less, in the order of preference.
const HARMLESS: &[&str] = &["-v", "--verbose", "-q", "--quiet", "--progress", "--no-color"];

/// Lines that are respelled, and respellings of each.
const MAX_LINES: usize = 3;
const MAX_SPELLINGS: usize = 24;

/// A respelled line and how to cover it.
struct Spelling {
    line: Line,
    help: &'static str,
}

const BY_FLAG: &str = "name the flags in a condition (`flag \"-f\" \"--force\"`) instead of among the words: a condition holds wherever they stand";
const BY_MORE: &str = "write `...` at the end, so that further words are covered";
const BY_NAME: &str = "name every program that does the same: `(one|other) ...`";
const BY_ALIAS: &str = "name the subcommand as its definition does, or all its names: `(install|i) ...`";
const BY_PROGRAM: &str = "name the program without its directory: it is matched wherever the shell finds it";

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = context.input.plan else { return };
    for group in context
        .own_groups()
        .filter(|group| group.outcome != Outcome::Allow)
    {
        for item in &group.patterns {
            let finding = match item.what {
                What::Command(pattern) => command(context, plan, group, item, pattern),
                What::Host(host) => match &host.host {
                    HostName::Below(name) => apex(context, plan, item, name),
                    HostName::Any | HostName::Exactly(_) | HostName::Network { .. } => None,
                },
                What::Name(NameKind::Tool, _) => tool_text(context, plan, group, item),
                What::Text(_)
                | What::Path(..)
                | What::Name(NameKind::Agent | NameKind::Skill, _)
                | What::Env(_)
                | What::Mode(_) => None,
            };
            findings.extend(finding.map(|finding| finding.of(group)));
        }
    }
}

fn becomes(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "is allowed",
        Outcome::Ask => "is only asked about",
        Outcome::Deny => "is denied",
    }
}

fn command(
    context: &Context<'_>,
    plan: &Plan,
    group: &Group<'_>,
    item: &Item<'_>,
    pattern: &CommandPattern,
) -> Option<Finding> {
    let one_program = of_one_program(pattern);
    let pattern = one_program.as_ref().unwrap_or(pattern);
    for line in samples(group, pattern, plan).into_iter().take(MAX_LINES) {
        let decision = decided(plan, &line.text());
        let guarded = decision.outcome == group.outcome
            && decision
                .steps
                .iter()
                .any(|step| step.outcome == group.outcome && is_by(plan, step, group.rule.place));
        if !guarded {
            continue;
        }
        for spelling in spellings(plan, pattern, group.conditions(), &line)
            .into_iter()
            .take(MAX_SPELLINGS)
        {
            let other = spelling.line.text();
            let outcome = decided(plan, &other).outcome;
            if outcome < group.outcome && other != line.text() && !is_excepted(context, group, &other) {
                let shown = context.input.sources.text(item.place);
                return Some(
                    Finding::new(
                        Lint::EvadableDeny,
                        format!(
                            "{shown} is got around: `{}` is covered, `{other}` {}",
                            line.text(),
                            becomes(outcome)
                        ),
                        item.place,
                    )
                    .help(spelling.help),
                );
            }
        }
    }
    None
}

/// The same pattern about one program that everybody has, where it is about every program.
fn of_one_program(pattern: &CommandPattern) -> Option<CommandPattern> {
    let is_any = |program: &ProgramPattern| match program {
        ProgramPattern::Name(word) => word.is_any(),
        ProgramPattern::File(_) => false,
    };
    pattern.programs.iter().any(is_any).then(|| CommandPattern {
        programs: vec![ProgramPattern::Name(WordPattern::exactly("ls"))],
        ..pattern.clone()
    })
}

/// Whether the rule itself leaves a line out.
fn is_excepted(context: &Context<'_>, group: &Group<'_>, line: &str) -> bool {
    let patterns: Vec<Spanned<Term<CommandPattern>>> = group
        .except
        .iter()
        .filter_map(|item| match item.what {
            What::Command(pattern) => Some(Spanned::new(Term::Pattern(pattern.clone()), item.place)),
            What::Text(_)
            | What::Path(..)
            | What::Host(_)
            | What::Name(..)
            | What::Env(_)
            | What::Mode(_) => None,
        })
        .collect();
    if patterns.is_empty() {
        return false;
    }
    let rule = Rule {
        subject: Subject::Command(Alternatives {
            patterns,
            except: Vec::new(),
        }),
        conditions: Vec::new(),
    };
    let block = Block {
        effect: Spanned::new(Outcome::Deny, group.block.effect.place),
        name: None,
        because: None,
        instead: None,
        rules: vec![Spanned::new(rule, group.rule.place)],
    };
    let document = Document {
        blocks: vec![Spanned::new(block, group.rule.place)],
        ..Document::default()
    };
    let definitions = context
        .input
        .plan
        .map_or_else(Vec::new, |plan| plan.definitions.clone());
    compile(&[document], definitions, context.input.sources)
        .is_ok_and(|plan| decided(&plan, line).outcome == Outcome::Deny)
}

/// Other lines that do the same.
fn spellings(
    plan: &Plan,
    pattern: &CommandPattern,
    conditions: &[Spanned<Condition>],
    line: &Line,
) -> Vec<Spelling> {
    let mut all = Vec::new();
    let mut push = |words: Vec<String>, help: &'static str| {
        all.push(Spelling {
            line: line.with(words),
            help,
        });
    };
    let Some((program, rest)) = line.words.split_first() else {
        return all;
    };
    let file = pattern
        .programs
        .iter()
        .any(|program| matches!(program, ProgramPattern::File(_)));
    if let Some((directory, base)) = program.rsplit_once('/').filter(|_| file)
        && matches!(
            directory,
            "/bin" | "/usr/bin" | "/sbin" | "/usr/sbin" | "/usr/local/bin"
        )
    {
        push([&[base.to_owned()], rest].concat(), BY_PROGRAM);
    }
    let Some(definition) = plan.catalogue().find(program) else {
        if exact(pattern) {
            push([line.words.as_slice(), &["x".to_owned()]].concat(), BY_MORE);
        }
        return all;
    };
    for name in definition
        .names
        .iter()
        .filter(|name| same_program(name, program))
        .take(3)
    {
        push([&[name.to_string()], rest].concat(), BY_NAME);
    }
    let usage = used(definition, &line.words);
    if !usage.unknowns.is_empty() {
        return all;
    }
    let (command, _) = command_of(definition, &line.words);
    let mut parts = Parts::of(&usage);
    // As they are written: of several subcommands that are described at once the definition names the first.
    let names = line.words.get(..parts.command.len()).unwrap_or_default();
    if !usage.set_aside.is_empty() || names.iter().any(|name| name.starts_with('-')) {
        return all;
    }
    parts.command = names.to_vec();
    aliases(definition, pattern, &parts, &mut push);
    let harmless = harmless(command, &parts, conditions);
    if let Some(flag) = harmless {
        let more = if exact(pattern) { BY_MORE } else { BY_FLAG };
        let mut front = parts.clone();
        front.options.insert(0, Given::bare(flag));
        push(front.words(Order::OptionsFirst), more);
        push([line.words.as_slice(), &[flag.to_owned()]].concat(), more);
    } else if exact(pattern) && parts.operands.is_empty() && command.args.iter().any(|arg| !arg.required) {
        push([line.words.as_slice(), &["x".to_owned()]].concat(), BY_MORE);
    }
    push(parts.words(Order::OptionsFirst), BY_FLAG);
    if command.options.permute && !parts.operands.is_empty() && !parts.dashes {
        push(parts.words(Order::OptionsLast), BY_FLAG);
    }
    for (number, option) in parts.options.iter().enumerate() {
        for name in option.names.iter().filter(|name| **name != option.name).take(4) {
            let mut other = parts.clone();
            if let Some(own) = other.options.get_mut(number) {
                own.name = name.clone();
            }
            push(other.words(Order::OptionsFirst), BY_FLAG);
        }
    }
    let mut backwards = parts.clone();
    backwards.options.reverse();
    push(backwards.words(Order::OptionsFirst), BY_FLAG);
    if command.options.bundling {
        for parts in [&parts, &backwards] {
            push(parts.bundled(), BY_FLAG);
        }
    }
    all
}

/// Whether a pattern covers exactly its own words and nothing after them.
fn exact(pattern: &CommandPattern) -> bool {
    !matches!(pattern.rest.last(), Some(CommandPart::AnyWords))
}

/// Whether two names are one program in different versions: `python`, `python3`, `python3.12`.
fn same_program(one: &str, other: &str) -> bool {
    let stem = |name: &str| {
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .to_owned()
    };
    one != other && stem(one) == stem(other) && !stem(one).is_empty()
}

/// Shorter and longer names of the subcommands that the pattern spells. A definition may describe several subcommands at once, so that
/// only names of which one abbreviates the other are taken for the same.
fn aliases(
    definition: &Definition,
    pattern: &CommandPattern,
    parts: &Parts,
    push: &mut impl FnMut(Vec<String>, &'static str),
) {
    let spelled = pattern
        .rest
        .iter()
        .take_while(|part| matches!(part, CommandPart::Word(_) | CommandPart::Choice(_)))
        .count();
    let mut command = &definition.command;
    for (number, word) in parts.command.iter().enumerate().skip(1).take(spelled) {
        let Some(inner) = command.subcommand(word) else {
            return;
        };
        for name in std::iter::once(&inner.name)
            .chain(&inner.aliases)
            .filter(|name| abbreviates(name, word) || abbreviates(word, name))
            .take(3)
        {
            let mut other = parts.clone();
            if let Some(own) = other.command.get_mut(number) {
                *own = name.to_string();
            }
            push(other.words(Order::OptionsFirst), BY_ALIAS);
        }
        command = inner;
    }
}

/// Whether a name of a few letters is made of letters of another, in order: `i` of `install`, `rm` of `remove`.
fn abbreviates(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    short.len() < long.len()
        && !long.contains('-')
        && short.chars().next() == long.chars().next()
        && ((short.len() <= 3 && long.starts_with(short))
            || (short.len() <= 2 && short.chars().all(|c| rest.any(|own| own == c))))
}

/// An option that only says more or less.
fn harmless(command: &Command, parts: &Parts, conditions: &[Spanned<Condition>]) -> Option<&'static str> {
    let ruled_out = |name: &str| {
        conditions.iter().any(|condition| match &condition.value {
            Condition::WithoutFlag(flags) => flags.iter().any(|flag| flag.value.name.matches(name)),
            Condition::Flag(_)
            | Condition::OperandsWithin(_)
            | Condition::Operand { .. }
            | Condition::Env(_)
            | Condition::Cwd(_)
            | Condition::PipedInto(_)
            | Condition::InPipeline(_)
            | Condition::Background(_)
            | Condition::Via(_)
            | Condition::Input { .. } => false,
        })
    };
    let inert = |flag: &Flag| {
        flag.arity == Arity::None
            && flag.own.is_empty()
            && flag.satisfies.is_none()
            && flag.negates.is_none()
            && !flag.terminal
            && !flag.ends_options
    };
    HARMLESS.iter().copied().find(|name| {
        command.flag(name).is_some_and(inert)
            && !ruled_out(name)
            && !parts
                .options
                .iter()
                .any(|own| own.names.iter().any(|own| own == name))
    })
}

/// An option as it is given.
#[derive(Clone)]
struct Given {
    name: SmolStr,
    names: Vec<SmolStr>,
    value: Option<String>,
}

impl Given {
    fn bare(name: &str) -> Self {
        Self {
            name: name.into(),
            names: Vec::new(),
            value: None,
        }
    }

    fn words(&self) -> Vec<String> {
        match &self.value {
            Some(value) if self.name.starts_with("--") => vec![format!("{}={value}", self.name)],
            Some(value) => vec![self.name.to_string(), value.clone()],
            None => vec![self.name.to_string()],
        }
    }
}

/// A command line taken apart.
#[derive(Clone)]
struct Parts {
    command: Vec<String>,
    options: Vec<Given>,
    operands: Vec<String>,
    /// There is a `--` before the operands.
    dashes: bool,
}

#[derive(Clone, Copy)]
enum Order {
    OptionsFirst,
    OptionsLast,
}

impl Parts {
    fn of(usage: &Use) -> Self {
        let mut parts = Self {
            command: Vec::new(),
            options: Vec::new(),
            operands: Vec::new(),
            dashes: false,
        };
        for word in &usage.words {
            let Some(text) = word.field.known() else { continue };
            match word.kind {
                WordKind::Command => parts.command.push(text.to_owned()),
                WordKind::Option => parts.options.push(Given {
                    name: text.into(),
                    names: word.names.clone(),
                    value: None,
                }),
                WordKind::OptionValue => {
                    if let Some(option) = parts.options.last_mut() {
                        option.value = Some(text.to_owned());
                    }
                }
                WordKind::EndOfOptions => parts.dashes = true,
                WordKind::Operand => parts.operands.push(text.to_owned()),
            }
        }
        parts
    }

    fn words(&self, order: Order) -> Vec<String> {
        let options = self.options.iter().flat_map(Given::words);
        let dashes = self.dashes.then(|| "--".to_owned());
        let command = self.command.iter().cloned();
        let operands = self.operands.iter().cloned();
        match order {
            Order::OptionsFirst => command.chain(options).chain(dashes).chain(operands).collect(),
            Order::OptionsLast => command.chain(operands).chain(options).collect(),
        }
    }

    /// With the short options that take no value in one word.
    fn bundled(&self) -> Vec<String> {
        let single = |option: &&Given| {
            option.value.is_none() && option.name.len() == 2 && !option.name.starts_with("--")
        };
        let letters: String = self
            .options
            .iter()
            .filter(single)
            .filter_map(|option| option.name.chars().nth(1))
            .collect();
        if letters.len() < 2 {
            return self.words(Order::OptionsFirst);
        }
        let mut other = self.clone();
        other.options.retain(|option| !single(&option));
        other.options.insert(0, Given::bare(&format!("-{letters}")));
        other.words(Order::OptionsFirst)
    }
}

/// A pattern for everything below a name does not cover the name.
fn apex(context: &Context<'_>, plan: &Plan, item: &Item<'_>, name: &str) -> Option<Finding> {
    let fetch = |host: &str| {
        let input = json!({ "url": format!("https://{host}/"), "prompt": "x" });
        decided_call(
            plan,
            &Call::Tool {
                name: "WebFetch",
                input: &input,
            },
        )
        .outcome
    };
    let (below, itself) = (fetch(&format!("www.{name}")), fetch(name));
    (itself < below).then(|| {
        let shown = context.input.sources.text(item.place);
        Finding::new(
            Lint::EvadableDeny,
            format!(
                "{shown} is got around: `www.{name}` is covered, `{name}` itself {}",
                becomes(itself)
            ),
            item.place,
        )
        .help(format!("write \"{name}\" beside it"))
    })
}

/// A command as a text says nothing of what it does.
fn tool_text(context: &Context<'_>, plan: &Plan, group: &Group<'_>, item: &Item<'_>) -> Option<Finding> {
    let What::Name(_, glob) = item.what else {
        return None;
    };
    let patterns = group
        .conditions()
        .iter()
        .find_map(|condition| match &condition.value {
            Condition::Input { field, patterns } if field.value == "command" => Some(patterns),
            Condition::Input { .. }
            | Condition::Flag(_)
            | Condition::WithoutFlag(_)
            | Condition::OperandsWithin(_)
            | Condition::Operand { .. }
            | Condition::Env(_)
            | Condition::Cwd(_)
            | Condition::PipedInto(_)
            | Condition::InPipeline(_)
            | Condition::Background(_)
            | Condition::Via(_) => None,
        })?;
    if glob.literal() != Some("Bash") {
        return None;
    }
    let pattern = patterns.first()?;
    let text = super::lines::filled_glob(&pattern.value);
    let ask = |text: &str| {
        let input = json!({ "command": text });
        decided_call(
            plan,
            &Call::Tool {
                name: "Bash",
                input: &input,
            },
        )
        .outcome
    };
    let other = format!("env {text}");
    let (own, evaded) = (ask(&text), ask(&other));
    (evaded < own).then(|| {
        Finding::new(
            Lint::EvadableDeny,
            format!(
                "{} is got around: `{text}` is covered, `{other}` {}",
                context.input.sources.text(pattern.place),
                becomes(evaded)
            ),
            item.place,
        )
        .help("write a `command` rule, which is about what runs and not about how it is written")
    })
}
