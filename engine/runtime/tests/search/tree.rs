//! Trees to search in, made anew for each test.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use engine_runtime::search::{
    GlobAnswer, GlobRequest, GrepAnswer, GrepRequest, Scope, SearchError, glob, grep,
};

/// A folder that goes with its test.
pub(crate) struct Tree {
    _kept: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let kept = tempfile::tempdir().unwrap();
        // A folder of its own, so that its name does not start with a full stop.
        let root = kept.path().canonicalize().unwrap().join("tree");
        fs::create_dir(&root).unwrap();
        Self { _kept: kept, root }
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes files, each a second newer than the one before.
    pub(crate) fn aged(files: &[(&str, &str)]) -> Self {
        let tree = Self::new();
        for (age, (name, text)) in (0_u64..).zip(files) {
            tree.file(name, text);
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + age);
            File::options()
                .append(true)
                .open(tree.root.join(name))
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        tree
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope {
            shown_from: Some(self.root.clone()),
            ..Scope::default()
        }
    }

    pub(crate) fn grep(&self, request: &GrepRequest) -> GrepAnswer {
        grep(request, &self.root, &|_| true, &AtomicBool::new(false)).unwrap()
    }

    pub(crate) fn glob(&self, pattern: &str) -> GlobAnswer {
        let request = GlobRequest {
            scope: self.scope(),
            ..GlobRequest::new(pattern)
        };
        glob(&request, &self.root, &|_| true, &AtomicBool::new(false)).unwrap()
    }

    pub(crate) fn request(&self, pattern: &str) -> GrepRequest {
        GrepRequest {
            scope: self.scope(),
            ..GrepRequest::new(pattern)
        }
    }
}

/// What keeps a search from answering.
pub(crate) fn refused(request: &GrepRequest, root: &Path) -> SearchError {
    grep(request, root, &|_| true, &AtomicBool::new(false)).unwrap_err()
}
