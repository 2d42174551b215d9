//! Takes block comments out of KDL before the library's parser sees them.
//!
//! That parser calls itself for each star and slash within a comment, so that a long comment would end the process. Invariant (same
//! places): what stands in for a comment is blanks of the same length, so that every place in the text stays what it is.

use std::borrow::Cow;
use std::ops::Range;

/// The text with blanks for its block comments, or the place where a comment begins that never ends.
pub(super) fn without_comments(text: &str) -> Result<Cow<'_, str>, Range<usize>> {
    let mut blank: Option<String> = None;
    let mut at = 0;
    let mut copied = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            let end = at + comment_length(rest).ok_or(at..at + 2)?;
            let kept = blank.get_or_insert_with(|| String::with_capacity(text.len()));
            kept.push_str(text.get(copied..at).unwrap_or_default());
            kept.extend(std::iter::repeat_n(' ', end - at));
            (at, copied) = (end, end);
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with(['"', '#']) {
            at += string_length(rest);
        } else {
            at += rest
                .find(['/', '"', '#'])
                .filter(|&length| length > 0)
                .unwrap_or_else(|| {
                    // A slash that begins no comment, or nothing of interest up to the end.
                    if rest.starts_with('/') { 1 } else { rest.len() }
                });
        }
    }
    Ok(match blank {
        Some(mut kept) => {
            kept.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(kept)
        }
        None => Cow::Borrowed(text),
    })
}

/// Length of the comment that begins here, those within it included.
fn comment_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        at += rest.find(['/', '*'])?;
        let rest = text.get(at..)?;
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}

/// Length of the string that begins here, up to the end of the text if it never ends; 1 for a `#` that begins none.
fn string_length(text: &str) -> usize {
    let hashes = text.bytes().take_while(|&byte| byte == b'#').count();
    let rest = text.get(hashes..).unwrap_or_default();
    let quotes = if rest.starts_with("\"\"\"") {
        "\"\"\""
    } else {
        "\""
    };
    if !rest.starts_with('"') {
        return hashes.max(1);
    }
    let closing = format!("{quotes}{}", "#".repeat(hashes));
    let begin = hashes + quotes.len();
    let mut at = begin;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(closing.as_str()) {
            return at + closing.len();
        }
        let escaped = hashes == 0 && rest.starts_with('\\');
        at += rest
            .chars()
            .take(if escaped { 2 } else { 1 })
            .map(char::len_utf8)
            .sum::<usize>();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_become_blanks_and_nothing_else_changes() {
        for (text, expected) in [
            ("bin \"a\" /* b /* c */ é */ x", "bin \"a\"                    x"),
            ("a \"/* no */\" // /* no\nb", "a \"/* no */\" // /* no\nb"),
            ("a #\"\\\" /* no */\"# /*y*/", "a #\"\\\" /* no */\"#      "),
            ("a \"\\\" /* no */\" /*y*/", "a \"\\\" /* no */\"      "),
            ("a \"\"\"\n\" /* no */\n\"\"\"", "a \"\"\"\n\" /* no */\n\"\"\""),
            ("a / b #true /*y*/", "a / b #true      "),
        ] {
            let found = without_comments(text).unwrap();
            assert_eq!(found, expected);
            assert_eq!(found.len(), text.len());
        }
    }

    #[test]
    fn a_comment_without_an_end_is_found() {
        assert_eq!(without_comments("é /* a /* b */"), Err(3..5));
    }
}
