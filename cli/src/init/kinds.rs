//! The kinds of projects that are known, as data: `policies/init/*.kdl`.

use engine_policy::SourceId;
use engine_policy::read::{Node, parse_kdl};

// `FILES`: name and text of each file, written by the build.
include!(concat!(env!("OUT_DIR"), "/init.rs"));

/// One kind of project.
#[derive(Clone, Debug, Default)]
pub(super) struct Kind {
    /// Its name: that of its file.
    pub name: String,
    /// One of these is there ...
    pub found: Vec<String>,
    /// ... and none of these.
    pub without: Vec<String>,
    /// Where names of scripts stand.
    pub scripts: Option<Scripts>,
    /// Names that are taken to test, check or build.
    pub harmless: Vec<String>,
    /// The part of a policy that it gives, with comments and tests.
    pub part: String,
}

/// Scripts that a project declares.
#[derive(Clone, Debug)]
pub(super) struct Scripts {
    /// Files that may declare them, the first that exists counts.
    pub files: Vec<String>,
    /// The key of a JSON file that they stand below; without it, the file is a list of targets.
    pub key: Option<String>,
    /// What runs one: its name follows.
    pub run: String,
}

/// All of them, in the order of their names.
pub(super) fn all() -> Vec<Kind> {
    FILES.iter().map(|(name, text)| read(name, text)).collect()
}

fn read(name: &str, text: &str) -> Kind {
    let tree = parse_kdl(text, SourceId::default());
    let mut kind = Kind {
        name: name.to_owned(),
        ..Kind::default()
    };
    let mut end = 0;
    for node in &tree.nodes {
        let words = || {
            node.arguments
                .iter()
                .filter_map(|argument| argument.text().map(str::to_owned))
        };
        match node.name.value.as_str() {
            "found" => {
                kind.found.extend(words());
                kind.without.extend(
                    property(node, "without")
                        .unwrap_or_default()
                        .split(' ')
                        .filter(|word| !word.is_empty())
                        .map(str::to_owned),
                );
            }
            "scripts" | "targets" => {
                kind.scripts = Some(Scripts {
                    files: words().collect(),
                    key: property(node, "in").map(str::to_owned),
                    run: property(node, "run").unwrap_or_default().to_owned(),
                });
            }
            "harmless" => kind.harmless.extend(words()),
            _ => break,
        }
        end = node.place.span.end as usize;
    }
    text.get(end..)
        .unwrap_or_default()
        .trim_start_matches(['\n', ';'])
        .trim_end()
        .clone_into(&mut kind.part);
    kind
}

fn property<'n>(node: &'n Node, name: &str) -> Option<&'n str> {
    node.property(name).and_then(|value| value.text())
}

/// Whether a name is meant by a pattern in which `*` stands for any characters.
pub(super) fn is_meant(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            (0..=name.len())
                .filter_map(|at| name.get(at..))
                .any(|tail| is_meant(rest, tail))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{all, is_meant};

    #[test]
    fn every_kind_says_when_it_is_taken_and_what_it_gives() {
        let kinds = all();
        assert!(kinds.len() >= 20, "{}", kinds.len());
        for kind in kinds {
            assert!(!kind.found.is_empty(), "{}", kind.name);
            assert!(
                kind.part.contains("allow") || kind.scripts.is_some(),
                "{}",
                kind.name
            );
            assert!(!kind.part.contains("found "), "{}", kind.name);
        }
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        assert!(is_meant("test*", "test:unit"));
        assert!(is_meant("*.tf", "main.tf"));
        assert!(is_meant("a*b*c", "axxbyyc"));
        assert!(!is_meant("test*", "pretest"));
        assert!(!is_meant("tsc", "tsc:watch"));
    }
}
