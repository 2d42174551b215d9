//! The properties on inputs of fixed seeds: what is at hand, and thousands of mutants of it. The same inputs in every run.

use engine_policy::read::Format;
use engine_properties::{
    Mutator, decides_monotonically, everyday_commands, fixture_commands, fixture_policies, plan_of,
    reads_policy, reads_shell,
};

/// A policy with a rule of each kind, and none about what stands around a command.
const POLICY: &str = r#"
policy "mixed" { extends "builtin:base" }
allow {
    write "./src/**" "./out/**"
    delete "./out/**"
    command "git (status|log|diff|show|add|commit) ..." "cargo ..." "npm (test|run) ..." "bash -c ..." "mkdir ..."
    network "example.org" "*.example.org"
}
ask "publishing" { command "git push ..." "npm publish ..." }
deny "force" { command "git push ..." { flag "-f" "--force" } }
deny "forever" { command "rm ..." { flag "-r" } }
deny "system" { write "/etc/**"; delete "//usr/**" }
"#;

fn commands() -> Vec<String> {
    let mut commands: Vec<String> = everyday_commands().into_iter().map(str::to_owned).collect();
    commands.extend(fixture_commands());
    assert!(commands.len() > 100, "the fixtures were not found");
    commands
}

/// Runs a property on inputs and names every input that it does not hold for.
fn holds<E: std::fmt::Display>(
    inputs: impl Iterator<Item = String>,
    property: impl Fn(&str) -> Result<(), E>,
) {
    let violations: Vec<String> = inputs
        .filter_map(|input| property(&input).err())
        .map(|violation| violation.to_string())
        .collect();
    let shown: Vec<&str> = violations.iter().take(10).map(String::as_str).collect();
    assert!(
        violations.is_empty(),
        "{} violations, such as\n{}",
        violations.len(),
        shown.join("\n")
    );
}

#[test]
fn shells_texts_at_hand() {
    holds(commands().into_iter(), reads_shell);
}

#[test]
fn lines_of_shell_texts() {
    let lines = commands();
    holds(lines.windows(3).map(|some| some.join("\n")), reads_shell);
}

#[test]
fn shell_texts_close_to_them() {
    let (seeds, mut mutator) = (commands(), Mutator::new(1));
    holds((0..6000).map(|_| mutator.mutant(&seeds)), reads_shell);
}

#[test]
fn policies_at_hand() {
    holds(fixture_policies().into_iter(), reads_policy);
}

#[test]
fn policies_close_to_them() {
    let (seeds, mut mutator) = (fixture_policies(), Mutator::new(2));
    holds((0..400).map(|_| mutator.mutant(&seeds)), reads_policy);
}

#[test]
fn more_around_a_command_is_never_milder() {
    let plan = plan_of(POLICY, Format::Kdl).expect("the policy is right");
    holds(commands().into_iter(), |command| {
        decides_monotonically(&plan, command)
    });
}

#[test]
fn more_around_a_command_close_to_them_is_never_milder() {
    let plan = plan_of(POLICY, Format::Kdl).expect("the policy is right");
    let (seeds, mut mutator) = (commands(), Mutator::new(3));
    holds((0..1500).map(|_| mutator.mutant(&seeds)), |command| {
        decides_monotonically(&plan, command)
    });
}
