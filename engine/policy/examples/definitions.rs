//! Reads definition files, prints what is wrong with them and runs the tests beside the definitions.

use std::process::ExitCode;

use engine_policy::definition::{Problem, Weight, read_definitions, run_examples};

fn main() -> ExitCode {
    let mut failed = false;
    let mut say = |line: String| {
        use std::io::Write;
        failed = true;
        let _ = writeln!(std::io::stdout(), "{line}");
    };
    for file in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                say(format!("{file}: {error}"));
                continue;
            }
        };
        let (definitions, problems) = read_definitions(&text);
        let sound = problems.is_empty();
        for problem in problems {
            say(problem.line(&file, &text));
        }
        for failure in definitions.iter().filter(|_| sound).flat_map(run_examples) {
            let problem = Problem {
                message: failure.message,
                label: String::new(),
                help: None,
                span: failure.span.0 as usize..failure.span.1 as usize,
                weight: Weight::Error,
            };
            say(problem.line(&file, &text));
        }
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
