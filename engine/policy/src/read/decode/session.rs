//! The section `session`.

use smol_str::SmolStr;

use super::Decoder;
use crate::read::node::{Argument, Node};
use crate::source::{Place, Spanned};

/// Names of its lines.
pub(super) const SESSION: &[&str] = &[
    "shell",
    "directories",
    "foreground",
    "ignore-files",
    "tools",
    "setting",
    "feature",
];

/// Longest value of a setting.
const MAX_VALUE_BYTES: usize = 4096;

impl Decoder<'_> {
    pub(super) fn session(&mut self, node: &Node) {
        self.properties(node, &[]);
        // `session "persistent"` is short for its line `shell`.
        if let Some(first) = node.arguments.first() {
            self.session_shell(first, first.place);
        }
        if let Some(second) = node.arguments.get(1) {
            self.error(
                "policy::unexpected-argument",
                "`session` has one value",
                second.place,
                "remove all but the first",
            );
        }
        for child in node.children() {
            let name = child.name.value.as_str();
            if !SESSION.contains(&name) {
                self.unknown_name(&child.name, SESSION, "in `session`");
                continue;
            }
            self.properties(child, &[]);
            self.no_children(child);
            match name {
                "shell" => {
                    if let Some(argument) = self.single(child) {
                        self.session_shell(argument, child.place);
                    }
                    continue;
                }
                "directories" => {
                    let texts = self.texts(child);
                    let directories: Vec<_> = texts
                        .into_iter()
                        .filter(|text| self.is_directory_name(text))
                        .collect();
                    self.document.session.directories.extend(directories);
                }
                "foreground" => {
                    let time = self
                        .single(child)
                        .and_then(|argument| self.time(argument, "a command"));
                    let slot = self.document.session.foreground_ms.take();
                    self.document.session.foreground_ms = self.once(slot, time, "the time in the foreground");
                }
                "ignore-files" => {
                    let value = self.single(child).and_then(|argument| self.boolean(argument));
                    let slot = self.document.session.ignore_files.take();
                    self.document.session.ignore_files = self.once(slot, value, "`ignore-files`");
                }
                "tools" => {
                    let words = &[("all", false), ("simple", true)];
                    let simple = self
                        .single(child)
                        .and_then(|argument| self.word(argument, words, "a choice of tools"));
                    let slot = self.document.session.simple.take();
                    self.document.session.simple = self.once(slot, simple, "the choice of tools");
                }
                "setting" => self.session_setting(child),
                _ => {
                    let names = self.texts(child);
                    for name in names {
                        if self.is_name_of_fact(&name, true) {
                            self.document.session.features.push(name);
                        }
                    }
                }
            }
            self.session_line(child.place);
        }
    }

    fn session_line(&mut self, place: Place) {
        self.document.session.lines.push(Spanned::new((), place));
    }

    fn session_shell(&mut self, argument: &Argument, place: Place) {
        let words = &[("fresh", false), ("persistent", true)];
        let persistent = self.word(argument, words, "a kind of session (`fresh` or `persistent`)");
        let slot = self.document.session.persistent.take();
        self.document.session.persistent = self.once(slot, persistent, "the kind of session");
        self.session_line(place);
    }

    fn session_setting(&mut self, node: &Node) {
        let [name, value] = node.arguments.as_slice() else {
            if !node.broken {
                self.error(
                    "policy::missing-value",
                    "a setting has a name and a value",
                    node.name.place,
                    "write `setting \"web_search\" \"/usr/local/bin/search\"`",
                );
            }
            return;
        };
        let (Some(name), Some(value)) = (self.text(name), self.text(value)) else {
            return;
        };
        if !self.is_name_of_fact(&name, false) {
            return;
        }
        if value.value.len() > MAX_VALUE_BYTES || value.value.contains('\0') || value.value.trim().is_empty()
        {
            self.error(
                "policy::wrong-type",
                format!("this is no value for a setting: 1 to {MAX_VALUE_BYTES} bytes, without NUL"),
                value.place,
                "name a program, an address or a word",
            );
            return;
        }
        let settings = &self.document.session.settings;
        let first = settings.iter().find(|(own, _)| own.value == name.value);
        if let Some(first) = first.map(|(own, _)| own.place) {
            self.duplicate("this setting", name.place, first);
            return;
        }
        self.document.session.settings.push((name, value));
    }

    /// Names that templates can ask for.
    fn is_name_of_fact(&mut self, name: &Spanned<SmolStr>, dashes: bool) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || (c == '-' && dashes);
        let fits = name.value.starts_with(|c: char| c.is_ascii_alphabetic()) && name.value.chars().all(plain);
        if !fits {
            self.error(
                "policy::wrong-type",
                format!("`{}` is no name that a definition of a tool asks for", name.value),
                name.place,
                "write the name as it stands in the definition: letters, digits and `_`",
            );
        }
        fits
    }

    fn is_directory_name(&mut self, text: &Spanned<SmolStr>) -> bool {
        let value = text.value.as_str();
        let begins = ["/", "~/", "./", "../"]
            .iter()
            .any(|start| value.starts_with(start));
        let fits = (begins || matches!(value, "~" | "..")) && !value.contains(['*', '\0']);
        if !fits {
            self.error(
                "policy::wrong-type",
                format!("`{value}` does not say which directory it is"),
                text.place,
                "write `/srv/data`, `~/notes` or `../sibling`, without wildcards",
            );
        }
        fits
    }
}
