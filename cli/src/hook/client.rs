//! What is known of each client: `tooldefs/clients/*.kdl`, as tables of the binary.

/// The clients whose hooks are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
}

impl Client {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::ClaudeCode, Self::Codex, Self::Gemini];

    /// The name on the command line and in the audit log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// What is known of it.
    pub(crate) fn data(self) -> Option<&'static ClientData> {
        CLIENTS.iter().find(|data| data.name == self.name())
    }
}

/// One file of `tooldefs/clients`.
#[derive(Debug)]
pub(crate) struct ClientData {
    /// Its name.
    pub name: &'static str,
    /// Events that ask whether a call may be made.
    pub decides: &'static [&'static str],
    /// Events that say that a call was made.
    pub ran: &'static [&'static str],
    /// Events that are noted.
    pub other: &'static [&'static str],
    /// Variables that name the project of the session; `.` is the directory that the hook is started in.
    pub project: &'static [&'static str],
    /// Shells that it may run commands with; an upper-case word is a variable that names one.
    pub shells: &'static [&'static str],
    /// Fields that any tool may have and that change nothing.
    pub ignored: &'static [&'static str],
    /// Our tools of which the client's do nothing but what the input says. Any other one is decided by a rule for it, or by the default.
    pub says_all: &'static [&'static str],
    /// Our tools with which the client asks the person something of its own, which a yes would skip.
    pub asks_itself: &'static [&'static str],
    /// Whether its tools have the names that rules know, so that one that is not listed is passed as it is.
    pub own_names: bool,
    /// Whether it asks a person, or at least does not run the call, when told to ask.
    pub takes_ask: bool,
    /// Where it says which server a tool belongs to.
    pub mcp: Option<McpContext>,
    /// Its modes, and ours.
    pub modes: &'static [(&'static str, &'static str)],
    /// Its tools.
    pub tools: &'static [ToolMap],
}

/// Server and tool of a call that goes to an MCP server.
#[derive(Debug)]
pub(crate) struct McpContext {
    /// The field of the event.
    pub field: &'static str,
    /// How the names of such tools begin.
    pub prefix: &'static str,
}

/// A tool of a client.
#[derive(Debug)]
pub(crate) struct ToolMap {
    /// The client's name.
    pub name: &'static str,
    /// Ours; empty where the fields say it.
    pub tool: &'static str,
    /// Its fields. One that is not listed is not known.
    pub fields: &'static [Field],
}

/// What becomes of fields of a tool.
#[derive(Debug)]
pub(crate) enum Field {
    /// At most one of these is there, and is this field.
    Copy {
        from: &'static [&'static str],
        to: &'static str,
    },
    /// This field always has this text.
    Value { to: &'static str, value: &'static str },
    /// Every address in these texts is this field of a call of its own.
    Addresses {
        from: &'static [&'static str],
        to: &'static str,
    },
    /// The directory that the call starts in.
    Directory { from: &'static [&'static str] },
    /// A patch that names the files it changes.
    Patch { from: &'static [&'static str] },
    /// Changes nothing that a rule speaks of.
    Ignore { from: &'static [&'static str] },
}

include!(concat!(env!("OUT_DIR"), "/clients.rs"));

#[cfg(test)]
mod tests {
    use engine_policy::{Mode, ToolShape};

    use super::{CLIENTS, Client};

    #[test]
    fn every_client_has_its_table_and_every_table_a_client() {
        assert_eq!(CLIENTS.len(), Client::ALL.len());
        for client in Client::ALL {
            let data = client.data().unwrap();
            assert!(!data.decides.is_empty() && !data.ran.is_empty(), "{}", data.name);
            assert!(!data.shells.is_empty() && !data.tools.is_empty(), "{}", data.name);
        }
    }

    #[test]
    fn what_says_all_is_a_tool_of_ours() {
        for data in CLIENTS {
            assert!(!data.says_all.is_empty(), "{}", data.name);
            for name in data.says_all.iter().chain(data.asks_itself) {
                assert!(ToolShape::shipped(name).is_some(), "{}: {name}", data.name);
            }
        }
    }

    #[test]
    fn modes_are_modes_and_no_event_is_of_two_kinds() {
        for data in CLIENTS {
            for (own, ours) in data.modes {
                assert!(Mode::from_word(ours).is_some(), "{}: {own} is {ours}", data.name);
            }
            let mut events: Vec<_> = [data.decides, data.ran, data.other].concat();
            let count = events.len();
            events.sort_unstable();
            events.dedup();
            assert_eq!(events.len(), count, "{}", data.name);
        }
    }
}
