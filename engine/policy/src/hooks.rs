//! What hooks are for: the matchers of their events.
//!
//! Invariant (more rather than fewer): a matcher that is a regular expression matches anywhere in a name, since a hook that is left out
//! by mistake is a guard that is missing.

use regex::{Regex, RegexBuilder};
use smol_str::SmolStr;

/// Largest compiled form of a matcher, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Which names a hook is for.
#[derive(Clone, Debug, Default)]
pub struct Matcher(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    Any,
    Names(Vec<SmolStr>),
    Expression(Regex),
}

impl Matcher {
    /// Reads a matcher: `*` or nothing is any name, letters, digits, `_`, `-` and `|` alone are exact names, anything else is a regular
    /// expression.
    ///
    /// # Errors
    ///
    /// One line: what is wrong with the regular expression.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() || text == "*" {
            return Ok(Self(Kind::Any));
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_plain);
        if text.split('|').all(is_name) {
            return Ok(Self(Kind::Names(text.split('|').map(SmolStr::from).collect())));
        }
        RegexBuilder::new(text)
            .size_limit(MAX_COMPILED)
            .build()
            .map(|expression| Self(Kind::Expression(expression)))
            .map_err(|error| {
                if matches!(error, regex::Error::CompiledTooBig(_)) {
                    return "it is too large".to_owned();
                }
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            })
    }

    /// Whether it is for a name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Any => true,
            Kind::Names(names) => names.iter().any(|own| own == name),
            Kind::Expression(expression) => expression.is_match(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Matcher;

    fn matches(matcher: &str, name: &str) -> bool {
        Matcher::new(matcher).expect("a matcher").matches(name)
    }

    #[test]
    fn names_are_exact() {
        assert!(matches("Bash", "Bash"));
        assert!(!matches("Bash", "BashOutput"));
        assert!(!matches("bash", "Bash"));
    }

    #[test]
    fn several_names_stand_between_bars() {
        assert!(matches("Edit|Write", "Edit") && matches("Edit|Write", "Write"));
        assert!(!matches("Edit|Write", "NotebookEdit"));
    }

    #[test]
    fn anything_else_is_a_regular_expression_that_matches_anywhere() {
        assert!(matches("mcp__.*__write", "mcp__files__write_all"));
        assert!(matches("^(Notebook)?Edit$", "NotebookEdit"));
        assert!(!matches("^(Notebook)?Edit$", "MultiEdit"));
        // A name too many rather than one too few.
        assert!(matches("Edit.*", "NotebookEdit"));
    }

    #[test]
    fn a_star_and_nothing_are_any_name() {
        assert!(matches("*", "Bash") && matches("", "Bash"));
    }

    #[test]
    fn what_does_not_compile_is_told() {
        assert_eq!(Matcher::new("Edit(").unwrap_err(), "unclosed group");
        assert_eq!(Matcher::new("(a{1000}){1000}").unwrap_err(), "it is too large");
    }
}
