//! The files that a patch in the form of Codex changes.
//!
//! A patch is a list of files between `*** Begin Patch` and `*** End Patch`, each begun by what is done with it; lines of its content
//! begin with a blank, `+`, `-` or `@`. Any other line makes the patch one that is not understood.

use serde_json::json;

use super::map::OwnCall;

const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";

/// The calls that do what a patch does. Deleting is decided as `rm` would be.
///
/// # Errors
/// One line that says what is not understood.
pub(super) fn calls(text: &str) -> Result<Vec<OwnCall>, String> {
    let mut calls = Vec::new();
    let mut lines = text.trim().lines();
    if lines.next().map(str::trim) != Some("*** Begin Patch") {
        return Err("it does not begin with `*** Begin Patch`".to_owned());
    }
    let mut updated: Option<&str> = None;
    let mut ended = false;
    for line in lines {
        if ended {
            return Err("something follows `*** End Patch`".to_owned());
        }
        // The line that begins a file may have blanks around it.
        let head = line.trim();
        if let Some(path) = head.strip_prefix(ADD) {
            updated = None;
            calls.push(write(path)?);
        } else if let Some(path) = head.strip_prefix(UPDATE) {
            updated = Some(path);
            calls.push(edit(path)?);
        } else if let Some(path) = head.strip_prefix(DELETE) {
            updated = None;
            calls.push(delete(path)?);
        } else if let Some(path) = head.strip_prefix(MOVE) {
            let from = updated.ok_or("a move of no file")?;
            calls.push(write(path)?);
            calls.push(delete(from)?);
        } else if head == "*** End Patch" {
            ended = true;
        } else if head != "*** End of File" && !head.is_empty() && !line.starts_with([' ', '+', '-', '@']) {
            return Err(format!(
                "`{}` is no line of a patch",
                line.chars().take(60).collect::<String>()
            ));
        }
    }
    match (ended, calls.is_empty()) {
        (false, _) => Err("it does not end with `*** End Patch`".to_owned()),
        (true, true) => Err("it names no file".to_owned()),
        (true, false) => Ok(calls),
    }
}

fn named(path: &str) -> Result<&str, String> {
    // A name that begins with a blank is another file than the one without.
    if path.starts_with(char::is_whitespace) {
        return Err("the name of a file begins with a blank".to_owned());
    }
    if path.is_empty() || path.contains('\0') {
        return Err("a file has no name".to_owned());
    }
    Ok(path)
}

fn write(path: &str) -> Result<OwnCall, String> {
    Ok(OwnCall::Tool {
        name: "Write".to_owned(),
        input: json!({ "file_path": named(path)?, "content": "" }),
    })
}

fn edit(path: &str) -> Result<OwnCall, String> {
    Ok(OwnCall::Tool {
        name: "Edit".to_owned(),
        input: json!({ "file_path": named(path)?, "old_string": "", "new_string": "" }),
    })
}

fn delete(path: &str) -> Result<OwnCall, String> {
    let quoted = named(path)?.replace('\'', r"'\''");
    Ok(OwnCall::Command(format!("rm -- '{quoted}'")))
}
