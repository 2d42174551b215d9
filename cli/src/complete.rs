//! `engine completions`: completions for a shell, on standard output.

use clap::CommandFactory;

use crate::exit::Exit;
use crate::out;

/// Prints completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

const EXAMPLES: &str = "Examples:
  engine completions bash > ~/.local/share/bash-completion/completions/engine
  engine completions fish > ~/.config/fish/completions/engine.fish";

impl Completions {
    pub(crate) fn run(&self) -> Exit {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Arguments::command(), "engine", &mut text);
        match String::from_utf8(text) {
            Ok(text) => {
                out::print(&text);
                Exit::Fine
            }
            Err(_) => Exit::Internal,
        }
    }
}
