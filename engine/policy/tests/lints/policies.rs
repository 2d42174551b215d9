//! Policies from texts, and what lints find in them.

use engine_policy::lint::{Finding, LintInput, lint};
use engine_policy::read::Format;
use engine_policy::{Files, Loaded, Root, load};

/// No files but the text itself.
pub(crate) struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("there is no such file".to_owned())
    }
}

/// What a text says as a policy.
pub(crate) fn loaded(text: &str, format: Format) -> Loaded {
    let name = match format {
        Format::Kdl => "policy.kdl",
        Format::Toml => "policy.toml",
    };
    load(
        &[Root::Text {
            name: name.to_owned(),
            text: text.to_owned(),
            format,
        }],
        &NoFiles,
    )
}

/// What lints find in it.
pub(crate) fn linted(loaded: &mut Loaded) -> Vec<Finding> {
    let plan = loaded.compile();
    let names: Vec<String> = loaded
        .sources
        .iter()
        .map(|source| source.name.to_string())
        .filter(|name| name.starts_with("policy."))
        .collect();
    lint(&LintInput {
        documents: &loaded.documents,
        sources: &loaded.sources,
        plan: plan.as_ref(),
        names: &names,
    })
}

/// Both, of a text in KDL.
pub(crate) fn findings(text: &str) -> (Loaded, Vec<Finding>) {
    let mut loaded = loaded(text, Format::Kdl);
    let findings = linted(&mut loaded);
    (loaded, findings)
}
