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
    /// What the shell asks for before it reads any text.
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
        let mut oracle = Self { laboratory, subject, log, server: None, own: Vec::new() };
        let still = World { status: Status::Succeed, output: Output::Nothing };
        oracle.own = oracle.run(":", still)?.events;
        oracle.own.retain(|event| matches!(event, Event::Open { .. } | Event::Load { .. }));
        let probe = oracle.run("soundness-probe x", still)?;
        let seen = probe.events.iter().any(|event| match event {
            Event::Execute { argv, .. } => argv.first().is_some_and(|name| name == b"soundness-probe"),
            _ => false,
        });
        if seen { Ok(oracle) } else { Err(io::Error::other("the watched shell does not run what it is sent")) }
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
        let (mut events, whole) = read_events(&self.log.records());
        if !answered && let Some(mut server) = self.server.take() {
            server.end();
        }
        events.retain(|event| !self.own.contains(event));
        Ok(Run { events, cut: !whole || !answered || self.log.flags() != 0 })
    }
}

impl Server {
    fn start(laboratory: &Laboratory, subject: &Subject, log: i32) -> io::Result<Self> {
        let mut child = laboratory.server(subject, log).spawn()?;
        let requests = child.stdin.take().ok_or_else(|| io::Error::other("no way to send texts"))?;
        let replies = child.stdout.take().ok_or_else(|| io::Error::other("no way to hear answers"))?;
        Ok(Self { child, requests, replies })
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
