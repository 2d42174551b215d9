//! Workflow commands, which a forge shows beside the lines that they name.
//!
//! Source: the forge's manual, "workflow commands": `::error file=,line=,endLine=,col=,endColumn=,title=::message`. Columns are left out
//! where a place has several lines, since they are refused there.

use std::fmt::Write as _;

use engine_policy::Level;

use super::escape::{workflow_message, workflow_property};
use super::place::{Columns, Region};
use super::{Finding, Report};

/// One command for each finding.
pub(crate) fn render(report: &Report) -> String {
    report
        .findings
        .iter()
        .map(|finding| line(report, finding))
        .collect()
}

fn line(report: &Report, finding: &Finding) -> String {
    let word = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let mut properties = String::new();
    // Neither a command nor a shipped policy is a file that lines could be shown of.
    let file = finding.places.iter().find_map(|(place, _)| {
        let source = report.sources.get(place.source)?;
        let is_file = Some(place.source) != report.command && !source.name.starts_with("builtin:");
        is_file.then_some((place, source))
    });
    if let Some((place, source)) = file {
        let name = report.namer().name(&source.name);
        let _infallible = write!(properties, "file={},", workflow_property(name.shown()));
        if let Some(region) = Region::of(&source.text, place.span, Columns::Characters) {
            let _infallible = write!(properties, "line={},endLine={},", region.line, region.end_line);
            if region.line == region.end_line {
                let _infallible = write!(
                    properties,
                    "col={},endColumn={},",
                    region.column, region.end_column
                );
            }
        }
    }
    let mut message = finding.message.clone();
    for text in finding
        .places
        .iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty())
    {
        let _infallible = write!(message, "\n{text}");
    }
    if let Some(help) = &finding.help {
        let _infallible = write!(message, "\nhelp: {help}");
    }
    format!(
        "::{word} {properties}title={}::{}\n",
        workflow_property(&finding.code),
        workflow_message(&message)
    )
}
