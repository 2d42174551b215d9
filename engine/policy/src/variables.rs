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

const LIST: &str = include_str!("../../../tooldefs/variables.txt");

/// Looks a variable up.
#[must_use]
pub fn danger_of(name: &str) -> Danger {
    let mut found = Danger::Other;
    for line in LIST.lines() {
        let Some((kind, rest)) = line.split_once(' ') else {
            continue;
        };
        if kind == "#" || !rest.split(' ').any(|pattern| matches(pattern, name)) {
            continue;
        }
        match kind {
            "dangerous" => return Danger::Dangerous,
            "harmless" => found = Danger::Harmless,
            _ => {}
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
    use super::{Danger, LIST, danger_of};

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

    #[test]
    fn every_line_is_a_comment_or_a_kind_and_a_name() {
        for line in LIST
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (kind, rest) = line.split_once(' ').unwrap();
            assert!(matches!(kind, "dangerous" | "harmless"), "{line}");
            assert!(!rest.trim().is_empty(), "{line}");
        }
    }
}
