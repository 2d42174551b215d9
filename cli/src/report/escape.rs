//! Text inside XML and inside workflow commands. What a reader's screen would obey is shown as an escape, in every format.

use crate::out::visible;

/// Text between tags, or within double quotes: no character that XML 1.0 forbids (section 2.2), none that ends where it stands.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Readers turn these into blanks where they stand in an attribute.
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The message of a workflow command.
pub(crate) fn workflow_message(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\n', "%0A")
}

/// A property of a workflow command.
pub(crate) fn workflow_property(text: &str) -> String {
    workflow_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{workflow_message, workflow_property, xml};

    #[test]
    fn xml_holds_no_character_that_it_forbids() {
        assert_eq!(
            xml("a<b>&\"c'\t\n\r\u{0}\u{1b}[0m\u{85}\u{ffff}\u{202e}é"),
            "a&lt;b&gt;&amp;&quot;c'&#9;&#10;\\u{d}\\u{0}\\u{1b}[0m\\u{85}\\u{ffff}\\u{202e}é"
        );
    }

    #[test]
    fn a_message_cannot_begin_another_workflow_command() {
        assert_eq!(
            workflow_message("50%\n::set-env::\r\n::x"),
            "50%25%0A::set-env::\\u{d}%0A::x"
        );
    }

    #[test]
    fn a_property_cannot_end_itself() {
        assert_eq!(workflow_property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
