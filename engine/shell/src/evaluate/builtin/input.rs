//! Builtins that give variables values from outside: `read`, `mapfile`, `getopts`, `printf`.

use smol_str::SmolStr;

use crate::{Construct, Count, Field, Origin, Shell, Span, Value};

use super::super::assign::Target;
use super::super::call::Call;
use super::super::state::Content;
use super::super::{Env, Evaluator};
use super::place;

impl Evaluator<'_> {
    pub(super) fn read(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        let flags = match self.shell() {
            Shell::Bash => Flags {
                alone: "rs",
                valued: "dnNptu",
                array: Some('a'),
            },
            Shell::Zsh => Flags {
                alone: "rs",
                valued: "",
                array: Some('A'),
            },
            Shell::Sh => Flags {
                alone: "r",
                valued: "p",
                array: None,
            },
        };
        let Some((operands, array)) = self.options(call, flags) else {
            return;
        };
        if let Some(field) = array {
            if let Some(name) = self.plain_name(&field) {
                let content = Content::AnyArray(Origin::Input);
                self.assign_perhaps(&name, content, Target::shell(field.span), env);
            }
            return;
        }
        if operands.is_empty() {
            self.take_input("REPLY", call.span, env);
        }
        for field in operands {
            let plain = match field.known() {
                // zsh puts the prompt after a question mark.
                Some(text) if self.shell() == Shell::Zsh => text.split('?').next().map(SmolStr::from),
                Some(text) => Some(text.into()),
                None => None,
            };
            let Some(text) = plain.filter(|_| field.count == Count::One) else {
                self.refuse(Construct::BuiltinForm, field.span);
                continue;
            };
            if let Some(name) = self.plain_name(&Field::literal(text, field.span)) {
                self.take_input(&name, field.span, env);
            }
        }
    }

    fn take_input(&mut self, name: &str, span: Span, env: Env<'_>) {
        let content = Content::Scalar(Value::Unknown(Origin::Input));
        self.assign_perhaps(&name.into(), content, Target::shell(span), env);
    }

    pub(super) fn mapfile(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        // `-C` names code that is run, `-c` only counts for it.
        let Some((operands, _)) = self.options(
            call,
            Flags {
                alone: "t",
                valued: "dnOsu",
                array: None,
            },
        ) else {
            return;
        };
        let content = Content::AnyArray(Origin::Input);
        match operands.as_slice() {
            [] => {
                self.assign_perhaps(&"MAPFILE".into(), content, Target::shell(call.span), env);
            }
            [field] => {
                if let Some(name) = self.plain_name(field) {
                    self.assign_perhaps(&name, content, Target::shell(field.span), env);
                }
            }
            _ => self.refuse(Construct::BuiltinForm, call.span),
        }
    }

    pub(super) fn getopts(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        let name = match call.arguments() {
            [letters, name, ..] if letters.count == Count::One => self.plain_name(name),
            _ => {
                self.refuse(Construct::BuiltinForm, call.span);
                None
            }
        };
        if let Some(name) = name {
            self.take_input(&name, call.span, env);
            self.take_input("OPTARG", call.span, env);
        }
    }

    pub(super) fn printf(&mut self, call: Call, env: Env<'_>) {
        let mut format = 1;
        match call.fields.get(1) {
            Some(field) if field.known() == Some("--") => format = 2,
            Some(field) if field.known() == Some("-v") && self.shell() == Shell::Bash => {
                format = 3;
                if let Some(name) = call.fields.get(2).cloned()
                    && let Some(name) = self.plain_name(&name)
                {
                    let content = Content::Scalar(Value::Unknown(Origin::Variable));
                    self.assign(&name, content, Target::shell(call.span), env);
                }
            }
            Some(field) if field.value.may_begin("-v") && self.shell() != Shell::Sh => {
                self.refuse(Construct::BuiltinForm, field.span);
            }
            Some(_) | None => {}
        }
        let words = call.fields.get(format..).unwrap_or_default();
        if self.shell() == Shell::Zsh {
            self.check_zsh_format(words, place(&call, format));
        }
        let option = format == 1 && words.first().is_some_and(|f| f.value.may_begin("-"));
        let output = if format < 3 && !option {
            printed(words, self.set_values())
        } else {
            None
        };
        self.announce(call, env);
        self.output = output;
    }

    /// zsh evaluates the arguments of numeric conversions as arithmetic.
    fn check_zsh_format(&mut self, words: &[Field], span: Span) {
        let Some((format, arguments)) = words.split_first() else {
            return;
        };
        let texts = format.known().is_some_and(|f| {
            f.split('%')
                .skip(1)
                .all(|c| c.is_empty() || c.starts_with(['s', 'b', 'q', 'c']))
        });
        if !texts && !arguments.iter().all(|f| f.value.is_integer()) {
            self.refuse(Construct::ArithmeticCode, span);
        }
    }

    /// Reads options of a builtin; gives its operands and the value of the array option. `None` where they are not known,
    /// which is refused.
    fn options(&mut self, call: &Call, flags: Flags) -> Option<(Vec<Field>, Option<Field>)> {
        let mut array = None;
        let mut rest = call.arguments().iter();
        let mut operands = Vec::new();
        while let Some(field) = rest.next() {
            let Some(text) = field.known() else {
                if field.value.may_begin("-") || field.count != Count::One {
                    self.refuse(Construct::BuiltinForm, field.span);
                    return None;
                }
                operands.push(field.clone());
                break;
            };
            if text == "--" {
                break;
            }
            let Some(letters) = text.strip_prefix('-').filter(|l| !l.is_empty()) else {
                operands.push(field.clone());
                break;
            };
            for (i, letter) in letters.char_indices() {
                if flags.alone.contains(letter) {
                    continue;
                }
                let takes = flags.valued.contains(letter) || flags.array == Some(letter);
                let inline = letters.get(i + letter.len_utf8()..).filter(|v| !v.is_empty());
                let value = match inline {
                    Some(value) => Some(Field::literal(value, field.span)),
                    None => rest.next().cloned(),
                };
                match value {
                    Some(value) if takes && value.count == Count::One => {
                        if flags.array == Some(letter) {
                            array = Some(value);
                        }
                    }
                    Some(_) | None => {
                        self.refuse(Construct::BuiltinForm, field.span);
                        return None;
                    }
                }
                break;
            }
        }
        operands.extend(rest.cloned());
        Some((operands, array))
    }
}

/// The options of a builtin that are followed.
#[derive(Clone, Copy, Debug)]
struct Flags {
    alone: &'static str,
    valued: &'static str,
    array: Option<char>,
}

/// What `printf` prints, for formats of plain text, `%s`, `%%` and newlines. The format is used again while words are left.
fn printed(words: &[Field], max: usize) -> Option<Value> {
    let (format, arguments) = words.split_first()?;
    let format = format.known()?;
    let mut arguments = arguments.iter();
    let mut value = Value::EMPTY;
    loop {
        let before = arguments.len();
        value = value.concat(&printed_once(format, &mut arguments, max)?, max);
        if arguments.len() == 0 {
            return Some(value);
        }
        if arguments.len() == before {
            return None;
        }
    }
}

/// What one use of a format prints; every `%s` needs a word.
fn printed_once(format: &str, arguments: &mut std::slice::Iter<'_, Field>, max: usize) -> Option<Value> {
    let mut value = Value::EMPTY;
    let mut text = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match (
            c,
            if matches!(c, '%' | '\\') {
                chars.next()
            } else {
                None
            },
        ) {
            ('%', Some('%')) => text.push('%'),
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some('t')) => text.push('\t'),
            ('\\', Some('\\')) => text.push('\\'),
            ('%', Some('s')) => {
                let argument = arguments.next().filter(|f| f.count == Count::One)?;
                value = value.concat(&Value::Known(std::mem::take(&mut text).into()), max);
                value = value.concat(&argument.value, max);
            }
            ('%' | '\\', _) => return None,
            (c, _) => text.push(c),
        }
    }
    Some(value.concat(&Value::Known(text.into()), max))
}
