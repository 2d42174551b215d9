//! A home with a project whose policy is named on the command line.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home with a project whose policy is named on the command line.
pub(crate) struct House {
    pub(crate) home: TempDir,
}

pub(crate) const RULES: &str = "allow { command \"echo ...\" \"cat ...\" \"sleep ...\" \"ls ...\"; tool \"*\"; read \"./**\"; write \"./out*\" }\ndeny \"no-rm\" { command \"rm ...\" }\nask \"ask-touch\" { command \"touch ...\" }\n";

impl House {
    pub(crate) fn new(sections: &str) -> Self {
        let house = Self {
            home: tempfile::tempdir().expect("a directory"),
        };
        fs::create_dir_all(house.project().join(".git")).expect("a project");
        fs::write(house.home.path().join("p.kdl"), format!("{RULES}{sections}")).expect("a policy");
        house
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// A script in the project.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::write(&path, format!("#!/bin/bash\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap_or_default()
    }

    pub(crate) fn engine(&self, args: &[&str], input: &str) -> Output {
        let policy = self.home.path().join("p.kdl");
        let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
            .args(args)
            .arg("--policy")
            .arg(policy)
            .current_dir(self.project())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut stdin = child.stdin.take().expect("its input");
        stdin.write_all(input.as_bytes()).expect("its input");
        drop(stdin);
        child.wait_with_output().expect("its end")
    }

    pub(crate) fn call(&self, tool: &str, input: &str) -> String {
        let output = self.engine(&["call", "--no-ask", tool, input], "");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    pub(crate) fn bash(&self, command: &str) -> String {
        self.call("Bash", &serde_json::json!({ "command": command }).to_string())
    }
}
