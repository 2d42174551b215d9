//! What a real program did, read from the output of strace.
//!
//! Invariants:
//! - only calls that succeeded count, since the others changed nothing and read nothing; but trying to reach another machine counts,
//!   since there is none to be reached;
//! - a file that was made and removed again in one run is a matter of the program's own and does not count; one that was removed and
//!   made again was written;
//! - a line that cannot be read makes the whole trace unusable rather than shorter.

use std::collections::{BTreeSet, HashMap};

/// The calls that are followed.
pub(super) const CALLS: &str = "trace=open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,\
    mkdir,mkdirat,mknod,mknodat,truncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utime,utimes,futimesat,utimensat,\
    setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,bind,execve,execveat,chdir,fchdir,connect,sendto,sendmsg,\
    sendmmsg,clone,clone3,fork,vfork,getdents64";

/// Sockets of this machine through which names of users and hosts are looked up, whatever the program is.
const NAME_SERVICES: &[&str] = &["/var/run/nscd/", "/run/nscd/", "/run/systemd/userdb/", "/dev/log"];

/// Something that was done, with absolute paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    Read(String),
    /// The names in a directory were read.
    List(String),
    Write(String),
    Delete(String),
    Execute(Vec<String>),
    Connect(String),
}

/// Reads a whole trace that began in `directory`; `None` where it cannot be understood. The first program is left out.
pub(super) fn read_trace(text: &str, directory: &str, existing: BTreeSet<String>) -> Option<BTreeSet<Touch>> {
    let mut reader = Reader {
        places: HashMap::new(),
        halves: HashMap::new(),
        start: directory.to_owned(),
        existing,
        made: BTreeSet::new(),
        found: BTreeSet::new(),
        begun: false,
    };
    for line in text.lines() {
        reader.line(line)?;
    }
    Some(reader.found)
}

struct Reader<'t> {
    /// Where each process is.
    places: HashMap<String, String>,
    /// The first halves of calls that another process interrupted.
    halves: HashMap<&'t str, String>,
    start: String,
    /// Files that are there.
    existing: BTreeSet<String>,
    /// Those of them that this run made.
    made: BTreeSet<String>,
    found: BTreeSet<Touch>,
    begun: bool,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str) -> Option<()> {
        let (process, rest) = line.split_once(char::is_whitespace)?;
        let rest = rest.trim_start();
        if rest.starts_with("+++") || rest.starts_with("---") {
            return Some(());
        }
        if let Some(half) = rest.strip_suffix("<unfinished ...>") {
            self.halves.insert(process, half.to_owned());
            return Some(());
        }
        if let Some((_, end)) = rest
            .strip_prefix("<... ")
            .and_then(|rest| rest.split_once(" resumed>"))
        {
            let half = self.halves.remove(process)?;
            return self.call(process, &(half + end));
        }
        self.call(process, rest)
    }

    fn call(&mut self, process: &str, text: &str) -> Option<()> {
        let (name, rest) = text.split_once('(')?;
        let (arguments, result) = rest.rsplit_once(" = ")?;
        let arguments = arguments.trim_end().strip_suffix(')').unwrap_or(arguments);
        if matches!(name, "connect" | "sendto" | "sendmsg" | "sendmmsg") {
            self.reach(arguments, result);
            return Some(());
        }
        if result.starts_with('-') || result.starts_with('?') {
            return Some(());
        }
        let place = self.places.get(process).unwrap_or(&self.start).clone();
        let arguments = cut_arguments(arguments);
        let path = |index: usize| {
            arguments
                .get(index)
                .and_then(|argument| unquote(argument))
                .map(|path| resolve(&place, &path))
        };
        let path_at = |index: usize| {
            let below = arguments
                .get(index)
                .and_then(|argument| inside(argument))
                .unwrap_or(&place);
            arguments
                .get(index + 1)
                .and_then(|argument| unquote(argument))
                .map(|path| resolve(below, &path))
        };
        match name {
            "open" => self.open(&path(0)?, arguments.get(1)?),
            "openat" | "openat2" => self.open(&path_at(0)?, arguments.get(2)?),
            // A directory is read when it is listed; it is opened for much else.
            "getdents64" => {
                let path = inside(arguments.first()?)?.to_owned();
                self.found.insert(Touch::List(path));
            }
            "rename" => self.rename(path(0)?, path(1)?),
            "renameat" | "renameat2" => self.rename(path_at(0)?, path_at(2)?),
            "link" | "symlink" => self.write(path(1)?),
            "linkat" => self.write(path_at(2)?),
            "symlinkat" => self.write(path_at(1)?),
            "mkdirat" | "mknodat" => self.write(path_at(0)?),
            "creat" | "mkdir" | "mknod" | "truncate" | "chmod" | "chown" | "lchown" | "utime" | "utimes"
            | "setxattr" | "lsetxattr" | "removexattr" | "lremovexattr" => self.write(path(0)?),
            "fchmod" | "fchown" | "fsetxattr" | "fremovexattr" => self.write_open(arguments.first()?),
            // Without a path it is about an open file, which may have been opened for reading.
            "fchmodat" | "fchownat" | "futimesat" | "utimensat" => match path_at(0) {
                Some(path) => self.write(path),
                None => self.write_open(arguments.first()?),
            },
            // A socket with a name in the file system is a file that is made.
            "bind" => {
                if let Some(path) = arguments.get(1).and_then(|to| socket_path(to)) {
                    self.write(resolve(&place, path));
                }
            }
            "unlink" | "rmdir" => self.delete(path(0)?),
            "unlinkat" => self.delete(path_at(0)?),
            "execve" => self.execute(arguments.get(1)?),
            "execveat" => self.execute(arguments.get(2)?),
            "chdir" => {
                self.places.insert(process.to_owned(), path(0)?);
            }
            "fchdir" => {
                self.places
                    .insert(process.to_owned(), inside(arguments.first()?)?.to_owned());
            }
            "clone" | "clone3" | "fork" | "vfork" => {
                // A child that was seen earlier has moved by itself.
                self.places.entry(result.trim().to_owned()).or_insert(place);
            }
            _ => return None,
        }
        Some(())
    }

    /// Something is sent, or is going to be. Nothing is there to answer, so an error is no excuse.
    fn reach(&mut self, arguments: &str, result: &str) {
        if arguments.contains("sa_family=AF_INET") {
            self.found.insert(Touch::Connect(arguments.to_owned()));
        } else if let Some(path) = socket_path(arguments)
            && !NAME_SERVICES.iter().any(|service| path.starts_with(service))
            && !result.starts_with('-')
        {
            self.found.insert(Touch::Connect(path.to_owned()));
        }
    }

    /// An open file is changed in what stands beside its content.
    fn write_open(&mut self, descriptor: &str) {
        if let Some(path) = inside(descriptor) {
            self.write(path.to_owned());
        }
    }

    fn open(&mut self, path: &str, flags: &str) {
        if flags.contains("O_TMPFILE") || flags.contains("O_PATH") {
            return;
        }
        if flags.contains("O_WRONLY") || flags.contains("O_RDWR") || flags.contains("O_TRUNC") {
            self.write(path.to_owned());
        } else if !flags.contains("O_DIRECTORY") {
            self.found.insert(Touch::Read(path.to_owned()));
        }
    }

    fn write(&mut self, path: String) {
        if self.existing.insert(path.clone()) {
            let replaced = self.found.remove(&Touch::Delete(path.clone()));
            if !replaced {
                self.made.insert(path.clone());
            }
        }
        self.found.insert(Touch::Write(path));
    }

    fn delete(&mut self, path: String) {
        self.existing.remove(&path);
        if self.made.remove(&path) {
            self.found.remove(&Touch::Write(path.clone()));
            self.found.remove(&Touch::Read(path));
        } else {
            self.found.insert(Touch::Delete(path));
        }
    }

    fn rename(&mut self, from: String, to: String) {
        self.delete(from);
        self.write(to);
    }

    fn execute(&mut self, argv: &str) {
        if !std::mem::replace(&mut self.begun, true) {
            return;
        }
        let inner = argv.trim_start_matches('[').trim_end_matches(']');
        let words = cut_arguments(inner)
            .iter()
            .filter_map(|word| unquote(word))
            .collect();
        self.found.insert(Touch::Execute(words));
    }
}

/// Cuts at commas outside of strings and brackets.
fn cut_arguments(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut depth, mut quoted, mut escaped) = (0, 0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if quoted {
            quoted = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'[' | b'{' | b'(' | b'<' => depth += 1,
            b']' | b'}' | b')' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                pieces.push(text.get(start..at).unwrap_or_default().trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(text.get(start..).unwrap_or_default().trim());
    pieces
}

/// The text of a string that strace printed whole.
fn unquote(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'v' => bytes.push(0x0b),
            b'f' => bytes.push(0x0c),
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(more @ b'0'..=b'7') = rest.peek().copied() else {
                        break;
                    };
                    value = value * 8 + u32::from(more - b'0');
                    rest.next();
                }
                bytes.push(u8::try_from(value).ok()?);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// The name that a local socket has in the file system.
fn socket_path(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("sun_path=\"")?;
    rest.split_once('"').map(|(path, _)| path)
}

/// The path that strace adds to a descriptor: `3</home/u>`.
fn inside(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('<')?;
    rest.strip_suffix('>').filter(|path| path.starts_with('/'))
}

/// An absolute path without `.` and `..`, by text alone.
pub(super) fn resolve(place: &str, path: &str) -> String {
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{place}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Touch, read_trace};

    fn existing() -> BTreeSet<String> {
        ["/w/a".to_owned(), "/w/d/x, y".to_owned()].into()
    }

    fn read(text: &str) -> Vec<Touch> {
        read_trace(text, "/w", existing())
            .map(|touches| touches.into_iter().collect())
            .unwrap_or_default()
    }

    #[test]
    fn a_file_replaced_through_a_temporary_one_is_written() {
        let text = "6 execve(\"/bin/sed\", [\"sed\"], 0x7f /* 3 vars */) = 0\n\
            6 openat(AT_FDCWD</w>, \"a\", O_RDONLY) = 3</w/a>\n\
            6 openat(AT_FDCWD</w>, \"./sedX\", O_RDWR|O_CREAT|O_EXCL, 0600) = 4</w/sedX>\n\
            6 rename(\"./sedX\", \"a\") = 0\n6 +++ exited with 0 +++\n";
        assert_eq!(
            read(text),
            [Touch::Read("/w/a".into()), Touch::Write("/w/a".into())]
        );
    }

    #[test]
    fn calls_that_fail_do_not_count() {
        assert_eq!(
            read("6 unlink(\"a\") = -1 ENOENT (No such file or directory)\n"),
            []
        );
    }

    #[test]
    fn trying_to_reach_another_machine_counts_although_it_fails() {
        let to = "{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"192.0.2.1\")}, 16";
        let text = format!("6 connect(3<socket:[1]>, {to}) = -1 ENETUNREACH (Network is unreachable)\n");
        assert_eq!(read(&text), [Touch::Connect(format!("3<socket:[1]>, {to}"))]);
    }

    #[test]
    fn times_and_rights_of_a_file_that_is_open_for_reading_are_writes() {
        let text = "6 utimensat(3</w/a>, NULL, [UTIME_NOW, UTIME_NOW], 0) = 0\n6 fchmod(4</w/b>, 0600) = 0\n";
        assert_eq!(
            read(text),
            [Touch::Write("/w/a".into()), Touch::Write("/w/b".into())]
        );
    }

    #[test]
    fn a_file_that_is_removed_and_made_again_is_written_until_it_is_removed_for_good() {
        let again = "6 unlink(\"a\") = 0\n6 creat(\"a\", 0600) = 3</w/a>\n";
        assert_eq!(read(again), [Touch::Write("/w/a".into())]);
        let gone = format!("{again}6 unlink(\"a\") = 0\n");
        assert_eq!(
            read(&gone),
            [Touch::Write("/w/a".into()), Touch::Delete("/w/a".into())]
        );
    }

    #[test]
    fn interrupted_calls_are_put_together() {
        let text = "6 unlinkat(5</w/d>, \"x, y\" <unfinished ...>\n7 execve(\"/bin/a\", [\"a\"], 0x1 /* 1 var */) = 0\n\
            6 <... unlinkat resumed>, 0) = 0\n7 execve(\"/bin/b\", [\"b\", \"c \\\"d\"], 0x1 /* 1 var */) = 0\n";
        assert_eq!(
            read(text),
            [
                Touch::Delete("/w/d/x, y".into()),
                Touch::Execute(vec!["b".into(), "c \"d".into()])
            ]
        );
    }

    #[test]
    fn a_trace_that_is_not_understood_is_no_trace() {
        assert_eq!(read_trace("6 mount(\"a\") = 0\n", "/w", existing()), None);
    }
}
