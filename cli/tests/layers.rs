//! The binary with policies of several layers: what is found, what is trusted, and what the machine says.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A home with a project in it.
struct House {
    home: TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self {
            home: tempfile::tempdir().expect("a directory"),
        };
        fs::create_dir_all(house.project().join(".git")).expect("a project");
        house
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("work")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.home.path().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.project());
        command
    }

    fn engine(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_engine"))
            .args(arguments)
            .output()
            .expect("a run")
    }

    /// The first word of the verdict; twice, since the second run takes the plan from the cache.
    fn verdict(&self, command: &str) -> String {
        let (first, second) = (
            text(&self.engine(&["check", command])),
            text(&self.engine(&["check", command])),
        );
        assert_eq!(first, second);
        first.split_whitespace().next().unwrap_or_default().to_owned()
    }
}

/// What was said, with lines that were wrapped joined again.
fn words(output: &Output) -> String {
    let text = text(output).replace("\u{2502}", " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

const PROJECT: &str = "work/.engine/policy.kdl";

#[test]
fn a_project_loosens_once_it_is_trusted_and_until_it_changes() {
    let house = House::new();
    house.write(
        PROJECT,
        "allow { command \"ours ...\" }\ndeny { command \"git log ...\" }",
    );
    assert_eq!(house.verdict("ours go"), "ask");
    assert_eq!(house.verdict("git log"), "deny");
    assert_eq!(house.verdict("git status"), "allow");
    let note = text(&house.engine(&["check", "ours go"]));
    assert!(note.contains("is not trusted"), "{note}");
    assert!(note.contains("1 allow rule"), "{note}");

    assert_eq!(house.engine(&["trust", "--status"]).status.code(), Some(1));
    let trusted = house.engine(&["trust", "--yes"]);
    assert!(trusted.status.success(), "{}", text(&trusted));
    assert!(
        text(&trusted).contains("allow command \"ours ...\""),
        "{}",
        text(&trusted)
    );
    assert_eq!(house.engine(&["trust", "--status"]).status.code(), Some(0));
    assert_eq!(house.verdict("ours go"), "allow");

    house.write(
        PROJECT,
        "allow { command \"ours ...\" }\nallow { command \"theirs ...\" }",
    );
    assert_eq!(house.verdict("ours go"), "ask");
    house.write(
        PROJECT,
        "allow { command \"ours ...\" }\ndeny { command \"git log ...\" }",
    );
    assert_eq!(house.verdict("ours go"), "allow");
    assert!(house.engine(&["trust", "--revoke"]).status.success());
    assert_eq!(house.verdict("ours go"), "ask");
}

#[test]
fn trust_does_not_follow_a_project_to_another_place() {
    let house = House::new();
    house.write(PROJECT, "allow { command \"ours ...\" }");
    assert!(house.engine(&["trust", "--yes"]).status.success());
    assert_eq!(house.verdict("ours go"), "allow");
    fs::rename(house.project(), house.home.path().join("moved")).expect("a move");
    fs::create_dir_all(house.project()).expect("a directory");
    let moved = house.home.path().join("moved");
    let output = house.engine(&["check", "--cwd", moved.to_str().expect("a name"), "ours go"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
}

#[test]
fn a_local_file_is_trusted_by_itself() {
    let house = House::new();
    house.write("work/.engine/policy.local.kdl", "allow { command \"ours ...\" }");
    assert_eq!(house.verdict("ours go"), "ask");
    assert!(house.engine(&["trust", "--yes"]).status.success());
    assert_eq!(house.verdict("ours go"), "allow");
    house.write(PROJECT, "allow { command \"theirs ...\" }");
    assert_eq!(house.verdict("ours go"), "allow");
    assert_eq!(house.verdict("theirs go"), "ask");
}

#[test]
fn nothing_is_trusted_without_an_answer() {
    let house = House::new();
    house.write(PROJECT, "allow { command \"ours ...\" }");
    let output = house.engine(&["trust"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(house.verdict("ours go"), "ask");
}

#[test]
fn a_file_with_mistakes_is_not_trusted() {
    let house = House::new();
    house.write(PROJECT, "alow { command \"ours ...\" }");
    let output = house.engine(&["trust", "--yes"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert_eq!(house.engine(&["trust", "--list"]).stdout, b"nothing is trusted\n");
}

#[test]
fn the_persons_own_policy_needs_no_trust() {
    let house = House::new();
    house.write(".config/engine/policy.kdl", "allow { command \"mine ...\" }");
    assert_eq!(house.verdict("mine go"), "allow");
    assert_eq!(house.verdict("cat README.md"), "ask");
}

#[test]
fn a_named_policy_stands_alone_or_is_added() {
    let house = House::new();
    house.write(".config/engine/policy.kdl", "allow { command \"mine ...\" }");
    house.write("work/extra.kdl", "allow { command \"extra ...\" }");
    let code = |arguments: &[&str]| house.engine(arguments).status.code();
    assert_eq!(code(&["check", "--policy", "extra.kdl", "extra go"]), Some(0));
    assert_eq!(code(&["check", "--policy", "extra.kdl", "mine go"]), Some(4));
    assert_eq!(code(&["check", "--with", "extra.kdl", "extra go"]), Some(0));
    assert_eq!(code(&["check", "--with", "extra.kdl", "mine go"]), Some(0));
}

#[test]
fn json_says_what_does_not_count() {
    let house = House::new();
    house.write(PROJECT, "allow { command \"ours ...\" }");
    let output = house.engine(&["check", "--format", "json", "ours go"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let withheld = json.pointer("/withheld/0").expect("what does not count");
    assert_eq!(withheld["layer"], "project");
    assert_eq!(withheld["reason"], "not-trusted");
    assert_eq!(withheld["rules"], 1);
}

/// Runs the engine on a machine whose `/etc/engine` is this directory. `None` where the system cannot be set up.
fn on_machine(house: &House, machine: &Path, arguments: &[&str]) -> Option<Output> {
    let mut command = house.command("bwrap");
    command.args([
        "--unshare-user",
        "--uid",
        "0",
        "--gid",
        "0",
        "--dev-bind",
        "/",
        "/",
    ]);
    command
        .args(["--tmpfs", "/etc", "--bind"])
        .arg(machine)
        .arg("/etc/engine");
    command
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_engine"))
        .args(arguments);
    let output = command.output().ok()?;
    let said = text(&output);
    (!said.starts_with("bwrap:")).then_some(output)
}

#[test]
fn the_machine_decides_for_everybody_and_only_from_files_that_its_administrator_owns() {
    let house = House::new();
    house.write(
        ".config/engine/policy.kdl",
        "allow { command \"mine ...\"; command \"theirs ...\" }",
    );
    let machine = tempfile::tempdir().expect("a directory");
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    mode(machine.path(), 0o755);
    let file = machine.path().join("policy.kdl");
    fs::write(&file, "deny \"machine-says\" { command \"theirs ...\" }").expect("a file");
    mode(&file, 0o644);
    let Some(denied) = on_machine(&house, machine.path(), &["check", "theirs go"]) else {
        eprintln!("SKIPPED: bubblewrap cannot set up a machine here, so its layer was not tried as a whole");
        return;
    };
    assert_eq!(denied.status.code(), Some(2), "{}", text(&denied));
    assert!(text(&denied).contains("machine-says"), "{}", text(&denied));
    let run = |arguments: &[&str]| on_machine(&house, machine.path(), arguments).expect("a run");
    assert_eq!(run(&["check", "mine go"]).status.code(), Some(0));
    // A policy that is named does not take its place.
    house.write("work/named.kdl", "allow { command \"theirs ...\" }");
    assert_eq!(
        run(&["check", "--policy", "named.kdl", "theirs go"])
            .status
            .code(),
        Some(2)
    );

    fs::write(&file, "lock { rules }\ndeny { command \"x\" }").expect("a file");
    let plan = run(&["plan"]);
    assert!(
        text(&plan)
            .contains("locked, so that no other policy loosens it\n  rules  /etc/engine/policy.kdl:1\n"),
        "{}",
        text(&plan)
    );
    let locked = run(&["check", "mine go"]);
    assert_eq!(locked.status.code(), Some(4), "{}", text(&locked));
    assert!(text(&locked).contains("locked"), "{}", text(&locked));

    mode(&file, 0o666);
    let refused = run(&["check", "mine go"]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused));
    assert!(
        words(&refused).contains("can be written by others"),
        "{}",
        text(&refused)
    );
    mode(&file, 0o644);
    mode(machine.path(), 0o777);
    assert_eq!(run(&["check", "mine go"]).status.code(), Some(3));
}

#[test]
fn a_look_at_a_project_reads_and_writes_nothing_through_its_links() {
    let house = House::new();
    house.write("secret.kdl", "deny   \"my-secret-line\" { command \"x\" }");
    fs::create_dir_all(house.project().join(".engine")).expect("a directory");
    std::os::unix::fs::symlink("../../secret.kdl", house.project().join(".engine/policy.kdl"))
        .expect("a link");
    for arguments in [
        ["lint"].as_slice(),
        &["test"],
        &["fmt"],
        &["fmt", "--diff"],
        &["check"],
        &["check", "ls"],
        &["plan"],
        &["trust", "--yes"],
    ] {
        let output = house.engine(arguments);
        assert!(
            !text(&output).contains("my-secret-line"),
            "{arguments:?}: {}",
            text(&output)
        );
        assert_ne!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output));
    }
    let left = fs::read_to_string(house.home.path().join("secret.kdl")).expect("a file");
    assert!(left.starts_with("deny   "), "{left}");
}

#[test]
fn what_is_trusted_is_shown_with_its_sets() {
    let house = House::new();
    house.write(
        PROJECT,
        "policy \"p\" { extends \"builtin:base\" }\nsets { paths \"secrets\" \"./nothing\" }\nhooks { before \"Bash\" run=\"./x.sh\" }",
    );
    let shown = text(&house.engine(&["trust", "--yes"]));
    assert!(shown.contains("set paths \"secrets\" \"./nothing\""), "{shown}");
    assert!(shown.contains("hooks before \"Bash\" run=\"./x.sh\""), "{shown}");
    assert!(!shown.contains("builtin:readonly:"), "{shown}");
}

#[test]
fn repositories_of_every_layout_are_looked_into() {
    let house = House::new();
    let evil = "[core]\n\tfsmonitor = touch x\n";
    assert_eq!(house.verdict("git -C src status"), "allow");
    for (name, text) in [
        ("src/e/HEAD", "ref: refs/heads/m"),
        ("src/e/objects/x", ""),
        ("src/e/refs/x", ""),
    ] {
        house.write(&format!("work/{name}"), text);
    }
    house.write("work/src/e/config", evil);
    house.write("work/lib/.git", "gitdir: ../evil\n");
    house.write("work/evil/config", evil);
    house.write("work/src/w/.git/config.worktree", evil);
    for command in [
        "git -C src/e status",
        "cd src/e && git log",
        "git -C lib status",
        "git -C src/w diff",
    ] {
        assert_eq!(house.verdict(command), "ask", "{command}");
    }
    assert_eq!(house.verdict("git status"), "allow");
}

/// The first words of the answers to lines of input.
fn answers(house: &House, lines: &[String]) -> Vec<String> {
    let mut command = house.command(env!("CARGO_BIN_EXE_engine"));
    let mut child = command
        .args(["check", "--stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a run");
    let input = lines.join("\n");
    std::io::Write::write_all(&mut child.stdin.take().expect("its input"), input.as_bytes())
        .expect("a write");
    let output = child.wait_with_output().expect("an end");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
            json.get("verdict")
                .and_then(serde_json::Value::as_str)
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

/// A line of input for a directory below the home.
fn line(house: &House, cwd: &str, command: &str) -> String {
    let cwd = house.home.path().join(cwd);
    serde_json::json!({ "command": command, "cwd": cwd }).to_string()
}

#[test]
fn a_project_within_another_does_not_get_away_from_its_policy() {
    let house = House::new();
    house.write(
        PROJECT,
        "deny { command \"git log ...\"; read \"./private/**\" }\nallow { command \"ours ...\" }",
    );
    house.write("work/private/a", "");
    house.write("work/sub/.git/HEAD", "");
    house.write(
        "work/deep/er/.engine/policy.kdl",
        "deny { command \"git status\" }",
    );
    assert!(house.engine(&["trust", "--yes"]).status.success());
    for (cwd, command, expected) in [
        ("sub", "git log", "deny"),
        ("deep/er", "git log", "deny"),
        ("sub", "git status", "allow"),
        ("deep/er", "git status", "deny"),
        ("sub", "cat ../private/a", "deny"),
        ("deep/er", "cat ../../private/a", "deny"),
        // What a project around allows stays there.
        ("sub", "ours go", "ask"),
    ] {
        let output = text(&house.engine(&["check", "--cwd", cwd, command]));
        assert!(output.starts_with(expected), "{cwd}: {command}: {output}");
        // The second time the plan comes from the cache.
        assert_eq!(text(&house.engine(&["check", "--cwd", cwd, command])), output);
    }
    let note = text(&house.engine(&["check", "--cwd", "sub", "ours go"]));
    assert!(note.contains("belongs to a project around this one"), "{note}");
}

#[test]
fn a_line_of_input_does_not_get_away_from_the_policy_of_the_start() {
    let house = House::new();
    house.write(
        PROJECT,
        "deny { command \"git log ...\"; read \"./private/**\" }\nallow { command \"ours ...\" }",
    );
    house.write(
        ".config/engine/policy.kdl",
        "policy \"own\" { extends \"builtin:base\" }\ndeny { read \"./mine\" }",
    );
    house.write("work/sub/.engine/policy.kdl", "deny { command \"git status\" }");
    house.write(
        "other/.engine/policy.kdl",
        "deny { command \"git status\" }\nallow { command \"theirs\" }",
    );
    assert!(house.engine(&["trust", "--yes"]).status.success());
    let cases = [
        ("work", "git log", "deny"),
        ("work", "git status", "allow"),
        ("work", "ours go", "allow"),
        ("work/sub", "git log", "deny"),
        ("work/sub", "git status", "deny"),
        ("work/sub", "cat ../private/a", "deny"),
        ("work/sub", "cat ../mine", "deny"),
        ("work/sub", "cat ../README.md", "allow"),
        ("other", "git log", "deny"),
        ("other", "git status", "deny"),
        ("other", "cat a", "allow"),
        ("other", "cat ../work/private/a", "deny"),
        ("other", "ours go", "ask"),
        ("other", "theirs", "ask"),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(cwd, command, _)| line(&house, cwd, command))
        .collect();
    let answers = answers(&house, &lines);
    assert_eq!(answers.len(), cases.len());
    for ((cwd, command, expected), answer) in cases.into_iter().zip(answers) {
        assert_eq!(answer, expected, "{cwd}: {command}");
    }
}

#[test]
fn a_broken_policy_of_the_project_of_a_line_denies_it() {
    let house = House::new();
    house.write("other/.engine/policy.kdl", "dany { }");
    let lines = [line(&house, "other", "ls"), line(&house, "work", "ls")];
    assert_eq!(answers(&house, &lines), ["deny", "allow"]);
}

#[test]
fn a_link_to_a_place_within_a_project_does_not_get_away_from_its_policy() {
    let house = House::new();
    house.write(PROJECT, "deny { command \"git log ...\" }");
    house.write("work/sub/a", "");
    std::os::unix::fs::symlink(house.project().join("sub"), house.home.path().join("link")).expect("a link");
    let output = text(&house.engine(&["check", "--cwd", "../link/../link", "git log"]));
    assert!(output.starts_with("deny"), "{output}");
    let link = house.home.path().join("link");
    let output = text(&house.engine(&["check", "--cwd", link.to_str().expect("a name"), "git log"]));
    assert!(output.starts_with("deny"), "{output}");
}

#[test]
fn what_everybody_works_below_is_no_project() {
    let house = House::new();
    house.write(".git/HEAD", "");
    house.write(".engine/policy.kdl", "deny { command \"git log ...\" }");
    house.write("notes", "");
    let home = house.home.path().to_str().expect("a name");
    for (cwd, command, expected) in [
        ("/", "cat opt/x", "ask"),
        ("/", "pwd", "allow"),
        ("/tmp", "cat x", "ask"),
        (home, "cat notes", "ask"),
        (home, "git log", "deny"),
        // A policy there tightens what lies below.
        ("", "git log", "deny"),
        ("", "cat notes", "allow"),
    ] {
        let output = text(&house.engine(&["check", "--cwd", cwd, command]));
        assert!(output.starts_with(expected), "{cwd}: {command}: {output}");
    }
    let output = text(&house.engine(&["init", home]));
    assert!(output.contains("is no project"), "{output}");
    let output = text(&house.engine(&["trust", home]));
    assert!(output.contains("is no project"), "{output}");
}

/// The plans that are kept for the projects of a house.
fn kept(house: &House) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(house.home.path().join(".cache/engine/plans")) else {
        return Vec::new();
    };
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// A house in which one plan is kept, of a policy that allows `ours`; the file of the plan.
fn with_kept_plan() -> (House, PathBuf) {
    let house = House::new();
    house.write(".config/engine/policy.kdl", "allow { command \"ours ...\" }");
    assert_eq!(house.verdict("ours go"), "allow");
    let kept = kept(&house);
    assert_eq!(kept.len(), 1, "{kept:?}");
    let plan = kept.into_iter().next().expect("a plan");
    (house, plan)
}

#[test]
fn a_kept_plan_that_is_not_whole_is_not_used() {
    let (house, plan) = with_kept_plan();
    let bytes = fs::read(&plan).expect("a plan");
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&plan, bytes.get(..length).expect("a beginning")).expect("a file");
        assert_eq!(house.verdict("ours go"), "allow", "{length}");
        assert_eq!(house.verdict("theirs go"), "ask", "{length}");
    }
    let mut changed = bytes;
    if let Some(last) = changed.last_mut() {
        *last ^= 1;
    }
    fs::write(&plan, changed).expect("a file");
    assert_eq!(house.verdict("ours go"), "allow");
}

#[test]
fn a_kept_plan_is_used_for_its_own_place_alone() {
    let (house, plan) = with_kept_plan();
    let loose = fs::read(&plan).expect("a plan");
    // A stricter policy of another project, whose plan is replaced by the looser one; the texts of that are as they were.
    house.write("other/.engine/policy.kdl", "deny { command \"ours ...\" }");
    let other = house.home.path().join("other");
    let check = |command: &str| {
        let place = other.to_str().expect("a name");
        text(&house.engine(&["check", "--cwd", place, command]))
    };
    assert!(check("ours go").starts_with("deny"));
    let strict = kept(&house)
        .into_iter()
        .find(|path| *path != plan)
        .expect("a second plan");
    fs::write(&strict, loose).expect("a file");
    let output = check("ours go");
    assert!(output.starts_with("deny"), "{output}");
}

#[test]
fn a_kept_plan_is_used_only_where_nobody_else_can_write_it() {
    let (house, plan) = with_kept_plan();
    let directory = plan.parent().expect("a directory").to_owned();
    let age = |path: &Path| path.metadata().expect("a file").modified().expect("a time");
    let before = age(&plan);
    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    // While others can write the directory, nothing is kept there either.
    for open in [directory.clone(), house.home.path().join(".cache")] {
        mode(&open, 0o777);
        fs::remove_file(&plan).expect("a plan");
        assert_eq!(house.verdict("ours go"), "allow");
        assert!(kept(&house).is_empty(), "{}", open.display());
        mode(&open, 0o700);
        assert_eq!(house.verdict("ours go"), "allow");
        assert_eq!(kept(&house).len(), 1);
    }
    assert!(age(&plan) >= before);
    // A link in its place leads to what somebody else may write.
    let elsewhere = house.home.path().join("elsewhere.plan");
    fs::rename(&plan, &elsewhere).expect("a move");
    std::os::unix::fs::symlink(&elsewhere, &plan).expect("a link");
    assert_eq!(house.verdict("ours go"), "allow");
    assert!(!plan.is_symlink(), "the link was replaced by a plan");
}

#[test]
fn what_lies_in_the_project_is_not_the_persons_own() {
    let house = House::new();
    house.write(
        "work/config/engine/policy.kdl",
        "allow { command \"ours ...\" }\ndeny { command \"git log ...\" }",
    );
    house.write(PROJECT, "allow { command \"theirs ...\" }");
    let engine = |arguments: &[&str]| {
        let mut command = house.command(env!("CARGO_BIN_EXE_engine"));
        for (name, place) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_DATA_HOME", "data"),
        ] {
            command.env(name, house.project().join(place));
        }
        text(&command.args(arguments).output().expect("a run"))
    };
    for _ in 0..2 {
        assert!(engine(&["check", "ours go"]).starts_with("ask"));
        assert!(engine(&["check", "git log"]).starts_with("deny"));
        assert!(engine(&["check", "git status"]).starts_with("allow"));
    }
    let trusted = engine(&["trust", "--yes"]);
    assert!(trusted.contains("kept nowhere"), "{trusted}");
    assert!(engine(&["check", "theirs go"]).starts_with("ask"));
    assert!(!house.project().join("cache").exists());
    assert!(!house.project().join("data").exists());
}

#[test]
fn without_a_home_in_the_environment_the_person_is_who_the_system_says() {
    let house = House::new();
    let mut command = house.command(env!("CARGO_BIN_EXE_engine"));
    command.env_remove("HOME").args(["check", "cat ~/.ssh/id_rsa"]);
    let output = text(&command.output().expect("a run"));
    assert!(
        output.starts_with("deny") || output.starts_with("ask"),
        "{output}"
    );
}

#[test]
fn a_project_within_is_no_way_out_of_the_rules_for_the_one_around() {
    let house = House::new();
    house.write(
        ".config/engine/policy.kdl",
        "allow { read \"/**\"; write \"./**\" }\ndeny { read \"./keys/**\" }",
    );
    house.write("work/keys/a", "");
    house.write("named.kdl", "allow { read \"/**\" }\ndeny { read \"./keys/**\" }");
    fs::create_dir_all(house.project().join("sub/.git")).expect("a project");
    fs::create_dir_all(house.home.path().join("plain/sub")).expect("a directory");
    house.write("plain/keys/a", "");
    let keys = house.project().join("keys/a");
    let read = format!("cat {}", keys.display());
    let first = |output: &Output| {
        text(output)
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let named = house.home.path().join("named.kdl");
    let named = named.to_str().expect("a name");
    for more in [&[][..], &["--policy", named][..], &["--with", named][..]] {
        for cwd in [".", "sub"] {
            for _ in 0..2 {
                let arguments = [&["check", "--cwd", cwd], more, &["--", &read]].concat();
                assert_eq!(first(&house.engine(&arguments)), "deny", "{cwd} {more:?}");
            }
        }
    }
    // Without a mark, what the engine was started in is the project.
    let mut command = house.command(env!("CARGO_BIN_EXE_engine"));
    let plain = house.home.path().join("plain");
    let output = command
        .current_dir(&plain)
        .args(["check", "--cwd", "sub", "--", "cat ../keys/a"])
        .output()
        .expect("a run");
    assert_eq!(first(&output), "deny");
    // What is allowed within is not allowed around.
    assert_eq!(
        first(&house.engine(&["check", "--cwd", "sub", "--", "echo > a"])),
        "allow"
    );
    assert_eq!(
        first(&house.engine(&["check", "--cwd", "sub", "--", "echo > ../a"])),
        "ask"
    );
}
