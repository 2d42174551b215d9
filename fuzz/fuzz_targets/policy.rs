//! Any text as a policy file of either spelling, and as command definitions.
#![no_main]

use engine_properties::reads_policy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(violation) = reads_policy(text) {
        panic!("{violation}");
    }
});
