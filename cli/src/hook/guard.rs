//! What stands between a failure of the engine and a client that takes a failure for a yes.
//!
//! Invariant (no silent end): the process ends with exit code 0 only after a whole answer was written. A panic, an answer that takes
//! too long and one that cannot be written end with the strict answer and exit code 2. What no process can survive (a signal that kills
//! it, no memory) is left to the `|| exit 2` of the command that is installed.

use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat, stat};
use rustix::process::{Resource, getrlimit};

use super::answer::{Answer, STOP};

/// Stack that deciding may have. It never needs a hundredth of it; what is not touched costs nothing.
const STACK_BYTES: u64 = 4 << 20;

/// Stack of the thread that waits: it formats one answer.
const WATCH_STACK_BYTES: usize = 128 << 10;

/// Who answers: the work, the thread that waits, or a panic. Whoever takes the turn first does, and nobody else.
#[derive(Debug)]
struct Turn(OnceLock<ThreadId>);

impl Turn {
    /// Takes the turn, or stays here for ever while somebody else ends the process. Who has it already fell while answering, and ends.
    fn take(&self) {
        let own = thread::current().id();
        if self.0.set(own).is_ok() {
            return;
        }
        if self.0.get() == Some(&own) {
            stop(STOP);
        }
        loop {
            thread::park();
        }
    }
}

/// The turn of this process: it gives one answer.
static TURN: Turn = Turn(OnceLock::new());

/// Lets `work` answer, for at most `deadline`; `strict` makes the answer where it does not. It comes back for the one answer that is to be
/// written.
///
/// The work stays on this thread and another one watches the time, since starting a thread to wait for it would be a tenth of a call.
pub(crate) fn guarded(
    deadline: Duration,
    strict: fn(&str) -> Answer,
    work: impl FnOnce() -> Answer + Send,
) -> Answer {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        TURN.take();
        end(&strict(&format!("the engine failed{place}; please report it")));
    }));
    let watch = thread::Builder::new()
        .stack_size(WATCH_STACK_BYTES)
        .spawn(move || {
            thread::sleep(deadline);
            TURN.take();
            end(&strict(&format!(
                "it took longer than {} ms",
                deadline.as_millis()
            )));
        });
    let answer = match watch {
        Err(error) => strict(&format!("no thread could be started: {error}")),
        Ok(_watch) => with_stack(strict, work),
    };
    TURN.take();
    answer
}

/// Does the work on this thread where it has the stack for it (`ulimit -s`), else on one that has.
fn with_stack(strict: fn(&str) -> Answer, work: impl FnOnce() -> Answer + Send) -> Answer {
    let has_enough = getrlimit(Resource::Stack)
        .current
        .is_none_or(|bytes| bytes >= STACK_BYTES);
    if has_enough {
        return work();
    }
    thread::scope(|scope| {
        let stack = usize::try_from(STACK_BYTES).unwrap_or(usize::MAX);
        match thread::Builder::new().stack_size(stack).spawn_scoped(scope, work) {
            Ok(worker) => worker
                .join()
                .unwrap_or_else(|_panicked| strict("the engine gave no answer")),
            Err(error) => strict(&format!("no thread could be started: {error}")),
        }
    })
}

/// Writes an answer; returns the exit code that belongs to what was written. Where an answer goes nowhere, the client hears of none.
///
/// The answer comes first and takes no lock: whoever is late may hold the locks of the standard library.
pub(crate) fn write(answer: &Answer) -> u8 {
    let output = rustix::stdio::stdout();
    let code = if answer.output.is_empty()
        || (write_all(&output, answer.output.as_bytes()) && !goes_nowhere(&output))
    {
        answer.code
    } else {
        STOP
    };
    complain(&answer.complaint);
    code
}

/// Longest complaint. Source: pipe(7), `PIPE_BUF`: what a pipe that is ready takes at once.
const MAX_COMPLAINT_BYTES: usize = 4096;

/// Says what is wrong, unless that would have to wait for a reader.
fn complain(text: &str) {
    let errors = rustix::stdio::stderr();
    let text = text.as_bytes();
    let text = text.get(..MAX_COMPLAINT_BYTES).unwrap_or(text);
    let mut ready = [PollFd::new(&errors, PollFlags::OUT)];
    if !text.is_empty() && poll(&mut ready, Some(&Timespec::default())).is_ok_and(|count| count > 0) {
        let _nobody_reads = rustix::io::write(errors, text);
    }
}

/// Writes everything; `false` where that fails. The standard library's own handle takes a descriptor that is not open for writing for one that
/// took everything.
fn write_all(output: &impl AsFd, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(output, bytes) {
            Ok(0) => return false,
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
    true
}

/// Whether what is written here is thrown away: a program that is started without a standard output gets `/dev/null` for one.
fn goes_nowhere(output: &impl AsFd) -> bool {
    let (Ok(own), Ok(null)) = (fstat(output), stat("/dev/null")) else {
        return true;
    };
    FileType::from_raw_mode(own.st_mode) == FileType::CharacterDevice && own.st_rdev == null.st_rdev
}

/// Writes an answer and ends the process, from wherever it is.
fn end(answer: &Answer) {
    stop(write(answer));
}

#[expect(
    clippy::exit,
    reason = "a panic ends the process one way or another; this way the client hears a no"
)]
fn stop(code: u8) {
    std::process::exit(code.into());
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::super::answer::Answer;
    use super::super::client::Client;
    use super::{guarded, write};

    fn strict(why: &str) -> Answer {
        Answer::strict(Client::ClaudeCode, why)
    }

    /// Runs one of the tests below in a process of its own.
    #[expect(
        clippy::disallowed_methods,
        reason = "a panic ends a process, so it needs one"
    )]
    fn in_a_process(name: &str) -> (Option<i32>, String, String) {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "--test-threads=1", name])
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    #[test]
    #[ignore = "ends its process"]
    fn panics() {
        guarded(Duration::from_secs(5), strict, || panic!("on purpose"));
    }

    #[test]
    fn a_panic_is_a_no_in_both_forms() {
        let (code, output, complaint) = in_a_process("hook::guard::tests::panics");
        assert_eq!(code, Some(2), "{output}{complaint}");
        assert!(output.contains(r#""permissionDecision":"deny""#), "{output}");
        assert!(complaint.contains("the engine failed"), "{complaint}");
    }

    #[test]
    #[ignore = "ends its process"]
    fn panics_while_it_answers() {
        let _answer = guarded(Duration::from_mins(1), strict, Answer::neutral);
        panic!("on purpose");
    }

    #[test]
    fn a_panic_while_it_answers_ends_with_the_code_that_stops() {
        let (code, _, _) = in_a_process("hook::guard::tests::panics_while_it_answers");
        assert_eq!(code, Some(2));
    }

    #[test]
    #[ignore = "ends its process"]
    fn is_late_with_the_errors_locked() {
        guarded(Duration::from_millis(30), strict, || {
            let _held = std::io::stderr().lock();
            loop {
                std::thread::sleep(Duration::from_mins(1));
            }
        });
    }

    #[test]
    fn who_is_late_cannot_hold_back_the_answer() {
        let (code, output, _) = in_a_process("hook::guard::tests::is_late_with_the_errors_locked");
        assert_eq!(code, Some(2), "{output}");
        assert!(output.contains("it took longer than 30 ms"), "{output}");
    }

    #[test]
    #[ignore = "ends its process"]
    fn takes_for_ever() {
        guarded(Duration::from_millis(30), strict, || {
            loop {
                std::thread::sleep(Duration::from_mins(1));
            }
        });
    }

    #[test]
    fn what_takes_too_long_is_a_no() {
        let (code, output, complaint) = in_a_process("hook::guard::tests::takes_for_ever");
        assert_eq!(code, Some(2), "{output}{complaint}");
        assert!(output.contains("it took longer than 30 ms"), "{output}");
    }

    #[test]
    #[ignore = "ends its process"]
    fn computes_for_ever() {
        guarded(Duration::from_millis(30), strict, || {
            let mut at = 0_u64;
            while at < u64::MAX {
                at = std::hint::black_box(at + 1);
            }
            Answer::neutral()
        });
    }

    #[test]
    fn what_computes_too_long_is_a_no() {
        let (code, output, complaint) = in_a_process("hook::guard::tests::computes_for_ever");
        assert_eq!(code, Some(2), "{output}{complaint}");
        assert!(output.contains("it took longer than 30 ms"), "{output}");
    }

    #[test]
    fn what_is_quick_is_the_answer() {
        let answer = guarded(Duration::from_mins(1), strict, Answer::neutral);
        assert_eq!(answer, Answer::neutral());
    }

    #[test]
    fn an_answer_that_was_written_ends_with_its_own_code() {
        assert_eq!(write(&Answer::neutral()), 0);
    }
}
