//! Decides whether what a shell asked for was predicted.
//!
//! Invariant: an event counts as covered only by one prediction that allows for all of it (program, every argument, directory).

use engine_shell::{Access, AccessMode, Count, Directory, Evaluation, Field, Invocation, Value};

use crate::event::{Event, OpenMode};

/// Whether the prediction covers an event.
pub(crate) fn covers(evaluation: &Evaluation, event: &Event) -> bool {
    match event {
        Event::Execute {
            directory,
            path,
            argv,
        } => {
            is_path_of(path, argv, directory)
                && evaluation
                    .invocations
                    .iter()
                    .any(|invocation| invocation_covers(invocation, argv, directory))
        }
        Event::Open {
            directory,
            mode,
            path,
        } => {
            is_shells_own(path)
                || evaluation
                    .accesses
                    .iter()
                    .any(|access| access_covers(access, *mode, path, directory))
        }
        Event::Connect { host, service } => {
            let path = [b"/dev/tcp/", host.as_slice(), b"/", service].concat();
            let datagram = [b"/dev/udp/", host.as_slice(), b"/", service].concat();
            let named = |path: &[u8]| {
                evaluation
                    .accesses
                    .iter()
                    .any(|access| value_covers(&access.path, path))
            };
            named(&path) || named(&datagram)
        }
        // Where a text goes shows in the directories of what it then runs and opens. Signals are programs' business in the
        // runs where `kill` is switched off.
        Event::Enter { .. } | Event::Signal { .. } => true,
        Event::Inherit { variable } => setting_covers(evaluation, variable),
        Event::Change { .. } => false,
        Event::Load { path } => path.starts_with(b"/usr/lib"),
    }
}

/// A program is found on the search path by its plain name, or at the path that was written; `exec` makes that path absolute.
fn is_path_of(path: &[u8], argv: &[Vec<u8>], directory: &[u8]) -> bool {
    let Some(name) = argv.first() else { return false };
    if !name.contains(&b'/') {
        // `command -p` looks in the places of the system.
        let places: [&[u8]; 3] = [b"/S/", b"/bin/", b"/usr/bin/"];
        return places.iter().any(|place| path.strip_prefix(*place) == Some(name));
    }
    let absolute = || {
        let below = name.strip_prefix(b"./").unwrap_or(name);
        path.strip_prefix(directory)
            .and_then(|rest| rest.strip_prefix(b"/"))
            == Some(below)
    };
    path == name || absolute()
}

/// What opens nothing, or what the shell opens for itself: the empty path, the null device, the terminal, and its own pipes for process substitutions.
fn is_shells_own(path: &[u8]) -> bool {
    let pipe = |digits: &[u8]| digits.len() >= 2 && is_number(digits);
    path.is_empty()
        || path == b"/dev/null"
        || path == b"/dev/tty"
        || path.strip_prefix(b"/dev/fd/").is_some_and(pipe)
}

fn invocation_covers(invocation: &Invocation, argv: &[Vec<u8>], directory: &[u8]) -> bool {
    // zsh runs `=NAME` by the path at which it found the name.
    let by_name = || {
        let (program, arguments) = argv.split_first()?;
        let name = program.strip_prefix(b"/S/")?;
        let argv: Vec<Vec<u8>> = std::iter::once(name.to_vec())
            .chain(arguments.iter().cloned())
            .collect();
        Some(words_cover(&invocation.words, &argv))
    };
    directory_covers(&invocation.directory, directory)
        && (words_cover(&invocation.words, argv) || by_name().unwrap_or(false))
}

fn access_covers(access: &Access, mode: OpenMode, path: &[u8], directory: &[u8]) -> bool {
    let same_mode = match access.mode {
        AccessMode::Read => mode == OpenMode::Read,
        AccessMode::Write => mode == OpenMode::Write,
        AccessMode::Append => mode == OpenMode::Append,
        AccessMode::ReadWrite => mode == OpenMode::ReadWrite,
    };
    let placed = path.first() == Some(&b'/') || directory_covers(&access.directory, directory);
    same_mode && placed && value_covers(&access.path, path)
}

/// A variable that a program inherits was set by the text, with such a value.
fn setting_covers(evaluation: &Evaluation, variable: &[u8]) -> bool {
    let Some(equals) = variable.iter().position(|byte| *byte == b'=') else {
        return false;
    };
    let (name, value) = (
        variable.get(..equals).unwrap_or_default(),
        variable.get(equals + 1..).unwrap_or_default(),
    );
    evaluation
        .settings
        .iter()
        .any(|setting| setting.name.as_bytes() == name && value_covers(&setting.value, value))
}

fn directory_covers(predicted: &Directory, seen: &[u8]) -> bool {
    match predicted {
        Directory::OneOf(paths) => paths.iter().any(|path| path.as_bytes() == seen),
        Directory::Unknown(_) => true,
    }
}

/// Matches fields against words one by one, keeping for each number of fields the set of word counts they can stand for.
pub(crate) fn words_cover(fields: &[Field], words: &[Vec<u8>]) -> bool {
    let mut reached = vec![false; words.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for field in fields {
        let mut next = vec![false; reached.len()];
        let (none, more) = match field.count {
            Count::One => (false, false),
            Count::OneOrMore => (false, true),
            Count::Any => (true, true),
        };
        // `inside` says that the field has taken at least one word up to here.
        let mut inside = false;
        for (index, start) in reached.iter().enumerate() {
            let taken = inside;
            if let Some(slot) = next.get_mut(index) {
                *slot = taken || (none && *start);
            }
            let fits = words
                .get(index)
                .is_some_and(|word| value_covers(&field.value, word));
            inside = fits && (*start || (more && taken));
        }
        reached = next;
    }
    reached.last() == Some(&true)
}

/// Whether a value stands for a text among others.
pub(crate) fn value_covers(value: &Value, text: &[u8]) -> bool {
    match value {
        Value::Known(known) => known.as_bytes() == text,
        Value::OneOf(set) => set.iter().any(|known| known.as_bytes() == text),
        Value::Glob(pattern) => {
            own_text(pattern.as_bytes()) == text || pattern_covers(pattern.as_bytes(), text)
        }
        Value::Below(root) => is_below(root.as_bytes(), text),
        Value::Affixed { prefix, suffix } => {
            text.len() >= prefix.len() + suffix.len()
                && text.starts_with(prefix.as_bytes())
                && text.ends_with(suffix.as_bytes())
        }
        Value::Integer => is_number(text.strip_prefix(b"-").unwrap_or(text)),
        Value::Descriptor => {
            // zsh spells it through `/proc`.
            let number = text
                .strip_prefix(b"/dev/fd/")
                .or_else(|| text.strip_prefix(b"/proc/self/fd/"));
            number.is_some_and(is_number)
        }
        Value::Unknown(_) => true,
    }
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn is_below(root: &[u8], text: &[u8]) -> bool {
    if text.split(|byte| *byte == b'/').any(|part| part == b"..") {
        return false;
    }
    if root.is_empty() {
        return !text.starts_with(b"/");
    }
    text.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// A pattern that matches nothing stays as written, without the backslashes that quoted its characters.
fn own_text(pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(pattern.len());
    let mut bytes = pattern.iter();
    while let Some(byte) = bytes.next() {
        let plain = if *byte == b'\\' {
            bytes.next().unwrap_or(byte)
        } else {
            byte
        };
        text.push(*plain);
    }
    text
}

/// Whether a file name fits a pattern. Slashes are matched only by slashes, a leading dot only by a dot.
fn pattern_covers(pattern: &[u8], name: &[u8]) -> bool {
    let mut patterns = pattern.split(|byte| *byte == b'/');
    let mut names = name.split(|byte| *byte == b'/');
    loop {
        match (patterns.next(), names.next()) {
            (None, None) => return true,
            (Some(pattern), Some(name)) if part_covers(pattern, name, true) => {}
            (Some(_), Some(_) | None) | (None, Some(_)) => return false,
        }
    }
}

fn part_covers(pattern: &[u8], name: &[u8], at_start: bool) -> bool {
    let hidden = at_start && name.first() == Some(&b'.');
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => {
            !hidden
                && (0..=name.len()).any(|skip| {
                    name.get(skip..)
                        .is_some_and(|left| part_covers(rest, left, at_start && skip == 0))
                })
        }
        Some((b'?', rest)) => {
            !hidden && one_character(name).is_some_and(|left| part_covers(rest, left, false))
        }
        Some((b'[', rest)) if rest.iter().skip(1).any(|byte| *byte == b']') => {
            // Brackets differ between locales in what they hold, so any one character counts.
            let close = rest
                .iter()
                .skip(1)
                .position(|byte| *byte == b']')
                .map_or(0, |at| at + 2);
            let after = rest.get(close..).unwrap_or_default();
            !hidden && one_character(name).is_some_and(|left| part_covers(after, left, false))
        }
        Some((b'\\', rest)) if !rest.is_empty() => literal_covers(rest, name),
        Some(_) => literal_covers(pattern, name),
    }
}

fn literal_covers(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (Some((expected, pattern)), Some((found, name))) => {
            expected == found && part_covers(pattern, name, false)
        }
        (None, _) | (_, None) => false,
    }
}

/// What is left after the first character.
fn one_character(name: &[u8]) -> Option<&[u8]> {
    let (_, rest) = name.split_first()?;
    let inner = rest.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    rest.get(inner..)
}

#[cfg(test)]
mod tests {
    use engine_shell::{Count, Field, Origin, Span, Value};

    use super::{value_covers, words_cover};

    fn field(value: Value, count: Count) -> Field {
        Field {
            count,
            ..Field {
                value,
                ..Field::literal("", Span::default())
            }
        }
    }

    fn words(list: &[&str]) -> Vec<Vec<u8>> {
        list.iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    fn known(text: &str) -> Field {
        Field::literal(text, Span::default())
    }

    #[test]
    fn known_words_match_only_themselves() {
        assert!(words_cover(&[known("rm"), known("-r")], &words(&["rm", "-r"])));
        assert!(!words_cover(&[known("rm"), known("-r")], &words(&["rm"])));
        assert!(!words_cover(&[known("rm")], &words(&["rm", "-r"])));
        assert!(!words_cover(&[known("rm"), known("-r")], &words(&["rm", "-f"])));
    }

    #[test]
    fn a_run_of_words_may_be_empty_or_long() {
        let fields = [
            known("rm"),
            field(Value::Unknown(Origin::Variable), Count::Any),
            known("z"),
        ];
        assert!(words_cover(&fields, &words(&["rm", "z"])));
        assert!(words_cover(&fields, &words(&["rm", "a", "z", "z"])));
        assert!(!words_cover(&fields, &words(&["rm", "a"])));
    }

    #[test]
    fn one_or_more_needs_one_and_every_word_must_fit() {
        let fields = [known("ls"), field(Value::Glob("*.c".into()), Count::OneOrMore)];
        assert!(words_cover(&fields, &words(&["ls", "a.c", "b.c"])));
        assert!(words_cover(&fields, &words(&["ls", "*.c"])));
        assert!(!words_cover(&fields, &words(&["ls"])));
        assert!(!words_cover(&fields, &words(&["ls", "a.c", "b.h"])));
    }

    #[test]
    fn a_run_cannot_start_in_the_middle_of_nothing() {
        let fields = [field(Value::Known("a".into()), Count::Any), known("b")];
        assert!(!words_cover(&fields, &words(&["x", "a", "b"])));
        assert!(words_cover(&fields, &words(&["a", "a", "b"])));
    }

    #[test]
    fn globs_stop_at_slashes_and_leading_dots() {
        let glob = |pattern: &str, text: &str| value_covers(&Value::Glob(pattern.into()), text.as_bytes());
        assert!(glob("src/*.rs", "src/main.rs"));
        assert!(!glob("*.rs", "src/main.rs"));
        assert!(!glob("*", ".hidden"));
        assert!(glob(".*", ".hidden"));
        assert!(glob("a\\*b?", "a*bc"));
        assert!(!glob("a\\*b?", "axbc"));
        assert!(glob("[ab].c", "b.c"));
        assert!(glob("a\\*b?", "a*b?"));
    }

    #[test]
    fn below_never_leads_upwards() {
        let below = |root: &str, text: &str| value_covers(&Value::Below(root.into()), text.as_bytes());
        assert!(below("src", "src/a/b"));
        assert!(below("src", "src"));
        assert!(!below("src", "srcs"));
        assert!(!below("src", "src/../x"));
        assert!(below("", "a/b"));
        assert!(!below("", "/a"));
    }

    #[test]
    fn affixes_do_not_overlap() {
        let value = Value::Affixed {
            prefix: "aba".into(),
            suffix: "ba".into(),
        };
        assert!(!value_covers(&value, b"aba"));
        assert!(value_covers(&value, b"ababa"));
    }
}
