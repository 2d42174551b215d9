//! Prints lines of TOML in the one style.
//!
//! Invariant (stable): what is printed is printed alike when it is read again: lists that this module breaks look like lists that an
//! author broke, and those keep their lines.

use super::super::out::{INDENT, Out, WIDTH};
use super::tree::{Entry, Inner, Line, List, Pair, Value, What};

/// Prints a whole file.
pub(super) fn file(lines: &[Line<'_>], out: &mut Out) {
    let leads = leads_to_header(lines);
    // The last line that is no comment behind something.
    let mut before: Option<(&Line<'_>, bool)> = None;
    for (line, leads) in lines.iter().zip(leads) {
        if let (Some((above, above_leads)), 1..) = (before, line.lines) {
            out.line();
            let above_is_header = matches!(above.what, What::Header(_));
            let above_is_comment = matches!(above.what, What::Comment(_));
            let blank = if leads {
                !(above_is_comment && above_leads)
            } else {
                line.lines > 1 && !above_is_header
            };
            if blank {
                out.line();
            }
        } else if before.is_some() {
            out.push(" ");
        }
        match &line.what {
            What::Comment(text) => out.push(text),
            What::Header(text) => out.push(text),
            What::Pair(own) => pair(own, 0, 0, out),
        }
        if before.is_none() || line.lines > 0 {
            before = Some((line, leads));
        }
    }
    out.finish();
}

/// For each line, whether it is a header or a comment that stands right above one.
fn leads_to_header(lines: &[Line<'_>]) -> Vec<bool> {
    let mut leads: Vec<bool> = Vec::with_capacity(lines.len());
    let mut below: Option<(bool, usize)> = None;
    for line in lines.iter().rev() {
        let own = match &line.what {
            What::Header(_) => true,
            What::Comment(_) => below == Some((true, 1)),
            What::Pair(_) => false,
        };
        leads.push(own);
        below = Some((own, line.lines));
    }
    leads.reverse();
    leads
}

/// `reserved` characters must stay free behind it.
fn pair(own: &Pair<'_>, indent: usize, reserved: usize, out: &mut Out) {
    if !own.key.is_empty() {
        out.push(&own.key);
        out.push(" = ");
    }
    let fits = value_width(&own.value).is_some_and(|width| out.column() + width + reserved <= WIDTH);
    match &own.value {
        Value::Scalar(text) => out.push(text),
        Value::Array(list) if fits => flat_list(list, "[", "]", out),
        Value::Table(list) if fits => flat_list(list, "{ ", " }", out),
        Value::Array(list) => broken_list(list, "[", "]", indent, out),
        Value::Table(list) if list.broken => broken_list(list, "{", "}", indent, out),
        // TOML 1.0 knows no inline table on several lines, but lists inside of one may have some.
        Value::Table(list) => {
            out.push("{ ");
            for (index, entry) in list.entries.iter().enumerate() {
                if index > 0 {
                    out.push(", ");
                }
                if let Inner::Pair(inner) = &entry.what {
                    pair(inner, indent, 2, out);
                }
            }
            out.push(" }");
        }
    }
}

fn flat_list(list: &List<'_>, open: &str, close: &str, out: &mut Out) {
    if list.entries.is_empty() {
        out.push(open.trim_end());
        out.push(close.trim_start());
        return;
    }
    out.push(open);
    for (index, entry) in list.entries.iter().enumerate() {
        if index > 0 {
            out.push(", ");
        }
        if let Inner::Pair(own) = &entry.what {
            if !own.key.is_empty() {
                out.push(&own.key);
                out.push(" = ");
            }
            match &own.value {
                Value::Scalar(text) => out.push(text),
                Value::Array(inner) => flat_list(inner, "[", "]", out),
                Value::Table(inner) => flat_list(inner, "{ ", " }", out),
            }
        }
    }
    out.push(close);
}

/// Entries on lines of their own: the author's lines, or as many on a line as fit.
fn broken_list(list: &List<'_>, open: &str, close: &str, indent: usize, out: &mut Out) {
    let deeper = indent + INDENT;
    out.push(open);
    let mut before: Option<&Entry<'_>> = None;
    for entry in &list.entries {
        let is_comment = matches!(entry.what, Inner::Comment(_));
        let breaks = if is_comment {
            entry.lines > 0
        } else if list.broken {
            entry.lines > 0 || before.is_none()
        } else {
            before.is_none() || entry_width(entry).is_none_or(|width| out.column() + 1 + width + 1 > WIDTH)
        };
        if breaks {
            out.line();
            if entry.lines > 1 && before.is_some() {
                out.line();
            }
            out.indent(deeper);
        } else {
            out.push(" ");
        }
        match &entry.what {
            Inner::Comment(text) => out.push(text),
            Inner::Pair(own) => {
                pair(own, deeper, 1, out);
                out.push(",");
            }
        }
        before = Some(entry);
    }
    if !list.entries.is_empty() {
        out.line();
        out.indent(indent);
    }
    out.push(close);
}

fn entry_width(entry: &Entry<'_>) -> Option<usize> {
    match &entry.what {
        Inner::Comment(_) => None,
        Inner::Pair(own) => pair_width(own),
    }
}

fn pair_width(own: &Pair<'_>) -> Option<usize> {
    let key = if own.key.is_empty() {
        0
    } else {
        own.key.chars().count() + 3
    };
    Some(key + value_width(&own.value)?)
}

/// Characters of a value on one line; `None` where it needs more.
fn value_width(value: &Value<'_>) -> Option<usize> {
    match value {
        Value::Scalar(text) => (!text.contains('\n')).then(|| text.chars().count()),
        Value::Array(list) => list_width(list, 2),
        Value::Table(list) => list_width(list, 4),
    }
}

fn list_width(list: &List<'_>, brackets: usize) -> Option<usize> {
    if list.entries.is_empty() {
        return Some(2);
    }
    if list.broken {
        return None;
    }
    let mut width = brackets + 2 * (list.entries.len() - 1);
    for entry in &list.entries {
        width += entry_width(entry)?;
        // Too wide for any line is all that is asked; what is deeply nested is not measured again and again.
        if width > WIDTH {
            return None;
        }
    }
    Some(width)
}
