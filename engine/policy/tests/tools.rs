//! What policies say about tools beyond rules is read, and what is wrong with it is told.

use engine_policy::read::{Format, read};
use engine_policy::{Document, HookEvent, Sources};

fn document(text: &str) -> Document {
    let (document, diagnostics) = read("policy", text, Format::Kdl, &mut Sources::new());
    document.unwrap_or_else(|| unreadable(&diagnostics))
}

#[expect(clippy::panic, reason = "a helper of tests fails as tests do")]
fn unreadable(diagnostics: &[engine_policy::Diagnostic]) -> Document {
    panic!("{diagnostics:?}")
}

/// Messages with their help.
fn told(text: &str) -> Vec<String> {
    let (_, diagnostics) = read("policy", text, Format::Kdl, &mut Sources::new());
    let told = diagnostics.iter().map(|found| {
        let help = found.help.as_deref().unwrap_or_default();
        format!("{} ({help})", found.message)
    });
    told.collect()
}

#[test]
fn a_hook_has_its_event_matchers_and_bounds() {
    let text =
        "hooks { before \"Bash\" \"mcp__.*\" run=\"./audit.sh\" timeout=\"1500ms\" on-error=\"deny\" }";
    let hook = &document(text).hooks[0].value;
    assert_eq!(hook.event.value, HookEvent::Before);
    let matchers: Vec<&str> = hook.matchers.iter().map(|one| one.value.as_str()).collect();
    assert_eq!(matchers, ["Bash", "mcp__.*"]);
    assert_eq!(hook.run.value, "./audit.sh");
    assert_eq!(hook.timeout_ms.map(|time| time.value), Some(1500));
}

#[test]
fn both_spellings_say_the_same() {
    let kdl = "hooks { before \"Bash\" run=\"a\" timeout=\"5s\"; stop run=\"b\"; }\nbudgets { tool \"Bash\" chars=5; message tokens=2; }\ndefer { tool \"A\" \"mcp__*\"; except \"B\"; }";
    let toml = "[hooks]\nbefore = { args = [\"Bash\"], run = \"a\", timeout = \"5s\" }\nstop = { run = \"b\" }\n[budgets]\ntool = { args = [\"Bash\"], chars = 5 }\nmessage = { tokens = 2 }\n[defer]\ntool = [\"A\", \"mcp__*\"]\nexcept = \"B\"\n";
    let (other, diagnostics) = read("policy", toml, Format::Toml, &mut Sources::new());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (own, other) = (document(kdl), other.expect("a document"));
    assert_eq!(own.hooks, other.hooks);
    assert_eq!(own.budgets, other.budgets);
    assert_eq!(own.defer, other.defer);
}

#[test]
fn every_event_has_a_word() {
    for (word, name, event) in HookEvent::ALL {
        assert_eq!((event.as_str(), event.name()), (*word, *name));
        let text = format!("hooks {{ {word} run=\"x\" }}");
        assert_eq!(document(&text).hooks[0].value.event.value, *event, "{text}");
    }
}

#[test]
fn what_other_agents_call_an_event_is_helped() {
    assert_eq!(
        told("hooks { PreToolUse run=\"x\"; befor run=\"x\" }"),
        [
            "unknown name `PreToolUse` in `hooks` (the event PreToolUse is called `before` here)",
            "unknown name `befor` in `hooks` (did you mean `before`?)",
        ]
    );
}

#[test]
fn a_time_needs_a_unit_that_is_known() {
    for (time, help) in [
        ("\"5sec\"", "did you mean `5s`?"),
        ("\"2min\"", "did you mean `2m`?"),
        ("\"5 s\"", "did you mean `5s`?"),
        (
            "\"soon\"",
            "write a whole number and `ms`, `s` or `m`, such as `5s`",
        ),
        ("\"11m\"", "write at least `1ms` and at most `10m`"),
        ("\"0s\"", "write at least `1ms` and at most `10m`"),
        ("5", "write `\"5s\"` for seconds, `\"5ms\"` for milliseconds"),
    ] {
        let found = told(&format!("hooks {{ before run=\"x\" timeout={time} }}"));
        assert!(
            found.len() == 1 && found[0].ends_with(&format!("({help})")),
            "{time}: {found:?}"
        );
    }
}

#[test]
fn a_hook_without_a_command_or_with_a_wrong_matcher_is_an_error() {
    for (line, message) in [
        ("before \"Bash\"", "nothing says what this hook runs"),
        ("before run=\" \"", "this command is empty"),
        (
            "before \"Edit(\" run=\"x\"",
            "this is neither a name nor a regular expression: unclosed group",
        ),
        ("prompt \"Bash\" run=\"x\"", "`prompt` takes no arguments"),
        (
            "before run=\"x\" on-error=\"denied\"",
            "`denied` is not a verdict (`allow`, `ask` or `deny`)",
        ),
        (
            "before run=\"x\" onerror=\"deny\"",
            "unknown property `onerror` of `before`",
        ),
    ] {
        let found = told(&format!("hooks {{ {line} }}"));
        assert!(
            found.len() == 1 && found[0].starts_with(message),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn a_budget_is_one_size_said_once() {
    for (lines, message) in [
        ("tool \"Bash\"", "nothing says how long a result may be"),
        ("tool \"Bash\" chars=1 tokens=2", "a size is given twice"),
        ("tool chars=1", "`tool` names nothing"),
        ("message \"Bash\" chars=1", "`message` takes no arguments"),
        (
            "message chars=\"unlimited\"",
            "a whole number above zero belongs here",
        ),
        ("tool \"Bash\" chars=0", "a whole number above zero belongs here"),
        (
            "tool \"Bash\" chars=1; tool \"Read\" \"Bash\" chars=2",
            "the budget of this tool is given twice",
        ),
        (
            "message chars=1; message chars=1",
            "the budget of a message is given twice",
        ),
    ] {
        let found = told(&format!("budgets {{ {lines} }}"));
        assert!(
            found.len() == 1 && found[0].starts_with(message),
            "{lines}: {found:?}"
        );
    }
    let lines = document("budgets { tool \"Read\" chars=\"unlimited\"; tool \"Bash\" tokens=10 }").budgets;
    let chars: Vec<Option<u32>> = lines.iter().map(|line| line.value.chars.value).collect();
    assert_eq!(chars, [None, Some(40)]);
}

#[test]
fn a_session_has_its_kind_and_what_it_is_given() {
    let kdl = "session \"persistent\" { directories \"~/notes\" \"/srv\"; foreground \"15s\"; ignore-files #false; tools \"simple\"; setting \"web_search\" \"find-it\"; setting \"x\" \"y\"; feature \"sleep\" \"web-browser\"; }";
    let toml = "[session]\nshell = \"persistent\"\ndirectories = [\"~/notes\", \"/srv\"]\nforeground = \"15s\"\nignore-files = false\ntools = \"simple\"\nsetting = [{ args = [\"web_search\", \"find-it\"] }, { args = [\"x\", \"y\"] }]\nfeature = [\"sleep\", \"web-browser\"]\n";
    let (from_toml, diagnostics) = read("policy", toml, Format::Toml, &mut Sources::new());
    let document = document(kdl);
    assert_eq!(from_toml.as_ref(), Some(&document), "{diagnostics:?}");
    let session = &document.session;
    assert_eq!(session.persistent.map(|own| own.value), Some(true));
    assert_eq!(session.foreground_ms.map(|own| own.value), Some(15_000));
    assert_eq!(session.settings[1].1.value, "y");
    assert_eq!(session.lines.len(), 8);
}

#[test]
fn what_is_wrong_with_a_session_is_told() {
    for (text, expected) in [
        ("session \"lasting\"", "`lasting` is not a kind of session"),
        (
            "session \"fresh\" { shell \"fresh\"; }",
            "the kind of session is given twice",
        ),
        (
            "session { directories \"notes\"; }",
            "`notes` does not say which directory it is",
        ),
        (
            "session { directories \"~/*\"; }",
            "`~/*` does not say which directory it is",
        ),
        (
            "session { foreground \"20m\"; }",
            "`20m` is no time that a command can be given",
        ),
        (
            "session { foreground 15; }",
            "a time belongs here, not a number without its unit",
        ),
        ("session { tools \"few\"; }", "`few` is not a choice of tools"),
        (
            "session { setting \"web_search\"; }",
            "a setting has a name and a value",
        ),
        (
            "session { setting \"a-b\" \"c\"; }",
            "`a-b` is no name that a definition of a tool asks for",
        ),
        (
            "session { setting \"a\" \"b\"; setting \"a\" \"c\"; }",
            "this setting is given twice",
        ),
        (
            "session { features \"sleep\"; }",
            "unknown name `features` in `session` (did you mean `feature`?)",
        ),
    ] {
        let said = told(text);
        assert_eq!(said.len(), 1, "{text}: {said:?}");
        assert!(said[0].starts_with(expected), "{text}: {said:?}");
    }
}
