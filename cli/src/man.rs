//! `engine man`: manual pages, made of the same texts as `--help`.

use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::exit::Exit;
use crate::out;

/// Prints the manual, or writes a page for each subcommand
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Subcommand whose page is printed; without it, the page of `engine` itself
    #[arg(value_name = "SUBCOMMAND", conflicts_with = "output")]
    subcommand: Option<String>,

    /// Directory to write all pages to; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    output: Option<String>,
}

const EXAMPLES: &str = "Examples:
  engine man check | man -l -          read one page
  engine man --output share/man/man1   write them all";

impl Man {
    pub(crate) fn run(&self) -> Exit {
        let pages = pages();
        if let Some(directory) = &self.output {
            return match write_all(Path::new(directory), &pages) {
                Ok(()) => Exit::Fine,
                Err(error) => {
                    out::complain(&format!("engine: cannot write to `{directory}`: {error}\n"));
                    Exit::Machine
                }
            };
        }
        let name = match &self.subcommand {
            Some(name) => format!("engine-{name}"),
            None => "engine".to_owned(),
        };
        match pages.iter().find(|(own, _)| *own == name) {
            Some((_, page)) => {
                out::print(page);
                Exit::Fine
            }
            None => {
                let known: Vec<&str> = pages
                    .iter()
                    .filter_map(|(own, _)| own.strip_prefix("engine-"))
                    .collect();
                out::complain(&format!(
                    "engine: there is no such subcommand; there is {}\n",
                    known.join(", ")
                ));
                Exit::Usage
            }
        }
    }
}

fn write_all(directory: &Path, pages: &[(String, String)]) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    for (name, page) in pages {
        fs::write(directory.join(format!("{name}.1")), page)?;
    }
    Ok(())
}

/// The page of the program and of each subcommand, with its name.
fn pages() -> Vec<(String, String)> {
    let mut whole = crate::Arguments::command().disable_help_subcommand(true);
    whole.build();
    let subcommands: Vec<Command> = whole.get_subcommands().cloned().collect();
    let mut pages = vec![page("engine".to_owned(), whole)];
    for subcommand in subcommands {
        let name = format!("engine-{}", subcommand.get_name());
        pages.push(page(name, subcommand));
    }
    pages
}

fn page(name: String, command: Command) -> (String, String) {
    let after = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let has_subcommands = command.has_subcommands();
    let man = clap_mangen::Man::new(command)
        .title(name.to_uppercase())
        .source(concat!("engine ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _written = man
        .render_title(&mut text)
        .and_then(|()| man.render_name_section(&mut text))
        .and_then(|()| man.render_synopsis_section(&mut text))
        .and_then(|()| man.render_description_section(&mut text))
        .and_then(|()| man.render_options_section(&mut text))
        .and_then(|()| {
            if has_subcommands {
                man.render_subcommands_section(&mut text)
            } else {
                Ok(())
            }
        });
    let mut page = String::from_utf8_lossy(&text).into_owned();
    match after.strip_prefix("Examples:\n") {
        Some(examples) => {
            // Lines of examples stay as they are.
            page.push_str(".SH EXAMPLES\n.nf\n");
            page.push_str(&escaped(examples));
            page.push_str(".fi\n");
        }
        None if !after.is_empty() => {
            page.push_str(".SH \"EXIT STATUS\"\n");
            page.push_str(&escaped(&after));
        }
        None => {}
    }
    (name, page)
}

/// Text as roff shows it: nothing in it is an escape, no line of it is a request.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for line in text.lines() {
        if line.starts_with(['.', '\'']) {
            escaped.push_str("\\&");
        }
        escaped.push_str(
            &line
                .replace('\\', "\\e")
                .replace('-', "\\-")
                .replace('\'', "\\(aq"),
        );
        escaped.push('\n');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_line_is_a_request_and_no_character_an_escape() {
        assert_eq!(
            escaped(".so x\n'a' -b \\n"),
            "\\&.so x\n\\&\\(aqa\\(aq \\-b \\en\n"
        );
    }
}
