//! The shipped tools whose input says what a call touches.
//!
//! Source: the tool interface that agents know (names and fields are fixed).

use super::{Absent, Effects, FieldShape, Role, ToolShape};

const fn needed(name: &'static str, role: Role) -> FieldShape<'static> {
    FieldShape {
        name,
        role,
        absent: Absent::Wrong,
    }
}

const fn plain(name: &'static str) -> FieldShape<'static> {
    FieldShape {
        name,
        role: Role::Nothing,
        absent: Absent::Nothing,
    }
}

const fn with(name: &'static str, role: Role, absent: Absent<'static>) -> FieldShape<'static> {
    FieldShape { name, role, absent }
}

/// All of them.
pub(crate) const SHIPPED: &[ToolShape<'static>] = &[
    ToolShape {
        name: "Bash",
        effects: Effects::InInput,
        fields: &[
            needed("command", Role::Shell),
            plain("timeout"),
            plain("description"),
            plain("run_in_background"),
            with("dangerouslyDisableSandbox", Role::Unconfined, Absent::Nothing),
        ],
    },
    ToolShape {
        name: "Read",
        effects: Effects::InInput,
        fields: &[
            needed("file_path", Role::Reads),
            plain("offset"),
            plain("limit"),
            plain("pages"),
        ],
    },
    ToolShape {
        name: "Write",
        effects: Effects::InInput,
        fields: &[
            needed("file_path", Role::Writes),
            needed("content", Role::Nothing),
        ],
    },
    ToolShape {
        name: "Edit",
        effects: Effects::InInput,
        fields: &[
            needed("file_path", Role::Writes),
            needed("old_string", Role::Nothing),
            needed("new_string", Role::Nothing),
            plain("replace_all"),
        ],
    },
    ToolShape {
        name: "NotebookEdit",
        effects: Effects::InInput,
        fields: &[
            needed("notebook_path", Role::Writes),
            plain("command"),
            plain("cell_number"),
            plain("cell_type"),
            plain("new_source"),
        ],
    },
    ToolShape {
        name: "Glob",
        effects: Effects::InInput,
        fields: &[
            needed("pattern", Role::Names),
            with("path", Role::Reads, Absent::Means(".")),
        ],
    },
    ToolShape {
        name: "Grep",
        effects: Effects::InInput,
        fields: &[
            needed("pattern", Role::Nothing),
            with("path", Role::ReadsTree, Absent::Means(".")),
            plain("glob"),
            plain("type"),
            plain("output_mode"),
            plain("-A"),
            plain("-B"),
            plain("-C"),
            plain("context"),
            plain("-n"),
            plain("-i"),
            plain("multiline"),
            plain("head_limit"),
            plain("offset"),
        ],
    },
    ToolShape {
        name: "WebFetch",
        effects: Effects::InInput,
        fields: &[needed("url", Role::Connects), plain("prompt")],
    },
    ToolShape {
        name: "Agent",
        effects: Effects::InInput,
        fields: &[
            plain("description"),
            plain("prompt"),
            with("subagent_type", Role::Agent, Absent::Nothing),
            plain("model"),
            plain("run_in_background"),
            plain("isolation"),
            plain("cwd"),
            plain("name"),
            plain("team_name"),
            plain("mode"),
        ],
    },
    ToolShape {
        name: "Skill",
        effects: Effects::InInput,
        fields: &[needed("skill", Role::Skill), plain("args")],
    },
];
