//! The lints by name: what each is called, how bad its findings are, and its page.
//!
//! Invariant (a page each): every lint has a page in `docs/lints/`, which is part of the build.

use crate::diagnostic::Level;

/// Makes the enum of lints from one list.
macro_rules! lints {
    ($($variant:ident $name:literal $level:ident $about:literal,)+) => {
        /// One lint.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Lint {
            $(#[doc = $about] $variant,)+
        }

        impl Lint {
            /// Every lint, in the order of its list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Every name, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// Its name, as `off` spells it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Its stable code: `lint::` and its name.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("lint::", $name),)+
                }
            }

            /// How bad its findings are.
            #[must_use]
            pub fn level(self) -> Level {
                match self {
                    $(Self::$variant => Level::$level,)+
                }
            }

            /// What it finds, in one line.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)+
                }
            }

            /// Its page: what, why, a bad and a good example, how to silence it.
            #[must_use]
            pub fn page(self) -> &'static str {
                match self {
                    $(Self::$variant => include_str!(concat!("../../../../docs/lints/", $name, ".md")),)+
                }
            }
        }
    };
}

lints! {
    NeverMatches "never-matches" Warning "a rule that matches nothing, whatever is called",
    Shadowed "shadowed" Warning "a rule that a stricter rule always overrules",
    Duplicate "duplicate" Warning "the same pattern twice with the same effect",
    Redundant "redundant" Warning "a pattern that another one of the same effect covers",
    OpensInterpreter "opens-interpreter" Warning "an allow rule that lets an interpreter run any code",
    NotAPrefix "not-a-prefix" Warning "a star glued to a word that is meant as `and anything after`",
    EvadableDeny "evadable-deny" Warning "a guard that the same command in another spelling gets around",
    UnboundedAllow "unbounded-allow" Warning "an allow rule without a bound on what it opens",
    PermissiveDefault "permissive-default" Warning "a default or mode that allows what no rule speaks of",
    AllowsSecrets "allows-secrets" Warning "an allow rule for files that hold secrets",
    HalfGuarded "half-guarded" Note "a path that may not be written but may be deleted, or the other way round",
    NotTheRoot "not-the-root" Warning "a path in the short spelling that looks absolute and starts at the project",
    McpHint "mcp-hint" Warning "a rule that trusts what an MCP server says about itself",
    MisspeltTool "misspelt-tool" Warning "a rule for a tool or a field that does not exist under this name",
    InsteadDenied "instead-denied" Warning "an `instead` that is itself denied",
    DenyWithoutBecause "deny-without-because" Note "a deny block that does not say why",
    UnreachableDefault "unreachable-default" Note "a default that is never reached",
    UnusedSet "unused-set" Warning "a set that no rule uses",
    Untested "untested" Note "a rule that no test of the policy decides",
    EmptyPolicy "empty-policy" Warning "a policy that says nothing",
    SlashdashedDeny "slashdashed-deny" Warning "a guard that `/-` takes out",
    Confusable "confusable" Error "letters of one script that look like those of another",
    Bidi "bidi" Error "characters that are not seen or that change the order in which text is shown",
    NeedlessOff "needless-off" Warning "a lint that is switched off and finds nothing",
}

impl Lint {
    /// The lint of a name, with or without `lint::` in front.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("lint::").unwrap_or(name);
        Self::ALL.iter().copied().find(|lint| lint.name() == name)
    }
}
