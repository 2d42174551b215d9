//! Configuration files that name programs: found upwards from the directory of a command, looked into where the world allows it.

use engine_shell::{Directory, Span};
use smol_str::SmolStr;

use super::Decider;
use super::command::Running;
use super::groups::Ruling;
use super::path::Access;
use super::repository::configuration_at;
use crate::document::Outcome;
use crate::effect::{EffectKind, EffectSource, Use};
use crate::facts::{Kind, join_path};
use crate::plan::{Extent, Names};
use crate::resolve::Target;
use crate::verdict::{Request, Why};

impl Decider<'_> {
    /// A configuration file, found upwards from the directory, that may name programs.
    pub(super) fn consults(
        &mut self,
        running: &Running<'_>,
        usage: &Use,
        (file, keys, because): (&str, &[SmolStr], Option<&str>),
        span: Span,
    ) {
        let changed = usage.effects.iter().rev().find_map(|effect| {
            if let EffectKind::Reads(used) = &effect.kind
                && effect.source == EffectSource::SetAside
            {
                Some(used)
            } else {
                None
            }
        });
        let starts = self.bases(
            &running.invocation.directory,
            changed.and_then(|used| used.below.as_ref()),
        );
        let places: Vec<_> = starts
            .into_iter()
            .flat_map(|start| match (start, changed) {
                (Some(start), Some(used)) => self.bases(&Directory::OneOf(vec![start]), Some(&used.path)),
                (start, _) => vec![start],
            })
            .collect();
        for place in places {
            let Some(place) = place else {
                self.step(
                    Request::Code(file.into()),
                    span,
                    Outcome::Ask,
                    Why::Unknown(format!(
                        "the directory is not known, and `{file}` there can name programs"
                    )),
                    0,
                );
                continue;
            };
            if place != self.facts.project {
                self.configured_directory(&place, span);
            }
            let mut at = place.clone();
            loop {
                let reach = running.invocation.reach;
                let in_order = !(reach.looped || reach.background || reach.piped || reach.reevaluated);
                self.note_obeyed(&at, file, span, in_order);
                let files = match file.split_once('/') {
                    Some((name, "config")) => configuration_at(self.facts.world, &at, name),
                    Some(_) | None => vec![join_path(&at, file)],
                };
                let mut any = false;
                for path in files {
                    if self.facts.world.kind(&path) == Kind::Missing {
                        continue;
                    }
                    let Some(text) = self.facts.world.small_file(&path) else {
                        // What is there and cannot be looked into may say anything.
                        if self.facts.world.is_directory(&path) == Some(false) {
                            any = true;
                            let why = format!("`{path}` cannot be looked into, and can name programs");
                            self.step(Request::Code(path), span, Outcome::Ask, Why::Unknown(why), 0);
                        }
                        continue;
                    };
                    any = true;
                    if let Some(key) =
                        config_keys(&text).find(|key| keys.iter().any(|own| key_matches(own, key)))
                    {
                        let because = because.unwrap_or("which names a program that would run");
                        let key = key.trim_start_matches('.');
                        let why = format!("`{path}` sets `{key}`, {because}");
                        self.step(Request::Code(path), span, Outcome::Ask, Why::Unknown(why), 0);
                    }
                }
                match at.rsplit_once('/') {
                    Some((parent, _)) if !any && !parent.is_empty() => at = parent.into(),
                    Some(_) | None => break,
                }
            }
        }
    }

    /// A directory whose configuration a program obeys: one that may not be read, or that is protected from writing, is asked about.
    pub(super) fn configured_directory(&mut self, place: &SmolStr, span: Span) {
        let target = Target::Known(place.clone());
        let outside = !self.is_inside(Access::Read, &target);
        let index = if outside {
            &self.plan.reads
        } else {
            &self.plan.writes
        };
        let said = self.says(index, &target, Extent::Itself, &Names::default());
        let ruling = said.ruling;
        let request = Request::Code(place.clone());
        match ruling {
            Ruling::Deny(rule) | Ruling::Ask(rule) | Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => {
                self.step(request, span, Outcome::Ask, Why::RuleMaybe(rule), 0);
            }
            Ruling::Nothing if outside => self.step(
                request,
                span,
                Outcome::Ask,
                Why::Unknown("its configuration is obeyed, and it lies outside the project".to_owned()),
                0,
            ),
            Ruling::Allow(_) | Ruling::Nothing => {}
        }
    }
}

/// The keys of a git configuration file as `section.key` or `section.subsection.key`, in lower case but for the subsection.
/// Source: git-config(1), "Syntax".
fn config_keys(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut section = String::new();
    text.lines().filter_map(move |line| {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, after) = rest.split_once(']')?;
            section = match head.split_once('"') {
                Some((name, sub)) => {
                    format!(
                        "{}.{}",
                        name.trim().to_ascii_lowercase(),
                        sub.trim_end().trim_end_matches('"')
                    )
                }
                None => head.trim().to_ascii_lowercase(),
            };
            line = after.trim();
        }
        let key = line.split(['=', ' ', '\t', '#', ';']).next().unwrap_or_default();
        if key.is_empty() {
            None
        } else {
            Some(format!("{section}.{}", key.to_ascii_lowercase()))
        }
    })
}

/// Whether a key is one of those that name programs; `*` in the middle stands for any subsection.
fn key_matches(own: &str, key: &str) -> bool {
    match own.split_once('*') {
        Some((head, tail)) => {
            key.len() >= head.len() + tail.len()
                && key.to_ascii_lowercase().starts_with(&head.to_ascii_lowercase())
                && key.to_ascii_lowercase().ends_with(&tail.to_ascii_lowercase())
        }
        None => own.eq_ignore_ascii_case(key),
    }
}
