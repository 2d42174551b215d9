//! Compiled plans on disk, by the texts that they were made of and by who is trusted.
//!
//! The cache is ignored when in doubt: another owner, other permissions, a directory that others can write or that lies in the project,
//! another version of the engine, a plan that was made for another place, a text that has changed, a file of the machine that others
//! can write by now, trust that was given or taken.

use std::fs;
use std::hash::Hasher as _;
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use engine_policy::{Layer, Loaded, Plan, digest};
use rustc_hash::FxHasher;

use super::{Found, Trusted};
use crate::replace::{Kept, put};
use crate::world;

/// Begins a line that says whether a record of trust was there; the others begin with the layer of a text.
const TRUST: &str = "trust";

/// First line of a cached plan: changes with every format.
const MAGIC: &str = concat!(
    "engine plan ",
    env!("CARGO_PKG_VERSION"),
    " ",
    env!("ENGINE_BUILD"),
    "\n"
);

fn place(found: &Found) -> Option<PathBuf> {
    let mut name = found.project.clone();
    for (layer, file) in &found.files {
        name.push('\0');
        name.push_str(layer.as_str());
        name.push('\0');
        name.push_str(std::path::absolute(file).ok()?.to_str()?);
    }
    for outer in &found.outer {
        name.push_str("\0outer\0");
        name.push_str(outer);
    }
    let cache = world::cache_directory()?;
    // Whoever works on the project could write whatever plan they like.
    if world::lies_in(&cache, &found.project) {
        return None;
    }
    Some(
        cache
            .join("plans")
            .join(format!("{}.plan", digest(name.as_bytes()))),
    )
}

/// The name of a place, without the ending.
fn key(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

/// The plan that was kept for these files, if every text is still the same.
pub(super) fn find(found: &Found) -> Option<Plan> {
    let path = place(found)?;
    if !world::is_private(path.parent()?) {
        return None;
    }
    // What is looked at is what is read; no link is followed, and no pipe waited for.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).ok()?)
        .open(&path)
        .ok()?;
    let data = file.metadata().ok()?;
    let own = rustix::process::geteuid().as_raw();
    if !data.is_file() || data.uid() != own || data.mode() & 0o077 != 0 || data.nlink() != 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    // The plan is used as long as the program runs, and so are its bytes.
    let bytes: &'static [u8] = bytes.leak();
    let rest = bytes.strip_prefix(MAGIC.as_bytes())?;
    // A sum of everything after it, then a line for each text, then the plan.
    let (own, rest) = rest.split_at_checked(size_of::<u64>())?;
    if own != sum(rest) {
        return None;
    }
    let end = rest.windows(2).position(|pair| pair == b"\n\n")?;
    let (head, plan) = rest.split_at_checked(end)?;
    let trusted = Trusted::of_person(&found.project);
    let mut lines = std::str::from_utf8(head).ok()?.lines();
    // A plan that was made for another place may say the same of its own files.
    if lines.next()? != key(&path)? {
        return None;
    }
    for line in lines {
        let (layer, rest) = line.split_once(' ')?;
        let (sum, rest) = rest.split_once(' ')?;
        match Layer::ALL.into_iter().find(|own| own.as_str() == layer) {
            Some(layer) => {
                if digest(found.reader(layer).text(rest).ok()?.as_bytes()) != sum {
                    return None;
                }
            }
            None if layer == TRUST => {
                if trusted.has(sum) != (rest == "yes") {
                    return None;
                }
            }
            None => return None,
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
pub(super) fn keep(found: &Found, loaded: &Loaded, plan: &Plan) {
    let _kept = try_keep(found, loaded, plan);
}

fn try_keep(found: &Found, loaded: &Loaded, plan: &Plan) -> Option<()> {
    let path = place(found)?;
    let directory = path.parent()?;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .ok()?;
    if !world::is_private(directory) {
        return None;
    }
    let mut rest = format!("{}\n", key(&path)?).into_bytes();
    for layer in &loaded.layers {
        let own = loaded
            .sources
            .iter()
            .take(layer.sources.end)
            .skip(layer.sources.start);
        for source in own.filter(|source| !source.name.starts_with("builtin:")) {
            let file = std::path::absolute(Path::new(&*source.name)).ok()?;
            let sum = digest(source.text.as_bytes());
            rest.extend_from_slice(line(layer.standing.layer.as_str(), &sum, file.to_str()?)?.as_bytes());
        }
        if layer.standing.layer.needs_trust() {
            let name = Trusted::name(&found.project, layer.standing.layer, &layer.digest);
            let says = if layer.standing.trusted { "yes" } else { "no" };
            rest.extend_from_slice(line(TRUST, &name, says)?.as_bytes());
        }
    }
    rest.push(b'\n');
    rest.extend_from_slice(&plan.to_bytes()?);
    let whole = [MAGIC.as_bytes(), &sum(&rest), &rest].concat();
    put(&path, &whole, 0o600, Kept::Usually).ok()
}

/// One line of the head; `None` where a name would break it.
fn line(kind: &str, sum: &str, rest: &str) -> Option<String> {
    (!rest.contains('\n')).then(|| format!("{kind} {sum} {rest}\n"))
}
