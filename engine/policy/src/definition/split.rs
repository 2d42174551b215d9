//! How `env -S` and `xargs` cut one text into words.

use engine_shell::{Origin, Value};
use smol_str::SmolStr;

/// Cuts a string as `env -S` does; `None` where it would refuse it.
pub(super) fn split_string(text: &str) -> Option<Vec<Value>> {
    #[derive(PartialEq, Clone, Copy)]
    enum Quote {
        None,
        Single,
        Double,
    }
    let mut out = Vec::new();
    let mut word: Option<(String, bool)> = None;
    let mut quote = Quote::None;
    let mut rest = text.chars().peekable();
    let finish = |word: &mut Option<(String, bool)>, out: &mut Vec<Value>| {
        if let Some((text, exact)) = word.take() {
            out.push(if exact {
                Value::Known(SmolStr::new(text))
            } else {
                Value::Unknown(Origin::Variable)
            });
        }
    };
    while let Some(next) = rest.next() {
        let blank = matches!(next, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r');
        match (quote, next) {
            (Quote::None, _) if blank => finish(&mut word, &mut out),
            (Quote::None, '#') if word.is_none() => break,
            (Quote::None, '\'') => {
                quote = Quote::Single;
                word.get_or_insert((String::new(), true));
            }
            (Quote::None, '"') => {
                quote = Quote::Double;
                word.get_or_insert((String::new(), true));
            }
            (Quote::Single, '\'') | (Quote::Double, '"') => quote = Quote::None,
            (Quote::Single, '\\') => {
                let target = &mut word.get_or_insert((String::new(), true)).0;
                match rest.next()? {
                    escaped @ ('\\' | '\'') => target.push(escaped),
                    other => {
                        target.push('\\');
                        target.push(other);
                    }
                }
            }
            (Quote::None | Quote::Double, '\\') => {
                let escaped = match rest.next()? {
                    '_' if quote == Quote::None => {
                        finish(&mut word, &mut out);
                        continue;
                    }
                    '_' => ' ',
                    'c' if quote == Quote::None => break,
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    same @ ('#' | '$' | '\\' | '"' | '\'') => same,
                    _ => return None,
                };
                word.get_or_insert((String::new(), true)).0.push(escaped);
            }
            (Quote::None | Quote::Double, '$') => {
                if rest.next() != Some('{') {
                    return None;
                }
                rest.by_ref().find(|next| *next == '}')?;
                word.get_or_insert((String::new(), true)).1 = false;
            }
            (Quote::None | Quote::Single | Quote::Double, other) => {
                word.get_or_insert((String::new(), true)).0.push(other);
            }
        }
    }
    if quote != Quote::None {
        return None;
    }
    finish(&mut word, &mut out);
    Some(out)
}

/// Where `xargs` ends an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Items {
    /// At blanks and newlines.
    Words,
    /// At newlines; blanks at the beginning are left out (`-I`).
    Lines,
}

/// Cuts a text as `xargs` does without `-0` and `-d`, quotes and backslashes included; `None` where it would refuse it.
pub(super) fn split_input(text: &str, items: Items) -> Option<Vec<SmolStr>> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '\n' => out.extend(word.take().map(SmolStr::new)),
            ' ' | '\t' if items == Items::Words => out.extend(word.take().map(SmolStr::new)),
            ' ' | '\t' if word.is_none() => {}
            '\'' | '"' => {
                let target = word.get_or_insert_with(String::new);
                loop {
                    match rest.next()? {
                        '\n' => return None,
                        closing if closing == next => break,
                        other => target.push(other),
                    }
                }
            }
            '\\' => {
                let escaped = rest.next()?;
                word.get_or_insert_with(String::new).push(escaped);
            }
            other => word.get_or_insert_with(String::new).push(other),
        }
    }
    out.extend(word.map(SmolStr::new));
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Items, split_input, split_string};
    use engine_shell::{Origin, Value};

    fn known(words: &[&str]) -> Vec<Value> {
        words.iter().map(|word| Value::Known((*word).into())).collect()
    }

    #[test]
    fn a_string_is_cut_with_quotes_and_escapes() {
        assert_eq!(
            split_string("a  'b c' \"d\\te\" f\\_g").unwrap(),
            known(&["a", "b c", "d\te", "f", "g"])
        );
        assert_eq!(split_string("a ''").unwrap(), known(&["a", ""]));
        assert_eq!(split_string("a b\\c d").unwrap(), known(&["a", "b"]));
        assert_eq!(split_string("a # b").unwrap(), known(&["a"]));
        assert_eq!(split_string("a 'b"), None);
        assert_eq!(split_string("a $b"), None);
        assert_eq!(
            split_string("a ${b}"),
            Some(vec![Value::Known("a".into()), Value::Unknown(Origin::Variable)])
        );
    }

    #[test]
    fn input_is_cut_with_quotes_and_backslashes() {
        assert_eq!(
            split_input("a 'b c'\\ d\n\"e\"", Items::Words).unwrap(),
            ["a", "b c d", "e"]
        );
        assert_eq!(split_input("it's", Items::Words), None);
        assert_eq!(
            split_input("  a b \n'c' d", Items::Lines).unwrap(),
            ["a b ", "c d"]
        );
    }
}
