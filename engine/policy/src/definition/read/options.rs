//! Reads options and how a program cuts its arguments into them.
//!
//! Invariant (nothing lost): what is said of an option that has no value to say it of is a problem.

use std::ops::Range;

use kdl::KdlNode;

use super::super::model::{Arity, Flag, FlagValue, NameEntry, Options, Style};
use super::super::usage::parse_flag;
use super::super::words::{IGNORED, OWN, VALUE};
use super::Reader;
use super::node::{children, entry_span, node_span};

impl Reader {
    /// A flag that has a name of one before it.
    pub(super) fn repeated(&mut self, before: &[Flag], flag: &Flag, span: &Range<usize>) {
        let published = self.published;
        // A tool's own parser says which of two counts.
        for name in flag.names.iter().filter(|_| !published) {
            if before.iter().any(|other| other.names.contains(name)) {
                self.problem(span.clone(), format!("`{name}` is listed twice"), None);
            }
        }
    }

    pub(super) fn options(&mut self, node: &KdlNode, mut options: Options) -> Options {
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

    pub(super) fn flags(&mut self, node: &KdlNode) -> Vec<(Flag, Range<usize>)> {
        self.props(node, &["global"]);
        self.no_children(node);
        let global = self.switch_prop(node, "global");
        let mut out = Vec::new();
        for entry in node.entries().iter().filter(|entry| entry.name().is_none()) {
            let Some(text) = entry.value().as_string() else {
                self.problem(entry_span(entry), "an option is a text", None);
                continue;
            };
            match parse_flag(text) {
                Ok(flag) => out.push((Flag { global, ..flag }, entry_span(entry))),
                Err(message) => self.problem(entry_span(entry), message, None),
            }
        }
        out
    }

    pub(super) fn flag(&mut self, node: &KdlNode) -> Vec<(Flag, Range<usize>)> {
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
                flag.own.extend(self.stated_effect(child));
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
            } else if !IGNORED.contains(&name) && !matches!(name, "default" | "complete") {
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
        // Its value may be left out; where no `=` is needed it may be the next word.
        let switch = |name: &str| node.get(name).and_then(kdl::KdlValue::as_bool) == Some(true);
        if flag.arity == Arity::Next && (switch("value_optional") || switch("require_equals")) {
            flag.arity = Arity::Optional;
            flag.separate = !switch("require_equals");
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

pub(in super::super) fn index(flags: &[Flag]) -> Vec<NameEntry> {
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
