//! The second reader, tree-sitter-bash: it votes on what the strict parser understood, and serves deny rules where the strict parser
//! refuses.
//!
//! Its trees are wrong about words often enough (`docs/shell-analysis.md`) that nothing is ever allowed because of them. Invariant (only
//! stricter): removing the second reader can only make a verdict milder than it is with it, never the other way round.

#[cfg(feature = "second-reader")]
mod tree;

#[cfg(not(feature = "second-reader"))]
mod tree {
    //! Without the second reader built in, it never objects and never finds anything.

    use crate::{Field, NotUnderstood, Script};

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the same signature as with the second reader built in"
    )]
    pub(super) fn vote(_text: &str, _script: &Script) -> Result<(), NotUnderstood> {
        Ok(())
    }

    pub(super) fn search(_text: &str) -> Vec<Vec<Field>> {
        Vec::new()
    }
}

use crate::{Field, NotUnderstood, Script};

/// Whether the second reader sees the same commands in an understood text.
///
/// It agrees if its tree has no error and the same multiset of command names. More is not compared: it cuts words wrongly in too many
/// ordinary commands.
///
/// # Errors
/// [`Construct::ReadersDisagree`](crate::Construct::ReadersDisagree) with the first place where they differ.
pub fn vote(text: &str, script: &Script) -> Result<(), NotUnderstood> {
    tree::vote(text, script)
}

/// Commands that a text may hold, as far as the second reader can tell, its error nodes included: program and arguments, with what it
/// cannot tell as unknown values. For deny rules on texts that were refused; never a reason to allow.
#[must_use]
pub fn search(text: &str) -> Vec<Vec<Field>> {
    tree::search(text)
}
