//! Exit codes: one documented list, part of the stable interface.

use engine_policy::Outcome;

/// What the process ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Allowed, or nothing wrong.
    Fine,
    /// A test failed, a file is not formatted, a lint found something that counts, a tool's call failed or was refused, or trust was asked for and is not there.
    Failed,
    /// Denied.
    Denied,
    /// A policy is invalid; nothing was decided.
    Invalid,
    /// A person must be asked.
    Asked,
    /// The command line is wrong, or names what there is not.
    Usage,
    /// The machine is not as it must be: a file cannot be written, a directory is not there or belongs to others.
    Machine,
    /// The engine's own fault.
    Internal,
}

/// Shown under `--help`.
pub(crate) const HELP: &str = "Exit codes: 0 allowed or nothing wrong, 1 tests failed, files not formatted, lints found or a tool's call failed, 2 denied, 3 a policy is invalid, \
4 ask or not understood, 64 wrong usage or a name that nothing has, 70 internal error, 74 a file or directory of the machine cannot be used";

impl Exit {
    /// The code of a verdict.
    pub(crate) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Allow => Self::Fine,
            Outcome::Ask => Self::Asked,
            Outcome::Deny => Self::Denied,
        }
    }

    pub(crate) fn code(self) -> std::process::ExitCode {
        let code: u8 = match self {
            Self::Fine => 0,
            Self::Failed => 1,
            Self::Denied => 2,
            Self::Invalid => 3,
            Self::Asked => 4,
            Self::Usage => 64,
            Self::Internal => 70,
            // Source: sysexits.h, `EX_IOERR`.
            Self::Machine => 74,
        };
        code.into()
    }
}
