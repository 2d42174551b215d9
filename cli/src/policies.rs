//! Which policy decides: found, read and compiled, or taken from the cache.
//!
//! The cache holds compiled plans by the hash of the texts that they were made of. It is ignored when in doubt: another owner, other
//! permissions, another version of the engine, a text that has changed.

use std::path::{Path, PathBuf};

use engine_policy::{Diagnostic, Files, Level, Loaded, Plan, Root, Sources, load};

use crate::exit::Exit;
use crate::{out, report, world};

/// The plan of `builtin:base`, compiled when the binary was built.
const BASE_PLAN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.plan"));

/// Reads policy files from disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DiskFiles;

impl Files for DiskFiles {
    fn text(&self, path: &str) -> Result<String, String> {
        // A pipe would be waited for.
        let data = std::fs::metadata(path).map_err(|error| reason(&error))?;
        if !data.is_file() && !data.is_dir() {
            return Err("it is no regular file".to_owned());
        }
        let bytes = std::fs::read(path).map_err(|error| reason(&error))?;
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the standard library adds kinds; its own text serves for those"
)]
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// Names of policy files in a directory, the first that exists counts. One that is there and cannot be read counts, too, so that a
/// policy never ends silently.
fn in_directory(directory: &Path, stem: &str) -> Option<PathBuf> {
    ["kdl", "toml"]
        .iter()
        .map(|ending| directory.join(format!("{stem}.{ending}")))
        .find(|path| match path.symlink_metadata() {
            Ok(_) => true,
            Err(error) => !matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ),
        })
}

/// The policy files that decide in a project when none is named: the user's, the project's, the project's local one.
pub(crate) fn found(project: &str) -> Vec<String> {
    let engine = Path::new(project).join(".engine");
    let user = world::config_directory().and_then(|directory| in_directory(&directory, "policy"));
    [
        user,
        in_directory(&engine, "policy"),
        in_directory(&engine, "policy.local"),
    ]
    .into_iter()
    .flatten()
    .filter_map(|path| path.to_str().map(str::to_owned))
    .collect()
}

/// The policy for a project: the named files, else the found ones, else the shipped one. Every problem is printed.
pub(crate) fn policy(named: &[String], project: &str) -> Result<Plan, Exit> {
    let files = if named.is_empty() {
        found(project)
    } else {
        named.to_vec()
    };
    if files.is_empty() {
        return Plan::from_bytes(BASE_PLAN).ok_or(Exit::Internal);
    }
    if let Some(plan) = cache::find(&files) {
        return Ok(plan);
    }
    let mut loaded = read(&files);
    let plan = loaded.compile();
    report(&loaded.diagnostics, &loaded.sources);
    let plan = plan.ok_or(Exit::Invalid)?;
    // A plan with warnings is not kept, so that they are seen each time.
    if loaded.diagnostics.is_empty() {
        cache::keep(&files, &loaded, &plan);
    }
    Ok(plan)
}

/// Reads policy files and what they build on.
pub(crate) fn read(files: &[String]) -> Loaded {
    let roots: Vec<Root> = files.iter().map(|file| Root::File(file.clone())).collect();
    load(&roots, &DiskFiles)
}

/// Prints problems to standard error; returns how many are errors.
pub(crate) fn report(diagnostics: &[Diagnostic], sources: &Sources) -> usize {
    for diagnostic in diagnostics {
        out::complain(&format!("{}\n", report::problem(diagnostic, sources)));
    }
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.level == Level::Error)
        .count()
}

mod cache {
    //! Compiled plans on disk.

    use std::fs;
    use std::hash::Hasher as _;
    use std::io::Write as _;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
    use std::path::{Path, PathBuf};

    use engine_policy::{Loaded, Plan, digest};
    use rustc_hash::FxHasher;

    use crate::world;

    /// First line of a cached plan: changes with every format.
    const MAGIC: &str = concat!(
        "engine plan ",
        env!("CARGO_PKG_VERSION"),
        " ",
        env!("ENGINE_BUILD"),
        "\n"
    );

    fn place(files: &[String]) -> Option<PathBuf> {
        let absolute: Option<Vec<String>> = files
            .iter()
            .map(|file| {
                std::path::absolute(file)
                    .ok()
                    .and_then(|path| path.to_str().map(str::to_owned))
            })
            .collect();
        let name = digest(absolute?.join("\0").as_bytes());
        Some(
            world::cache_directory()?
                .join("plans")
                .join(format!("{name}.plan")),
        )
    }

    /// The plan that was kept for these files, if every text is still the same.
    pub(super) fn find(files: &[String]) -> Option<Plan> {
        let path = place(files)?;
        let data = fs::symlink_metadata(&path).ok()?;
        let own = rustix::process::geteuid().as_raw();
        if !data.is_file() || data.uid() != own || data.mode() & 0o077 != 0 {
            return None;
        }
        // The plan is used as long as the program runs, and so are its bytes.
        let bytes: &'static [u8] = fs::read(&path).ok()?.leak();
        let rest = bytes.strip_prefix(MAGIC.as_bytes())?;
        // A sum of everything after it, then a line for each text, then the plan.
        let (own, rest) = rest.split_at_checked(size_of::<u64>())?;
        if own != sum(rest) {
            return None;
        }
        let end = rest.windows(2).position(|pair| pair == b"\n\n")?;
        let (head, plan) = rest.split_at_checked(end)?;
        for line in std::str::from_utf8(head).ok()?.lines() {
            let (sum, file) = line.split_once(' ')?;
            if !fs::metadata(file).ok()?.is_file() || digest(&fs::read(file).ok()?) != sum {
                return None;
            }
        }
        Plan::from_bytes(plan.get(2..)?)
    }

    /// Tells a file that was not written to its end. That nobody else wrote it is known from its owner and permissions, and which
    /// texts it was made of from their digests.
    fn sum(bytes: &[u8]) -> [u8; size_of::<u64>()] {
        let mut hasher = FxHasher::default();
        hasher.write(bytes);
        hasher.write_usize(bytes.len());
        hasher.finish().to_le_bytes()
    }

    /// Keeps a plan. Failing to is no failure: the next run compiles again.
    pub(super) fn keep(files: &[String], loaded: &Loaded, plan: &Plan) {
        let _kept = try_keep(files, loaded, plan);
    }

    fn try_keep(files: &[String], loaded: &Loaded, plan: &Plan) -> Option<()> {
        let path = place(files)?;
        let directory = path.parent()?;
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .ok()?;
        let mut rest = Vec::new();
        for source in loaded
            .sources
            .iter()
            .filter(|source| !source.name.starts_with("builtin:"))
        {
            let file = std::path::absolute(Path::new(&*source.name)).ok()?;
            let line = format!("{} {}\n", digest(source.text.as_bytes()), file.to_str()?);
            if line.matches('\n').count() != 1 {
                return None;
            }
            rest.extend_from_slice(line.as_bytes());
        }
        rest.push(b'\n');
        rest.extend_from_slice(&plan.to_bytes()?);
        let temporary = directory.join(format!(".{}.{}", std::process::id(), path.file_name()?.to_str()?));
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .ok()?;
        let written = file
            .write_all(MAGIC.as_bytes())
            .and_then(|()| file.write_all(&sum(&rest)))
            .and_then(|()| file.write_all(&rest));
        if written.and_then(|()| fs::rename(&temporary, &path)).is_err() {
            let _gone = fs::remove_file(&temporary);
        }
        Some(())
    }
}
