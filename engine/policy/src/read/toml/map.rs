//! Which TOML says what: tables become the nodes of the canonical spelling.
//!
//! Invariant (nothing is dropped): a key without a meaning becomes a diagnostic here, or a node or property that the next
//! step refuses.

use smol_str::SmolStr;

use super::tree::{Fields, Tree, node};
use crate::diagnostic::Diagnostic;
use crate::names::nearest;
use crate::read::node::{Argument, Literal, Node, Property};
use crate::source::{Place, Spanned};

type Key = Spanned<SmolStr>;

/// Nodes of a whole file, blocks in the order of the text.
pub(super) fn nodes(root: &Fields) -> (Vec<Node>, Vec<Diagnostic>) {
    let mut map = Map::default();
    let mut nodes = Vec::new();
    for (key, value) in &root.fields {
        match key.value.as_str() {
            "policy" => nodes.extend(map.policy(key, value)),
            "sets" => nodes.extend(map.sets(key, value)),
            "allow" | "ask" | "deny" => nodes.extend(map.blocks(key, value)),
            "lock" => nodes.push(map.lock(key, value)),
            "tests" => nodes.push(map.tests(key, value)),
            "default" | "checks" | "modes" | "limits" | "sandbox" | "budgets" | "defer" | "hooks"
            | "session" | "lint" => {
                nodes.extend(map.section(key, value));
            }
            // Left for the next step to refuse.
            _ => nodes.push(node(key, value.place())),
        }
    }
    nodes.sort_by_key(|node| node.place.span.start);
    (nodes, map.diagnostics)
}

#[derive(Default)]
struct Map {
    diagnostics: Vec<Diagnostic>,
}

impl Map {
    fn shape(&mut self, what: &str, wanted: &str, place: Place) {
        self.diagnostics.push(Diagnostic::error(
            "policy::wrong-type",
            format!("`{what}` must be {wanted}"),
            place,
        ));
    }

    fn unknown_key(&mut self, key: &Key, known: &[&str], within: &str) {
        let message = format!("unknown key `{}` {within}", key.value);
        let help = match nearest(&key.value, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are `{}`", known.join("`, `")),
        };
        self.diagnostics
            .push(Diagnostic::error("policy::unknown-name", message, key.place).help(help));
    }

    fn table<'t>(&mut self, key: &Key, value: &'t Tree) -> Option<&'t Fields> {
        match value {
            Tree::Table(table) => Some(table),
            Tree::Scalar(_) | Tree::List(..) => {
                self.shape(&key.value, "a table", value.place());
                None
            }
        }
    }

    fn scalar<'t>(&mut self, key: &Key, value: &'t Tree) -> Option<&'t Argument> {
        match value {
            Tree::Scalar(argument) => Some(argument),
            Tree::List(..) | Tree::Table(_) => {
                self.shape(&key.value, "a single value", value.place());
                None
            }
        }
    }

    /// One value or a list of values.
    fn scalars(&mut self, key: &Key, value: &Tree) -> Vec<Argument> {
        let mut out = Vec::new();
        for item in value.items() {
            match item {
                Tree::Scalar(argument) => out.push(argument.clone()),
                Tree::List(..) | Tree::Table(_) => {
                    self.shape(&key.value, "a value or a list of values", item.place());
                }
            }
        }
        out
    }

    fn policy(&mut self, key: &Key, value: &Tree) -> Option<Node> {
        let table = self.table(key, value)?;
        let mut out = node(key, table.place);
        let mut children = Vec::new();
        for (key, value) in &table.fields {
            if key.value == "name" {
                out.arguments.extend(self.scalar(key, value).cloned());
            } else {
                let mut child = node(key, value.place());
                child.arguments = self.scalars(key, value);
                children.push(child);
            }
        }
        out.children = Some(children);
        Some(out)
    }

    /// `[sets.paths]`: `name = [...]` or `name = { patterns = [...], except = [...] }`.
    fn sets(&mut self, key: &Key, value: &Tree) -> Option<Node> {
        let table = self.table(key, value)?;
        let mut out = node(key, table.place);
        let mut children = Vec::new();
        for (kind, sets) in &table.fields {
            let Some(sets) = self.table(kind, sets) else {
                continue;
            };
            for (name, value) in &sets.fields {
                let mut child = Node {
                    name: kind.clone(),
                    ..node(name, value.place())
                };
                child.place = Place {
                    span: name.place.span.to(value.place().span),
                    ..name.place
                };
                child.arguments.push(name_argument(name));
                match value {
                    Tree::Table(fields) => {
                        child.broken = fields.get("patterns").is_none() && !fields.fields.is_empty();
                        self.set_fields(fields, &mut child);
                    }
                    Tree::Scalar(_) | Tree::List(..) => child.arguments.extend(self.scalars(name, value)),
                }
                children.push(child);
            }
        }
        // Kinds may take turns where they are parts of the keys.
        children.sort_by_key(|child| child.place.span.start);
        out.children = Some(children);
        Some(out)
    }

    fn set_fields(&mut self, fields: &Fields, set: &mut Node) {
        for (key, value) in &fields.fields {
            match key.value.as_str() {
                "patterns" => set.arguments.extend(self.scalars(key, value)),
                "except" => {
                    let mut child = node(key, value.place());
                    child.arguments = self.scalars(key, value);
                    set.children.get_or_insert_default().push(child);
                }
                _ => self.unknown_key(key, &["patterns", "except"], "in a set"),
            }
        }
    }

    /// `[[allow]]`, or `[allow]` for a single block.
    fn blocks(&mut self, key: &Key, value: &Tree) -> Vec<Node> {
        let mut out = Vec::new();
        for item in value.items() {
            let Some(table) = self.table(key, item) else {
                continue;
            };
            let mut block = node(key, table.place);
            block.place = table.place;
            let mut children = Vec::new();
            for (key, value) in &table.fields {
                match key.value.as_str() {
                    "name" => block.arguments.extend(self.scalar(key, value).cloned()),
                    "because" | "instead" => block.properties.extend(self.property(key, value)),
                    "rules" => self.rules(key, value, &mut children),
                    _ => self.rule(key, value, &mut children),
                }
            }
            block.children = Some(children);
            out.push(block);
        }
        out
    }

    fn property(&mut self, key: &Key, value: &Tree) -> Option<Property> {
        let value = self.scalar(key, value)?.clone();
        Some(Property {
            name: key.clone(),
            value,
        })
    }

    /// `rules = [{ command = "...", flag = [...] }, ...]`: rules whose order is kept.
    fn rules(&mut self, key: &Key, value: &Tree, out: &mut Vec<Node>) {
        for item in value.items() {
            let Some(table) = self.table(key, item) else {
                continue;
            };
            let subject = table.fields.iter().find(|(key, _)| {
                key.value == "short" || crate::document::RequestKind::from_word(&key.value).is_some()
            });
            let Some((subject, patterns)) = subject else {
                self.diagnostics.push(
                    Diagnostic::error("policy::missing-value", "this rule governs nothing", table.place)
                        .help("name what it governs: `command`, `read`, `write`, ..."),
                );
                continue;
            };
            let mut rule = Node {
                place: table.place,
                ..node(subject, table.place)
            };
            rule.arguments = self.scalars(subject, patterns);
            for (key, value) in table.fields.iter().filter(|(key, _)| key.value != subject.value) {
                self.condition(key, value, &mut rule);
            }
            in_order(&mut rule);
            out.push(rule);
        }
    }

    /// The plain values of a key as one node, and its tables. There is a node where there are neither, for the next step to refuse.
    fn plain_and_tables<'t>(
        &mut self,
        key: &Key,
        value: &'t Tree,
        wanted: &str,
    ) -> (Option<Node>, Vec<&'t Fields>) {
        let mut plain = node(key, value.place());
        let mut tables = Vec::new();
        for item in value.items() {
            match item {
                Tree::Scalar(argument) => plain.arguments.push(argument.clone()),
                Tree::Table(table) => tables.push(table),
                Tree::List(_, place) => self.shape(&key.value, wanted, *place),
            }
        }
        let stands = !plain.arguments.is_empty() || tables.is_empty();
        (stands.then_some(plain), tables)
    }

    /// `command = "a"`, `command = ["a", "b"]`, or tables with `match` and conditions, each a rule of its own. The plain
    /// texts of a list are together one rule.
    fn rule(&mut self, key: &Key, value: &Tree, out: &mut Vec<Node>) {
        let (plain, tables) = self.plain_and_tables(key, value, "a list of texts and tables");
        out.extend(plain);
        for table in tables {
            let mut rule = Node {
                place: table.place,
                broken: table.get("match").is_none(),
                ..node(key, table.place)
            };
            if rule.broken {
                self.diagnostics.push(
                    Diagnostic::error("policy::missing-value", "this rule matches nothing", table.place)
                        .help("add `match = \"pattern\"`"),
                );
            }
            for (key, value) in &table.fields {
                if key.value == "match" {
                    rule.arguments = self.scalars(key, value);
                } else {
                    self.condition(key, value, &mut rule);
                }
            }
            in_order(&mut rule);
            out.push(rule);
        }
    }

    /// A condition of a rule, or several of one kind: a list of lists, for `operands` a list of tables.
    fn condition(&mut self, key: &Key, value: &Tree, rule: &mut Node) {
        let children = rule.children.get_or_insert_default();
        match key.value.as_str() {
            // `operand = { 1 = "origin" }`, `input = { field = "glob" }`: a condition for each key.
            "operand" | "input" => {
                let Some(table) = self.table(key, value) else {
                    return;
                };
                for (name, value) in &table.fields {
                    for one in each(value) {
                        let mut child = node(key, one.place());
                        child.place = Place {
                            span: name.place.span.to(one.place().span),
                            ..name.place
                        };
                        let mut first = name_argument(name);
                        if let (true, Ok(number)) = (key.value == "operand", name.value.parse::<i64>()) {
                            first.value = Literal::Integer(number);
                        }
                        child.arguments.push(first);
                        child.arguments.extend(self.scalars(name, one));
                        children.push(child);
                    }
                }
            }
            "operands" => {
                let tables = match value {
                    Tree::List(items, _) if !items.is_empty() => items.as_slice(),
                    Tree::List(..) | Tree::Scalar(_) | Tree::Table(_) => std::slice::from_ref(value),
                };
                for value in tables {
                    let Some(table) = self.table(key, value) else {
                        continue;
                    };
                    let mut child = node(key, table.place);
                    let inner = table.fields.iter().map(|(key, value)| {
                        let mut inner = node(key, value.place());
                        inner.arguments = self.scalars(key, value);
                        inner
                    });
                    child.children = Some(inner.collect());
                    children.push(child);
                }
            }
            _ => {
                for one in each(value) {
                    let mut child = node(key, one.place());
                    child.arguments = self.scalars(key, one);
                    children.push(child);
                }
            }
        }
    }

    fn lock(&mut self, key: &Key, value: &Tree) -> Node {
        let mut out = node(key, value.place());
        let mut children = Vec::new();
        for argument in self.scalars(key, value) {
            match argument.text() {
                Some(word) => children.push(node(&Spanned::new(word.into(), argument.place), argument.place)),
                None => self.shape("lock", "a list of texts", argument.place),
            }
        }
        out.children = Some(children);
        out
    }

    /// `[[tests]]`: `verdict`, then `commands` or `tool` and `input`.
    fn tests(&mut self, key: &Key, value: &Tree) -> Node {
        let mut out = node(key, value.place());
        let mut children = Vec::new();
        for item in value.items() {
            let Some(table) = self.table(key, item) else {
                continue;
            };
            let verdict = table.get("verdict").and_then(|value| match value {
                Tree::Scalar(argument) => argument
                    .text()
                    .map(|text| Spanned::new(text.into(), argument.place)),
                Tree::List(..) | Tree::Table(_) => None,
            });
            let Some(verdict) = verdict else {
                self.diagnostics.push(
                    Diagnostic::error("policy::missing-value", "this test has no verdict", table.place)
                        .help("add `verdict = \"allow\"`, `\"ask\"` or `\"deny\"`"),
                );
                continue;
            };
            let mut test = node(&verdict, table.place);
            for (key, value) in &table.fields {
                match key.value.as_str() {
                    "verdict" => {}
                    "commands" => test.arguments.extend(self.scalars(key, value)),
                    "input" => {
                        let Some(fields) = self.table(key, value) else {
                            continue;
                        };
                        let mut input = node(key, fields.place);
                        input.properties = fields
                            .fields
                            .iter()
                            .filter_map(|(key, value)| self.property(key, value))
                            .collect();
                        test.children.get_or_insert_default().push(input);
                    }
                    "rule" | "cwd" | "mode" | "shell" | "via" | "tool" => {
                        test.properties.extend(self.property(key, value));
                    }
                    _ => self.unknown_key(
                        key,
                        &[
                            "verdict", "commands", "rule", "cwd", "mode", "shell", "via", "tool", "input",
                        ],
                        "in a test",
                    ),
                }
            }
            children.push(test);
        }
        out.children = Some(children);
        out
    }

    /// A section of settings: each key is a line. A value or list holds its arguments; in a table `args` holds them and the
    /// other keys are properties; a list of tables is a line for each.
    fn section(&mut self, key: &Key, value: &Tree) -> Option<Node> {
        let table = self.table(key, value)?;
        let mut out = node(key, table.place);
        let mut children = Vec::new();
        for (key, value) in &table.fields {
            let (plain, tables) = self.plain_and_tables(key, value, "a list of values or of tables");
            children.extend(plain);
            for table in tables {
                let mut line = node(key, table.place);
                for (key, value) in &table.fields {
                    if key.value == "args" {
                        line.arguments.extend(self.scalars(key, value));
                    } else {
                        line.properties.extend(self.property(key, value));
                    }
                }
                children.push(line);
            }
        }
        out.children = Some(children);
        Some(out)
    }
}

/// The lists of a list of lists; anything else as it is.
fn each(value: &Tree) -> &[Tree] {
    match value {
        Tree::List(items, _)
            if !items.is_empty() && items.iter().all(|item| matches!(item, Tree::List(..))) =>
        {
            items
        }
        Tree::List(..) | Tree::Scalar(_) | Tree::Table(_) => std::slice::from_ref(value),
    }
}

/// Puts conditions in the order of the text; dotted keys may have taken turns.
fn in_order(rule: &mut Node) {
    if let Some(children) = &mut rule.children {
        children.sort_by_key(|child| {
            let last = child.arguments.last().map(|argument| argument.place);
            last.unwrap_or(child.place).span.start
        });
    }
}

/// A key that is the first argument of its node.
fn name_argument(name: &Key) -> Argument {
    Argument {
        value: Literal::Text(name.value.clone()),
        place: name.place,
        content: None,
    }
}
