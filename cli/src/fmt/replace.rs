//! Replaces the text of a file, all of it or nothing.
//!
//! Invariant (never half): the new text is written beside the file and takes its place only when it is whole and on the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Puts `new` in place of `old`. Links are followed; permissions and owner stay.
///
/// # Errors
/// One line for a person; the file is then as it was.
pub(crate) fn replace(path: &Path, old: &str, new: &str) -> Result<(), String> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    let data = fs::metadata(&real).map_err(|error| error.to_string())?;
    if data.permissions().mode() & 0o222 == 0 {
        return Err("it is read-only".to_owned());
    }
    // Where the permissions let somebody read and not write, replacing the file would go around them.
    OpenOptions::new()
        .write(true)
        .open(&real)
        .map_err(|error| reason(&error))?;
    let beside = beside(&real).ok_or("it has no name")?;
    let result = try_replace(&real, &beside, &data, old, new);
    if result.is_err() {
        // What cannot be removed either is named for what it is.
        let _gone = fs::remove_file(&beside);
    }
    result
}

/// Writes a file that is not there yet.
///
/// # Errors
/// One line for a person; there is no such file then.
pub(super) fn create(path: &Path, text: &str) -> Result<(), String> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|error| reason(&error))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| {
        let _gone = fs::remove_file(path);
        reason(&error)
    })
}

fn try_replace(real: &Path, beside: &Path, data: &fs::Metadata, old: &str, new: &str) -> Result<(), String> {
    let written = write_beside(beside, data, new).map_err(|error| reason(&error));
    written.map_err(|why| format!("beside it: {why}"))?;
    // Somebody may have saved the file in the meantime.
    if fs::read(real).map_err(|error| reason(&error))? != old.as_bytes() {
        return Err("it has changed since it was read".to_owned());
    }
    fs::rename(beside, real).map_err(|error| reason(&error))?;
    // The name is on the disk once its directory is; a file system that cannot say so has replaced the file all the same.
    if let Some(directory) = real.parent() {
        let _synced = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}

fn write_beside(beside: &Path, data: &fs::Metadata, new: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(beside)?;
    file.write_all(new.as_bytes())?;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (data.uid(), data.gid()) {
        std::os::unix::fs::fchown(&file, Some(data.uid()), Some(data.gid()))?;
    }
    // Behind the owner, since a change of owner takes bits away.
    file.set_permissions(fs::Permissions::from_mode(data.mode() & 0o7777))?;
    file.sync_all()
}

/// A name that nothing has, in the same directory.
fn beside(real: &Path) -> Option<PathBuf> {
    let name = real.file_name()?.to_string_lossy();
    Some(real.with_file_name(format!(".{name}.{}.new", std::process::id())))
}

fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}
