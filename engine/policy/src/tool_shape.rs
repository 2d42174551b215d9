//! What the input of a tool says that a call touches: the part of a tool's definition that deciding needs.

mod shipped;

/// A tool whose input is understood.
#[derive(Clone, Copy, Debug)]
pub struct ToolShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// Every field that its input may have.
    pub fields: &'a [FieldShape<'a>],
    /// Whether the input tells all that a call does.
    pub effects: Effects,
    /// Who keeps to the policy below a directory that is read with all in it.
    pub trees: Trees,
}

/// Who keeps to the policy below a directory that is read with all in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trees {
    /// Nobody: all that lies there is read, and so all of it is decided beforehand.
    Whole,
    /// What carries the call out: it holds every file against the policy ([`Sieve`](crate::Sieve)), so that the directory itself is what
    /// is decided.
    Sieved,
}

/// A field of a tool's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its value says, if anything.
    pub role: Option<Role>,
    /// It holds a list, each item of which says so; otherwise a list is no value for it.
    pub many: bool,
    /// What it is where a call leaves it out.
    pub absent: Absent<'a>,
}

/// What leaving a field out means for what a call touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent<'a> {
    /// The call is wrong.
    Wrong,
    /// Nothing.
    Nothing,
    /// The same as this value.
    Means(&'a str),
}

/// Whether the input of a tool tells all that a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// It does: a call needs no rule of its own beside those for what its fields request.
    InInput,
    /// It does not: where no rule speaks of the tool, the default for tools decides.
    Unsaid,
}

/// What a field of a tool's input says. A list of texts says it of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A path that is read; of a directory its names.
    Reads,
    /// A path that is read with all that is below it.
    ReadsTree,
    /// A path that is created or changed.
    Writes,
    /// A path that is deleted.
    Deletes,
    /// A host or URL that is connected to.
    Connects,
    /// A glob over names, which may lead elsewhere.
    Names,
    /// A switch that takes the confinement away.
    Unconfined,
    /// A text for the shell.
    RunsShell,
    /// The type of a sub-agent.
    Agent,
    /// The name of a skill.
    Skill,
}

impl Role {
    /// Every role with its word in a definition.
    pub const ALL: &[(&str, Self)] = &[
        ("reads", Self::Reads),
        ("reads-tree", Self::ReadsTree),
        ("writes", Self::Writes),
        ("deletes", Self::Deletes),
        ("connects", Self::Connects),
        ("runs-shell", Self::RunsShell),
        ("names", Self::Names),
        ("unconfined", Self::Unconfined),
        ("agent", Self::Agent),
        ("skill", Self::Skill),
    ];

    /// Its word in a definition.
    #[must_use]
    pub fn word(self) -> &'static str {
        let own = Self::ALL.iter().find(|(_, role)| *role == self);
        own.map_or("", |(word, _)| word)
    }
}

impl ToolShape<'static> {
    /// The shipped tool of this name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<&'static Self> {
        Self::all_shipped().iter().find(|shape| shape.name == name)
    }

    /// Every shipped tool whose input is understood.
    #[must_use]
    pub fn all_shipped() -> &'static [Self] {
        shipped::SHIPPED
    }
}
