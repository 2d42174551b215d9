//! What a hook answers, and what several together say.
//!
//! Invariant (the strictest wins): deny over ask over allow over nothing, whichever hook comes first. Invariant (never by mistake): an
//! answer that is not understood is a failure of its hook, no permission.

use engine_policy::HookEvent;
use serde_json::{Map, Value as Json};

/// Most characters of a reason or of context that a model is told.
const MAX_CHARS: usize = 10_000;

/// What hooks say about what they watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// It may go on without a person, where no rule wants one.
    Allow,
    /// A person decides.
    Ask(String),
    /// It does not go on.
    Deny(String),
}

impl Word {
    fn strictness(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }
}

/// What one hook says, or all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// The verdict; none where it goes on as if there were no hook.
    pub(crate) word: Option<Word>,
    /// The input that takes the place of the call's own.
    pub(crate) changed: Option<Json>,
    /// What the model is told beside the result.
    pub(crate) context: Vec<String>,
    /// Nothing more is to be done in this session, and why.
    pub(crate) stop: Option<String>,
    /// What the person is shown.
    pub(crate) shown: Vec<String>,
}

impl Heard {
    /// A refusal.
    pub(crate) fn deny(reason: impl Into<String>) -> Self {
        Self {
            word: Some(Word::Deny(reason.into())),
            ..Self::default()
        }
    }

    /// Joins what another hook says, which comes later in the policies.
    pub(crate) fn join(&mut self, other: Self) {
        let stricter = match (&self.word, &other.word) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(own), Some(other)) => other.strictness() > own.strictness(),
        };
        if stricter {
            self.word = other.word;
        }
        match (&self.changed, other.changed) {
            (_, None) => {}
            (None, changed) => self.changed = changed,
            (Some(own), Some(other)) if *own == other => {}
            // Each vouches for its own input alone, and neither has seen the other's.
            (Some(_), Some(_)) => {
                self.join(Self::deny(
                    "two hooks changed the input of this call in different ways, so that neither counts",
                ));
            }
        }
        self.context.extend(other.context);
        self.shown.extend(other.shown);
        self.stop = self.stop.take().or(other.stop);
    }
}

/// Reads what a hook has written and ended well with.
///
/// # Errors
///
/// One line: why it cannot be understood.
pub(crate) fn read(event: HookEvent, output: &str) -> Result<Heard, String> {
    let text = output.trim();
    if !text.starts_with('{') {
        // A plain text is for the model where a session begins or a person speaks; elsewhere it is nobody's.
        let told = matches!(event, HookEvent::Start | HookEvent::Prompt) && !text.is_empty();
        return Ok(Heard {
            context: told.then(|| cut(text)).into_iter().collect(),
            ..Heard::default()
        });
    }
    let json: Json =
        serde_json::from_str(text).map_err(|error| format!("its output is no JSON object: {error}"))?;
    let Json::Object(all) = json else {
        return Err("its output is no JSON object".to_owned());
    };
    let empty = Map::new();
    let special = match all.get("hookSpecificOutput") {
        None | Some(Json::Null) => &empty,
        Some(Json::Object(special)) => special,
        Some(_) => return Err("`hookSpecificOutput` is no object".to_owned()),
    };
    if let Some(name) = text_of(special, "hookEventName")?
        && name != event.name()
    {
        return Err(format!("it answers the event `{name}`, not `{}`", event.name()));
    }
    let reason = text_of(&all, "reason")?;
    let mut heard = Heard::default();
    if let Some(word) = text_of(&all, "decision")? {
        heard.word = Some(word_of(word, reason)?);
    }
    if let Some(word) = text_of(special, "permissionDecision")? {
        let reason = text_of(special, "permissionDecisionReason")?.or(reason);
        heard.join(Heard {
            word: Some(word_of(word, reason)?),
            ..Heard::default()
        });
    }
    for object in [&all, special] {
        heard
            .context
            .extend(text_of(object, "additionalContext")?.map(cut));
        match object.get("updatedInput") {
            None | Some(Json::Null) => {}
            Some(input @ Json::Object(_)) if event == HookEvent::Before => heard.join(Heard {
                changed: Some(input.clone()),
                ..Heard::default()
            }),
            Some(Json::Object(_)) => {
                return Err("only a hook that runs before a call changes its input".to_owned());
            }
            Some(_) => return Err("`updatedInput` is no object".to_owned()),
        }
    }
    heard.shown.extend(text_of(&all, "systemMessage")?.map(cut));
    match all.get("continue") {
        None | Some(Json::Null | Json::Bool(true)) => {}
        Some(Json::Bool(false)) => {
            let reason = text_of(&all, "stopReason")?.unwrap_or("a hook ended the work");
            heard.stop = Some(cut(reason));
        }
        Some(_) => return Err("`continue` is neither true nor false".to_owned()),
    }
    Ok(heard)
}

fn word_of(word: &str, reason: Option<&str>) -> Result<Word, String> {
    let reason = cut(reason
        .filter(|reason| !reason.trim().is_empty())
        .unwrap_or("it gives no reason"));
    match word {
        "allow" | "approve" => Ok(Word::Allow),
        "ask" => Ok(Word::Ask(reason)),
        "deny" | "block" => Ok(Word::Deny(reason)),
        _ => Err(format!("`{}` is no decision", cut(word))),
    }
}

fn text_of<'j>(object: &'j Map<String, Json>, field: &str) -> Result<Option<&'j str>, String> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{field}` is no text")),
    }
}

/// A text of a bounded length.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => {
            let (head, _) = text.split_at_checked(at).unwrap_or((text, ""));
            format!("{head}...")
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use engine_policy::HookEvent;
    use serde_json::json;

    use super::{Heard, Word, read};

    fn before(json: &serde_json::Value) -> Heard {
        read(HookEvent::Before, &json.to_string()).unwrap()
    }

    #[test]
    fn both_ways_to_decide_are_understood() {
        let block = before(&json!({ "decision": "block", "reason": "no" }));
        assert_eq!(block.word, Some(Word::Deny("no".to_owned())));
        let ask = before(&json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "why",
        }}));
        assert_eq!(ask.word, Some(Word::Ask("why".to_owned())));
        let allow = before(&json!({ "decision": "approve" }));
        assert_eq!(allow.word, Some(Word::Allow));
        assert_eq!(before(&json!({})).word, None);
    }

    #[test]
    fn the_stricter_of_two_decisions_of_one_answer_holds() {
        let both = before(&json!({
            "decision": "block", "reason": "no", "hookSpecificOutput": { "permissionDecision": "allow" },
        }));
        assert_eq!(both.word, Some(Word::Deny("no".to_owned())));
    }

    #[test]
    fn the_strictest_word_wins_whichever_comes_first() {
        let words = [
            Some(Word::Allow),
            Some(Word::Ask("a".into())),
            Some(Word::Deny("d".into())),
            None,
        ];
        for first in &words {
            for second in &words {
                let of = |word: &Option<Word>| Heard {
                    word: word.clone(),
                    ..Heard::default()
                };
                let mut heard = of(first);
                heard.join(of(second));
                let strictest = [first, second]
                    .into_iter()
                    .flatten()
                    .max_by_key(|word| word.strictness());
                assert_eq!(heard.word.as_ref(), strictest, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn changes_that_differ_refuse_the_call_and_equal_ones_are_one() {
        let change = |command: &str| Heard {
            changed: Some(json!({ "command": command })),
            ..Heard::default()
        };
        let mut same = change("a");
        same.join(change("a"));
        assert_eq!((same.word, same.changed), (None, Some(json!({ "command": "a" }))));
        let mut other = change("a");
        other.join(change("b"));
        assert!(matches!(other.word, Some(Word::Deny(_))));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in [
            "{",
            "{} {}",
            r#"{"decision": "maybe"}"#,
            r#"{"decision": true}"#,
            r#"{"continue": "no"}"#,
            r#"{"hookSpecificOutput": []}"#,
            r#"{"hookSpecificOutput": {"updatedInput": "ls"}}"#,
            r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse"}}"#,
        ] {
            assert!(read(HookEvent::Before, text).is_err(), "{text}");
        }
        let change = r#"{"updatedInput": {}}"#;
        assert!(read(HookEvent::Before, change).is_ok() && read(HookEvent::After, change).is_err());
    }

    #[test]
    fn plain_text_is_context_only_where_a_session_or_a_prompt_begins() {
        assert_eq!(read(HookEvent::Prompt, "hello\n").unwrap().context, ["hello"]);
        assert_eq!(read(HookEvent::Before, "hello\n").unwrap(), Heard::default());
    }

    #[test]
    fn stopping_context_and_messages_are_kept() {
        let heard = before(&json!({
            "continue": false, "stopReason": "enough", "systemMessage": "look",
            "hookSpecificOutput": { "additionalContext": "mind the gap" },
        }));
        assert_eq!(heard.stop.as_deref(), Some("enough"));
        assert_eq!(
            (heard.shown, heard.context),
            (vec!["look".to_owned()], vec!["mind the gap".to_owned()])
        );
    }
}
