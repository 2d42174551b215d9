//! Blocks and their rules. Where no kind of rule stands twice, each is a key; else `rules` lists them in order.

use super::super::comments::{Noted, Section};
use super::super::literal::{toml_key, toml_list, toml_values};
use super::{Toml, pair};
use crate::read::{Argument, Literal, Node};

impl Toml {
    pub(super) fn block(&mut self, section: &Section<'_>) {
        let node = section.head.node;
        self.header(&format!("[[{}]]", node.name.value), &section.head);
        if let (Some(_), Some(name)) = (&node.children, node.arguments.first()) {
            self.line(&format!("name = {}", super::toml(name)), &[]);
        }
        for property in &node.properties {
            self.line(&pair(property), &[]);
        }
        if node.children.is_none() {
            self.line(&format!("short = {}", toml_list(&node.arguments)), &[]);
        }
        let mut names: Vec<&str> = section
            .lines
            .iter()
            .map(|line| line.node.name.value.as_str())
            .collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        if names.len() == all {
            for line in &section.lines {
                self.comments(&line.above);
                let own = line.node;
                let conditions = conditions(own);
                let value = if conditions.is_empty() {
                    toml_values(&own.arguments)
                } else {
                    format!(
                        "{{ match = {}, {} }}",
                        toml_values(&own.arguments),
                        conditions.join(", ")
                    )
                };
                self.line(&format!("{} = {value}", toml_key(&own.name.value)), &line.behind);
            }
        } else {
            self.line("rules = [", &[]);
            for line in &section.lines {
                self.rule(line);
            }
            self.line("]", &[]);
        }
        self.comments(&section.tail);
    }

    fn rule(&mut self, line: &Noted<'_>) {
        self.comments(&line.above);
        let own = line.node;
        let mut pairs = vec![format!(
            "{} = {}",
            toml_key(&own.name.value),
            toml_values(&own.arguments)
        )];
        pairs.extend(conditions(own));
        self.line(&format!("{{ {} }},", pairs.join(", ")), &line.behind);
    }
}

/// The conditions of a rule as pairs. What stands several times is a list of lists.
fn conditions(rule: &Node) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&[Argument]>)> = Vec::new();
    let mut within: Vec<Vec<Argument>> = Vec::new();
    let mut except: Vec<Argument> = Vec::new();
    for child in rule.children() {
        let name = child.name.value.as_str();
        let (key, values) = match (name, child.arguments.split_first()) {
            ("except", _) => {
                except.extend(child.arguments.iter().cloned());
                continue;
            }
            ("operands", _) => {
                let property = child.property("within").cloned();
                let inner = child
                    .children()
                    .iter()
                    .flat_map(|inner| inner.arguments.iter().cloned());
                within.push(property.into_iter().chain(inner).collect());
                continue;
            }
            ("operand" | "input", Some((first, values))) => (format!("{name}.{}", key_of(first)), values),
            (_, _) => (toml_key(name), child.arguments.as_slice()),
        };
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, list)) => list.push(values),
            None => groups.push((key, vec![values])),
        }
    }
    let mut pairs: Vec<String> = groups
        .into_iter()
        .map(|(key, values)| match values.as_slice() {
            [values] => format!("{key} = {}", toml_values(values)),
            several => {
                let lists: Vec<String> = several.iter().map(|values| toml_list(values)).collect();
                format!("{key} = [{}]", lists.join(", "))
            }
        })
        .collect();
    match within.as_slice() {
        [] => {}
        [values] => pairs.push(format!("operands.within = {}", toml_values(values))),
        several => {
            let tables: Vec<String> = several
                .iter()
                .map(|values| format!("{{ within = {} }}", toml_list(values)))
                .collect();
            pairs.push(format!("operands = [{}]", tables.join(", ")));
        }
    }
    if !except.is_empty() {
        pairs.push(format!("except = {}", toml_values(&except)));
    }
    pairs
}

/// The number of an operand or the name of a field, as a key.
fn key_of(argument: &Argument) -> String {
    match &argument.value {
        Literal::Integer(number) => number.to_string(),
        Literal::Text(text) => toml_key(text),
        Literal::Number(word) | Literal::Date(word) => toml_key(word),
        Literal::Boolean(value) => value.to_string(),
        Literal::Null => "null".to_owned(),
    }
}
