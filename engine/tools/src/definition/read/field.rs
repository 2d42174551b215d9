//! Reads the fields of an input.

use engine_policy::Spanned;
use engine_policy::read::{Argument, Literal, Node};
use serde_json::Value as Json;
use smol_str::SmolStr;

use super::block::Block;
use super::{Reader, advice};
use crate::definition::{Bounds, Field, FieldKind, Role, TextBounds};
use crate::input;
use crate::template::regex_problem;

/// Words that begin a field.
const KINDS: &[&str] = &[
    "string", "path", "url", "integer", "number", "boolean", "enum", "array", "object", "json",
];

/// Deepest nesting of fields.
const MAX_DEPTH: usize = 8;

impl Reader<'_> {
    /// The fields of an `input`, or of an object.
    pub(super) fn fields(&mut self, nodes: Vec<&Node>, depth: usize) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for node in nodes {
            if !KINDS.contains(&node.name.value.as_str()) {
                self.unknown(&node.name, KINDS, "among fields");
                continue;
            }
            let Some(field) = self.field(node, depth) else {
                continue;
            };
            if let Some(first) = fields.iter().find(|first| first.name == field.name) {
                let first = first.name.clone();
                self.twice(&field.name.value, &field.name, &first);
            } else {
                fields.push(field);
            }
        }
        fields
    }

    fn field(&mut self, node: &Node, depth: usize) -> Option<Field> {
        let mut block = Block::new(node);
        let named = block.text(self, "name");
        let (name, rest) = match (named, node.arguments.as_slice()) {
            (Some(name), arguments) => (name, arguments),
            (None, [first, rest @ ..]) => (self.text(first)?, rest),
            (None, []) => {
                self.missing(node, "name", "write the name of the field behind its type");
                return None;
            }
        };
        if name.value.is_empty() || name.value.chars().any(|c| c.is_control() || c.is_whitespace()) {
            self.error(
                "tool::bad-name",
                "a field needs a name without blanks",
                name.place,
                "use letters, digits, `_` and `-`",
            );
        }
        let about = block.text(self, "about").map(|about| about.value);
        let required = block.switch(self, "required");
        let internal = block.switch(self, "internal");
        let available_when = block.template(self, "available-when");
        let default = self.default(&mut block);
        let role = self.role(&mut block);
        let kind = self.kind(&node.name, &mut block, rest, depth)?;
        block.finish(self);
        let field = Field {
            name,
            kind,
            about,
            required,
            default: default.as_ref().map(|(json, _)| json.clone()),
            role: role.as_ref().map(|role| role.value),
            internal,
            available_when,
            place: node.place,
        };
        if let Some((json, place)) = default {
            if required {
                self.error(
                    "tool::default",
                    format!("`{}` is required and has a default", field.name.value),
                    place,
                    "remove one of them",
                );
            }
            for problem in input::problems_of(&field, &json) {
                self.error(
                    "tool::default",
                    format!("the default does not fit: {problem}"),
                    place,
                    "change it",
                );
            }
        }
        if let Some(role) = role
            && !fits(role.value, &field.kind)
        {
            self.error(
                "tool::role",
                format!(
                    "a field of type `{}` says nothing about `{}`",
                    field.kind.word(),
                    role.value.word()
                ),
                role.place,
                "paths read, write and delete; addresses connect; texts run as shell text",
            );
        }
        Some(field)
    }

    fn role(&mut self, block: &mut Block<'_>) -> Option<Spanned<Role>> {
        let mut found: Option<Spanned<Role>> = None;
        for (word, role) in Role::ALL {
            let place = block.node.place;
            if !block.switch(self, word) {
                continue;
            }
            if let Some(first) = &found {
                let message = format!(
                    "a field has one role, not both `{}` and `{word}`",
                    first.value.word()
                );
                self.error("tool::role", message, place, "keep the one that says more");
            } else {
                found = Some(Spanned::new(*role, place));
            }
        }
        found
    }

    fn default(&mut self, block: &mut Block<'_>) -> Option<(Json, engine_policy::Place)> {
        let argument = block.setting(self, "default")?;
        let json = match &argument.value {
            Literal::Text(text) => Json::from(text.as_str()),
            Literal::Integer(value) => Json::from(*value),
            Literal::Number(text) => Json::from(text.parse::<f64>().ok()?),
            Literal::Boolean(value) => Json::from(*value),
            Literal::Null => Json::Null,
            Literal::Date(text) => Json::from(text.as_str()),
        };
        Some((json, argument.place))
    }

    /// The type of a field, from its word, its settings and the arguments behind its name.
    fn kind(
        &mut self,
        word: &Spanned<SmolStr>,
        block: &mut Block<'_>,
        rest: &[Argument],
        depth: usize,
    ) -> Option<FieldKind> {
        if depth > MAX_DEPTH {
            self.error(
                "tool::too-deep",
                format!("fields are nested deeper than {MAX_DEPTH} levels"),
                block.node.place,
                "use a field of type `json`",
            );
            return None;
        }
        if word.value != "enum"
            && let Some(first) = rest.first()
        {
            self.error(
                "tool::unexpected-argument",
                format!(
                    "a field of type `{}` has a name and no further values",
                    word.value
                ),
                first.place,
                "only an `enum` lists its words behind its name",
            );
        }
        Some(match word.value.as_str() {
            "string" => FieldKind::String(self.text_bounds(block)),
            "path" => FieldKind::Path(self.text_bounds(block)),
            "url" => FieldKind::Url(self.text_bounds(block)),
            "integer" => FieldKind::Integer(Bounds {
                min: block.number(self, "min"),
                max: block.number(self, "max"),
            }),
            "number" => FieldKind::Number(Bounds {
                min: self.float(block, "min"),
                max: self.float(block, "max"),
            }),
            "boolean" => FieldKind::Boolean,
            "enum" => {
                let mut words: Vec<SmolStr> = Vec::new();
                let mut listed: Vec<Spanned<SmolStr>> =
                    rest.iter().filter_map(|argument| self.text(argument)).collect();
                for node in block.nodes("values") {
                    listed.extend(self.texts(node));
                }
                for word in listed {
                    if words.contains(&word.value) {
                        let message = format!("`{}` is listed twice", word.value);
                        self.error("tool::duplicate", message, word.place, "remove one of them");
                    } else {
                        words.push(word.value);
                    }
                }
                if words.is_empty() {
                    self.missing(block.node, "words", "list the words behind the name");
                }
                FieldKind::Enum(words)
            }
            "array" => {
                let length = Bounds {
                    min: block.number(self, "min-items"),
                    max: block.number(self, "max-items"),
                };
                let of = self.item(block, depth)?;
                FieldKind::Array {
                    of: Box::new(of),
                    length,
                }
            }
            "object" => {
                let nodes = field_nodes(block);
                FieldKind::Object(self.fields(nodes, depth + 1))
            }
            "json" => FieldKind::Json,
            _ => {
                let message = format!("`{}` is no type", word.value);
                self.error(
                    "tool::unknown-word",
                    message,
                    word.place,
                    advice(&word.value, KINDS),
                );
                return None;
            }
        })
    }

    /// What the items of an array hold: `of="string"`, or `item "object" { ... }`.
    fn item(&mut self, block: &mut Block<'_>, depth: usize) -> Option<FieldKind> {
        let of = block.text(self, "of");
        let item = block.node(self, "item");
        match (of, item) {
            (Some(of), None) => self.kind(&of, block, &[], depth + 1),
            (None, Some(item)) => {
                let mut inner = Block::new(item);
                let [word, rest @ ..] = item.arguments.as_slice() else {
                    self.missing(item, "type", "write the type of the items behind it");
                    return None;
                };
                let word = self.text(word)?;
                let kind = self.kind(&word, &mut inner, rest, depth + 1);
                inner.finish(self);
                kind
            }
            (Some(of), Some(_)) => {
                self.error(
                    "tool::duplicate",
                    "the type of the items is given twice",
                    of.place,
                    "keep `of` or `item`",
                );
                None
            }
            (None, None) => {
                self.missing(
                    block.node,
                    "type of items",
                    "add `of=\"string\"`, or `item \"object\" { ... }`",
                );
                None
            }
        }
    }

    /// What a text must be like, whatever it stands for.
    fn text_bounds(&mut self, block: &mut Block<'_>) -> TextBounds {
        TextBounds {
            length: Bounds {
                min: block.number(self, "min-length"),
                max: block.number(self, "max-length"),
            },
            pattern: self.pattern(block),
        }
    }

    fn pattern(&mut self, block: &mut Block<'_>) -> Option<Spanned<SmolStr>> {
        let pattern = block.text(self, "pattern")?;
        if regex_problem(&pattern.value).is_some() {
            let message = format!("`{}` is no regular expression", pattern.value);
            self.error(
                "tool::regex",
                message,
                pattern.place,
                "look-around and references to groups do not exist here",
            );
            return None;
        }
        Some(pattern)
    }

    fn float(&mut self, block: &mut Block<'_>, name: &'static str) -> Option<f64> {
        let argument = block.setting(self, name)?;
        let number = match &argument.value {
            Literal::Integer(value) => value.to_string().parse().ok(),
            Literal::Number(text) => text.replace('_', "").parse().ok(),
            Literal::Text(_) | Literal::Boolean(_) | Literal::Null | Literal::Date(_) => None,
        };
        if number.is_none() {
            self.wrong_type(argument, "a number", "write it without quotes");
        }
        number
    }
}

/// The children of an object that are fields, in the order of the text; other children are its settings.
fn field_nodes<'n>(block: &mut Block<'n>) -> Vec<&'n Node> {
    let mut nodes: Vec<&Node> = KINDS.iter().flat_map(|kind| block.nodes(kind)).collect();
    nodes.sort_by_key(|node| node.place.span.start);
    nodes
}

/// Whether a type can say what a role says.
fn fits(role: Role, kind: &FieldKind) -> bool {
    if let FieldKind::Array { of, .. } = kind {
        return matches!(
            role,
            Role::Reads | Role::ReadsTree | Role::Writes | Role::Deletes | Role::Connects
        ) && fits(role, of);
    }
    match role {
        Role::Reads | Role::ReadsTree | Role::Writes | Role::Deletes => matches!(kind, FieldKind::Path(_)),
        Role::Connects => matches!(kind, FieldKind::Url(_) | FieldKind::String(_)),
        Role::RunsShell | Role::Names => matches!(kind, FieldKind::String(_)),
        Role::Unconfined => matches!(kind, FieldKind::Boolean),
        Role::Agent | Role::Skill => matches!(kind, FieldKind::String(_) | FieldKind::Enum(_)),
    }
}
