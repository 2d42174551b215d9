//! Real programs against their definitions: runs composed command lines under strace in a throw-away directory and compares what was
//! read, written, removed, run and connected to with what the definition says, and with what `builtin:readonly` allows.
//!
//! Invariants:
//! - programs run in bubblewrap, without a network, on a read-only system, with a directory in memory that ends with the run; without
//!   bubblewrap or strace nothing is run;
//! - only what happens below the home is compared for reading, since programs read the system for themselves;
//! - a command line that `builtin:readonly` allows may change nothing at all, whatever its definition says;
//! - which command lines run follows from the definitions, the installed programs and the seed.

mod compose;
mod cover;
mod readonly;
mod select;
mod stand;
mod tally;
mod trace;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_policy::definition::model::Definition;
use engine_policy::definition::read_definitions;

pub(crate) use self::cover::reads_only;
pub(crate) use self::readonly::Readonly;
use self::select::{Chooser, Line, select};
pub(crate) use self::stand::{DIRECTORY as PROJECT, HOME as HOME_DIRECTORY};
use self::stand::{DIRECTORY, HOME, Stand, missing};
use self::tally::Tally;
use self::trace::Touch;

/// Runs of a program for each command line that is wanted, where some touched something and where none did.
const PATIENT: usize = 4;
const IMPATIENT: usize = 2;

/// Command lines of a program that may be waited for in vain.
const WAITS: usize = 3;

/// Programs that composed command lines run; what a program starts besides these is its own way of working.
const RUN_PROGRAMS: &[&str] = &["true", "touch", "cat", "rm", "ls", "echo", "id"];

/// Directories in the home, which programs open for much else than reading them.
const DIRECTORIES: &[&str] = &[
    HOME,
    DIRECTORY,
    "/home/u/work/dir",
    "/home/u/work/src",
    "/home/u/work/d",
];

/// Places where programs keep what they remember between runs.
const CACHES: &[&str] = &["/home/u/.npm", "/home/u/.cache"];

/// What the Java machine says of itself to others while it runs, and what stands in for a directory of the session where there is none.
const RUNTIME: &[&str] = &["/tmp/hsperfdata_", "/tmp/podman-run-"];

/// The definitions that are tested.
#[derive(Debug)]
pub(crate) struct Definitions(Vec<Definition>);

impl Definitions {
    /// Reads a folder of definitions; files with problems are left to the tests of the definitions.
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
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
}

/// What is compared and shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Campaign<'a> {
    /// The folder of definitions.
    pub(crate) folder: &'a Path,
    /// Command lines for each definition.
    pub(crate) number: usize,
    pub(crate) seed: u64,
    /// This program alone.
    pub(crate) only: Option<&'a str>,
    /// Violations to print.
    pub(crate) show: usize,
    /// Print every command line with the number of its touches.
    pub(crate) lines: bool,
    /// Print a line for each program.
    pub(crate) each: bool,
    /// Definitions that must have been held against real effects.
    pub(crate) least: usize,
    /// Runs side by side.
    pub(crate) workers: usize,
}

/// Compares command lines of real programs; says whether all was announced.
pub(crate) fn compare_programs(out: &mut impl Write, campaign: Campaign<'_>) -> io::Result<bool> {
    if let Some(needed) = missing() {
        writeln!(
            out,
            "programs: SKIPPED, nothing was compared: `{needed}` is not installed"
        )?;
        return Ok(true);
    }
    let definitions = Definitions::read(campaign.folder)?;
    let stand = Stand::build()?;
    let readonly = Readonly::build()?;
    let selection = select(&definitions, campaign.only);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut all = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = selection.programs.get(index) else {
                return Ok::<_, io::Error>(all);
            };
            let template = stand.template();
            let chooser = Chooser::new(&definitions, &readonly, &template, program, campaign);
            all.push((index, exercise(&stand, chooser)?));
        }
    };
    let mut results = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..campaign.workers.max(1)).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for worker in workers {
            let found = worker.join().map_err(|_| io::Error::other("a worker panicked"))?;
            all.extend(found?);
        }
        Ok::<_, io::Error>(all)
    })?;
    results.sort_by_key(|(index, _)| *index);
    let mut tally = Tally::default();
    for (_, exercised) in &results {
        tally.add(exercised);
        for result in &exercised.results {
            if campaign.lines {
                writeln!(out, "{} {}", result.touched, readonly::quote(&result.line.words))?;
            }
            if result.violates() && tally.shown(campaign.show) {
                show(out, result)?;
            }
        }
    }
    tally.write(out, &selection, campaign)
}

/// What came of one command line.
#[derive(Debug)]
struct Outcome {
    line: Line,
    /// Whether it ended in time and could be followed.
    traced: bool,
    /// What it did that must be announced.
    touched: usize,
    /// What of that was not announced.
    unannounced: Vec<Touch>,
    /// What it changed although `builtin:readonly` allows it.
    changed: Vec<Touch>,
}

impl Outcome {
    fn violates(&self) -> bool {
        !self.unannounced.is_empty() || !self.changed.is_empty()
    }
}

/// What came of one program.
#[derive(Debug)]
struct Exercised {
    results: Vec<Outcome>,
    refused: usize,
}

/// Runs command lines of a program until enough of them touched something, or many did not.
fn exercise(stand: &Stand, mut chooser: Chooser<'_>) -> io::Result<Exercised> {
    let mut results = Vec::new();
    let (mut touching, mut waited) = (0, 0);
    while touching < chooser.number
        && waited < WAITS
        && results.len() < chooser.number * if touching > 0 { PATIENT } else { IMPATIENT }
    {
        let Some(line) = chooser.next() else { break };
        let touches = stand.run(&line.words)?;
        let result = judge(line, touches);
        waited += usize::from(!result.traced);
        touching += usize::from(result.touched > 0 && result.line.said.is_some());
        results.push(result);
    }
    Ok(Exercised {
        results,
        refused: chooser.refused,
    })
}

fn judge(line: Line, touches: Option<BTreeSet<Touch>>) -> Outcome {
    let traced = touches.is_some();
    let touches: Vec<_> = touches.into_iter().flatten().map(plain_program).collect();
    let changed = touches
        .iter()
        .filter(|touch| line.readonly && changes(touch))
        .cloned()
        .collect();
    let counted: Vec<_> = touches
        .into_iter()
        .filter(|touch| matters(touch, &line.words))
        .collect();
    let touched = counted.len();
    let unannounced = match &line.said {
        Some(said) => counted.into_iter().filter(|touch| !said.covers(touch)).collect(),
        None => Vec::new(),
    };
    Outcome {
        line,
        traced,
        touched,
        unannounced,
        changed,
    }
}

fn show(out: &mut impl Write, result: &Outcome) -> io::Result<()> {
    writeln!(out, "violation: {}", readonly::quote(&result.line.words))?;
    for touch in &result.unannounced {
        writeln!(out, "  not announced: {touch:?}")?;
    }
    for touch in &result.changed {
        writeln!(out, "  allowed as reading only: {touch:?}")?;
    }
    for announced in result.line.said.iter().flat_map(cover::Said::shown) {
        writeln!(out, "  announced: {announced}")?;
    }
    Ok(())
}

/// Reading the system, temporary files, caches and devices are programs' own business.
fn matters(touch: &Touch, words: &[String]) -> bool {
    let own = |path: &str| {
        CACHES.iter().any(|place| path.starts_with(place))
            || ["/tmp/", "/dev/", "/proc/", "/var/tmp/"]
                .iter()
                .any(|place| path.starts_with(place))
            || path == "/tmp"
    };
    match touch {
        Touch::Read(path) => {
            path.starts_with(HOME) && !DIRECTORIES.contains(&path.as_str()) && !is_repository(path)
        }
        Touch::List(path) => path.starts_with(HOME) && !own(path) && !is_repository(path),
        Touch::Write(path) | Touch::Delete(path) => !own(path),
        Touch::Execute(argv) => argv
            .first()
            .is_some_and(|name| RUN_PROGRAMS.contains(&name.as_str()) && names(words, name)),
        Touch::Connect(_) => true,
    }
}

/// Version control reads its own files to answer anything at all, and so do programs that ask what it ignores.
fn is_repository(path: &str) -> bool {
    path.strip_prefix(DIRECTORY)
        .and_then(|rest| rest.strip_prefix("/.git"))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a command line speaks of a program.
fn names(words: &[String], program: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    words
        .iter()
        .skip(1)
        .any(|word| word.split(|found| !letter(found)).any(|part| part == program))
}

/// Whether something is another way than before: temporary files and caches that stay count, too.
fn changes(touch: &Touch) -> bool {
    match touch {
        Touch::Write(path) | Touch::Delete(path) => !["/dev/", "/proc/"]
            .iter()
            .chain(RUNTIME)
            .any(|place| path.starts_with(place)),
        Touch::Connect(_) => true,
        Touch::Read(_) | Touch::List(_) | Touch::Execute(_) => false,
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
