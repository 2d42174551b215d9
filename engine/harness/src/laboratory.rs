//! The place where shells are watched: a throw-away tree, the built shim, and the command line that starts a server in it.
//!
//! Invariants:
//! - nothing of the machine is writable for a watched shell where `bwrap` works; where it does not, that is said aloud, and
//!   only the shim keeps the shell from changing anything;
//! - the directory, the home and the environment of a watched shell are the ones that the prediction is told.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Where commands are found inside; the shim makes every name exist there.
const SEARCH_PATH: &str = "/S";

/// Builtins of bash that only print or answer. With them switched off, using one shows as running a program of that name.
const SWITCHED_OFF: &str = "alias bg bind caller compgen complete compopt dirs echo false fc fg hash help history jobs kill \
    let logout printf pwd suspend test times true type ulimit umask unalias [ :";

/// Files of the work directory: names that globs should meet, awkward ones among them.
const FILES: &[&str] = &[
    "a.txt",
    "b.c",
    "-n",
    ".hidden",
    "sp ace",
    "README.md",
    "dir/x",
    "dir/y.c",
    "dir/.z",
    "src/main.rs",
];

/// What is being watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Forks of one bash whose printing builtins are switched off, so that their use shows.
    BashVisible,
    /// Forks of one bash as it is.
    BashReal,
    /// This shell with these arguments, started for each text.
    Started(Vec<String>),
}

/// A laboratory.
#[derive(Debug)]
pub(crate) struct Laboratory {
    root: TempDir,
    bash: PathBuf,
    boxed: bool,
}

impl Laboratory {
    /// Builds the shim and the tree.
    pub(crate) fn build(want_box: bool) -> io::Result<Self> {
        let bash = find_program("bash").ok_or_else(|| io::Error::other("bash is not installed"))?;
        let root = TempDir::with_prefix("soundness-")?;
        for name in FILES {
            let path = root.path().join("home/work").join(name);
            fs::create_dir_all(path.parent().unwrap_or(root.path()))?;
            fs::write(path, "o1 o2\n")?;
        }
        build_shim(root.path())?;
        let boxed = want_box && box_works();
        Ok(Self { root, bash, boxed })
    }

    /// Whether shells run inside bubblewrap.
    pub(crate) fn boxed(&self) -> bool {
        self.boxed
    }

    /// The home directory as a watched shell sees it.
    pub(crate) fn home(&self) -> PathBuf {
        if self.boxed {
            PathBuf::from("/home/u")
        } else {
            self.root.path().join("home")
        }
    }

    /// The directory a watched shell starts in.
    pub(crate) fn directory(&self) -> PathBuf {
        self.home().join("work")
    }

    /// First line of what bash says of its version.
    pub(crate) fn bash_version(&self) -> String {
        let output = command(&self.bash).arg("--version").output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&text)
            .lines()
            .next()
            .unwrap_or("an unknown bash")
            .to_owned()
    }

    /// The server for a subject, ready to be spawned; it reads texts on its standard input.
    pub(crate) fn server(&self, subject: &Subject, log: i32) -> Command {
        let shim = if self.boxed {
            PathBuf::from("/tmp/shim/shim.so")
        } else {
            self.root.path().join("shim/shim.so")
        };
        let shim = shim.display().to_string();
        let (switch_off, arguments) = match subject {
            Subject::BashVisible => (format!("enable -n {SWITCHED_OFF}; "), String::new()),
            Subject::BashReal => (String::new(), String::new()),
            Subject::Started(words) => (String::new(), words.join(" ")),
        };
        let script = format!("enable -f {shim} serve; {switch_off}serve {arguments}");
        let environment = [
            ("PATH", SEARCH_PATH.to_owned()),
            ("HOME", self.home().display().to_string()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("SOUNDNESS_LOG", log.to_string()),
            ("LD_PRELOAD", shim),
        ];
        let mut server = if self.boxed {
            let mut server = bubblewrap();
            server.arg("--ro-bind").arg(self.root.path().join("shim")).args([
                "/tmp/shim",
                "--tmpfs",
                "/home",
                "--ro-bind",
            ]);
            server.arg(self.root.path().join("home")).arg(self.home());
            server
                .args(["--unshare-all", "--die-with-parent", "--clearenv", "--chdir"])
                .arg(self.directory());
            for (name, value) in environment {
                server.args(["--setenv", name, &value]);
            }
            server.arg("--").arg(&self.bash);
            server
        } else {
            let mut server = command(&self.bash);
            server.env_clear().envs(environment).current_dir(self.directory());
            server
        };
        server.args(["--norc", "--noprofile", "-c", &script]);
        server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        server
    }
}

/// Looks a program up in the usual places.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    ["/bin", "/usr/bin", "/usr/local/bin"]
        .iter()
        .map(|place| Path::new(place).join(name))
        .find(|path| path.exists())
}

fn build_shim(root: &Path) -> io::Result<()> {
    let place = root.join("shim");
    fs::create_dir_all(&place)?;
    let source = place.join("shim.c");
    fs::write(&source, include_str!("../shim/shim.c"))?;
    let compiler = find_program("cc").or_else(|| find_program("gcc"));
    let compiler = compiler.ok_or_else(|| io::Error::other("no C compiler is installed"))?;
    let output = command(&compiler)
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(place.join("shim.so"))
        .arg(&source)
        .arg("-ldl")
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "the shim does not build: {}",
        String::from_utf8_lossy(&output.stderr)
    )))
}

fn box_works() -> bool {
    let mut probe = bubblewrap();
    probe.args(["--tmpfs", "/home", "--unshare-all", "--die-with-parent"]);
    probe.args(["--", "/bin/sh", "-c", "exit 0"]);
    silent(&mut probe).status().is_ok_and(|status| status.success())
}

/// A box that shows the system read-only, with an empty `/tmp`; more arguments and the program follow.
pub(crate) fn bubblewrap() -> Command {
    let mut outside = command(Path::new("bwrap"));
    outside.args([
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/tmp",
    ]);
    outside
}

/// Lets a program read and print nothing.
pub(crate) fn silent(program: &mut Command) -> &mut Command {
    program
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

/// A program to start.
#[expect(
    clippy::disallowed_methods,
    reason = "watching shells is what this tool is for; no crate of the product uses it"
)]
pub(crate) fn command(program: &Path) -> Command {
    Command::new(program)
}
