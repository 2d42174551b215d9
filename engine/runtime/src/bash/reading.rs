//! What is known of a text before and after it is run: what its exit code means, how it is shown, and whether it only waits.
//!
//! Pure. Invariant (one place): everything that is said of a program stands in its definition. Invariant (no excuse): a code is no
//! failure only if every command that may have given it says so.

use std::time::Duration;

use engine_policy::Use;
use engine_policy::definition::{ApplyContext, Catalogue, Definition, apply};
use engine_shell::{
    Command, CommandKind, Context, Directory, Evaluation, Field, Invocation, InvocationKind, Joiner, Limits,
    List, Pipeline, Shell, Span, Statement, Stdin, evaluate, parse,
};
use smol_str::SmolStr;

/// Longest time that a command may wait in the foreground by `sleep`.
pub const MOST_SLEEP: Duration = Duration::from_secs(2);

/// Deepest nesting of commands whose exit code is followed.
const DEPTH: usize = 16;

/// How a command is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It looks for something.
    Search,
    /// It reads.
    Read,
    /// It lists.
    List,
    /// It says nothing where all goes well.
    Silent,
    /// It touches nothing.
    Neutral,
}

impl Class {
    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Read => "read",
            Self::List => "list",
            Self::Silent => "silent",
            Self::Neutral => "neutral",
        }
    }
}

/// What is known of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How it is shown; none where its parts differ, or are not known.
    pub class: Option<Class>,
    /// How long it waits by `sleep` in the foreground, if that is known.
    pub sleeps: Duration,
    /// Its shell ends in the directory that it began in, whatever comes: nothing in it could change that.
    pub stays: bool,
    /// Codes that are no failure, each with what it means, of every command that may decide; the last one first.
    deciders: Vec<Meanings>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Meanings {
    fine: Vec<(i32, SmolStr)>,
    /// The text ends with this command, if it is reached.
    last: bool,
}

impl Reading {
    /// What an exit code means, if it is no failure: `no match`. `silent` says that nothing was printed; a command before the last
    /// one that fails prints why.
    #[must_use]
    pub fn meaning(&self, code: i32, silent: bool) -> Option<&str> {
        let mut meaning = None;
        for decider in &self.deciders {
            let fine = decider.fine.iter().find(|(own, _)| *own == code);
            match fine {
                Some((_, about)) => meaning = meaning.or(Some(about.as_str())),
                None if silent && !decider.last => {}
                None => return None,
            }
        }
        meaning
    }

    /// The refusal of a command that waits too long in the foreground.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        (self.sleeps > MOST_SLEEP).then(|| {
            format!(
                "`sleep` for {} s would block this call: at most {} s are allowed in the foreground. Run the command with \
                 run_in_background and read its output when it is done, or check for what you wait for instead of waiting",
                self.sleeps.as_secs_f64(),
                MOST_SLEEP.as_secs()
            )
        })
    }
}

/// Reads a text that runs in this directory, as far as it can be understood.
#[must_use]
pub fn reading(text: &str, catalogue: &Catalogue, home: Option<&str>, directory: &str) -> Reading {
    let limits = Limits::DEFAULT;
    let Ok(script) = parse(text, Shell::Bash, &limits) else {
        return Reading::default();
    };
    let context = Context {
        shell: Shell::Bash,
        limits: &limits,
        home: home.map(SmolStr::new),
        directory: Directory::OneOf(vec![directory.into()]),
        variables: Vec::new(),
        positional: None,
        stdin: Stdin::Empty,
        level: 0,
    };
    let evaluation = evaluate(&script, text, &context);
    let used: Vec<Option<(&Definition, Use)>> = evaluation
        .invocations
        .iter()
        .map(|invocation| using(&invocation.words, catalogue))
        .collect();
    let mut deciders = Vec::new();
    let known = decides(&script.body, DEPTH, true, &mut |span, last| {
        deciders.push(meanings(&evaluation, &used, span, last));
    });
    if known.is_none() {
        deciders.clear();
    }
    deciders.sort_by_key(|decider| !decider.last);
    Reading {
        class: if evaluation.refusals.is_empty() {
            class_of(&used)
        } else {
            None
        },
        sleeps: sleeps(&evaluation),
        stays: evaluation.refusals.is_empty() && evaluation.invocations.iter().all(is_bound),
        deciders,
    }
}

/// Builtins that change no directory and run nothing that could. What they are given does not matter.
const BOUND: &[&str] = &[
    ":", "[", "declare", "echo", "exit", "export", "false", "getopts", "hash", "jobs", "kill", "let",
    "local", "printf", "pwd", "read", "readonly", "return", "set", "shift", "test", "times", "true", "type",
    "typeset", "ulimit", "umask", "unset", "wait",
];

/// Whether a command leaves the shell in its directory.
fn is_bound(invocation: &Invocation) -> bool {
    match invocation.kind {
        InvocationKind::Program => invocation
            .words
            .first()
            .is_some_and(|word| word.known().is_some()),
        InvocationKind::Builtin => invocation
            .words
            .first()
            .and_then(|word| word.known())
            .is_some_and(|name| BOUND.contains(&name)),
    }
}

fn using<'c>(words: &[Field], catalogue: &'c Catalogue) -> Option<(&'c Definition, Use)> {
    let program = words.first()?.known()?;
    let definition = catalogue.find(program.rsplit('/').next()?)?;
    let used = apply(definition, words, &ApplyContext::default());
    Some((definition, used))
}

/// One class for all parts that are not neutral: searches and reads count as the stronger of both, anything else only with its like.
fn class_of(used: &[Option<(&Definition, Use)>]) -> Option<Class> {
    let mut all: Option<Class> = None;
    for used in used {
        let class = match used.as_ref()?.1.class.as_deref()? {
            "search" => Class::Search,
            "read" => Class::Read,
            "list" => Class::List,
            "silent" => Class::Silent,
            "neutral" => continue,
            _ => return None,
        };
        all = Some(match (all, class) {
            (None, class) => class,
            (Some(one), other) if one == other => one,
            (Some(Class::Search), Class::Read | Class::List)
            | (Some(Class::Read | Class::List), Class::Search) => Class::Search,
            (Some(Class::Read), Class::List) | (Some(Class::List), Class::Read) => Class::Read,
            (Some(_), _) => return None,
        });
    }
    match (all, used.is_empty()) {
        (None, false) => Some(Class::Neutral),
        (all, _) => all,
    }
}

/// Finds every simple command that may have given the exit code of a list; none if that cannot be said.
fn decides(list: &List, depth: usize, last: bool, found: &mut impl FnMut(Span, bool)) -> Option<()> {
    statement_decides(list.statements.last()?, depth.checked_sub(1)?, last, found)
}

fn statement_decides(
    statement: &Statement,
    depth: usize,
    last: bool,
    found: &mut impl FnMut(Span, bool),
) -> Option<()> {
    if statement.background {
        return None;
    }
    let mut pipelines: Vec<&Pipeline> = vec![&statement.first];
    for (joiner, pipeline) in &statement.rest {
        match joiner {
            Joiner::And => pipelines.push(pipeline),
            // What stands before `||` has failed, and that was dealt with.
            Joiner::Or => pipelines = vec![pipeline],
        }
    }
    let ends = pipelines.len();
    for (pipeline, number) in pipelines.into_iter().zip(1..) {
        if pipeline.negated {
            return None;
        }
        command_decides(pipeline.stages.last()?, depth, last && number == ends, found)?;
    }
    Some(())
}

fn command_decides(
    command: &Command,
    depth: usize,
    last: bool,
    found: &mut impl FnMut(Span, bool),
) -> Option<()> {
    match &command.kind {
        CommandKind::Simple(_) => {
            found(command.span, last);
            Some(())
        }
        CommandKind::Group(body) | CommandKind::Subshell(body) => decides(body, depth, last, found),
        CommandKind::If { branches, otherwise } => {
            for (_, body) in branches {
                decides(body, depth, last, found)?;
            }
            otherwise
                .as_ref()
                .map_or(Some(()), |body| decides(body, depth, last, found))
        }
        CommandKind::While { body, .. }
        | CommandKind::For { body, .. }
        | CommandKind::ForArithmetic { body, .. } => decides(body, depth, last, found),
        CommandKind::Case { .. }
        | CommandKind::Function { .. }
        | CommandKind::Condition(_)
        | CommandKind::Arithmetic(_) => None,
    }
}

/// The codes that are no failure of the command at this place.
fn meanings(
    evaluation: &Evaluation,
    used: &[Option<(&Definition, Use)>],
    span: Span,
    last: bool,
) -> Meanings {
    let mut here = evaluation
        .invocations
        .iter()
        .zip(used)
        .filter(|(invocation, _)| invocation.span == span && !invocation.reach.substituted);
    let fine = match (here.next(), here.next()) {
        (Some((_, Some((definition, own)))), None) => definition
            .exit_codes
            .iter()
            .filter(|code| code.ok && code.is_of(&own.command))
            .map(|code| (code.code, code.about.clone()))
            .collect(),
        _ => Vec::new(),
    };
    Meanings { fine, last }
}

/// How long all `sleep`s in the foreground take together, those in loops counted once.
fn sleeps(evaluation: &Evaluation) -> Duration {
    evaluation
        .invocations
        .iter()
        .filter(|invocation| !invocation.reach.background)
        .filter(|invocation| {
            let program = invocation.words.first().and_then(|word| word.known());
            program.is_some_and(|program| program.rsplit('/').next() == Some("sleep"))
        })
        .flat_map(|invocation| invocation.words.iter().skip(1))
        .filter_map(|word| duration(word.known()?))
        .fold(Duration::ZERO, Duration::saturating_add)
}

/// A duration as `sleep` reads it: a number with `s`, `m`, `h` or `d` behind it, or `infinity`.
fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.char_indices().last()? {
        (at, 's') => (text.get(..at)?, 1.0),
        (at, 'm') => (text.get(..at)?, 60.0),
        (at, 'h') => (text.get(..at)?, 3600.0),
        (at, 'd') => (text.get(..at)?, 86_400.0),
        _ => (text, 1.0),
    };
    let seconds: f64 = number.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds * unit).unwrap_or(Duration::MAX)).filter(|_| seconds >= 0.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use engine_policy::definition::Catalogue;

    use super::{Class, Reading, reading};

    fn of(text: &str) -> Reading {
        reading(text, &Catalogue::new(Vec::new()), Some("/home/dev"), "/project")
    }

    #[test]
    fn the_last_command_says_what_a_code_means() {
        for (text, code, silent, expected) in [
            ("grep x a", 1, true, Some("no match")),
            ("grep x a", 2, true, None),
            ("cat a | grep x", 1, true, Some("no match")),
            ("grep x a | cat", 1, true, None),
            ("diff a b", 1, false, Some("files differ")),
            ("test -f a", 1, true, Some("false")),
            ("[ -f a ]", 1, true, Some("false")),
            ("cmp a b", 1, false, Some("files differ")),
            ("rg x", 1, true, Some("no match")),
            ("git diff --exit-code", 1, false, Some("differences")),
            ("git -C sub grep x", 1, true, Some("no match")),
            ("git config --get a.b", 1, true, Some("not set")),
            ("git commit -m x", 1, false, None),
            ("git push origin main", 1, false, None),
            ("git merge topic", 1, false, None),
            ("git diff", 128, false, None),
            (
                "curl -f http://localhost/a",
                22,
                false,
                Some("the server answers with an error (-f)"),
            ),
            (
                "find . -name a",
                1,
                false,
                Some("some directories were not readable"),
            ),
            ("cd src && grep x a", 1, true, Some("no match")),
            ("cd src && grep x a", 1, false, None),
            ("test -f a && grep x a", 1, false, Some("no match")),
            ("make && grep x a", 2, true, None),
            ("false || grep x a", 1, false, Some("no match")),
            ("echo a; grep x a", 1, false, Some("no match")),
            ("grep x a; false_program", 1, true, None),
            ("! grep x a", 1, true, None),
            ("grep x a &", 1, true, None),
            ("(cat a | grep x)", 1, true, Some("no match")),
            ("for f in a b; do grep x $f; done", 1, true, Some("no match")),
            ("/usr/bin/grep x a", 1, true, Some("no match")),
            ("if", 1, true, None),
            ("x=$(grep x a)", 1, true, None),
            ("ls | xargs no_such", 1, true, None),
        ] {
            assert_eq!(of(text).meaning(code, silent), expected, "{text}");
        }
    }

    #[test]
    fn a_text_is_shown_as_what_all_its_parts_are() {
        for (text, expected) in [
            ("grep x a", Some(Class::Search)),
            ("cat a | grep x", Some(Class::Search)),
            ("cat a | sort | uniq -c", Some(Class::Read)),
            ("ls -l", Some(Class::List)),
            ("echo start; cat a", Some(Class::Read)),
            ("which git", Some(Class::Search)),
            ("echo a", Some(Class::Neutral)),
            ("mkdir -p a && touch a/b", Some(Class::Silent)),
            ("cat a; rm a", None),
            ("cat a | no_such", None),
            ("if", None),
        ] {
            assert_eq!(of(text).class, expected, "{text}");
        }
    }

    #[test]
    fn a_shell_stays_where_nothing_could_lead_it_away() {
        for (text, expected) in [
            ("true", true),
            ("git status && cargo test 2>&1 | tail -5", true),
            ("(exit 3)", true),
            ("set -e; x=$(pwd); echo \"$x\" > a.txt", true),
            ("for f in *; do echo $f; done", true),
            ("f() { echo a; }; f", true),
            ("cd src", false),
            ("true && pushd src", false),
            ("(cd src; ls)", false),
            ("c''d src", false),
            ("builtin cd src", false),
            ("eval 'cd src'", false),
            ("eval \"$x\"", false),
            ("$x src", false),
            (". ./env.sh", false),
            ("source env.sh", false),
            ("f() { cd src; }; f", false),
            ("ls() { cd src; }; ls", false),
            ("trap 'cd src' DEBUG; true", false),
            ("shopt -s expand_aliases\nalias ls='cd src'\nls", false),
            ("mapfile -C 'cd src' -c 1 x < a", false),
            ("enable -n echo", false),
            ("if", false),
        ] {
            assert_eq!(of(text).stays, expected, "{text}");
        }
    }

    #[test]
    fn sleeping_in_the_foreground_is_counted() {
        for (text, seconds) in [
            ("sleep 1", 1.0),
            ("sleep 1m 2s", 62.0),
            ("sleep .5; sleep 2", 2.5),
            ("make; /bin/sleep 5", 5.0),
            ("sleep 30 &", 0.0),
            ("(sleep 30; echo done) &", 0.0),
            ("while ! test -f a; do sleep 5; done", 5.0),
            ("echo sleep 30", 0.0),
            ("n=20; sleep $n", 20.0),
            ("sleep soon", 0.0),
        ] {
            assert_eq!(of(text).sleeps, Duration::from_secs_f64(seconds), "{text}");
            assert_eq!(of(text).refusal().is_some(), seconds > 2.0, "{text}");
        }
        assert!(of("sleep infinity").refusal().is_some());
    }
}
