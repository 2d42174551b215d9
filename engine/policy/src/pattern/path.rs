//! Path patterns: globs in the manner of gitignore, with an anchor.
//!
//! Invariant (no way up): no segment is `.` or `..`; they are resolved when the pattern is parsed, and a pattern that leaves
//! its anchor is an error.

use smol_str::SmolStr;

use super::{Glob, Parsed, PatternProblem};
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

const CODE: &str = "policy::path-pattern";

/// Ways that the braces of one pattern may make.
const MAX_ALTERNATIVES: usize = 256;

impl PathPattern {
    /// Reads a path pattern.
    pub fn parse(text: &str) -> Parsed<Self> {
        let (anchor, rest) = if let Some(rest) = text.strip_prefix('/') {
            (Some(PathAnchor::Root), rest)
        } else {
            named_anchor(text)?
        };
        Self::anchored(text, anchor, rest, PathAnchor::Project)
    }

    /// Reads a path pattern with the anchors of the short spelling: `//` is the root and `/` the project.
    pub(super) fn parse_short(text: &str) -> Parsed<Self> {
        // Pasted from Windows: no slash, and a backslash before a character that needs none.
        let plain = |c: char| !matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\');
        let windows = !text.contains('/') && text.split('\\').skip(1).any(|after| after.starts_with(plain));
        let slashed = if windows {
            text.replace('\\', "/")
        } else {
            text.to_owned()
        };
        let (anchor, rest) = if let Some(rest) = slashed.strip_prefix("//") {
            (Some(PathAnchor::Root), rest)
        } else if let Some(rest) = slashed.strip_prefix('/') {
            (Some(PathAnchor::Project), rest)
        } else {
            named_anchor(&slashed)?
        };
        Self::anchored(text, anchor, rest, PathAnchor::ProjectOrAnyDepth)
    }

    /// Every path of the machine.
    pub(super) fn everything(text: &str) -> Self {
        Self {
            text: text.into(),
            anchor: PathAnchor::Root,
            alternatives: vec![vec![PathSegment::AnyDepth]],
        }
    }

    fn anchored(text: &str, anchor: Option<PathAnchor>, rest: &str, with_slash: PathAnchor) -> Parsed<Self> {
        if text.is_empty() {
            return Err(PatternProblem::error(
                CODE,
                0..0,
                "an empty path pattern matches nothing",
            ));
        }
        // Windows separators keep lengths, so offsets hold in the text as written.
        let offset = text.len().saturating_sub(rest.len());
        let expanded = expand_braces(rest).map_err(|problem| problem.shift(offset))?;
        let mut anchors = Vec::new();
        let mut alternatives = Vec::new();
        for way in &expanded {
            let mut segments = segments(way).map_err(|mut problem| {
                // Offsets are those of the text only where no brace was opened.
                problem.range = if expanded.len() == 1 && way.len() == rest.len() {
                    problem.range.start + offset..problem.range.end + offset
                } else {
                    0..text.len()
                };
                problem
            })?;
            let own = anchor.unwrap_or_else(|| {
                let floating = segments.first() == Some(&PathSegment::AnyDepth);
                if floating && segments.len() > 1 {
                    segments.remove(0);
                }
                let single = !way.trim_end_matches('/').contains('/');
                if floating || single {
                    PathAnchor::AnyDepth
                } else {
                    with_slash
                }
            });
            anchors.push(own);
            alternatives.push(segments);
        }
        let anchor = anchors.first().copied().unwrap_or(with_slash);
        if anchors.iter().any(|&other| other != anchor) {
            return Err(PatternProblem::error(
                CODE,
                0..text.len(),
                "some alternatives match at any depth and some from the project",
            )
            .help("start the pattern with `./` or `**/`"));
        }
        Ok((
            Self {
                text: text.into(),
                anchor,
                alternatives,
            },
            Vec::new(),
        ))
    }
}

/// `./`, `~/`, or none.
fn named_anchor(text: &str) -> Result<(Option<PathAnchor>, &str), PatternProblem> {
    if let Some(rest) = text.strip_prefix("./") {
        return Ok((Some(PathAnchor::Project), rest));
    }
    if let Some(rest) = text.strip_prefix('~') {
        if rest.is_empty() || rest.starts_with('/') {
            return Ok((Some(PathAnchor::Home), rest.strip_prefix('/').unwrap_or(rest)));
        }
        return Err(PatternProblem::error(
            CODE,
            0..text.len(),
            "only the own home directory has a name here",
        )
        .help("write the path of another home directory from the root"));
    }
    if text == "." {
        return Ok((Some(PathAnchor::Project), ""));
    }
    if text.starts_with('$') {
        return Err(PatternProblem::error(
            CODE,
            0..text.len(),
            "variables are not expanded in path patterns",
        )
        .help("write `~/` for the home directory and `./` for the project"));
    }
    if let Some(rest) = text.strip_prefix('!') {
        return Err(
            PatternProblem::error(CODE, 0..1, "a pattern is not negated with `!`")
                .help(format!("write `except {rest:?}` below the rule or the set")),
        );
    }
    Ok((None, text))
}

/// Segments of one way, `.` and `..` resolved.
fn segments(way: &str) -> Result<Vec<PathSegment>, PatternProblem> {
    let mut out: Vec<PathSegment> = Vec::new();
    let mut at = 0;
    for piece in way.split('/') {
        let start = at;
        at += piece.len() + 1;
        match piece {
            "" | "." => {}
            ".." => match out.pop() {
                Some(PathSegment::Name(_)) => {}
                Some(PathSegment::AnyDepth) | None => {
                    return Err(PatternProblem::error(
                        CODE,
                        start..start + 2,
                        "`..` leaves the start of the pattern",
                    )
                    .help("write the path from the root, or from `~/`"));
                }
            },
            "**" => {
                if out.last() != Some(&PathSegment::AnyDepth) {
                    out.push(PathSegment::AnyDepth);
                }
            }
            _ => {
                let (glob, _) = Glob::parse(piece).map_err(|problem| problem.shift(start))?;
                out.push(PathSegment::Name(glob));
            }
        }
    }
    Ok(out)
}

/// Every way that the braces of a text can be read, in order. `\` keeps a brace as it is.
fn expand_braces(text: &str) -> Result<Vec<String>, PatternProblem> {
    let mut done = vec![String::new()];
    // For each open brace: what stood before it, and the alternatives that are complete.
    let mut open: Vec<(usize, Vec<String>, Vec<String>)> = Vec::new();
    let mut in_class = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next().map(|(_, c)| c);
                for way in &mut done {
                    way.push('\\');
                    way.extend(escaped);
                }
            }
            '{' if !in_class => {
                open.push((at, std::mem::replace(&mut done, vec![String::new()]), Vec::new()));
            }
            ',' if !open.is_empty() && !in_class => {
                if let Some((_, _, finished)) = open.last_mut() {
                    finished.extend(std::mem::replace(&mut done, vec![String::new()]));
                }
            }
            '}' if !open.is_empty() && !in_class => {
                let (_, before, mut finished) = open.pop().unwrap_or_default();
                finished.append(&mut done);
                if before.len().saturating_mul(finished.len()) > MAX_ALTERNATIVES {
                    return Err(PatternProblem::error(
                        CODE,
                        0..text.len(),
                        format!("braces make more than {MAX_ALTERNATIVES} patterns"),
                    ));
                }
                done = before
                    .iter()
                    .flat_map(|start| finished.iter().map(move |end| format!("{start}{end}")))
                    .collect();
            }
            _ => {
                in_class = match c {
                    '[' => true,
                    ']' | '/' => false,
                    _ => in_class,
                };
                for way in &mut done {
                    way.push(c);
                }
            }
        }
    }
    match open.last() {
        Some(&(at, _, _)) => Err(
            PatternProblem::error(CODE, at..at + 1, "this brace is not closed")
                .help("write `\\{` for the character itself"),
        ),
        None => Ok(done),
    }
}

#[cfg(test)]
mod tests {
    use super::{Glob, PathAnchor, PathPattern, PathReach, PathSegment};
    use crate::document::Outcome;

    fn name(text: &str) -> PathSegment {
        PathSegment::Name(Glob::parse(text).expect(text).0)
    }

    fn native(text: &str) -> (PathAnchor, Vec<Vec<PathSegment>>) {
        let pattern = PathPattern::parse(text).expect(text).0;
        (pattern.anchor, pattern.alternatives)
    }

    fn short(text: &str) -> (PathAnchor, Vec<Vec<PathSegment>>) {
        let pattern = PathPattern::parse_short(text).expect(text).0;
        (pattern.anchor, pattern.alternatives)
    }

    #[test]
    fn anchors_of_the_native_spelling() {
        let deep = PathSegment::AnyDepth;
        assert_eq!(
            native("./src/**"),
            (PathAnchor::Project, vec![vec![name("src"), deep.clone()]])
        );
        assert_eq!(native("~/.ssh"), (PathAnchor::Home, vec![vec![name(".ssh")]]));
        assert_eq!(
            native("/etc/passwd"),
            (PathAnchor::Root, vec![vec![name("etc"), name("passwd")]])
        );
        assert_eq!(native("//etc"), (PathAnchor::Root, vec![vec![name("etc")]]));
        assert_eq!(native(".env"), (PathAnchor::AnyDepth, vec![vec![name(".env")]]));
        assert_eq!(
            native("**/a/*.pem"),
            (PathAnchor::AnyDepth, vec![vec![name("a"), name("*.pem")]])
        );
        assert_eq!(
            native("src/lib"),
            (PathAnchor::Project, vec![vec![name("src"), name("lib")]])
        );
        assert_eq!(native("."), (PathAnchor::Project, vec![vec![]]));
        assert_eq!(native("**"), (PathAnchor::AnyDepth, vec![vec![deep]]));
        assert_eq!(
            native("node_modules/"),
            (PathAnchor::AnyDepth, vec![vec![name("node_modules")]])
        );
    }

    #[test]
    fn anchors_of_the_short_spelling() {
        assert_eq!(short("//tmp/x").0, PathAnchor::Root);
        assert_eq!(short("/tmp/x").0, PathAnchor::Project);
        assert_eq!(short("secrets/**").0, PathAnchor::ProjectOrAnyDepth);
        assert_eq!(short("*.pem").0, PathAnchor::AnyDepth);
        assert_eq!(
            short("~\\.ssh\\**"),
            (PathAnchor::Home, vec![vec![name(".ssh"), PathSegment::AnyDepth]])
        );
        assert_eq!(short("./a\\*b"), (PathAnchor::Project, vec![vec![name("a\\*b")]]));
    }

    #[test]
    fn a_bare_pattern_guards_everywhere_but_opens_the_project_only() {
        assert_eq!(PathAnchor::AnyDepth.reach(Outcome::Deny), PathReach::Everywhere);
        assert_eq!(
            PathAnchor::AnyDepth.reach(Outcome::Allow),
            PathReach::WithinProject
        );
        assert_eq!(
            PathAnchor::ProjectOrAnyDepth.reach(Outcome::Deny),
            PathReach::Everywhere
        );
        assert_eq!(
            PathAnchor::ProjectOrAnyDepth.reach(Outcome::Allow),
            PathReach::Project
        );
    }

    #[test]
    fn braces_are_expanded_with_their_slashes() {
        let ways = vec![
            vec![name("src"), name("a.rs")],
            vec![name("src"), name("a.toml")],
            vec![name("t"), name("u"), name("a.rs")],
            vec![name("t"), name("u"), name("a.toml")],
        ];
        assert_eq!(native("./{src,t/u}/a.{rs,toml}"), (PathAnchor::Project, ways));
    }

    #[test]
    fn dots_are_resolved() {
        assert_eq!(native("./a/../b/./c").1, vec![vec![name("b"), name("c")]]);
    }

    #[test]
    fn what_is_no_path_pattern_is_refused() {
        for text in [
            "",
            "../x",
            "./a/../../b",
            "~root/x",
            "$HOME/x",
            "!x",
            "./{a",
            "a[",
            "{a,b/c}",
            "./**/../x",
        ] {
            assert!(PathPattern::parse(text).is_err(), "{text}");
        }
        let nested = "{a,b}".repeat(9);
        assert!(PathPattern::parse(&nested).is_err());
    }

    #[test]
    fn problems_point_into_the_text() {
        assert_eq!(PathPattern::parse("./ab/c[x").expect_err("class").range, 6..8);
        assert_eq!(PathPattern::parse("~/a/{b").expect_err("brace").range, 4..5);
    }
}
