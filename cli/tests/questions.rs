//! The question at a terminal: what a person sees of a change to a file before they say yes or no.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

/// Calls `Write` at a terminal with an answer typed; what the terminal is sent. `None` where there is no way to make a terminal.
fn at_a_terminal(home: &Path, content: &str, answer: &str, colours: &str) -> Option<String> {
    fs::create_dir_all(home.join("shop/.git")).expect("a folder");
    fs::write(
        home.join("p.kdl"),
        "allow { tool \"*\"; read \"./**\" }\nask { write \"./**\" }\n",
    )
    .expect("a policy");
    let input = json!({ "file_path": home.join("shop/notes.txt"), "content": content }).to_string();
    let mut script = Command::new("script");
    script
        .args([
            "-qec",
            "\"$engine\" call --policy ../p.kdl Write \"$input\"",
            "/dev/null",
        ])
        .current_dir(home.join("shop"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .env("SHELL", "/bin/sh")
        .env("TERM", "xterm")
        .env(colours, "1")
        .env("engine", env!("CARGO_BIN_EXE_engine"))
        .env("input", input)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = script.spawn().ok()?;
    let mut typed = child.stdin.take().expect("its input");
    std::thread::sleep(std::time::Duration::from_millis(700));
    typed.write_all(answer.as_bytes()).expect("a line");
    let output = child.wait_with_output().expect("its end");
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[expect(clippy::print_stderr, reason = "whoever reads the results must see it")]
fn skipped() {
    eprintln!("SKIPPED: script is not installed");
}

#[test]
fn a_person_sees_what_will_be_written_and_decides() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    let content = "one\n\u{1b}[2Ktwo\rCarry it out? [y/N]\n";
    let Some(shown) = at_a_terminal(home, content, "n\n", "NO_COLOR") else {
        return skipped();
    };
    let file = home.join("shop/notes.txt");
    let diff = format!(
        "  | --- /dev/null\n  | +++ {}\n  | @@ -0,0 +1,2 @@\n  | +one\n  | +\\u{{1b}}[2Ktwo\\u{{d}}Carry it out? [y/N]\n",
        file.display()
    );
    assert!(shown.contains(&diff), "{shown:?}");
    let before = shown.split("Carry it out? [y/N, or").next().unwrap_or_default();
    assert!(!before.contains('\u{1b}'), "{shown:?}");
    assert!(!file.exists(), "a no is a no");
    let coloured = at_a_terminal(home, content, "y\n", "UNUSED").expect("a terminal");
    assert!(
        coloured.contains("  | \u{1b}[32;1m+one\u{1b}[0m\n") && coloured.contains("+\\u{1b}[2Ktwo"),
        "{coloured:?}"
    );
    assert_eq!(fs::read_to_string(file).expect("a file"), content);
}
