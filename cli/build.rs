//! Compiles the shipped `builtin:base` into a plan that the binary holds, so that no policy text is read when nobody wrote one, turns
//! what is known of clients into tables, and stamps the build so that no other build's cached plan is taken.

#[path = "build/clients.rs"]
mod clients;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use engine_policy::{Files, Root, digest, load};

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("a shipped policy names no file".to_owned())
    }
}

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let mut loaded = load(&[Root::Shipped("builtin:base")], &NoFiles);
    let plan = loaded.compile().ok_or_else(|| {
        let lines: Vec<String> = loaded
            .diagnostics
            .iter()
            .map(|problem| {
                let place = problem
                    .labels
                    .first()
                    .map(|(place, _)| *place)
                    .unwrap_or_default();
                let at = loaded.sources.line_column(place);
                format!(
                    "{}:{}:{}: {}",
                    loaded.sources.name(place),
                    at.line,
                    at.column,
                    problem.message
                )
            })
            .collect();
        lines.join("\n")
    })?;
    let bytes = plan.to_bytes().ok_or("the plan cannot be written")?;
    println!(
        "cargo::rustc-env=ENGINE_BUILD={}",
        sources()?.get(..16).unwrap_or_default()
    );
    start_faster();
    let target = env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    let target = Path::new(&target);
    fs::write(target.join("base.plan"), bytes).map_err(|error| error.to_string())?;
    fs::write(target.join("init.rs"), kinds()?).map_err(|error| error.to_string())?;
    let known = Path::new("../tooldefs/clients");
    println!("cargo::rerun-if-changed={}", known.display());
    fs::write(target.join("clients.rs"), clients::tables(known)?).map_err(|error| error.to_string())
}

/// A digest of everything that the binaries are made of: the two of another build may decide the same call differently.
fn sources() -> Result<String, String> {
    let mut files = Vec::new();
    for place in ["src", "../engine", "../tooldefs", "../policies", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed={place}");
        files_below(Path::new(place), &mut files).map_err(|error| format!("{place}: {error}"))?;
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        all.extend_from_slice(file.as_os_str().as_encoded_bytes());
        all.extend_from_slice(digest(&text).as_bytes());
    }
    Ok(digest(&all))
}

fn files_below(place: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !place.is_dir() {
        files.push(place.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(place)? {
        files_below(&entry?.path(), files)?;
    }
    Ok(())
}

/// The kinds of projects that `engine init` knows, as a list of names and texts.
fn kinds() -> Result<String, String> {
    let directory = Path::new("../policies/init")
        .canonicalize()
        .map_err(|error| error.to_string())?;
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut files: Vec<_> = fs::read_dir(&directory)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "kdl"))
        .collect();
    files.sort();
    let items: Vec<String> = files
        .iter()
        .filter_map(|path| Some((path.file_stem()?.to_str()?, path.to_str()?)))
        .map(|(name, path)| format!("({name:?}, include_str!({path:?}))"))
        .collect();
    Ok(format!(
        "/// Name and text of each file.\nconst FILES: &[(&str, &str)] = &[{}];\n",
        items.join(", ")
    ))
}

/// Lets the linker take the unwinder as an archive where the C compiler has it: loading it as a library is a tenth of the time that a
/// short run takes.
#[expect(clippy::disallowed_methods, reason = "a build asks its own surroundings")]
fn start_faster() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|own| own == value);
    if !is("CARGO_CFG_TARGET_OS", "linux")
        || !is("CARGO_CFG_TARGET_ENV", "gnu")
        || env::var("HOST") != env::var("TARGET")
    {
        return;
    }
    let found = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    if found.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with('/')) {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
