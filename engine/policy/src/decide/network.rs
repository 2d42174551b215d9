//! Deciding connections.

use engine_shell::{Span, Value};
use smol_str::SmolStr;

use super::Decider;
use super::command::Running;
use super::groups::{Matched, Ruling, may_match};
use super::path::{Access, Asked, Cover};
use crate::document::{Outcome, RequestKind};
use crate::plan::{Host, parse_host};
use crate::truth::Truth;
use crate::verdict::{Request, RuleRef, Why};

impl Decider<'_> {
    /// A connection; a `file:` URL is a read.
    pub(super) fn network(
        &mut self,
        running: &Running<'_>,
        host: Option<&Value>,
        span: Span,
        covered: Option<RuleRef>,
    ) {
        // Where a program connects by itself is part of what a rule for it allows, unless a rule speaks of every host. Without such a
        // rule it is asked about whatever the host, and a rule for some hosts would be no reason that helps.
        let asks = self.plan.default_for(RequestKind::Network) != Outcome::Allow;
        if host.is_none() && (covered.is_some() || asks) {
            let mut matched = Matched::default();
            self.plan.hosts.every(&mut |end| matched.hit(end, Truth::Yes));
            if matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes) == Ruling::Nothing {
                let (outcome, why) = match covered {
                    Some(rule) => (Outcome::Allow, Why::Covered(rule)),
                    None => self.default(RequestKind::Network),
                };
                let host = SmolStr::new_static("a host that is not known");
                self.step(Request::Network(host), span, outcome, why, 0);
                return;
            }
        }
        let texts: Vec<Option<SmolStr>> = match host {
            Some(Value::Known(text)) => vec![Some(text.clone())],
            Some(Value::OneOf(texts)) => texts.iter().cloned().map(Some).collect(),
            Some(Value::Affixed { prefix, .. }) => vec![authority_of(prefix)],
            Some(
                Value::Glob(_) | Value::Below(_) | Value::Integer | Value::Descriptor | Value::Unknown(_),
            )
            | None => vec![None],
        };
        for text in texts {
            if let Some(path) = text.as_deref().and_then(file_url) {
                let value = Value::Known(path.into());
                let asked = Asked::one(Access::Read, &value, &running.invocation.directory, span);
                self.path(&asked, covered.map_or(Cover::None, Cover::Project));
                continue;
            }
            let parsed: Option<Host> = text.as_deref().and_then(parse_host);
            self.host(parsed.as_ref(), text.as_deref(), span, covered);
        }
    }

    /// Decides a host; `None` is one that is not known.
    pub(super) fn host(
        &mut self,
        host: Option<&Host>,
        text: Option<&str>,
        span: Span,
        covered: Option<RuleRef>,
    ) {
        let mut matched = Matched::default();
        match host {
            Some(host) => self
                .plan
                .hosts
                .matches(host, &mut |end| matched.hit(end, Truth::Yes)),
            None => {
                self.plan.hosts.all(&mut |end| matched.hit(end, Truth::Maybe));
                self.plan.hosts.every(&mut |end| matched.hit(end, Truth::Yes));
            }
        }
        let name = host.map_or_else(
            || text.map_or_else(|| SmolStr::new_static("a host that is not known"), SmolStr::from),
            |host| host.name.clone(),
        );
        let unruled = || match covered {
            Some(rule) => (Outcome::Allow, Why::Covered(rule)),
            None => self.default(RequestKind::Network),
        };
        let (outcome, why) = match matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes) {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) if matched.allows(self.plan, self.rules) => {
                (Outcome::Ask, Why::RuleMaybe(rule))
            }
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => may_match(rule, unruled()),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule)),
            Ruling::Allow(rule) => (Outcome::Allow, Why::Rule(rule)),
            Ruling::Nothing => unruled(),
        };
        self.step(Request::Network(name), span, outcome, why, 0);
    }
}

/// The scheme and host of a URL whose beginning is known, if the host is known to its end.
fn authority_of(prefix: &str) -> Option<SmolStr> {
    let (scheme, rest) = prefix.split_once("://")?;
    let (host, _) = rest.split_once(['/', '?', '#'])?;
    Some(format!("{scheme}://{host}").into())
}

/// The path of a `file:` URL.
fn file_url(text: &str) -> Option<&str> {
    let scheme = text.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = text.get(5..)?.trim_start_matches('/');
    let from = text.len() - rest.len() - 1;
    text.get(from..)
        .filter(|path| path.starts_with('/'))
        .or(Some(rest))
}
