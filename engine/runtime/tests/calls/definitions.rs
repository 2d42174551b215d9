//! What definitions say of calls, and that it has its effect: output that is spread, bounds, flags, names for people.

use std::fs::{self, File};

use engine_policy::Mode;
use serde_json::json;

use super::support::{ASKS, Answer, OPEN, Setup, text_of, use_of};

#[tokio::test]
async fn members_of_json_that_a_program_prints_are_parts_of_its_result() {
    let tools = r#"
tool "Own" {
    about "A test"
    body {
        run "r" "printf" "{\"name\":\"x\",\"code\":9}" output="json"
        run "s" "printf" "page{\"status\":7}" output="report"
        return "{{ r.name }} {{ r.code }} {{ s.stdout }} {{ s.status }}"
    }
}
tool "Missing" {
    about "A test"
    body {
        run "r" "printf" "text" output="json"
        return "{{ r.name }}"
    }
}
"#;
    let table = Setup::new(OPEN).tools(tools).start();
    assert_eq!(table.works("Own", json!({})).await, "x 0 page 7");
    assert!(table.fails("Missing", json!({})).await.contains("name"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_runs_as_often_at_once_as_it_says() {
    let steps = |bound: &str| {
        format!(
            r#"
tool "Own" {{
    about "A test"
    input {{ array "items" of="string" }}
    body {{
        each "item" in="{{{{ input.items }}}}" max=8 max-concurrency=4 {{
            shell "r" "mkdir busy || echo together >> seen; sleep 0.2; rmdir busy 2> /dev/null; true" {bound}
        }}
        return "done"
    }}
}}
"#
        )
    };
    for (bound, together) in [("max-concurrency=1", false), ("", true)] {
        let table = Setup::new(OPEN).tools(&steps(bound)).start();
        table.works("Own", json!({ "items": ["a", "b", "c", "d"] })).await;
        assert_eq!(table.project().join("seen").exists(), together, "{bound}");
    }
}

#[tokio::test]
async fn in_plan_mode_a_tool_runs_for_the_inputs_alone_for_which_it_is_read_only() {
    let tools = r#"
tool "Either" {
    about "A test"
    input { string "value" }
    read-only when="{{ input.value is none }}"
    body {
        when "{{ input.value is not none }}" {
            write "w" path="set.txt" content="{{ input.value }}"
        }
        return "looked"
    }
}
tool "Liar" {
    about "A test"
    input { string "value" }
    read-only when="{{ input.value is none }}"
    body {
        write "w" path="lie.txt" content="x"
        return "wrote"
    }
}
"#;
    let table = Setup::new(OPEN).tools(tools).mode(Mode::Plan).start();
    assert_eq!(table.works("Either", json!({})).await, "looked");
    let refused = table.fails("Either", json!({ "value": "x" })).await;
    assert!(
        refused.contains("plan mode has only read-only tools"),
        "{refused}"
    );
    assert!(!table.project().join("set.txt").exists());
    let refused = table
        .fails("Config", json!({ "setting": "theme", "value": "dark" }))
        .await;
    assert!(
        refused.contains("plan mode has only read-only tools"),
        "{refused}"
    );
    // Whoever says that a call changes nothing is held to it, in every mode.
    let table = Setup::new(OPEN).tools(tools).start();
    let refused = table.fails("Liar", json!({})).await;
    assert!(refused.contains("declared to change nothing"), "{refused}");
    assert!(!table.project().join("lie.txt").exists());
    assert_eq!(table.works("Liar", json!({ "value": "x" })).await, "wrote");
}

const ERASE: &str = r#"
tool "Erase" {
    about "A test"
    user-facing-name "Erase {{ input.path }}"
    destructive when="{{ input.path != 'draft' }}"
    input { string "path" required=#true }
    body {
        run "r" "rm" "-f" "--" "{{ input.path }}"
        return "gone"
    }
}
"#;

#[tokio::test]
async fn a_person_sees_the_name_for_people_and_what_cannot_be_undone() {
    let table = Setup::new(ASKS)
        .tools(ERASE)
        .says(&[Answer::Yes, Answer::Yes])
        .start();
    table.works("Erase", json!({ "path": "draft" })).await;
    table.works("Erase", json!({ "path": "thesis" })).await;
    let asked = table.person.asked.lock().expect("asked").clone();
    assert_eq!(asked[0].tool, "Erase draft (Erase)");
    let warned = "what `Erase` does cannot be undone".to_owned();
    assert!(!asked[0].warnings.contains(&warned), "{asked:?}");
    assert!(asked[1].warnings.contains(&warned), "{asked:?}");
}

const VISIT: &str = r#"
tool "Visit" {
    about "A test"
    input { url "url" required=#true { connects } }
    result-name "domain:{{ input.url.host }}"
    body { return "seen" }
}
"#;

#[tokio::test]
async fn what_a_result_name_stands_for_is_approved_once_and_nothing_else() {
    let visit = |url: &str| json!({ "url": url });
    let table = Setup::new(ASKS)
        .tools(VISIT)
        .says(&[Answer::Yes, Answer::No(None), Answer::No(None)])
        .start();
    table.works("Visit", visit("https://a.example/1")).await;
    table.works("Visit", visit("https://a.example/2")).await;
    assert_eq!(table.person.asked.lock().expect("asked").len(), 1);
    table.fails("Visit", visit("https://b.example/1")).await;
    // What was refused was not approved.
    table.fails("Visit", visit("https://b.example/1")).await;
    let asked = table.person.asked.lock().expect("asked").clone();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].once.as_deref(), Some("domain:a.example"));
    // What a rule asks about is asked about each time.
    let rule = format!("{ASKS}ask \"some\" {{ network \"*.example\" }}\n");
    let table = Setup::new(&rule)
        .tools(VISIT)
        .says(&[Answer::Yes, Answer::Yes])
        .start();
    table.works("Visit", visit("https://a.example/1")).await;
    table.works("Visit", visit("https://a.example/1")).await;
    assert_eq!(table.person.asked.lock().expect("asked").len(), 2);
}

#[tokio::test]
async fn a_file_over_the_limit_is_read_by_range_only() {
    let table = Setup::new(OPEN).start();
    let path = table.path("large.txt");
    let file = File::create(&path).expect("a file");
    file.set_len(101_000_000).expect("sparse");
    let whole = table.fails("Read", json!({ "file_path": path })).await;
    assert!(whole.contains("100 MB") && whole.contains("offset"), "{whole}");
    // The range is taken, and what the file holds is another matter.
    let (text, _) = table.call("Read", json!({ "file_path": path, "limit": 1 })).await;
    assert!(!text.contains("offset"), "{text}");
}

#[tokio::test]
async fn a_screenshot_is_read_under_the_other_space_where_that_one_may_be_read() {
    let there = "Shot at 10.15.00\u{202f}AM.txt";
    let asked = "Shot at 10.15.00 AM.txt";
    let table = Setup::new(OPEN).file(there, "a picture\n").start();
    let text = table
        .works("Read", json!({ "file_path": table.path(asked) }))
        .await;
    assert!(
        text.contains("a picture") && text.contains("the other kind of space"),
        "{text}"
    );
    let read: Vec<_> = table
        .decided()
        .iter()
        .map(|heard| heard.input["file_path"].clone())
        .collect();
    assert_eq!(read, [table.path(asked), table.path(there)]);
    // Its own name is decided: who may read the one may not therefore read the other.
    let denies = format!("{OPEN}deny \"shots\" {{ read \"**/*\u{202f}AM.txt\" }}\n");
    let table = Setup::new(&denies).file(there, "a picture\n").start();
    let text = table
        .fails("Read", json!({ "file_path": table.path(asked) }))
        .await;
    assert!(!text.contains("a picture"), "{text}");
}

#[tokio::test]
async fn long_output_of_a_command_lies_where_every_long_result_lies() {
    let table = Setup::new(OPEN).start();
    let text = "for n in $(seq 20000); do echo line; done";
    let json = "printf '['; for n in $(seq 20000); do printf '1111,'; done; printf '1]'";
    for (id, command, file) in [("t", text, "t.txt"), ("j", json, "j.json")] {
        let results = table
            .calls(vec![use_of(id, "Bash", json!({ "command": command }))])
            .await;
        let shown = text_of(&results[0]);
        let path = table.root().join("state/results").join(file);
        assert!(shown.contains(path.to_str().expect("text")), "{shown}");
        assert!(fs::metadata(&path).expect("kept").len() > 90_000);
    }
    let left = fs::read_dir(table.root().join("state/results"))
        .expect("results")
        .count();
    assert_eq!(left, 2, "nothing lies there twice");
}
