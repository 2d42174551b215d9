//! Runs in the background: under an id, with their output in a file, to be asked for and to be stopped.
//!
//! Invariant (kept alive): a task runs until it ends by itself, is stopped, or the register is dropped.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::cancel::Cancel;
use super::capture::Captured;
use super::pump::{Shared, lock};
use super::run::{Finished, Progress, Running};

/// Names a task: `bash_1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(u64);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bash_{}", self.0)
    }
}

/// A text that names no task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no task has the id `{0}`")]
pub struct NoTask(pub String);

impl FromStr for TaskId {
    type Err = NoTask;

    fn from_str(text: &str) -> Result<Self, NoTask> {
        text.strip_prefix("bash_")
            .and_then(|number| number.parse().ok())
            .map(Self)
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| NoTask(text.to_owned()))
    }
}

/// What is known of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// Its id.
    pub id: TaskId,
    /// What it runs, for a person.
    pub label: String,
    /// Its output so far: beginning and end in memory, all of it in the file.
    pub output: Captured,
    /// The file that its output goes to.
    pub file: Option<PathBuf>,
    /// Its end, if it has come.
    pub finished: Option<Arc<Finished>>,
}

/// The tasks of a session. Clones are the same register.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    inner: Arc<Mutex<Register>>,
}

#[derive(Debug, Default)]
struct Register {
    last: u64,
    tasks: BTreeMap<TaskId, Task>,
}

/// What is kept of a task. The run itself is kept as long as the register is.
#[derive(Debug)]
struct Task {
    label: String,
    file: Option<PathBuf>,
    run: Arc<Running>,
    output: Shared,
    finished: watch::Receiver<Option<Arc<Finished>>>,
    cancel: Cancel,
}

impl Tasks {
    /// Takes a run to the background: no timeout ends it any more, and its whole output goes to the file of its request.
    pub fn adopt(&self, run: Running, label: impl Into<String>) -> TaskId {
        run.to_background();
        let mut register = self.register();
        register.last += 1;
        let id = TaskId(register.last);
        let (output, finished, cancel) = run.parts();
        let task = Task {
            label: label.into(),
            file: run.file().cloned(),
            run: Arc::new(run),
            output,
            finished,
            cancel,
        };
        register.tasks.insert(id, task);
        id
    }

    /// Every task, in the order in which they were started.
    #[must_use]
    pub fn list(&self) -> Vec<TaskView> {
        let register = self.register();
        register.tasks.iter().map(|(id, task)| view(*id, task)).collect()
    }

    /// What is known of a task; with `wait`, only when it has ended or this time has passed.
    ///
    /// # Errors
    ///
    /// Fails if there is no such task.
    pub async fn output(&self, id: TaskId, wait: Option<Duration>) -> Result<TaskView, NoTask> {
        let mut finished = self.with(id, |task| task.finished.clone())?;
        if let Some(wait) = wait {
            // Late or ended without a word: the view says which.
            let _late = tokio::time::timeout(wait, finished.wait_for(Option::is_some)).await;
        }
        self.with(id, |task| view(id, task))
    }

    /// Events of progress of a task.
    ///
    /// # Errors
    ///
    /// Fails if there is no such task.
    pub fn watch(&self, id: TaskId) -> Result<watch::Receiver<Progress>, NoTask> {
        let run = self.with(id, |task| Arc::clone(&task.run))?;
        Ok(run.watch())
    }

    /// Ends a task with everything it started, and waits for that.
    ///
    /// # Errors
    ///
    /// Fails if there is no such task.
    pub async fn stop(&self, id: TaskId) -> Result<TaskView, NoTask> {
        let mut finished = self.with(id, |task| {
            task.cancel.cancel();
            task.finished.clone()
        })?;
        // Its driver is gone only when the engine goes down.
        let _gone = finished.wait_for(Option::is_some).await;
        self.with(id, |task| view(id, task))
    }

    /// Forgets a task that has ended. True if there was one.
    #[must_use]
    pub fn forget(&self, id: TaskId) -> bool {
        let mut register = self.register();
        let ended = register
            .tasks
            .get(&id)
            .is_some_and(|task| task.finished.borrow().is_some());
        ended && register.tasks.remove(&id).is_some()
    }

    fn with<T>(&self, id: TaskId, see: impl FnOnce(&Task) -> T) -> Result<T, NoTask> {
        let register = self.register();
        register
            .tasks
            .get(&id)
            .map(see)
            .ok_or_else(|| NoTask(id.to_string()))
    }

    fn register(&self) -> MutexGuard<'_, Register> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn view(id: TaskId, task: &Task) -> TaskView {
    TaskView {
        id,
        label: task.label.clone(),
        output: lock(&task.output).captured(),
        file: task.file.clone(),
        finished: task.finished.borrow().clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::TaskId;

    #[test]
    fn ids_are_read_as_they_are_written() {
        let id: TaskId = "bash_12".parse().expect("an id");
        assert_eq!(id.to_string(), "bash_12");
        for no in ["bash_", "bash_+1", "bash_01", "12", "sh_1"] {
            assert!(no.parse::<TaskId>().is_err(), "{no}");
        }
    }
}
