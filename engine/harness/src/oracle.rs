//! Runs texts under a watched shell and returns what they asked for.
//!
//! Invariants:
//! - a run is bounded: the server ends what it started after half a second, and a server that does not answer is replaced;
//! - only processes that this module started are ended, by their own handle.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use crate::event::{Event, read_events};
use crate::laboratory::{Laboratory, Subject};
use crate::os::{Orders, SharedLog};

/// Forks that one run may make.
const FORK_LIMIT: u32 = 48;

/// How the world answers in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) status: Status,
    pub(crate) output: Output,
}

/// What programs return. With [`Status::Fail`], files and directories are also missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Succeed,
    Fail,
    Mixed,
}

/// What programs print and files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Nothing,
    Words,
    /// Text that runs code wherever the shell evaluates a value once more.
    Hostile,
    Number,
}

/// What one run showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) events: Vec<Event>,
    /// The run was cut short: too many forks, too long, too much to write down, or a torn log.
    pub(crate) cut: bool,
}

/// One watched shell.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    laboratory: &'a Laboratory,
    subject: Subject,
    log: SharedLog,
    server: Option<Server>,
    /// What the shell asks for before it reads any text, and the variables that it starts with.
    own: Vec<Event>,
}

#[derive(Debug)]
struct Server {
    child: Child,
    requests: ChildStdin,
    replies: ChildStdout,
}

impl<'a> Oracle<'a> {
    /// Starts watching; fails where a text that does nothing does not run.
    pub(crate) fn start(laboratory: &'a Laboratory, subject: Subject) -> io::Result<Self> {
        let log = SharedLog::create()?;
        let mut oracle = Self {
            laboratory,
            subject,
            log,
            server: None,
            own: Vec::new(),
        };
        let still = World {
            status: Status::Succeed,
            output: Output::Nothing,
        };
        let own = oracle.run(":", still)?.events;
        let probe = oracle.run("soundness-probe x", still)?;
        let own = own.into_iter().chain(probe.events.iter().cloned());
        oracle.own = own
            .filter(|event| {
                matches!(
                    event,
                    Event::Open { .. } | Event::Load { .. } | Event::Inherit { .. }
                )
            })
            .collect();
        let mut programs = probe.events.iter().filter_map(Event::program);
        let seen = programs.any(|argv| argv.first().is_some_and(|name| name == b"soundness-probe"));
        if seen {
            Ok(oracle)
        } else {
            Err(io::Error::other("the watched shell does not run what it is sent"))
        }
    }

    /// Runs one text in one world.
    pub(crate) fn run(&mut self, text: &str, world: World) -> io::Result<Run> {
        if text.contains('\0') {
            return Err(io::Error::other("a text with a NUL cannot be run"));
        }
        self.log.begin(Orders {
            status: match world.status {
                Status::Succeed => 0,
                Status::Fail => 1,
                Status::Mixed => 2,
            },
            output: match world.output {
                Output::Nothing => 0,
                Output::Words => 1,
                Output::Hostile => 2,
                Output::Number => 3,
            },
            fork_limit: FORK_LIMIT,
        });
        let server = match self.server.take() {
            Some(server) => server,
            None => Server::start(self.laboratory, &self.subject, self.log.descriptor())?,
        };
        let answered = self.server.insert(server).ask(text).is_ok();
        let (mut events, whole) = read_events(&self.log.records(), self.log.run());
        if !answered && let Some(mut server) = self.server.take() {
            server.end();
        }
        events.retain(|event| !self.own.contains(event));
        if matches!(self.subject, Subject::Started(_)) {
            events = events.into_iter().map(Event::with_plain_pipes).collect();
        }
        Ok(Run {
            events,
            cut: !whole || !answered || self.log.flags() != 0,
        })
    }
}

impl Server {
    fn start(laboratory: &Laboratory, subject: &Subject, log: i32) -> io::Result<Self> {
        let mut child = laboratory.server(subject, log).spawn()?;
        let requests = child
            .stdin
            .take()
            .ok_or_else(|| io::Error::other("no way to send texts"))?;
        let replies = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no way to hear answers"))?;
        Ok(Self {
            child,
            requests,
            replies,
        })
    }

    fn ask(&mut self, text: &str) -> io::Result<u32> {
        let length = u32::try_from(text.len()).map_err(io::Error::other)?;
        let mut request = length.to_ne_bytes().to_vec();
        request.extend_from_slice(text.as_bytes());
        self.requests.write_all(&request)?;
        let mut status = [0; 4];
        self.replies.read_exact(&mut status)?;
        Ok(u32::from_ne_bytes(status))
    }

    fn end(&mut self) {
        // The child may have gone by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Oracle, Output, Run, Status, World};
    use crate::event::{Event, OpenMode};
    use crate::laboratory::{Laboratory, Subject};

    const STILL: World = World {
        status: Status::Succeed,
        output: Output::Nothing,
    };
    const WORDS: World = World {
        status: Status::Succeed,
        output: Output::Words,
    };
    const FAILING: World = World {
        status: Status::Fail,
        output: Output::Nothing,
    };

    /// Without the box, so that only the shim stands between the shell and the system.
    fn laboratory() -> Laboratory {
        Laboratory::build(false).expect("bash and a C compiler are needed to test the harness")
    }

    fn programs(run: &Run) -> Vec<String> {
        let text = |argv: &[Vec<u8>]| String::from_utf8_lossy(&argv.join(&b' ')).into_owned();
        run.events.iter().filter_map(Event::program).map(text).collect()
    }

    #[test]
    fn programs_are_seen_with_their_arguments_and_what_they_print_is_used() {
        let laboratory = laboratory();
        let mut oracle = Oracle::start(&laboratory, Subject::BashVisible).unwrap();
        let run = oracle.run("e1 \"$(e2)\" 'a b'; exec e3; e4", WORDS).unwrap();
        assert_eq!(programs(&run), ["e2", "e1 o1 o2 a b", "e3"]);
        assert!(!run.cut);
    }

    #[test]
    fn statuses_steer_what_runs_next() {
        let laboratory = laboratory();
        let mut oracle = Oracle::start(&laboratory, Subject::BashReal).unwrap();
        let text = "e1 && e2 || e3; trap e4 EXIT";
        assert_eq!(programs(&oracle.run(text, STILL).unwrap()), ["e1", "e2", "e4"]);
        assert_eq!(programs(&oracle.run(text, FAILING).unwrap()), ["e1", "e3", "e4"]);
    }

    #[test]
    fn opening_for_writing_writes_nothing() {
        let laboratory = laboratory();
        let mut oracle = Oracle::start(&laboratory, Subject::BashReal).unwrap();
        let run = oracle.run("cd dir; echo a >made", STILL).unwrap();
        let directory = laboratory
            .directory()
            .join("dir")
            .into_os_string()
            .into_encoded_bytes();
        let open = Event::Open {
            directory,
            mode: OpenMode::Write,
            path: b"made".to_vec(),
        };
        assert!(run.events.contains(&open), "{:?}", run.events);
        assert!(!laboratory.directory().join("dir/made").exists());
    }

    #[test]
    fn a_loop_without_end_is_cut_short_and_the_next_text_runs() {
        let laboratory = laboratory();
        let mut oracle = Oracle::start(&laboratory, Subject::BashReal).unwrap();
        assert!(oracle.run("while :; do :; done", STILL).unwrap().cut);
        assert!(oracle.run("f() { f & f; }; f", STILL).unwrap().cut);
        assert_eq!(programs(&oracle.run("e1", STILL).unwrap()), ["e1"]);
    }

    #[test]
    fn a_text_cannot_end_the_server_or_reach_a_real_program() {
        let laboratory = laboratory();
        let mut oracle = Oracle::start(&laboratory, Subject::BashReal).unwrap();
        let run = oracle
            .run("kill -9 $PPID; /bin/touch made; exit 3", STILL)
            .unwrap();
        assert_eq!(programs(&run), ["/bin/touch made"]);
        assert!(!laboratory.directory().join("made").exists());
        assert_eq!(programs(&oracle.run("e1", STILL).unwrap()), ["e1"]);
    }

    #[test]
    fn other_shells_are_started_for_each_text() {
        let laboratory = laboratory();
        let Some(dash) = crate::laboratory::find_program("dash") else {
            println!("skipped: dash is not installed");
            return;
        };
        let started = vec![Path::new(&dash).display().to_string(), "-c".to_owned()];
        let mut oracle = Oracle::start(&laboratory, Subject::Started(started)).unwrap();
        let run = oracle.run("ls &>f e9", STILL).unwrap();
        let mut seen = programs(&run);
        seen.sort();
        assert_eq!(seen, ["e9", "ls"]);
    }
}
