//! How the files of each layer are read, and what must hold of them before they count.
//!
//! Invariant (what is checked is what is read): owner, permissions and kind are asked of the open file, never of its name.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use engine_policy::Files;

/// Bits of a mode that let others than the owner write.
const OTHERS_WRITE: u32 = 0o022;

/// Reads files as the person who runs the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DiskFiles;

impl Files for DiskFiles {
    fn text(&self, path: &str) -> Result<String, String> {
        text_of(open(Path::new(path))?)
    }
}

/// Files of a project: none of them is a link that leads out of it, since whoever wrote the project would have other files read.
#[derive(Clone, Debug)]
pub(crate) struct ProjectFiles {
    /// The project.
    pub project: PathBuf,
}

impl Files for ProjectFiles {
    fn text(&self, path: &str) -> Result<String, String> {
        let real = fs::canonicalize(path).map_err(|error| reason(&error))?;
        let project = fs::canonicalize(&self.project).map_err(|error| reason(&error))?;
        if !real.starts_with(&project) {
            return Err("it lies outside the project, or is a link that leads there".to_owned());
        }
        text_of(open(&real)?)
    }
}

/// Files of the machine: they and every directory on the way belong to the administrator, and nobody else can write them.
#[derive(Clone, Debug)]
pub(crate) struct ManagedFiles {
    /// The user that must own them.
    pub owner: u32,
    /// The directory from which on every directory on the way is looked at.
    pub top: PathBuf,
}

impl ManagedFiles {
    /// The ones of this machine.
    pub(crate) fn of_machine() -> Self {
        Self {
            owner: 0,
            top: PathBuf::from("/"),
        }
    }

    fn check(&self, what: &Path, data: &fs::Metadata) -> Result<(), String> {
        let what = what.display();
        if data.uid() != self.owner {
            return Err(format!(
                "{what} belongs to the user {}, who could change it; policies of the machine belong to {}",
                data.uid(),
                if self.owner == 0 {
                    "root".to_owned()
                } else {
                    self.owner.to_string()
                }
            ));
        }
        if data.mode() & OTHERS_WRITE != 0 {
            return Err(format!(
                "{what} can be written by others than its owner (mode {:o}); take that away with `chmod go-w {what}`",
                data.mode() & 0o7777
            ));
        }
        Ok(())
    }
}

impl Files for ManagedFiles {
    fn text(&self, path: &str) -> Result<String, String> {
        let path = Path::new(path);
        for directory in path
            .ancestors()
            .skip(1)
            .take_while(|directory| directory.starts_with(&self.top))
        {
            let data = fs::symlink_metadata(directory).map_err(|error| reason(&error))?;
            if data.is_symlink() {
                return Err(format!("{} is a link", directory.display()));
            }
            self.check(directory, &data)?;
        }
        let file = open_as(path, rustix::fs::OFlags::NOFOLLOW.bits())?;
        let data = file.metadata().map_err(|error| reason(&error))?;
        self.check(path, &data)?;
        text_of(file)
    }
}

fn open(path: &Path) -> Result<File, String> {
    open_as(path, 0)
}

fn open_as(path: &Path, flags: u32) -> Result<File, String> {
    // A pipe would be waited for.
    let flags = flags | rustix::fs::OFlags::NONBLOCK.bits();
    let opened = fs::OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags).unwrap_or_default())
        .open(path);
    opened.map_err(|error| {
        // Source: open(2), `O_NOFOLLOW`.
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            "it is a link".to_owned()
        } else {
            reason(&error)
        }
    })
}

fn text_of(mut file: File) -> Result<String, String> {
    let data = file.metadata().map_err(|error| reason(&error))?;
    if data.is_dir() {
        return Err("it is a directory".to_owned());
    }
    if !data.is_file() {
        return Err("it is no regular file".to_owned());
    }
    // One byte more than any policy has is enough to see that it is too long, and one more than it says shows that it ends there.
    let most = engine_policy::read::MAX_TEXT_BYTES as u64 + 1;
    let likely = usize::try_from(data.len().min(most)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(likely + 1);
    file.by_ref()
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| reason(&error))?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the standard library adds kinds; its own text serves for those"
)]
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use engine_policy::Files as _;
    use tempfile::TempDir;

    use super::{ManagedFiles, ProjectFiles};

    /// A directory of the machine with one policy, and what reads it.
    fn machine() -> (TempDir, ManagedFiles, String) {
        let directory = tempfile::tempdir().expect("a directory");
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).expect("a mode");
        let file = directory.path().join("policy.kdl");
        fs::write(&file, "allow { }").expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("a mode");
        let owner = file.metadata().expect("a file").uid();
        let files = ManagedFiles {
            owner,
            top: directory.path().to_owned(),
        };
        let name = file.to_str().expect("a name").to_owned();
        (directory, files, name)
    }

    #[test]
    fn a_file_of_the_machine_is_read_when_only_its_owner_can_write_it() {
        let (_directory, files, name) = machine();
        assert_eq!(files.text(&name).as_deref(), Ok("allow { }"));
    }

    #[test]
    fn a_file_that_others_can_write_is_no_file_of_the_machine() {
        let (_directory, files, name) = machine();
        for mode in [0o646, 0o664, 0o666] {
            fs::set_permissions(&name, Permissions::from_mode(mode)).expect("a mode");
            let why = files.text(&name).expect_err("refused");
            assert!(why.contains("can be written by others"), "{mode:o}: {why}");
        }
    }

    #[test]
    fn a_directory_that_others_can_write_spoils_what_is_in_it() {
        let (directory, files, name) = machine();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o777)).expect("a mode");
        let why = files.text(&name).expect_err("refused");
        assert!(why.contains("can be written by others"), "{why}");
    }

    #[test]
    fn a_file_of_somebody_else_is_no_file_of_the_machine() {
        let (_directory, mut files, name) = machine();
        files.owner += 1;
        let why = files.text(&name).expect_err("refused");
        assert!(why.contains("belongs to the user"), "{why}");
    }

    #[test]
    fn a_link_is_no_file_of_the_machine() {
        let (directory, files, name) = machine();
        let link = directory.path().join("link.kdl");
        symlink(&name, &link).expect("a link");
        let why = files.text(link.to_str().expect("a name")).expect_err("refused");
        assert_eq!(why, "it is a link");
    }

    #[test]
    fn a_project_reads_no_file_through_a_link_that_leads_out() {
        let outside = tempfile::tempdir().expect("a directory");
        let project = tempfile::tempdir().expect("a directory");
        fs::write(outside.path().join("secret.kdl"), "x").expect("a file");
        fs::write(project.path().join("own.kdl"), "y").expect("a file");
        symlink(outside.path().join("secret.kdl"), project.path().join("a.kdl")).expect("a link");
        symlink(project.path().join("own.kdl"), project.path().join("b.kdl")).expect("a link");
        let files = ProjectFiles {
            project: project.path().to_owned(),
        };
        let text = |name: &str| files.text(project.path().join(name).to_str().expect("a name"));
        assert_eq!(
            text("a.kdl").expect_err("refused"),
            "it lies outside the project, or is a link that leads there"
        );
        assert_eq!(text("b.kdl").as_deref(), Ok("y"));
    }
}
