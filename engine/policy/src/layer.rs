//! Where a policy comes from, and whether it may loosen what the others say.
//!
//! Every layer can tighten. A file that came along with a project may loosen only after a person has trusted it, since whoever wrote
//! the project wrote the file too; what the managed layer locks, nobody below it loosens (`docs/layers.md`).

use serde::{Deserialize, Serialize};

/// Where a policy comes from, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Layer {
    /// Shipped with the engine: the ground where nobody else lays one.
    Builtin,
    /// The person's own, for every project.
    User,
    /// Those of the projects that lie around this one, and of the one that the engine was started in: they can only tighten.
    Around,
    /// The project's, shared by everybody who works on it.
    Project,
    /// The person's own for one project, which is not shared.
    Local,
    /// Named on the command line.
    CommandLine,
    /// The machine's, which its administrator owns.
    Managed,
}

impl Layer {
    /// Every layer, the weakest first.
    pub const ALL: [Self; 7] = [
        Self::Builtin,
        Self::User,
        Self::Around,
        Self::Project,
        Self::Local,
        Self::CommandLine,
        Self::Managed,
    ];

    /// The word for it in messages and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::User => "user",
            Self::Around => "around",
            Self::Project => "project",
            Self::Local => "local",
            Self::CommandLine => "command-line",
            Self::Managed => "managed",
        }
    }

    /// Whether it lies in the project, where whoever wrote the project may have written it: it loosens only when trusted.
    #[must_use]
    pub fn needs_trust(self) -> bool {
        match self {
            Self::Project | Self::Local => true,
            Self::Builtin | Self::User | Self::Around | Self::CommandLine | Self::Managed => false,
        }
    }

    /// Whether it can never do more than tighten, whoever trusts it.
    #[must_use]
    pub fn only_tightens(self) -> bool {
        match self {
            Self::Around => true,
            Self::Builtin | Self::User | Self::Project | Self::Local | Self::CommandLine | Self::Managed => {
                false
            }
        }
    }
}

/// How the file of a document takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Where it comes from.
    pub layer: Layer,
    /// Whether a person stands behind it: what is not trusted only tightens.
    pub trusted: bool,
    /// Which of the projects around the present one it belongs to, from 1; 0 for every other layer.
    pub around: u8,
}

impl Standing {
    /// A file of a layer.
    #[must_use]
    pub fn new(layer: Layer, trusted: bool) -> Self {
        Self {
            layer,
            trusted,
            around: 0,
        }
    }
}

impl Default for Standing {
    /// A policy that somebody names: it has its full say.
    fn default() -> Self {
        Self::new(Layer::CommandLine, true)
    }
}

/// Why something that a policy says does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// It would loosen, and nobody has trusted the file.
    NotTrusted,
    /// It would loosen, and belongs to a project around the present one.
    Around,
    /// It would loosen what the managed layer locks.
    Locked,
}

impl Reason {
    /// Why a file of a layer may not loosen, where it is not trusted.
    pub(crate) fn of_untrusted(layer: Layer) -> Self {
        if layer.only_tightens() {
            Self::Around
        } else {
            Self::NotTrusted
        }
    }
}

/// What a layer says that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// The layer.
    pub layer: Layer,
    /// The files that it starts with.
    pub files: Vec<String>,
    /// Why.
    pub reason: Reason,
    /// Number of `allow` rules.
    pub rules: usize,
    /// Number of defaults, checks, modes, limits, budgets and hooks.
    pub settings: usize,
    /// Number of command definitions.
    pub definitions: usize,
}

impl Withheld {
    pub(crate) fn new(layer: Layer, reason: Reason) -> Self {
        Self {
            layer,
            files: Vec::new(),
            reason,
            rules: 0,
            settings: 0,
            definitions: 0,
        }
    }

    /// Whether nothing is withheld.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules + self.settings + self.definitions == 0
    }

    /// The same in words: `3 allow rules and 1 setting`.
    #[must_use]
    pub fn describe(&self) -> String {
        let many = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{count} {what}s")),
        };
        [
            many(self.rules, "allow rule"),
            many(self.settings, "setting"),
            many(self.definitions, "command definition"),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" and ")
    }
}
