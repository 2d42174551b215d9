//! Any text: parsing, following and checking it.

use engine_shell::{Context, Directory, Limits, Shell, Stdin, check_text, evaluate, parse, vote};

use crate::{Violation, spans_inside};

/// Reads a text as each of the shells would.
///
/// # Errors
/// If a span lies outside of the text, reading it again differs, or the second reader objects to a text that is said to be plain.
pub fn reads_shell(text: &str) -> Result<(), Violation> {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Sh] {
        let context = Context {
            shell,
            limits: &Limits::DEFAULT,
            home: Some("/home/user".into()),
            directory: Directory::OneOf(vec!["/project".into()]),
            variables: Vec::new(),
            positional: None,
            stdin: Stdin::Inherited,
            level: 0,
        };
        let parsed = parse(text, shell, context.limits);
        spans_inside("parse", &parsed, text)?;
        let script = parsed.as_ref().ok();
        spans_inside("check_text", &check_text(text, script, shell), text)?;
        let Some(script) = script else { continue };
        if script.plain && vote(text, script).is_err() {
            return Err(Violation(format!(
                "the second reader reads {text:?} in another way"
            )));
        }
        let evaluation = evaluate(script, text, &context);
        spans_inside("evaluate", &evaluation, text)?;
        if evaluation
            .invocations
            .iter()
            .any(|invocation| invocation.words.is_empty())
        {
            return Err(Violation(format!("an invocation without words in {text:?}")));
        }
        if evaluate(script, text, &context) != evaluation {
            return Err(Violation(format!("followed twice, {text:?} gives two answers")));
        }
    }
    Ok(())
}
