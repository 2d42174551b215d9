//! Runs tests again whenever one of their files changes.
//!
//! Files are looked at from time to time: that works on every file system, and also for files that editors replace.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use super::{Run, Test};
use crate::exit::Exit;
use crate::options::Format;
use crate::out;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// What tells that a file has changed: nothing of a file that is not there.
type State = Option<(SystemTime, u64)>;

/// Ends when the process is interrupted.
pub(super) fn again_and_again(test: &Test, project: &str) -> Exit {
    loop {
        let given = test.files(project);
        let run = test.once(project);
        // A change while the tests ran is a change, too.
        let before = states(&given, &run);
        if test.format == Format::Human && out::is_terminal() {
            out::print("\u{1b}[2J\u{1b}[H");
        }
        out::print(&test.shown(&run));
        if test.format == Format::Human {
            out::print("waiting for a change; end with Ctrl-C\n");
        }
        loop {
            sleep(PAUSE);
            if test.files(project) != given || states(&given, &run) != before {
                break;
            }
        }
    }
}

fn states(given: &[String], run: &Run) -> BTreeMap<PathBuf, State> {
    let read = run.report.sources.iter().map(|source| &*source.name);
    let files = given
        .iter()
        .map(String::as_str)
        .chain(read)
        .filter(|name| !name.starts_with("builtin:") && *name != "commands");
    files
        .map(|name| {
            let path = PathBuf::from(name);
            let data = path.metadata().ok();
            let state = data.and_then(|data| Some((data.modified().ok()?, data.len())));
            (path, state)
        })
        .collect()
}
