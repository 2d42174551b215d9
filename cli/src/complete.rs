//! `engine completions`: completions for a shell, on standard output.
//!
//! Where a value is one of a list that the program knows, the shell offers that list; the command line itself is read as ever, so that
//! an unknown name gets the answer of its subcommand.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Command, CommandFactory};
use engine_policy::definition::shipped_definitions;
use engine_policy::lint::Lint;
use engine_policy::{Mode, SHIPPED, ToolShape};

use crate::exit::Exit;
use crate::out;
use crate::schema::SCHEMAS;

/// Prints completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

const EXAMPLES: &str = "Examples:
  engine completions bash > ~/.local/share/bash-completion/completions/engine
  engine completions fish > ~/.config/fish/completions/engine.fish";

impl Completions {
    pub(crate) fn run(&self) -> Exit {
        let mut text = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut with_names(crate::Arguments::command()),
            "engine",
            &mut text,
        );
        match String::from_utf8(text) {
            Ok(text) => {
                let text = with_files(&text);
                if self.shell == clap_complete::Shell::Bash {
                    out::print(&with_whole_words(&text));
                } else {
                    out::print(&text);
                }
                Exit::Fine
            }
            Err(_) => Exit::Internal,
        }
    }
}

/// The same command line with the names that values may have.
fn with_names(whole: Command) -> Command {
    let subcommands: Vec<String> = whole
        .get_subcommands()
        .map(|own| own.get_name().to_owned())
        .collect();
    let programs = shipped_definitions()
        .into_iter()
        .flat_map(|shipped| shipped.definition.names)
        .map(|name| name.to_string());
    let of = |subcommand: &str, argument: &str| -> Option<Vec<String>> {
        let texts = |names: &mut dyn Iterator<Item = &str>| Some(names.map(str::to_owned).collect());
        match (subcommand, argument) {
            (_, "only" | "with") | ("lint" | "test", "files") => {
                texts(&mut SHIPPED.iter().map(|(name, _)| *name))
            }
            (_, "mode") => texts(&mut Mode::ALL.iter().map(|(name, _)| *name)),
            (_, "shell") if subcommand != "completions" => texts(&mut ["bash", "zsh", "sh"].into_iter()),
            ("lint", "explain") => texts(&mut Lint::ALL.iter().map(|lint| lint.name())),
            ("schema", "name") => texts(&mut SCHEMAS.iter().map(|(name, ..)| *name)),
            ("call", "tool") | ("tools", "name") => {
                texts(&mut ToolShape::all_shipped().iter().map(|tool| tool.name))
            }
            ("man", "subcommand") => Some(subcommands.clone()),
            ("commands", "names") => Some(programs.clone().collect()),
            _ => None,
        }
    };
    whole.mut_subcommands(|subcommand| {
        let name = subcommand.get_name().to_owned();
        subcommand.mut_args(|argument| match of(&name, argument.get_id().as_str()) {
            // The description of a command line keeps names for good, and the process ends with it.
            Some(names) => argument.value_parser(PossibleValuesParser::new(
                names.into_iter().map(|name| PossibleValue::new(&*name.leak())),
            )),
            None => argument,
        })
    })
}

/// Bash breaks words at colons and equals signs, and replaces only what stands behind the last one. The function that clap writes is given
/// whole words, and what stands before the last colon is taken off its answers.
fn with_whole_words(text: &str) -> String {
    let (own, inner) = ("_engine() {", "_engine__whole() {");
    let Some((before, after)) = text.split_once(own) else {
        return text.to_owned();
    };
    format!("{before}{inner}{after}{JOINING}")
}

/// What bash calls: its definition comes last, so that it takes the place of nothing.
const JOINING: &str = r#"
_engine() {
    local command="$1" line="$COMP_LINE" word gap start at=-1 i
    local -a words=()
    for (( i = 0; i <= COMP_CWORD; i++ )); do
        word="${COMP_WORDS[i]}"
        gap="${line%%[![:blank:]]*}"
        line="${line#"$gap"}"
        line="${line#"$word"}"
        if [[ -z "$gap" && $at -gt 0 && "$word" == "=" && "${words[at]}" == --* ]]; then
            # The value of an option comes next, if only an empty one.
            (( i == COMP_CWORD )) && words[++at]=""
        elif [[ -z "$gap" && $at -gt 0 && ( "$word" == :* || "${words[at]}" == *: ) ]]; then
            words[at]+="$word"
        else
            words[++at]="$word"
        fi
    done
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=$at
    _engine__whole "$command" "${words[at]}" "${words[at-1]}"
    # As names of files the names of policies would be given a backslash before the colon.
    if [[ " ${COMPREPLY[*]}" == *" builtin:"* && "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        compopt +o filenames
        for i in "${!COMPREPLY[@]}"; do
            [[ "${COMPREPLY[i]}" == builtin:* ]] || COMPREPLY[i]="$(printf '%q' "${COMPREPLY[i]}")"
        done
    fi
    start="${words[at]%"${words[at]##*:}"}"
    if [[ -n "$start" && "$COMP_WORDBREAKS" == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$start"}")
    fi
}
"#;

/// Names of shipped policies stand where files stand, too.
fn with_files(text: &str) -> String {
    // bash, where only ends of lines stand between words, since names of files have blanks.
    let mut parts = text.split("compgen -W \"builtin:");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (names, rest) = part.split_once('"').unwrap_or((part, ""));
        text.push_str("compgen -f -W $'builtin:");
        text.push_str(&names.replace(' ', "\\n"));
        text.push('\'');
        text.push_str(rest);
    }
    // fish, zsh.
    let text = text.replace(" -r -f -a \"builtin:", " -r -F -a \"builtin:");
    let mut parts = text.split("(builtin\\:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (names, rest) = part.split_once(')').unwrap_or((part, ""));
        out.push_str("{_files; compadd -- builtin\\:");
        out.push_str(names);
        out.push('}');
        out.push_str(rest);
    }
    out
}
