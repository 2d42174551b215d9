//! The page about the words of a policy.

use std::fmt::Write as _;

use engine_policy::document::Lockable;
use engine_policy::read::{MAX_DEPTH, MAX_PROBLEMS, MAX_TEXT_BYTES, vocabulary};
use engine_policy::{LIMIT_NAMES, Layer, Mode, Outcome, RequestKind, Severity};
use engine_shell::{Check, Limits};

use super::table;

/// What each section is for.
const SECTIONS: &[(&str, &str)] = &[
    (
        "policy",
        "the name of the policy, what it is about, what it builds on",
    ),
    ("sets", "patterns under a name, used as `@name`"),
    ("allow", "rules: the request may go ahead"),
    ("ask", "rules: a person decides"),
    ("deny", "rules: the request may not go ahead"),
    (
        "default",
        "what becomes of a request that no rule matches, by its kind; `headless`: what becomes of ask where nobody can be asked",
    ),
    ("checks", "severities of the shell checks"),
    (
        "modes",
        "which modes a session may have, and which it starts in (`default`)",
    ),
    (
        "lock",
        "what the layers below cannot loosen; in a policy of the machine",
    ),
    ("limits", "bounds on the work on one text"),
    (
        "sandbox",
        "how programs are confined; kept for the host, decides nothing",
    ),
    ("budgets", "how long the results of tools may be"),
    ("defer", "tools whose schemas wait until they are looked for"),
    ("hooks", "commands that run at events of a session"),
    ("session", "how tools run, and what they are given"),
    ("lint", "lints that are switched off, with a reason"),
    ("tests", "calls and the verdicts that they must get"),
];

/// What each word in a section or a rule says.
const WITHIN: &[(&str, &str, &str)] = &[
    ("policy", "about", "one sentence"),
    (
        "policy",
        "extends",
        "policies that this one builds on: files, or `builtin:NAME`",
    ),
    ("policy", "commands", "files of command definitions"),
    ("sets", "paths", "path patterns"),
    ("sets", "hosts", "host patterns"),
    ("sets", "commands", "command patterns"),
    ("command", "except", "command patterns that are taken out"),
    ("command", "flag", "one of these flags is given"),
    ("command", "without-flag", "none of these flags is given"),
    (
        "command",
        "operands",
        "with `within`: every path among the operands lies there",
    ),
    (
        "command",
        "operand",
        "that operand, counted from 1, is one of these words",
    ),
    ("command", "env", "one of these variables is set for the command"),
    ("command", "cwd", "it runs in one of these directories"),
    (
        "command",
        "piped-into",
        "its output goes to one of these programs",
    ),
    ("command", "in-pipeline", "whether it stands in a pipeline"),
    ("command", "background", "whether it runs in the background"),
    ("command", "via", "a step of one of these declared tools runs it"),
    ("tool", "except", "names that are taken out"),
    (
        "tool",
        "input",
        "that field of the call's input matches one of these",
    ),
    ("tool", "via", "a step of one of these declared tools calls it"),
];

fn about(kind: RequestKind) -> (&'static str, &'static str) {
    match kind {
        RequestKind::Command => ("running a program", "command patterns"),
        RequestKind::Read => ("reading a path", "path patterns"),
        RequestKind::Write => ("creating or changing a path", "path patterns"),
        RequestKind::Delete => ("deleting a path", "path patterns"),
        RequestKind::Network => ("connecting to a host", "host patterns"),
        RequestKind::Tool => ("using a tool", "names"),
        RequestKind::Env => ("setting a variable", "`NAME` or `NAME=value`"),
        RequestKind::Agent => ("starting a sub-agent", "types of agents"),
        RequestKind::Skill => ("using a skill", "names"),
        RequestKind::Mode => ("changing the mode", "modes"),
    }
}

fn of_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "verdicts as they are",
        Mode::Plan => {
            "what writes, deletes, changes something or runs code that is not looked into is denied"
        }
        Mode::AcceptEdits => "a write inside the project that no rule speaks of is allowed",
        Mode::DontAsk => "ask becomes deny",
        Mode::Bypass => "ask becomes allow; deny stays",
    }
}

fn of_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Off => "the check does not run",
        Severity::Warn => "a finding is reported and changes nothing",
        Severity::Ask => "a finding turns allow into ask",
        Severity::Deny => "a finding denies",
    }
}

fn of_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "the call may go ahead",
        Outcome::Ask => "a person decides",
        Outcome::Deny => "the call may not go ahead",
    }
}

fn of_lock(lock: Lockable) -> &'static str {
    match lock {
        Lockable::Rules => "`allow` rules of the layers below do not count, and their defaults only tighten",
        Lockable::Checks => "checks can only be raised and limits lowered",
        Lockable::Modes => "modes can only be forbidden, and the first one be stricter",
        Lockable::Sandbox | Lockable::Hooks => "the section counts from the machine's policies alone",
        Lockable::Budgets => "budgets can only be lowered",
    }
}

fn of_layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Builtin => "shipped",
        Layer::User => "`~/.config/engine/policy.kdl`",
        Layer::Around => {
            "`.engine/policy.kdl` and `.engine/policy.local.kdl` of directories above the project"
        }
        Layer::Project => "`.engine/policy.kdl`",
        Layer::Local => "`.engine/policy.local.kdl`",
        Layer::CommandLine => "`--policy`, `--with`",
        Layer::Managed => "`/etc/engine/policy.kdl`, `/etc/engine/policy.d/`",
    }
}

fn of_limit(name: &str) -> (usize, &'static str) {
    let limits = Limits::DEFAULT;
    match name {
        "text-bytes" => (limits.text_bytes, "bytes of one text, at most 1 MiB"),
        "depth" => (limits.depth, "nesting of constructs"),
        "commands" => (limits.commands, "simple commands in one text"),
        "expansion-words" => (limits.expansion_words, "words that one expansion may make"),
        "set-values" => (
            limits.set_values,
            "values that a word may have before it is unknown",
        ),
        "reevaluations" => (
            limits.reevaluations,
            "levels of text that is evaluated again (`bash -c`, `eval`)",
        ),
        "inlining" => (limits.inlining, "levels of functions that call each other"),
        "pending-heredocs" => (limits.pending_heredocs, "here-documents that wait on one line"),
        "steps" => (limits.steps, "steps of the evaluation of one text"),
        other => panic!("nothing says what the limit `{other}` is"),
    }
}

fn code(word: &str) -> String {
    format!("`{word}`")
}

fn pairs<T: Copy>(all: &[(&str, T)], about: impl Fn(T) -> &'static str) -> Vec<Vec<String>> {
    all.iter()
        .map(|&(word, value)| vec![code(word), about(value).to_owned()])
        .collect()
}

fn heading(body: &mut String, title: &str, about: &str) {
    let _infallible = writeln!(body, "\n## {title}\n");
    if !about.is_empty() {
        let _infallible = writeln!(body, "{about}\n");
    }
}

pub(super) fn page() -> String {
    let vocabulary = vocabulary();
    let words = |of: &str| {
        let (_, words) = vocabulary
            .iter()
            .find(|(own, _)| *own == of)
            .expect("words of a node");
        words.clone()
    };
    let mut body = String::new();
    heading(&mut body, "Sections", "");
    let sections: Vec<Vec<String>> = words("")
        .into_iter()
        .map(|word| {
            let about = SECTIONS.iter().find(|(own, _)| *own == word);
            let (_, about) = about.unwrap_or_else(|| panic!("nothing says what `{word}` is for"));
            vec![code(word), (*about).to_owned()]
        })
        .collect();
    body.push_str(&table(&["section", "holds"], &sections));

    let within = |of: &str| -> Vec<Vec<String>> {
        words(of)
            .into_iter()
            .map(|word| {
                let about = WITHIN.iter().find(|(own, name, _)| (*own, *name) == (of, word));
                let (.., about) = about.unwrap_or_else(|| panic!("nothing says what `{word}` in `{of}` is"));
                vec![code(word), (*about).to_owned()]
            })
            .collect()
    };
    for of in ["policy", "sets"] {
        heading(&mut body, &format!("In {of}"), "");
        body.push_str(&table(&["word", "says"], &within(of)));
    }
    heading(&mut body, "Verdicts", "Each is the name of a block of rules.");
    body.push_str(&table(&["verdict", "means"], &pairs(Outcome::ALL, of_outcome)));
    heading(
        &mut body,
        "Rules",
        "A rule is a kind of request with patterns. `short` takes rules in the [short spelling](../policy-language.md#the-short-spelling).",
    );
    let kinds: Vec<Vec<String>> = RequestKind::ALL
        .iter()
        .map(|&(word, kind)| {
            let (governs, takes) = about(kind);
            vec![code(word), governs.to_owned(), takes.to_owned()]
        })
        .collect();
    body.push_str(&table(&["rule", "governs", "takes"], &kinds));
    for (of, title) in [
        ("command", "Conditions of command"),
        ("tool", "Conditions of tool"),
    ] {
        heading(
            &mut body,
            title,
            "All of them must hold. Rules of every kind take `except`.",
        );
        body.push_str(&table(&["condition", "holds when"], &within(of)));
    }
    heading(
        &mut body,
        "Modes",
        "What each changes, request by request, after the rules.",
    );
    body.push_str(&table(&["mode", "means"], &pairs(Mode::ALL, of_mode)));
    heading(
        &mut body,
        "Shell checks",
        "What each looks for stands on the page about [shell checks](../shell-checks.md).",
    );
    let checks: Vec<Vec<String>> = Check::ALL
        .iter()
        .map(|check| {
            let severity = check.default_severity().name();
            vec![
                check.number().to_string(),
                code(check.name()),
                check.about().to_owned(),
                code(severity),
            ]
        })
        .collect();
    body.push_str(&table(&["", "check", "finds", "without a setting"], &checks));
    heading(&mut body, "Severities", "");
    body.push_str(&table(&["severity", "means"], &pairs(Severity::ALL, of_severity)));
    heading(
        &mut body,
        "Limits",
        "A text that reaches one is not understood, and so never allowed.",
    );
    let limits: Vec<Vec<String>> = LIMIT_NAMES
        .iter()
        .map(|name| {
            let (default, about) = of_limit(name);
            vec![code(name), default.to_string(), about.to_owned()]
        })
        .collect();
    body.push_str(&table(&["limit", "without a setting", "counts"], &limits));
    let _infallible = writeln!(
        body,
        "\nA policy file has at most {MAX_TEXT_BYTES} bytes and is nested at most {MAX_DEPTH} deep; at most {MAX_PROBLEMS} of its problems are reported."
    );
    heading(&mut body, "What can be locked", "");
    body.push_str(&table(&["lock", "then"], &pairs(Lockable::ALL, of_lock)));
    heading(&mut body, "Layers", "The weakest first ([more](../layers.md)).");
    let layers: Vec<Vec<String>> = Layer::ALL
        .iter()
        .map(|layer| vec![layer.as_str().to_owned(), of_layer(*layer).to_owned()])
        .collect();
    body.push_str(&table(&["layer", "file"], &layers));
    heading(&mut body, "Lines of the sections about tools", "");
    let kept: Vec<Vec<String>> = ["sandbox", "budgets", "defer", "hooks", "session"]
        .iter()
        .map(|of| {
            vec![
                code(of),
                words(of).into_iter().map(code).collect::<Vec<_>>().join(" "),
            ]
        })
        .collect();
    body.push_str(&table(&["section", "lines"], &kept));
    super::page(
        "Words of a policy",
        "Every word that a policy file knows; any other is an error. How they are used stands on the page about [writing policies](../policy-language.md).",
        &body,
    )
}
