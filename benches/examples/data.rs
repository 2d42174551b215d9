//! Writes the files that `process.sh` and `stdin.sh` measure with into a folder.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

use engine_benches::{Shape, compound_text, here_document, policy_text};
use engine_properties::everyday_commands;

/// Lines of the input for standard input.
const LINES: usize = 200_000;

fn main() -> io::Result<()> {
    let folder = std::env::args()
        .nth(1)
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("usage: data FOLDER"))?;
    for number in [1000, 10_000] {
        fs::write(
            folder.join(format!("rules-{number}.kdl")),
            policy_text(number, Shape::Programs),
        )?;
    }
    fs::write(folder.join("compound-1k"), compound_text())?;
    fs::write(folder.join("here-document-64k"), here_document(64 << 10))?;
    let (mut plain, mut json) = (String::new(), String::new());
    for command in everyday_commands().iter().cycle().take(LINES) {
        let _infallible = writeln!(plain, "{command}");
        let _infallible = writeln!(json, "{}", serde_json::json!({ "command": command }));
    }
    fs::write(folder.join("commands.txt"), plain)?;
    fs::write(folder.join("commands.jsonl"), json)
}
