//! How a word is spelled: what the checks of obfuscated flags look at.

use smol_str::SmolStr;

use crate::{Brace, Part, PartKind, Spelling};

/// How a word is spelled.
pub(super) fn spelling(parts: &[Part], text: &str) -> Spelling {
    let mut spelling = Spelling::default();
    let mut open = false;
    let mut quotes = 0;
    for part in parts {
        spelled(part, text, &mut spelling, &mut open, &mut quotes);
    }
    spelling.pieced |= quotes > 1 || (quotes > 0 && open);
    spelling
}

fn spelled(part: &Part, text: &str, spelling: &mut Spelling, open: &mut bool, quotes: &mut usize) {
    match &part.kind {
        PartKind::Literal { escaped, .. } => {
            *open = true;
            if *escaped {
                spelling.quoted = true;
                let mut raw = part.span.of(text).chars();
                while let Some(c) = raw.next() {
                    if c == '\\' && raw.next().is_some_and(char::is_alphanumeric) {
                        spelling.pieced = true;
                    }
                }
            }
        }
        PartKind::SingleQuoted(inner) => {
            *quotes += 1;
            spelling.quoted = true;
            spelling.pieced |= inner.is_empty();
        }
        PartKind::AnsiC(inner) => {
            *quotes += 1;
            spelling.quoted = true;
            spelling.pieced |=
                inner.as_ref().is_none_or(SmolStr::is_empty) || part.span.of(text).contains('\\');
        }
        PartKind::DoubleQuoted(inner) => {
            *quotes += 1;
            spelling.quoted = true;
            spelling.pieced |= inner.is_empty();
            spelling.expands |= inner.iter().any(|p| !matches!(p.kind, PartKind::Literal { .. }));
        }
        PartKind::Brace(brace) => {
            *open = true;
            spelling.expands = true;
            if let Brace::List(alternatives) = brace {
                for part in alternatives.iter().flatten() {
                    spelled(part, text, spelling, open, quotes);
                }
            }
        }
        PartKind::Parameter(_)
        | PartKind::Substitution(_)
        | PartKind::ReadFrom(_)
        | PartKind::WriteTo(_)
        | PartKind::Arithmetic(_)
        | PartKind::Glob(_)
        | PartKind::Tilde(_) => {
            *open = true;
            spelling.expands = true;
        }
    }
}
