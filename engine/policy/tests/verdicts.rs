//! What policies say of commands: options of guards, plan mode, what unpacks.

#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use engine_policy::read::Format;
use engine_policy::{Call, Decision, Facts, Files, Mode, NoWorld, Outcome, Plan, Root, decide, load};
use engine_shell::Shell;

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("there are no files".to_owned())
    }
}

fn verdicts(policy: &str, commands: &[(&str, Outcome)]) {
    verdicts_in(Mode::Default, policy, commands);
}

fn verdicts_in(mode: Mode, policy: &str, commands: &[(&str, Outcome)]) {
    let plan = plan(policy);
    for (command, expected) in commands {
        let decision = decided(&plan, command, mode);
        assert_eq!(decision.outcome, *expected, "{command}: {:?}", decision.steps);
    }
}

fn plan(policy: &str) -> Plan {
    let root = Root::Text {
        name: "p.kdl".to_owned(),
        text: policy.to_owned(),
        format: Format::Kdl,
    };
    load(&[root], &NoFiles).compile().expect("a policy")
}

fn decided(plan: &Plan, command: &str, mode: Mode) -> Decision {
    let facts = Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: None,
        shell: Shell::Bash,
        world: &NoWorld,
    };
    decide(plan, &Call::Shell(command), &facts, mode)
}

#[test]
fn a_guard_means_its_options_in_any_order_and_spelling() {
    use Outcome::{Allow, Ask, Deny};
    verdicts(
        r#"
        policy "x"
        allow { command "(rm|git|tar) ..."; read "./**"; write "./**"; delete "./**"; network "*" }
        deny { command "rm -rf ..." "git push -uf ..." "tar -xzf ..." "git push (-d|--delete) main ..." }
        "#,
        &[
            ("rm -rf a", Deny),
            ("rm -fr a", Deny),
            ("rm -r -f a", Deny),
            ("rm -rvf a", Deny),
            ("rm a -rf", Deny),
            ("rm -r a -f", Deny),
            ("rm --recursive --force a", Deny),
            ("rm -r a", Allow),
            ("rm -- a -rf", Allow),
            ("git push -u -f origin", Deny),
            ("git push origin -fu", Deny),
            ("git -C sub push --force --set-upstream origin", Deny),
            ("git push -u origin", Allow),
            ("tar -z -x -f a.tgz", Deny),
            ("git push main -d", Deny),
            ("git push --delete main", Deny),
            ("git push -d topic", Ask),
        ],
    );
}

#[test]
fn a_guard_with_an_option_before_its_operands_means_them_in_any_order() {
    use Outcome::{Allow, Ask, Deny};
    verdicts(
        r#"
        policy "x"
        default { command "allow" }
        allow { command "(rm|git|mytool) ..."; write "/**"; delete "/**"; read "/**" }
        deny {
            command "rm -rf build ..." "tool --output=/etc ..." "t ... -w ..." "u x [-w] q ..." "mytool -f x ..."
            short "Bash(rm -rf dist:*)"
        }
        "#,
        &[
            ("rm -rf build", Deny),
            ("rm -fr build", Deny),
            ("rm -v -rf build", Deny),
            ("rm -rf -v build src", Deny),
            ("rm --recursive --force -- build", Deny),
            ("rm -r build", Allow),
            ("rm -rf src", Allow),
            ("rm -fr dist", Deny),
            ("rm -v -r -f dist", Deny),
            ("tool x --output=/etc", Deny),
            ("tool x --output=/tmp", Allow),
            ("t a -w b", Deny),
            ("t a b", Allow),
            ("u -v x -w q", Allow),
            ("u x q", Deny),
            ("u x -w q", Deny),
            ("mytool -a -f x", Deny),
            ("mytool x -f", Deny),
            ("mytool -f y", Allow),
            ("rm $x", Ask),
        ],
    );
}

#[test]
fn case_tells_no_program_file_and_no_exception_apart() {
    use Outcome::{Allow, Ask, Deny};
    verdicts(
        r#"
        policy "x"
        default { command "allow" }
        allow { read "/**"; command "* ..." }
        deny { command "./scripts/deploy.sh ..."; read "./keys/**" { except "./keys/[!A-C]x" "./keys/public" } }
        "#,
        &[
            ("./scripts/deploy.sh", Deny),
            ("./scripts/DEPLOY.sh", Ask),
            ("./scripts/other.sh", Allow),
            ("cat keys/Ax", Deny),
            ("cat KEYS/Ax", Ask),
            ("cat keys/dx", Allow),
            ("cat keys/public", Allow),
        ],
    );
}

#[test]
fn an_exception_that_stands_for_too_many_orders_is_an_error() {
    let policy = "policy \"x\"\nallow { command \"t ...\" { except \"t -a -b -c -d -e x ...\" } }";
    let root = Root::Text {
        name: "p.kdl".to_owned(),
        text: policy.to_owned(),
        format: Format::Kdl,
    };
    let mut loaded = load(&[root], &NoFiles);
    assert!(loaded.compile().is_none());
    let codes: Vec<_> = loaded.diagnostics.iter().map(|own| own.code).collect();
    assert_eq!(codes, ["policy::pattern-too-large"]);
}

#[test]
fn a_guard_of_exact_words_means_them_in_any_order() {
    use Outcome::{Allow, Deny};
    verdicts(
        r#"
        policy "x"
        allow { command "(rm|git) ..."; read "./**"; write "./**"; delete "./**" }
        deny { command "rm -rf build" "git reset --hard" }
        "#,
        &[
            ("rm -rf build", Deny),
            ("rm -f -r build", Deny),
            ("rm build -fr", Deny),
            ("rm -r build -f", Deny),
            ("rm -rf target", Allow),
            ("rm -r build", Allow),
            ("git reset --hard", Deny),
            ("git reset", Allow),
        ],
    );
}

#[test]
fn an_exception_of_an_allow_rule_means_its_options_wherever_they_stand() {
    use Outcome::{Allow, Ask};
    verdicts(
        r#"
        policy "x"
        allow { command "(rm|frob) ..." { except "rm -rf ..." "frob -v (-i|-I)" } }
        "#,
        &[
            ("rm -r a", Allow),
            ("rm -rf a", Ask),
            ("rm -fr a", Ask),
            ("rm a -r -f", Ask),
            ("rm --force a --recursive", Ask),
            ("frob -i", Allow),
            ("frob -i -v", Ask),
            ("frob -v -I", Ask),
        ],
    );
}

#[test]
fn what_an_allow_rule_gives_stays_as_it_is_written() {
    use Outcome::{Allow, Ask};
    verdicts(
        r#"
        policy "x"
        default { command "ask" }
        allow { command "frob -a -b ..." }
        "#,
        &[
            ("frob -a -b c", Allow),
            ("frob -b -a c", Ask),
            ("frob c -a -b", Ask),
        ],
    );
}

#[test]
fn an_exception_of_a_guard_stays_as_it_is_written() {
    use Outcome::{Allow, Deny};
    verdicts(
        r#"
        policy "x"
        default { command "allow" }
        deny { command "frob ..." { except "frob -a -b ..." } }
        "#,
        &[
            ("frob -a -b c", Allow),
            ("frob -b -a c", Deny),
            ("frob c -a -b", Deny),
        ],
    );
}

#[test]
fn an_abbreviation_that_fits_several_options_may_be_the_one_that_is_guarded() {
    use Outcome::{Allow, Ask, Deny};
    verdicts(
        r#"
        policy "x"
        allow { command "git ..."; read "./**"; network "*" }
        deny { command "git push ..." { flag "--force" } }
        "#,
        &[
            ("git push --forc origin", Ask),
            ("git push --force origin", Deny),
            ("git push --follow-tags origin", Allow),
            ("git push --forc -u origin", Ask),
        ],
    );
}

#[test]
fn in_plan_mode_a_rule_that_allows_a_command_does_not_make_it_one_that_writes() {
    use Outcome::{Allow, Deny};
    verdicts_in(
        Mode::Plan,
        r#"
        policy "x"
        default { read "allow" }
        allow { command "(git|ls|wc|frob|sed|make|cargo|curl|nc) ..."; network "*"; write "./**"; delete "./**" }
        "#,
        &[
            ("git status", Allow),
            ("git log --oneline | wc -l", Allow),
            ("ls src", Allow),
            ("sed -n 1p a", Allow),
            ("git commit -m x", Deny),
            ("git add a", Deny),
            ("sed -i s/a/b/ a", Deny),
            ("ls > a", Deny),
            ("frob", Deny),
            ("make", Deny),
            ("cargo test", Deny),
            ("git $x", Deny),
            ("curl -X POST https://h.example/ -d a=b", Deny),
            ("nc -u h.example 1", Deny),
        ],
    );
}

#[test]
fn what_unpacks_or_copies_trees_asks_where_something_protected_may_be_written() {
    use Outcome::{Allow, Ask};
    verdicts(
        r#"
        policy "u" { extends "builtin:base" }
        allow { write "./**"; command "(tar|unzip|cp|mv|rsync|patch) ..." "git clone ..." }
        "#,
        &[
            ("tar xf x.tar", Ask),
            ("tar -C vendor -xf x.tar", Ask),
            ("unzip x.zip", Ask),
            ("unzip x.zip -d vendor", Ask),
            ("git clone https://example.org/x .", Ask),
            ("cp -r x/. .", Ask),
            ("cp -r x .git", Ask),
            ("cp x .git/hooks/pre-commit", Ask),
            ("mv x .git", Ask),
            ("rsync -a x/ .", Ask),
            ("patch -p1 -i x.diff", Ask),
            ("tar tf x.tar", Allow),
            ("cp src/a.rs src/b.rs", Allow),
        ],
    );
}

#[test]
fn near_misses_are_of_what_no_rule_decided() {
    let plan = plan("policy \"x\"\ndeny { command \"frob --all ...\" }\nallow { command \"frab ...\" }");
    let misses = |command: &str| -> Vec<String> {
        let steps = decided(&plan, command, Mode::Default).steps;
        steps.iter().flat_map(|step| step.near_misses(&plan)).collect()
    };
    assert_eq!(misses("frob --all"), Vec::<String>::new());
    let near = misses("frob");
    assert_eq!(near.len(), 2, "{near:?}");
    assert_eq!(near[0], "deny `frob --all ...` (p.kdl:2)");
    assert_eq!(near[1], "allow `frab ...` (p.kdl:3)");
}
