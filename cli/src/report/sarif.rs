//! SARIF 2.1.0, which code scanners and editors read.
//!
//! Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". Columns count UTF-16 code units, as most readers do.
//! Files of the project are named from it; shipped policies keep their name, which is a URI; a command is an artifact with its text.

use std::collections::HashMap;

use engine_policy::{Level, Place, Source, digest};
use serde_json::{Map, Value as Json, json};

use super::place::{Columns, Name, Namer, Region, line_of, uri_path};
use super::{Finding, Report, about};

/// The base that the files of the project are named from.
const BASE: &str = "PROJECTROOT";

/// The name of the artifact that is a command.
const COMMAND_URI: &str = "urn:engine:command";

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document.
pub(crate) fn render(report: &Report) -> String {
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [run(report)],
    });
    // Plain data is written without fail.
    let text = serde_json::to_string_pretty(&log).unwrap_or_default();
    format!("{text}\n")
}

fn run(report: &Report) -> Json {
    let namer = report.namer();
    let rules = rules(report);
    let numbers: HashMap<&str, usize> = rules
        .iter()
        .enumerate()
        .map(|(number, finding)| (finding.code.as_str(), number))
        .collect();
    let mut times: HashMap<String, usize> = HashMap::new();
    let results: Vec<Json> = report
        .findings
        .iter()
        .map(|finding| {
            let mut result = result(report, &namer, finding);
            let same = fingerprint(report, &namer, finding);
            let time = times.entry(same.clone()).or_default();
            *time += 1;
            let number = numbers.get(finding.code.as_str()).copied().unwrap_or_default();
            if let Some(object) = result.as_object_mut() {
                object.insert("ruleIndex".to_owned(), number.into());
                object.insert(
                    "partialFingerprints".to_owned(),
                    json!({ "engineFinding/v1": format!("{same}:{time}") }),
                );
            }
            result
        })
        .collect();
    let artifacts: Vec<Json> = report
        .sources
        .iter()
        .enumerate()
        .map(|(index, source)| artifact(report, &namer, index, source))
        .collect();
    json!({
        "tool": { "driver": {
            "name": "engine",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules.iter().map(|finding| rule(finding)).collect::<Vec<_>>(),
        }},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": { BASE: { "uri": directory_uri(namer.project()) } },
        "invocations": [{ "executionSuccessful": report.done }],
        "artifacts": artifacts,
        "results": results,
    })
}

/// The first finding of each code.
fn rules(report: &Report) -> Vec<&Finding> {
    let mut rules: Vec<&Finding> = Vec::new();
    for finding in &report.findings {
        if !rules.iter().any(|own| own.code == finding.code) {
            rules.push(finding);
        }
    }
    rules
}

fn rule(finding: &Finding) -> Json {
    let text = finding.about.clone().unwrap_or_else(|| about(&finding.code));
    json!({
        "id": finding.code,
        "shortDescription": { "text": text },
        "fullDescription": { "text": text },
        "defaultConfiguration": { "level": level(finding.level) },
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn result(report: &Report, namer: &Namer, finding: &Finding) -> Json {
    let mut message = finding.message.clone();
    if let Some(help) = &finding.help {
        message.push_str("; help: ");
        message.push_str(help);
    }
    let mut places = finding.places.iter();
    let main: Vec<Json> = places
        .next()
        .map(|(place, text)| location(report, namer, *place, text))
        .into_iter()
        .collect();
    let related: Vec<Json> = places
        .enumerate()
        .map(|(index, (place, text))| {
            let mut location = location(report, namer, *place, text);
            if let Some(object) = location.as_object_mut() {
                object.insert("id".to_owned(), (index + 1).into());
            }
            location
        })
        .collect();
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.level),
        "message": { "text": message },
        "locations": main,
    });
    if let Some(object) = result.as_object_mut()
        && !related.is_empty()
    {
        object.insert("relatedLocations".to_owned(), related.into());
    }
    result
}

fn location(report: &Report, namer: &Namer, place: Place, text: &str) -> Json {
    let Some(source) = report.sources.get(place.source) else {
        return json!({});
    };
    let mut artifact = artifact_location(report, namer, place.source.index(), source);
    artifact.insert("index".to_owned(), place.source.index().into());
    let mut physical = Map::new();
    physical.insert("artifactLocation".to_owned(), artifact.into());
    if let Some(region) = Region::of(&source.text, place.span, Columns::Utf16) {
        let mut region = json!({
            "startLine": region.line,
            "startColumn": region.column,
            "endLine": region.end_line,
            "endColumn": region.end_column,
        });
        let own = report.sources.text(place);
        if !own.is_empty()
            && let Some(object) = region.as_object_mut()
        {
            object.insert("snippet".to_owned(), json!({ "text": own }));
        }
        physical.insert("region".to_owned(), region);
    }
    let mut location = json!({ "physicalLocation": physical });
    if !text.is_empty()
        && let Some(object) = location.as_object_mut()
    {
        object.insert("message".to_owned(), json!({ "text": text }));
    }
    location
}

fn is_command(report: &Report, index: usize) -> bool {
    report.command.is_some_and(|command| command.index() == index)
}

fn artifact_location(report: &Report, namer: &Namer, index: usize, source: &Source) -> Map<String, Json> {
    let mut location = Map::new();
    if is_command(report, index) {
        location.insert("uri".to_owned(), COMMAND_URI.into());
        return location;
    }
    let uri = match namer.name(&source.name) {
        Name::Inside(path) => {
            location.insert("uriBaseId".to_owned(), BASE.into());
            uri_path(&path)
        }
        Name::Outside(path) => format!("file://{}", uri_path(&path)),
        Name::Shipped(name) => name,
    };
    location.insert("uri".to_owned(), uri.into());
    location
}

fn artifact(report: &Report, namer: &Namer, index: usize, source: &Source) -> Json {
    let mut artifact = json!({ "location": artifact_location(report, namer, index, source) });
    if let Some(object) = artifact.as_object_mut()
        && is_command(report, index)
    {
        object.insert("contents".to_owned(), json!({ "text": &*source.text }));
        object.insert(
            "description".to_owned(),
            json!({ "text": "the call that was decided" }),
        );
    }
    artifact
}

fn directory_uri(path: &str) -> String {
    let path = path.trim_end_matches('/');
    format!("file://{}/", uri_path(path))
}

/// What stays the same when lines are put before a finding: its code, its file, and the text of its line.
fn fingerprint(report: &Report, namer: &Namer, finding: &Finding) -> String {
    let place = finding.places.first().map(|(place, _)| *place);
    let source = place.and_then(|place| report.sources.get(place.source));
    let name = source.map(|source| namer.name(&source.name));
    let line = match (place, source) {
        (Some(place), Some(source)) => line_of(&source.text, place.span.start as usize).trim(),
        _ => "",
    };
    let whole = [finding.code.as_str(), name.as_ref().map_or("", Name::shown), line].join("\0");
    digest(whole.as_bytes()).get(..32).unwrap_or_default().to_owned()
}
