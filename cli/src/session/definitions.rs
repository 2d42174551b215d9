//! The tools that a session can have: those that ship, the person's own, and those that the command line names.
//!
//! Invariant (all or nothing): with any mistake in any definition no session begins, and every mistake of every file is told. A project's
//! own files are not looked at: what a tool is said to do is read by a model, so it takes a person to bring it along.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine_policy::read::Format;
use engine_policy::{Diagnostic, Files as _, Level, Sources};
use engine_tools::definition::{Tool, check, read};

use crate::exit::Exit;
use crate::policies::DiskFiles;
use crate::{out, policies, world};

/// Every tool, the shipped ones first.
pub(super) fn all(named: &[PathBuf]) -> Result<Vec<Arc<Tool>>, Exit> {
    let mut files = own_files();
    files.extend(named.iter().cloned());
    let mut tools = engine_tools::shipped().to_vec();
    if files.is_empty() {
        return Ok(tools);
    }
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let mut unreadable = false;
    for file in files {
        match text_of(&file) {
            Ok((text, format)) => {
                let directory = file.parent().unwrap_or(Path::new(".")).to_owned();
                // A prompt lies beside the definition that names it.
                let prompts = |name: &str| -> Option<String> {
                    let plain = !name.contains('/') && name != "..";
                    plain.then(|| DiskFiles.text(&directory.join(name).display().to_string()).ok())?
                };
                let (read, problems) =
                    read(&file.display().to_string(), &text, format, &prompts, &mut sources);
                tools.extend(read.into_iter().map(Arc::new));
                diagnostics.extend(problems);
            }
            Err(error) => {
                out::complain(&format!("engine: {}: {error}\n", file.display()));
                unreadable = true;
            }
        }
    }
    let broken = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|one| one.level == Level::Error);
    if !broken(&diagnostics) {
        diagnostics.extend(check(&tools));
    }
    policies::report(&diagnostics, &sources);
    if unreadable || broken(&diagnostics) {
        return Err(Exit::Invalid);
    }
    Ok(tools)
}

fn text_of(file: &Path) -> Result<(String, Format), String> {
    let name = file.display().to_string();
    let format = Format::of_name(&name).ok_or("the name of a file of tools ends in `.kdl` or `.toml`")?;
    Ok((DiskFiles.text(&name)?, format))
}

/// The person's own files, in the order of their names.
fn own_files() -> Vec<PathBuf> {
    let Some(directory) = world::config_directory().map(|own| own.join("tools")) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_str().is_some_and(|name| Format::of_name(name).is_some()))
        .collect();
    files.sort();
    files
}
