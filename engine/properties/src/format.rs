//! Any file: printing it in the one style, and in the other spelling.

use engine_policy::Sources;
use engine_policy::format::{FormatError, convert, reformat};
use engine_policy::read::{Format, read};

use crate::Violation;

/// Prints a text in each spelling that it can be read as, and prints the result again. That nothing is lost is looked at by the printer
/// itself; here it must never find that something was.
///
/// # Errors
/// If the printer finds a fault of its own, or printing again gives something else.
pub fn formats(text: &str) -> Result<(), Violation> {
    for format in [Format::Kdl, Format::Toml] {
        let Some(once) = printed(text, format)? else {
            continue;
        };
        let again = printed(&once, format)?;
        if again.as_ref() != Some(&once) {
            return Err(Violation(format!(
                "{format:?}: {text:?}\nis printed as {once:?}\nand again as {again:?}"
            )));
        }
        let spare = once.lines().any(|line| {
            line.len() > line.trim_end_matches(['\r', ' ', '\t']).len() + usize::from(line.ends_with('\r'))
        });
        let inside = ["\"\"\"", "/*", "'''", "\\"]
            .iter()
            .any(|mark| text.contains(mark));
        if (spare && !inside)
            || (!once.is_empty() && !once.trim_start_matches('\u{feff}').is_empty() && !once.ends_with('\n'))
        {
            return Err(Violation(format!(
                "{format:?}: blanks at the end of a line, or no end of the last, of {once:?}"
            )));
        }
    }
    Ok(())
}

fn printed(text: &str, format: Format) -> Result<Option<String>, Violation> {
    match reformat("input", text, format, &mut Sources::new()) {
        Ok(printed) => Ok(Some(printed)),
        Err(FormatError::Invalid(_)) => Ok(None),
        Err(error) => Err(Violation(format!("{format:?}: {error:?} of {text:?}"))),
    }
}

/// Says a policy in the other spelling and back. Whether it is a policy and could be said.
///
/// That it stays the same policy with the same comments is looked at by the converter itself; here it must never find that it did not.
///
/// # Errors
/// If a policy cannot be said in the other spelling for another reason than that it has no words for it.
pub fn converts(text: &str, from: Format) -> Result<bool, Violation> {
    if read("input", text, from, &mut Sources::new()).0.is_none() {
        return Ok(false);
    }
    let to = match from {
        Format::Kdl => Format::Toml,
        Format::Toml => Format::Kdl,
    };
    let there = match convert("input", text, from, &mut Sources::new()) {
        Ok(there) => there,
        Err(FormatError::Invalid(problems))
            if problems
                .iter()
                .all(|problem| problem.code == "policy::no-such-spelling") =>
        {
            return Ok(false);
        }
        Err(error) => return Err(Violation(format!("{from:?}: {error:?} of {text:?}"))),
    };
    match convert("input", &there, to, &mut Sources::new()) {
        Ok(_) => Ok(true),
        Err(error) => Err(Violation(format!(
            "{to:?}: {error:?} of {there:?}, which came from {text:?}"
        ))),
    }
}
