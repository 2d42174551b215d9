//! Makes a text smaller while it keeps a property.
//!
//! Invariant: the result has the property whenever the text given had it.

/// Removes runs of characters, halving their length down to one, until nothing more can go or `tries` are spent.
pub(crate) fn minimise(text: &str, mut tries: usize, mut keeps: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<char> = text.chars().collect();
    let mut length = best.len() / 2;
    while length > 0 {
        let mut start = 0;
        let mut shrunk = false;
        while start < best.len() {
            if tries == 0 {
                return best.into_iter().collect();
            }
            tries -= 1;
            let end = (start + length).min(best.len());
            let (head, tail) = (
                best.get(..start).unwrap_or_default(),
                best.get(end..).unwrap_or_default(),
            );
            let candidate: Vec<char> = head.iter().chain(tail).copied().collect();
            if keeps(&candidate.iter().collect::<String>()) {
                best = candidate;
                shrunk = true;
            } else {
                start = end;
            }
        }
        if !shrunk || length > best.len() {
            length /= 2;
        }
    }
    best.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::minimise;

    #[test]
    fn only_what_matters_is_left() {
        let result = minimise("aaaa x bbbb y cccc é", 1000, |text| {
            text.contains('x') && text.contains('y')
        });
        assert_eq!(result, "xy");
    }

    #[test]
    fn tries_are_bounded() {
        let mut calls = 0;
        minimise(&"a".repeat(500), 20, |_| {
            calls += 1;
            false
        });
        assert_eq!(calls, 20);
    }
}
