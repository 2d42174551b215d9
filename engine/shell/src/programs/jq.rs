//! Finds what a jq filter may do (the jq manual, versions 1.5 to 1.8).
//!
//! The filter is read token by token with a stack of what is open, which is enough to tell a call from a field, an object
//! key and the text of a string. A call must be of a builtin or of a function that the filter defines.

use smol_str::SmolStr;

use super::cursor::Cursor;
use super::{ProgramEffect, ProgramEffectKind, ProgramError};
use crate::{Origin, Value};

/// Builtins of jq 1.5 to 1.8 that compute from their input, read the next input, print, or stop.
const BUILTINS: &[&str] = &[
    "GROUP_BY",
    "IN",
    "INDEX",
    "JOIN",
    "UNIQUE_BY",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arrays",
    "ascii",
    "ascii_downcase",
    "ascii_upcase",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "booleans",
    "bsearch",
    "builtins",
    "capture",
    "cbrt",
    "ceil",
    "combinations",
    "contains",
    "copysign",
    "cos",
    "cosh",
    "date",
    "dateadd",
    "datesub",
    "debug",
    "del",
    "delpaths",
    "drem",
    "empty",
    "endswith",
    "erf",
    "erfc",
    "error",
    "exp",
    "exp10",
    "exp2",
    "explode",
    "expm1",
    "fabs",
    "false",
    "fdim",
    "finites",
    "first",
    "flatten",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "format",
    "frexp",
    "from_entries",
    "fromdate",
    "fromdateiso8601",
    "fromjson",
    "fromstream",
    "gamma",
    "get_jq_origin",
    "get_prog_origin",
    "getpath",
    "gmtime",
    "group_by",
    "gsub",
    "halt",
    "halt_error",
    "has",
    "have_decnum",
    "have_literal_numbers",
    "hypot",
    "implode",
    "in",
    "index",
    "indices",
    "infinite",
    "input",
    "input_line_number",
    "inputs",
    "inside",
    "isempty",
    "isfinite",
    "isinfinite",
    "isnan",
    "isnormal",
    "isvalid",
    "iterables",
    "j0",
    "j1",
    "jn",
    "join",
    "keys",
    "keys_unsorted",
    "last",
    "ldexp",
    "leaf_paths",
    "length",
    "lgamma",
    "lgamma_r",
    "limit",
    "localtime",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "ltrim",
    "ltrimstr",
    "map",
    "map_values",
    "match",
    "max",
    "max_by",
    "min",
    "min_by",
    "mktime",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "nexttoward",
    "normals",
    "not",
    "now",
    "nth",
    "null",
    "nulls",
    "numbers",
    "objects",
    "path",
    "paths",
    "pick",
    "pow",
    "pow10",
    "range",
    "recurse",
    "recurse_down",
    "remainder",
    "repeat",
    "reverse",
    "rindex",
    "rint",
    "round",
    "rtrim",
    "rtrimstr",
    "scalars",
    "scalars_or_empty",
    "scalb",
    "scalbln",
    "scan",
    "select",
    "setpath",
    "significand",
    "sin",
    "sinh",
    "skip",
    "sort",
    "sort_by",
    "split",
    "splits",
    "sqrt",
    "startswith",
    "stderr",
    "strflocaltime",
    "strftime",
    "strings",
    "strptime",
    "sub",
    "tan",
    "tanh",
    "test",
    "tgamma",
    "to_entries",
    "toarray",
    "toboolean",
    "todate",
    "todateiso8601",
    "tojson",
    "tonumber",
    "tostream",
    "tostring",
    "transpose",
    "trim",
    "trimstr",
    "true",
    "trunc",
    "truncate_stream",
    "type",
    "unique",
    "unique_by",
    "until",
    "utf8bytelength",
    "values",
    "walk",
    "while",
    "with_entries",
    "y0",
    "y1",
    "yn",
];

const KEYWORDS: &[&str] = &[
    "and", "as", "break", "catch", "def", "elif", "else", "end", "foreach", "if", "label", "or", "reduce",
    "then", "try", "__loc__",
];

const FORMATS: &[&str] = &[
    "text", "json", "html", "uri", "urid", "csv", "tsv", "sh", "base64", "base64d", "base32", "base32d",
];

pub(super) fn analyse(text: &str) -> Result<Vec<ProgramEffect>, ProgramError> {
    let mut reader = Reader {
        at: Cursor::new(text),
        open: Vec::new(),
        defined: Vec::new(),
        calls: Vec::new(),
        effects: Vec::new(),
    };
    while reader.token()? {}
    if !reader.open.is_empty() {
        return Err(reader.at.error("a bracket, string or `if` is never closed"));
    }
    // A name may be used before the place where a nested definition of it ends, so names are compared at the end.
    let unknown = reader
        .calls
        .iter()
        .find(|(_, name)| !reader.defined.contains(name) && !BUILTINS.contains(name));
    match unknown {
        Some((offset, _)) => Err(ProgramError {
            offset: *offset,
            reason: "a call of a function that is not known",
        }),
        None => Ok(reader.effects),
    }
}

/// What is open around the next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Bracket,
    /// An object; `key` says that the next token begins a key.
    Object {
        key: bool,
    },
    /// `\(` in a string.
    Interpolation,
    If,
}

struct Reader<'a> {
    at: Cursor<'a>,
    open: Vec<Open>,
    /// Names of functions and parameters that the filter defines.
    defined: Vec<&'a str>,
    /// Calls, with their places.
    calls: Vec<(usize, &'a str)>,
    effects: Vec<ProgramEffect>,
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Reader<'a> {
    fn token(&mut self) -> Result<bool, ProgramError> {
        self.blanks()?;
        let start = self.at.at();
        let Some(first) = self.at.peek() else {
            return Ok(false);
        };
        match first {
            b'"' => {
                self.at.bump();
                self.string()?;
            }
            b'.' if self.at.ahead(1).is_some_and(begins_name) => {
                self.at.bump();
                self.at.skip_while(continues_name);
            }
            b'0'..=b'9' => self.number()?,
            b'.' if self.at.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number()?,
            b'$' => {
                self.at.bump();
                // Before 1.7, blanks may stand between `$` and its name.
                self.blanks()?;
                let name = self.name();
                match name {
                    "" => return Err(self.at.error("a `$` without its name")),
                    "ENV" => self.note(start, ProgramEffectKind::ReadsEnvironment),
                    _ => {}
                }
            }
            b'@' => {
                self.at.bump();
                if !FORMATS.contains(&self.name()) {
                    return Err(self.at.error("a format that is not known"));
                }
            }
            _ if begins_name(first) => self.word(start)?,
            b'(' => self.push(Open::Parenthesis),
            b'[' => self.push(Open::Bracket),
            b'{' => self.push(Open::Object { key: true }),
            b')' => match self.open.pop() {
                Some(Open::Parenthesis) => {
                    self.at.bump();
                }
                Some(Open::Interpolation) => {
                    self.at.bump();
                    self.string()?;
                }
                _ => return Err(self.at.error("a `)` without its `(`")),
            },
            b']' => self.pop(|open| open == Open::Bracket)?,
            b'}' => self.pop(|open| matches!(open, Open::Object { .. }))?,
            b',' => self.separator(true),
            b':' => self.separator(false),
            b'.' | b'|' | b';' | b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'?' => {
                self.at.bump();
            }
            _ => return Err(self.at.error("a character that begins no token")),
        }
        Ok(true)
    }

    fn note(&mut self, start: usize, kind: ProgramEffectKind) {
        let span = self.at.span(start);
        self.effects.push(ProgramEffect { kind, span });
    }

    fn push(&mut self, open: Open) {
        self.at.bump();
        self.open.push(open);
    }

    fn pop(&mut self, fits: impl Fn(Open) -> bool) -> Result<(), ProgramError> {
        if self.open.pop().is_some_and(fits) {
            self.at.bump();
            Ok(())
        } else {
            Err(self.at.error("a bracket without its partner"))
        }
    }

    /// `,` before the next key of an object, `:` before its value.
    fn separator(&mut self, begins_key: bool) {
        self.at.bump();
        if let Some(Open::Object { key }) = self.open.last_mut() {
            *key = begins_key;
        }
    }

    fn blanks(&mut self) -> Result<(), ProgramError> {
        loop {
            self.at
                .skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            if self.at.peek() != Some(b'#') {
                return Ok(());
            }
            // Since 1.7.1 a backslash continues a comment on the next line, before that it does not.
            if self.at.rest_of_line().trim_end_matches('\r').ends_with('\\') {
                return Err(self.at.error("a comment that ends in a backslash"));
            }
        }
    }

    fn name(&mut self) -> &'a str {
        let start = self.at.at();
        if self.at.peek().is_some_and(begins_name) {
            self.at.skip_while(continues_name);
            while self.at.rest().starts_with("::") && self.at.ahead(2).is_some_and(begins_name) {
                self.at.advance(2);
                self.at.skip_while(continues_name);
            }
        }
        self.at.since(start)
    }

    fn number(&mut self) -> Result<(), ProgramError> {
        self.at.skip_while(|byte| byte.is_ascii_digit() || byte == b'.');
        if matches!(self.at.peek(), Some(b'e' | b'E')) {
            self.at.bump();
            self.at.skip_while(|byte| byte == b'+' || byte == b'-');
            self.at.skip_while(|byte| byte.is_ascii_digit());
        }
        if self.at.peek().is_some_and(begins_name) {
            return Err(self.at.error("a number that runs into a name"));
        }
        Ok(())
    }

    /// The rest of a string, up to its end or to an interpolation.
    fn string(&mut self) -> Result<(), ProgramError> {
        loop {
            match self.at.bump() {
                Some(b'"') => return Ok(()),
                Some(b'\\') => match self.at.bump() {
                    Some(b'(') => {
                        self.open.push(Open::Interpolation);
                        return Ok(());
                    }
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u') => {}
                    _ => return Err(self.at.error("an escape that is not known")),
                },
                Some(_) => {}
                None => return Err(self.at.error("a string is never closed")),
            }
        }
    }

    fn word(&mut self, start: usize) -> Result<(), ProgramError> {
        let key = matches!(self.open.last(), Some(Open::Object { key: true }));
        let name = self.name();
        if key {
            // `{name: ...}`, `{name}` and `{name, ...}` take the field, they call nothing.
            self.blanks()?;
            return match self.at.peek() {
                Some(b':' | b',' | b'}') => Ok(()),
                _ => Err(self.at.error("an object key that is not followed")),
            };
        }
        match name {
            // These reach as far as a comma can in some versions, and then what follows the comma is no key.
            "as" | "label" | "def" if matches!(self.open.last(), Some(Open::Object { .. })) => {
                return Err(self.at.error("a binding in the value of an object"));
            }
            "if" => self.open.push(Open::If),
            "end" => {
                if self.open.pop() != Some(Open::If) {
                    return Err(self.at.error("an `end` without its `if`"));
                }
            }
            "def" => self.definition()?,
            "import" | "include" => {
                let path = self.constant()?;
                self.note(start, ProgramEffectKind::LoadsCode(path));
            }
            "module" => {}
            "env" => self.note(start, ProgramEffectKind::ReadsEnvironment),
            "input_filename" => self.note(start, ProgramEffectKind::NamesInput),
            "modulemeta" | "get_search_list" => {
                self.note(start, ProgramEffectKind::LoadsCode(Value::Unknown(Origin::Input)));
            }
            // jq has no such functions; a program of the same name may.
            "system" | "exec" | "popen" | "shell" => self.note(start, ProgramEffectKind::RunsShell(None)),
            name if KEYWORDS.contains(&name) => {}
            name => self.calls.push((start, name)),
        }
        Ok(())
    }

    /// `NAME(a; $b):` after `def`: the names become known.
    fn definition(&mut self) -> Result<(), ProgramError> {
        self.blanks()?;
        let name = self.name();
        if name.is_empty() {
            return Err(self.at.error("a definition without its name"));
        }
        self.defined.push(name);
        self.blanks()?;
        if !self.at.eat(b'(') {
            return Ok(());
        }
        loop {
            self.blanks()?;
            self.at.eat(b'$');
            let parameter = self.name();
            if parameter.is_empty() {
                return Err(self.at.error("a parameter without its name"));
            }
            self.defined.push(parameter);
            self.blanks()?;
            match self.at.bump() {
                Some(b';') => {}
                Some(b')') => return Ok(()),
                _ => return Err(self.at.error("parameters that are not followed")),
            }
        }
    }

    /// The string after `import` or `include`; it is read again as a token.
    fn constant(&mut self) -> Result<Value, ProgramError> {
        self.blanks()?;
        let known = self
            .at
            .rest()
            .strip_prefix('"')
            .and_then(|rest| rest.split_once('"'))
            .map(|(text, _)| text)
            .filter(|text| !text.contains('\\'));
        Ok(known.map_or(Value::Unknown(Origin::Variable), |text| {
            Value::Known(SmolStr::new(text))
        }))
    }
}
