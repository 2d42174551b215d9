//! Real programs against their definitions: runs composed command lines under strace in a throw-away directory and compares what was
//! read, written, removed, run and connected to with what the definition says.
//!
//! Invariants:
//! - programs run in bubblewrap, without a network, on a read-only system, with a directory in memory that ends with the run; without
//!   bubblewrap or strace nothing is run;
//! - only what happens below the home is compared for reading, since programs read the system for themselves.

mod compose;
mod cover;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use engine_policy::definition::model::Definition;
use engine_policy::definition::read_definitions;
use tempfile::TempDir;

use self::compose::compose;
use self::cover::{Said, predict};
use self::trace::{CALLS, Touch, read_trace};
use crate::laboratory::{bubblewrap, find_program, silent};
use crate::random::Random;

const HOME: &str = "/home/u";
const DIRECTORY: &str = "/home/u/work";

/// Steps of waiting for one program, of ten milliseconds each.
const PATIENCE: usize = 300;

/// Files that programs find in their directory.
const FILES: &[(&str, &str)] = &[
    ("a.txt", "o1 o2\nline two\n3,4\n"),
    ("b.c", "int main(void) { return 0; }\n"),
    ("dir/x", "x\n"),
    ("dir/y.c", "y\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("data.json", "{\"a\": [1, 2]}\n"),
    ("more", "more\n"),
];

/// Sets the directory up inside, then becomes strace.
const SCRIPT: &str = "cp -r /tmp/from/. . && ln -s a.txt link && tar cf archive.tar dir && gzip -kc a.txt >file.gz && exec strace -f -qq -y \
    -s 4096 -e signal=none -e \"$0\" -o /tmp/out/trace \"$@\"";

/// Programs that composed command lines run; what a program starts besides these is its own way of working.
const RUN_PROGRAMS: &[&str] = &["true", "touch", "cat", "rm", "ls", "echo", "id"];

/// Directories in the home, which programs open for much else than reading them.
const DIRECTORIES: &[&str] = &[HOME, DIRECTORY, "/home/u/work/dir", "/home/u/work/src"];

/// Programs that are not started even so: they would wait for a person, or are about the whole machine.
const LEFT_OUT: &[&str] = &[
    "strace", "ltrace", "gdb", "reboot", "shutdown", "halt", "poweroff", "init", "yes", "sleep", "top",
    "htop", "bwrap",
];

/// The definitions that are tested.
#[derive(Debug)]
pub(crate) struct Definitions(Vec<Definition>);

impl Definitions {
    /// Reads a folder of definitions; files with problems are left to the tests of the definitions.
    fn read(folder: &Path) -> io::Result<Self> {
        let mut files: Vec<_> = fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        let mut all = Vec::new();
        for file in files {
            let (found, problems) = read_definitions(&fs::read_to_string(&file)?);
            if problems.is_empty() {
                all.extend(found);
            }
        }
        Ok(Self(all))
    }

    /// The definition of a program.
    pub(crate) fn find(&self, name: &str) -> Option<&Definition> {
        self.0
            .iter()
            .find(|definition| definition.names.iter().any(|known| known == name))
    }

    /// Those whose program is installed here, for each of its names.
    fn installed(&self) -> Vec<Definition> {
        let mut all = Vec::new();
        for definition in &self.0 {
            for name in &definition.names {
                if find_program(name).is_some() && !LEFT_OUT.contains(&name.as_str()) {
                    all.push(Definition {
                        names: vec![name.clone()],
                        ..definition.clone()
                    });
                }
            }
        }
        all
    }
}

/// Compares `number` command lines; says whether all was announced.
pub(crate) fn compare_programs(
    out: &mut impl Write,
    folder: &Path,
    number: usize,
    seed: u64,
    only: Option<&str>,
    show: usize,
) -> io::Result<bool> {
    for needed in ["bwrap", "strace"] {
        if find_program(needed).is_none() {
            writeln!(out, "skipped: `{needed}` is not installed")?;
            return Ok(true);
        }
    }
    let definitions = Definitions::read(folder)?;
    let mut installed = definitions.installed();
    installed.retain(|definition| only.is_none_or(|name| definition.names.iter().any(|known| known == name)));
    let stand = Stand::build()?;
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for index in 0..number {
        let Some(definition) = installed.get(index % installed.len().max(1)) else {
            break;
        };
        let words = compose(&mut random, definition);
        match predict(&definitions, &words, DIRECTORY) {
            Err(_) => tally.refused += 1,
            Ok(said) => stand.check(out, &words, &said, &mut tally, show)?,
        }
    }
    writeln!(
        out,
        "programs: {} installed of {} definitions, {number} command lines, {} refused, {} ran ({} not traced), {} touches checked, {} violations",
        installed.len(),
        definitions.0.len(),
        tally.refused,
        tally.ran,
        tally.untraced,
        tally.touches,
        tally.violations
    )?;
    let mut worst: Vec<_> = tally.by_program.iter().collect();
    worst.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (program, count) in worst {
        writeln!(out, "  {program}: {count}")?;
    }
    Ok(tally.violations == 0)
}

#[derive(Debug, Default)]
struct Tally {
    refused: usize,
    ran: usize,
    untraced: usize,
    touches: usize,
    violations: usize,
    by_program: BTreeMap<String, usize>,
}

/// Where programs run.
#[derive(Debug)]
struct Stand {
    root: TempDir,
}

impl Stand {
    fn build() -> io::Result<Self> {
        let root = TempDir::with_prefix("soundness-")?;
        for (name, text) in FILES {
            let path = root.path().join("from").join(name);
            fs::create_dir_all(path.parent().unwrap_or(root.path()))?;
            fs::write(path, text)?;
        }
        fs::create_dir_all(root.path().join("out"))?;
        Ok(Self { root })
    }

    fn check(
        &self,
        out: &mut impl Write,
        words: &[String],
        said: &Said,
        tally: &mut Tally,
        show: usize,
    ) -> io::Result<()> {
        tally.ran += 1;
        let Some(touches) = self.run(words)? else {
            tally.untraced += 1;
            return Ok(());
        };
        tally.touches += touches.len();
        let unannounced: Vec<_> = touches
            .into_iter()
            .map(plain_program)
            .filter(|touch| matters(touch) && !said.covers(touch))
            .collect();
        if unannounced.is_empty() {
            return Ok(());
        }
        tally.violations += 1;
        *tally
            .by_program
            .entry(words.first().cloned().unwrap_or_default())
            .or_default() += 1;
        if tally.violations <= show {
            writeln!(out, "violation: {words:?}")?;
            for touch in unannounced {
                writeln!(out, "  not announced: {touch:?}")?;
            }
            for line in said.shown() {
                writeln!(out, "  announced: {line}")?;
            }
        }
        Ok(())
    }

    /// What one command line does; `None` where it did not end in time or cannot be traced.
    fn run(&self, words: &[String]) -> io::Result<Option<BTreeSet<Touch>>> {
        let trace = self.root.path().join("out/trace");
        if trace.exists() {
            fs::remove_file(&trace)?;
        }
        let mut child = self.start(words)?;
        if !ended(&mut child)? {
            // The box takes everything in it along.
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        let Ok(text) = fs::read_to_string(&trace) else {
            return Ok(None);
        };
        Ok(read_trace(&text, DIRECTORY, existing()))
    }

    fn start(&self, words: &[String]) -> io::Result<Child> {
        let mut inside = bubblewrap();
        inside.args(["--tmpfs", "/home", "--dir", DIRECTORY]);
        inside
            .arg("--ro-bind")
            .arg(self.root.path().join("from"))
            .arg("/tmp/from");
        inside
            .arg("--bind")
            .arg(self.root.path().join("out"))
            .arg("/tmp/out");
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
            ("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"),
            ("HOME", HOME),
            ("LC_ALL", "C.UTF-8"),
            ("TERM", "dumb"),
        ] {
            inside.args(["--setenv", name, value]);
        }
        inside.args(["--", "/bin/sh", "-c", SCRIPT, CALLS]).args(words);
        silent(&mut inside).spawn()
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

/// The files that are there when a program starts.
fn existing() -> BTreeSet<String> {
    let made = ["link", "archive.tar", "file.gz"];
    FILES
        .iter()
        .map(|(name, _)| *name)
        .chain(made)
        .map(|name| format!("{DIRECTORY}/{name}"))
        .collect()
}

/// Places where programs keep what they remember between runs.
const CACHES: &[&str] = &["/home/u/.npm", "/home/u/.cache"];

/// Reading the system, temporary files, caches and devices are programs' own business.
fn matters(touch: &Touch) -> bool {
    let own = |path: &str| {
        CACHES.iter().any(|place| path.starts_with(place))
            || ["/tmp/", "/dev/", "/proc/", "/var/tmp/"]
                .iter()
                .any(|place| path.starts_with(place))
            || path == "/tmp"
    };
    match touch {
        Touch::Read(path) => path.starts_with(HOME) && !DIRECTORIES.contains(&path.as_str()),
        Touch::List(path) => path.starts_with(HOME) && !own(path),
        Touch::Write(path) | Touch::Delete(path) => !own(path),
        Touch::Execute(argv) => argv
            .first()
            .is_some_and(|name| RUN_PROGRAMS.contains(&name.as_str())),
        Touch::Connect(_) => true,
    }
}

/// Some programs look the path of a program up before they run it.
fn plain_program(touch: Touch) -> Touch {
    match touch {
        Touch::Execute(mut argv) => {
            if let Some(name) = argv.first_mut()
                && let Some((_, plain)) = name.rsplit_once('/')
            {
                *name = plain.to_owned();
            }
            Touch::Execute(argv)
        }
        other
        @ (Touch::Read(_) | Touch::List(_) | Touch::Write(_) | Touch::Delete(_) | Touch::Connect(_)) => other,
    }
}
