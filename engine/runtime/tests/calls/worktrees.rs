//! `EnterWorktree` and `ExitWorktree` against a real git.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::support::{Answer, OPEN, Setup, Table};

fn git(directory: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(words)
        .current_dir(directory)
        .output()
        .expect("git");
    assert!(
        done.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn policy() -> String {
    format!("{OPEN}\nallow \"git\" {{ command \"git ...\" }}\n")
}

fn repository() -> Table {
    // To delete a branch is asked about, whatever allows it.
    let table = Setup::new(&policy())
        .file("a.txt", "a\n")
        .says(&[Answer::Yes])
        .start();
    git(&table.project(), &["init", "-q"]);
    git(&table.project(), &["add", "."]);
    git(&table.project(), &["commit", "-qm", "first"]);
    table
}

#[tokio::test]
async fn a_worktree_without_changes_is_left_and_removed() {
    let table = repository();
    let said = table.works("EnterWorktree", json!({ "name": "try" })).await;
    let path = table.path(".engine/worktrees/try");
    assert_eq!(
        said,
        format!(
            "Created worktree at {path} on branch worktree-try. The session is now working in the worktree. Use ExitWorktree to leave mid-session, or exit the session to be prompted."
        )
    );
    assert_eq!(table.session.context().cwd, path);
    assert_eq!(table.works("Bash", json!({ "command": "pwd" })).await, path);
    let twice = table.fails("EnterWorktree", json!({ "name": "other" })).await;
    assert_eq!(twice, format!("Already in a worktree session: {path}"));
    let said = table.works("ExitWorktree", json!({})).await;
    let project = table.project();
    let project = project.display();
    assert_eq!(
        said,
        format!("Exited and removed worktree at {path}. Session is now back in {project}.")
    );
    assert!(!Path::new(&path).exists());
    assert_eq!(table.session.context().cwd, project.to_string());
    let branches = table
        .works("Bash", json!({ "command": "git branch --list 'worktree-*'" }))
        .await;
    assert_eq!(branches, "(no output)", "its branch is gone, too");
    let none = table.fails("ExitWorktree", json!({})).await;
    assert_eq!(none, "No-op: there is no active EnterWorktree session to exit.");
}

#[tokio::test]
async fn a_worktree_with_changes_is_kept() {
    let table = repository();
    table.works("EnterWorktree", json!({ "name": "w" })).await;
    let path = table.path(".engine/worktrees/w");
    let file = format!("{path}/new.txt");
    table
        .works("Write", json!({ "file_path": file, "content": "work" }))
        .await;
    let said = table.works("ExitWorktree", json!({})).await;
    assert_eq!(
        said,
        format!(
            "Exited worktree. Your work is preserved at {path} on branch worktree-w. Session is now back in {}.",
            table.project().display()
        )
    );
    assert_eq!(std::fs::read_to_string(file).expect("kept"), "work");
}

#[tokio::test]
async fn names_that_lead_elsewhere_make_no_worktree() {
    let table = repository();
    for name in [
        "../x", "/tmp/x", "a/b", "--force", ".", "a\nb", "a;b", "$(id)", "",
    ] {
        table.fails("EnterWorktree", json!({ "name": name })).await;
    }
    assert!(!table.project().join(".engine").exists());
    assert_eq!(table.session.context().cwd, table.project().display().to_string());
}

#[tokio::test]
async fn without_a_repository_there_is_no_worktree() {
    let table = Setup::new(&policy()).start();
    let said = table.fails("EnterWorktree", json!({ "name": "x" })).await;
    assert_eq!(said, "Cannot create a worktree: not in a git repository");
}

#[tokio::test]
async fn a_worktree_outside_of_the_project_is_undone() {
    // The repository begins above the project, and so does the place of its worktrees.
    let table = Setup::new(&policy()).file("a.txt", "a\n").start();
    git(&table.root(), &["init", "-q"]);
    git(&table.root(), &["add", "project"]);
    git(&table.root(), &["commit", "-qm", "first"]);
    let said = table.fails("EnterWorktree", json!({ "name": "x" })).await;
    assert!(said.contains("outside the project"), "{said}");
    assert!(
        !table.root().join(".engine/worktrees/x").exists(),
        "what was made is removed"
    );
    let said = table.fails("ExitWorktree", json!({})).await;
    assert_eq!(said, "No-op: there is no active EnterWorktree session to exit.");
    assert_eq!(table.session.context().cwd, table.project().display().to_string());
}
