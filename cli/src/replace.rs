//! Writes files, all of one or nothing.
//!
//! Invariant (never half): the new text is written beside the file and takes its place only when it is whole.

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

/// Whether a file must be there after the machine has stopped without warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is written to the disk before it takes its place.
    Always,
    /// Whoever reads it sees what is not whole, and does without.
    Usually,
}

/// Puts a file of these permissions in its place, whether or not there is one; a link in its place is replaced and not followed.
///
/// # Errors
/// What the machine says; there is what was there before then.
pub(crate) fn put(path: &Path, bytes: &[u8], mode: u32, kept: Kept) -> io::Result<()> {
    let beside = beside(path).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&beside)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| match kept {
            Kept::Always => file.sync_all(),
            Kept::Usually => Ok(()),
        })
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _gone = fs::remove_file(&beside);
    }
    written
}

/// Writes a file that is not there yet.
///
/// # Errors
/// One line for a person; there is no such file then.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::{Kept, put};

    #[test]
    fn a_file_is_put_where_none_or_another_was() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("a");
        for (text, kept) in [("one", Kept::Always), ("two", Kept::Usually)] {
            put(&path, text.as_bytes(), 0o600, kept).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        let mode = fs::metadata(&path).expect("data").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }

    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().expect("a directory");
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&other, "other").expect("a file");
        symlink(&other, &path).expect("a link");
        put(&path, b"own", 0o644, Kept::Always).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "own");
        assert_eq!(fs::read_to_string(&other).expect("a file"), "other");
    }

    #[test]
    fn what_cannot_be_put_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("a");
        fs::create_dir(&path).expect("a directory");
        put(&path, b"own", 0o644, Kept::Always).expect_err("a directory is there");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
}
