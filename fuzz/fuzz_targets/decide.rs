//! A policy, a NUL byte, and a command that is decided under it.
#![no_main]

use engine_policy::read::Format;
use engine_properties::{decides_monotonically, plan_of};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|text: &str| -> Corpus {
    let Some((policy, command)) = text.split_once('\0') else { return Corpus::Reject };
    // These conditions are about what stands around a command.
    if policy.contains("in-pipeline") || policy.contains("background") {
        return Corpus::Reject;
    }
    let Some(plan) = plan_of(policy, Format::Kdl) else { return Corpus::Reject };
    if let Err(violation) = decides_monotonically(&plan, command) {
        panic!("{violation}");
    }
    Corpus::Keep
});
