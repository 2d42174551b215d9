//! The nearest known name to a misspelt one.

/// The known name that is closest to `word`, if any is close enough to be meant: one that few slips of the fingers lead to, else one that
/// begins and goes on much alike.
#[must_use]
pub fn nearest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let word = word.to_lowercase();
    let all: Vec<(String, &str)> = known
        .into_iter()
        .map(|name| (name.to_lowercase(), name))
        .collect();
    let by_slips = all
        .iter()
        .map(|(lower, name)| (strsim::osa_distance(&word, lower), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min();
    if let Some((_, name)) = by_slips {
        return Some(name);
    }
    all.iter()
        .map(|(lower, name)| (strsim::jaro_winkler(&word, lower), *name))
        .filter(|&(score, _)| score > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_name() {
        assert_eq!(nearest("comand", ["command", "read"]), Some("command"));
        assert_eq!(nearest("READ", ["command", "read"]), Some("read"));
        assert_eq!(nearest("gti", ["command", "git"]), Some("git"));
    }

    #[test]
    fn a_beginning_finds_its_name() {
        assert_eq!(nearest("force", ["fetch", "force-push"]), Some("force-push"));
    }

    #[test]
    fn fewer_slips_win_over_a_longer_beginning() {
        assert_eq!(
            nearest("write-tres", ["writes-into", "writes-tree"]),
            Some("writes-tree")
        );
    }

    #[test]
    fn another_word_finds_nothing() {
        assert_eq!(nearest("zebra", ["command", "read"]), None);
    }
}
