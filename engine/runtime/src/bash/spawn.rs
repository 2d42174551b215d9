//! Starting a program.
//!
//! Invariant (`posix_spawn`): nothing runs in the child before the program, so that starting one costs the same whatever the size of
//! the engine; what has to happen first is done by the shell itself (`prologue`). Invariant (no inheritance): descriptors 0, 1 and 2
//! are all that a program gets.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use rustix::process::Pid;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

use super::Inner;
use super::contain::{Container, Starting};
use super::environment::MARK;
use super::limits::MOST_ARGUMENT_BYTES;
use super::mark::{Mark, Meant};
use super::os;
use super::prologue::{Joining, session_start, silent_arguments, text_arguments, words_arguments};
use super::request::{Reports, Request, Streams, Work};
use super::start::{SandboxError, Start};

/// A run that could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The directory is gone, or a link leads there now.
    #[error("cannot work in `{path}`: {error}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// There is no such program.
    #[error("`{0}` was not found in any directory of PATH")]
    NotFound(String),
    /// The system takes no argument of this length.
    #[error("an argument of {0} bytes is longer than the 131071 that a program can be given")]
    TooLong(usize),
    /// A text with a byte 0 in it.
    #[error("a NUL byte cannot be passed to a program")]
    Nul,
    /// The sandbox could not be set up.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The system could not start it.
    #[error("`{program}` could not be started: {error}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system said.
        error: io::Error,
    },
    /// The system gave no pipe.
    #[error("no pipe for the output: {0}")]
    Pipe(io::Error),
}

/// What was started.
pub(super) struct Spawned {
    pub(super) child: Child,
    pub(super) container: Arc<Container>,
    /// Standard output, with standard error in it unless that has its own.
    pub(super) output: OwnedFd,
    pub(super) errors: Option<OwnedFd>,
    /// Where the shell reports its final directory.
    pub(super) report: Option<OwnedFd>,
}

/// Starts a run.
pub(super) fn spawn(inner: &Inner, request: &mut Request) -> Result<Spawned, StartError> {
    let mark = inner.marks.fresh();
    // Without a group of its own the run is still found by its mark.
    let cgroup = inner.cgroups.as_ref().and_then(|root| root.create().ok());
    let joining = Joining {
        mark: inner.limits_mark.then_some(mark),
        group: cgroup.as_ref().map(os::Cgroup::path),
    };
    let (start, report, input) = prepare(inner, request, mark, &joining)?;
    let direct = matches!(request.work, Work::Words { .. }) && joining.group.is_none();

    let (output, output_end) = os::pipe().map_err(StartError::Pipe)?;
    let (errors, errors_end) = match request.streams {
        Streams::Together => (None, output_end.try_clone().map_err(StartError::Pipe)?),
        Streams::Apart => {
            let (read, write) = os::pipe().map_err(StartError::Pipe)?;
            (Some(read), write)
        }
    };
    let (report, stdin) = match report {
        Some((read, write)) => (Some(read), Stdio::from(write)),
        None if input.is_empty() => (None, Stdio::null()),
        None => (None, Stdio::piped()),
    };

    let container = Arc::new(Container::new(Meant::One(mark), cgroup));
    let mut child = launch(
        inner,
        start,
        &container,
        [stdin, output_end.into(), errors_end.into()],
    )?;
    if direct
        && inner.limits_mark
        && let Some(process) = process_of(&child)
    {
        // It may have ended already. Its environment marks it, too.
        let _ended = os::mark_process(process, mark);
    }
    if let Some(mut stdin) = child.stdin.take() {
        tokio::spawn(async move {
            // A program that does not read all of its input closes it.
            let _closed = stdin.write_all(&input).await;
        });
    }
    Ok(Spawned {
        child,
        container,
        output,
        errors,
        report,
    })
}

/// A shell that reads its commands from one end of a connection.
pub(super) struct SpawnedSession {
    pub(super) child: Child,
    pub(super) container: Arc<Container>,
    pub(super) output: OwnedFd,
    pub(super) control: UnixStream,
    /// What it is to do first.
    pub(super) first: String,
}

/// Starts a shell that stays.
pub(super) fn spawn_session(
    inner: &Inner,
    directory: &Path,
    mut environment: Vec<(OsString, OsString)>,
) -> Result<SpawnedSession, StartError> {
    let mark = inner.marks.fresh();
    let cgroup = inner.cgroups.as_ref().and_then(|root| root.create().ok());
    let first = session_start(&Joining {
        mark: inner.limits_mark.then_some(mark),
        group: cgroup.as_ref().map(os::Cgroup::path),
    });
    add_mark(&mut environment, mark);
    environment.push(("PWD".into(), directory.into()));
    let start = Start {
        program: inner.shell.clone(),
        // A shell that finds a connection as its input takes itself for one of `rsh` and reads the user's file.
        arguments: vec!["--norc".into(), "--noprofile".into()],
        environment,
        directory: directory.to_owned(),
    };
    let (output, output_end) = os::pipe().map_err(StartError::Pipe)?;
    let errors_end = output_end.try_clone().map_err(StartError::Pipe)?;
    let (control, control_end) = UnixStream::pair().map_err(StartError::Pipe)?;
    control.set_nonblocking(true).map_err(StartError::Pipe)?;
    let container = Arc::new(Container::new(Meant::One(mark), cgroup));
    let descriptors = [
        OwnedFd::from(control_end).into(),
        output_end.into(),
        errors_end.into(),
    ];
    let child = launch(inner, start, &container, descriptors)?;
    Ok(SpawnedSession {
        child,
        container,
        output,
        control,
        first,
    })
}

/// Hands a program to the system.
fn launch(
    inner: &Inner,
    start: Start,
    container: &Container,
    [stdin, stdout, stderr]: [Stdio; 3],
) -> Result<Child, StartError> {
    let start = inner.sandbox.wrap(start)?;
    let held = os::open_directory(&start.directory).map_err(|error| StartError::Directory {
        path: start.directory.clone(),
        error,
    })?;
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the place where a decided command is run"
    )]
    let mut command = std::process::Command::new(&start.program);
    command
        .args(&start.arguments)
        .env_clear()
        .envs(start.environment)
        .current_dir(os::holder(&held, &start.directory))
        .process_group(0)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr);
    let mut command = Command::from(command);
    let mut starting = Starting::lock();
    let child = command.spawn().map_err(|error| StartError::Spawn {
        program: start.program.display().to_string(),
        error,
    })?;
    if let Some(process) = process_of(&child) {
        starting.note(process);
        container.started(process);
    }
    Ok(child)
}

fn process_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id()?.try_into().ok()?)
}

type Pipe = (OwnedFd, OwnedFd);

/// The program with its arguments, the pipe for the report of a shell, the input of a program.
fn prepare(
    inner: &Inner,
    request: &mut Request,
    mark: Mark,
    joining: &Joining<'_>,
) -> Result<(Start, Option<Pipe>, Vec<u8>), StartError> {
    let mut environment = std::mem::take(&mut request.environment);
    let (program, arguments, report, input) = match &mut request.work {
        Work::Text(text) if request.reports == Reports::Nothing => {
            let arguments = silent_arguments(text, &inner.shell, joining);
            (inner.shell.clone(), arguments, None, Vec::new())
        }
        Work::Text(text) => {
            let arguments = text_arguments(text, &inner.shell, joining);
            let report = os::pipe().map_err(StartError::Pipe)?;
            (inner.shell.clone(), arguments, Some(report), Vec::new())
        }
        Work::Words {
            program,
            arguments,
            input,
        } => {
            let program = find(program, &request.directory, &environment)?;
            let (arguments, input) = (std::mem::take(arguments), std::mem::take(input));
            if joining.group.is_some() {
                let arguments = words_arguments(&program, arguments, joining);
                (inner.shell.clone(), arguments, None, input)
            } else {
                (program, arguments, None, input)
            }
        }
    };
    for argument in &arguments {
        let bytes = argument.as_bytes();
        if bytes.contains(&0) {
            return Err(StartError::Nul);
        }
        if bytes.len() > MOST_ARGUMENT_BYTES {
            return Err(StartError::TooLong(bytes.len()));
        }
    }
    add_mark(&mut environment, mark);
    environment.push(("PWD".into(), request.directory.clone().into()));
    let start = Start {
        program,
        arguments,
        environment,
        directory: request.directory.clone(),
    };
    Ok((start, report, input))
}

/// Adds a mark behind those of the engines around this one.
fn add_mark(environment: &mut Vec<(OsString, OsString)>, mark: Mark) {
    match environment.iter_mut().find(|(name, _)| name == MARK) {
        Some((_, value)) => value.push(format!(":{mark}")),
        None => environment.push((MARK.into(), mark.to_string().into())),
    }
}

/// The file of a program, as a shell finds it.
fn find(
    program: &OsStr,
    directory: &Path,
    environment: &[(OsString, OsString)],
) -> Result<PathBuf, StartError> {
    if program.as_bytes().contains(&b'/') {
        return Ok(directory.join(program));
    }
    let paths = environment
        .iter()
        .find(|(name, _)| name == "PATH")
        .map_or(OsStr::new("/usr/bin:/bin"), |(_, value)| value);
    std::env::split_paths(paths)
        .map(|folder| directory.join(folder).join(program))
        .find(|file| os::is_program(file))
        .ok_or_else(|| StartError::NotFound(program.to_string_lossy().into_owned()))
}
