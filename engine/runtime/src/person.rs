//! Who is asked where a policy wants a person to decide, and who is shown what goes on.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::Value as Json;

use crate::bash::Progress;

/// Something that is answered later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The person at work, or the client that stands for one.
pub trait Person: Send + Sync + fmt::Debug {
    /// Whether a call may be carried out.
    fn permits<'a>(&'a self, question: &'a Permit) -> Later<'a, Permission>;

    /// Whether anybody looks at what is asked: what nobody sees is not prepared.
    fn looks(&self) -> bool {
        true
    }

    /// The answers to some questions, an object by question; `None` where the person declines.
    fn answers<'a>(&'a self, questions: &'a Json) -> Later<'a, Option<Json>>;

    /// Shows a line.
    fn show(&self, text: &str);

    /// A command runs, and this is how far it has come.
    fn progress(&self, _call: &str, _progress: &Progress) {}

    /// The command of a call that progress was shown of has ended.
    fn progress_ended(&self, _call: &str) {}
}

/// A call that a policy does not allow without a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// The tool: its name, behind the one that its definition has for people.
    pub tool: String,
    /// What saying yes holds for as long as the session lasts, such as `domain:docs.rs`; one call where there is none.
    pub once: Option<String>,
    /// What the call does, in the words of the tool: a command, a path.
    pub shown: String,
    /// What it would change about a file: the beginning of a unified diff, secrets included, since that is what will be written; empty where
    /// a call changes no file by itself. What is shown is what is made, or the call fails.
    pub diff: String,
    /// Why it is asked about, one reason each.
    pub reasons: Vec<String>,
    /// What cannot be undone about it, one line each.
    pub warnings: Vec<String>,
}

/// The answer to a [`Permit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Carry it out this once.
    Granted,
    /// Do not, perhaps with what to do instead.
    Refused(Option<String>),
    /// Nobody can be asked.
    NobodyThere,
}

/// Nobody: what a policy asks about is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Person for Nobody {
    fn looks(&self) -> bool {
        false
    }

    fn permits<'a>(&'a self, _question: &'a Permit) -> Later<'a, Permission> {
        Box::pin(std::future::ready(Permission::NobodyThere))
    }

    fn answers<'a>(&'a self, _questions: &'a Json) -> Later<'a, Option<Json>> {
        Box::pin(std::future::ready(None))
    }

    fn show(&self, _text: &str) {}
}
