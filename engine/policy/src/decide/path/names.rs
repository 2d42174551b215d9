//! Paths as rows of names.

use smol_str::SmolStr;

use crate::facts::{below, join_path};
use crate::plan::Segment;
use crate::resolve::{Name, Target};
use crate::truth::Unit;

/// A target below one directory as the same target below another.
pub(super) fn moved(target: &Target, from: &str, to: &str) -> Option<Target> {
    match target {
        Target::Known(path) => Some(Target::Known(join_path(to, below(path, from)?))),
        Target::Somewhere(root) => Some(Target::Somewhere(join_path(to, below(root, from)?))),
        Target::Pattern(names) => {
            let rest = names.get(parts(from).count()..)?;
            let inside = names_of(from).iter().zip(names).all(|(own, name)| own == name);
            inside.then(|| Target::Pattern(names_of(to).into_iter().chain(rest.iter().cloned()).collect()))
        }
        Target::Unknown(_) => None,
    }
}

/// The names in a path.
pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// The longest directory that every match of a pattern lies in.
pub(super) fn literal_beginning(names: &[Name]) -> SmolStr {
    let mut path = String::new();
    for name in names {
        match name {
            Name::Literal(name) => {
                path.push('/');
                path.push_str(name);
            }
            Name::Pattern(_) => break,
        }
    }
    if path.is_empty() { "/".into() } else { path.into() }
}

/// Where a path stands on the way that a pattern describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decide) enum Way {
    /// What matches may lie below it.
    On,
    /// It may match.
    There,
    /// It lies below what may match.
    Below,
    /// Neither it nor what lies below it matches.
    Off,
}

/// Holds a path against a pattern. A wildcard stands for no dot at the beginning of a name: a text that changes this is not
/// understood.
pub(in crate::decide) fn way(names: &[Name], path: &str) -> Way {
    let mut parts = parts(path);
    for name in names {
        let Some(part) = parts.next() else { return Way::On };
        let fits = match name {
            Name::Literal(name) => name == part,
            Name::Pattern(pattern) => {
                let text: Vec<_> = part.chars().map(Unit::Char).collect();
                (pattern.starts_with('.') || pattern.starts_with('\\') || !part.starts_with('.'))
                    && crate::truth::overlap(&crate::truth::pattern_units(pattern), &text)
            }
        };
        if !fits {
            return Way::Off;
        }
    }
    if parts.next().is_none() {
        Way::There
    } else {
        Way::Below
    }
}

/// The names of an absolute path.
pub(in crate::decide) fn names_of(path: &str) -> Vec<Name> {
    parts(path).map(|part| Name::Literal(part.into())).collect()
}

impl Name {
    pub(super) fn segment(&self) -> Segment<'_> {
        match self {
            Self::Literal(name) => Segment::Name(name),
            Self::Pattern(pattern) => Segment::Pattern(pattern),
        }
    }
}
