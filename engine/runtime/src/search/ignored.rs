//! Which files are looked for: names, types, hidden ones, and what ignore files say.
//!
//! The order is ripgrep's: a pattern that was asked for decides alone; then ignore files, the nearest first; then the type; then
//! whether the name is hidden. Ignore files are read here, not by the library, so that none is followed through a link, waited
//! for, or read beyond its limit.
//!
//! Invariant: nothing here lets a file be seen that the caller's filter refuses; it can only leave files out.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::error::SearchError;
use super::limits::{IGNORE_FILE_BYTES, IGNORE_WORK, IGNORE_WORK_HERE};
use super::open::{Root, open_absolute};
use super::request::Scope;

/// Folders in which version control keeps what is its own.
const VERSION_CONTROL: [&[u8]; 6] = [b".git", b".svn", b".hg", b".bzr", b".jj", b".sl"];

/// What holds for all of one search.
#[derive(Debug)]
pub(super) struct Rules {
    asked: Override,
    types: Types,
    hidden: bool,
    follow: bool,
    own: Option<Gitignore>,
    work_left: AtomicUsize,
    not_followed: AtomicUsize,
}

/// What the ignore files of a folder and of those above it say.
#[derive(Debug, Default)]
pub(super) struct Level {
    above: Option<Arc<Level>>,
    ripgrep: Option<Gitignore>,
    plain: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// A repository starts here: what `.gitignore` files above say ends.
    repository: bool,
    /// It starts here or above.
    within_repository: bool,
    /// What the lines that hold here cost.
    work: usize,
}

/// Entries of a folder that change what is ignored in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of names, each there or not")]
pub(super) struct Marks {
    ripgrep: bool,
    plain: bool,
    gitignore: bool,
    git: bool,
    jj: bool,
}

impl Marks {
    /// Notes a name of a folder.
    pub(super) fn note(&mut self, name: &[u8]) {
        match name {
            b".rgignore" => self.ripgrep = true,
            b".ignore" => self.plain = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            b".jj" => self.jj = true,
            _ => {}
        }
    }
}

impl Rules {
    /// Reads what a request asks for; `folder` is what its patterns are relative to.
    pub(super) fn new(
        scope: &Scope,
        folder: &Path,
        glob: Option<&str>,
        file_type: Option<&str>,
    ) -> Result<Self, SearchError> {
        let rules = Self {
            asked: asked(folder, glob)?,
            types: types(file_type)?,
            hidden: scope.hidden,
            follow: scope.ignore_files,
            own: None,
            work_left: AtomicUsize::new(IGNORE_WORK),
            not_followed: AtomicUsize::new(0),
        };
        let own = scope.own_ignore_file.as_deref().filter(|_| scope.ignore_files);
        let own = own.and_then(|path| rules.read(folder, open_absolute(path).ok()?, &mut 0));
        Ok(Self { own, ..rules })
    }

    /// Ignore files that were too large to be followed.
    pub(super) fn not_followed(&self) -> usize {
        self.not_followed.load(Ordering::Relaxed)
    }

    /// What the folders above the one that is searched say.
    pub(super) fn above(&self, folder: &Path, visible: &dyn Fn(&Path) -> bool) -> Arc<Level> {
        let mut level = Arc::new(Level::default());
        if !self.follow {
            return level;
        }
        let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
        above.reverse();
        for folder in above {
            let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
            let marks = Marks {
                ripgrep: has(".rgignore"),
                plain: has(".ignore"),
                gitignore: has(".gitignore"),
                git: has(".git"),
                jj: has(".jj"),
            };
            level = self.enter(&level, folder, marks, visible, |name| {
                open_absolute(&folder.join(name)).ok()
            });
        }
        level
    }

    /// What holds in a folder of the tree, given what holds above it.
    pub(super) fn below(
        &self,
        level: &Arc<Level>,
        root: &Root,
        below: &Path,
        marks: Marks,
        visible: &dyn Fn(&Path) -> bool,
    ) -> Arc<Level> {
        if !self.follow || marks == Marks::default() {
            return Arc::clone(level);
        }
        self.enter(level, &root.folder().join(below), marks, visible, |name| {
            root.open_file(&below.join(name)).ok()
        })
    }

    fn enter(
        &self,
        above: &Arc<Level>,
        folder: &Path,
        marks: Marks,
        visible: &dyn Fn(&Path) -> bool,
        open: impl Fn(&str) -> Option<File>,
    ) -> Arc<Level> {
        let mut work = above.work;
        let mut read = |there: bool, name: &str| {
            let shown = there && visible(&folder.join(name));
            if shown {
                self.read(folder, open(name)?, &mut work)
            } else {
                None
            }
        };
        let repository = marks.git || marks.jj;
        let mut level = Level {
            ripgrep: read(marks.ripgrep, ".rgignore"),
            plain: read(marks.plain, ".ignore"),
            git: read(marks.gitignore, ".gitignore"),
            exclude: read(marks.git, ".git/info/exclude"),
            repository,
            within_repository: repository || above.within_repository,
            above: Some(Arc::clone(above)),
            work: 0,
        };
        level.work = work;
        if !repository
            && [&level.ripgrep, &level.plain, &level.git, &level.exclude]
                .iter()
                .all(|rules| rules.is_none())
        {
            return Arc::clone(above);
        }
        Arc::new(level)
    }

    /// Reads an ignore file, and adds what its lines cost. Lines that are no patterns are passed over, as git does.
    fn read(&self, folder: &Path, file: File, work: &mut usize) -> Option<Gitignore> {
        let mut text = Vec::new();
        file.take(IGNORE_FILE_BYTES + 1).read_to_end(&mut text).ok()?;
        let cost: usize = text.split(|byte| *byte == b'\n').map(cost).sum();
        let too_large = u64::try_from(text.len()).unwrap_or(u64::MAX) > IGNORE_FILE_BYTES;
        let left = |left: usize| left.checked_sub(cost);
        if too_large
            || work.saturating_add(cost) > IGNORE_WORK_HERE
            || self
                .work_left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left)
                .is_err()
        {
            self.not_followed.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        *work += cost;
        let mut builder = GitignoreBuilder::new(folder);
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Ok(line) = std::str::from_utf8(line) {
                // A line that is no pattern ignores nothing.
                let _ = builder.add_line(None, line);
            }
        }
        builder.build().ok().filter(|rules| !rules.is_empty())
    }

    /// Whether a file is looked for, or a folder entered. `path` is absolute and ends with `name`.
    pub(super) fn keeps(&self, level: &Level, path: &Path, name: &[u8], is_folder: bool) -> bool {
        if is_folder && VERSION_CONTROL.contains(&name) {
            return false;
        }
        match self.asked.matched(path, is_folder) {
            Match::Ignore(_) => return false,
            Match::Whitelist(_) => return true,
            Match::None => {}
        }
        let mut kept = false;
        if self.follow {
            match self.ignored(level, path, is_folder) {
                Some(true) => return false,
                Some(false) => kept = true,
                None => {}
            }
        }
        match self.types.matched(Path::new(OsStr::from_bytes(name)), is_folder) {
            Match::Ignore(_) => return false,
            Match::Whitelist(_) => kept = true,
            Match::None => {}
        }
        kept || self.hidden || !name.starts_with(b".")
    }

    /// What the nearest ignore file of the strongest kind that says something says.
    fn ignored(&self, level: &Level, path: &Path, is_folder: bool) -> Option<bool> {
        let mut said: [Option<bool>; 4] = [None; 4];
        let [ripgrep, plain, git, exclude] = &mut said;
        let mut left_repository = false;
        let mut here = Some(level);
        while let Some(level) = here {
            says(ripgrep, level.ripgrep.as_ref(), path, is_folder);
            says(plain, level.plain.as_ref(), path, is_folder);
            if level.within_repository && !left_repository {
                says(git, level.git.as_ref(), path, is_folder);
                says(exclude, level.exclude.as_ref(), path, is_folder);
            }
            left_repository |= level.repository;
            here = level.above.as_deref();
        }
        let mut own = None;
        if level.within_repository {
            says(&mut own, self.own.as_ref(), path, is_folder);
        }
        said.into_iter().flatten().next().or(own)
    }
}

/// What a line costs: most are names or endings that are looked up; a pattern with more in it is a regular expression, which is
/// compiled, and tried on each name.
fn cost(line: &[u8]) -> usize {
    const EXPRESSION: usize = 50;
    let inner = line.strip_prefix(b"!").unwrap_or(line);
    let inner = inner
        .strip_prefix(b"**/")
        .or_else(|| inner.strip_prefix(b"*"))
        .unwrap_or(inner);
    let inner = inner
        .strip_suffix(b"/**")
        .or_else(|| inner.strip_suffix(b"/*"))
        .unwrap_or(inner);
    if inner.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{')) {
        EXPRESSION.max(line.len())
    } else {
        1
    }
}

/// Asks a file unless a nearer one of its kind has said something.
fn says(said: &mut Option<bool>, rules: Option<&Gitignore>, path: &Path, is_folder: bool) {
    let Some(rules) = rules.filter(|_| said.is_none()) else {
        return;
    };
    *said = match rules.matched(path, is_folder) {
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
        Match::None => None,
    };
}

fn asked(folder: &Path, glob: Option<&str>) -> Result<Override, SearchError> {
    let Some(glob) = glob else {
        return Ok(Override::empty());
    };
    let wrong = |reason: String| SearchError::Glob {
        pattern: glob.to_owned(),
        reason,
    };
    if glob.is_empty() {
        return Err(wrong("it is empty".to_owned()));
    }
    if glob.len() > super::limits::PATTERN_BYTES {
        return Err(SearchError::Glob {
            pattern: glob.chars().take(200).collect(),
            reason: "it is too long".to_owned(),
        });
    }
    if glob
        .strip_prefix('!')
        .unwrap_or(glob)
        .split('/')
        .any(|part| part == "..")
    {
        return Err(wrong(
            "`..` leads out of the folder that is searched; name that folder as `path`".to_owned(),
        ));
    }
    let mut builder = OverrideBuilder::new(folder);
    builder
        .add(&relative(folder, glob))
        .map_err(|error| wrong(reason(&error)))?;
    builder.build().map_err(|error| wrong(reason(&error)))
}

/// A pattern that names the folder itself means what lies in it, and is anchored there.
fn relative(folder: &Path, glob: &str) -> String {
    let (not, rest) = glob.strip_prefix('!').map_or(("", glob), |rest| ("!", rest));
    let inner = folder
        .to_str()
        .and_then(|folder| rest.strip_prefix(folder))
        .filter(|inner| inner.starts_with('/'));
    match inner {
        Some(inner) => format!("{not}{inner}"),
        None => format!(
            "{not}{}",
            rest.strip_prefix("./")
                .map_or_else(|| rest.to_owned(), |rest| format!("/{rest}"))
        ),
    }
}

fn reason(error: &ignore::Error) -> String {
    if let ignore::Error::Glob { err, .. } = error {
        err.clone()
    } else {
        error.to_string()
    }
}

fn types(name: Option<&str>) -> Result<Types, SearchError> {
    let Some(name) = name else {
        return Ok(Types::empty());
    };
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    builder.build().map_err(|_| SearchError::UnknownType {
        name: name.to_owned(),
        nearest: nearest(&builder, name),
    })
}

fn nearest(builder: &TypesBuilder, name: &str) -> Vec<String> {
    const NEAR: f64 = 0.85;
    let extension = format!("*.{}", name.trim_start_matches("*.").trim_start_matches('.'));
    let mut scored: Vec<(f64, String)> = builder
        .definitions()
        .iter()
        .map(|known| {
            let by_extension = if known.globs().contains(&extension) {
                1.0
            } else {
                0.0
            };
            (
                strsim::jaro_winkler(name, known.name()).max(by_extension),
                known.name().to_owned(),
            )
        })
        .filter(|(score, known)| *score >= NEAR && known != "all")
        .collect();
    scored.sort_by(|(a, first), (b, second)| b.total_cmp(a).then_with(|| first.cmp(second)));
    scored.into_iter().take(3).map(|(_, known)| known).collect()
}
