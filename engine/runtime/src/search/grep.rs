//! Searches the contents of files, and stops as soon as the answer is known.
//!
//! Files that hold a match are listed newest first: times are asked for first, then files are searched in that order, so that a limit
//! ends the search. Lines and counts come in the order of paths, while the tree is still being read.
//!
//! Invariants: the answer is the same whatever thread is faster; no file is opened that the caller's filter refuses.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::answer::{Found, GrepAnswer, joined, shown, text_of};
use super::error::{RootProblem, SearchError};
use super::glob::{missed, newest};
use super::ignored::Rules;
use super::limits::{ANSWER_BYTES, FILES_TOGETHER, HELD_BYTES};
use super::open::{Root, RootKind};
use super::pattern::compile;
use super::queue::{Accept, Key, Weighed, run};
use super::request::{GrepRequest, OutputMode};
use super::sink::{Any, Lines, Total};
use super::tree::{Folder, Kind, Listing, Tree, Visible};

/// Searches `root` for a regular expression.
///
/// `root` is a file or a folder, absolute and resolved as it was when it was decided; `visible` says of an absolute path whether it may
/// be seen; `cancel` ends the search.
pub fn grep(
    request: &GrepRequest,
    root: &Path,
    visible: &Visible<'_>,
    cancel: &AtomicBool,
) -> Result<GrepAnswer, SearchError> {
    let matcher = compile(request)?;
    let opened = Root::open(root)?;
    let rules = Rules::new(
        &request.scope,
        opened.folder(),
        request.glob.as_deref(),
        request.file_type.as_deref(),
    )?;
    let tree = Tree::new(&opened, &rules, visible, cancel);
    let stop = AtomicBool::new(false);
    let search = Search {
        request,
        matcher: &matcher,
        tree: &tree,
        stop: &stop,
    };
    let page = match opened.kind() {
        RootKind::Folder => match request.mode {
            OutputMode::FilesWithMatches => search.newest_first(),
            OutputMode::Content | OutputMode::Count => search.by_path(),
        },
        RootKind::File(name) => {
            if !visible(root) {
                return Err(SearchError::Root {
                    path: root.to_path_buf(),
                    problem: RootProblem::NotVisible,
                });
            }
            search.one(name)
        }
    };
    if tree.cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut missed = missed(&tree);
    missed.bytes = page.end == Some(End::Size);
    let cut_at = (page.end == Some(End::Limit)).then_some(request.head_limit);
    Ok(GrepAnswer {
        found: page.found(request.mode),
        cut_at,
        offset: request.offset,
        missed,
    })
}

/// What one file gives.
#[derive(Debug)]
enum Hit {
    Lines(Vec<u8>),
    File(String),
    Count(String, u64),
}

/// What files that are taken up together give.
#[derive(Debug, Default)]
struct Hits(Vec<Hit>);

impl Weighed for Hits {
    fn bytes(&self) -> usize {
        self.0.iter().map(Hit::bytes).sum()
    }
}

impl Hit {
    fn bytes(&self) -> usize {
        match self {
            Self::Lines(text) => text.len(),
            Self::File(path) | Self::Count(path, _) => path.len(),
        }
    }
}

/// A piece of the work of a search by path.
#[derive(Debug)]
enum Piece {
    Read(Folder),
    Search { below: PathBuf, names: Vec<PathBuf> },
}

/// What a thread keeps between files.
#[derive(Debug)]
struct Memory {
    searcher: Searcher,
    matcher: RegexMatcher,
    listing: Listing,
}

#[derive(Clone, Copy)]
struct Search<'a> {
    request: &'a GrepRequest,
    matcher: &'a RegexMatcher,
    tree: &'a Tree<'a>,
    stop: &'a AtomicBool,
}

impl Search<'_> {
    fn memory(&self, binary: BinaryDetection) -> Memory {
        let content = self.request.mode == OutputMode::Content;
        let searcher = SearcherBuilder::new()
            .binary_detection(binary)
            .heap_limit(Some(HELD_BYTES))
            .line_number(content && self.request.line_numbers)
            .multi_line(self.request.multiline)
            .before_context(if content { self.request.lines_before() } else { 0 })
            .after_context(if content { self.request.lines_after() } else { 0 })
            .build();
        Memory {
            searcher,
            matcher: self.matcher.clone(),
            listing: Listing::new(),
        }
    }

    fn page(&self) -> Page {
        let context = self.request.lines_before() > 0 || self.request.lines_after() > 0;
        let separated = self.request.mode == OutputMode::Content && context;
        Page {
            skip: self.request.offset,
            left: limit(self.request),
            separated,
            ..Page::default()
        }
    }

    /// A file that the caller named; it is searched whatever its name, and says when it is binary.
    fn one(&self, name: &Path) -> Page {
        let mut page = self.page();
        let mut memory = self.memory(BinaryDetection::convert(0));
        if let Some(hit) = self.file(&mut memory, name) {
            page.take(hit);
        }
        page
    }

    fn by_path(&self) -> Page {
        let mut page = self.page();
        run(
            vec![(Key::from([].as_slice()), Piece::Read(self.tree.start()))],
            self.stop,
            || self.memory(BinaryDetection::quit(0)),
            |memory, key, piece, more| match piece {
                Piece::Read(folder) => {
                    self.tree.list(&folder, &mut memory.listing);
                    memory.listing.sort();
                    take_up(&memory.listing, &folder, key, more);
                    None
                }
                Piece::Search { below, names } => {
                    let hits: Vec<Hit> = names
                        .iter()
                        .filter_map(|name| self.file(memory, &below.join(name)))
                        .collect();
                    (!hits.is_empty()).then_some(Hits(hits))
                }
            },
            |hits: Hits| page.take_all(hits),
        );
        page
    }

    fn newest_first(&self) -> Page {
        let mut page = self.page();
        let files: Vec<PathBuf> = newest(self.tree, None)
            .into_sorted()
            .into_iter()
            .map(|file| file.below)
            .collect();
        let together = files.chunks(FILES_TOGETHER).enumerate();
        let pieces = together
            .map(|(number, files)| (Key::from(number.to_be_bytes().as_slice()), files))
            .collect();
        run(
            pieces,
            self.stop,
            || self.memory(BinaryDetection::quit(0)),
            |memory, _, files: &[PathBuf], _| {
                let hits: Vec<Hit> = files
                    .iter()
                    .filter_map(|below| self.file(memory, below))
                    .collect();
                (!hits.is_empty()).then_some(Hits(hits))
            },
            |hits: Hits| page.take_all(hits),
        );
        page
    }

    /// Searches one file; none when nothing in it matches, or when it cannot be read.
    fn file(&self, memory: &mut Memory, below: &Path) -> Option<Hit> {
        if self.stop.load(Ordering::Relaxed) || self.tree.cancelled() {
            return None;
        }
        let Ok(opened) = self.tree.root.open_file(below) else {
            self.tree.miss();
            return None;
        };
        self.tree.opened.fetch_add(1, Ordering::Relaxed);
        let from = Interruptible {
            file: opened,
            cancel: self.tree.cancel,
            stop: self.stop,
        };
        let path = || {
            let path = joined(self.tree.root.folder(), below);
            text_of(shown(&path, self.request.scope.shown_from.as_deref()))
        };
        let Memory {
            searcher, matcher, ..
        } = memory;
        let hit = match self.request.mode {
            OutputMode::FilesWithMatches => {
                let mut any = Any::default();
                searcher
                    .search_reader(&*matcher, from, &mut any)
                    .map(|()| any.found.then(|| Hit::File(path())))
            }
            OutputMode::Count => {
                let mut total = Total::new(searcher, matcher);
                searcher
                    .search_reader(&*matcher, from, &mut total)
                    .map(|()| (total.count > 0).then(|| Hit::Count(path(), total.count)))
            }
            OutputMode::Content => {
                let path = path();
                let mut lines = Lines::new(path.as_bytes(), self.request.line_numbers, self.request.wanted());
                searcher
                    .search_reader(&*matcher, from, &mut lines)
                    .map(|()| (lines.written > 0).then_some(Hit::Lines(lines.text)))
            }
        };
        hit.unwrap_or_else(|_| {
            self.tree.miss();
            None
        })
    }
}

/// Puts what a folder holds into pieces of work, in the order of names; files between two folders are taken up together.
fn take_up(listing: &Listing, folder: &Folder, key: &Key, more: &mut Vec<(Key, Piece)>) {
    let mut files: Vec<PathBuf> = Vec::new();
    let place = |name: &[u8]| -> Key {
        // Zero sorts before whatever a name may hold, so that what lies in a folder stands before the name that follows it.
        let below: &[u8] = if key.is_empty() { &[] } else { &[0] };
        [key, below, name].concat().into()
    };
    let flush = |files: &mut Vec<PathBuf>, more: &mut Vec<(Key, Piece)>| {
        if let Some(first) = files.first() {
            let at = place(first.as_os_str().as_bytes());
            more.push((
                at,
                Piece::Search {
                    below: folder.below.clone(),
                    names: std::mem::take(files),
                },
            ));
        }
    };
    for (name, kind) in listing.iter() {
        match kind {
            Kind::File => {
                files.push(PathBuf::from(name));
                if files.len() >= FILES_TOGETHER {
                    flush(&mut files, more);
                }
            }
            Kind::Folder => {
                flush(&mut files, more);
                more.push((place(name.as_bytes()), Piece::Read(listing.enter(folder, name))));
            }
        }
    }
    flush(&mut files, more);
}

fn limit(request: &GrepRequest) -> usize {
    if request.head_limit == 0 {
        usize::MAX
    } else {
        request.head_limit
    }
}

/// A file whose reading ends with the search; what is not read any more counts as its end.
struct Interruptible<'a> {
    file: File,
    cancel: &'a AtomicBool,
    stop: &'a AtomicBool,
}

impl Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed) {
            return Ok(0);
        }
        self.file.read(buffer)
    }
}

/// Why no more results are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The limit was reached, and there is more.
    Limit,
    /// The answer has grown too large.
    Size,
}

/// The results that are asked for, out of all that come.
#[derive(Debug, Default)]
struct Page {
    skip: usize,
    left: usize,
    separated: bool,
    any: bool,
    end: Option<End>,
    bytes: usize,
    content: Vec<u8>,
    files: Vec<String>,
    counts: Vec<(String, u64)>,
}

impl Page {
    fn take_all(&mut self, hits: Hits) -> Accept {
        for hit in hits.0 {
            if self.take(hit) == Accept::Enough {
                return Accept::Enough;
            }
        }
        Accept::More
    }

    fn take(&mut self, hit: Hit) -> Accept {
        self.bytes = self.bytes.saturating_add(hit.bytes());
        match hit {
            Hit::Lines(text) => {
                if self.separated && self.any {
                    self.line(b"--\n");
                }
                self.any = true;
                for line in text.split_inclusive(|byte| *byte == b'\n') {
                    if self.end.is_some() {
                        break;
                    }
                    self.line(line);
                }
            }
            Hit::File(path) => {
                if self.counts_in() {
                    self.files.push(path);
                }
            }
            Hit::Count(path, count) => {
                if self.counts_in() {
                    self.counts.push((path, count));
                }
            }
        }
        if self.end.is_none() && self.bytes > ANSWER_BYTES {
            self.end = Some(End::Size);
        }
        if self.end.is_some() {
            Accept::Enough
        } else {
            Accept::More
        }
    }

    fn line(&mut self, line: &[u8]) {
        if self.counts_in() {
            self.content.extend_from_slice(line);
        }
    }

    /// Whether the next result is on the page.
    fn counts_in(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.end = Some(End::Limit);
                false
            }
        }
    }

    fn found(self, mode: OutputMode) -> Found {
        match mode {
            OutputMode::Content => Found::Content(String::from_utf8_lossy(&self.content).into_owned()),
            OutputMode::FilesWithMatches => Found::Files(self.files),
            OutputMode::Count => Found::Counts(self.counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, SystemTime};

    /// 40 folders of 20 files, each with one matching line; the higher its number, the newer a file.
    fn many() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for number in 0..800 {
            let inner = root.join(format!("{:02}", number / 20));
            fs::create_dir_all(&inner).unwrap();
            let file = File::create(inner.join(format!("{number:03}"))).unwrap();
            fs::write(inner.join(format!("{number:03}")), "needle\n").unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + number))
                .unwrap();
        }
        (folder, root)
    }

    /// The text of the answer and how many files were opened for it.
    fn opened(request: &GrepRequest, root: &Path, visible: &Visible<'_>) -> (String, usize) {
        let cancel = AtomicBool::new(false);
        let held = Root::open(root).unwrap();
        let rules = Rules::new(&request.scope, root, None, None).unwrap();
        let tree = Tree::new(&held, &rules, visible, &cancel);
        let matcher = compile(request).unwrap();
        let stop = AtomicBool::new(false);
        let search = Search {
            request,
            matcher: &matcher,
            tree: &tree,
            stop: &stop,
        };
        let page = if request.mode == OutputMode::FilesWithMatches {
            search.newest_first()
        } else {
            search.by_path()
        };
        let cut_at = (page.end == Some(End::Limit)).then_some(request.head_limit);
        let answer = GrepAnswer {
            found: page.found(request.mode),
            cut_at,
            offset: request.offset,
            missed: missed(&tree),
        };
        (answer.text(), tree.opened.load(Ordering::Relaxed))
    }

    #[test]
    fn a_search_ends_at_its_limit() {
        let (_kept, root) = many();
        for mode in [
            OutputMode::Content,
            OutputMode::FilesWithMatches,
            OutputMode::Count,
        ] {
            let request = GrepRequest {
                mode,
                head_limit: 5,
                ..GrepRequest::new("needle")
            };
            let (text, files) = opened(&request, &root, &|_| true);
            assert!((6..400).contains(&files), "{mode:?}: {files} files for\n{text}");
            assert_eq!(
                opened(
                    &GrepRequest {
                        head_limit: 0,
                        ..request
                    },
                    &root,
                    &|_| true
                )
                .1,
                800
            );
        }
    }

    #[test]
    fn a_file_that_may_not_be_seen_is_not_opened() {
        let (_kept, root) = many();
        let hidden = |path: &Path| !path.to_string_lossy().ends_with('7');
        for mode in [
            OutputMode::Content,
            OutputMode::FilesWithMatches,
            OutputMode::Count,
        ] {
            let request = GrepRequest {
                mode,
                head_limit: 0,
                ..GrepRequest::new("needle")
            };
            let (text, files) = opened(&request, &root, &hidden);
            assert_eq!(files, 720);
            assert!(!text.contains("007"), "{text}");
        }
    }
}
