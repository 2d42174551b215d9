//! Specifications that real tools publish of themselves, as they are: they load without an error, rules know what they say, and no
//! verdict becomes milder by them.
//!
//! The files belong to others, so that they are fetched when the tests run, by the ordinary package clients and into a temporary
//! directory: one that a package prints, one that a package holds. Where a client or the network is missing the test says so and ends;
//! `.config/nextest.toml` shows what these tests say even where they pass.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run package clients and the binary"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What mise prints about itself; the version is fixed so that the test means the same tomorrow.
const MISE: &str = "2026.9.15";

/// The crate of fnox holds its specification.
const FNOX: &str = "1.46.0";

#[expect(clippy::print_stderr, reason = "whoever reads the results must see it")]
fn skipped(what: &str, why: &str) {
    eprintln!("SKIPPED: {what}: {why}");
}

/// Runs a client; what went wrong, otherwise.
fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(output);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(complaint.lines().last().unwrap_or("it failed").to_owned())
}

/// The specification that mise prints.
fn mise(folder: &Path) -> Result<String, String> {
    let system = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "aarch64") => "macos-arm64",
        (system, machine) => return Err(format!("there is no package for {system} on {machine}")),
    };
    let package = format!("@jdxcode/mise-{system}@{MISE}");
    run(Command::new("npm")
        .args([
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
        ])
        .arg(folder)
        .arg(&package))?;
    let program = folder.join(format!("node_modules/@jdxcode/mise-{system}/bin/mise"));
    let output = run(Command::new(program)
        .arg("usage")
        .current_dir(folder)
        .env("HOME", folder))?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The specification that the crate of fnox holds. To show a package is to fetch it.
fn fnox(folder: &Path) -> Result<String, String> {
    let home = folder.join("cargo");
    fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    let own = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    // The person's settings say where packages come from.
    if let Some(own) = own {
        let _none = fs::copy(own.join("config.toml"), home.join("config.toml"));
    }
    run(Command::new("cargo")
        .args(["info", "--quiet", &format!("fnox@{FNOX}")])
        .current_dir(folder)
        .env("CARGO_HOME", &home))?;
    let found = fs::read_dir(home.join("registry/src"))
        .map_err(|error| error.to_string())?
        .filter_map(Result::ok)
        .map(|entry| entry.path().join(format!("fnox-{FNOX}/fnox.usage.kdl")))
        .find(|path| path.exists())
        .ok_or("the crate has no specification")?;
    fs::read_to_string(found).map_err(|error| error.to_string())
}

fn engine(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(words)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .expect("the binary")
}

/// Loads a specification with rules and tests, and expects all of them to hold without a complaint.
fn holds(folder: &Path, specification: &str, rules: &str) {
    fs::write(folder.join("tool.usage.kdl"), specification).expect("a file");
    let policy = format!(
        "policy \"p\" {{\n    extends \"builtin:base\"\n    commands \"tool.usage.kdl\"\n}}\n{rules}"
    );
    fs::write(folder.join("policy.kdl"), policy).expect("a file");
    for words in [
        ["check", "--policy", "policy.kdl"].as_slice(),
        &["test", "policy.kdl"],
    ] {
        let output = engine(folder, words);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), complaint.as_str()),
            (Some(0), ""),
            "{words:?}: {shown}"
        );
    }
}

#[test]
fn what_mise_prints_about_itself_serves_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let specification = match mise(folder.path()) {
        Ok(specification) => specification,
        Err(why) => return skipped("mise", &why),
    };
    assert!(specification.contains("default_subcommand run"));
    holds(
        folder.path(),
        &specification,
        r#"
allow { command "mise (install|use|ls|exec) ..." }
deny "forced" { command "mise (install|use) ..." { flag "--force" } }
deny "gone" { command "mise (uninstall|unuse|implode) ..." }
deny "setting" { command "mise settings set ..." }
deny "deploy" { command "mise run deploy ..." }
deny "inner" { command "git describe ..." }
tests {
    allow "mise install node" "mise ls" "mise use node@22"
    deny "mise i -f node" "mise install --force" "mise u -gf node" rule="forced"
    deny "mise -C /tmp -q i node -f" "mise --env x install -j 4 --force node" rule="forced"
    deny "mise rm node" "mise unuse -y node; mise uninstall node" rule="gone"
    deny "mise settings set a b" "mise cfg; mise settings set -l a b" rule="setting"
    deny "mise run deploy" "mise r deploy" "mise deploy --now" rule="deploy"
    // The shipped definition knows what it runs.
    deny "mise exec node@20 -- git describe" rule="inner"
    ask "mise -C /etc install node" "mise upgrade" "mise plugins ls" "mise nothing-of-the-kind"
}
"#,
    );
}

#[test]
fn what_the_crate_of_fnox_holds_serves_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let specification = match fnox(folder.path()) {
        Ok(specification) => specification,
        Err(why) => return skipped("fnox", &why),
    };
    assert!(specification.contains("bin fnox"));
    holds(
        folder.path(),
        &specification,
        r#"
allow { command "fnox (get|list) ..." }
deny "secrets" { command "fnox (set|remove|export) ..." }
deny "values" { command "fnox list ..." { flag "--values" } }
tests {
    allow "fnox list" "fnox get KEY"
    deny "fnox set KEY value" "fnox -P prod --no-color set KEY v" "fnox -c ./x rm KEY" rule="secrets"
    deny "fnox ls -V" "fnox -v list --values" rule="values"
    ask "fnox exec -- env" "fnox -c /etc/fnox.toml list" "fnox --nothing list" "fnox check"
}
"#,
    );
}
