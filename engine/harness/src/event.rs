//! What a watched shell asked the system for, read back from the log.
//!
//! Invariant: a record that cannot be read ends the reading, and the run counts as incomplete rather than as clean.

use std::fmt;

/// One request of the shell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Event {
    /// Would have run a program.
    Execute {
        directory: Vec<u8>,
        path: Vec<u8>,
        argv: Vec<Vec<u8>>,
    },
    /// Would have opened a file.
    Open {
        directory: Vec<u8>,
        mode: OpenMode,
        path: Vec<u8>,
    },
    /// Changed its directory.
    Enter { from: Vec<u8>, path: Vec<u8> },
    /// Would have removed, renamed or otherwise changed a file by itself.
    Change { call: Vec<u8>, path: Vec<u8> },
    /// Would have reached the network.
    Connect { host: Vec<u8>, service: Vec<u8> },
    /// Would have loaded code.
    Load { path: Vec<u8> },
    /// Would have handed a variable, as `NAME=value`, to a program.
    Inherit { variable: Vec<u8> },
    /// Would have sent a signal.
    Signal { number: Vec<u8> },
}

/// How a file was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OpenMode {
    Read,
    Write,
    Append,
    ReadWrite,
}

impl Event {
    /// The same with the shell's own pipes spelled as bash spells them; zsh has another name for the same directory.
    pub(crate) fn with_plain_pipes(self) -> Self {
        match self {
            Self::Execute {
                directory,
                path,
                argv,
            } => {
                let argv = argv.into_iter().map(plain_pipes).collect();
                Self::Execute {
                    directory,
                    path,
                    argv,
                }
            }
            Self::Open {
                directory,
                mode,
                path,
            } => Self::Open {
                directory,
                mode,
                path: plain_pipes(path),
            },
            Self::Inherit { variable } => Self::Inherit {
                variable: plain_pipes(variable),
            },
            other @ (Self::Enter { .. }
            | Self::Change { .. }
            | Self::Connect { .. }
            | Self::Load { .. }
            | Self::Signal { .. }) => other,
        }
    }

    /// The arguments of a program that would have run.
    pub(crate) fn program(&self) -> Option<&[Vec<u8>]> {
        match self {
            Self::Execute { argv, .. } => Some(argv),
            Self::Open { .. }
            | Self::Enter { .. }
            | Self::Change { .. }
            | Self::Connect { .. }
            | Self::Load { .. }
            | Self::Inherit { .. }
            | Self::Signal { .. } => None,
        }
    }
}

/// Respells paths of descriptors from 10 on, which no text opens by number.
fn plain_pipes(text: Vec<u8>) -> Vec<u8> {
    const LONG: &[u8] = b"/proc/self/fd/";
    let at = text.windows(LONG.len()).position(|window| window == LONG);
    let Some((before, after)) = at.and_then(|at| Some((text.get(..at)?, text.get(at + LONG.len()..)?)))
    else {
        return text;
    };
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits < 2 {
        text
    } else {
        [before, b"/dev/fd/", &plain_pipes(after.to_vec())].concat()
    }
}

/// Reads the records of one run; the second value says whether every byte was understood.
pub(crate) fn read_events(mut records: &[u8], run: u32) -> (Vec<Event>, bool) {
    let mut events = Vec::new();
    while let Some((head, rest)) = records.split_first_chunk::<4>() {
        let length = u32::from_ne_bytes(*head) as usize;
        let padded = (length + 3) & !3;
        let (Some(payload), Some(next)) = (rest.get(..length), rest.get(padded..)) else {
            return (events, false);
        };
        let Some((number, payload)) = payload.split_first_chunk::<4>() else {
            return (events, false);
        };
        let Some(event) = read_event(payload) else {
            return (events, false);
        };
        if u32::from_ne_bytes(*number) == run {
            events.push(event);
        }
        records = next;
    }
    (events, records.is_empty())
}

fn read_event(payload: &[u8]) -> Option<Event> {
    let (kind, fields) = payload.split_first()?;
    let fields = fields.strip_suffix(&[0])?;
    let mut fields = fields.split(|byte| *byte == 0).map(<[u8]>::to_vec);
    let mut next = || fields.next();
    Some(match kind {
        b'E' => Event::Execute {
            directory: next()?,
            path: next()?,
            argv: fields.collect(),
        },
        b'O' => Event::Open {
            directory: next()?,
            mode: read_mode(&next()?)?,
            path: next()?,
        },
        b'C' => Event::Enter {
            from: next()?,
            path: next()?,
        },
        b'W' => Event::Change {
            call: next()?,
            path: next()?,
        },
        b'N' => Event::Connect {
            host: next()?,
            service: next()?,
        },
        b'D' => Event::Load { path: next()? },
        b'V' => Event::Inherit { variable: next()? },
        b'K' => Event::Signal { number: next()? },
        _ => return None,
    })
}

fn read_mode(name: &[u8]) -> Option<OpenMode> {
    Some(match name {
        b"read" => OpenMode::Read,
        b"write" => OpenMode::Write,
        b"append" => OpenMode::Append,
        b"read-write" => OpenMode::ReadWrite,
        _ => return None,
    })
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        match self {
            Self::Execute {
                directory,
                path,
                argv,
            } => {
                write!(f, "runs {} as", text(path))?;
                for word in argv {
                    write!(f, " `{}`", text(word))?;
                }
                write!(f, " in {}", text(directory))
            }
            Self::Open {
                directory,
                mode,
                path,
            } => {
                write!(f, "opens `{}` ({mode:?}) in {}", text(path), text(directory))
            }
            Self::Enter { path, .. } => write!(f, "enters `{}`", text(path)),
            Self::Change { call, path } => write!(f, "calls {} on `{}`", text(call), text(path)),
            Self::Connect { host, service } => write!(f, "connects to `{}` `{}`", text(host), text(service)),
            Self::Load { path } => write!(f, "loads `{}`", text(path)),
            Self::Inherit { variable } => write!(f, "hands on `{}`", text(variable)),
            Self::Signal { number } => write!(f, "sends signal {}", text(number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, OpenMode, read_events};

    fn record(payload: &[u8]) -> Vec<u8> {
        record_of(7, payload)
    }

    fn record_of(run: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = u32::try_from(payload.len() + 4).unwrap().to_ne_bytes().to_vec();
        bytes.extend(run.to_ne_bytes());
        bytes.extend_from_slice(payload);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn empty_arguments_are_kept() {
        let (events, whole) = read_events(&record(b"E/d\0/S/a\0a\0\0b\0"), 7);
        let argv = vec![b"a".to_vec(), Vec::new(), b"b".to_vec()];
        assert_eq!(
            events,
            vec![Event::Execute {
                directory: b"/d".to_vec(),
                path: b"/S/a".to_vec(),
                argv
            }]
        );
        assert!(whole);
    }

    #[test]
    fn records_follow_each_other_at_multiples_of_four() {
        let mut bytes = record(b"O/d\0append\0f\0");
        bytes.extend(record(b"D/x.so\0\0"));
        let (events, whole) = read_events(&bytes, 7);
        let open = Event::Open {
            directory: b"/d".to_vec(),
            mode: OpenMode::Append,
            path: b"f".to_vec(),
        };
        assert_eq!(
            events,
            vec![
                open,
                Event::Load {
                    path: b"/x.so".to_vec()
                }
            ]
        );
        assert!(whole);
    }

    #[test]
    fn records_of_another_run_are_passed_over() {
        let mut bytes = record_of(6, b"D/old.so\0\0");
        bytes.extend(record(b"D/x.so\0\0"));
        assert_eq!(
            read_events(&bytes, 7),
            (
                vec![Event::Load {
                    path: b"/x.so".to_vec()
                }],
                true
            )
        );
    }

    #[test]
    fn a_torn_record_is_not_a_clean_run() {
        let mut bytes = record(b"D/x.so\0\0");
        bytes.extend([0; 12]);
        let (events, whole) = read_events(&bytes, 7);
        assert_eq!(events.len(), 1);
        assert!(!whole);
    }
}
