//! `engine plan`: what the policies say once they are joined: every rule with its sets resolved, every setting.

use std::fmt::Write as _;

use engine_policy::document::Lockable;
use engine_policy::{
    CHECK_NAMES, LIMIT_NAMES, Layer, Loaded, Mode, Outcome, PatternOutline, Plan as Compiled, PlanDefer,
    PlanHook, Reason, RequestKind, RuleOutline, Says, locked, nearest, outline,
};
use serde_json::{Map, Value as Json, json};

use crate::check::Start;
use crate::exit::Exit;
use crate::options::{DataFormat, Policies};
use crate::out;
use crate::out::{Paint, visible};
use crate::policies;
use crate::report::Detail;

/// Shows the compiled plan: rules with their sets resolved, defaults, checks, modes, limits
///
/// Rules stand in the order in which they win: `deny` before `ask` before `allow`. Within one of these, all that match count alike.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Plan {
    #[command(flatten)]
    policies: Policies,

    /// Only the rules with this id: the name of a block, or `FILE:LINE`
    #[arg(long, value_name = "ID")]
    rule: Option<String>,

    /// Directory whose project's policies are shown
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    cwd: Option<String>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: DataFormat,
}

const EXAMPLES: &str = "Examples:
  engine plan                            everything that decides here
  engine plan --policy builtin:readonly  a shipped policy
  engine plan --rule force-push          one rule, as verdicts name it";

impl Plan {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let start = Start::of(self.cwd.as_deref())?;
        let found = start.found(&self.policies.named());
        let mut loaded = policies::read_layers(&found);
        let plan = loaded.compile();
        policies::look_for_misplaced(&found, &mut loaded);
        policies::report(&loaded.diagnostics, &loaded.sources);
        let plan = plan.ok_or(Exit::Invalid)?;
        let mut rules = outline(&loaded.parts(), &loaded.sources);
        if let Some(id) = &self.rule {
            let ids: Vec<String> = rules.iter().map(|rule| rule.id.to_string()).collect();
            rules.retain(|rule| rule.id == *id || *id == loaded.sources.at(rule.place));
            if rules.is_empty() {
                out::complain(&unknown_rule(id, &ids));
                return Err(Exit::Usage);
            }
        }
        match self.format {
            DataFormat::Human => {
                let paint = Paint::for_stdout();
                let detail = if self.rule.is_some() {
                    Detail::Whole
                } else {
                    Detail::Short
                };
                let mut text = rules_text(paint, &loaded, &rules, detail);
                if self.rule.is_none() {
                    text.push_str(&lock_text(&loaded));
                    text.push_str(&settings_text(paint, &plan));
                }
                out::print(&text);
            }
            DataFormat::Json => out::print(&format!("{}\n", json(&loaded, &plan, &rules))),
        }
        Ok(Exit::Fine)
    }
}

fn unknown_rule(id: &str, known: &[String]) -> String {
    match nearest(id, known.iter().map(String::as_str)) {
        Some(own) => format!("engine: no rule has the id `{id}`; did you mean `{own}`?\n"),
        None => format!("engine: no rule has the id `{id}`\n"),
    }
}

fn rules_text(paint: Paint, loaded: &Loaded, rules: &[RuleOutline], detail: Detail) -> String {
    let mut text = String::new();
    for outcome in [Outcome::Deny, Outcome::Ask, Outcome::Allow] {
        let own: Vec<&RuleOutline> = rules.iter().filter(|rule| rule.outcome == outcome).collect();
        if own.is_empty() {
            continue;
        }
        let word = match outcome {
            Outcome::Deny => paint.red("deny"),
            Outcome::Ask => paint.yellow("ask"),
            Outcome::Allow => paint.green("allow"),
        };
        let _infallible = writeln!(text, "{word} ({})", out::many(own.len(), "rule"));
        for rule in own {
            rule_text(&mut text, paint, loaded, rule, detail);
        }
        text.push('\n');
    }
    text
}

fn rule_text(text: &mut String, paint: Paint, loaded: &Loaded, rule: &RuleOutline, detail: Detail) {
    let place = loaded.sources.at(rule.place);
    let id = visible(&rule.id);
    let head = if place == *rule.id {
        paint.dim(&id)
    } else {
        format!("{id}  {}", paint.dim(&visible(&place)))
    };
    let head = format!("{head}  {}", paint.dim(rule.layer.as_str()));
    let _infallible = writeln!(
        text,
        "  {head}\n      {} {}",
        rule.kind,
        patterns(&rule.patterns, detail)
    );
    let mut more = |label: &str, what: &str| {
        let _infallible = writeln!(text, "      {label} {}", visible(what));
    };
    if !rule.except.is_empty() {
        more("except", &patterns(&rule.except, detail));
    }
    for condition in &rule.conditions {
        more("if", condition);
    }
    if let Some(reason) = rule.withheld {
        more("does not count:", reason_text(reason));
    }
    if let Some(because) = &rule.because {
        more("because", because);
    }
    if let Some(instead) = &rule.instead {
        more("instead:", instead);
    }
}

/// Patterns of one kind that are shown at most, unless one rule is asked for.
const MAX_PATTERNS: usize = 6;

/// Patterns between quotes, those of a set behind its name in parentheses.
fn patterns(patterns: &[PatternOutline], detail: Detail) -> String {
    let mut text = String::new();
    let mut set = None;
    let shown = match detail {
        Detail::Whole => patterns.len(),
        Detail::Short => MAX_PATTERNS,
    };
    for pattern in patterns.iter().take(shown) {
        let goes_on = pattern.set.as_ref() == set;
        if !goes_on && set.is_some() {
            text.push(')');
        }
        if !text.is_empty() {
            text.push(' ');
        }
        if !goes_on && let Some(name) = &pattern.set {
            let _infallible = write!(text, "@{name} (");
        }
        set = pattern.set.as_ref();
        let _infallible = write!(text, "\"{}\"", visible(&pattern.text));
    }
    if set.is_some() {
        text.push(')');
    }
    if let Some(more) = patterns.len().checked_sub(shown).filter(|more| *more > 0) {
        let _infallible = write!(text, " and {more} more");
    }
    text
}

/// What the policies of the machine lock, each with its place; nothing where they lock nothing.
fn lock_text(loaded: &Loaded) -> String {
    let parts = loaded.parts();
    let managed = parts.iter().filter(|part| part.standing.layer == Layer::Managed);
    let locks: Vec<_> = managed.flat_map(|part| &part.document.lock).collect();
    let width = locks
        .iter()
        .map(|lock| lock.value.as_str().len())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    for lock in &locks {
        if text.is_empty() {
            text.push_str("locked, so that no other policy loosens it\n");
        }
        let place = visible(&loaded.sources.at(lock.place));
        let _infallible = writeln!(text, "  {:width$}  {place}", lock.value.as_str());
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn settings_text(paint: Paint, plan: &Compiled) -> String {
    let mut text = String::new();
    let mut section = |name: &str, lines: Vec<(String, String)>| {
        let _infallible = writeln!(text, "{name}");
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (name, value) in lines {
            let value = match value.as_str() {
                "deny" => paint.red("deny"),
                "ask" => paint.yellow("ask"),
                "allow" => paint.green("allow"),
                _ => value,
            };
            let _infallible = writeln!(text, "  {name:width$}  {value}");
        }
        text.push('\n');
    };
    let mut defaults: Vec<(String, String)> = RequestKind::ALL
        .iter()
        .map(|(word, kind)| ((*word).to_owned(), plan.default_for(*kind).as_str().to_owned()))
        .collect();
    defaults.push(("headless".to_owned(), plan.headless().as_str().to_owned()));
    section("defaults, where no rule matches", defaults);
    section(
        "checks",
        checks(plan)
            .map(|(_, name, severity)| (name.to_owned(), severity.to_owned()))
            .collect(),
    );
    let mut modes: Vec<(String, String)> = Mode::ALL
        .iter()
        .map(|(word, mode)| ((*word).to_owned(), plan.mode_allowed(*mode).as_str().to_owned()))
        .collect();
    modes.push(("starts in".to_owned(), plan.start_mode().as_str().to_owned()));
    section("modes", modes);
    section(
        "limits",
        limits(plan)
            .map(|(name, value)| (name.to_owned(), value.to_string()))
            .collect(),
    );
    tools_text(&mut section, plan);
    section(
        "definitions",
        vec![
            ("programs".to_owned(), plan.catalogue().names().len().to_string()),
            (
                "of these policies".to_owned(),
                plan.own_definition_count().to_string(),
            ),
        ],
    );
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Hooks, budgets and deferral, where policies say something about them.
fn tools_text(section: &mut impl FnMut(&str, Vec<(String, String)>), plan: &Compiled) {
    let hooks: Vec<(String, String)> = plan.hooks().iter().map(hook_line).collect();
    if !hooks.is_empty() {
        section("hooks, in the order of their layers", hooks);
    }
    let size =
        |chars: Option<u32>| chars.map_or("unlimited".to_owned(), |chars| format!("{chars} characters"));
    let budgets = plan.budgets();
    let mut lines: Vec<(String, String)> = budgets
        .lines()
        .iter()
        .map(|line| {
            let note = match line.says {
                Says::Sets => "",
                Says::Fixes | Says::Lowers => " at most",
            };
            let size = size(line.chars);
            (visible(&line.tools.to_string()), format!("{size}{note}"))
        })
        .collect();
    for (name, chars) in [
        ("a message", budgets.message()),
        ("a message, at most", budgets.message_cap()),
    ] {
        lines.extend(chars.map(|chars| (name.to_owned(), size(Some(chars)))));
    }
    if !lines.is_empty() {
        section("budgets", lines);
    }
    let deferral: Vec<(String, String)> = plan
        .deferral()
        .iter()
        .map(|line| (visible(&line.tools.to_string()), deferral_word(line).to_owned()))
        .collect();
    if !deferral.is_empty() {
        section("deferral, where the last line for a tool holds", deferral);
    }
    let session = session_lines(plan);
    if !session.is_empty() {
        section("session", session);
    }
}

/// What a session is, where policies say something about it.
fn session_lines(plan: &Compiled) -> Vec<(String, String)> {
    let session = plan.session();
    let mut lines = Vec::new();
    let mut line = |name: &str, value: &str| lines.push((name.to_owned(), visible(value)));
    if session.persistent {
        line("shell", "persistent");
    }
    for directory in &session.directories {
        line("directory", directory);
    }
    if let Some(time) = session.foreground_ms {
        line("foreground", &format!("{time} ms"));
    }
    if session.everything {
        line("ignore files", "not followed");
    }
    if session.simple {
        line("tools", "simple");
    }
    for (name, value) in &session.settings {
        line(name, value);
    }
    for feature in &session.features {
        line("feature", feature);
    }
    lines
}

fn hook_line(hook: &PlanHook) -> (String, String) {
    let mut what = hook.event.as_str().to_owned();
    for matcher in &hook.matchers {
        let _infallible = write!(what, " \"{}\"", visible(matcher));
    }
    let failed = match hook.on_error {
        Outcome::Allow => "",
        Outcome::Ask => ", ask where it fails",
        Outcome::Deny => ", deny where it fails",
    };
    let place = format!("{}:{}", hook.file, hook.line);
    let bounds = format!("within {} ms{failed}", hook.timeout_ms);
    let text = format!(
        "{}  ({bounds}; {}, {})",
        visible(&hook.run),
        hook.layer.as_str(),
        visible(&place)
    );
    (what, text)
}

fn deferral_word(line: &PlanDefer) -> &'static str {
    if line.defers { "deferred" } else { "shown" }
}

/// Number, name and severity of each check.
fn checks(plan: &Compiled) -> impl Iterator<Item = (u8, &'static str, &'static str)> {
    (1u8..)
        .zip(CHECK_NAMES)
        .filter_map(|(number, name)| Some((number, *name, plan.severity(number)?.as_str())))
}

fn limits(plan: &Compiled) -> impl Iterator<Item = (&'static str, usize)> {
    LIMIT_NAMES
        .iter()
        .filter_map(|name| Some((*name, plan.limit(name)?)))
}

/// The word for a reason in JSON.
fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::NotTrusted => "not-trusted",
        Reason::Around => "around",
        Reason::Locked => "locked",
    }
}

fn reason_text(reason: Reason) -> &'static str {
    match reason {
        Reason::NotTrusted => "nobody has trusted its file",
        Reason::Around => "its file belongs to a project around this one",
        Reason::Locked => "the managed layer locks the rules",
    }
}

fn json(loaded: &Loaded, plan: &Compiled, rules: &[RuleOutline]) -> Json {
    let patterns = |own: &[PatternOutline]| {
        let all = own.iter().map(|own| json!({ "set": own.set, "text": own.text }));
        all.collect::<Vec<Json>>()
    };
    let rules: Vec<Json> = rules
        .iter()
        .map(|rule| {
            json!({
                "because": rule.because,
                "conditions": rule.conditions,
                "effect": rule.outcome.as_str(),
                "except": patterns(&rule.except),
                "file": loaded.sources.name(rule.place),
                "id": rule.id,
                "instead": rule.instead,
                "kind": rule.kind,
                "layer": rule.layer.as_str(),
                "line": loaded.sources.line_column(rule.place).line,
                "patterns": patterns(&rule.patterns),
                "span": [rule.place.span.start, rule.place.span.end],
                "withheld": rule.withheld.map(reason),
            })
        })
        .collect();
    let defaults: Map<String, Json> = RequestKind::ALL
        .iter()
        .map(|(word, kind)| ((*word).to_owned(), plan.default_for(*kind).as_str().into()))
        .collect();
    let modes: Map<String, Json> = Mode::ALL
        .iter()
        .map(|(word, mode)| ((*word).to_owned(), plan.mode_allowed(*mode).as_str().into()))
        .collect();
    let limits: Map<String, Json> = limits(plan)
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let checks: Vec<Json> = checks(plan)
        .map(|(id, name, severity)| json!({ "id": id, "name": name, "severity": severity }))
        .collect();
    let all_locked = locked(&loaded.parts());
    let locked = Lockable::ALL.iter().filter(|(_, part)| all_locked.contains(part));
    let locked: Vec<&str> = locked.map(|(word, _)| *word).collect();
    let files: Vec<&str> = loaded.sources.iter().map(|source| &*source.name).collect();
    let hooks: Vec<Json> = plan
        .hooks()
        .iter()
        .map(|hook| {
            json!({
                "event": hook.event.as_str(),
                "file": hook.file,
                "layer": hook.layer.as_str(),
                "line": hook.line,
                "matchers": hook.matchers,
                "on_error": hook.on_error.as_str(),
                "run": hook.run,
                "timeout_ms": hook.timeout_ms,
            })
        })
        .collect();
    let budgets: Vec<Json> = plan
        .budgets()
        .lines()
        .iter()
        .map(|line| {
            let says = match line.says {
                Says::Sets => "sets",
                Says::Fixes => "fixes",
                Says::Lowers => "lowers",
            };
            json!({ "chars": line.chars, "says": says, "tools": line.tools.to_string() })
        })
        .collect();
    let deferral: Vec<Json> = plan
        .deferral()
        .iter()
        .map(|line| json!({ "defers": line.defers, "tools": line.tools.to_string() }))
        .collect();
    json!({
        "budgets": {
            "message": plan.budgets().message(),
            "message_cap": plan.budgets().message_cap(),
            "tools": budgets,
        },
        "defer": deferral,
        "session": {
            "directories": plan.session().directories,
            "features": plan.session().features,
            "foreground_ms": plan.session().foreground_ms,
            "ignore_files": !plan.session().everything,
            "persistent": plan.session().persistent,
            "settings": plan
                .session()
                .settings
                .iter()
                .map(|(name, value)| json!({ "name": name, "value": value }))
                .collect::<Vec<Json>>(),
            "simple": plan.session().simple,
        },
        "hooks": hooks,
        "checks": checks,
        "defaults": defaults,
        "definitions": { "own": plan.own_definition_count(), "programs": plan.catalogue().names().len() },
        "files": files,
        "headless": plan.headless().as_str(),
        "limits": limits,
        "lock": locked,
        "modes": modes,
        "rules": rules,
        "start_mode": plan.start_mode().as_str(),
    })
}
