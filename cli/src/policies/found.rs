//! Which policy files take part: those of the machine, and those that are named, or else the person's, the project's, and those of
//! projects around it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_policy::{Layer, LayerRoot, Root};

use super::files::{DiskFiles, ManagedFiles, ProjectFiles};
use crate::world;

/// Where the policies of the machine stand: `policy.kdl` (or `.toml`) and everything in `policy.d`.
pub(crate) const MANAGED: &str = "/etc/engine";

/// The policies that somebody names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// Instead of the person's and the project's.
    pub only: Vec<String>,
    /// Besides those.
    pub with: Vec<String>,
}

/// The files that take part, each with its layer.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The project.
    pub project: String,
    /// The files, the weakest layer first.
    pub files: Vec<(Layer, String)>,
    /// The projects that it lies in, and others that count as such.
    pub outer: Vec<String>,
    /// Whether policies were named that count instead of the person's and the project's.
    pub is_named: bool,
    disk: DiskFiles,
    managed: ManagedFiles,
    own: ProjectFiles,
    /// How each file of a project around is read, in the order of the files.
    around: Vec<ProjectFiles>,
}

impl Found {
    /// The files for a project.
    pub(crate) fn of(named: &Named, project: &str) -> Self {
        Self::besides(named, project, &[])
    }

    /// The files for a project, where those of other directories count as if they lay around it.
    pub(crate) fn besides(named: &Named, project: &str, others: &[&str]) -> Self {
        let mut around = Vec::new();
        let mut files = Vec::new();
        let others: Vec<PathBuf> = others
            .iter()
            .flat_map(|other| [vec![PathBuf::from(other)], world::above(other)].concat())
            .collect();
        let mut outer = world::above(project);
        for other in others {
            if !outer.contains(&other) {
                outer.push(other);
            }
        }
        outer.retain(|directory| directory.as_path() != Path::new(project));
        let mut add = |layer: Layer, paths: &mut dyn Iterator<Item = PathBuf>| {
            // What has no name as text cannot be named in a message: it is read, and fails, by what is left of it.
            files.extend(paths.map(|path| (layer, path.to_string_lossy().into_owned())));
        };
        if named.only.is_empty() {
            let engine = Path::new(project).join(".engine");
            if let Some(user) = world::config_directory() {
                // What lies in the project is the project's, whatever the environment calls it.
                let layer = if world::lies_in(&user, project) {
                    Layer::Around
                } else {
                    Layer::User
                };
                for file in in_directory(&user, "policy") {
                    if layer == Layer::Around {
                        around.push(ProjectFiles {
                            project: PathBuf::from(project),
                        });
                    }
                    add(layer, &mut [file].into_iter());
                }
            }
            for outer in &outer {
                let engine = outer.join(".engine");
                if !engine.is_dir() {
                    continue;
                }
                for file in in_directory(&engine, "policy").chain(in_directory(&engine, "policy.local")) {
                    around.push(ProjectFiles {
                        project: outer.clone(),
                    });
                    add(Layer::Around, &mut [file].into_iter());
                }
            }
            add(Layer::Project, &mut in_directory(&engine, "policy"));
            add(Layer::Local, &mut in_directory(&engine, "policy.local"));
        }
        let is_named = !named.only.is_empty();
        let named = named.only.iter().chain(&named.with);
        add(Layer::CommandLine, &mut named.map(PathBuf::from));
        add(Layer::Managed, &mut managed(Path::new(MANAGED)).into_iter());
        Self {
            project: project.to_owned(),
            outer: if files.is_empty() {
                Vec::new()
            } else {
                outer
                    .iter()
                    .filter(|directory| world::is_project(directory))
                    .filter_map(|directory| directory.to_str().map(str::to_owned))
                    .collect()
            },
            files,
            is_named,
            disk: DiskFiles,
            managed: ManagedFiles::of_machine(),
            own: ProjectFiles {
                project: PathBuf::from(project),
            },
            around,
        }
    }

    /// How the files of a layer are read. Those of projects around are loaded by their own rules.
    pub(crate) fn reader(&self, layer: Layer) -> &dyn engine_policy::Files {
        match layer {
            Layer::Builtin | Layer::User | Layer::Around | Layer::CommandLine => &self.disk,
            Layer::Project | Layer::Local => &self.own,
            Layer::Managed => &self.managed,
        }
    }

    /// The same for loading.
    pub(crate) fn roots(&self) -> Vec<LayerRoot<'_>> {
        let mut around = self.around.iter();
        self.files
            .iter()
            .map(|(layer, file)| {
                let outer = if *layer == Layer::Around {
                    around.next()
                } else {
                    None
                };
                LayerRoot {
                    layer: *layer,
                    root: Root::File(file.clone()),
                    files: outer.map_or(self.reader(*layer), |outer| outer),
                    within: match outer {
                        Some(outer) => Some(outer.project.to_string_lossy().into_owned()),
                        None => layer.needs_trust().then(|| self.project.clone()),
                    },
                }
            })
            .collect()
    }
}

/// The policies of the machine, in the order of their names.
fn managed(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = in_directory(directory, "policy").collect();
    let more = directory.join("policy.d");
    match std::fs::read_dir(&more) {
        Ok(entries) => {
            let mut own: Vec<PathBuf> = Vec::new();
            for entry in entries {
                let Ok(entry) = entry else {
                    own.push(more.clone());
                    continue;
                };
                let path = entry.path();
                if path
                    .extension()
                    .is_some_and(|ending| ending == "kdl" || ending == "toml")
                {
                    own.push(path);
                }
            }
            own.sort();
            files.extend(own);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        // It is there and cannot be listed: reading it says why, and nothing is decided.
        Err(_) => files.push(more.join("policy.kdl")),
    }
    files
}

fn is_nothing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The policy files of a name in a directory, in either spelling. One that is there and cannot be read counts, too, so that a
/// policy never ends silently.
fn in_directory(directory: &Path, stem: &str) -> impl Iterator<Item = PathBuf> {
    ["kdl", "toml"]
        .map(|ending| directory.join(format!("{stem}.{ending}")))
        .into_iter()
        .filter(|path| match path.symlink_metadata() {
            Ok(_) => true,
            Err(error) => !is_nothing(&error),
        })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::managed;

    #[test]
    fn policies_of_the_machine_are_one_file_and_a_directory_in_order() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        assert!(managed(directory.path()).is_empty());
        fs::create_dir(at("policy.d")).expect("a directory");
        for name in [
            "policy.toml",
            "tools.usage.kdl",
            "policy.d/20.kdl",
            "policy.d/10.toml",
            "policy.d/notes.md",
        ] {
            fs::write(at(name), "").expect("a file");
        }
        let found = managed(directory.path());
        assert_eq!(
            found,
            [at("policy.toml"), at("policy.d/10.toml"), at("policy.d/20.kdl")]
        );
    }
}
