//! Any file: printing it in the one style.

use engine_policy::Sources;
use engine_policy::format::{FormatError, reformat};
use engine_policy::read::Format;

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
