//! What the shell looks up by itself: for a word with a pattern in it, it lists the directories that the pattern goes through, and the
//! names become words of the command, whatever the command is.
//!
//! Source: bash manual, "Filename Expansion".

use engine_shell::{Directory, Field, Value};

use super::Decider;
use super::command::Running;
use super::path::{Access, Asked, Cover};
use crate::document::Outcome;
use crate::plan::Extent;
use crate::resolve::Target;
use crate::verdict::{Request, Why};

impl Decider<'_> {
    /// The directories that patterns among the words of a command list, each as a read.
    pub(super) fn listings(&mut self, running: &Running<'_>, cover: Cover) {
        for field in &running.invocation.words {
            self.listing(field, &running.invocation.directory, cover);
        }
    }

    /// The directories that a word lists if a pattern stands in it. Only those that are not allowed become steps, since most commands
    /// ask for what a pattern matches anyway; in the project, only those that a rule speaks of.
    pub(super) fn listing(&mut self, field: &Field, directory: &Directory, cover: Cover) {
        for listed in listed(field) {
            let asked = Asked::one(Access::Read, &listed, directory, field.span);
            let places = self.bases(directory, None);
            for target in self.targets(&listed, &places) {
                let (outcome, why, check) = self.target(&asked, &target, cover);
                let by_default = matches!(why, Why::Default(_));
                let no_news = by_default
                    && (self.is_inside(Access::Read, &target) || self.is_no_news(&asked, &field.value));
                if outcome == Outcome::Allow || no_news {
                    continue;
                }
                self.step(Request::Read(target.describe()), field.span, outcome, why, check);
            }
        }
    }

    /// Whether a rule allows everything that the pattern matches. An address with `?` in it is a pattern, too, of a directory that is
    /// hardly ever there.
    fn is_no_news(&self, asked: &Asked<'_>, pattern: &Value) -> bool {
        let places = self.bases(asked.directory, asked.below);
        let is_address = matches!(pattern, Value::Glob(text) if text.contains("://"));
        let is_there = |target: &Target| match target {
            Target::Known(path) => self.facts.world.is_directory(path) == Some(true),
            Target::Pattern(_) | Target::Somewhere(_) | Target::Unknown(_) => true,
        };
        if is_address && !self.targets(asked.path, &places).iter().any(is_there) {
            return true;
        }
        let matches = self.targets(pattern, &places);
        matches
            .iter()
            .all(|target| self.allows(asked, target, Extent::Itself))
    }
}

/// What a word lists. Where a pattern stands in what is not known as a whole, that may be any directory.
fn listed(field: &Field) -> Vec<Value> {
    match &field.value {
        Value::Glob(pattern) => directories(pattern),
        Value::Known(_) | Value::OneOf(_) | Value::Integer | Value::Descriptor => Vec::new(),
        Value::Below(_) | Value::Affixed { .. } | Value::Unknown(_) if field.spelling.globs => {
            vec![Value::Unknown(field.value.origin())]
        }
        Value::Below(_) | Value::Affixed { .. } | Value::Unknown(_) => Vec::new(),
    }
}

/// The directories that a pattern lists: what stands before each of its parts that are patterns themselves.
fn directories(pattern: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in pattern.split_inclusive('/') {
        if let Some((before, _)) = pattern.split_at_checked(at)
            && literal(part).is_none()
        {
            found.push(match literal(before) {
                _ if before.is_empty() => Value::Known(".".into()),
                Some(text) => Value::Known(text.into()),
                None => Value::Glob(before.into()),
            });
        }
        at += part.len();
    }
    found
}

/// The text of a pattern without any wildcard, escapes removed.
fn literal(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next().unwrap_or('\\')),
            '*' | '?' | '[' => return None,
            c => text.push(c),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use engine_shell::Value;

    use super::directories;

    #[test]
    fn each_part_that_is_a_pattern_lists_what_stands_before_it() {
        let known = |text: &str| Value::Known(text.into());
        assert_eq!(directories("*"), [known(".")]);
        assert_eq!(directories("/etc/.*"), [known("/etc/")]);
        assert_eq!(directories("a b/c*.d"), [known("a b/")]);
        assert_eq!(directories(r"a\*/c?"), [known("a*/")]);
        assert_eq!(
            directories("/home/*/.ssh/id*"),
            [known("/home/"), Value::Glob("/home/*/.ssh/".into())]
        );
        assert_eq!(directories("/*"), [known("/")]);
        assert_eq!(directories(r"\*"), []);
    }
}
