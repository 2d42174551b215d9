//! The examples that stand beside command definitions: one test for each.

use std::path::Path;

use engine_policy::definition::{Definition, is_definitions, run_each_example, shipped_with_examples};
use engine_policy::{Files as _, Loaded, Place};
use engine_shell::Span;

use super::Test;
use crate::policies::DiskFiles;
use crate::report::{Suite, Tested};

/// Whether a file holds definitions and is no policy.
pub(super) fn is_file(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "kdl")
        && DiskFiles.text(path).is_ok_and(|text| is_definitions(&text))
}

/// Reads a file of definitions, as a policy that names it would.
pub(super) fn read(path: &str) -> Loaded {
    Loaded::of_definitions(path, &DiskFiles)
}

/// The examples of the shipped definitions.
pub(super) fn shipped(test: &Test) -> Suite {
    Suite {
        file: "commands".to_owned(),
        tests: shipped_with_examples()
            .iter()
            .flat_map(tested)
            .filter(|example| test.wants(&example.name))
            .collect(),
    }
}

/// The examples of the definitions that a policy brings along, each with its place.
pub(super) fn brought(test: &Test, loaded: &Loaded) -> Vec<(Tested, Place)> {
    let both = loaded.definitions.iter().zip(&loaded.brought);
    both.flat_map(|(definition, brought)| {
        let places = definition.tests.iter().map(|example| Place {
            span: Span {
                start: example.span.0,
                end: example.span.1,
            },
            ..brought.place
        });
        tested(definition).into_iter().zip(places)
    })
    .filter(|(example, _)| test.wants(&example.name))
    .map(|(example, place)| {
        let line = Some(loaded.sources.line_column(place).line);
        (Tested { line, ..example }, place)
    })
    .collect()
}

fn tested(definition: &Definition) -> Vec<Tested> {
    let name = definition.names.first().map_or("", |name| name.as_str());
    definition
        .tests
        .iter()
        .zip(run_each_example(definition))
        .map(|(example, failure)| Tested {
            name: format!("{name}: {}", example.command),
            expected: "",
            verdict: None,
            passed: failure.is_none(),
            breach: false,
            line: None,
            detail: failure.unwrap_or_default(),
        })
        .collect()
}
