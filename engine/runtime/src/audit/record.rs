//! What a record says. The order of the fields is the order of the struct, and part of the format.

use serde::Serialize;
use serde_json::Value as Json;

use super::chain::seal;
use super::time::rfc3339;

/// Longest line, without its newline. What would be longer is written without its input and with its first reason alone.
pub const MAX_LINE_BYTES: usize = 32 << 10;

/// Version of the format.
const VERSION: u32 = 1;

/// Longest text of a field that is not an input, in characters.
const MAX_FIELD_CHARS: usize = 1_000;

/// The same in a record that would be too long; control characters are written with six.
const MAX_SHORT_CHARS: usize = 200;

/// Reasons that are kept.
const MAX_REASONS: usize = 16;

/// What a record is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A call was decided.
    #[default]
    Decision,
    /// A call was carried out.
    Execution,
    /// Something else of a session: its start, a prompt.
    Event,
    /// A writer went on after something that is no record: a line that was torn, or that somebody wrote.
    Recovered,
}

/// A reason of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What was asked for, as a verdict describes it.
    pub request: String,
    /// What became of it.
    pub verdict: &'static str,
    /// Why, in one line.
    pub why: String,
    /// The rule that said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleAt>,
    /// Where in the command, as byte offsets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<[u32; 2]>,
}

/// A rule and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleAt {
    /// Its block's name, or `file:line`.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its layer.
    pub layer: String,
}

/// What is recorded. A field that is `None` or empty is left out of the line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Record {
    /// What it is about.
    pub kind: Kind,
    /// The agent's program: `claude-code`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// The client's own name of the event.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The client's own id of the call, the same in its decision and its execution.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The sub-agent that calls.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Mode of the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// The tool, by the name that rules know.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The tool, by the client's own name, where that is another.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub client_tool: String,
    /// The outer tool whose step this call is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub via: String,
    /// Where the call starts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// The project whose policy decided.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// SHA-256 of the whole input: see [`super::digest_of_input`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub input_digest: String,
    /// What may be shown of the input: see [`super::view`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// The verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    /// What the client was told, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<&'static str>,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// What the call does with `git` that others may notice: `commit`, `push`, `pr create`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub git: Vec<String>,
    /// How long it ran, or how long deciding took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// Whether it failed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// How the command is shown: `search`, `read`, `list`, `silent` or `neutral`, where all its parts are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// Anything else, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Bytes before this record that are no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_bytes: Option<u64>,
    /// SHA-256 of those bytes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub skipped_digest: String,
}

#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    seq: u64,
    id: &'a str,
    time: &'a str,
    #[serde(flatten)]
    record: &'a Record,
    prev: &'a str,
}

impl Record {
    /// The line of this record at a place of a log, without its newline, and its hash.
    pub(super) fn seal(&self, seq: u64, id: &str, millis: i64, prev: &str) -> (String, String) {
        let time = rfc3339(millis);
        let text = |record: &Self| {
            let line = Line {
                v: VERSION,
                seq,
                id,
                time: &time,
                record,
                prev,
            };
            // Writing plain data to memory does not fail.
            serde_json::to_string(&line).unwrap_or_default()
        };
        let record = self.bounded(MAX_FIELD_CHARS);
        let whole = text(&record);
        // The hash is added to it.
        if whole.len() + 80 <= MAX_LINE_BYTES {
            return seal(&whole);
        }
        let mut short = self.bounded(MAX_SHORT_CHARS);
        short.input = None;
        short.reasons.truncate(1);
        "cut: the record was too long".clone_into(&mut short.note);
        seal(&text(&short))
    }

    /// The same with every text of a bounded length.
    fn bounded(&self, chars: usize) -> Self {
        let mut record = self.clone();
        for text in [
            &mut record.client,
            &mut record.event,
            &mut record.session,
            &mut record.call,
            &mut record.agent,
            &mut record.mode,
            &mut record.tool,
            &mut record.client_tool,
            &mut record.via,
            &mut record.cwd,
            &mut record.project,
            &mut record.note,
        ] {
            cut(text, chars);
        }
        record.reasons.truncate(MAX_REASONS);
        for reason in &mut record.reasons {
            cut(&mut reason.request, chars);
            cut(&mut reason.why, chars);
            if let Some(rule) = &mut reason.rule {
                cut(&mut rule.id, chars);
                cut(&mut rule.file, chars);
            }
        }
        record.git.truncate(MAX_REASONS);
        record
    }
}

fn cut(text: &mut String, chars: usize) {
    if let Some((at, _)) = text.char_indices().nth(chars) {
        text.truncate(at);
        text.push_str("...");
    }
}
