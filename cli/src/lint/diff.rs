//! What an edit changes, line by line.

use std::fmt::Write as _;

/// Lines around a change that are shown.
const AROUND: usize = 2;

/// Lines within which two texts are brought together again.
const NEAR: usize = 400;

/// One line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// The lines that two texts do not share, with a few around them.
pub(super) fn diff(name: &str, old: &str, new: &str) -> String {
    let lines = compared(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let mut text = format!("--- {name}\n+++ {name}\n");
    let changed: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Same(_)))
        .map(|(number, _)| number)
        .collect();
    let mut at = 0;
    let (mut old_line, mut new_line, mut shown_to) = (1, 1, None);
    for (number, line) in lines.iter().enumerate() {
        while changed.get(at).is_some_and(|next| next + AROUND < number) {
            at += 1;
        }
        let near = changed
            .get(at)
            .is_some_and(|next| number + AROUND >= *next && number <= next + AROUND);
        if near {
            if shown_to != Some(number) {
                let _infallible = writeln!(text, "@@ -{old_line} +{new_line} @@");
            }
            shown_to = Some(number + 1);
            let (sign, content) = match line {
                Line::Same(content) => (' ', content),
                Line::Old(content) => ('-', content),
                Line::New(content) => ('+', content),
            };
            let _infallible = writeln!(text, "{sign}{content}");
        }
        match line {
            Line::Same(_) => (old_line, new_line) = (old_line + 1, new_line + 1),
            Line::Old(_) => old_line += 1,
            Line::New(_) => new_line += 1,
        }
    }
    text
}

fn compared<'t>(mut old: &[&'t str], mut new: &[&'t str]) -> Vec<Line<'t>> {
    let mut lines = Vec::new();
    loop {
        match (old.split_first(), new.split_first()) {
            (Some((one, rest)), Some((other, rest_of_new))) if one == other => {
                lines.push(Line::Same(one));
                (old, new) = (rest, rest_of_new);
            }
            (None, None) => return lines,
            _ => {
                // The nearest line that both have again; none means that all the rest differs.
                let meeting = (0..=NEAR).find_map(|skip| {
                    (0..=skip).find_map(|of_new| {
                        let of_old = skip - of_new;
                        let met = match (old.get(of_old), new.get(of_new)) {
                            (Some(one), Some(other)) => one == other,
                            (None, None) => of_old == old.len() && of_new == new.len(),
                            (Some(_), None) | (None, Some(_)) => false,
                        };
                        met.then_some((of_old, of_new))
                    })
                });
                let (of_old, of_new) = meeting.unwrap_or((old.len(), new.len()));
                let (gone, rest) = old.split_at_checked(of_old).unwrap_or((old, &[]));
                let (come, rest_of_new) = new.split_at_checked(of_new).unwrap_or((new, &[]));
                lines.extend(gone.iter().map(|line| Line::Old(line)));
                lines.extend(come.iter().map(|line| Line::New(line)));
                (old, new) = (rest, rest_of_new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn only_what_changes_is_shown_with_a_few_lines_around() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let new = "a\nb\nc\nX\ne\nf\n";
        assert_eq!(
            diff("p", old, new),
            "--- p\n+++ p\n@@ -2 +2 @@\n b\n c\n-d\n+X\n e\n f\n-g\n"
        );
    }

    #[test]
    fn equal_texts_differ_in_nothing() {
        assert_eq!(diff("p", "a\nb\n", "a\nb\n"), "--- p\n+++ p\n");
    }
}
