//! From the path a program would get to the places it can mean: absolute, with `..` resolved, for every directory it may run in.
//!
//! Invariant (both ways up): where a link stands before a `..`, the system goes up from where the link leads. What a path is by its
//! text and what it is on disk are then two targets, and both are asked about.

use engine_shell::{Directory, Origin, Value};
use smol_str::SmolStr;

use crate::facts::join_path;

/// What a path can mean.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// This absolute path.
    Known(SmolStr),
    /// Paths whose names match, from the root.
    Pattern(Vec<Name>),
    /// Something at or below this absolute path.
    Somewhere(SmolStr),
    /// Any path.
    Unknown(Origin),
}

/// One name of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// This name.
    Literal(SmolStr),
    /// A name that matches this shell pattern.
    Pattern(SmolStr),
}

impl Target {
    /// How a person reads it.
    pub(crate) fn describe(&self) -> SmolStr {
        match self {
            Self::Known(path) => path.clone(),
            Self::Pattern(names) => {
                let mut text = String::new();
                for name in names {
                    text.push('/');
                    match name {
                        Name::Literal(name) | Name::Pattern(name) => text.push_str(name),
                    }
                }
                text.into()
            }
            Self::Somewhere(root) => format!("a path below {root}").into(),
            Self::Unknown(_) => SmolStr::new_static("a path that is not known"),
        }
    }
}

/// The place on disk of an absolute path that goes up by `..`, if it is another one than the text says.
pub(crate) type Upwards<'a> = &'a dyn Fn(&str) -> Option<SmolStr>;

/// The directories that a command may run in, changed by `below` (`git -C`) if given; `None` is a directory that is not known.
pub(crate) fn bases(
    directory: &Directory,
    below: Option<&Value>,
    upwards: Upwards<'_>,
) -> Vec<Option<SmolStr>> {
    let starts: Vec<Option<SmolStr>> = match directory {
        Directory::OneOf(paths) => paths.iter().cloned().map(Some).collect(),
        Directory::Unknown(_) => vec![None],
    };
    let Some(below) = below else { return starts };
    starts
        .into_iter()
        .flat_map(|start| {
            targets(below, &[start], upwards)
                .into_iter()
                .map(|target| match target {
                    Target::Known(path) => Some(path),
                    Target::Pattern(_) | Target::Somewhere(_) | Target::Unknown(_) => None,
                })
        })
        .collect()
}

/// Everything a path value can mean from these directories.
pub(crate) fn targets(value: &Value, bases: &[Option<SmolStr>], upwards: Upwards<'_>) -> Vec<Target> {
    let mut found = Vec::new();
    match value {
        Value::OneOf(texts) => {
            for text in texts {
                for base in bases {
                    found.extend(known(text, base.as_deref(), upwards));
                }
            }
        }
        Value::Known(text) => found.extend(
            bases
                .iter()
                .flat_map(|base| known(text, base.as_deref(), upwards)),
        ),
        Value::Glob(pattern) => found.extend(
            bases
                .iter()
                .flat_map(|base| from_pattern(pattern, base.as_deref(), upwards)),
        ),
        Value::Below(root) => {
            let roots = bases
                .iter()
                .flat_map(|base| known(root, base.as_deref(), upwards));
            found.extend(roots.map(|target| match target {
                Target::Known(path) => Target::Somewhere(path),
                other @ (Target::Pattern(_) | Target::Somewhere(_) | Target::Unknown(_)) => other,
            }));
        }
        Value::Integer => {
            // A number is a name in the directory itself.
            found.extend(bases.iter().map(|base| match base {
                Some(base) => Target::Somewhere(base.clone()),
                None => Target::Unknown(Origin::Arithmetic),
            }));
        }
        Value::Descriptor => {}
        Value::Affixed { .. } => found.push(Target::Unknown(Origin::Variable)),
        Value::Unknown(origin) => found.push(Target::Unknown(*origin)),
    }
    found.dedup();
    found
}

fn known(text: &str, base: Option<&str>, upwards: Upwards<'_>) -> Vec<Target> {
    let start = match base {
        _ if text.starts_with('/') => "/",
        Some(base) => base,
        None => return vec![Target::Unknown(Origin::Variable)],
    };
    let mut found = vec![Target::Known(join_path(start, text))];
    if goes_up(text) {
        found.extend(upwards(&format!("{start}/{text}")).map(Target::Known));
    }
    found
}

fn goes_up(text: &str) -> bool {
    text.split('/').any(|part| part == "..")
}

fn from_pattern(pattern: &str, base: Option<&str>, upwards: Upwards<'_>) -> Vec<Target> {
    let start = match base {
        _ if pattern.starts_with('/') => "/",
        Some(base) => base,
        None => return vec![Target::Unknown(Origin::Variable)],
    };
    let mut head = start.to_owned();
    let mut names = Vec::new();
    let mut rose = false;
    for part in pattern.split('/') {
        match part {
            "" | "." => {}
            // What a pattern matches may be a link, and so may what is below it: its parent may be anywhere.
            ".." if !names.is_empty() => return vec![Target::Unknown(Origin::Variable)],
            ".." => {
                head.push_str("/..");
                rose = true;
            }
            part => match literal_of(part) {
                Some(literal) if names.is_empty() => {
                    head.push('/');
                    head.push_str(&literal);
                }
                Some(literal) => names.push(Name::Literal(literal)),
                // `.*` also means `..`.
                None if part.starts_with(".*") || part.starts_with(".?") => {
                    return vec![Target::Unknown(Origin::Variable)];
                }
                None => names.push(Name::Pattern(part.into())),
            },
        }
    }
    let below = |head: &str| {
        let literal = head.split('/').filter(|part| !part.is_empty());
        Target::Pattern(
            literal
                .map(|part| Name::Literal(part.into()))
                .chain(names.iter().cloned())
                .collect(),
        )
    };
    let mut found = vec![below(&join_path("/", &head))];
    if rose {
        found.extend(upwards(&head).map(|place| below(&place)));
    }
    found
}

/// The text of a pattern without any glob character, escapes removed.
fn literal_of(part: &str) -> Option<SmolStr> {
    let mut text = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next().unwrap_or('\\')),
            '*' | '?' | '[' => return None,
            c => text.push(c),
        }
    }
    Some(text.into())
}
