//! Results that are too long go to disk, and a model is shown where.
//!
//! Invariant (once and for all): what became of a result is decided once; later turns show the same bytes. Invariant (never over
//! anything): a file of a result is made new, by name and call, and no link is followed to it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;

use engine_tools::budget::{Fate, Sized, extension, is_over, over_message, persisted, preview};
use engine_tools::definition::Budget;
use engine_tools::{Block, Output};

use crate::exchange::ToolResult;
use crate::private::make_directory;
use crate::session::Session;

/// Fits one result into the budget of its tool.
pub(crate) fn fit_one(session: &Session, call: &str, budget: Budget, output: &mut Output) {
    let text = text_of(output);
    if !is_over(budget, &text) {
        return;
    }
    put_away(session, call, &text, output);
}

/// Fits the results of one turn into what a turn may hold: the longest are put on disk first.
pub(crate) fn fit_all(session: &Session, results: &mut [ToolResult]) {
    let pool = session.pool();
    let sizes: Vec<Sized> = results
        .iter()
        .map(|result| {
            let text = text_of(&result.output);
            let unlimited = pool.get(&result.name).is_some_and(|entry| {
                session.parts.budgets.of_tool(entry.name(), entry.budget()) == Budget::Unlimited
            });
            let decided = session.ledger().fate(&result.id).is_some();
            let small = persisted("", text.len() as u64, preview(&text)).chars().count();
            Sized {
                chars: text.chars().count(),
                replaced: (!unlimited && !decided).then_some(small),
            }
        })
        .collect();
    for at in over_message(&sizes, session.parts.budgets.of_message()) {
        if let Some(result) = results.get_mut(at) {
            let text = text_of(&result.output);
            let id = result.id.clone();
            put_away(session, &id, &text, &mut result.output);
        }
    }
    let mut ledger = session.ledger();
    for result in results {
        ledger.decide(&result.id, Fate::Kept);
    }
}

fn put_away(session: &Session, call: &str, text: &str, output: &mut Output) {
    let name = file_name(call);
    let path = session.parts.results.join(format!("{name}.{}", extension(text)));
    let made = make_directory(&session.parts.results)
        .and_then(|()| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)
        })
        .and_then(|mut file| {
            // Half a result would be taken for the whole.
            file.write_all(text.as_bytes())
                .inspect_err(|_| drop(fs::remove_file(&path)))
        });
    let shown: Arc<str> = match made {
        Ok(()) => persisted(&path.display().to_string(), text.len() as u64, preview(text)).into(),
        Err(error) => format!(
            "The result is too long to be shown, and it cannot be kept in {} ({error}). It begins with:\n{}",
            path.display(),
            preview(text)
        )
        .into(),
    };
    replace(output, &shown);
    session.ledger().decide(call, Fate::Replaced(shown));
}

/// A name for a file of a call: its id, and where that is no plain name what of it is one, with a part of its hash.
pub(crate) fn file_name(call: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !call.is_empty() && call.len() <= 100 && call.chars().all(plain) {
        return call.to_owned();
    }
    let kept: String = call.chars().filter(|c| plain(*c)).take(60).collect();
    let digest: String = engine_policy::digest(call.as_bytes()).chars().take(16).collect();
    format!("{kept}.{digest}")
}

/// Puts a text in the place of all texts; pictures stay.
fn replace(output: &mut Output, shown: &str) {
    output.blocks.retain(|block| !matches!(block, Block::Text(_)));
    output.blocks.insert(0, Block::Text(shown.to_owned()));
}

fn text_of(output: &Output) -> String {
    let mut text = String::new();
    for block in &output.blocks {
        if let Block::Text(piece) = block {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(piece);
        }
    }
    text
}
