//! What cannot be decided is stopped, and no event that is spoilt in any way gets an open answer.

use super::*;

#[test]
fn what_cannot_be_decided_is_stopped_twice() {
    let mut machine = Machine::new(RULES);
    machine.broken = true;
    for client in Client::ALL {
        let (tool, input) = shell(client, "ls");
        let answer = machine.ask(client, tool, input);
        assert_eq!(answer.code, 2);
        assert!(answer.complaint.contains("it is broken"), "{}", answer.complaint);
        assert!(
            answer.output.contains("\"deny\"") && answer.output.contains("it is broken"),
            "{}",
            answer.output
        );
    }
}

#[test]
fn essentials_of_another_shape_are_stopped_and_all_else_may_be_anything() {
    let machine = Machine::new(RULES);
    for client in Client::ALL {
        let (tool, input) = shell(client, "ls");
        let good = event(client, tool, input);
        let open = if client == Client::Codex {
            "silence"
        } else {
            "allow"
        };
        let of = |event: &Json| word(client, &machine.answer(client, event.to_string().as_bytes()));
        assert_eq!(of(&good), open);
        for field in ["hook_event_name", "tool_name", "tool_input", "cwd"] {
            for wrong in [
                Json::Null,
                json!(5),
                json!(""),
                json!([]),
                json!("relative"),
                json!(true),
            ] {
                let mut event = good.clone();
                event[field] = wrong.clone();
                let word = of(&event);
                // A text is a name of a tool, if of none that is known.
                let is_name = field == "tool_name" && wrong == json!("relative");
                assert!(
                    word == "stop" || (is_name && word != open),
                    "{field} {wrong}: {word}"
                );
            }
            let mut event = good.clone();
            event.as_object_mut().unwrap().remove(field);
            assert_eq!(of(&event), "stop", "{field}");
        }
        for field in ["session_id", "tool_use_id", "transcript_path", "agent_id", "new"] {
            for odd in [Json::Null, json!(5), json!({ "a": [] }), json!("x")] {
                let mut event = good.clone();
                event[field] = odd.clone();
                assert_eq!(of(&event), open, "{field} {odd}");
            }
        }
    }
}

#[test]
fn events_that_ask_nothing_get_no_answer() {
    let machine = Machine::new(RULES);
    for client in Client::ALL {
        let data = client.data().unwrap();
        for name in data.ran.iter().chain(data.other) {
            let (tool, input) = shell(client, "rm x");
            let mut event = event(client, tool, input);
            event["hook_event_name"] = (*name).into();
            assert_eq!(
                machine.answer(client, event.to_string().as_bytes()),
                Answer::neutral(),
                "{name}"
            );
        }
    }
}

/// Numbers that look random and are the same each time. Source: the xorshift generators of George Marsaglia.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }
}

/// Spoils the text of an event.
fn spoil(random: &mut Random, event: &Json) -> Vec<u8> {
    let odd = |random: &mut Random| {
        [
            Json::Null,
            json!(-1),
            json!(1e300),
            json!(""),
            json!([]),
            json!({}),
            json!("\u{0}"),
            json!(true),
            json!("rm"),
        ][random.below(9)]
        .clone()
    };
    let mut event = event.clone();
    let fields: Vec<String> = event.as_object().unwrap().keys().cloned().collect();
    match random.below(4) {
        0 => {
            let field = &fields[random.below(fields.len())];
            event[field] = odd(random);
        }
        1 => {
            let field = &fields[random.below(fields.len())];
            event.as_object_mut().unwrap().remove(field);
        }
        2 => event["tool_input"]["command"] = odd(random),
        _ => {}
    }
    let mut bytes = event.to_string().into_bytes();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes.truncate(at),
            2 => {
                bytes.remove(at);
            }
            3 => bytes.insert(at, b"\"{}[],:\\\0x"[random.below(10)]),
            4 => {
                let tail = bytes.split_off(at);
                bytes.extend_from_slice(&tail);
                bytes.extend_from_slice(&tail);
            }
            _ => {
                // A key that stands twice.
                let again = format!("{{\"{}\":{},", fields[random.below(fields.len())], odd(random));
                bytes.splice(..1.min(bytes.len()), again.into_bytes());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn no_spoilt_event_gets_an_open_answer() {
    // Every call that is understood is denied, so that whatever is open was not understood.
    let machine = Machine::new("deny \"all\" { tool \"*\" }");
    for client in Client::ALL {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (tool, input) = shell(client, "rm -rf important");
        let reading = match client {
            Client::ClaudeCode => event(client, "Read", json!({ "file_path": "important" })),
            Client::Codex => event(client, "view_image", json!({ "path": "important" })),
            Client::Gemini => event(client, "read_file", json!({ "file_path": "important" })),
        };
        // A command takes longer to decide; what is spoilt is the same.
        let good = [
            event(client, tool, input),
            reading.clone(),
            reading.clone(),
            reading,
        ];
        for event in &good {
            assert_eq!(
                word(client, &machine.answer(client, event.to_string().as_bytes())),
                "deny"
            );
        }
        let mut stopped = 0;
        for round in 0..10_000 {
            let bytes = spoil(&mut random, &good[round % 4]);
            let answer = machine.answer(client, &bytes);
            let word = word(client, &answer);
            assert!(
                matches!(word.as_str(), "stop" | "deny"),
                "{} {round}: {word}: {}",
                client.name(),
                String::from_utf8_lossy(&bytes)
            );
            stopped += usize::from(word == "stop");
        }
        // Most are spoilt beyond deciding, and not all: otherwise nothing is tried.
        assert!((2_000..9_900).contains(&stopped), "{stopped}");
    }
}
