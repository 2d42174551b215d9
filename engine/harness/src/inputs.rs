//! Texts from files: one JSON object a line, with the text under `command`.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

/// The commands of one file, or of every `*.jsonl` file of a folder in the order of their names.
pub(crate) fn read_commands(path: &Path) -> io::Result<Vec<String>> {
    if path.is_dir() {
        let mut files: Vec<_> = fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        let mut commands = Vec::new();
        for file in files {
            commands.extend(read_commands(&file)?);
        }
        return Ok(commands);
    }
    let text = fs::read_to_string(path).map_err(|error| in_file(path, &error.to_string()))?;
    let mut commands = Vec::new();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let problem = |what: &str| in_file(path, &format!("line {}: {what}", index + 1));
        let value: Value = serde_json::from_str(line).map_err(|error| problem(&error.to_string()))?;
        let command = value.get("command").and_then(Value::as_str);
        commands.push(command.ok_or_else(|| problem("no `command`"))?.to_owned());
    }
    Ok(commands)
}

fn in_file(path: &Path, what: &str) -> io::Error {
    io::Error::other(format!("{}: {what}", path.display()))
}

/// Writes violations in the form that fixtures have.
pub(crate) fn save_commands(path: &Path, commands: &[(String, String)]) -> io::Result<()> {
    let mut text = String::new();
    for (command, note) in commands {
        text.push_str(&serde_json::json!({ "command": command, "note": note }).to_string());
        text.push('\n');
    }
    fs::write(path, text)
}
