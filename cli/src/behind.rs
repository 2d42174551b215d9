//! Options that belong to the command that is decided and were taken for those of the program: what to write instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
use engine_policy::nearest;

use crate::check::command_text;
use crate::{Arguments, out};

/// Subcommands that decide a command.
const DECIDING: &[&str] = &["check", "explain"];

/// What to write where an option is not known and a command stands before it, one line; `None` where something else is wrong.
pub(crate) fn told(words: &[String], error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let subcommand = words.get(1).filter(|word| DECIDING.contains(&word.as_str()))?;
    let ContextValue::String(option) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let written = with_marker(words)?;
    let near = match error.get(ContextKind::SuggestedArg) {
        // Its measure is wider than the one for other names.
        Some(ContextValue::String(near))
            if nearest(option.trim_start_matches('-'), [near.trim_start_matches('-')]).is_some() =>
        {
            format!(" (did you mean `{near}`?)")
        }
        Some(_) | None => String::new(),
    };
    Some(format!(
        "engine: `{}` is no option of `engine {subcommand}`{near}; if it belongs to the command, write `{}`\n",
        out::visible(option),
        out::visible(&written)
    ))
}

/// The same words with `--` where the command begins: before the first word from which on all can be a command.
fn with_marker(words: &[String]) -> Option<String> {
    let begins = (2..words.len()).find(|&at| {
        let (before, command) = words.split_at_checked(at).unwrap_or_default();
        command.first().is_some_and(|word| !word.starts_with('-'))
            && Arguments::try_parse_from(marked(before, command)).is_ok()
    })?;
    let (before, command) = words.split_at_checked(begins)?;
    let name = Arguments::command().get_name().to_owned();
    let options = before.get(1..).unwrap_or_default().to_vec();
    Some(command_text(&marked(&[vec![name], options].concat(), command)))
}

fn marked(before: &[String], command: &[String]) -> Vec<String> {
    [before, &["--".to_owned()], command].concat()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::told;
    use crate::Arguments;

    fn of(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = Arguments::try_parse_from(&words).expect_err("a mistake");
        told(&words, &error)
    }

    #[test]
    fn options_of_a_command_are_told_with_what_to_write() {
        assert_eq!(
            of("/usr/bin/engine check git status --short").as_deref(),
            Some(
                "engine: `--short` is no option of `engine check`; if it belongs to the command, write `engine check -- git status --short`\n"
            )
        );
        assert_eq!(
            of("engine explain --policy shop.kdl --mode plan rm -rf a*b").as_deref(),
            Some(
                "engine: `-r` is no option of `engine explain`; if it belongs to the command, write `engine explain --policy shop.kdl --mode plan -- rm -rf 'a*b'`\n"
            )
        );
    }

    #[test]
    fn an_option_that_is_only_misspelt_is_told_too() {
        let told = of("engine check ls --formt json").expect("a text");
        assert!(told.contains("(did you mean `--format`?)"), "{told}");
        assert!(told.contains("write `engine check -- ls --formt json`"), "{told}");
    }

    #[test]
    fn other_mistakes_are_left_to_the_reader() {
        for line in [
            "engine check --formt json",
            "engine check --mode zebra ls",
            "engine lint git --short",
            "engine chek git --short",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
