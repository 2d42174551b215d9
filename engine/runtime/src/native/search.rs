//! Searching: `search.glob`, `search.grep`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine_policy::Showing;
use serde_json::json;

use super::{Answer, Around, blocking, leave};
use crate::permission::Leave;
use crate::search::{GlobRequest, GrepRequest, OutputMode, Scope, SearchError, Visible};
use crate::session::Session;
use crate::valid::Valid;

/// Files that are counted among those that were left out.
const MAX_WITHHELD: usize = 10_000;

/// Runs a search on a thread that may wait; what the policy does not allow to be read is not seen by it. Tells, too, how many files were
/// left out since a person would have to be asked about them; of those that are denied nothing is told.
async fn search<T: Send + 'static>(
    around: Around<'_>,
    root: PathBuf,
    work: impl FnOnce(&Path, &Visible<'_>, &AtomicBool) -> Result<T, SearchError> + Send + 'static,
) -> Result<(T, usize), String> {
    let session = Arc::clone(around.session);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let searching = blocking(move || {
        let sieve = session.sieve(Some(&root));
        let withheld: Mutex<BTreeSet<PathBuf>> = Mutex::default();
        let visible = |path: &Path| match path.to_str().map_or(Showing::Hidden, |path| sieve.shows(path)) {
            Showing::Shown => true,
            Showing::Withheld => {
                let mut withheld = withheld.lock().unwrap_or_else(PoisonError::into_inner);
                if withheld.len() < MAX_WITHHELD {
                    withheld.insert(path.to_owned());
                }
                false
            }
            Showing::Hidden => false,
        };
        let found = work(&root, &visible, &stopped)?;
        let withheld = withheld.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((found, withheld.len()))
    });
    let ended = tokio::select! {
        ended = searching => ended?,
        () = around.cancel.cancelled() => {
            stop.store(true, Ordering::Relaxed);
            return Err("The search was cancelled.".to_owned());
        }
    };
    ended.map_err(|error: SearchError| error.to_string())
}

fn scope(session: &Session, cwd: &str) -> Scope {
    let ways = &session.parts.ways;
    Scope {
        ignore_files: !ways.everything,
        own_ignore_file: ways.own_ignore_file.clone(),
        shown_from: Some(cwd.into()),
        ..Scope::default()
    }
}

fn root(leave: &Leave) -> Result<PathBuf, String> {
    leave
        .place()
        .map(Path::to_owned)
        .ok_or_else(|| "the call names no directory".to_owned())
}

pub(super) async fn glob(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let pattern = input.text("pattern").unwrap_or_default();
    let path = input.text("path").unwrap_or(".");
    // What stands before the first wildcard of a pattern may lead elsewhere: it is looked below that.
    let (beginning, rest) = beginning_of(pattern);
    let path = match beginning {
        "" => path.to_owned(),
        absolute if absolute.starts_with(['/', '~']) => absolute.to_owned(),
        relative => format!("{path}/{relative}"),
    };
    let leave = leave(around, call, &[&path], pattern).await?;
    let mut request = GlobRequest::new(rest);
    request.scope = scope(around.session, leave.cwd());
    let root = root(&leave)?;
    let (mut answer, withheld) = search(around, root, move |root, visible, cancel| {
        crate::search::glob(&request, root, visible, cancel)
    })
    .await?;
    answer.missed.withheld = withheld;
    Ok(Answer::text(
        answer.text(),
        json!({ "paths": answer.files, "truncated": answer.truncated }),
    ))
}

/// The directory that a pattern begins with, and the pattern below it. Only what leads away is split off: anything else is part of the
/// pattern.
fn beginning_of(pattern: &str) -> (&str, &str) {
    if !pattern.starts_with(['/', '~']) && !pattern.split('/').any(|part| part == "..") {
        return ("", pattern);
    }
    let wild = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    match pattern.get(..wild).and_then(|head| head.rfind('/')) {
        Some(0) => ("/", pattern.get(1..).unwrap_or_default()),
        Some(at) => pattern
            .split_at_checked(at)
            .map_or(("", pattern), |(head, rest)| {
                (head, rest.strip_prefix('/').unwrap_or(rest))
            }),
        None => ("", pattern),
    }
}

pub(super) async fn grep(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let pattern = input.text("pattern").unwrap_or_default();
    let path = input.text("path").unwrap_or(".");
    let leave = leave(around, call, &[path], pattern).await?;
    let number = |field| {
        input
            .integer(field)
            .and_then(|number| usize::try_from(number).ok())
    };
    let mut request = GrepRequest::new(pattern);
    request.glob = input.text("glob").map(str::to_owned);
    request.file_type = input.text("type").map(str::to_owned);
    request.mode = match input.text("output_mode") {
        Some("content") => OutputMode::Content,
        Some("count") => OutputMode::Count,
        Some(_) | None => OutputMode::FilesWithMatches,
    };
    request.after = number("-A");
    request.before = number("-B");
    request.context = number("-C").or_else(|| number("context"));
    request.line_numbers = input.get("-n").is_none() || input.is_true("-n");
    request.ignore_case = input.is_true("-i");
    request.multiline = input.is_true("multiline");
    if let Some(limit) = number("head_limit") {
        request.head_limit = limit;
    }
    request.offset = number("offset").unwrap_or_default();
    request.scope = scope(around.session, leave.cwd());
    let root = root(&leave)?;
    let (mut answer, withheld) = search(around, root, move |root, visible, cancel| {
        crate::search::grep(&request, root, visible, cancel)
    })
    .await?;
    answer.missed.withheld = withheld;
    let text = answer.text();
    let value = json!({ "text": text });
    Ok(Answer::text(text, value))
}

#[cfg(test)]
mod tests {
    use super::beginning_of;

    #[test]
    fn only_what_leads_away_is_split_from_a_pattern() {
        for (pattern, expected) in [
            ("src/**/*.rs", ("", "src/**/*.rs")),
            ("/etc/*.conf", ("/etc", "*.conf")),
            ("/*", ("/", "*")),
            ("~/x/*", ("~/x", "*")),
            ("../a/b*/c", ("../a", "b*/c")),
            ("/a/b", ("/a", "b")),
        ] {
            assert_eq!(beginning_of(pattern), expected, "{pattern}");
        }
    }
}
