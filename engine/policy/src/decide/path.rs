//! Deciding paths: against the path as written and against the place that it really is.

mod links;
mod names;
mod rules;

use engine_shell::{Directory, Span, Value};
use smol_str::SmolStr;

pub(super) use self::links::linked_places;
pub(super) use self::names::{Way, names_of, way};
use super::Decider;
use super::groups::{Ruling, may_match};
use crate::document::{Outcome, RequestKind};
use crate::effect::Follows;
use crate::facts::{below, join_path};
use crate::plan::Extent;
use crate::resolve::{self, Name, Target};
use crate::truth::Unit;
use crate::verdict::{Request, RuleRef, Why};

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Delete,
}

/// What covers a path that no path rule speaks of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cover {
    /// Nothing.
    None,
    /// The rule that allows the command, inside the project.
    Project(RuleRef),
    /// The rule that allows the command, within the places of this number.
    Within(RuleRef, u32),
    /// A rule that allows everything.
    Everything(RuleRef),
}

/// One path that is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'v> {
    pub access: Access,
    pub path: &'v Value,
    pub directory: &'v Directory,
    pub below: Option<&'v Value>,
    pub tree: bool,
    pub follows: Follows,
    pub only: &'v [Value],
    pub except: &'v [Value],
    pub span: Span,
    pub check: u8,
    /// The program chooses the path by itself, so that a rule for it covers the whole project.
    pub own: bool,
    /// The command may write it, too, by a rule that allows editing.
    pub edited: Option<RuleRef>,
}

impl<'v> Asked<'v> {
    /// A path alone, relative to a directory.
    pub(super) fn one(access: Access, path: &'v Value, directory: &'v Directory, span: Span) -> Self {
        Self {
            access,
            path,
            directory,
            below: None,
            tree: false,
            follows: Follows::No,
            only: &[],
            except: &[],
            span,
            check: 0,
            own: false,
            edited: None,
        }
    }
}

/// Paths that stand for the standard streams or for nothing, for both reading and writing.
/// Source: null(4), fd(4), tty(4); `/dev/fd/N` and `/dev/std*` are the process's own open descriptors.
fn is_harmless(path: &str, access: Access) -> bool {
    match path {
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2" => {
            access != Access::Delete
        }
        "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/stdin" => access == Access::Read,
        // Opening another descriptor anew for writing writes the file behind it, even one that was opened for reading.
        _ => {
            access == Access::Read
                && path
                    .strip_prefix("/dev/fd/")
                    .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
        }
    }
}

/// Names below `/proc/PID` (and `/proc/PID/task/TID`) that show another process's secrets or lead out of any path rule.
/// Source: proc(5).
fn shows_process(names: &[Name]) -> bool {
    let is = |name: Option<&Name>, wanted: &[&str]| match name {
        Some(Name::Literal(name)) => wanted.contains(&name.as_str()),
        Some(Name::Pattern(pattern)) => wanted.iter().any(|text| {
            let own: Vec<_> = text.chars().map(Unit::Char).collect();
            crate::truth::overlap(&own, &crate::truth::pattern_units(pattern))
        }),
        None => false,
    };
    let secret = [
        "environ", "mem", "maps", "fd", "fdinfo", "root", "cwd", "exe", "cmdline", "auxv", "stack", "syscall",
    ];
    is(names.first(), &["proc"])
        && (is(names.get(2), &secret) || (is(names.get(2), &["task"]) && is(names.get(4), &secret)))
}

impl Decider<'_> {
    /// Decides every place that a path can mean; each is a step.
    pub(super) fn path(&mut self, asked: &Asked<'_>, cover: Cover) {
        if *asked.path == Value::Descriptor {
            // A process substitution: what is behind it are commands of their own.
            return;
        }
        let places = self.bases(asked.directory, asked.below);
        for target in self.targets(asked.path, &places) {
            let (outcome, why, check) = self.target(asked, &target, cover);
            let text = target.describe();
            let request = match asked.access {
                Access::Read => Request::Read(text),
                Access::Write => Request::Write(text),
                Access::Delete => Request::Delete(text),
            };
            self.step(request, asked.span, outcome, why, check);
        }
    }

    /// The directories that a command may run in.
    pub(super) fn bases(&self, directory: &Directory, below: Option<&Value>) -> Vec<Option<SmolStr>> {
        resolve::bases(directory, below, &|path| self.upwards(path))
    }

    /// Everything that a path can mean.
    pub(super) fn targets(&self, path: &Value, bases: &[Option<SmolStr>]) -> Vec<Target> {
        resolve::targets(path, bases, &|path| self.upwards(path))
    }

    /// Where an absolute path with `..` in it leads, if that is another place than its text says. Only what stands before the last
    /// `..` decides that.
    fn upwards(&self, path: &str) -> Option<SmolStr> {
        let last = path.match_indices("/..").map(|(at, up)| at + up.len());
        let end = last
            .filter(|end| matches!(path.as_bytes().get(*end), None | Some(b'/')))
            .last()?;
        let (head, rest) = path.split_at_checked(end)?;
        let real = self.facts.world.real_path(head)?;
        let real = self.in_own_terms(&real);
        let by_text = join_path("/", head);
        if *by_text == *real {
            return None;
        }
        let is_same = self
            .facts
            .world
            .real_path(&by_text)
            .is_some_and(|other| self.in_own_terms(&other) == real);
        (!is_same).then(|| join_path(&real, rest.trim_start_matches('/')))
    }

    pub(super) fn target(&self, asked: &Asked<'_>, target: &Target, cover: Cover) -> (Outcome, Why, u8) {
        let extent = match target {
            Target::Somewhere(_) => Extent::Somewhere,
            Target::Known(_) | Target::Pattern(_) | Target::Unknown(_) if asked.tree => Extent::Tree,
            Target::Known(_) | Target::Pattern(_) | Target::Unknown(_) => Extent::Itself,
        };
        if let Target::Known(path) = target
            && is_harmless(path, asked.access)
        {
            return (Outcome::Allow, Why::Harmless, asked.check);
        }
        let mut ruling = self.ruling(asked, target, extent);
        let mut through = None;
        let mut leads_out = None;
        let as_whole = if asked.own { Access::Read } else { asked.access };
        let mut inside = self.is_inside(as_whole, target);
        if let Target::Known(path) = target
            && let Some(real) = self.facts.world.real_path(path)
        {
            let real = self.in_own_terms(&real);
            if *real != **path {
                let real = Target::Known(real.into());
                let by_real = self.ruling(asked, &real, extent);
                if !self.is_inside(as_whole, &real) {
                    inside = false;
                    leads_out = Some(real.describe());
                }
                // An allow needs both the path as written and the real one.
                let stricter = match (ruling, by_real) {
                    (Ruling::Allow(_), Ruling::Nothing) => Ruling::Nothing,
                    (Ruling::Nothing, Ruling::Allow(_)) => Ruling::Nothing,
                    (own, real) => own.stricter(real),
                };
                if stricter == by_real && stricter != ruling {
                    through = Some(real.describe());
                }
                ruling = stricter;
            }
        }
        // What a pattern matches may be a link, too, and so may what lies below where links are followed.
        let mut links = self.links_among(target);
        links.extend(self.links_below(target));
        if asked.tree {
            links.extend(self.followed(asked, target));
        }
        // A glob is held against the name of a link, not against that of the file it leads to.
        let through_links = Asked {
            only: &[],
            except: &[],
            ..*asked
        };
        for real in links {
            let by_real = self.ruling(&through_links, &real, extent);
            if !self.is_inside(as_whole, &real) {
                inside = false;
                leads_out = Some(real.describe());
            }
            if let (Ruling::Allow(_), Ruling::Nothing) = (ruling, by_real) {
                ruling = Ruling::Nothing;
            }
            if by_real.rank() > ruling.rank() && !matches!(by_real, Ruling::Allow(_)) {
                through = Some(real.describe());
                ruling = by_real;
            }
        }
        let check = match target {
            Target::Known(path) if path.starts_with("/proc/") && shows_process(&names_of(path)) => 13,
            Target::Pattern(names) if shows_process(names) => 13,
            Target::Known(_) | Target::Pattern(_) | Target::Somewhere(_) | Target::Unknown(_) => asked.check,
        };
        let rule_why = |rule| match &through {
            Some(path) => Why::RuleThroughLink(rule, path.clone()),
            None => Why::Rule(rule),
        };
        let kind = match asked.access {
            Access::Read => RequestKind::Read,
            Access::Write => RequestKind::Write,
            Access::Delete => RequestKind::Delete,
        };
        let leads = leads_out.is_some();
        let unruled = || match cover {
            _ if let Some(rule) = asked.edited => (Outcome::Allow, Why::Covered(rule)),
            Cover::Everything(rule) if check != 13 => (Outcome::Allow, Why::Covered(rule)),
            Cover::Project(rule) if inside && check != 13 => (Outcome::Allow, Why::Covered(rule)),
            Cover::Within(rule, places) if self.is_within(places, target, extent) => {
                (Outcome::Allow, Why::Covered(rule))
            }
            Cover::None | Cover::Project(_) | Cover::Within(..) | Cover::Everything(_) => {
                let (outcome, why) = self.default(kind);
                (
                    outcome,
                    leads_out.map_or(why, |path| Why::DefaultThroughLink(kind, path)),
                )
            }
        };
        let (outcome, why) = match ruling {
            Ruling::Deny(rule) => (Outcome::Deny, rule_why(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => {
                let allowed = self.plan.default_for(kind) != Outcome::Deny
                    || (!leads && self.allows(asked, target, extent));
                if allowed {
                    (Outcome::Ask, Why::RuleMaybe(rule))
                } else {
                    may_match(rule, unruled())
                }
            }
            Ruling::Ask(rule) => (Outcome::Ask, rule_why(rule)),
            Ruling::Allow(_) if check == 13 => (
                Outcome::Ask,
                Why::Check("shows what another process holds".to_owned()),
            ),
            Ruling::Allow(rule) => (Outcome::Allow, rule_why(rule)),
            Ruling::Nothing => unruled(),
        };
        (outcome, why, check)
    }

    /// Whether a target is inside the project for certain; for writing and deleting, not the project itself.
    pub(super) fn is_inside(&self, access: Access, target: &Target) -> bool {
        let proper = access != Access::Read;
        match target {
            Target::Known(path) => {
                below(path, self.facts.project).is_some_and(|rest| !(proper && rest.is_empty()))
            }
            Target::Somewhere(root) => {
                below(root, self.facts.project).is_some_and(|rest| !(proper && rest.is_empty()))
            }
            Target::Pattern(names) => {
                let project = names_of(self.facts.project);
                names.len() > project.len() - usize::from(!proper).min(project.len())
                    && project.iter().zip(names).all(|(own, name)| own == name)
            }
            Target::Unknown(_) => false,
        }
    }
}
