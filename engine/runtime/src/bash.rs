//! Runs shell texts and programs that were decided: streamed, bounded, and ended with everything they started.
//!
//! It knows nothing of tools, sessions or policies. Invariants: `as decided` (`request`), `exactly the text` (`prologue`), `posix_spawn`
//! (`spawn`), `bounded` (`capture`), `no hang` (`pump`), `always an end` (`run`).

mod cancel;
mod capture;
mod contain;
mod directory;
mod environment;
mod limits;
mod mark;
mod os;
mod picture;
mod prologue;
mod pump;
mod reading;
mod request;
mod run;
mod session;
mod spawn;
mod start;
mod tasks;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub use cancel::Cancel;
pub use capture::{Captured, Written};
pub use contain::end_at_once;
pub use directory::{Settled, settle};
pub use environment::environment;
pub use limits::{
    BLOCK_BYTES, DEFAULT_BUDGET_BYTES, DEFAULT_FILE_BYTES, DEFAULT_TIMEOUT, GRACE, MOST_TIMEOUT, PROGRESS,
    PROGRESS_TAIL_BYTES,
};
pub use picture::{Picture, PictureKind, picture};
pub use reading::{Class, MOST_SLEEP, Reading, reading};
pub use request::{Reports, Request, Streams, Timeout, TimeoutError, Work};
pub use run::{End, Finished, Progress, Running};
pub use session::{Session, SessionAnswer, SessionBounds, SessionEnd};
pub use spawn::StartError;
pub use start::{NoSandbox, Sandbox, SandboxError, Start};
pub use tasks::{NoTask, TaskId, TaskView, Tasks};

use contain::Container;
use mark::{Marks, Meant};
use os::CgroupRoot;

/// Whether runs get control groups of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlGroups {
    /// Where the engine may make them.
    #[default]
    WherePossible,
    /// Never: runs are found by their marks alone.
    Never,
}

/// How commands are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The shell, an absolute path to bash.
    pub shell: PathBuf,
    /// What programs are started within.
    pub sandbox: Arc<dyn Sandbox>,
    /// Whether runs get control groups.
    pub control_groups: ControlGroups,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shell: "/bin/bash".into(),
            sandbox: Arc::new(NoSandbox),
            control_groups: ControlGroups::default(),
        }
    }
}

/// Starts runs. Clones are the same thing.
#[derive(Clone, Debug)]
pub struct Bash {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shell: PathBuf,
    sandbox: Arc<dyn Sandbox>,
    cgroups: Option<CgroupRoot>,
    limits_mark: bool,
    marks: Marks,
    /// Runs that left something behind when they ended.
    left: Mutex<Vec<Arc<Container>>>,
}

impl Bash {
    /// Prepares this process: from here on it adopts the orphans of what it starts.
    ///
    /// # Errors
    ///
    /// Fails where the system does not let a process adopt orphans.
    pub fn new(settings: Settings) -> io::Result<Self> {
        os::adopt_orphans()?;
        let cgroups = match settings.control_groups {
            ControlGroups::WherePossible => CgroupRoot::find(),
            ControlGroups::Never => None,
        };
        let inner = Inner {
            shell: settings.shell,
            sandbox: settings.sandbox,
            cgroups,
            limits_mark: os::limits_can_mark(),
            marks: Marks::new(),
            left: Mutex::new(Vec::new()),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The shell that texts are run with.
    #[must_use]
    pub fn shell(&self) -> &std::path::Path {
        &self.inner.shell
    }

    /// Starts a run. Has to be called within a tokio runtime with time and I/O.
    ///
    /// # Errors
    ///
    /// Fails if nothing could be started; see [`StartError`].
    pub fn start(&self, request: Request) -> Result<Running, StartError> {
        Running::start(Arc::clone(&self.inner), request)
    }

    /// Ends everything that was started here: runs that still run, and what others left running. For the end of a session.
    pub async fn end_everything(&self) {
        let left = std::mem::take(&mut *self.inner.left());
        for container in left {
            container.end_rest().await;
        }
        let all = Meant::AllWith(self.inner.marks.fresh());
        Arc::new(Container::new(all, None)).end_rest().await;
    }
}

impl Inner {
    fn left(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Container>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what a run has left behind, as long as there is something.
    fn leave(&self, container: Arc<Container>) {
        let mut left = self.left();
        left.retain(|container| container.is_populated());
        if container.is_populated() {
            left.push(container);
        }
    }
}
