//! TOML values with their places: scalars, lists and tables, however they were spelled.

use std::ops::Range;

use engine_shell::Span;
use smol_str::SmolStr;
use toml_edit::{InlineTable, Item, Key, Table, Value};

use crate::read::node::{Argument, Literal, Node};
use crate::source::{Place, Spanned};

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Scalar(Argument),
    List(Vec<Tree>, Place),
    Table(Fields),
}

/// A table: its keys in order of the text.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) fields: Vec<(Spanned<SmolStr>, Tree)>,
    pub(super) place: Place,
}

impl Tree {
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Scalar(argument) => argument.place,
            Self::List(_, place) => *place,
            Self::Table(table) => table.place,
        }
    }

    /// The values of a list, or the one value itself.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items, _) => items,
            Self::Scalar(_) | Self::Table(_) => std::slice::from_ref(self),
        }
    }
}

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&Tree> {
        self.fields
            .iter()
            .find(|(key, _)| key.value == name)
            .map(|(_, value)| value)
    }
}

/// `around` is the place of what has no place of its own (a table that only dotted keys make).
pub(super) fn of_table(table: &Table, text: &str, around: Place) -> Fields {
    let fields = table
        .iter()
        .map(|(name, item)| field(name, table.key(name), item, text, around));
    sorted(fields.collect(), table.span(), around)
}

fn of_inline(table: &InlineTable, text: &str, around: Place) -> Fields {
    let fields = table.iter().map(|(name, value)| {
        let key = key_place(name, table.key(name), around);
        let place = key.place;
        (key, of_value(value, text, place))
    });
    sorted(fields.collect(), table.span(), around)
}

fn sorted(mut fields: Vec<(Spanned<SmolStr>, Tree)>, span: Option<Range<usize>>, around: Place) -> Fields {
    fields.sort_by_key(|(key, _)| key.place.span.start);
    Fields {
        fields,
        place: at(span, around),
    }
}

fn field(name: &str, key: Option<&Key>, item: &Item, text: &str, around: Place) -> (Spanned<SmolStr>, Tree) {
    let key = key_place(name, key, around);
    let place = key.place;
    let value = match item {
        Item::None => Tree::List(Vec::new(), place),
        Item::Value(value) => of_value(value, text, place),
        Item::Table(table) => Tree::Table(of_table(table, text, place)),
        Item::ArrayOfTables(tables) => {
            let items = tables
                .iter()
                .map(|table| Tree::Table(of_table(table, text, place)))
                .collect();
            Tree::List(items, place)
        }
    };
    (key, value)
}

fn key_place(name: &str, key: Option<&Key>, around: Place) -> Spanned<SmolStr> {
    Spanned::new(name.into(), at(key.and_then(Key::span), around))
}

fn at(span: Option<Range<usize>>, around: Place) -> Place {
    span.map_or(around, |span| around.at(Span::new(span.start, span.end)))
}

fn of_value(value: &Value, text: &str, around: Place) -> Tree {
    let place = at(value.span(), around);
    let raw = place.span.of(text);
    let literal = match value {
        Value::String(string) => Literal::Text(string.value().into()),
        Value::Integer(number) => Literal::Integer(*number.value()),
        Value::Float(_) => Literal::Number(raw.into()),
        Value::Boolean(boolean) => Literal::Boolean(*boolean.value()),
        Value::Datetime(_) => Literal::Date(raw.into()),
        Value::Array(array) => {
            return Tree::List(
                array.iter().map(|value| of_value(value, text, place)).collect(),
                place,
            );
        }
        Value::InlineTable(table) => return Tree::Table(of_inline(table, text, place)),
    };
    let content = match &literal {
        Literal::Text(value) => {
            content_start(raw, value).map(|open| Span::new(place.span.start as usize + open, 0).start)
        }
        Literal::Integer(_) | Literal::Number(_) | Literal::Boolean(_) | Literal::Null | Literal::Date(_) => {
            None
        }
    };
    Tree::Scalar(Argument {
        value: literal,
        place,
        content,
    })
}

/// Bytes of the opening quotes, if the text stands behind them exactly as it is.
fn content_start(raw: &str, value: &str) -> Option<usize> {
    ["\"\"\"\n", "\"\"\"", "'''\n", "'''", "\"", "'"]
        .iter()
        .find_map(|open| {
            let inner = raw.strip_prefix(open)?.strip_suffix(open.trim_end())?;
            (inner == value).then_some(open.len())
        })
}

/// A node named by a key that goes on to the end of its value.
pub(super) fn node(key: &Spanned<SmolStr>, value: Place) -> Node {
    Node {
        name: key.clone(),
        arguments: Vec::new(),
        properties: Vec::new(),
        children: None,
        place: Place {
            span: key.place.span.to(value.span),
            ..key.place
        },
        broken: false,
        unclosed: false,
    }
}
