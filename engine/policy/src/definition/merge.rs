//! Puts what an included file says into the definition that includes it.
//!
//! Invariant (included counts): where both say something of one option or of the operands, the included file counts, as the usage
//! specification has it; nothing that only one of them says is lost.

use super::model::{Command, Definition};
use super::read::{MOST_NAMES, index};

/// Adds the content of an included file.
pub(crate) fn merge(into: &mut Definition, from: Definition) {
    into.exit_codes.extend(from.exit_codes);
    into.tests.extend(from.tests);
    into.alone.extend(from.alone);
    if into.source.is_empty() {
        into.source = from.source;
    }
    if into.about.is_empty() {
        into.about = from.about;
    }
    into.default_subcommand = from.default_subcommand.or(into.default_subcommand.take());
    merge_command(&mut into.command, from.command);
}

fn merge_command(into: &mut Command, from: Command) {
    let overlap = |names: &[smol_str::SmolStr]| {
        from.flags
            .iter()
            .any(|flag| flag.names.iter().any(|name| names.contains(name)))
    };
    into.flags.retain(|flag| !overlap(&flag.names));
    let mut names = 0;
    into.flags.extend(from.flags);
    into.flags.retain(|flag| {
        names += flag.names.len();
        names <= MOST_NAMES
    });
    into.index = index(&into.flags);
    into.aliases.extend(from.aliases);
    into.class = from.class.or(into.class.take());
    into.complete |= from.complete;
    into.wrapper |= from.wrapper;
    into.operands_run |= from.operands_run;
    into.blocks.extend(from.blocks);
    into.own.extend(from.own);
    if !from.args.is_empty() {
        into.args = from.args;
    }
    for inner in from.commands {
        match into.commands.iter_mut().find(|own| own.name == inner.name) {
            Some(own) => {
                if let (Some(mut both), Some(inner)) = (own.command().cloned(), inner.command().cloned()) {
                    merge_command(&mut both, inner);
                    *own = both.into();
                }
            }
            None => into.commands.push(inner),
        }
    }
}
