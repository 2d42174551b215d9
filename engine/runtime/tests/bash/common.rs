//! What every test of runs needs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine_runtime::bash::{Bash, ControlGroups, Finished, Request, Settings, Work, environment};

pub(crate) fn bash(control_groups: ControlGroups) -> Bash {
    Bash::new(Settings {
        control_groups,
        ..Settings::default()
    })
    .expect("orphans can be adopted")
}

/// A fixed environment with a variable that tells the processes of one test from all others.
pub(crate) fn variables(marker: &str) -> Vec<(OsString, OsString)> {
    let fixed = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/nonexistent"),
        ("LANG", "C.UTF-8"),
    ];
    let pairs = fixed.into_iter().chain([("ENGINE_TEST", marker)]);
    environment(pairs.map(|(name, value)| (name.into(), value.into())), [])
}

pub(crate) fn text(text: &str, directory: &Path) -> Request {
    Request::new(
        Work::Text(text.to_owned()),
        directory.to_owned(),
        variables("none"),
    )
}

pub(crate) fn words(program: &str, arguments: &[&str], input: &[u8]) -> Request {
    let work = Work::Words {
        program: program.into(),
        arguments: arguments.iter().map(OsString::from).collect(),
        input: input.to_vec(),
    };
    Request::new(work, "/".into(), variables("none"))
}

/// Runs to the end, in both ways of keeping processes together; both have to say the same.
pub(crate) async fn run(request: Request) -> Arc<Finished> {
    let mut running = bash(ControlGroups::Never)
        .start(request.clone())
        .expect("started");
    let marked = running.finished().await;
    let mut running = bash(ControlGroups::WherePossible)
        .start(request)
        .expect("started");
    let grouped = running.finished().await;
    assert_eq!(marked.end, grouped.end);
    grouped
}

/// The output of a text that is run in the root directory.
pub(crate) async fn says(script: &str) -> String {
    let finished = run(text(script, Path::new("/"))).await;
    String::from_utf8_lossy(&finished.output.head).into_owned()
}

/// Processes that have this text in their environment.
pub(crate) fn alive(marker: &str) -> Vec<PathBuf> {
    let needle = format!("ENGINE_TEST={marker}\0");
    let entries = std::fs::read_dir("/proc").expect("proc");
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            std::fs::read(path.join("environ")).is_ok_and(|environment| {
                environment
                    .windows(needle.len())
                    .any(|window| window == needle.as_bytes())
            })
        })
        .collect()
}
