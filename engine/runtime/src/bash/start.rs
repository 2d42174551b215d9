//! What is handed to the system to be started, and the place where a sandbox may put itself around it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// A program as it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The program's file, absolute.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory it starts in, absolute.
    pub directory: PathBuf,
}

/// A sandbox that could not be put around a program. The program is then not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox could not be set up: {0}")]
pub struct SandboxError(pub String);

/// Something that programs are started within.
///
/// It is asked before every start and answers with what is started instead: mostly itself, with the program as its arguments.
/// Descriptors 0, 1 and 2 have to reach the program.
pub trait Sandbox: fmt::Debug + Send + Sync {
    /// Puts itself around a program.
    ///
    /// # Errors
    ///
    /// Fails where it could not hold what it promises.
    fn wrap(&self, start: Start) -> Result<Start, SandboxError>;
}

/// No sandbox: programs are started as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoSandbox;

impl Sandbox for NoSandbox {
    fn wrap(&self, start: Start) -> Result<Start, SandboxError> {
        Ok(start)
    }
}
