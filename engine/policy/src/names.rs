//! The nearest known name to a misspelt one.

/// The known name that is closest to `word`, if any is close enough to be meant.
#[must_use]
pub fn nearest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&word, &name.to_lowercase()), name))
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
    }

    #[test]
    fn another_word_finds_nothing() {
        assert_eq!(nearest("zebra", ["command", "read"]), None);
    }
}
