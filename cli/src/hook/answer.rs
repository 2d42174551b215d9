//! The answers, each in exactly the form that its client takes. A client that does not understand an answer runs the call.
//!
//! Observed of the clients: exit code 2 with a reason on standard error stops the call in each of them; any other failure, and what is
//! no answer, lets it run.

use engine_policy::Outcome;
use serde_json::json;

use super::client::Client;

/// What the process prints and ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub complaint: String,
    /// Exit code.
    pub code: u8,
}

/// Exit code that stops a call whatever is printed.
pub(crate) const STOP: u8 = 2;

impl Answer {
    /// To an event that asks nothing.
    pub(crate) fn neutral() -> Self {
        Self {
            output: String::new(),
            complaint: String::new(),
            code: 0,
        }
    }

    /// To a call that was decided.
    pub(crate) fn verdict(client: Client, outcome: Outcome, reason: &str) -> Self {
        let output = match (client, outcome) {
            (Client::ClaudeCode, _) => before_tool(outcome.as_str(), reason),
            // No answer is its yes; to be told to ask, it takes for one.
            (Client::Codex, Outcome::Allow) => String::new(),
            (Client::Codex, Outcome::Ask | Outcome::Deny) => before_tool("deny", reason),
            (Client::Gemini, _) => json!({ "decision": outcome.as_str(), "reason": reason }).to_string(),
        };
        Self {
            output,
            complaint: String::new(),
            code: 0,
        }
    }

    /// Where nothing could be decided: no in the client's form, and in the form that no client mistakes.
    pub(crate) fn strict(client: Client, why: &str) -> Self {
        let reason = format!("engine: not allowed, since it could not be decided: {why}");
        Self {
            complaint: format!("{reason}\n"),
            code: STOP,
            ..Self::verdict(client, Outcome::Deny, &reason)
        }
    }
}

fn before_tool(decision: &str, reason: &str) -> String {
    json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }
    })
    .to_string()
}
