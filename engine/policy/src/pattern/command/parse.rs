//! The grammar of command patterns.
//!
//! Invariant (shell syntax is not text): characters that the shell would act on (`;`, `&`, `<`, `>`, `$`, backticks) stand in a pattern
//! only in quotes, so that a pattern that looks like two commands cannot be mistaken for one that matches two.

use nom::bytes::complete::{take_while, take_while1};
use nom::combinator::value;
use nom::{IResult, Parser as _};

use super::super::{Glob, Parsed, PathPattern, PatternProblem};
use super::{
    CommandPart, CommandPattern, EnvironmentPattern, FlagPattern, ProgramPattern, WordPattern, WordPiece,
};

const CODE: &str = "policy::command-pattern";

/// Nesting of parentheses and brackets in one pattern.
const MAX_NESTING: usize = 8;

type Step<'t, T> = Result<(&'t str, T), PatternProblem>;

/// Reads one pattern; offsets are counted from the end of what is left.
struct Reader<'t> {
    text: &'t str,
    warnings: Vec<PatternProblem>,
}

impl CommandPattern {
    /// Reads a command pattern.
    pub fn parse(text: &str) -> Parsed<Self> {
        let mut reader = Reader {
            text,
            warnings: Vec::new(),
        };
        let start = blanks(text);
        let (rest, parts) = reader.sequence(start, 0)?;
        if let Some(c) = rest.chars().next() {
            let message = if c == '|' {
                "a command pattern matches one command, not a pipeline".to_owned()
            } else {
                format!("this `{c}` closes nothing")
            };
            let help = if c == '|' {
                "alternatives stand in parentheses: `(a|b)`; for pipelines there is the condition `piped-into`"
            } else {
                "put it in quotes if the character is meant"
            };
            return Err(reader.problem(rest, c.len_utf8(), message).help(help));
        }
        let mut parts = parts.into_iter();
        let program = match parts.next() {
            Some(CommandPart::Word(word)) => word,
            Some(CommandPart::Choice(_) | CommandPart::Optional(_) | CommandPart::AnyWords) => {
                return Err(reader
                    .problem(start, 1, "a command pattern starts with one word, the program")
                    .help("write `* ...` for every program, `(a|b)` for one of two, and otherwise a pattern for each"));
            }
            None => {
                return Err(PatternProblem::error(
                    CODE,
                    0..text.len(),
                    "an empty command pattern matches nothing",
                ));
            }
        };
        let programs = reader.programs(start, &program)?;
        let pattern = Self {
            text: text.into(),
            programs,
            rest: parts.collect(),
        };
        Ok((pattern, reader.warnings))
    }
}

impl<'t> Reader<'t> {
    fn offset(&self, rest: &str) -> usize {
        self.text.len() - rest.len()
    }

    fn problem(&self, at: &str, length: usize, message: impl Into<String>) -> PatternProblem {
        let start = self.offset(at);
        PatternProblem::error(CODE, start..start + length, message)
    }

    /// Parts up to the end of the text or a character that ends a group.
    fn sequence(&mut self, input: &'t str, depth: usize) -> Step<'t, Vec<CommandPart>> {
        let mut parts = Vec::new();
        let mut rest = blanks(input);
        while !rest.is_empty() && !rest.starts_with([')', ']', '|']) {
            let (after, part) = self.part(rest, depth)?;
            let spaced = blanks(after);
            if spaced.len() == after.len() && !after.is_empty() && !after.starts_with([')', ']', '|']) {
                return Err(self
                    .problem(
                        after,
                        after.chars().next().map_or(1, char::len_utf8),
                        "a blank is missing before this",
                    )
                    .help("put the word in quotes if these characters are meant"));
            }
            if part != CommandPart::AnyWords || parts.last() != Some(&CommandPart::AnyWords) {
                parts.push(part);
            }
            rest = spaced;
        }
        Ok((rest, parts))
    }

    fn part(&mut self, input: &'t str, depth: usize) -> Step<'t, CommandPart> {
        if let Some(rest) = input.strip_prefix("...")
            && (rest.is_empty() || rest.starts_with([' ', '\t', ')', ']', '|']))
        {
            return Ok((rest, CommandPart::AnyWords));
        }
        if let Some(inner) = input.strip_prefix('[') {
            let (rest, parts) = self.nested(input, inner, depth)?;
            let Some(rest) = rest.strip_prefix(']') else {
                return Err(self.unclosed(input, rest, "bracket"));
            };
            if parts.is_empty() {
                return Err(self.problem(input, 2, "these brackets hold no word"));
            }
            return Ok((rest, CommandPart::Optional(parts)));
        }
        self.word(input, depth)
    }

    fn nested(&mut self, open: &'t str, inner: &'t str, depth: usize) -> Step<'t, Vec<CommandPart>> {
        if depth >= MAX_NESTING {
            let message = format!("groups are nested more than {MAX_NESTING} deep");
            return Err(self.problem(open, 1, message));
        }
        self.sequence(inner, depth + 1)
    }

    fn unclosed(&self, open: &str, rest: &str, what: &str) -> PatternProblem {
        match rest.chars().next() {
            Some(c) => self.problem(rest, c.len_utf8(), format!("`{c}` does not close this {what}")),
            None => self.problem(open, 1, format!("this {what} is not closed")),
        }
        .help("put the character in quotes if it is meant")
    }

    /// One word, or a group of alternatives that stands alone.
    fn word(&mut self, input: &'t str, depth: usize) -> Step<'t, CommandPart> {
        let mut word = WordPattern::default();
        let mut rest = input;
        if rest.starts_with('~') && depth + self.offset(rest) > 0 {
            let start = self.offset(rest);
            self.warnings.push(
                PatternProblem::warning(
                    "policy::tilde-word",
                    start..start + 1,
                    "the shell expands `~` before words are matched",
                )
                .help("rules for paths (`read`, `write`, `delete`) know `~/`; a word is compared as it is"),
            );
        }
        while let Some(c) = rest.chars().next() {
            match c {
                ' ' | '\t' | '\n' | '\r' | ')' | ']' | '|' => break,
                '(' => {
                    let open = rest;
                    let (after, ways) = self.group(open, depth)?;
                    rest = after;
                    let single: Option<Vec<WordPattern>> = ways.iter().map(|way| single_word(way)).collect();
                    match single {
                        Some(words) => word.pieces.push(WordPiece::Choice(words)),
                        None if open.len() == input.len() && ends_word(rest) => {
                            return Ok((rest, CommandPart::Choice(ways)));
                        }
                        None => {
                            return Err(self
                                .problem(open, 1, "alternatives inside a word are one word each")
                                .help("let the group stand alone between blanks"));
                        }
                    }
                }
                '[' => {
                    return Err(self
                        .problem(rest, 1, "a bracket inside a word")
                        .help("optional words stand between blanks: `[a b]`; put the character in quotes if it is meant"));
                }
                '"' | '\'' => {
                    let (after, text) = self.quoted(rest, c)?;
                    push_text(&mut word, &text);
                    rest = after;
                }
                '\\' => {
                    let mut chars = rest.chars();
                    chars.next();
                    let Some(next) = chars.next() else {
                        return Err(self.problem(rest, 1, "this backslash stands before nothing"));
                    };
                    push_text(&mut word, next.encode_utf8(&mut [0; 4]));
                    rest = chars.as_str();
                }
                '*' => {
                    let (after, ()) = stars(rest).unwrap_or((rest, ()));
                    if word.pieces.last() != Some(&WordPiece::AnyText) {
                        word.pieces.push(WordPiece::AnyText);
                    }
                    rest = after;
                }
                ';' | '&' | '<' | '>' | '$' | '`' => {
                    return Err(self
                        .problem(rest, 1, format!("`{c}` is shell syntax, and a command pattern matches words"))
                        .help("put it in quotes if the character is meant; each command of a compound line is matched alone"));
                }
                _ => {
                    let (after, text) = plain(rest).unwrap_or((rest, ""));
                    if text.is_empty() {
                        return Err(self.problem(rest, c.len_utf8(), "this character needs quotes"));
                    }
                    push_text(&mut word, text);
                    rest = after;
                }
            }
        }
        Ok((rest, CommandPart::Word(word)))
    }

    /// `(a|b c)`.
    fn group(&mut self, open: &'t str, depth: usize) -> Step<'t, Vec<Vec<CommandPart>>> {
        let mut ways = Vec::new();
        let mut inner = open.strip_prefix('(').unwrap_or(open);
        loop {
            let (rest, way) = self.nested(open, inner, depth)?;
            if way.is_empty() {
                return Err(self
                    .problem(
                        rest,
                        rest.chars().next().map_or(0, char::len_utf8),
                        "an alternative is empty",
                    )
                    .help("words that may be missing stand in brackets: `[a]`"));
            }
            ways.push(way);
            if let Some(rest) = rest.strip_prefix('|') {
                inner = rest;
            } else if let Some(rest) = rest.strip_prefix(')') {
                return Ok((rest, ways));
            } else {
                return Err(self.unclosed(open, rest, "parenthesis"));
            }
        }
    }

    /// Text in quotes; in double quotes a backslash keeps a quote or a backslash.
    fn quoted(&self, open: &'t str, quote: char) -> Step<'t, String> {
        let mut text = String::new();
        let mut chars = open.chars();
        chars.next();
        while let Some(c) = chars.next() {
            if c == quote {
                return Ok((chars.as_str(), text));
            }
            let escapes = quote == '"' && c == '\\' && chars.as_str().starts_with(['"', '\\']);
            text.extend(if escapes { chars.next() } else { Some(c) });
        }
        Err(self.problem(open, 1, "this quote is not closed"))
    }

    fn programs(&self, at: &str, word: &WordPattern) -> Result<Vec<ProgramPattern>, PatternProblem> {
        let ways: Vec<&WordPattern> = match word.pieces.as_slice() {
            [WordPiece::Choice(words)] => words.iter().collect(),
            _ => vec![word],
        };
        ways.into_iter().map(|way| self.program(at, way)).collect()
    }

    fn program(&self, at: &str, word: &WordPattern) -> Result<ProgramPattern, PatternProblem> {
        let length = word_length(at);
        let spelled = spell(word);
        if spelled.is_empty() {
            return Err(self.problem(at, length, "the name of a program is empty"));
        }
        let assigns = spelled.split_once('=').is_some_and(|(name, _)| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        if assigns {
            return Err(self
                .problem(at, length, "an assignment is not a program")
                .help("write the condition `env \"NAME\"` below the rule"));
        }
        if !spelled.contains('/') && !spelled.starts_with('~') {
            return Ok(ProgramPattern::Name(word.clone()));
        }
        if word
            .pieces
            .iter()
            .any(|piece| matches!(piece, WordPiece::Choice(_)))
        {
            return Err(self
                .problem(at, length, "alternatives inside the path of a program")
                .help("write the paths in full: `(/bin/a|/bin/b)`"));
        }
        match PathPattern::parse(&spelled) {
            Ok((path, _)) => Ok(ProgramPattern::File(path)),
            Err(problem) => {
                let start = self.offset(at);
                Err(PatternProblem {
                    range: start..start + length,
                    ..problem
                })
            }
        }
    }
}

impl WordPattern {
    /// Reads a pattern over one word, as the condition `operand` has it.
    pub fn parse(text: &str) -> Parsed<Self> {
        let mut reader = Reader {
            text,
            warnings: Vec::new(),
        };
        if text.contains([' ', '\t']) && !text.contains(['"', '\'', '\\', '(']) {
            return Ok((words_of_stars(text), Vec::new()));
        }
        match reader.word(text, 0)? {
            ("", CommandPart::Word(word)) => Ok((word, reader.warnings)),
            (rest, _) => Err(reader
                .problem(rest, rest.len(), "this is more than one word")
                .help("put the word in quotes")),
        }
    }
}

impl ProgramPattern {
    /// Reads the pattern of a program alone.
    pub fn parse(text: &str) -> Parsed<Self> {
        let (pattern, warnings) = CommandPattern::parse(text)?;
        let mut programs = pattern.programs.into_iter();
        match (programs.next(), programs.next(), pattern.rest.as_slice()) {
            (Some(program), None, []) => Ok((program, warnings)),
            _ => Err(PatternProblem::error(
                CODE,
                0..text.len(),
                "the name or the path of one program belongs here",
            )),
        }
    }
}

impl EnvironmentPattern {
    /// Reads `NAME` or `NAME=value`, with `*` in both.
    pub fn parse(text: &str) -> Parsed<Self> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let named = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '*'));
        if !named {
            let message = format!("`{name}` cannot be the name of a variable");
            return Err(
                PatternProblem::error("policy::env-pattern", 0..name.len(), message)
                    .help("write `NAME` or `NAME=value`, without `$`; `*` stands for any characters"),
            );
        }
        Ok((
            Self {
                name: Glob::stars(name),
                value: value.map(Glob::stars),
            },
            Vec::new(),
        ))
    }
}

impl FlagPattern {
    /// Reads `-f`, `--force` or `--format=json`, with `*` in both parts.
    pub fn parse(text: &str) -> Parsed<Self> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if text.starts_with('-') => (name, Some(value)),
            Some(_) | None => (text, None),
        };
        let dashed = name.starts_with(['-', '+']) && name.len() > 1 && name != "--";
        if !dashed || name.chars().any(char::is_whitespace) {
            return Err(PatternProblem::error(
                "policy::flag-pattern",
                0..text.len(),
                format!("`{text}` is not a flag"),
            )
            .help("write flags with their dashes, one in each text: `\"-f\" \"--force\"`"));
        }
        Ok((
            Self {
                name: Glob::stars(name),
                value: value.map(Glob::stars),
            },
            Vec::new(),
        ))
    }
}

fn words_of_stars(text: &str) -> WordPattern {
    let mut word = WordPattern::default();
    for (number, part) in text.split('*').enumerate() {
        if number > 0 && word.pieces.last() != Some(&WordPiece::AnyText) {
            word.pieces.push(WordPiece::AnyText);
        }
        push_text(&mut word, part);
    }
    word
}

fn single_word(way: &[CommandPart]) -> Option<WordPattern> {
    match way {
        [CommandPart::Word(word)] => Some(word.clone()),
        _ => None,
    }
}

fn push_text(word: &mut WordPattern, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(WordPiece::Text(last)) = word.pieces.last_mut() {
        *last = format!("{last}{text}").into();
    } else {
        word.pieces.push(WordPiece::Text(text.into()));
    }
}

/// A word as the path it names; what is text in the word stays text in the glob.
fn spell(word: &WordPattern) -> String {
    let mut out = String::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) => {
                for c in text.chars() {
                    if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
                        out.push('\\');
                    }
                    out.push(c);
                }
            }
            WordPiece::AnyText => out.push('*'),
            WordPiece::Choice(words) => words.iter().for_each(|word| out.push_str(&spell(word))),
        }
    }
    out
}

fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r', ')', ']', '|'])
}

fn word_length(text: &str) -> usize {
    text.find([' ', '\t', '\n', '\r']).unwrap_or(text.len())
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn blanks(input: &str) -> &str {
    let skipped: IResult<&str, &str> = take_while(is_blank).parse(input);
    skipped.map_or(input, |(rest, _)| rest)
}

fn stars(input: &str) -> IResult<&str, ()> {
    value((), take_while1(|c| c == '*')).parse(input)
}

fn plain(input: &str) -> IResult<&str, &str> {
    let special = |c: char| {
        is_blank(c)
            || matches!(
                c,
                '(' | ')' | '[' | ']' | '|' | '"' | '\'' | '\\' | '*' | ';' | '&' | '<' | '>' | '$' | '`'
            )
    };
    take_while1(move |c| !special(c)).parse(input)
}

#[cfg(test)]
mod tests;
