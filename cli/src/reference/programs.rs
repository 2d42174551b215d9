//! The page that lists the programs with a shipped definition.

use engine_policy::definition::{Shipped, shipped_definitions};

use super::table;
use crate::commands::list::Complete;

pub(super) fn page() -> String {
    let mut shipped = shipped_definitions();
    shipped.sort_by(|a, b| a.definition.names.cmp(&b.definition.names));
    let rows: Vec<Vec<String>> = shipped
        .iter()
        .map(|Shipped { definition, file, .. }| {
            let names: Vec<String> = definition.names.iter().map(|name| format!("`{name}`")).collect();
            vec![
                names.join(" "),
                definition.about.to_string(),
                Complete::of(&definition.command).word().to_owned(),
                definition.source.to_string(),
                file.to_string(),
            ]
        })
        .collect();
    super::page(
        "Programs",
        "Programs that have a shipped definition. `engine commands NAME` shows everything about one. Where a definition is complete, a command \
         that it explains needs no rule; what it touches does. The files are in `tooldefs/commands/`.",
        &table(&["names", "about", "complete", "read against", "file"], &rows),
    )
}
