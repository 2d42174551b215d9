//! Web pages as Markdown.

use std::sync::LazyLock;

use htmd::HtmlToMarkdown;

/// Deepest nesting of elements that is converted as such; the conversion recurses.
const MAX_DEPTH: usize = 256;

/// Most pieces of one tag: attributes are compared with each other.
const MAX_PIECES: usize = 2_000;

/// Longest page that is converted, in bytes; the rest is left out.
const MAX_PAGE: usize = 4 << 20;

static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(|| {
    HtmlToMarkdown::builder()
        .skip_tags(vec![
            "script", "style", "noscript", "template", "svg", "iframe", "head",
        ])
        .build()
});

/// A page as Markdown. What would take too long to convert loses its tags and keeps its text.
pub(super) fn to_markdown(page: &str) -> String {
    let page = beginning(page, MAX_PAGE);
    if !is_tame(page) {
        return without_tags(page);
    }
    CONVERTER.convert(page).unwrap_or_else(|_| without_tags(page))
}

/// The longest beginning of at most so many bytes that ends at a character.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}

/// Whether a page is nested no deeper than [`MAX_DEPTH`] and has no tag of more than [`MAX_PIECES`] pieces.
///
/// The depth is counted as too large rather than too small: only a tag that closes the innermost element lowers it.
fn is_tame(page: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(rest) = page.get(at..)
        && let Some(found) = rest.find('<')
    {
        let start = at + found + 1;
        let tag = page.get(start..).unwrap_or_default();
        let length = tag.find('>').unwrap_or(tag.len());
        let tag = tag.get(..length).unwrap_or(tag);
        at = start;
        if let Some(name) = tag.strip_prefix('/') {
            let name = name_of(name);
            if open.last().is_some_and(|last| last.eq_ignore_ascii_case(name)) {
                open.pop();
            }
            continue;
        }
        let name = name_of(tag);
        if name.is_empty() {
            continue;
        }
        let blanks = tag
            .bytes()
            .filter(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/'));
        if blanks.count() > MAX_PIECES {
            return false;
        }
        at = start + length;
        if RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw)) {
            at = raw_end(page, at, name);
        } else if !FLAT.iter().any(|flat| name.eq_ignore_ascii_case(flat)) || is_foreign(&open) {
            open.push(name);
            if open.len() > MAX_DEPTH {
                return false;
            }
        }
    }
    true
}

/// Elements that are never open, or that end by themselves where another one of their kind begins.
const FLAT: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "html", "head",
    "body",
];

/// Whether elements nest whatever they are called, as in drawings and formulas.
fn is_foreign(open: &[&str]) -> bool {
    open.iter()
        .any(|name| name.eq_ignore_ascii_case("svg") || name.eq_ignore_ascii_case("math"))
}

/// Elements that hold text and no elements.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

/// Where the text of a raw element ends.
fn raw_end(page: &str, start: usize, name: &str) -> usize {
    let rest = page.get(start..).unwrap_or_default();
    rest.match_indices("</")
        .find(|(at, _)| {
            rest.get(at + 2..at + 2 + name.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(name))
        })
        .map_or(page.len(), |(at, _)| start + at)
}

fn name_of(tag: &str) -> &str {
    if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return "";
    }
    let end = tag
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(tag.len());
    tag.get(..end).unwrap_or_default()
}

/// What stands between the tags.
fn without_tags(page: &str) -> String {
    let mut out = String::with_capacity(page.len() / 8);
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
        assert_eq!(to_markdown(&page).trim(), "deep");
    }

    #[test]
    fn a_tag_of_a_million_attributes_ends() {
        use std::fmt::Write as _;
        let mut page = "<p".to_owned();
        for number in 0..200_000 {
            write!(page, " a{number}").expect("text");
        }
        page.push_str(">text</p>");
        assert_eq!(to_markdown(&page).trim(), "text");
    }

    #[test]
    fn tags_in_scripts_are_no_depth() {
        let page = format!("<script>{}</script><p>a <em>b</em></p>", "'<div>'".repeat(1_000));
        assert_eq!(to_markdown(&page), "a *b*");
    }
}
