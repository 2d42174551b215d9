//! Web pages as Markdown.

use std::borrow::Cow;
use std::sync::LazyLock;

use htmd::HtmlToMarkdown;

/// Deepest nesting of elements that is converted as such; the conversion recurses.
const MAX_DEPTH: usize = 256;

/// Longest page that is converted, in bytes; the rest is left out.
const MAX_PAGE: usize = 4 << 20;

static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(|| {
    HtmlToMarkdown::builder()
        .skip_tags(vec![
            "script", "style", "noscript", "template", "svg", "iframe", "head",
        ])
        .build()
});

/// A page as Markdown. What is nested too deeply loses its tags and keeps its text.
pub(super) fn to_markdown(page: &str) -> String {
    let page = beginning(page, MAX_PAGE);
    let flat = if deepest(page) > MAX_DEPTH {
        Cow::Owned(without_tags(page))
    } else {
        Cow::Borrowed(page)
    };
    CONVERTER.convert(&flat).unwrap_or_else(|_| without_tags(page))
}

/// The longest beginning of at most so many bytes that ends at a character.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}

/// An upper bound of how deep elements are nested: tags that open, without those that close.
fn deepest(page: &str) -> usize {
    let bytes = page.as_bytes();
    let mut depth = 0_usize;
    let mut deepest = 0;
    for (at, _) in page.match_indices('<') {
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(letter) if letter.is_ascii_alphabetic() => {
                let name = name_at(page, at + 1);
                if !VOID.iter().any(|void| name.eq_ignore_ascii_case(void)) {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
            }
            Some(_) | None => {}
        }
    }
    deepest
}

/// Elements that are never open.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

fn name_at(page: &str, start: usize) -> &str {
    let rest = page.get(start..).unwrap_or_default();
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// What stands between the tags.
fn without_tags(page: &str) -> String {
    let mut out = String::with_capacity(page.len() / 2);
    let mut inside = false;
    for c in page.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                out.push(' ');
            }
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::to_markdown;

    #[test]
    fn what_is_read_stays_and_what_runs_goes() {
        let page = "<html><head><title>T</title></head><body><h1>Ada</h1><script>run()</script><p>a <b>b</b> \
                    <a href='/x'>c</a></p><ul><li>one<li>two</ul></body></html>";
        let text = to_markdown(page);
        assert!(text.starts_with("# Ada"), "{text}");
        assert!(text.contains("a **b** [c](/x)"), "{text}");
        assert!(text.contains("one") && !text.contains("run()"), "{text}");
    }

    #[test]
    fn a_page_of_a_million_levels_ends() {
        let page = format!("{}deep{}", "<div>".repeat(500_000), "</div>".repeat(500_000));
        assert_eq!(to_markdown(&page).trim(), "deep");
    }

    #[test]
    fn tags_that_close_nothing_hide_no_depth() {
        let page = format!("{}deep", "</p><div>".repeat(100_000));
        assert!(to_markdown(&page).contains("deep"));
    }
}
