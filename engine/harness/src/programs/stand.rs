//! Where real programs run: a box without a network on a read-only system, and the directory that each run gets a fresh copy of.
//!
//! Invariants:
//! - everything that a run could change is in memory and ends with the run;
//! - every run finds the same directory, whichever runs were before it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use tempfile::TempDir;

use super::trace::{CALLS, Touch, read_trace};
use crate::laboratory::{bubblewrap, find_program, silent};

/// The home inside.
pub(crate) const HOME: &str = "/home/u";

/// The directory that programs run in.
pub(crate) const DIRECTORY: &str = "/home/u/work";

/// Steps of waiting for one program, of ten milliseconds each.
const PATIENCE: usize = 300;

/// Files that programs find in their directory.
const FILES: &[(&str, &str)] = &[
    ("a.txt", "o1 o2\nline two\n3,4\n"),
    (
        "b.c",
        "#include <stdio.h>\nint main(void) { puts(\"o1\"); return 0; }\n",
    ),
    ("dir/x", "x\n"),
    ("dir/y.c", "y\n"),
    ("src/main.rs", "fn main() {\n    println!(\"o1\");\n}\n"),
    ("data.json", "{\"a\": [1, 2]}\n"),
    ("data.csv", "k,v\n1,2\n3,4\n"),
    ("data.yaml", "a:\n  - 1\n  - 2\n"),
    ("more", "more\n"),
    ("script.sh", "#!/bin/sh\necho o1\n"),
    ("tool.py", "import os\n\n\ndef main():\n    return 1\n"),
    ("app.js", "const a = 1;\nconsole.log(a);\n"),
    (
        "package.json",
        "{\"name\": \"work\", \"version\": \"1.0.0\", \"scripts\": {\"build\": \"true\"}, \"dependencies\": {}}\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"work\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    ("Makefile", "all:\n\t@expr 1\n"),
    ("a.patch", "--- a/dir/x\n+++ b/dir/x\n@@ -1 +1 @@\n-x\n+z\n"),
    ("page.html", "<html><body>o1</body></html>\n"),
    ("README.md", "# o1\n\ntext\n"),
    // Names that examples use.
    ("a", "1\n2\n"),
    ("b", "1\n3\n"),
    ("c", "c\n"),
    ("f", "f\n"),
    ("x", "x\n"),
    ("file", "o1\n"),
    ("in.txt", "o1 a\n"),
    ("b.txt", "b o2\n"),
    ("old", "old\n"),
    ("d/a", "1\n"),
];

/// Makes what is not plain text; a program that is not installed makes nothing.
const PREPARE: &str = r"
chmod +x script.sh
ln -s a.txt link
tar cf archive.tar dir
gzip -kc a.txt >file.gz
bzip2 -kc a.txt >file.bz2
xz -kc a.txt >file.xz
zstd -qc a.txt >file.zst
zip -qr archive.zip dir
sqlite3 data.db 'create table t(a); insert into t values(1)'
sha256sum a.txt b.c >sums
printf '\0\1\2\3' >data.bin
find . -exec touch -h -d 2020-01-01 {} +
git init -q --template= -b main .
git config user.name U
git config user.email u@example.org
git config core.checkStat minimal
git config core.trustctime false
git add a.txt b.c dir src data.json
git commit -qm one
git tag v1
git branch topic
echo more >>dir/y.c
touch -d 2020-01-02 dir/y.c
git commit -qam two
git add Makefile
echo o3 >>a.txt
find . -name '*' -size 0 -not -path './.git/*' -delete
true
";

/// Sets the directory up inside, then becomes strace.
const SCRIPT: &str =
    "cp -a /tmp/from/. . && exec strace -f -qq -y -s 4096 -e signal=none -e \"$0\" -o /tmp/out/trace \"$@\"";

/// Directories with programs, in the order in which they are searched.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// Where programs run.
#[derive(Debug)]
pub(super) struct Stand {
    root: TempDir,
    existing: BTreeSet<String>,
}

/// Whether a program is where runs look for it.
pub(super) fn is_installed(name: &str) -> bool {
    SEARCH_PATH
        .split(':')
        .any(|place| Path::new(place).join(name).exists())
}

impl Stand {
    /// Makes the directory that runs get copies of.
    pub(super) fn build() -> io::Result<Self> {
        let root = TempDir::with_prefix("soundness-")?;
        let from = root.path().join("from");
        for (name, text) in FILES {
            let path = from.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&from))?;
            fs::write(path, text)?;
        }
        fs::create_dir_all(root.path().join("out"))?;
        let mut prepare = inside();
        prepare.arg("--bind").arg(&from).arg(DIRECTORY);
        settle(&mut prepare);
        prepare.args(["--", "/bin/sh", "-c", PREPARE]);
        silent(&mut prepare).status()?;
        let mut existing = BTreeSet::new();
        list(&from, DIRECTORY, &mut existing)?;
        Ok(Self { root, existing })
    }

    /// The directory outside that every run gets a copy of.
    pub(super) fn template(&self) -> std::path::PathBuf {
        self.root.path().join("from")
    }

    /// What one command line does; `None` where it did not end in time or cannot be traced.
    pub(super) fn run(&self, words: &[String]) -> io::Result<Option<BTreeSet<Touch>>> {
        let out = TempDir::with_prefix_in("run-", self.root.path())?;
        let mut child = self.start(words, out.path())?;
        if !ended(&mut child)? {
            // The box takes everything in it along.
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        // Bytes that are no text stand in a trace as escapes.
        let Ok(text) = fs::read_to_string(out.path().join("trace")) else {
            return Ok(None);
        };
        Ok(read_trace(&text, DIRECTORY, self.existing.clone()))
    }

    fn start(&self, words: &[String], out: &Path) -> io::Result<Child> {
        let mut inside = inside();
        inside.args(["--dir", DIRECTORY]);
        inside.arg("--ro-bind").arg(self.template()).arg("/tmp/from");
        inside.arg("--bind").arg(out).arg("/tmp/out");
        settle(&mut inside);
        inside.args(["--", "/bin/sh", "-c", SCRIPT, CALLS]).args(words);
        silent(&mut inside).spawn()
    }
}

fn inside() -> Command {
    let mut inside = bubblewrap();
    inside.args(["--tmpfs", "/home", "--dir", HOME]);
    inside
}

fn settle(inside: &mut Command) {
    inside.args([
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--clearenv",
        "--chdir",
        DIRECTORY,
    ]);
    for (name, value) in [
        ("PATH", SEARCH_PATH),
        ("HOME", HOME),
        ("LC_ALL", "C.UTF-8"),
        ("TERM", "dumb"),
    ] {
        inside.args(["--setenv", name, value]);
    }
}

fn ended(child: &mut Child) -> io::Result<bool> {
    for _ in 0..PATIENCE {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(false)
}

/// The files and links that are there when a program starts, by their paths inside.
fn list(outside: &Path, shown: &str, found: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(outside)? {
        let entry = entry?;
        let path = format!("{shown}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &path, found)?;
        }
        found.insert(path);
    }
    Ok(())
}

/// The programs without which nothing can be run.
pub(super) fn missing() -> Option<&'static str> {
    ["bwrap", "strace"]
        .into_iter()
        .find(|needed| find_program(needed).is_none())
}
