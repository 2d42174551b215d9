//! Any text as a shell would read it.
#![no_main]

use engine_properties::reads_shell;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(violation) = reads_shell(text) {
        panic!("{violation}");
    }
});
