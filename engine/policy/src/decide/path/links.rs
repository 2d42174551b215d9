//! Links: where what is asked for really lies.
//!
//! Invariant (unseen is anywhere): where the file system cannot be seen to the end, a link may lead anywhere.

use std::borrow::Cow;

use engine_shell::Origin;
use smol_str::SmolStr;

use super::Asked;
use super::names::{Way, literal_beginning, names_of, parts, way};
use crate::decide::Decider;
use crate::effect::Follows;
use crate::facts::{Entry, Look, World, below, join_path};
use crate::resolve::{Name, Target};

/// Links that one pattern may match or that are followed below one tree; what more of them would lead to is not known.
const MAX_LINKS: usize = 64;

impl Decider<'_> {
    /// Where the links lead that are followed below a target; any path where that cannot be seen.
    pub(super) fn followed(&self, asked: &Asked<'_>, target: &Target) -> Vec<Target> {
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
    pub(super) fn links_among(&self, target: &Target) -> Vec<Target> {
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
    pub(super) fn links_below(&self, target: &Target) -> Vec<Target> {
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

    pub(super) fn links_of(&self, names: &[Name], found: &mut Vec<Target>) {
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
    pub(in crate::decide) fn in_own_terms<'r>(&self, real: &'r str) -> Cow<'r, str> {
        self.linked()
            .iter()
            .find_map(|(place, own)| Some(join_path(own, below(real, place)?)))
            .map_or(Cow::Borrowed(real), |path| Cow::Owned(path.into()))
    }

    /// The project and the home directory where they are reached through links: the real place of each and its name.
    pub(in crate::decide) fn linked(&self) -> &[(String, &str)] {
        self.linked
            .get_or_init(|| linked_places(self.facts.project, self.facts.home, self.facts.world))
    }
}

/// The project and the home directory where they are reached through links: the real place of each and its name.
pub(in crate::decide) fn linked_places<'n>(
    project: &'n str,
    home: Option<&'n str>,
    world: &dyn World,
) -> Vec<(String, &'n str)> {
    let places = [Some(project), home].into_iter().flatten();
    places
        .filter_map(|own| {
            let place = world.real_place(own)?;
            (place != own).then_some((place, own))
        })
        .collect()
}
