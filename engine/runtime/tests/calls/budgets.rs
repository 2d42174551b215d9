//! Results that are too long: per tool, per message, and where they are put.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use engine_tools::budget::Budgets;
use engine_tools::definition::Budget;
use serde_json::json;

use super::support::{OPEN, Setup, text_of, use_of};

/// A tool that says its text, however long.
const SAY: &str = r#"
tool "Say" {
    about "Says it"
    input strict=#true { string "text" required=#true; integer "times" default=1; }
    read-only
    concurrency-safe
    budget chars=1000
    body { return "{{ input.text * input.times }}"; }
}
"#;

fn say() -> Setup {
    Setup::new(OPEN).tools(&SAY.replace(
        "{{ input.text * input.times }}",
        "{% for n in range(input.times) %}{{ input.text }}{% endfor %}",
    ))
}

#[tokio::test]
async fn what_is_over_the_budget_of_its_tool_is_put_away_whole() {
    let table = say().start();
    let short = table.works("Say", json!({ "text": "ä", "times": 1000 })).await;
    assert_eq!(short, "ä".repeat(1000), "a budget counts characters");
    let results = table
        .calls(vec![use_of(
            "toolu_1",
            "Say",
            json!({ "text": "line\n", "times": 2000 }),
        )])
        .await;
    let shown = text_of(&results[0]);
    let path = table.root().join("state/results/toolu_1.txt");
    assert!(shown.starts_with("<persisted-output>\n"), "{shown}");
    assert!(shown.contains(path.to_str().expect("text")), "{shown}");
    assert!(shown.len() < 2500);
    assert_eq!(
        fs::read_to_string(&path).expect("put away"),
        "line\n".repeat(2000)
    );
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(table.session.stand_in("toolu_1").as_deref(), Some(shown.as_str()));
    assert_eq!(table.session.stand_in("toolu_2"), None);
}

#[tokio::test]
async fn a_result_never_goes_over_an_existing_file_or_through_a_link() {
    let table = say().start();
    let results = table.root().join("state/results");
    fs::create_dir_all(&results).expect("made");
    fs::write(results.join("one.txt"), "mine").expect("written");
    fs::write(table.root().join("elsewhere"), "mine").expect("written");
    std::os::unix::fs::symlink(table.root().join("elsewhere"), results.join("two.txt")).expect("linked");
    for id in ["one", "two"] {
        let said = table
            .calls(vec![use_of(id, "Say", json!({ "text": "x", "times": 5000 }))])
            .await;
        assert!(!text_of(&said[0]).is_empty() && text_of(&said[0]).len() < 3000);
    }
    assert_eq!(fs::read_to_string(results.join("one.txt")).expect("kept"), "mine");
    assert_eq!(
        fs::read_to_string(table.root().join("elsewhere")).expect("kept"),
        "mine"
    );
}

#[tokio::test]
async fn without_a_place_for_it_a_result_is_cut_and_says_so() {
    let setup = say();
    let file = setup.root().join("a-file");
    fs::write(&file, "").expect("written");
    let table = setup.results(file.join("results")).start();
    let said = table.works("Say", json!({ "text": "x", "times": 5000 })).await;
    assert!(
        said.contains("cannot be kept") && said.contains("xxx") && said.len() < 3000,
        "{said}"
    );
    let setup = say();
    let full = std::path::PathBuf::from("/proc/self/results");
    let table = setup.results(full).start();
    let said = table.works("Say", json!({ "text": "x", "times": 5000 })).await;
    assert!(said.contains("cannot be kept"), "{said}");
}

#[tokio::test]
async fn the_largest_results_of_a_message_are_put_away_first() {
    let budgets = Budgets {
        tools: BTreeMap::from([("Say".into(), Budget::Chars(50_000))]),
        message: 30_000,
        ..Budgets::default()
    };
    let table = say().budgets(budgets).start();
    let call = |id: &str, times: u32| use_of(id, "Say", json!({ "text": "x", "times": times }));
    let results = table
        .calls(vec![call("a", 5000), call("b", 40_000), call("c", 20_000)])
        .await;
    assert_eq!(text_of(&results[0]).len(), 5000);
    assert!(text_of(&results[1]).starts_with("<persisted-output>"));
    assert_eq!(text_of(&results[2]).len(), 20_000);
    assert_eq!(table.session.stand_in("a"), None);
    assert_eq!(
        table.session.stand_in("b").as_deref(),
        Some(text_of(&results[1]).as_str())
    );
}

#[tokio::test]
async fn ids_that_are_no_names_lead_nowhere_else() {
    let table = say().start();
    let ids = [
        "../../out",
        "/tmp/out",
        "a/b",
        "a_b",
        "a\0b",
        "",
        ".",
        "..",
        "ü",
        &"x".repeat(5000),
    ];
    let calls = ids
        .iter()
        .map(|id| use_of(id, "Say", json!({ "text": "x", "times": 5000 })))
        .collect();
    let results = table.calls(calls).await;
    assert_eq!(results.len(), ids.len());
    for result in &results {
        assert!(
            text_of(result).starts_with("<persisted-output>"),
            "{}: {}",
            result.id,
            text_of(result)
        );
    }
    let files = fs::read_dir(table.root().join("state/results"))
        .expect("results")
        .count();
    assert_eq!(files, ids.len(), "each has a file of its own");
    assert!(!table.root().join("out.txt").exists());
}

#[tokio::test]
async fn an_id_is_taken_once() {
    let table = say().start();
    let results = table
        .calls(vec![
            use_of("same", "Say", json!({ "text": "x", "times": 5000 })),
            use_of(
                "same",
                "Write",
                json!({ "file_path": table.path("a.txt"), "content": "x" }),
            ),
        ])
        .await;
    assert!(text_of(&results[0]).starts_with("<persisted-output>"));
    assert!(results[1].output.is_error);
    assert!(
        text_of(&results[1]).contains("An earlier call had the id `same`"),
        "{results:?}"
    );
    assert!(!table.project().join("a.txt").exists());
}
