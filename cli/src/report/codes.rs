//! What the codes of findings stand for, for formats that describe each rule once.

use engine_policy::lint::Lint;

/// Codes whose name does not say enough by itself.
pub(crate) const CODES: &[(&str, &str)] = &[
    ("commands::definition", "a command definition is not right"),
    ("commands::duplicate", "a program is defined twice"),
    ("commands::include-count", "too many files are included"),
    ("commands::include-cycle", "a file includes itself"),
    ("commands::include-depth", "files include each other too deeply"),
    ("commands::shipped", "a program has a definition that is shipped"),
    ("fmt::unformatted", "a file is not in the one style"),
    ("policy::block-without-braces", "a block has no braces"),
    ("policy::command-pattern", "a command pattern is not right"),
    (
        "policy::compound-short-rule",
        "a rule in the short spelling names several commands at once",
    ),
    (
        "policy::disabled-guard",
        "a setting turns off what guards the others",
    ),
    ("policy::duplicate", "something is said twice"),
    ("policy::duplicate-property", "a property is given twice"),
    ("policy::env-pattern", "a pattern of variables is not right"),
    ("policy::extends-cycle", "a policy extends itself"),
    ("policy::extends-depth", "policies extend each other too deeply"),
    ("policy::flag-pattern", "a pattern of options is not right"),
    ("policy::glob", "a glob is not right"),
    ("policy::host-pattern", "a host pattern is not right"),
    (
        "policy::literal-colon-star",
        "`:*` that does not stand at the end stands for itself",
    ),
    (
        "policy::lock-below",
        "only a policy of the machine locks something",
    ),
    (
        "policy::misplaced-file",
        "a file looks like a policy, and nothing reads it",
    ),
    ("policy::missing-file", "a file that is named cannot be read"),
    ("policy::missing-value", "a value is missing"),
    ("policy::name", "a policy's name is not right"),
    ("policy::name-pattern", "a pattern of names is not right"),
    (
        "policy::nested-short-rule",
        "a rule in the short spelling stands within another rule",
    ),
    (
        "policy::no-such-spelling",
        "the other spelling of policies cannot say this",
    ),
    (
        "policy::outside",
        "a policy of the project builds on a file outside of it",
    ),
    ("policy::path-pattern", "a path pattern is not right"),
    (
        "policy::pattern-too-large",
        "a pattern stands for too many others",
    ),
    ("policy::pattern-too-long", "a pattern is too long"),
    ("policy::plan", "the policies make no plan"),
    ("policy::set-cycle", "a set is made of itself"),
    ("policy::set-kind", "a set of another kind is named"),
    ("policy::set-name", "a set's name is not right"),
    ("policy::short-rule", "a rule in the short spelling is not right"),
    (
        "policy::star-without-boundary",
        "a star glued to a word also matches longer words",
    ),
    ("policy::syntax", "the text is not of its language"),
    (
        "policy::tilde-word",
        "a tilde stands where it is no home directory",
    ),
    ("policy::too-deep", "the text is nested too deeply"),
    ("policy::too-large", "the text is too large"),
    ("policy::too-many-files", "a policy is made of too many files"),
    (
        "policy::type-annotation",
        "a type annotation stands where none is known",
    ),
    (
        "policy::unexpected-argument",
        "an argument stands where none is known",
    ),
    ("policy::unexpected-name", "a name stands where none is known"),
    (
        "policy::unknown-format",
        "a file's ending does not say how it is spelled",
    ),
    ("policy::unknown-name", "a name that nothing has"),
    ("policy::unknown-property", "a property that nothing has"),
    ("policy::unknown-rule", "a test names a rule that there is not"),
    ("policy::unknown-set", "a set that nobody made"),
    ("policy::unknown-word", "a word that means nothing there"),
    (
        "policy::untrusted-set",
        "a set of a file that nobody has trusted is named elsewhere",
    ),
    ("policy::wrong-type", "a value is of another type"),
    ("test::breach", "a test allowed what must not be allowed"),
    ("test::failed", "a test got another verdict than it expects"),
    ("test::threshold", "fewer rules are tested than asked for"),
    ("test::uncovered", "a rule that decides no test"),
];

/// What a code stands for; of one that is not listed, its last word.
pub(crate) fn about(code: &str) -> String {
    if let Some(lint) = code.strip_prefix("lint::").and_then(Lint::from_name) {
        return lint.about().to_owned();
    }
    match CODES.iter().find(|(own, _)| *own == code) {
        Some((_, about)) => (*about).to_owned(),
        None => code.rsplit("::").next().unwrap_or(code).replace('-', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::{CODES, about};

    #[test]
    fn codes_are_listed_once_and_in_order() {
        let codes: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(codes, sorted);
    }

    #[test]
    fn a_code_that_is_not_listed_speaks_for_itself() {
        assert_eq!(about("rule::force-push"), "force push");
        assert_eq!(about("lint::unused-set"), "a set that no rule uses");
        assert_eq!(about("policy::set-cycle"), "a set is made of itself");
    }
}
