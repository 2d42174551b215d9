//! The two binaries and how one becomes the other.
//!
//! Invariant: `engine` becomes only an `engine-run` that lies beside it and was built with it; two builds may know different programs and
//! rules, and would decide the same call differently.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use crate::exit::Exit;
use crate::out;

/// File name of the binary that carries out calls.
const ENGINE_RUN: &str = "engine-run";

/// What `engine` names itself when it becomes `engine-run`: the build that both are of.
const BUILD: &str = concat!("engine-", env!("CARGO_PKG_VERSION"), "-", env!("ENGINE_BUILD"));

/// Becomes `engine-run` with the same arguments; returns only if that fails.
#[expect(
    clippy::disallowed_methods,
    reason = "the program is found by where this one lies, not by a search path"
)]
pub(crate) fn become_engine_run() -> Exit {
    let sibling = match sibling() {
        Ok(path) => path,
        Err(error) => {
            out::complain(&format!(
                "engine: where this program lies is not known: {error}\n"
            ));
            return Exit::Machine;
        }
    };
    let failed = Command::new(&sibling)
        .arg0(BUILD)
        .args(std::env::args_os().skip(1))
        .exec();
    out::complain(&format!(
        "engine: `{}`, which carries out tools, cannot be started: {failed}\n  \
         `cargo build --release -p engine` builds both, `cargo install --path cli` installs both\n",
        out::visible(&sibling.to_string_lossy())
    ));
    Exit::Machine
}

/// Where `engine-run` lies: beside this program, whatever links led here.
fn sibling() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    // Not every system names the program itself where a link was called.
    Ok(own.canonicalize().unwrap_or(own).with_file_name(ENGINE_RUN))
}

/// Holds unless this was started by `engine` of the same build.
pub(crate) fn started_by_engine() -> Result<(), Exit> {
    let name = std::env::args_os().next().unwrap_or_default();
    if name == BUILD {
        return Ok(());
    }
    let of_engine = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with("engine-"));
    out::complain(
        if of_engine(&name) && !name.to_string_lossy().ends_with(ENGINE_RUN) {
            "engine: `engine-run` beside this program is of another build; install both together\n"
        } else {
            "engine-run: started by `engine` for `call`, `batch` and `tools`; call that\n"
        },
    );
    Err(Exit::Usage)
}
