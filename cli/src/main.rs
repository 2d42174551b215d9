//! `engine`: decides, shows, tests and writes down.

fn main() -> std::process::ExitCode {
    engine::engine()
}
