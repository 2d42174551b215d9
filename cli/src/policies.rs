//! Which policy decides: found, read and compiled, or taken from the cache.

mod cache;
mod files;
pub(crate) mod found;
mod misplaced;
mod trusted;

pub(crate) use files::{DiskFiles, ProjectFiles};
pub(crate) use found::{Found, Named};
pub(crate) use misplaced::{look as look_for_misplaced, of_project as misplaced_in};
pub(crate) use trusted::Trusted;

use engine_policy::{
    Diagnostic, Files as _, Layer, LayerRoot, Level, Loaded, Plan, Root, Sources, load_as_author, load_layers,
};

use crate::exit::Exit;
use crate::{out, report};

/// The plan of `builtin:base`, compiled when the binary was built.
const BASE_PLAN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.plan"));

/// The policy of the files that were found: of all layers, or the shipped one where there is none. Every problem is printed.
pub(crate) fn policy(found: &Found) -> Result<Plan, Exit> {
    let misplaced = misplaced::look_where_nothing_is(found);
    report(&misplaced.diagnostics, &misplaced.sources);
    if found.files.is_empty() {
        return Plan::from_bytes(BASE_PLAN).ok_or(Exit::Internal);
    }
    if let Some(plan) = cache::find(found) {
        return Ok(plan);
    }
    let mut loaded = read_layers(found);
    let plan = loaded.compile();
    report(&loaded.diagnostics, &loaded.sources);
    let plan = plan.ok_or(Exit::Invalid)?;
    // A plan with warnings is not kept, so that they are seen each time.
    if loaded.diagnostics.is_empty() {
        cache::keep(found, &loaded, &plan);
    }
    Ok(plan)
}

/// Reads the files of all layers and what they build on; those of a project loosen if the person has trusted them.
pub(crate) fn read_layers(found: &Found) -> Loaded {
    let trusted = Trusted::of_person(&found.project);
    let mut loaded = load_layers(&found.roots(), &|layer, texts| {
        trusted.has(&Trusted::name(&found.project, layer, texts))
    });
    loaded.outer.clone_from(&found.outer);
    loaded
}

/// Reads policy files and what they build on, as one policy that has its full say: what its author means. A project's files build on the
/// project alone here too, since a look at them is no trust in them.
pub(crate) fn read(files: &[String]) -> Loaded {
    let places: Vec<Place> = files.iter().map(|file| Place::of(file)).collect();
    let roots: Vec<LayerRoot<'_>> = files
        .iter()
        .zip(&places)
        .map(|(file, place)| LayerRoot {
            layer: place.layer,
            root: Root::File(file.clone()),
            files: match &place.project {
                Some(project) => project,
                None => &DiskFiles,
            },
            // What a relative name leads to is told by the real place alone, which is looked at when the file is read.
            within: None,
        })
        .collect();
    load_as_author(&roots)
}

/// The text of one file that is looked at, as [`read`] reads it.
pub(crate) fn text_of(file: &str) -> Result<String, String> {
    match Place::of(file).project {
        Some(project) => project.text(file),
        None => DiskFiles.text(file),
    }
}

/// What the place of a policy file says of its layer.
struct Place {
    layer: Layer,
    project: Option<ProjectFiles>,
}

impl Place {
    fn of(file: &str) -> Self {
        let path = std::path::absolute(file).unwrap_or_else(|_| file.into());
        let directory = path.parent().filter(|directory| directory.ends_with(".engine"));
        if let Some(project) = directory.and_then(std::path::Path::parent) {
            return Self {
                layer: Layer::Project,
                project: Some(ProjectFiles {
                    project: project.to_owned(),
                }),
            };
        }
        Self {
            layer: if path.starts_with(found::MANAGED) {
                Layer::Managed
            } else {
                Layer::CommandLine
            },
            project: None,
        }
    }
}

/// The person's and the project's own policy files: those whose author is at work.
pub(crate) fn own_files(project: &str) -> Vec<String> {
    let found = Found::of(&Named::default(), project);
    let own = found
        .files
        .into_iter()
        .filter(|(layer, _)| !matches!(layer, Layer::Managed | Layer::Around));
    own.map(|(_, file)| file).collect()
}

/// Prints a warning for each file of a project that looks like a policy and that nobody reads.
pub(crate) fn report_misplaced(project: &str) {
    let misplaced = misplaced_in(project);
    report(&misplaced.diagnostics, &misplaced.sources);
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
