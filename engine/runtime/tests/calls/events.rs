//! Events of a session that are about no call: what hooks are told, and what becomes of what they say.

use std::fs;

use serde_json::{Value as Json, json};

use super::support::{OPEN, Setup, Table};

/// An event as whoever has an agent fires it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fired {
    Start,
    Prompt,
    Stop,
    SubagentStop,
    End,
}

impl Fired {
    const ALL: [Self; 5] = [
        Self::Start,
        Self::Prompt,
        Self::Stop,
        Self::SubagentStop,
        Self::End,
    ];

    /// The word of the policy, and the name that hooks are told.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Start => ("start", "SessionStart"),
            Self::Prompt => ("prompt", "UserPromptSubmit"),
            Self::Stop => ("stop", "Stop"),
            Self::SubagentStop => ("subagent-stop", "SubagentStop"),
            Self::End => ("end", "SessionEnd"),
        }
    }

    /// What hooks are told beside what they are always told.
    fn told(self) -> Json {
        match self {
            Self::Start => json!({ "source": "resume" }),
            Self::Prompt => json!({ "prompt": "Mend \"the door\"\nand the roof" }),
            Self::Stop => json!({ "stop_hook_active": true }),
            Self::SubagentStop => {
                json!({ "agent_id": "a-1", "agent_type": "Explore", "stop_hook_active": false })
            }
            Self::End => json!({ "reason": "clear" }),
        }
    }

    async fn fire(self, table: &Table) -> Result<Vec<String>, String> {
        let session = &table.session;
        match self {
            Self::Start => session.begin("resume").await,
            Self::Prompt => session.prompted("Mend \"the door\"\nand the roof").await,
            Self::Stop => session.stopping(true).await,
            Self::SubagentStop => session.subagent_stopping("Explore", "a-1", false).await,
            Self::End => {
                session.ending("clear").await;
                Ok(Vec::new())
            }
        }
    }

    /// Whether anything can keep it from happening.
    fn can_be_refused(self) -> bool {
        self != Self::End
    }
}

/// A session with one hook for an event.
fn hooked(event: Fired, run: &str, more: &str) -> Table {
    let word = event.names().0;
    let policy = format!("{OPEN}\nhooks {{ {word} run=#\"{run}\"# {more}; }}");
    Setup::new(&policy).start()
}

#[tokio::test]
async fn every_event_tells_its_hooks_what_happened() {
    for event in Fired::ALL {
        let table = hooked(event, "cat > seen.json", "");
        assert_eq!(event.fire(&table).await, Ok(Vec::new()), "{event:?}");
        let seen: Json = table.text("seen.json").parse().expect("JSON");
        let mut expected = json!({
            "session_id": "s1", "cwd": table.project(), "permission_mode": "default",
            "hook_event_name": event.names().1,
        });
        let all = expected.as_object_mut().expect("an object");
        all.extend(event.told().as_object().expect("an object").clone());
        assert_eq!(seen, expected, "{event:?}");
    }
}

#[tokio::test]
async fn exit_code_2_and_a_block_refuse_with_their_reason() {
    for event in Fired::ALL {
        for run in [
            "echo ' the tests are red ' >&2; exit 2",
            "echo '{\"decision\":\"block\",\"reason\":\"the tests are red\"}'",
            "echo '{\"continue\":false,\"stopReason\":\"the tests are red\"}'",
            // Nobody can be asked about an event.
            "echo '{\"decision\":\"ask\",\"reason\":\"the tests are red\"}'",
        ] {
            let table = hooked(event, run, "");
            let expected = if event.can_be_refused() {
                Err("the tests are red".to_owned())
            } else {
                Ok(Vec::new())
            };
            assert_eq!(event.fire(&table).await, expected, "{event:?}: {run}");
            let ends = run.contains("continue").then(|| "the tests are red".to_owned());
            assert_eq!(table.session.stopped(), ends, "{event:?}: {run}");
        }
    }
}

#[tokio::test]
async fn an_agent_that_was_told_to_stop_for_good_starts_no_call() {
    let table = hooked(
        Fired::Stop,
        "echo '{\"continue\":false,\"stopReason\":\"enough\"}'",
        "",
    );
    assert_eq!(table.session.stopping(false).await, Err("enough".to_owned()));
    let said = table.fails("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(said, "Not started: a hook ended the work: enough");
    assert!(!table.project().join("x").exists());
}

#[tokio::test]
async fn a_hook_that_fails_is_reported_and_refuses_where_the_policy_says_so() {
    for event in Fired::ALL {
        for (run, more, why) in [
            ("exit 1", "", "it ended with exit code 1"),
            ("echo '{'", "", "failed: "),
            ("kill -9 $$", "", "it was ended by signal 9"),
            ("sleep 20", "timeout=\"200ms\"", "it took longer than 200 ms"),
        ] {
            let table = hooked(event, run, more);
            let begun = std::time::Instant::now();
            assert_eq!(event.fire(&table).await, Ok(Vec::new()), "{event:?}: {run}");
            assert!(begun.elapsed().as_secs() < 10, "{event:?}: {run}");
            let shown = table.person.shown.lock().expect("shown").clone();
            assert!(
                shown.len() == 1 && shown[0].contains(why),
                "{event:?}: {run}: {shown:?}"
            );
            // What has ended cannot be kept from it.
            if event.can_be_refused() {
                let strict = hooked(event, run, &format!("{more} on-error=\"deny\""));
                let reason = event.fire(&strict).await.expect_err("a refusal");
                assert!(reason.contains(why), "{event:?}: {run}: {reason}");
            }
        }
    }
}

#[tokio::test]
async fn what_a_hook_adds_is_for_the_model() {
    let added = vec!["mind the gap".to_owned()];
    for event in [Fired::Start, Fired::Prompt, Fired::Stop, Fired::SubagentStop] {
        let json = hooked(event, "echo '{\"additionalContext\":\"mind the gap\"}'", "");
        assert_eq!(event.fire(&json).await, Ok(added.clone()), "{event:?}");
        let plain = hooked(event, "echo mind the gap", "");
        let expected = match event {
            Fired::Start | Fired::Prompt => added.clone(),
            Fired::Stop | Fired::SubagentStop | Fired::End => Vec::new(),
        };
        assert_eq!(event.fire(&plain).await, Ok(expected), "{event:?}");
    }
    let shown = hooked(Fired::End, "echo '{\"systemMessage\":\"good night\"}'", "");
    Fired::End.fire(&shown).await.expect("an end");
    assert_eq!(*shown.person.shown.lock().expect("shown"), ["good night"]);
}

#[tokio::test]
async fn matchers_look_at_what_belongs_to_the_event() {
    for (event, matching, other) in [
        (Fired::Start, "startup|resume", "startup"),
        (Fired::SubagentStop, "Explore|Plan", "Plan"),
        (Fired::SubagentStop, "^Expl", "^xplore"),
        (Fired::End, "clear", "logout"),
    ] {
        let word = event.names().0;
        let policy = format!(
            "{OPEN}\nhooks {{ {word} \"{matching}\" run=\"touch matching\"; {word} \"{other}\" run=\"touch other\"; {word} run=\"touch any\" }}"
        );
        let table = Setup::new(&policy).start();
        event.fire(&table).await.expect("it goes on");
        let mut names: Vec<_> = (fs::read_dir(table.project()).expect("a project"))
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["any", "matching"], "{event:?}: {matching}, {other}");
    }
}

#[tokio::test]
async fn no_event_reaches_the_hooks_of_another() {
    let all: Vec<String> = (Fired::ALL.iter())
        .map(|event| format!("{} run=\"echo {} >> seen\"", event.names().0, event.names().0))
        .collect();
    let policy = format!("{OPEN}\nhooks {{ {} }}", all.join("; "));
    let table = Setup::new(&policy).start();
    for event in Fired::ALL {
        event.fire(&table).await.expect("it goes on");
    }
    assert_eq!(table.text("seen"), "start\nprompt\nstop\nsubagent-stop\nend\n");
}
