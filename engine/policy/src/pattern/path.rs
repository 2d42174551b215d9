//! Path patterns: globs in the manner of gitignore, with an anchor.
//!
//! Invariant (no way up): no segment is `.` or `..`; they are resolved when the pattern is parsed, and a pattern that leaves
//! its anchor is an error.

use smol_str::SmolStr;

use super::Glob;
use crate::document::Outcome;

/// A pattern over paths.
///
/// A pattern that covers a directory covers what is below it, so `./src` and `./src/**` differ only in `./src` itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct PathPattern {
    /// The pattern as written.
    pub text: SmolStr,
    /// Where it starts.
    pub anchor: PathAnchor,
    /// Ways to match, any of them: braces (`{a,b}`) are expanded. Each is a list of segments below the anchor; an empty list
    /// is the anchor's own directory.
    pub alternatives: Vec<Vec<PathSegment>>,
}

/// One segment of a path pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PathSegment {
    /// One name. A `*` may match a leading dot: a rule about files is about hidden files too.
    Name(Glob),
    /// `**`: any number of directories, none included; as the last segment, everything below.
    AnyDepth,
}

/// Where a path pattern starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PathAnchor {
    /// `./`: the project's directory.
    Project,
    /// `~/`: the home directory.
    Home,
    /// `/` or `//`: the root.
    Root,
    /// No anchor and one name, or a leading `**/`: any depth.
    AnyDepth,
    /// No anchor but a slash inside, in the short spelling: any depth in deny rules, the project in the others.
    ProjectOrAnyDepth,
}

/// The part of the file system below which a pattern is tried, once its rule's effect is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PathReach {
    /// Directly below the project.
    Project,
    /// At any depth below the project.
    WithinProject,
    /// Directly below the home directory.
    Home,
    /// Directly below the root.
    Root,
    /// At any depth of the whole file system.
    Everywhere,
}

impl PathAnchor {
    /// Where a rule of this effect looks. A pattern without an anchor guards the whole machine when it forbids or asks, but
    /// opens no more than the project when it allows.
    #[must_use]
    pub fn reach(self, effect: Outcome) -> PathReach {
        match (self, effect) {
            (Self::Project, _) | (Self::ProjectOrAnyDepth, Outcome::Allow | Outcome::Ask) => {
                PathReach::Project
            }
            (Self::Home, _) => PathReach::Home,
            (Self::Root, _) => PathReach::Root,
            (Self::AnyDepth, Outcome::Allow) => PathReach::WithinProject,
            (Self::AnyDepth, Outcome::Ask | Outcome::Deny) | (Self::ProjectOrAnyDepth, Outcome::Deny) => {
                PathReach::Everywhere
            }
        }
    }
}
