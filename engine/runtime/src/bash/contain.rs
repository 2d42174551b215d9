//! Ending a run with everything that it started, whatever that did to get away.
//!
//! Where the engine may make a control group, each run has one, which nothing leaves by forking; the kernel ends all of it at once.
//! Elsewhere the engine adopts orphans and finds what belongs to a run by its mark, its process group and its parents. Both are
//! done always, since a process with enough rights can leave a control group, too.
//!
//! Invariant (waited for once): what the engine started itself is waited for by its owner alone, what it adopted only here.

use std::collections::HashSet;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::process::Child;
use tokio::time::{Instant, sleep, timeout};

use super::limits::ENDING;
use super::mark::Meant;
use super::os::{self, Cgroup};

/// Time between two looks at what is left.
const LOOK: Duration = Duration::from_millis(10);

/// Scans without a finding after which nothing is left: a process that is born during a scan can be missed by it, but not its child by
/// the next one.
const EMPTY_SCANS: usize = 2;

/// The processes that the engine started itself and has not waited for.
static STARTED: Mutex<Option<HashSet<Pid>>> = Mutex::new(None);

/// Holds the processes that were started, so that none is taken for an orphan before it is noted.
pub(super) struct Starting(MutexGuard<'static, Option<HashSet<Pid>>>);

impl Starting {
    /// Nothing is waited for here until the value is dropped.
    pub(super) fn lock() -> Self {
        Self(STARTED.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what was started.
    pub(super) fn note(&mut self, process: Pid) {
        self.0.get_or_insert_default().insert(process);
    }

    /// Notes that its owner has waited for it.
    fn forget(&mut self, process: Pid) {
        self.0.get_or_insert_default().remove(&process);
    }

    /// Waits for adopted processes that ended.
    fn reap(&mut self) {
        os::reap_ended(self.0.get_or_insert_default());
    }
}

/// Ends everything that this process has started, at once, and waits for nothing. For a process that dies on the spot and drops nothing.
pub fn end_at_once() {
    let started = match STARTED.try_lock() {
        Ok(started) => started.clone().unwrap_or_default(),
        Err(TryLockError::Poisoned(started)) => started.into_inner().clone().unwrap_or_default(),
        // Whoever holds it may be what dies; what it started bears a mark.
        Err(TryLockError::WouldBlock) => HashSet::new(),
    };
    for leader in started {
        os::signal_group(leader, Signal::KILL);
    }
    for _ in 0..EMPTY_SCANS {
        for process in os::marked() {
            os::signal(process, Signal::KILL);
        }
    }
}

/// A run and everything that belongs to it.
#[derive(Debug)]
pub(super) struct Container {
    meant: Meant,
    cgroup: Option<Cgroup>,
    /// What was started, and with it its process group; none once it was waited for, since the number may be another's then.
    leader: Mutex<Option<Pid>>,
}

impl Container {
    /// For a run that is about to be started.
    pub(super) fn new(meant: Meant, cgroup: Option<Cgroup>) -> Self {
        Self {
            meant,
            cgroup,
            leader: Mutex::new(None),
        }
    }

    /// Notes what was started.
    pub(super) fn started(&self, leader: Pid) {
        *self.leader() = Some(leader);
    }

    /// Notes that what was started was waited for.
    pub(super) fn waited(&self) {
        let leader = self.leader().take();
        if let Some(leader) = leader {
            let mut started = Starting::lock();
            started.forget(leader);
            started.reap();
        }
    }

    /// Whether something is known to be left of it.
    pub(super) fn is_populated(&self) -> bool {
        self.cgroup.as_ref().is_some_and(Cgroup::is_populated)
    }

    /// Ends all of it: asks, waits for the grace time, then ends what is left. Answers how the started process ended, and how many
    /// could not be ended.
    pub(super) async fn end(
        self: &Arc<Self>,
        child: &mut Child,
        grace: Duration,
    ) -> (Option<ExitStatus>, usize) {
        self.look(Self::ask).await;
        let mut status = self.gone_within(child, None, grace, |_| {}).await;
        if let Err(ended) = status {
            status = self.gone_within(child, ended, ENDING, Self::kill).await;
        }
        match status {
            Ok(status) => (status, 0),
            Err(status) => (status, self.look(Self::living).await),
        }
    }

    /// Ends what is left of it after the started process was waited for.
    pub(super) async fn end_rest(self: &Arc<Self>) {
        let deadline = Instant::now() + ENDING;
        let mut empty = 0;
        while empty < EMPTY_SCANS && Instant::now() < deadline {
            self.look(Self::kill).await;
            if self.look(Self::living).await == 0 {
                empty += 1;
            } else {
                empty = 0;
                sleep(LOOK).await;
            }
        }
    }

    /// Waits until nothing is left, doing something before each look. `Err` when the time is over.
    async fn gone_within(
        self: &Arc<Self>,
        child: &mut Child,
        mut status: Option<ExitStatus>,
        time: Duration,
        before: fn(&Self),
    ) -> Result<Option<ExitStatus>, Option<ExitStatus>> {
        let deadline = Instant::now() + time;
        let mut empty = 0;
        loop {
            self.look(before).await;
            if status.is_none() {
                if let Ok(ended) = timeout(LOOK, child.wait()).await {
                    status = ended.ok();
                    self.waited();
                    if status.is_none() {
                        // It was waited for by somebody else: nothing more can be learned of it.
                        return Ok(None);
                    }
                }
            } else if self.look(Self::living).await == 0 {
                empty += 1;
                if empty == EMPTY_SCANS {
                    return Ok(status);
                }
                continue;
            } else {
                empty = 0;
                sleep(LOOK).await;
            }
            if Instant::now() >= deadline {
                return Err(status);
            }
        }
    }

    /// Asks everything to end.
    fn ask(&self) {
        for signal in [Signal::TERM, Signal::CONT] {
            if let Some(leader) = *self.leader() {
                os::signal_group(leader, signal);
            }
            self.each(|process| os::signal(process, signal));
        }
    }

    /// Ends everything at once. Does not wait.
    pub(super) fn kill(&self) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        if let Some(leader) = *self.leader() {
            os::signal_group(leader, Signal::KILL);
        }
        self.each(|process| os::signal(process, Signal::KILL));
    }

    /// What has not ended, besides the started process itself; waits for what was adopted and has ended.
    fn living(&self) -> usize {
        let started = Starting::lock();
        let members = os::members(self.meant, *self.leader());
        let mut living = 0;
        for member in members {
            let own = started
                .0
                .as_ref()
                .is_some_and(|own| own.contains(&member.process));
            if member.ended && member.ours && !own {
                os::reap(member.process);
            }
            living += usize::from(!member.ended);
        }
        living + usize::from(living == 0 && self.is_populated())
    }

    fn each(&self, act: impl Fn(Pid)) {
        let grouped = self.cgroup.iter().flat_map(Cgroup::processes);
        let marked = os::members(self.meant, *self.leader())
            .into_iter()
            .filter(|member| !member.ended)
            .map(|member| member.process);
        for process in grouped.chain(marked).collect::<HashSet<_>>() {
            act(process);
        }
    }

    fn leader(&self) -> MutexGuard<'_, Option<Pid>> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at processes on a thread that may block.
    async fn look<T: Default + Send + 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> T {
        let container = Arc::clone(self);
        tokio::task::spawn_blocking(move || act(&container))
            .await
            .unwrap_or_default()
    }
}

/// What is dropped unended is ended: the engine is going down.
#[derive(Debug)]
pub(super) struct Guard {
    container: Option<Arc<Container>>,
}

impl Guard {
    /// Guards a run.
    pub(super) fn new(container: &Arc<Container>) -> Self {
        Self {
            container: Some(Arc::clone(container)),
        }
    }

    /// It has come to its end.
    pub(super) fn release(mut self) {
        self.container = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(container) = &self.container {
            container.kill();
        }
    }
}
