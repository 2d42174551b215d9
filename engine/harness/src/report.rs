//! Writes what a survey found, for a person.

use std::io::{self, Write};

use engine_shell::{Construct, Count, Directory, Evaluation, Field, Value};

use crate::judge::{Judgement, Violation};
use crate::survey::Survey;

/// Kinds of refusal that the summary names.
const NAMED_REFUSALS: usize = 12;

/// One line of numbers, one of refusals, and the violations.
pub(crate) fn write_survey(
    out: &mut impl Write,
    title: &str,
    survey: &Survey,
    show: usize,
) -> io::Result<()> {
    let refused = survey.texts - survey.understood;
    let counts = survey.counts;
    writeln!(
        out,
        "{title}: {} texts, {} understood, {refused} refused, {} runs ({} cut short), {} executions and {} opens checked, {} violations",
        survey.texts,
        survey.understood,
        counts.runs,
        counts.cut,
        counts.executions,
        counts.opens,
        survey.violations.len(),
    )?;
    let mut refusals: Vec<_> = survey.refused.iter().collect();
    refusals.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    if !refusals.is_empty() {
        let named: Vec<_> = refusals
            .iter()
            .take(NAMED_REFUSALS)
            .map(|(construct, count)| format!("{construct} {count}"))
            .collect();
        writeln!(out, "  refused: {}", named.join(", "))?;
    }
    for (_, violation) in survey.violations.iter().take(show) {
        write_violation(out, violation)?;
    }
    Ok(())
}

fn write_violation(out: &mut impl Write, violation: &Violation) -> io::Result<()> {
    writeln!(out, "violation: {:?}", violation.text)?;
    if let Some(panicked) = &violation.panicked {
        writeln!(out, "  the analysis panicked: {panicked}")?;
    }
    for event in &violation.unpredicted {
        writeln!(out, "  not predicted: {event}")?;
    }
    write_predictions(out, &violation.evaluation)
}

fn write_predictions(out: &mut impl Write, evaluation: &Evaluation) -> io::Result<()> {
    for invocation in &evaluation.invocations {
        let words: Vec<_> = invocation.words.iter().map(field_text).collect();
        writeln!(
            out,
            "  predicted: {} in {}",
            words.join(" "),
            directory_text(&invocation.directory)
        )?;
    }
    for access in &evaluation.accesses {
        let path = value_text(&access.path);
        writeln!(
            out,
            "  predicted: opens {path} ({:?}) in {}",
            access.mode,
            directory_text(&access.directory)
        )?;
    }
    Ok(())
}

fn field_text(field: &Field) -> String {
    let count = match field.count {
        Count::One => "",
        Count::OneOrMore => "+",
        Count::Any => "*",
    };
    format!("{}{count}", value_text(&field.value))
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Known(text) => format!("`{}`", text.escape_debug()),
        Value::OneOf(set) => {
            let set: Vec<_> = set
                .iter()
                .map(|text| format!("`{}`", text.escape_debug()))
                .collect();
            format!("<{}>", set.join("|"))
        }
        Value::Glob(pattern) => format!("<glob {}>", pattern.escape_debug()),
        Value::Below(root) => format!("<below {}>", root.escape_debug()),
        Value::Affixed { prefix, suffix } => {
            format!("<{}...{}>", prefix.escape_debug(), suffix.escape_debug())
        }
        Value::Integer => "<integer>".to_owned(),
        Value::Descriptor => "<descriptor>".to_owned(),
        Value::Unknown(origin) => format!("<unknown {origin:?}>"),
    }
}

fn directory_text(directory: &Directory) -> String {
    match directory {
        Directory::OneOf(paths) => paths.join("|"),
        Directory::Unknown(_) => "an unknown directory".to_owned(),
    }
}

/// What the analysis says of one text, and whether it was right; the result says whether nothing was left unpredicted.
pub(crate) fn write_judgement(
    out: &mut impl Write,
    predicted: Result<Evaluation, Construct>,
    judgement: Judgement,
) -> io::Result<bool> {
    match judgement {
        Judgement::Refused(construct) => {
            writeln!(out, "refused: {construct}")?;
            Ok(true)
        }
        Judgement::Violated(violation) => {
            write_violation(out, &violation)?;
            Ok(false)
        }
        Judgement::Sound(_) => {
            writeln!(out, "sound")?;
            write_predictions(out, &predicted.unwrap_or_default())?;
            Ok(true)
        }
    }
}
