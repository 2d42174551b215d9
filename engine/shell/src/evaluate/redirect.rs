//! Redirections: what they open, and where the descriptors lead afterwards.

use crate::{Access, AccessMode, HereDocument, Part, PartKind, Redirect, RedirectKind, Value, Word};

use super::state::Channel;
use super::{Env, Evaluator};

impl Evaluator<'_> {
    /// Performs redirections in order. Gives whether one may fail, and then the command does not run.
    pub(super) fn redirects(&mut self, redirects: &[Redirect], env: Env<'_>) -> bool {
        let first = self.out.accesses.len();
        let mut fails = false;
        for redirect in redirects {
            self.redirect(redirect, env);
            fails |= match &redirect.kind {
                RedirectKind::Duplicate { from, .. } => *from > 2,
                // These fail if what they open does; see below.
                RedirectKind::Read(_)
                | RedirectKind::Write(_)
                | RedirectKind::Clobber(_)
                | RedirectKind::Append(_)
                | RedirectKind::ReadWrite(_)
                | RedirectKind::WriteBoth(_)
                | RedirectKind::AppendBoth(_)
                | RedirectKind::Close
                | RedirectKind::HereDocument(_)
                | RedirectKind::HereString(_) => false,
            };
        }
        let mut opened = self.out.accesses.iter().skip(first);
        fails || opened.any(|a| a.path != Value::Descriptor && a.path.known() != Some("/dev/null"))
    }

    fn redirect(&mut self, redirect: &Redirect, env: Env<'_>) {
        let fd = redirect.fd;
        match &redirect.kind {
            RedirectKind::Read(word) => self.open(redirect, word, AccessMode::Read, &[fd.unwrap_or(0)], env),
            RedirectKind::Write(word) | RedirectKind::Clobber(word) => {
                self.open(redirect, word, AccessMode::Write, &[fd.unwrap_or(1)], env);
            }
            RedirectKind::Append(word) => {
                self.open(redirect, word, AccessMode::Append, &[fd.unwrap_or(1)], env);
            }
            RedirectKind::ReadWrite(word) => {
                self.open(redirect, word, AccessMode::ReadWrite, &[fd.unwrap_or(0)], env);
            }
            RedirectKind::WriteBoth(word) => self.open(redirect, word, AccessMode::Write, &[1, 2], env),
            RedirectKind::AppendBoth(word) => self.open(redirect, word, AccessMode::Append, &[1, 2], env),
            RedirectKind::Duplicate { input, from } => {
                let channel = self.state.channel(*from);
                self.state.connect(fd.unwrap_or(u32::from(!input)), channel);
            }
            RedirectKind::Close => {
                let default = u32::from(redirect.span.of(env.text).contains('>'));
                self.state.connect(fd.unwrap_or(default), Channel::Nothing);
            }
            RedirectKind::HereDocument(document) => {
                let value = self.here_document(document, env);
                self.connect_text(fd.unwrap_or(0), value, env);
            }
            RedirectKind::HereString(word) => {
                let value = self.single(word, env);
                let value = value.concat(&Value::Known("\n".into()), self.set_values());
                self.connect_text(fd.unwrap_or(0), value, env);
            }
        }
    }

    fn connect_text(&mut self, fd: u32, value: Value, env: Env<'_>) {
        let channel = self.text_channel(value, [].into(), env);
        self.state.connect(fd, channel);
    }

    fn open(&mut self, redirect: &Redirect, word: &Word, mode: AccessMode, fds: &[u32], env: Env<'_>) {
        let span = env.span(redirect.span);
        let mark = self.writers.len();
        let process = match word.parts.as_slice() {
            [
                Part {
                    kind: PartKind::ReadFrom(list),
                    ..
                },
            ] => {
                let pipe = self.process_substitution(list, true, env);
                Some(self.writers_of(pipe, mark))
            }
            [
                Part {
                    kind: PartKind::WriteTo(list),
                    ..
                },
            ] => Some(Channel::Into(self.process_substitution(list, false, env))),
            _ => None,
        };
        if let Some(channel) = process {
            self.access(mode, Value::Descriptor, span);
            for fd in fds {
                self.state.connect(*fd, channel.clone());
            }
            return;
        }
        let mut fields = Vec::with_capacity(1);
        self.word(word, env, &mut fields);
        self.look_up(&fields);
        for field in fields {
            let path = field.value;
            let channel = self.channel_of(mode, &path);
            self.access(mode, path, span);
            if let Some(channel) = channel {
                for fd in fds {
                    self.state.connect(*fd, channel.clone());
                }
            }
        }
    }

    fn access(&mut self, mode: AccessMode, path: Value, span: crate::Span) {
        let directory = self.state.data.directory.clone();
        self.out.accesses.push(Access {
            mode,
            path,
            directory,
            span,
        });
    }

    /// Where a descriptor leads that was opened on a path; `None` where it may still lead where it led before.
    fn channel_of(&self, mode: AccessMode, path: &Value) -> Option<Channel> {
        let reads = match mode {
            AccessMode::Read | AccessMode::ReadWrite => true,
            AccessMode::Write | AccessMode::Append => false,
        };
        match path.known() {
            Some("/dev/null") => return Some(Channel::Nothing),
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => return Some(self.state.channel(0)),
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Some(self.state.channel(1)),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return Some(self.state.channel(2)),
            Some(_) | None => {}
        }
        if reads {
            return Some(Channel::File(path.clone()));
        }
        // Through a device or an unknown path the output may still reach the pipe it went to.
        let elsewhere = path.known().is_some_and(|p| {
            !p.contains("..") && !p.contains("/dev") && !p.contains("/proc") && !p.contains("fd/")
        });
        elsewhere.then(|| Channel::File(path.clone()))
    }

    fn here_document(&mut self, document: &HereDocument, env: Env<'_>) -> Value {
        let max = self.set_values();
        let mut value = Value::EMPTY;
        let mut line_start = true;
        for part in &document.body {
            let text = match &part.kind {
                PartKind::Literal { text, .. } | PartKind::SingleQuoted(text) => Some(text),
                PartKind::AnsiC(_)
                | PartKind::DoubleQuoted(_)
                | PartKind::Parameter(_)
                | PartKind::Substitution(_)
                | PartKind::ReadFrom(_)
                | PartKind::WriteTo(_)
                | PartKind::Arithmetic(_)
                | PartKind::Glob(_)
                | PartKind::Brace(_)
                | PartKind::Tilde(_) => None,
            };
            let piece = match text {
                Some(text) if document.strip_tabs && text.contains('\t') => {
                    Value::Known(stripped(text, line_start).into())
                }
                Some(text) => Value::Known(text.clone()),
                None => self.single_parts(std::slice::from_ref(part), env),
            };
            line_start = text.is_some_and(|t| t.ends_with('\n') || (line_start && t.is_empty()));
            value = value.concat(&piece, max);
        }
        value
    }
}

/// The text without the tabs at the start of its lines; taking them off twice changes nothing.
fn stripped(text: &str, line_start: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split_inclusive('\n').enumerate() {
        out.push_str(if i > 0 || line_start {
            line.trim_start_matches('\t')
        } else {
            line
        });
    }
    out
}
