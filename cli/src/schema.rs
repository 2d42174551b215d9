//! `engine schema`: JSON Schemas of every JSON form that is read or written.

use engine_policy::nearest;

use crate::exit::Exit;
use crate::out;

/// Prints the JSON Schema of an input or output
///
/// Without a name, lists them. They are written in JSON Schema, draft 2020-12.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// Which one
    name: Option<String>,
}

const EXAMPLES: &str = "Examples:
  engine schema                          the names
  engine schema verdict > verdict.json   what `engine check --format json` prints";

/// Name, what it describes, and the schema.
pub(crate) const SCHEMAS: &[(&str, &str, &str)] = &[
    (
        "call",
        "a line that `engine check --stdin` reads",
        include_str!("../../docs/schema/call.json"),
    ),
    (
        "answer",
        "a line that `engine check --stdin` prints",
        include_str!("../../docs/schema/answer.json"),
    ),
    (
        "verdict",
        "`engine check CMD --format json`, `engine explain CMD --format json`",
        include_str!("../../docs/schema/verdict.json"),
    ),
    (
        "validation",
        "`engine check --format json`",
        include_str!("../../docs/schema/validation.json"),
    ),
    (
        "findings",
        "problems of files, as every subcommand that looks for them prints",
        include_str!("../../docs/schema/findings.json"),
    ),
    (
        "test",
        "`engine test --format json`",
        include_str!("../../docs/schema/test.json"),
    ),
    (
        "lint",
        "`engine lint --format json`",
        include_str!("../../docs/schema/lint.json"),
    ),
    (
        "formatted",
        "a line of `engine fmt --format json`",
        include_str!("../../docs/schema/formatted.json"),
    ),
    (
        "plan",
        "`engine plan --format json`",
        include_str!("../../docs/schema/plan.json"),
    ),
    (
        "programs",
        "`engine commands --format json`",
        include_str!("../../docs/schema/programs.json"),
    ),
    (
        "program",
        "`engine commands NAME --format json`",
        include_str!("../../docs/schema/program.json"),
    ),
    (
        "audit",
        "a record of the audit log, a line of `engine audit --format json`",
        include_str!("../../docs/schema/audit.json"),
    ),
    (
        "audit-verification",
        "a line of `engine audit --verify --format json`",
        include_str!("../../docs/schema/audit-verification.json"),
    ),
];

impl Schema {
    pub(crate) fn run(&self) -> Exit {
        let Some(name) = &self.name else {
            let width = SCHEMAS
                .iter()
                .map(|(name, ..)| name.len())
                .max()
                .unwrap_or_default();
            for (name, about, _) in SCHEMAS {
                out::print(&format!("{name:width$}  {about}\n"));
            }
            return Exit::Fine;
        };
        match SCHEMAS.iter().find(|(own, ..)| own == name) {
            Some((_, _, text)) => {
                out::print(text);
                Exit::Fine
            }
            None => {
                let help = match nearest(name, SCHEMAS.iter().map(|(own, ..)| *own)) {
                    Some(own) => format!("did you mean `{own}`?"),
                    None => "`engine schema` lists them".to_owned(),
                };
                out::complain(&format!("engine: there is no schema `{name}`; {help}\n"));
                Exit::Usage
            }
        }
    }
}
