//! The short spelling known from other agents: `Bash(npm run test:*)`, `Read(./docs/**)`, `WebFetch(domain:example.org)`.
//!
//! It keeps its own habits, which differ from those of command and path patterns; the types say how.

use nom::bytes::complete::take_while1;
use nom::{IResult, Parser as _};
use smol_str::SmolStr;

use super::{EnvironmentPattern, Glob, HostPattern, Parsed, PathPattern, PatternProblem};
use crate::names::nearest;

/// One rule in the short spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct ShortRule {
    /// The rule as written.
    pub text: SmolStr,
    /// The tool it names, as written (`Bash`, `Edit`, `mcp__github__get_*`): calls of that tool need no further rule for
    /// the use of the tool itself.
    pub tool: SmolStr,
    /// What it governs.
    pub subject: ShortSubject,
}

/// What a [`ShortRule`] governs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ShortSubject {
    /// `Bash(...)`: commands by their text.
    Command(TextPattern),
    /// `Read(...)`, `Grep(...)`, `Glob(...)`: every way to read. Without parentheses, of every path.
    Read(PathPattern),
    /// `Write(...)`, `Edit(...)`: every way to create, change or delete. Without parentheses, of every path.
    Change(PathPattern),
    /// `WebFetch(domain:...)`: connections to a host.
    Network(HostPattern),
    /// A tool name or glob without parentheses: every use of the tool.
    Tool(Glob),
    /// `Agent(type)`.
    Agent(Glob),
    /// `Skill(name)`.
    Skill(Glob),
}

/// A pattern over the text of one simple command, its words joined by single blanks.
///
/// Blanks in the pattern are single already, with none at either end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct TextPattern {
    /// Assignments that stand before the program (`CI=true node ace test`): all must be there.
    pub environment: Vec<EnvironmentPattern>,
    /// Pieces in order that must cover the text up to its [`TextPattern::end`].
    pub pieces: Vec<TextPiece>,
    /// What may follow.
    pub end: TextEnd,
}

/// One piece of a [`TextPattern`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum TextPiece {
    /// These characters.
    Text(SmolStr),
    /// `*`: any text, further words and no text included.
    AnyText,
}

/// What may follow the pieces of a [`TextPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum TextEnd {
    /// Nothing.
    Exact,
    /// `:*`, or a last ` *` that is the only star: nothing, or a blank and anything.
    AnyWords,
}

impl TextPattern {
    /// Whether it matches every command, as `Bash` and `Bash(*)` do.
    #[must_use]
    pub fn is_every(&self) -> bool {
        self.environment.is_empty() && self.pieces == [TextPiece::AnyText]
    }
}

const CODE: &str = "policy::short-rule";

/// Names of tools that take parentheses.
const HEADS: &[&str] = &[
    "Bash",
    "Read",
    "Grep",
    "Glob",
    "LS",
    "NotebookRead",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "WebFetch",
    "Agent",
    "Task",
    "Skill",
];

/// What is governed by a tool with parentheses.
#[derive(Clone, Copy)]
enum Head {
    Bash,
    Read,
    Change,
    WebFetch,
    Agent,
    Skill,
}

impl ShortRule {
    /// Reads a rule in the short spelling.
    pub fn parse(text: &str) -> Parsed<Self> {
        let (tool, content) = split(text)?;
        let head = match tool {
            "Bash" => Some(Head::Bash),
            "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" => Some(Head::Read),
            "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => Some(Head::Change),
            "WebFetch" => Some(Head::WebFetch),
            "Agent" | "Task" => Some(Head::Agent),
            "Skill" => Some(Head::Skill),
            _ => None,
        };
        let (subject, warnings) = match (head, content) {
            (Some(Head::Bash), None) => (ShortSubject::Command(TextPattern::every()), Vec::new()),
            (Some(Head::Bash), Some((at, inner))) => {
                let (pattern, warnings) = shifted(Ok(TextPattern::parse(inner)), at)?;
                (ShortSubject::Command(pattern), warnings)
            }
            (Some(Head::Read), None) => (ShortSubject::Read(PathPattern::everything(text)), Vec::new()),
            (Some(Head::Read), Some((at, inner))) => {
                let (pattern, warnings) = shifted(PathPattern::parse_short(inner), at)?;
                (ShortSubject::Read(pattern), warnings)
            }
            (Some(Head::Change), None) => (ShortSubject::Change(PathPattern::everything(text)), Vec::new()),
            (Some(Head::Change), Some((at, inner))) => {
                let (pattern, warnings) = shifted(PathPattern::parse_short(inner), at)?;
                (ShortSubject::Change(pattern), warnings)
            }
            (Some(Head::WebFetch), Some((at, inner))) => {
                let Some(host) = inner.strip_prefix("domain:") else {
                    return Err(PatternProblem::error(
                        CODE,
                        at..at + inner.len(),
                        "a host is named with `domain:`",
                    )
                    .help("write `WebFetch(domain:example.org)`"));
                };
                let (pattern, warnings) = shifted(HostPattern::parse(host), at + "domain:".len())?;
                (ShortSubject::Network(pattern), warnings)
            }
            (Some(Head::Agent), Some((_, inner))) => (ShortSubject::Agent(Glob::stars(inner)), Vec::new()),
            (Some(Head::Skill), Some((_, inner))) => (ShortSubject::Skill(Glob::stars(inner)), Vec::new()),
            (Some(Head::WebFetch | Head::Agent | Head::Skill) | None, None) => {
                (ShortSubject::Tool(Glob::stars(tool)), Vec::new())
            }
            (None, Some(_)) => {
                let problem = PatternProblem::error(
                    CODE,
                    0..tool.len(),
                    format!("`{tool}` takes no parentheses in the short spelling"),
                );
                return Err(match nearest(tool, HEADS.iter().copied()) {
                    Some(name) => problem.help(format!("did you mean `{name}`?")),
                    None => problem.help("write a `tool` rule with `input` conditions"),
                });
            }
        };
        Ok((
            Self {
                text: text.into(),
                tool: tool.into(),
                subject,
            },
            warnings,
        ))
    }
}

/// What stands between parentheses, with its offset.
type Content<'t> = (usize, &'t str);

/// `Tool` or `Tool(content)`.
fn split(text: &str) -> Result<(&str, Option<Content<'_>>), PatternProblem> {
    let name: IResult<&str, &str> =
        take_while1(|c: char| !matches!(c, '(' | ')') && !c.is_whitespace()).parse(text);
    let Ok((rest, tool)) = name else {
        return Err(
            PatternProblem::error(CODE, 0..text.len(), "the name of a tool is missing")
                .help("write `Tool` or `Tool(pattern)`"),
        );
    };
    if rest.is_empty() {
        return Ok((tool, None));
    }
    let at = tool.len() + 1;
    let Some(inner) = rest.strip_prefix('(') else {
        return Err(PatternProblem::error(
            CODE,
            tool.len()..text.len(),
            "this is not a rule in the short spelling",
        )
        .help("write `Tool(pattern)`; command patterns stand in `command \"...\"` rules"));
    };
    let Some(content) = inner.strip_suffix(')') else {
        return Err(
            PatternProblem::error(CODE, tool.len()..at, "this parenthesis is not closed at the end")
                .help("write one rule in each text"),
        );
    };
    if content.trim().is_empty() {
        return Err(
            PatternProblem::error(CODE, tool.len()..text.len(), "the parentheses hold no pattern")
                .help(format!("write `{tool}` for every use")),
        );
    }
    Ok((tool, Some((at, content))))
}

fn shifted<P>(parsed: Parsed<P>, offset: usize) -> Parsed<P> {
    match parsed {
        Ok((pattern, warnings)) => Ok((
            pattern,
            warnings
                .into_iter()
                .map(|warning| warning.shift(offset))
                .collect(),
        )),
        Err(problem) => Err(problem.shift(offset)),
    }
}

impl TextPattern {
    /// Every command.
    fn every() -> Self {
        Self {
            environment: Vec::new(),
            pieces: vec![TextPiece::AnyText],
            end: TextEnd::Exact,
        }
    }

    /// Reads what stands between the parentheses of `Bash(...)`.
    fn parse(content: &str) -> (Self, Vec<PatternProblem>) {
        let mut warnings = Vec::new();
        let text = single_blanks(content);
        if matches!(text.as_str(), "*" | ":*") {
            return (Self::every(), warnings);
        }
        if let Some(nested) = nested_rule(&text) {
            warnings.push(
                PatternProblem::warning(
                    "policy::nested-short-rule",
                    0..content.len(),
                    format!("`{text}` stands inside another `Bash(...)` and matches no command"),
                )
                .help(format!("write `Bash({nested})`")),
            );
            return (
                Self {
                    environment: Vec::new(),
                    pieces: vec![TextPiece::Text(text.into())],
                    end: TextEnd::Exact,
                },
                warnings,
            );
        }
        if let Some(operator) = [" && ", " || ", " | ", "; "]
            .iter()
            .find(|&&operator| outside_quotes(&text, operator))
        {
            let operator = operator.trim();
            warnings.push(
                PatternProblem::warning(
                    "policy::compound-short-rule",
                    0..content.len(),
                    format!("each command of a compound line is matched alone, so that nothing matches `{operator}`"),
                )
                .help("write a rule for each command"),
            );
        }
        let (environment, body) = assignments(&text);
        let (body, end) = match body.strip_suffix(":*") {
            Some(prefix) => (prefix.trim_end(), TextEnd::AnyWords),
            None => match body.strip_suffix(" *") {
                Some(prefix) if unescaped_stars(&text) == 1 => (prefix, TextEnd::AnyWords),
                Some(_) | None => (body, TextEnd::Exact),
            },
        };
        if let Some(at) = body.find(":*") {
            let shown = content.find(":*").unwrap_or(at);
            warnings.push(
                PatternProblem::warning(
                    "policy::literal-colon-star",
                    shown..shown + 2,
                    "`:*` stands for further words only at the end; here it is plain text",
                )
                .help("write `*` for any text"),
            );
        }
        let pattern = Self {
            environment,
            pieces: pieces(body),
            end,
        };
        if pattern.glued_star().is_some() {
            let at = content.rfind('*').unwrap_or_default();
            warnings.push(
                PatternProblem::warning(
                    "policy::star-without-boundary",
                    at..at + 1,
                    "this star has no word boundary before it, so that longer words match too",
                )
                .help(format!(
                    "write `{}:*` for this word and any further ones",
                    body.trim_end_matches('*')
                )),
            );
        }
        (pattern, warnings)
    }

    /// The last word, where a star at its end follows a letter or digit and is the only one in it: longer words match too.
    pub(crate) fn glued_star(&self) -> Option<&str> {
        let ([before @ .., TextPiece::Text(text), TextPiece::AnyText], TextEnd::Exact) =
            (self.pieces.as_slice(), self.end)
        else {
            return None;
        };
        let word = text.rsplit(' ').next().unwrap_or_default();
        let whole = before.is_empty() || word.len() < text.len();
        let ends = word.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        (whole && ends).then_some(word)
    }
}

/// `Tool(...)` inside the parentheses: its own content.
fn nested_rule(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once('(')?;
    HEADS.contains(&head).then(|| rest.strip_suffix(')'))?
}

/// Joins blanks outside quotes.
fn single_blanks(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut quote = None;
    for c in content.trim().chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(_) | None => {}
        }
        if c.is_whitespace() && quote.is_none() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn outside_quotes(text: &str, needle: &str) -> bool {
    text.match_indices(needle).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        before.matches('"').count() % 2 == 0 && before.matches('\'').count() % 2 == 0
    })
}

/// `NAME=value` words before the program, and the rest.
fn assignments(text: &str) -> (Vec<EnvironmentPattern>, &str) {
    let mut environment = Vec::new();
    let mut rest = text;
    while let Some((word, after)) = rest.split_once(' ') {
        let named = word.split_once('=').is_some_and(|(name, value)| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !value.contains(['"', '\'', '$', '`', '\\'])
        });
        let Some((pattern, _)) = named.then(|| EnvironmentPattern::parse(word).ok()).flatten() else {
            break;
        };
        environment.push(pattern);
        rest = after;
    }
    (environment, rest)
}

fn unescaped_stars(text: &str) -> usize {
    text.replace("\\*", "").matches('*').count()
}

/// Text and stars; `\*` is a star that is meant, `:*` is text.
fn pieces(body: &str) -> Vec<TextPiece> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'*') => text.extend(chars.next()),
            ':' if chars.peek() == Some(&'*') => {
                text.push(':');
                text.extend(chars.next());
            }
            '*' => {
                if !text.is_empty() {
                    out.push(TextPiece::Text(std::mem::take(&mut text).into()));
                }
                if out.last() != Some(&TextPiece::AnyText) {
                    out.push(TextPiece::AnyText);
                }
            }
            _ => text.push(c),
        }
    }
    if !text.is_empty() {
        out.push(TextPiece::Text(text.into()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{ShortRule, ShortSubject, TextEnd, TextPattern, TextPiece};
    use crate::pattern::{HostName, PathAnchor};

    fn subject(text: &str) -> (ShortSubject, Vec<&'static str>) {
        let (rule, warnings) = ShortRule::parse(text).expect(text);
        (
            rule.subject,
            warnings.iter().map(|warning| warning.code).collect(),
        )
    }

    fn command(text: &str) -> (TextPattern, Vec<&'static str>) {
        match subject(text) {
            (ShortSubject::Command(pattern), codes) => (pattern, codes),
            (other, _) => panic!("{other:?}"),
        }
    }

    fn text(piece: &str) -> TextPiece {
        TextPiece::Text(piece.into())
    }

    #[test]
    fn further_words_have_two_spellings() {
        let (colon, codes) = command("Bash(npm  run test:*)");
        assert_eq!(colon.pieces, [text("npm run test")]);
        assert_eq!((colon.end, codes), (TextEnd::AnyWords, vec![]));
        assert_eq!(command("Bash(npm run test *)").0, colon);
    }

    #[test]
    fn a_second_star_loses_the_bare_form() {
        let (pattern, _) = command("Bash(git * push *)");
        assert_eq!(
            pattern.pieces,
            [
                text("git "),
                TextPiece::AnyText,
                text(" push "),
                TextPiece::AnyText
            ]
        );
        assert_eq!(pattern.end, TextEnd::Exact);
    }

    #[test]
    fn no_star_is_exactly_these_words() {
        let (pattern, codes) = command("Bash(npm test)");
        assert_eq!(
            (pattern.pieces, pattern.end, codes),
            (vec![text("npm test")], TextEnd::Exact, vec![])
        );
    }

    #[test]
    fn every_command_has_three_spellings() {
        for spelling in ["Bash", "Bash(*)", "Bash(:*)"] {
            assert!(command(spelling).0.is_every(), "{spelling}");
        }
        assert!(!command("Bash(* x)").0.is_every());
    }

    #[test]
    fn inert_and_wide_spellings_are_warned_about() {
        assert_eq!(command("Bash(git:* push)").1, ["policy::literal-colon-star"]);
        assert_eq!(command("Bash(git commit*)").1, ["policy::star-without-boundary"]);
        assert_eq!(command("Bash(Bash(ls:*))").1, ["policy::nested-short-rule"]);
        assert_eq!(
            command("Bash(cd x && git push)").1,
            ["policy::compound-short-rule"]
        );
        assert_eq!(command("Bash(git push *--force*)").1, Vec::<&str>::new());
        assert_eq!(command("Bash(cat src/*)").1, Vec::<&str>::new());
    }

    #[test]
    fn assignments_before_the_program_are_set_apart() {
        let (pattern, _) = command("Bash(CI=true node ace test)");
        assert_eq!(pattern.pieces, [text("node ace test")]);
        assert_eq!(pattern.environment.len(), 1);
        let (wide, _) = command("Bash(T=* dune exec:*)");
        assert_eq!(
            (wide.pieces, wide.end),
            (vec![text("dune exec")], TextEnd::AnyWords)
        );
    }

    #[test]
    fn paths_hosts_and_names() {
        let (ShortSubject::Change(path), _) = subject("Edit(/docs/**)") else {
            panic!("a change")
        };
        assert_eq!(path.anchor, PathAnchor::Project);
        let (ShortSubject::Read(path), _) = subject("Grep(//etc/**)") else {
            panic!("a read")
        };
        assert_eq!(path.anchor, PathAnchor::Root);
        let (ShortSubject::Network(host), _) = subject("WebFetch(domain:docs.example.org)") else {
            panic!("a host")
        };
        assert_eq!(host.host, HostName::Exactly("docs.example.org".into()));
        assert!(matches!(subject("mcp__github__get_*").0, ShortSubject::Tool(_)));
        assert!(matches!(subject("Agent(review*)").0, ShortSubject::Agent(_)));
        assert!(matches!(subject("Skill(pdf)").0, ShortSubject::Skill(_)));
    }

    #[test]
    fn problems_point_into_the_text() {
        for (rule, start, end) in [
            ("", 0, 0),
            ("Bash(ls", 4, 5),
            ("Bash()", 4, 6),
            ("git push", 3, 8),
            ("Bsah(ls)", 0, 4),
            ("WebFetch(https://x.org)", 9, 22),
            ("WebFetch(domain:x.org/y)", 16, 23),
            ("Read(./a/[b)", 9, 11),
        ] {
            let problem = ShortRule::parse(rule).expect_err(rule);
            assert_eq!(problem.range, start..end, "{rule}: {}", problem.message);
        }
    }
}
