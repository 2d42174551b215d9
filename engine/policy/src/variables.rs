//! Which environment variables change what runs or what is loaded, and which are known to be harmless.
//!
//! The list is data: `tooldefs/variables.txt`, a kind and names a line. Invariant (dangerous first): a name that matches both
//! lists is dangerous.

/// What setting a variable can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Danger {
    /// Changes what runs, what is loaded, or where a program connects.
    Dangerous,
    /// Changes only how something is shown, or is a common switch without such an effect.
    Harmless,
    /// Not on either list.
    Other,
}

// `NAMES` (sorted) and `PATTERNS`, each with whether it is dangerous, as the build read them from the list.
include!(concat!(env!("OUT_DIR"), "/variables.rs"));

/// Looks a variable up.
#[must_use]
pub fn danger_of(name: &str) -> Danger {
    let own = NAMES
        .binary_search_by_key(&name, |(known, _)| known)
        .ok()
        .and_then(|at| NAMES.get(at));
    let mut found = Danger::Other;
    for (pattern, dangerous) in own.into_iter().chain(PATTERNS) {
        if matches(pattern, name) {
            if *dangerous {
                return Danger::Dangerous;
            }
            found = Danger::Harmless;
        }
    }
    found
}

/// A name with at most one `*` at each end.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (Some(tail), None) => name.ends_with(tail),
        (None, Some(head)) => name.starts_with(head),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::{Danger, danger_of};

    #[test]
    fn variables_that_load_code_are_dangerous() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_KEY_0",
            "MANPAGER",
            "VISUAL",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "RUSTC_WRAPPER",
            "npm_config_script_shell",
            "BASH_ENV",
            "PS4",
            "TAR_OPTIONS",
        ] {
            assert_eq!(danger_of(name), Danger::Dangerous, "{name}");
        }
    }

    #[test]
    fn common_switches_are_harmless() {
        for name in [
            "NODE_ENV",
            "RUST_BACKTRACE",
            "CI",
            "LC_ALL",
            "TZ",
            "FORCE_COLOR",
            "TERM",
        ] {
            assert_eq!(danger_of(name), Danger::Harmless, "{name}");
        }
        assert_eq!(danger_of("AWS_PROFILE"), Danger::Other);
    }
}
