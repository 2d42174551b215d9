//! Files that look as if they were meant to be policies and that nobody reads: misspelt, in another format, or named by no policy.
//!
//! Invariant (nothing decided): what is found here is said and changes nothing.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use engine_policy::{Diagnostic, Layer, Loaded, Place, nearest};

use super::found::{Found, MANAGED, Named};
use crate::world;

/// Endings of formats that people write settings in.
const SETTINGS: &[&str] = &[
    "yaml", "yml", "json", "jsonc", "json5", "hcl", "ini", "conf", "cfg", "txt", "rego", "cedar",
];

/// Directory of the policies of the machine besides the one file.
const MORE: &str = "policy.d";

/// Names of the policies of a project, without ending.
const PROJECT: &[&str] = &["policy", "policy.local"];

/// Adds a warning for every such file of a project, of the person and of the machine, besides those that were loaded.
pub(crate) fn look(found: &Found, loaded: &mut Loaded) {
    let above = if found.is_named {
        Vec::new()
    } else {
        world::above(&found.project)
    };
    let around = above.into_iter().map(|outer| Directory {
        path: outer.join(".engine"),
        stems: PROJECT,
        layers: &[Layer::Around],
    });
    for place in places(found).into_iter().chain(around) {
        warn(&place, loaded);
    }
}

/// The same of all layers, whatever else is looked at: texts and warnings.
pub(crate) fn of_project(project: &str) -> Loaded {
    let found = Found::of(&Named::default(), project);
    let mut loaded = super::read_layers(&found);
    loaded.diagnostics.clear();
    look(&found, &mut loaded);
    loaded
}

/// The same where no policy was found: a call is not to wait for a look at each directory.
pub(super) fn look_where_nothing_is(found: &Found) -> Loaded {
    let mut loaded = Loaded::default();
    for place in places(found) {
        let has_policy = found.files.iter().any(|(layer, _)| place.layers.contains(layer));
        if !has_policy {
            warn(&place, &mut loaded);
        }
    }
    loaded
}

/// A directory in which policies are found.
struct Directory {
    path: PathBuf,
    /// Names of policies there, without ending.
    stems: &'static [&'static str],
    layers: &'static [Layer],
}

fn places(found: &Found) -> Vec<Directory> {
    let mut places = vec![Directory {
        path: PathBuf::from(MANAGED),
        stems: &["policy"],
        layers: &[Layer::Managed],
    }];
    if !found.is_named {
        places.push(Directory {
            path: Path::new(&found.project).join(".engine"),
            stems: PROJECT,
            layers: &[Layer::Project, Layer::Local],
        });
        places.extend(world::config_directory().map(|path| Directory {
            path,
            stems: &["policy"],
            layers: &[Layer::User],
        }));
    }
    places
}

fn warn(directory: &Directory, loaded: &mut Loaded) {
    for (path, help) in stray(directory) {
        let name = path.to_string_lossy();
        if loaded.sources.iter().any(|source| is_same(&source.name, &path)) {
            continue;
        }
        let Some(source) = loaded.sources.add(&name, "") else {
            return;
        };
        let place = Place {
            source,
            ..Place::default()
        };
        let message = format!("nothing reads `{name}`");
        loaded
            .diagnostics
            .push(Diagnostic::warning("policy::misplaced-file", message, place).help(help));
    }
}

fn is_same(name: &str, path: &Path) -> bool {
    Path::new(name) == path || std::path::absolute(name).is_ok_and(|own| own == path)
}

/// Files of a directory that look like policies and are none, each with what to do.
fn stray(directory: &Directory) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(&directory.path) else {
        return Vec::new();
    };
    let mut found: Vec<(PathBuf, String)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let is_directory = entry.file_type().ok()?.is_dir();
            let help = help_for(directory, &entry.file_name(), is_directory)?;
            Some((entry.path(), help))
        })
        .collect();
    found.sort();
    found
}

/// What to do about a name; `None` where it is the name of a policy, or looks like none.
fn help_for(directory: &Directory, name: &OsStr, is_directory: bool) -> Option<String> {
    let name = name.to_str()?;
    if name.starts_with('.') || name.ends_with('~') {
        return None;
    }
    let is_machine = directory.layers == [Layer::Managed];
    if is_directory {
        if is_machine && name == MORE {
            return None;
        }
        let meant = nearest(name, [MORE])?;
        return Some(if is_machine {
            format!("did you mean `{meant}`?")
        } else {
            format!(
                "only the machine has `{meant}`, in `{MANAGED}`; a policy here reads others with `extends`"
            )
        });
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let spelled = matches!(ending, "kdl" | "toml");
    if spelled && directory.stems.contains(&stem) {
        return None;
    }
    let near = nearest(stem, directory.stems.iter().copied());
    match near {
        Some(near) if spelled => Some(format!("did you mean `{near}.{ending}`?")),
        Some(near) if ending.is_empty() || SETTINGS.contains(&ending) => {
            Some(format!("a policy is KDL or TOML: `{near}.kdl`, `{near}.toml`"))
        }
        None if spelled => {
            let known: Vec<String> = directory
                .stems
                .iter()
                .map(|stem| format!("`{stem}.{ending}`"))
                .collect();
            Some(format!(
                "a policy here is named {}; it reads other files with `extends` and `commands`",
                known.join(" or ")
            ))
        }
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use engine_policy::Layer;

    use super::{Directory, PROJECT, stray};

    fn told(
        layers: &'static [Layer],
        stems: &'static [&'static str],
        names: &[&str],
    ) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().expect("a directory");
        for name in names {
            match name.strip_suffix('/') {
                Some(name) => fs::create_dir(folder.path().join(name)).expect("a directory"),
                None => fs::write(folder.path().join(name), "").expect("a file"),
            }
        }
        let directory = Directory {
            path: folder.path().to_owned(),
            stems,
            layers,
        };
        let found = stray(&directory);
        let name = |path: std::path::PathBuf| {
            path.file_name()
                .expect("a name")
                .to_str()
                .expect("text")
                .to_owned()
        };
        found.into_iter().map(|(path, help)| (name(path), help)).collect()
    }

    const LAYERS: &[Layer] = &[Layer::Project, Layer::Local];

    #[test]
    fn names_of_policies_and_what_looks_like_none_are_left_alone() {
        let names = [
            "policy.kdl",
            "policy.toml",
            "policy.local.kdl",
            "README.md",
            "notes.txt",
            "policy.kdl~",
            ".policy.kdl.swp",
            "hooks/",
        ];
        assert_eq!(told(LAYERS, PROJECT, &names), []);
    }

    #[test]
    fn what_is_misspelt_or_in_another_format_is_told_with_what_was_meant() {
        let names = [
            "polcy.kdl",
            "policy.locl.toml",
            "policies.kdl",
            "policy.yaml",
            "policy",
            "tools.usage.kdl",
            "policy.d/",
        ];
        let found = told(LAYERS, PROJECT, &names);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, help)| (name.as_str(), help.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("polcy.kdl", "did you mean `policy.kdl`?"),
                ("policies.kdl", "did you mean `policy.kdl`?"),
                ("policy", "a policy is KDL or TOML: `policy.kdl`, `policy.toml`"),
                (
                    "policy.d",
                    "only the machine has `policy.d`, in `/etc/engine`; a policy here reads others with `extends`"
                ),
                ("policy.locl.toml", "did you mean `policy.local.toml`?"),
                (
                    "policy.yaml",
                    "a policy is KDL or TOML: `policy.kdl`, `policy.toml`"
                ),
                (
                    "tools.usage.kdl",
                    "a policy here is named `policy.kdl` or `policy.local.kdl`; it reads other files with `extends` and `commands`"
                ),
            ]
        );
    }

    #[test]
    fn the_machine_has_a_directory_and_no_local_policy() {
        let found = told(&[Layer::Managed], &["policy"], &["policy.d/", "policy.local.kdl"]);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["policy.local.kdl"]);
        let found = told(&[Layer::Managed], &["policy"], &["polcy.d/"]);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, help)| (name.as_str(), help.as_str()))
            .collect();
        assert_eq!(found, [("polcy.d", "did you mean `policy.d`?")]);
    }
}
