//! The rules of loaded policies for a reader: each as it is written, with the sets that it names resolved.
//!
//! Invariant (nothing is decided here): an outline is made of the documents, which deciding has long left behind.

use smol_str::SmolStr;

use super::sets::{Found, MAX_SET_DEPTH, Owner, Sets, commands_of, hosts_of, paths_of};
use super::{Part, locked, withholds};
use crate::document::{Alternatives, Lockable, Outcome, SetMembers, Subject};
use crate::layer::{Layer, Reason};
use crate::pattern::{ShortSubject, Term};
use crate::source::{Place, Sources, Spanned};

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOutline {
    /// Its block's name, or `file:line`.
    pub id: SmolStr,
    /// What it does.
    pub outcome: Outcome,
    /// What it governs: a kind of request, `edit` where the short spelling governs writing and deleting.
    pub kind: &'static str,
    /// Its patterns, any of which matches.
    pub patterns: Vec<PatternOutline>,
    /// What is taken out again.
    pub except: Vec<PatternOutline>,
    /// Conditions as written, all of which must hold.
    pub conditions: Vec<String>,
    /// Where it stands.
    pub place: Place,
    /// Why it is there.
    pub because: Option<SmolStr>,
    /// What to do instead.
    pub instead: Option<SmolStr>,
    /// Where its policy comes from.
    pub layer: Layer,
    /// Why it does not count; `None` if it does.
    pub withheld: Option<Reason>,
}

/// One pattern of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternOutline {
    /// The pattern as written.
    pub text: String,
    /// The set that the rule names and that it comes from.
    pub set: Option<SmolStr>,
}

/// The rules of policies that compile: deny before ask before allow, as they win, and otherwise in the order of writing.
#[must_use]
pub fn outline(parts: &[Part<'_>], sources: &Sources) -> Vec<RuleOutline> {
    let (sets, locked) = (Sets::of(parts), locked(parts));
    let mut rules = Vec::new();
    for part in parts {
        let outliner = Outliner {
            sources,
            sets: &sets,
            owner: Owner::of(part.standing),
        };
        let withheld = withholds(part.standing, &locked, Lockable::Rules);
        for block in &part.document.blocks {
            for rule in &block.value.rules {
                let (kind, patterns, except) = outliner.subject(&rule.value.subject, rule.place);
                let conditions = rule.value.conditions.iter();
                rules.push(RuleOutline {
                    id: match &block.value.name {
                        Some(name) => name.value.clone(),
                        None => SmolStr::from(sources.at(rule.place)),
                    },
                    outcome: block.value.effect.value,
                    kind,
                    patterns,
                    except,
                    conditions: conditions
                        .map(|condition| on_one_line(sources.text(condition.place)))
                        .collect(),
                    place: rule.place,
                    because: block.value.because.as_ref().map(|text| text.value.clone()),
                    instead: block.value.instead.as_ref().map(|text| text.value.clone()),
                    layer: part.standing.layer,
                    withheld: withheld.filter(|_| block.value.effect.value == Outcome::Allow),
                });
            }
        }
    }
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.outcome));
    rules
}

struct Outliner<'a> {
    sources: &'a Sources,
    sets: &'a Sets<'a>,
    owner: Owner,
}

type Parts = (&'static str, Vec<PatternOutline>, Vec<PatternOutline>);

impl<'a> Outliner<'a> {
    fn subject(&self, subject: &'a Subject, place: Place) -> Parts {
        let kind = match subject {
            Subject::Short(short) => {
                let kind = match &short.subject {
                    ShortSubject::Command(_) => "command",
                    ShortSubject::Read(_) => "read",
                    ShortSubject::Change(_) => "edit",
                    ShortSubject::Network(_) => "network",
                    ShortSubject::Tool(_) => "tool",
                    ShortSubject::Agent(_) => "agent",
                    ShortSubject::Skill(_) => "skill",
                };
                let pattern = PatternOutline {
                    text: short.text.to_string(),
                    set: None,
                };
                return (kind, vec![pattern], Vec::new());
            }
            Subject::Command(_)
            | Subject::Read(_)
            | Subject::Write(_)
            | Subject::Delete(_)
            | Subject::Network(_)
            | Subject::Tool(_)
            | Subject::Env(_)
            | Subject::Agent(_)
            | Subject::Skill(_)
            | Subject::Mode(_) => subject.kind().map_or("", |kind| kind.as_str()),
        };
        let (patterns, except) = match subject {
            Subject::Command(terms) => self.terms(terms, commands_of),
            Subject::Read(terms) | Subject::Write(terms) | Subject::Delete(terms) => {
                self.terms(terms, paths_of)
            }
            Subject::Network(terms) => self.terms(terms, hosts_of),
            Subject::Tool(own) | Subject::Agent(own) | Subject::Skill(own) => self.plain(own),
            Subject::Env(own) => self.plain(own),
            Subject::Mode(own) => self.plain(own),
            Subject::Short(_) => (vec![self.pattern(place, None)], Vec::new()),
        };
        (kind, patterns, except)
    }

    fn plain<P>(&self, alternatives: &Alternatives<P>) -> (Vec<PatternOutline>, Vec<PatternOutline>) {
        let all = |patterns: &[Spanned<P>]| {
            let own = patterns.iter().map(|pattern| self.pattern(pattern.place, None));
            own.collect()
        };
        (all(&alternatives.patterns), all(&alternatives.except))
    }

    fn terms<P>(
        &self,
        alternatives: &'a Alternatives<Term<P>>,
        members: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
    ) -> (Vec<PatternOutline>, Vec<PatternOutline>) {
        let (mut patterns, mut except) = (Vec::new(), Vec::new());
        for term in &alternatives.patterns {
            self.term(term, None, members, (self.owner, 0), &mut patterns, &mut except);
        }
        for term in &alternatives.except {
            self.term(term, None, members, (self.owner, 0), &mut except, &mut Vec::new());
        }
        (patterns, except)
    }

    fn term<P>(
        &self,
        term: &'a Spanned<Term<P>>,
        set: Option<&SmolStr>,
        members: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
        (owner, depth): (Owner, usize),
        patterns: &mut Vec<PatternOutline>,
        except: &mut Vec<PatternOutline>,
    ) {
        let name = match &term.value {
            Term::Pattern(_) => {
                patterns.push(self.pattern(term.place, set));
                return;
            }
            Term::Set(name) => name,
        };
        // Policies that compile have no circles and no unknown sets; others are not followed for ever.
        let (owner, found) = match self.sets.find(name, owner) {
            Found::Set(owner, found) if depth <= MAX_SET_DEPTH => (owner, found),
            Found::Set(..) | Found::Untrusted | Found::Unknown => return,
        };
        let Some(inner) = members(found) else { return };
        let set = set.unwrap_or(name);
        for term in &inner.patterns {
            self.term(term, Some(set), members, (owner, depth + 1), patterns, except);
        }
        for term in &inner.except {
            self.term(
                term,
                Some(set),
                members,
                (owner, depth + 1),
                except,
                &mut Vec::new(),
            );
        }
    }

    fn pattern(&self, place: Place, set: Option<&SmolStr>) -> PatternOutline {
        PatternOutline {
            text: unquoted(self.sources.text(place)).to_owned(),
            set: set.cloned(),
        }
    }
}

/// A value without its quotes, or as it is written where it has none or more than one of a kind.
fn unquoted(text: &str) -> &str {
    let within = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    };
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::outline;
    use crate::load::{Files, Root, load};
    use crate::read::Format;

    struct NoFiles;

    impl Files for NoFiles {
        fn text(&self, _path: &str) -> Result<String, String> {
            Err("there is none".to_owned())
        }
    }

    fn lines(text: &str, format: Format) -> Vec<String> {
        let root = Root::Text {
            name: "a".to_owned(),
            text: text.to_owned(),
            format,
        };
        let mut loaded = load(&[root], &NoFiles);
        assert!(loaded.compile().is_some(), "{:?}", loaded.diagnostics);
        let shown = |patterns: &[super::PatternOutline]| {
            let all = patterns.iter().map(|own| match &own.set {
                Some(set) => format!("{}@{set}", own.text),
                None => own.text.clone(),
            });
            all.collect::<Vec<_>>().join(", ")
        };
        outline(&loaded.parts(), &loaded.sources)
            .iter()
            .map(|rule| {
                format!(
                    "{} {} {} [{}] less [{}] if [{}]",
                    rule.id,
                    rule.outcome.as_str(),
                    rule.kind,
                    shown(&rule.patterns),
                    shown(&rule.except),
                    rule.conditions.join("; ")
                )
            })
            .collect()
    }

    #[test]
    fn sets_are_resolved_and_strict_rules_come_first() {
        let text = "policy \"a\"\n\
            sets {\n    paths \"inner\" \"~/.ssh/**\"\n    paths \"secrets\" \"@inner\" \"**/*.pem\" { except \"a.pem\"; }\n}\n\
            allow { read \"./**\"; tool \"Read\" \"mcp__*\"; }\n\
            ask { mode \"bypass\"; env \"CI=*\"; }\n\
            deny \"keys\" { read \"@secrets\" { except \"b.pem\"; }; }\n\
            deny { command \"git push ...\" { flag \"-f\"\n        background #false\n    }\n}\n\
            allow \"Edit(./src/**)\"\n";
        assert_eq!(
            lines(text, Format::Kdl),
            [
                "keys deny read [~/.ssh/**@secrets, **/*.pem@secrets] less [a.pem@secrets, b.pem] if []",
                "a:9 deny command [git push ...] less [] if [flag \"-f\"; background #false]",
                "a:7 ask mode [bypass] less [] if []",
                "a:7 ask env [CI=*] less [] if []",
                "a:6 allow read [./**] less [] if []",
                "a:6 allow tool [Read, mcp__*] less [] if []",
                "a:13 allow edit [Edit(./src/**)] less [] if []",
            ]
        );
    }

    #[test]
    fn toml_reads_the_same() {
        let text = "[policy]\nname = \"a\"\n\n[[deny]]\nname = \"push\"\nrules = [{ command = \"git push ...\", flag = \"-f\" }]\n";
        let shown = lines(text, Format::Toml);
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert!(
            shown[0].starts_with("push deny command [git push ...] less [] if ["),
            "{shown:?}"
        );
    }
}
