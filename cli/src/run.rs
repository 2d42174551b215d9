//! `engine-run`: carries out the calls of tools; `engine` becomes it.

fn main() -> std::process::ExitCode {
    engine::engine_run()
}
