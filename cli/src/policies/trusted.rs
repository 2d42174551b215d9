//! Which files of projects a person has trusted: one small file for each, owned by that person.
//!
//! Invariant (by content): what is trusted is a project's layer with exactly these texts; the name of a record is the digest of all
//! that, so that any change finds no record.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use engine_policy::{Layer, digest};
use serde_json::{Value as Json, json};

use crate::replace::{Kept, put};
use crate::world;

/// The records of one person.
#[derive(Clone, Debug)]
pub(crate) struct Trusted {
    /// Where they are, or why they are nowhere.
    directory: Result<PathBuf, String>,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The project.
    pub project: String,
    /// The layer.
    pub layer: String,
    /// Its files.
    pub files: Vec<String>,
    path: PathBuf,
}

impl Trusted {
    /// The records of the person who runs the engine: `$XDG_DATA_HOME/engine/trusted` or `~/.local/share/engine/trusted`. There are none
    /// where that lies in the project: whoever works on it could write them.
    pub(crate) fn of_person(project: &str) -> Self {
        let directory = match world::data_directory() {
            None => Err(
                "the home directory is not known, so trust is kept nowhere; set `HOME` or `XDG_DATA_HOME` to a directory that is yours"
                    .to_owned(),
            ),
            Some(directory) if world::lies_in(&directory, project) => Err(format!(
                "{} lies in the project, where whoever works on it could write, so trust is kept nowhere; set `XDG_DATA_HOME` to a \
                 directory outside",
                directory.display()
            )),
            Some(directory) => Ok(directory.join("trusted")),
        };
        Self { directory }
    }

    /// The name of the record for a layer of a project with these texts.
    pub(crate) fn name(project: &str, layer: Layer, texts: &str) -> String {
        let real = fs::canonicalize(project).ok();
        let project = real.as_deref().and_then(Path::to_str).unwrap_or(project);
        digest(format!("{} {project} {} {texts}", project.len(), layer.as_str()).as_bytes())
    }

    /// Whether there is a record of this name that only its person can have written.
    pub(crate) fn has(&self, name: &str) -> bool {
        let own = rustix::process::geteuid().as_raw();
        self.directory.as_ref().is_ok_and(|directory| {
            let directory_is_own = fs::symlink_metadata(directory)
                .is_ok_and(|data| data.is_dir() && data.uid() == own && data.mode() & 0o022 == 0);
            directory_is_own
                && fs::symlink_metadata(directory.join(name))
                    .is_ok_and(|data| data.is_file() && data.uid() == own && data.mode() & 0o022 == 0)
        })
    }

    /// Writes a record.
    ///
    /// # Errors
    /// One line for a person.
    pub(crate) fn add(
        &self,
        name: &str,
        project: &str,
        layer: Layer,
        files: &[String],
    ) -> Result<(), String> {
        let directory = self.directory.as_ref().map_err(Clone::clone)?;
        let failed = |error: std::io::Error| {
            format!(
                "cannot write in {}, where trust is kept: {error}; make it a directory that you alone can write, or set `XDG_DATA_HOME` to \
                 one",
                directory.display()
            )
        };
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(failed)?;
        let text = json!({ "project": project, "layer": layer.as_str(), "files": files }).to_string();
        put(&directory.join(name), text.as_bytes(), 0o600, Kept::Always).map_err(failed)?;
        if self.has(name) {
            Ok(())
        } else {
            Err(format!(
                "{0} does not belong to you alone, so trust that is kept there does not count; `chmod 700 {0}` takes it from others",
                directory.display()
            ))
        }
    }

    /// Every record, by project.
    pub(crate) fn all(&self) -> Vec<Record> {
        let Some(entries) = self
            .directory
            .as_ref()
            .ok()
            .and_then(|directory| fs::read_dir(directory).ok())
        else {
            return Vec::new();
        };
        let mut records: Vec<Record> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let name = path.file_name()?.to_str()?;
                if name.starts_with('.') {
                    return None;
                }
                let json: Json = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
                let text = |key: &str| json.get(key).and_then(Json::as_str).map(str::to_owned);
                Some(Record {
                    project: text("project")?,
                    layer: text("layer")?,
                    files: json
                        .get("files")?
                        .as_array()?
                        .iter()
                        .filter_map(|file| file.as_str().map(str::to_owned))
                        .collect(),
                    path,
                })
            })
            .collect();
        records.sort_by(|a, b| (&a.project, &a.layer, &a.path).cmp(&(&b.project, &b.layer, &b.path)));
        records
    }

    /// Removes every record of a project; returns how many there were.
    ///
    /// # Errors
    /// One line for a person.
    pub(crate) fn remove(&self, project: &str) -> Result<usize, String> {
        let mut count = 0;
        for record in self.all().into_iter().filter(|record| record.project == project) {
            fs::remove_file(&record.path).map_err(|error| {
                format!(
                    "cannot remove {}: {error}; the project is trusted until that file is gone",
                    record.path.display()
                )
            })?;
            count += 1;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use engine_policy::Layer;

    use super::Trusted;

    fn store() -> (tempfile::TempDir, Trusted) {
        let directory = tempfile::tempdir().expect("a directory");
        let trusted = Trusted {
            directory: Ok(directory.path().join("trusted")),
        };
        (directory, trusted)
    }

    #[test]
    fn what_was_recorded_is_trusted_and_nothing_else() {
        let (_directory, trusted) = store();
        let name = |project: &str, layer, texts: &str| Trusted::name(project, layer, texts);
        let own = name("/p", Layer::Project, "one");
        assert!(!trusted.has(&own));
        trusted
            .add(&own, "/p", Layer::Project, &["policy.kdl".to_owned()])
            .expect("a record");
        assert!(trusted.has(&own));
        assert!(!trusted.has(&name("/p", Layer::Project, "other")));
        assert!(!trusted.has(&name("/p", Layer::Local, "one")));
        assert!(!trusted.has(&name("/q", Layer::Project, "one")));
        assert_eq!(trusted.all().len(), 1);
        assert_eq!(trusted.remove("/p"), Ok(1));
        assert!(!trusted.has(&own));
    }

    #[test]
    fn a_record_that_others_can_write_does_not_count() {
        let (directory, trusted) = store();
        trusted.add("name", "/p", Layer::Project, &[]).expect("a record");
        let file = directory.path().join("trusted/name");
        fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("a mode");
        assert!(!trusted.has("name"));
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
        fs::set_permissions(directory.path().join("trusted"), Permissions::from_mode(0o777)).expect("a mode");
        assert!(!trusted.has("name"));
    }
}
