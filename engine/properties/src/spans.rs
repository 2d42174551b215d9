//! Spans lie inside their text, on character boundaries.
//!
//! All types that carry spans write them in their `Debug` form, so that form is searched: a node that is added later is looked at
//! without anyone remembering it here.

use std::fmt::Debug;

use crate::Violation;

/// Finds the first span of `value` that lies outside of `text` or cuts a character.
///
/// A text that itself spells a span is not looked at.
///
/// # Errors
/// If there is such a span.
pub fn spans_inside(what: &str, value: &impl Debug, text: &str) -> Result<(), Violation> {
    if text.contains("Span") {
        return Ok(());
    }
    let shown = format!("{value:?}");
    for piece in shown.split("Span { start: ").skip(1) {
        let Some((start, rest)) = piece.split_once(", end: ") else {
            continue;
        };
        let Some((end, _)) = rest.split_once(' ') else {
            continue;
        };
        let (Ok(start), Ok(end)) = (start.parse::<usize>(), end.parse::<usize>()) else {
            continue;
        };
        if text.get(start..end).is_none() {
            return Err(Violation(format!(
                "{what}: the span {start}..{end} is not one of {text:?} ({} bytes)",
                text.len()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use engine_shell::Span;

    use super::spans_inside;

    #[test]
    fn a_span_that_is_too_long_or_cuts_a_character_is_found() {
        assert!(spans_inside("it", &vec![Span::new(0, 3)], "äb").is_ok());
        assert!(spans_inside("it", &vec![Span::new(0, 4)], "äb").is_err());
        assert!(spans_inside("it", &vec![Span::new(1, 3)], "äb").is_err());
    }
}
