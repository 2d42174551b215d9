//! Options that several subcommands share.

use engine_policy::Mode;
use engine_shell::Shell;

use crate::policies::found::Named;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people; not a stable interface
    #[default]
    Human,
    /// For programs; stable
    Json,
    /// SARIF 2.1.0, for code scanners
    Sarif,
    /// Workflow commands, which a forge shows beside the lines
    Github,
    /// The XML of `JUnit`, for build servers
    Junit,
}

/// How what is no result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DataFormat {
    /// For people; not a stable interface
    #[default]
    Human,
    /// For programs; stable
    Json,
}

/// Which policies decide, besides those of the machine.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Policies {
    /// Policy file, `.kdl` or `.toml`, or `builtin:NAME`; may be given several times. Without it, the user's and the project's, else
    /// the shipped `builtin:base`
    #[arg(long = "policy", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub only: Vec<String>,

    /// Policy file that counts besides those found; may be given several times
    #[arg(long = "with", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub with: Vec<String>,
}

impl Default for Circumstances {
    /// Those of a command line that says nothing of them.
    fn default() -> Self {
        Self {
            policies: Policies::default(),
            mode: None,
            cwd: None,
            shell: Shell::Bash,
            headless: false,
            format: Format::default(),
        }
    }
}

impl Policies {
    pub(crate) fn named(&self) -> Named {
        Named {
            only: self.only.clone(),
            with: self.with.clone(),
        }
    }
}

/// Which policy decides, and under which circumstances.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Circumstances {
    #[command(flatten)]
    pub policies: Policies,

    /// Mode of the session
    #[arg(long, value_name = "MODE", value_parser = parse_mode)]
    pub mode: Option<Mode>,

    /// Directory that the call starts in
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub cwd: Option<String>,

    /// Shell that would run the command
    #[arg(long, value_name = "SHELL", value_parser = parse_shell, default_value = "bash")]
    pub shell: Shell,

    /// Nobody can be asked: apply the policy's `headless` default to what would ask
    #[arg(long)]
    pub headless: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

pub(crate) fn parse_mode(word: &str) -> Result<Mode, String> {
    Mode::from_word(word).ok_or_else(|| {
        let known: Vec<_> = Mode::ALL.iter().map(|(name, _)| *name).collect();
        format!("the modes are {}", known.join(", "))
    })
}

pub(crate) fn parse_shell(word: &str) -> Result<Shell, String> {
    match word {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "sh" => Ok(Shell::Sh),
        _ => Err("the shells are bash, zsh, sh".to_owned()),
    }
}
