//! Deciding paths: against the path as written and against the place that it really is.

use std::borrow::Cow;

use engine_shell::{Directory, Origin, Span, Value};
use smol_str::SmolStr;

use super::Decider;
use super::groups::{Matched, Ruling};
use crate::document::{Outcome, RequestKind};
use crate::effect::Follows;
use crate::facts::{Entry, Look, below, join_path};
use crate::plan::{Extent, Names, PathIndex, Segment};
use crate::resolve::{self, Name, Target};
use crate::truth::{Truth, Unit, value_units};
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

/// Links that one pattern may match or that are followed below one tree; what more of them would lead to is not known.
const MAX_LINKS: usize = 64;

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

    fn target(&self, asked: &Asked<'_>, target: &Target, cover: Cover) -> (Outcome, Why, u8) {
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
        let (outcome, why) = match ruling {
            Ruling::Deny(rule) => (Outcome::Deny, rule_why(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => (Outcome::Ask, Why::RuleMaybe(rule)),
            Ruling::Ask(rule) => (Outcome::Ask, rule_why(rule)),
            Ruling::Allow(_) if check == 13 => (
                Outcome::Ask,
                Why::Check("shows what another process holds".to_owned()),
            ),
            Ruling::Allow(rule) => (Outcome::Allow, rule_why(rule)),
            Ruling::Nothing if let Some(rule) = asked.edited => (Outcome::Allow, Why::Covered(rule)),
            Ruling::Nothing => match cover {
                Cover::Everything(rule) if check != 13 => (Outcome::Allow, Why::Covered(rule)),
                Cover::Project(rule) if inside && check != 13 => (Outcome::Allow, Why::Covered(rule)),
                Cover::Within(rule, places) if self.is_within(places, target, extent) => {
                    (Outcome::Allow, Why::Covered(rule))
                }
                Cover::None | Cover::Project(_) | Cover::Within(..) | Cover::Everything(_) => {
                    let kind = match asked.access {
                        Access::Read => RequestKind::Read,
                        Access::Write => RequestKind::Write,
                        Access::Delete => RequestKind::Delete,
                    };
                    let (outcome, why) = self.default(kind);
                    (
                        outcome,
                        leads_out.map_or(why, |path| Why::DefaultThroughLink(kind, path)),
                    )
                }
            },
        };
        (outcome, why, check)
    }

    /// Where the links lead that are followed below a target; any path where that cannot be seen.
    fn followed(&self, asked: &Asked<'_>, target: &Target) -> Vec<Target> {
        let unseen = match asked.follows {
            Follows::No => return Vec::new(),
            Follows::Seen => Vec::new(),
            Follows::Always => vec![Target::Unknown(Origin::Input)],
        };
        let Target::Known(root) = target else {
            return unseen;
        };
        let mut found: Vec<SmolStr> = Vec::new();
        let mut open = vec![root.clone()];
        // What is below the top is touched anyway, but where only some names are, a link's name says nothing of its file.
        let mut seen: Vec<SmolStr> = Vec::new();
        if asked.only.is_empty() && asked.except.is_empty() {
            seen.push(root.clone());
            let real = self.facts.world.real_path(root);
            seen.extend(real.map(|real| SmolStr::from(self.in_own_terms(&real))));
        }
        while let Some(top) = open.pop() {
            let mut all_known = true;
            let mut visit = |entry: Entry<'_>| {
                if !entry.is_link {
                    return Look::Into;
                }
                match self.facts.world.real_path(entry.path) {
                    Some(real) => {
                        let real = SmolStr::from(self.in_own_terms(&real));
                        if !seen.iter().any(|own| below(&real, own).is_some()) {
                            seen.push(real.clone());
                            found.push(real.clone());
                            open.push(real);
                        }
                    }
                    None => all_known = false,
                }
                Look::Past
            };
            let looked = self.facts.world.look_below(&top, &mut visit);
            if !looked || !all_known || found.len() > MAX_LINKS {
                let mut all: Vec<Target> = found.into_iter().map(Target::Known).collect();
                all.extend(unseen);
                return all;
            }
        }
        found.into_iter().map(Target::Known).collect()
    }

    /// What a pattern matches through links, on its way or at its end, as far as the file system can be looked at.
    fn links_among(&self, target: &Target) -> Vec<Target> {
        let Target::Pattern(names) = target else {
            return Vec::new();
        };
        let mut found = Vec::new();
        self.links_of(names, &mut found);
        let mut next = 0;
        // A link may lead to where further links match.
        while let Some(link) = found.get(next).cloned() {
            next += 1;
            if found.len() > MAX_LINKS {
                found.push(Target::Unknown(Origin::Limit));
                break;
            }
            if let Target::Pattern(names) = link {
                self.links_of(&names, &mut found);
            }
        }
        found
    }

    /// What something below a directory may be through links: any of them may be what is meant.
    fn links_below(&self, target: &Target) -> Vec<Target> {
        let Target::Somewhere(root) = target else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if let Some(real) = self.facts.world.real_path(root) {
            let real = self.in_own_terms(&real);
            if *real != **root {
                found.push(Target::Somewhere(real.into()));
            }
        }
        let mut visit = |entry: Entry<'_>| {
            if entry.is_link
                && let Some(real) = self.facts.world.real_path(entry.path)
            {
                let real = self.in_own_terms(&real);
                // What lies below the same directory is meant anyway.
                if below(&real, root).is_none() {
                    found.push(Target::Known(real.into()));
                }
            }
            if found.len() > MAX_LINKS {
                Look::Enough
            } else {
                Look::Into
            }
        };
        let seen = self.facts.world.look_below(root, &mut visit);
        if found.len() > MAX_LINKS || !seen && self.facts.world.is_directory(root) == Some(true) {
            found.push(Target::Unknown(Origin::Limit));
        }
        found
    }

    fn links_of(&self, names: &[Name], found: &mut Vec<Target>) {
        let mut follow = |path: &str| {
            let Some(real) = self.facts.world.real_path(path) else {
                return;
            };
            let real = self.in_own_terms(&real);
            if real == path {
                return;
            }
            let rest = names.get(parts(path).count()..).unwrap_or_default();
            let target = if rest.is_empty() {
                Target::Known(real.into())
            } else {
                Target::Pattern(names_of(&real).into_iter().chain(rest.iter().cloned()).collect())
            };
            if !found.contains(&target) {
                found.push(target);
            }
        };
        let root = literal_beginning(names);
        follow(&root);
        let mut visit = |entry: Entry<'_>| {
            let on_the_way = way(names, entry.path);
            if entry.is_link && matches!(on_the_way, Way::On | Way::There) {
                follow(entry.path);
            }
            match on_the_way {
                Way::On => Look::Into,
                Way::There | Way::Below | Way::Off => Look::Past,
            }
        };
        // Where not everything was seen, what was seen counts all the same, and so does what may be there besides. Of a world that
        // cannot be looked at nothing is known, links included.
        if !self.facts.world.look_below(&root, &mut visit)
            && self.facts.world.is_directory(&root) == Some(true)
        {
            found.push(Target::Unknown(Origin::Limit));
        }
    }

    /// A real path in terms of the project and home as they are named: where these are links themselves, what is below their real
    /// places is below them.
    fn in_own_terms<'r>(&self, real: &'r str) -> Cow<'r, str> {
        self.linked()
            .iter()
            .find_map(|(place, own)| Some(join_path(own, below(real, place)?)))
            .map_or(Cow::Borrowed(real), |path| Cow::Owned(path.into()))
    }

    /// The project and the home directory where they are reached through links: the real place of each and its name.
    fn linked(&self) -> &[(String, &str)] {
        self.linked.get_or_init(|| {
            [Some(self.facts.project), self.facts.home]
                .into_iter()
                .flatten()
                .filter_map(|own| {
                    let place = self.facts.world.real_place(own)?;
                    (place != own).then_some((place, own))
                })
                .collect()
        })
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

    /// The rule in the short spelling that allows editing a target, if one does for certain and none forbids it.
    pub(super) fn edit_rule(&self, target: &Target) -> Option<RuleRef> {
        let mut matched = Matched::default();
        self.match_index(
            &self.plan.writes,
            target,
            Extent::Itself,
            &Names::default(),
            false,
            &mut matched,
        );
        match matched.ruling(self.plan, &mut |_| Truth::Yes) {
            Ruling::Allow(rule) if self.plan.rules.get(rule.0 as usize).is_some_and(|own| own.edits) => {
                Some(rule)
            }
            Ruling::Allow(_)
            | Ruling::Nothing
            | Ruling::Deny(_)
            | Ruling::DenyMaybe(_)
            | Ruling::Ask(_)
            | Ruling::AskMaybe(_) => None,
        }
    }

    /// Whether a target lies within the places of this number for certain.
    fn is_within(&self, places: u32, target: &Target, extent: Extent) -> bool {
        let Some(index) = self.plan.places.get(places as usize) else {
            return false;
        };
        let mut matched = Matched::default();
        self.match_index(index, target, extent, &Names::default(), false, &mut matched);
        matched.truths().any(|(_, truth)| truth == Truth::Yes)
    }

    /// What an index says of a target.
    pub(super) fn says_of(&self, index: &PathIndex, target: &Target) -> Truth {
        if matches!(target, Target::Unknown(_)) {
            return Truth::Maybe;
        }
        let mut matched = Matched::default();
        self.match_index(
            index,
            target,
            Extent::Itself,
            &Names::default(),
            false,
            &mut matched,
        );
        matched
            .truths()
            .map(|(_, truth)| truth)
            .max()
            .unwrap_or(Truth::No)
    }

    fn index_for(&self, access: Access) -> &PathIndex {
        match access {
            Access::Read => &self.plan.reads,
            Access::Write => &self.plan.writes,
            Access::Delete => &self.plan.deletes,
        }
    }

    /// What the rules say of a target, and what those that forbid say of the same place by its real name where the project or the
    /// home directory is a link.
    fn ruling(&self, asked: &Asked<'_>, target: &Target, extent: Extent) -> Ruling {
        let ruling = self.ruling_by_name(asked, target, extent);
        self.linked()
            .iter()
            .filter_map(|(place, own)| moved(target, own, place))
            .map(|target| self.ruling_by_name(asked, &target, extent))
            .filter(|by_place| !matches!(by_place, Ruling::Allow(_) | Ruling::Nothing))
            .fold(ruling, Ruling::stricter)
    }

    fn ruling_by_name(&self, asked: &Asked<'_>, target: &Target, extent: Extent) -> Ruling {
        let index = self.index_for(asked.access);
        let names = Names {
            only: asked.only.iter().map(value_units).collect(),
            except: asked.except.iter().map(value_units).collect(),
        };
        let mut matched = Matched::default();
        self.match_index(index, target, extent, &names, false, &mut matched);
        let mut ruling = matched.ruling(self.plan, &mut |_| Truth::Yes);
        // The top of a tree is touched for certain, whatever is excepted below it.
        if let (Ruling::DenyMaybe(_) | Ruling::AskMaybe(_), Target::Known(_), Extent::Tree) =
            (ruling, target, extent)
        {
            let mut top = Matched::default();
            self.match_index(index, target, Extent::Itself, &Names::default(), false, &mut top);
            if let found @ (Ruling::Deny(_) | Ruling::Ask(_)) = top.ruling(self.plan, &mut |_| Truth::Yes) {
                ruling = ruling.stricter(found);
            }
        }
        if let Ruling::DenyMaybe(_) | Ruling::AskMaybe(_) = ruling {
            ruling = self.look_below(asked, target, extent, &names, ruling, &matched);
        }
        // Names that differ only by case are one file on some file systems: a rule that forbids one may mean the other.
        if let Target::Known(path) = target
            && !matches!(ruling, Ruling::Deny(_) | Ruling::DenyMaybe(_))
            && path.bytes().any(|b| b.is_ascii_uppercase())
        {
            let mut folded = Matched::default();
            self.match_index(index, target, Extent::Itself, &names, true, &mut folded);
            if let found @ (Ruling::DenyMaybe(_) | Ruling::AskMaybe(_)) =
                folded.ruling(self.plan, &mut |_| Truth::Yes)
            {
                ruling = ruling.stricter(found);
            }
        }
        ruling
    }

    /// A tree may hold something that a rule forbids, and so may the names that match a pattern: where the file system can be
    /// looked at, see whether it does. What is written may be new, so that looking says nothing of it.
    fn look_below(
        &self,
        asked: &Asked<'_>,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
        unsure: Ruling,
        matched: &Matched,
    ) -> Ruling {
        // Of a whole tree everything is touched, else what is found is only one of the places it may be.
        let (root, fits, certain) = match (target, extent, asked.access) {
            (_, _, Access::Write)
            | (Target::Unknown(_), _, _)
            | (Target::Known(_), Extent::Itself | Extent::Somewhere, _) => return unsure,
            (Target::Known(root), Extent::Tree, Access::Read | Access::Delete) => (root.clone(), None, true),
            (Target::Somewhere(root), _, Access::Read | Access::Delete) => (root.clone(), None, false),
            (Target::Pattern(own), _, Access::Read | Access::Delete) => {
                (literal_beginning(own), Some(own), false)
            }
        };
        let index = self.index_for(asked.access);
        let mut worst = Ruling::Nothing;
        let mut visit = |entry: Entry<'_>| {
            let path = entry.path;
            let on = match fits.map(|own| (way(own, path), extent)) {
                Some((Way::Off, _) | (Way::Below, Extent::Itself)) => return Look::Past,
                Some((Way::On, _)) => return Look::Into,
                Some((Way::There, Extent::Itself)) => Look::Past,
                Some((Way::There | Way::Below, Extent::Tree | Extent::Somewhere)) | None => Look::Into,
            };
            let name: Vec<_> = path
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .chars()
                .map(Unit::Char)
                .collect();
            let covers = |globs: &[Vec<Unit<'_>>]| {
                globs
                    .iter()
                    .any(|glob| crate::truth::covers(glob, &name) != Truth::No)
            };
            if (!names.only.is_empty() && !covers(&names.only)) || covers(&names.except) {
                return on;
            }
            let mut found = Matched::default();
            let target = Target::Known(path.into());
            self.match_index(
                index,
                &target,
                Extent::Itself,
                &Names::default(),
                false,
                &mut found,
            );
            let ruling = found.ruling(self.plan, &mut |_| Truth::Yes);
            worst = worst.stricter(ruling);
            if matches!(ruling, Ruling::Deny(_)) {
                Look::Enough
            } else {
                on
            }
        };
        if !self.facts.world.look_below(&root, &mut visit) {
            return unsure;
        }
        match worst {
            Ruling::Deny(rule) if !certain => Ruling::DenyMaybe(rule),
            Ruling::Ask(rule) if !certain => Ruling::AskMaybe(rule),
            Ruling::Deny(_) | Ruling::DenyMaybe(_) | Ruling::Ask(_) | Ruling::AskMaybe(_) => worst,
            // Nothing below is forbidden: what is left is what matched for certain.
            Ruling::Allow(_) | Ruling::Nothing => {
                let mut certain = Ruling::Nothing;
                for (group, truth) in matched.truths() {
                    let is_allow = self
                        .plan
                        .rule_of(group)
                        .is_some_and(|rule| rule.outcome == Outcome::Allow);
                    if truth == Truth::Yes && is_allow {
                        certain = Ruling::Allow(RuleRef(group));
                    }
                }
                certain
            }
        }
    }

    pub(super) fn match_index(
        &self,
        index: &PathIndex,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
        fold: bool,
        matched: &mut Matched,
    ) {
        let mounts = [
            (Some(self.facts.project), &index.project),
            (self.facts.home, &index.home),
        ];
        let mut hit = |end, truth| matched.hit(end, truth);
        match target {
            Target::Known(path) | Target::Somewhere(path) => {
                let segments: Vec<Segment<'_>> = parts(path).map(Segment::Name).collect();
                index.root.matches(&segments, extent, names, fold, &mut hit);
                for (mount, trie) in mounts {
                    let Some(mount) = mount else { continue };
                    if let Some(rest) = below(path, mount) {
                        let from = segments.len() - parts(rest).count();
                        let rest = segments.get(from..).unwrap_or_default();
                        trie.matches(rest, extent, names, fold, &mut hit);
                    } else if extent != Extent::Itself && below(mount, path).is_some() {
                        // The tree is above the anchor: everything below the anchor may be touched.
                        trie.matches(&[], Extent::Tree, names, fold, &mut |end, _| {
                            hit(end, Truth::Maybe);
                        });
                    }
                }
            }
            Target::Pattern(path) => {
                let segments: Vec<Segment<'_>> = path.iter().map(Name::segment).collect();
                index.root.matches(&segments, extent, names, fold, &mut hit);
                for (mount, trie) in mounts {
                    let Some(mount) = mount.map(names_of) else {
                        continue;
                    };
                    let shared = mount.iter().zip(path).all(|(own, name)| match name {
                        Name::Literal(_) => own == name,
                        Name::Pattern(_) => true,
                    });
                    if !shared {
                        continue;
                    }
                    let literal = mount.iter().zip(path).all(|(own, name)| own == name);
                    let ceiling = if literal { Truth::Yes } else { Truth::Maybe };
                    if let Some(rest) = segments.get(mount.len()..) {
                        trie.matches(rest, extent, names, fold, &mut |end, truth| {
                            hit(end, truth.min(ceiling));
                        });
                    } else if extent != Extent::Itself {
                        trie.matches(&[], Extent::Tree, names, fold, &mut |end, _| {
                            hit(end, Truth::Maybe);
                        });
                    }
                }
            }
            Target::Unknown(_) => {
                // Anything: every rule may match, and one that covers the whole root does.
                index.root.matches(&[], Extent::Tree, names, fold, &mut hit);
                for (_, trie) in mounts {
                    trie.matches(&[], Extent::Tree, names, fold, &mut |end, _| {
                        hit(end, Truth::Maybe);
                    });
                }
            }
        }
    }
}

/// A target below one directory as the same target below another.
fn moved(target: &Target, from: &str, to: &str) -> Option<Target> {
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
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// The longest directory that every match of a pattern lies in.
fn literal_beginning(names: &[Name]) -> SmolStr {
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
enum Way {
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
fn way(names: &[Name], path: &str) -> Way {
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
pub(super) fn names_of(path: &str) -> Vec<Name> {
    parts(path).map(|part| Name::Literal(part.into())).collect()
}

impl Name {
    fn segment(&self) -> Segment<'_> {
        match self {
            Self::Literal(name) => Segment::Name(name),
            Self::Pattern(pattern) => Segment::Pattern(pattern),
        }
    }
}
