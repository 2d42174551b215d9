//! Finds files by name: the newest first, without looking at files whose names do not fit.
//!
//! Invariant: only files that are kept for the answer's order are asked for their times, and none is opened.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::answer::{GlobAnswer, Missed, joined, shown, text_of};
use super::error::{RootProblem, SearchError};
use super::ignored::Rules;
use super::newest::{Dated, Newest};
use super::open::{Root, RootKind};
use super::queue::{Accept, Key, Weighed, run};
use super::request::GlobRequest;
use super::tree::{Kind, Listing, Tree, Visible};

/// No piece of this work has a result of its own.
struct Nothing;

impl Weighed for Nothing {
    fn bytes(&self) -> usize {
        0
    }
}

/// Lists the files below `root` whose names fit a pattern, newest first.
///
/// `root` is a folder, absolute and resolved as it was when it was decided; `visible` says of an absolute path whether it may be seen;
/// `cancel` ends the search.
pub fn glob(
    request: &GlobRequest,
    root: &Path,
    visible: &Visible<'_>,
    cancel: &AtomicBool,
) -> Result<GlobAnswer, SearchError> {
    let opened = Root::open(root)?;
    if *opened.kind() != RootKind::Folder {
        return Err(SearchError::Root {
            path: root.to_path_buf(),
            problem: RootProblem::NotAFolder,
        });
    }
    let rules = Rules::new(&request.scope, opened.folder(), Some(&request.pattern), None)?;
    let tree = Tree::new(&opened, &rules, visible, cancel);
    let newest = newest(&tree, Some(request.limit));
    if tree.cancelled() {
        return Err(SearchError::Cancelled);
    }
    let truncated = newest.met > request.limit;
    let from = request.scope.shown_from.as_deref();
    let files = newest
        .into_sorted()
        .into_iter()
        .map(|file| text_of(shown(&joined(opened.folder(), &file.below), from)))
        .collect();
    Ok(GlobAnswer {
        files,
        truncated,
        missed: missed(&tree),
    })
}

/// The newest files of a tree that are looked for; all of them where there is no limit.
pub(super) fn newest(tree: &Tree<'_>, limit: Option<usize>) -> Newest {
    let first = tree.start();
    let memories = run(
        vec![(Key::from([].as_slice()), first)],
        &AtomicBool::new(false),
        || (Listing::new(), Newest::new(limit)),
        |(listing, newest), _, folder, more| {
            tree.list(&folder, listing);
            for (name, kind) in listing.iter() {
                match kind {
                    Kind::Folder => {
                        let inner = listing.enter(&folder, name);
                        more.push((Key::from(inner.below.as_os_str().as_bytes()), inner));
                    }
                    Kind::File => {
                        newest.met += 1;
                        let least = newest.least();
                        let file = listing.handle().and_then(|handle| {
                            Dated::look(handle, Path::new(name), || folder.below.join(name), least)
                        });
                        if let Some(file) = file {
                            newest.add(file);
                        }
                    }
                }
            }
            None::<Nothing>
        },
        |_| Accept::More,
    );
    memories
        .into_iter()
        .map(|(_, newest)| newest)
        .fold(Newest::new(limit), Newest::merge)
}

/// What a walk could not look at.
pub(super) fn missed(tree: &Tree<'_>) -> Missed {
    Missed {
        unreadable: tree.unreadable.load(std::sync::atomic::Ordering::Relaxed),
        ignore_files: tree.rules.not_followed(),
        entries: tree.exhausted(),
        bytes: false,
        withheld: 0,
    }
}
