//! Lists the shipped tool definitions and prompts, so that the library can embed them.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tooldefs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut stdout = io::stdout();
    let mut list = String::new();
    for (table, directory, extension) in [("TOOLS", "tools", "kdl"), ("PROMPTS", "prompts", "md")] {
        let directory = root.join(directory);
        writeln!(stdout, "cargo::rerun-if-changed={}", directory.display())?;
        let mut files: Vec<PathBuf> = fs::read_dir(&directory)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.retain(|path| path.extension().is_some_and(|found| found == extension));
        files.sort();
        writeln!(list, "pub(super) static {table}: &[(&str, &str)] = &[")?;
        for path in files {
            let path = path.canonicalize()?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            writeln!(
                list,
                "    ({name:?}, include_str!({:?})),",
                path.display().to_string()
            )?;
        }
        writeln!(list, "];")?;
    }
    fs::write(out.join("shipped.rs"), list)?;
    Ok(())
}
