//! Which policy decides: found, read and compiled, or taken from the cache.

mod cache;
mod files;
mod found;
mod trusted;

pub(crate) use files::DiskFiles;
pub(crate) use found::{Found, Named};
pub(crate) use trusted::Trusted;

use engine_policy::{Diagnostic, Layer, Level, Loaded, Plan, Root, Sources, load, load_layers};

use crate::exit::Exit;
use crate::{out, report};

/// The plan of `builtin:base`, compiled when the binary was built.
const BASE_PLAN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.plan"));

/// The policy for a project: of all layers, or the shipped one where there is none. Every problem is printed.
pub(crate) fn policy(named: &Named, project: &str) -> Result<Plan, Exit> {
    let found = Found::of(named, project);
    if found.files.is_empty() {
        return Plan::from_bytes(BASE_PLAN).ok_or(Exit::Internal);
    }
    if let Some(plan) = cache::find(&found) {
        return Ok(plan);
    }
    let mut loaded = read_layers(&found);
    let plan = loaded.compile();
    report(&loaded.diagnostics, &loaded.sources);
    let plan = plan.ok_or(Exit::Invalid)?;
    // A plan with warnings is not kept, so that they are seen each time.
    if loaded.diagnostics.is_empty() {
        cache::keep(&found, &loaded, &plan);
    }
    Ok(plan)
}

/// Reads the files of all layers and what they build on; those of a project loosen if the person has trusted them.
pub(crate) fn read_layers(found: &Found) -> Loaded {
    let trusted = Trusted::of_person();
    load_layers(&found.roots(), &|layer, texts| {
        trusted.has(&Trusted::name(&found.project, layer, texts))
    })
}

/// Reads policy files and what they build on, as one policy that has its full say: what its author means.
pub(crate) fn read(files: &[String]) -> Loaded {
    let roots: Vec<Root> = files.iter().map(|file| Root::File(file.clone())).collect();
    load(&roots, &DiskFiles)
}

/// The person's and the project's own policy files: those whose author is at work.
pub(crate) fn own_files(project: &str) -> Vec<String> {
    let found = Found::of(&Named::default(), project);
    let own = found
        .files
        .into_iter()
        .filter(|(layer, _)| *layer != Layer::Managed);
    own.map(|(_, file)| file).collect()
}

/// Prints problems to standard error; returns how many are errors.
pub(crate) fn report(diagnostics: &[Diagnostic], sources: &Sources) -> usize {
    for diagnostic in diagnostics {
        out::complain(&format!("{}\n", report::problem(diagnostic, sources)));
    }
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.level == Level::Error)
        .count()
}
