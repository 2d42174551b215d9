//! What is found in the text of a file, whether or not it can be read as a policy: `bidi`, `confusable`, `slashdashed-deny`.
//!
//! Source of the characters: Unicode 16, the general category Cf and the bidirectional controls of UAX #9.

use engine_shell::Span;

use super::fix::{self, format_of};
use super::{Context, Finding, Lint};
use crate::read::{Format, parse_kdl};
use crate::source::{Place, SourceId};

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for source in &context.own {
        let Some(text) = context.input.sources.get(*source) else {
            continue;
        };
        unseen(&text.text, *source, findings);
        confusable(&text.text, *source, findings);
        if format_of(&text.name) == Format::Kdl {
            disabled(&text.text, *source, findings);
        }
    }
}

fn place(source: SourceId, start: usize, end: usize) -> Place {
    Place {
        source,
        span: Span::new(start, end),
    }
}

/// What a character does that is not seen, if it does anything.
fn hidden(c: char) -> Option<&'static str> {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            Some("changes the order in which text is shown")
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some("is not seen"),
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
            Some("controls a terminal")
        }
        _ => None,
    }
}

fn unseen(text: &str, source: SourceId, findings: &mut Vec<Finding>) {
    let mut before = None;
    for (at, c) in text.char_indices() {
        let after = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        // Joiners are part of how some scripts and emoji are written.
        let joins = matches!(c, '\u{200c}' | '\u{200d}')
            && [before, after]
                .into_iter()
                .flatten()
                .all(|beside: char| !beside.is_ascii());
        let starts = c == '\u{feff}' && at == 0;
        if let Some(does) = hidden(c).filter(|_| !joins && !starts) {
            let at = place(source, at, at + c.len_utf8());
            findings.push(
                Finding::new(
                    Lint::Bidi,
                    format!("U+{:04X} stands here and {does}", u32::from(c)),
                    at,
                )
                .help("remove it, or write it as an escape where a pattern needs it")
                .fix(Some(fix::replace(at, String::new(), false))),
            );
        }
        before = Some(c);
    }
    // Written as escapes they can be seen in the file, but not in what is made of it.
    for (at, _) in text.match_indices("\\u") {
        let rest = text.get(at + 2..).unwrap_or_default();
        let digits = rest
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
            .map_or_else(|| rest.get(..4).unwrap_or_default(), |(digits, _)| digits);
        let escaped = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        if let Some(does) = escaped.and_then(hidden) {
            let at = place(source, at, at + 2);
            let message = format!("the character that `\\u` stands for here {does}");
            findings
                .push(Finding::new(Lint::Bidi, message, at).help("remove it unless the pattern is about it"));
        }
    }
}

/// The ASCII character that a letter of another script looks like.
/// Source: the Unicode Consortium's confusables, as far as they are drawn alike in common fonts.
pub(super) fn looks_like(c: char) -> Option<char> {
    const ALIKE: &[(&str, &str)] = &[
        (
            "\u{430}\u{441}\u{501}\u{435}\u{4bb}\u{456}\u{458}\u{43a}\u{4cf}\u{43e}\u{440}\u{51b}\u{455}\u{475}\u{51d}\u{445}\u{443}",
            "acdehijklopqsvwxy",
        ),
        (
            "\u{410}\u{412}\u{415}\u{41a}\u{41c}\u{41d}\u{41e}\u{420}\u{421}\u{422}\u{425}\u{423}\u{405}\u{406}\u{408}",
            "ABEKMHOPCTXYSIJ",
        ),
        (
            "\u{3b1}\u{3b9}\u{3ba}\u{3bd}\u{3bf}\u{3c1}\u{3c5}\u{3c7}\u{3b3}",
            "aikvopuxy",
        ),
        (
            "\u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39a}\u{39c}\u{39d}\u{39f}\u{3a1}\u{3a4}\u{3a5}\u{3a7}",
            "ABEZHIKMNOPTYX",
        ),
        ("\u{585}\u{57d}\u{578}\u{570}\u{581}\u{575}", "ounhgj"),
        ("\u{131}\u{261}\u{1e9f}", "igs"),
    ];
    for (letters, ascii) in ALIKE {
        if let Some(at) = letters.chars().position(|own| own == c) {
            return ascii.chars().nth(at);
        }
    }
    let ascii = |base: u32, first: char| char::from_u32(u32::from(first) + u32::from(c) - base);
    match c {
        '\u{ff01}'..='\u{ff5e}' => ascii(0xff01, '!'),
        '\u{1d400}'..='\u{1d6a3}' => {
            let letter = (u32::from(c) - 0x1d400) % 52;
            let (first, letter) = if letter < 26 {
                ('A', letter)
            } else {
                ('a', letter - 26)
            };
            char::from_u32(u32::from(first) + letter)
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => Some('-'),
        '\u{2044}' | '\u{2215}' | '\u{29f8}' => Some('/'),
        '\u{2024}' | '\u{fe52}' => Some('.'),
        _ => None,
    }
}

fn confusable(text: &str, source: SourceId, findings: &mut Vec<Finding>) {
    let part = |c: char| c.is_alphanumeric() || looks_like(c).is_some();
    let mut rest = text;
    while let Some(skip) = rest.find(part) {
        let word = rest.get(skip..).unwrap_or_default();
        let length = word.find(|c: char| !part(c)).unwrap_or(word.len());
        let Some((word, after)) = word.split_at_checked(length) else {
            return;
        };
        let start = text.len() - after.len() - word.len();
        rest = after;
        if word.is_ascii() || !word.chars().any(|c| c.is_ascii_alphanumeric()) {
            continue;
        }
        // A dash between two words of prose is no letter in disguise; one in front of a word or of a dash is.
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let starts_word = before.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '-' | '\''));
        let deceives = word.char_indices().find_map(|(at, c)| {
            let ascii = looks_like(c)?;
            let counts = match ascii {
                '-' => {
                    at == 0
                        && starts_word
                        && word.chars().nth(1).is_some_and(|next| next.is_ascii_alphabetic())
                }
                _ => true,
            };
            counts.then_some((at, c, ascii))
        });
        let Some((at, c, ascii)) = deceives else { continue };
        let at = place(source, start + at, start + at + c.len_utf8());
        let message = format!(
            "U+{:04X} in `{}` looks like `{ascii}` and is not",
            u32::from(c),
            word.escape_debug()
        );
        findings.push(
            Finding::new(Lint::Confusable, message, at)
                .help(format!("write `{ascii}`, or keep to one script in each word"))
                .fix(Some(fix::replace(at, ascii.to_string(), false))),
        );
    }
}

fn disabled(text: &str, source: SourceId, findings: &mut Vec<Finding>) {
    for disabled in parse_kdl(text, source).disabled {
        let Some(guard) = disabled
            .path
            .first()
            .filter(|name| matches!(name.as_str(), "deny" | "ask" | "lock" | "checks"))
        else {
            continue;
        };
        let what = if disabled.path.len() == 1 {
            ""
        } else {
            "a part of "
        };
        findings.push(
            Finding::new(
                Lint::SlashdashedDeny,
                format!("{what}this `{guard}` is taken out by `/-`, so that it guards nothing"),
                disabled.place,
            )
            .help("remove the `/-`, or what it takes out if that is meant"),
        );
    }
}
