//! The short notations of the usage specification: `"-f --file <file>"` and `"[file]..."`.

use smol_str::SmolStr;

use super::model::{Arg, Arity, Flag, FlagValue};

/// Cuts at spaces, but not inside `<...>` and `[...]`.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let closing = match rest.chars().next() {
            Some('<') => '>',
            Some('[') => ']',
            _ => ' ',
        };
        let inner = if closing == ' ' {
            0
        } else {
            rest.find(closing).unwrap_or(0)
        };
        let end = rest
            .get(inner..)
            .and_then(|tail| tail.find(char::is_whitespace))
            .map_or(rest.len(), |at| inner + at);
        let Some((token, tail)) = rest.split_at_checked(end) else {
            break;
        };
        out.push(token);
        rest = tail.trim_start();
    }
    out
}

/// A placeholder such as `<file>` or `[file]...`: its name, whether it is needed, whether it is a run of words.
fn placeholder(token: &str) -> Option<(SmolStr, bool, bool)> {
    let (body, run) = match token.strip_suffix("...").or_else(|| token.strip_suffix('…')) {
        Some(body) => (body, true),
        None => (token, false),
    };
    let (body, needed) = match body.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) {
        Some(inner) => (inner, true),
        None => (body.strip_prefix('[')?.strip_suffix(']')?, false),
    };
    // `[file...]` is written for `[file]...` by some.
    let (body, inner_run) = match body.strip_suffix("...").or_else(|| body.strip_suffix('…')) {
        Some(inner) => (inner, true),
        None => (body, false),
    };
    Some((SmolStr::new(body.trim()), needed, run || inner_run))
}

/// Reads the names and values of an option; the error is a message.
pub(super) fn parse_flag(text: &str) -> Result<Flag, String> {
    let mut flag = Flag::default();
    for token in tokens(text) {
        if let Some((name, needed, run)) = placeholder(token) {
            flag.arity = if run {
                Arity::Words
            } else if needed {
                Arity::Next
            } else {
                Arity::Optional
            };
            flag.values.push(FlagValue {
                name,
                effects: Vec::new(),
            });
            continue;
        }
        if !flag.values.is_empty() && flag.arity != Arity::Glued && !token.contains(['<', '[']) {
            return Err(format!("the name `{token}` stands after a value"));
        }
        // The usage specification allows a leading `name:`.
        if token.len() > 1 && token.ends_with(':') && !token.starts_with('-') {
            continue;
        }
        let glued = token
            .find(['<', '['])
            .filter(|at| *at > 0)
            .and_then(|at| token.split_at_checked(at));
        let Some((name, value)) = glued else {
            flag.names.push(SmolStr::new(
                token
                    .strip_suffix("...")
                    .filter(|name| !name.is_empty())
                    .unwrap_or(token),
            ));
            continue;
        };
        let optional_equals = value.starts_with("[=");
        let value = if optional_equals {
            value.replacen("[=", "[", 1)
        } else {
            value.to_owned()
        };
        let Some((value, needed, _)) = placeholder(&value) else {
            return Err(format!("the value in `{token}` is not closed"));
        };
        flag.arity = match (name.starts_with("--"), needed) {
            (true, true) => Arity::Next,
            (true, false) => Arity::Optional,
            (false, _) => Arity::Glued,
        };
        let name = if name.starts_with("--") {
            name.strip_suffix('=').unwrap_or(name)
        } else {
            name
        };
        flag.names.push(SmolStr::new(name));
        if flag.values.is_empty() {
            flag.values.push(FlagValue {
                name: value,
                effects: Vec::new(),
            });
        }
    }
    if flag.names.is_empty() {
        return Err("an option needs a name".to_owned());
    }
    Ok(flag)
}

/// Reads an operand; the error is a message.
pub(super) fn parse_arg(text: &str) -> Result<Arg, String> {
    let mut arg = Arg::default();
    let mut found = false;
    for token in tokens(text) {
        if token == "--" {
            arg.after_dashes = true;
            continue;
        }
        let Some((name, needed, run)) = placeholder(token) else {
            // A bare name is a needed operand in the usage specification.
            arg.name = SmolStr::new(token);
            arg.required = true;
            found = true;
            continue;
        };
        if found {
            return Err("one operand to an `arg`".to_owned());
        }
        let name = match name.strip_prefix("-- ") {
            Some(rest) => {
                arg.after_dashes = true;
                SmolStr::new(rest.trim())
            }
            None => name,
        };
        arg.name = name;
        arg.required = needed;
        arg.variadic = run;
        found = true;
    }
    if !found || arg.name.is_empty() {
        return Err("an operand needs a name such as `<file>` or `[file]...`".to_owned());
    }
    Ok(arg)
}

#[cfg(test)]
mod tests {
    use super::{parse_arg, parse_flag};
    use crate::definition::model::Arity;

    #[test]
    fn names_come_first_and_then_values() {
        let flag = parse_flag("-f --file <file>").unwrap();
        assert_eq!(flag.names, ["-f", "--file"]);
        assert_eq!(flag.arity, Arity::Next);
        assert_eq!(flag.values[0].name, "file");
        let flag = parse_flag("--arg <name> <value>").unwrap();
        assert_eq!(flag.values.len(), 2);
        assert_eq!(parse_flag("--color [when]").unwrap().arity, Arity::Optional);
        assert_eq!(parse_flag("-exec <command>...").unwrap().arity, Arity::Words);
        assert_eq!(
            parse_flag("-f <a> --file").unwrap_err(),
            "the name `--file` stands after a value"
        );
    }

    #[test]
    fn a_value_in_the_same_token_is_glued() {
        let flag = parse_flag("if=<file>").unwrap();
        assert_eq!((flag.names[0].as_str(), flag.arity), ("if=", Arity::Glued));
        let flag = parse_flag("--out=<file>").unwrap();
        assert_eq!((flag.names[0].as_str(), flag.arity), ("--out", Arity::Next));
        let flag = parse_flag("--color[=when]").unwrap();
        assert_eq!((flag.names[0].as_str(), flag.arity), ("--color", Arity::Optional));
    }

    #[test]
    fn bare_words_can_be_options() {
        assert_eq!(parse_flag("( ) ! ,").unwrap().names, ["(", ")", "!", ","]);
    }

    #[test]
    fn operands_are_read() {
        let arg = parse_arg("[file]...").unwrap();
        assert_eq!(
            (arg.name.as_str(), arg.required, arg.variadic),
            ("file", false, true)
        );
        assert!(parse_arg("-- [args]...").unwrap().after_dashes);
        assert!(parse_arg("<a> <b>").is_err());
    }
}
