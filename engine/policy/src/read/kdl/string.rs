//! Quoted, raw and multi-line strings of KDL 2.0.

use super::chars::{is_blank, is_forbidden, is_newline};

const ESCAPES: &str =
    "known are `\\n \\r \\t \\\\ \\\" \\b \\f \\s \\u{...}`; a raw string `#\"...\"#` has no escapes";

/// A string that was read.
pub(super) struct Quoted {
    /// Its value.
    pub(super) value: String,
    /// Bytes of the text it takes, quotes included.
    pub(super) length: usize,
    /// Bytes of the opening quotes, if the value stands behind them exactly as it is.
    pub(super) content: Option<usize>,
}

/// What is wrong with a string, at bytes from its start.
pub(super) struct StringError {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) message: &'static str,
    pub(super) help: Option<&'static str>,
    /// Bytes behind which reading can go on.
    pub(super) resume: usize,
}

/// Reads a string at the start of `text`, which starts with `"` or with `#`s and `"`. The last is `None` when it does not.
pub(super) fn parse_string(text: &str) -> Option<Result<Quoted, Vec<StringError>>> {
    let hashes = text.bytes().take_while(|&b| b == b'#').count();
    let (_, body) = text.split_at_checked(hashes)?;
    let multi = body.starts_with("\"\"\"");
    if !body.starts_with('"') {
        return None;
    }
    let quotes = if multi { 3 } else { 1 };
    let open = hashes + quotes;
    let (_, inner) = text.split_at_checked(open)?;
    let mut closing = "\"".repeat(quotes);
    closing.push_str(&"#".repeat(hashes));
    let raw = hashes > 0;
    let Some(end) = find_end(inner, &closing, raw, multi) else {
        let line = inner.find(is_newline).unwrap_or(inner.len());
        let spoiled = !multi && inner.len() > line;
        return Some(Err(vec![StringError {
            start: 0,
            end: open + line,
            message: "this string is not closed",
            help: if spoiled {
                Some("close it on its line, or write a text of several lines between `\"\"\"`")
            } else {
                None
            },
            resume: if multi { text.len() } else { open + line },
        }]));
    };
    let (content, _) = inner.split_at_checked(end)?;
    let length = open + end + closing.len();
    let mut errors = Vec::new();
    for (at, c) in content.char_indices().filter(|&(_, c)| is_forbidden(c)) {
        errors.push(StringError {
            start: open + at,
            end: open + at + c.len_utf8(),
            message: "this control character may not stand in a text",
            help: Some("write it as `\\u{...}` in a quoted string"),
            resume: length,
        });
    }
    // Escapes are checked on the text as it stands, where their places are known.
    let plain = if raw {
        Ok(content.to_owned())
    } else {
        unescape(content)
    };
    let value = match plain {
        Ok(plain) if !multi => plain,
        Ok(_) => match dedent(content, raw) {
            Ok(lines) if raw => lines,
            Ok(lines) => unescape(&lines).unwrap_or(lines),
            Err((at, message)) => {
                errors.push(StringError {
                    start: open + at,
                    end: open + at,
                    message,
                    help: Some("each line starts with the blanks that stand before the closing `\"\"\"`"),
                    resume: length,
                });
                String::new()
            }
        },
        Err((start, end)) => {
            errors.push(StringError {
                start: open + start,
                end: open + end,
                message: "unknown escape in a quoted string",
                help: Some(ESCAPES),
                resume: length,
            });
            String::new()
        }
    };
    if !errors.is_empty() {
        return Some(Err(errors));
    }
    let exact = content == value;
    Some(Ok(Quoted {
        value,
        length,
        content: exact.then_some(open),
    }))
}

/// Offset of the closing quotes. A string of one line ends at its line.
fn find_end(inner: &str, closing: &str, raw: bool, multi: bool) -> Option<usize> {
    let mut chars = inner.char_indices();
    let mut skipping = false;
    while let Some((at, c)) = chars.next() {
        if skipping && (is_blank(c) || is_newline(c)) {
            continue;
        }
        skipping = false;
        if c == '\\' && !raw {
            // What follows cannot close the string; a blank starts a whitespace escape, which may span lines.
            if let Some((_, next)) = chars.next() {
                skipping = is_blank(next) || is_newline(next);
            }
            continue;
        }
        if !multi && is_newline(c) {
            return None;
        }
        if c == '"' && inner.get(at..).is_some_and(|rest| rest.starts_with(closing)) {
            return Some(at);
        }
    }
    None
}

/// Resolves escapes; on failure the bytes of the one that is not known.
fn unescape(text: &str) -> Result<String, (usize, usize)> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some((escape_at, escape)) = chars.next() else {
            return Err((at, text.len()));
        };
        match escape {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            '\\' => out.push('\\'),
            '"' => out.push('"'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            's' => out.push(' '),
            'u' => {
                let rest = text.get(escape_at + 1..).unwrap_or_default();
                let (scalar, length) = unicode_escape(rest).ok_or((at, escape_at + 1))?;
                out.push(scalar);
                while chars.next_if(|&(next, _)| next <= escape_at + length).is_some() {}
            }
            _ if is_blank(escape) || is_newline(escape) => {
                while chars.next_if(|&(_, c)| is_blank(c) || is_newline(c)).is_some() {}
            }
            _ => return Err((at, escape_at + escape.len_utf8())),
        }
    }
    Ok(out)
}

/// `{1F600}`: the character and the bytes it takes.
fn unicode_escape(rest: &str) -> Option<(char, usize)> {
    let (digits, _) = rest.strip_prefix('{')?.split_once('}')?;
    let good = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let scalar = good.then(|| u32::from_str_radix(digits, 16).ok())??;
    Some((char::from_u32(scalar)?, digits.len() + 2))
}

/// Takes the common indentation off a text of several lines; on failure, where and what.
fn dedent(content: &str, raw: bool) -> Result<String, (usize, &'static str)> {
    let mut lines = split_lines(content, raw);
    let Some((_, first)) = lines.first() else {
        return Err((0, "the text starts on the line after `\"\"\"`"));
    };
    if !first.is_empty() || lines.len() < 2 {
        return Err((0, "the text starts on the line after `\"\"\"`"));
    }
    let (last_at, prefix) = lines.pop().unwrap_or_default();
    if !prefix.chars().all(is_blank) {
        return Err((last_at, "the closing `\"\"\"` stands on a line of its own"));
    }
    let mut out = String::with_capacity(content.len());
    for (number, (at, line)) in lines.iter().skip(1).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        if line.chars().all(is_blank) {
            continue;
        }
        match line.strip_prefix(prefix.as_str()) {
            Some(rest) => out.push_str(rest),
            None => return Err((*at, "this line is indented less than the closing `\"\"\"`")),
        }
    }
    Ok(out)
}

/// Lines with their offsets, whitespace escapes resolved, other escapes kept.
fn split_lines(content: &str, raw: bool) -> Vec<(usize, String)> {
    let mut lines = vec![(0, String::new())];
    let mut chars = content.char_indices().peekable();
    let push = |lines: &mut Vec<(usize, String)>, c: char| {
        if let Some((_, line)) = lines.last_mut() {
            line.push(c);
        }
    };
    while let Some((at, c)) = chars.next() {
        if c == '\\' && !raw {
            if chars
                .peek()
                .is_some_and(|&(_, next)| is_blank(next) || is_newline(next))
            {
                while chars.next_if(|&(_, c)| is_blank(c) || is_newline(c)).is_some() {}
            } else {
                push(&mut lines, c);
                if let Some((_, next)) = chars.next() {
                    push(&mut lines, next);
                }
            }
        } else if is_newline(c) {
            let mut next_line = at + c.len_utf8();
            if c == '\r' && chars.next_if(|&(_, next)| next == '\n').is_some() {
                next_line += 1;
            }
            lines.push((next_line, String::new()));
        } else {
            push(&mut lines, c);
        }
    }
    lines
}
