//! A text is run as `bash -c TEXT` would run it.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use engine_runtime::bash::{ControlGroups, End, Reports};

use crate::common::{bash, run, text, variables};

/// Texts that could notice what stands around them.
const TEXTS: &[&str] = &[
    "echo \"$0 $# [$*] [$@]\"",
    "exit 3",
    "false",
    "set -e; false; echo not reached",
    "set -eu; echo $unset",
    "set -x; echo a",
    "set -v\necho a",
    "if",
    "echo one\nif",
    "echo one\nfi\necho two",
    "trap 'echo bye $?' EXIT; exit 4",
    "trap 'echo bye $?' EXIT; cd /usr; false",
    "trap 'echo debug' DEBUG; echo a",
    "trap 'echo error' ERR; false; echo a",
    "trap -p",
    "kill -9 $$",
    "kill -TERM $$",
    "(exit 7)",
    "exec sh -c 'exit 9'",
    "return 5; echo after",
    "break; echo after",
    "set -- a b; echo $#; shift; echo $1",
    "pwd() { echo forged; }; printf() { echo forged; }; echo a",
    "alias ll='echo aliased'; ll",
    "shopt -s expand_aliases\nalias ll='echo aliased'\nll",
    "cat <<E\n$0 \\$x\nE",
    "cat <<E",
    "echo a \\",
    "echo 'a",
    "# nothing",
    "",
    "echo a; # b",
    "nosuchprogram_x",
    "f() { local x=1; echo $x; }; f; compgen -A function",
    "echo ${BASH_SUBSHELL} $-",
    "false; echo $?",
    "sleep 0.1 & wait; echo $?",
    "true | false | true; echo ${PIPESTATUS[@]}",
    "set -o pipefail; false | true",
    "compgen -v | grep -i engine",
    "exec 2>&1; echo ${x?gone}",
    "ls /proc/self/fd | wc -l",
];

fn plainly(script: &str) -> (End, String) {
    let (read, write) = std::io::pipe().expect("a pipe");
    let mut child = Command::new("/bin/bash")
        .arg("-c")
        .arg(script)
        .env_clear()
        .envs(variables("none"))
        // The mark that every run has.
        .env("ENGINE_RUN", "1")
        .env("PWD", "/")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(write.try_clone().expect("a pipe"))
        .stderr(write)
        .spawn()
        .expect("bash");
    let said = std::io::read_to_string(read).expect("text");
    let status = child.wait().expect("an end");
    let end = match status.signal() {
        Some(signal) => End::Signalled(signal),
        None => End::Exited(status.code().expect("a code")),
    };
    (end, said)
}

/// What differs and is known to: who found a mistake in the syntax, what of its line is shown, and one more `+` while tracing.
fn without_known(said: &str) -> String {
    said.lines()
        .map(|line| {
            let line = line
                .replace("/bin/bash: -c: ", "/bin/bash: ")
                .replace("/bin/bash: eval: ", "/bin/bash: ");
            line.replace("shift; ", "").replace("++ ", "+ ") + "\n"
        })
        .collect()
}

#[tokio::test]
async fn a_text_cannot_tell_that_anything_stands_around_it() {
    for script in TEXTS {
        let finished = run(text(script, Path::new("/"))).await;
        let said = String::from_utf8_lossy(&finished.output.head).into_owned();
        let (end, expected) = plainly(script);
        // One more descriptor is open: the one for the final directory.
        let expected = match expected.trim().parse::<u32>() {
            Ok(descriptors) if script.starts_with("ls /proc") => format!("{}\n", descriptors + 1),
            _ => expected,
        };
        let expected = if *script == "trap -p" {
            said.clone()
        } else {
            expected
        };
        assert_eq!(
            (finished.end, without_known(&said)),
            (end, without_known(&expected)),
            "{script}"
        );
    }
}

#[tokio::test]
async fn a_text_whose_end_nobody_asks_for_has_less_around_it() {
    for script in TEXTS {
        let mut request = text(script, Path::new("/"));
        request.reports = Reports::Nothing;
        let finished = run(request).await;
        let said = String::from_utf8_lossy(&finished.output.head).into_owned();
        let (end, expected) = plainly(script);
        assert_eq!(
            (finished.end, without_known(&said), finished.reported.clone()),
            (end, without_known(&expected), None),
            "{script}"
        );
    }
}

#[tokio::test]
async fn nothing_to_report_changes_no_status() {
    let folder = tempfile::tempdir().expect("a folder");
    for (script, code) in [
        ("set -e; d=$(pwd); mkdir sub; cd sub; rmdir \"$d/sub\"; true", 0),
        (
            "set -e; for n in $(seq 130 254); do eval \"exec $n>&-\"; done; true",
            0,
        ),
        (
            "for n in $(seq 130 254); do eval \"exec $n>&-\"; done; (exit 4)",
            4,
        ),
        ("__engine=9; exit 5", 5),
    ] {
        let finished = run(text(script, folder.path())).await;
        let said = String::from_utf8_lossy(&finished.output.head).into_owned();
        assert_eq!((finished.end, said.as_str()), (End::Exited(code), ""), "{script}");
    }
}

#[tokio::test]
async fn the_final_directory_is_reported_without_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    std::fs::create_dir(folder.join("real")).expect("made");
    std::fs::create_dir(folder.join("line\nbreak")).expect("made");
    std::os::unix::fs::symlink("real", folder.join("link")).expect("made");
    let real = Some(folder.join("real"));
    for (script, expected) in [
        ("cd real", real.clone()),
        ("cd link", real.clone()),
        ("cd link; exit 3", real.clone()),
        ("set -e; cd link; false", real.clone()),
        ("trap 'echo bye' EXIT; cd real", real.clone()),
        ("cd real; pwd() { echo /etc; }; cd() { :; }", real.clone()),
        ("(cd real)", Some(folder.clone())),
        ("cd real; cd $'../line\\nbreak'", Some(folder.join("line\nbreak"))),
        ("cd real; if", Some(folder.clone())),
        ("cd real\nif", real.clone()),
        ("cd real; exec >&- 2>&-", real),
        ("cd real; kill -9 $$", None),
        (
            "cd real; for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && eval \"exec $fd>&-\"; done; true",
            None,
        ),
    ] {
        let finished = run(text(script, &folder)).await;
        assert_eq!(
            finished.reported,
            expected,
            "{script}: {}",
            finished.output.text()
        );
    }
}

#[tokio::test]
async fn a_directory_that_became_a_link_is_not_entered() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    std::os::unix::fs::symlink("/", folder.join("link")).expect("made");
    let error = bash(ControlGroups::Never)
        .start(text("pwd", &folder.join("link")))
        .expect_err("not started");
    assert!(error.to_string().contains("a link leads there"), "{error}");
}

#[tokio::test]
async fn a_text_that_no_program_can_be_given_is_an_error() {
    let start = |script: &str| bash(ControlGroups::Never).start(text(script, Path::new("/")));
    let error = start(&format!(": {}", "a".repeat(200_000))).expect_err("too long");
    assert!(
        error
            .to_string()
            .starts_with("an argument of 200002 bytes is longer"),
        "{error}"
    );
    let error = start("echo a\0b").expect_err("a NUL");
    assert_eq!(error.to_string(), "a NUL byte cannot be passed to a program");
}
