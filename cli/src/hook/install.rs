//! `engine hook install`: writes the hook into a client's settings.

use super::client::Client;
use crate::exit::Exit;

/// Sets the hook up in a program's settings, or takes it out again
#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// The program
    #[arg(value_enum)]
    client: Client,
}

impl Install {
    pub(crate) fn run(&self) -> Exit {
        let _client = self.client;
        Exit::Usage
    }
}
