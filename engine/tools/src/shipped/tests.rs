//! Facts about the shipped tools.

use super::read_shipped;

#[test]
fn every_shipped_definition_is_without_problems() {
    let (tools, diagnostics, sources) = read_shipped();
    let shown: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.place().expect("a place");
            let at = sources.line_column(place);
            format!(
                "{}:{}:{}: {} ({:?})",
                sources.name(place),
                at.line,
                at.column,
                diagnostic.message,
                diagnostic.help
            )
        })
        .collect();
    assert_eq!(shown, Vec::<String>::new());
    assert!(tools.len() > 5);
}
