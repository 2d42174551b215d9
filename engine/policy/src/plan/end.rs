//! Where a pattern of a rule ends in an index: what every index answers with.

use serde::{Deserialize, Serialize};

/// Number of a group: the patterns and exceptions of one term of one rule.
pub(crate) type GroupId = u32;

/// Where a pattern ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Whose pattern ended.
    pub group: GroupId,
    /// It is an exception of the group.
    pub except: bool,
}

impl End {
    /// The end of a pattern of the group.
    pub(super) fn of(group: GroupId) -> Self {
        Self { group, except: false }
    }

    /// The end of an exception of the group.
    pub(super) fn out_of(group: GroupId) -> Self {
        Self { group, except: true }
    }
}
