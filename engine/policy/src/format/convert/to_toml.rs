//! Writes sections as TOML; how it looks is the printer's.
//!
//! Keys of the top come first and a table stands once in TOML, so `lock` goes to the beginning and sections of one name become one where
//! the first of them stands. Blocks and tests keep their order.

mod rules;

use super::comments::{Noted, Section, Sections};
use super::literal::{toml, toml_key, toml_list, toml_text, toml_values};
use super::unsayable;
use crate::diagnostic::Diagnostic;
use crate::read::{Node, Property};

/// An error where TOML has no words.
type Written<T> = Result<T, Box<Diagnostic>>;

pub(super) fn write(sections: &Sections<'_>) -> Written<String> {
    let mut out = Toml::default();
    let named = |name: &str| -> Vec<&Section<'_>> {
        sections
            .list
            .iter()
            .filter(|section| section.head.node.name.value == name)
            .collect()
    };
    out.lock(&named("lock"));
    let mut done: Vec<&str> = vec!["lock"];
    for section in &sections.list {
        let name = section.head.node.name.value.as_str();
        if matches!(name, "allow" | "ask" | "deny") {
            out.block(section);
            continue;
        }
        if done.contains(&name) {
            continue;
        }
        done.push(name);
        match name {
            "policy" => out.policy(&named(name)),
            "sets" => out.sets(&named(name)),
            "tests" => out.tests(&named(name))?,
            _ => out.settings(&named(name)),
        }
    }
    out.line("", &[]);
    out.comments(&sections.tail);
    Ok(out.text)
}

#[derive(Debug, Default)]
struct Toml {
    text: String,
}

impl Toml {
    fn comments(&mut self, lines: &[String]) {
        for line in lines {
            self.text.push('#');
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn line(&mut self, text: &str, behind: &[String]) {
        self.text.push_str(text);
        if !behind.is_empty() {
            self.text.push_str(" #");
            self.text.push_str(&behind.join(","));
        }
        self.text.push('\n');
    }

    /// The header of a section, with what is said about it.
    fn header(&mut self, text: &str, head: &Noted<'_>) {
        self.line("", &[]);
        self.comments(&head.above);
        self.line(text, &head.behind);
    }

    /// What is said about heads that TOML has no line for, and at the ends of sections.
    fn rest(&mut self, sections: &[&Section<'_>]) {
        for (index, section) in sections.iter().enumerate() {
            if index > 0 {
                self.comments(&section.head.above);
                self.comments(&section.head.behind);
            }
            self.comments(&section.tail);
        }
    }

    fn lock(&mut self, sections: &[&Section<'_>]) {
        let mut parts = Vec::new();
        for section in sections {
            self.comments(&section.head.above);
            self.comments(&section.head.behind);
            for line in &section.lines {
                self.comments(&line.above);
                self.comments(&line.behind);
                parts.push(toml_text(&line.node.name.value));
            }
            self.comments(&section.tail);
        }
        if !sections.is_empty() {
            self.line(&format!("lock = [{}]", parts.join(", ")), &[]);
        }
    }

    fn policy(&mut self, sections: &[&Section<'_>]) {
        let Some(first) = sections.first() else { return };
        self.header("[policy]", &first.head);
        if let Some(name) = sections
            .iter()
            .find_map(|section| section.head.node.arguments.first())
        {
            self.line(&format!("name = {}", toml(name)), &[]);
        }
        for (name, lines) in by_name(sections) {
            let behind = self.about(&lines);
            let values: Vec<_> = lines
                .iter()
                .flat_map(|line| line.node.arguments.iter().cloned())
                .collect();
            self.line(&format!("{} = {}", toml_key(name), toml_values(&values)), &behind);
        }
        self.rest(sections);
    }

    /// Comments of lines that become one; what stands behind a single one can stay there.
    fn about(&mut self, lines: &[&Noted<'_>]) -> Vec<String> {
        if let [line] = lines {
            self.comments(&line.above);
            return line.behind.clone();
        }
        for line in lines {
            self.comments(&line.above);
            self.comments(&line.behind);
        }
        Vec::new()
    }

    fn sets(&mut self, sections: &[&Section<'_>]) {
        let Some(first) = sections.first() else { return };
        let lines: Vec<&Noted<'_>> = sections.iter().flat_map(|section| &section.lines).collect();
        // A table stands once: where kinds take turns, the kind stands in the keys.
        let mut kinds: Vec<&str> = lines.iter().map(|line| line.node.name.value.as_str()).collect();
        kinds.dedup();
        let turns = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        let dotted = turns != kinds.len() || lines.is_empty();
        let mut kind: Option<&str> = None;
        if dotted {
            self.header("[sets]", &first.head);
        }
        for line in lines {
            let own = line.node.name.value.as_str();
            let Some((name, patterns)) = line.node.arguments.split_first() else {
                continue;
            };
            let key = toml_key(name.text().unwrap_or_default());
            let except: Vec<_> = line
                .node
                .children()
                .iter()
                .flat_map(|child| child.arguments.iter().cloned())
                .collect();
            let value = if except.is_empty() {
                toml_values(patterns)
            } else {
                format!(
                    "{{ patterns = {}, except = {} }}",
                    toml_values(patterns),
                    toml_values(&except)
                )
            };
            if dotted {
                self.comments(&line.above);
                self.line(&format!("{own}.{key} = {value}"), &line.behind);
                continue;
            }
            if kind != Some(own) {
                self.line("", &[]);
                if kind.is_none() {
                    self.comments(&first.head.above);
                    self.comments(&first.head.behind);
                }
                self.line(&format!("[sets.{own}]"), &[]);
                kind = Some(own);
            }
            self.comments(&line.above);
            self.line(&format!("{key} = {value}"), &line.behind);
        }
        self.rest(sections);
    }

    /// Sections whose lines have a name, values and properties.
    fn settings(&mut self, sections: &[&Section<'_>]) {
        let Some(first) = sections.first() else { return };
        self.header(
            &format!("[{}]", toml_key(&first.head.node.name.value)),
            &first.head,
        );
        // `session "persistent"` is short for a line.
        let heads = sections
            .iter()
            .filter(|section| section.head.node.name.value == "session")
            .flat_map(|section| &section.head.node.arguments);
        for argument in heads {
            self.line(
                &format!("shell = {}", toml_values(std::slice::from_ref(argument))),
                &[],
            );
        }
        for (name, lines) in by_name(sections) {
            let behind = self.about(&lines);
            let value = match lines.as_slice() {
                [line] if line.node.properties.is_empty() => toml_values(&line.node.arguments),
                [line] => table(line.node),
                lines => {
                    let tables: Vec<String> = lines.iter().map(|line| table(line.node)).collect();
                    format!("[{}]", tables.join(", "))
                }
            };
            self.line(&format!("{} = {value}", toml_key(name)), &behind);
        }
        self.rest(sections);
    }

    fn tests(&mut self, sections: &[&Section<'_>]) -> Written<()> {
        let Some(first) = sections.first() else {
            return Ok(());
        };
        let lines: Vec<&Noted<'_>> = sections.iter().flat_map(|section| &section.lines).collect();
        if lines.is_empty() {
            // A table of no tests; as a list it would have to stand at the top.
            return Err(Box::new(unsayable(
                "TOML has no words for `tests` without a test".to_owned(),
                first.head.node.place,
            )));
        }
        self.line("", &[]);
        self.comments(&first.head.above);
        self.comments(&first.head.behind);
        for line in lines {
            self.test(line)?;
        }
        self.rest(sections);
        Ok(())
    }

    fn test(&mut self, line: &Noted<'_>) -> Written<()> {
        let node = line.node;
        self.line("", &[]);
        self.comments(&line.above);
        self.line("[[tests]]", &line.behind);
        self.line(&format!("verdict = {}", toml_text(&node.name.value)), &[]);
        if !node.arguments.is_empty() {
            self.line(&format!("commands = {}", toml_list(&node.arguments)), &[]);
        }
        let is_own = |property: &&Property| {
            matches!(
                property.name.value.as_str(),
                "tool" | "rule" | "cwd" | "mode" | "shell" | "via"
            )
        };
        let (own, mut fields): (Vec<&Property>, Vec<&Property>) = node.properties.iter().partition(is_own);
        fields.extend(node.children().iter().flat_map(|input| &input.properties));
        for property in own {
            self.line(&pair(property), &[]);
        }
        let mut names: Vec<&str> = fields.iter().map(|field| field.name.value.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find_map(|pair| match pair {
            [one, other] if one == other => Some(*one),
            _ => None,
        }) {
            return Err(Box::new(unsayable(
                format!("TOML has no words for a field that is given twice: `{twice}`"),
                node.place,
            )));
        }
        if !fields.is_empty() {
            let pairs: Vec<String> = fields.into_iter().map(pair).collect();
            self.line(&format!("input = {{ {} }}", pairs.join(", ")), &[]);
        }
        Ok(())
    }
}

fn pair(property: &Property) -> String {
    format!("{} = {}", toml_key(&property.name.value), toml(&property.value))
}

/// A line as a table: `args` holds its values.
fn table(node: &Node) -> String {
    let mut pairs: Vec<String> = Vec::new();
    if !node.arguments.is_empty() {
        pairs.push(format!("args = {}", toml_list(&node.arguments)));
    }
    pairs.extend(node.properties.iter().map(pair));
    format!("{{ {} }}", pairs.join(", "))
}

/// The lines of all sections by their names, in the order in which the names first stand.
fn by_name<'s>(sections: &[&'s Section<'s>]) -> Vec<(&'s str, Vec<&'s Noted<'s>>)> {
    let mut groups: Vec<(&str, Vec<&Noted<'_>>)> = Vec::new();
    for line in sections.iter().flat_map(|section| &section.lines) {
        let name = line.node.name.value.as_str();
        match groups.iter_mut().find(|(own, _)| *own == name) {
            Some((_, lines)) => lines.push(line),
            None => groups.push((name, vec![line])),
        }
    }
    groups
}
