//! Policies of layers that are held in memory.

use std::collections::BTreeMap;

use engine_policy::{
    Call, Facts, Files, Layer, LayerRoot, Loaded, Mode, NoWorld, Outcome, Plan, Root, decide, load_layers,
};
use engine_shell::Shell;

/// The files of every layer, by name.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, String>);

impl Files for Memory {
    fn text(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or_else(|| "not there".to_owned())
    }
}

pub(crate) const PROJECT: &str = "/project";

pub(crate) fn file_of(layer: Layer) -> String {
    match layer {
        Layer::Builtin => "builtin:base".to_owned(),
        Layer::User => "/home/user/.config/engine/policy.kdl".to_owned(),
        Layer::Around => "/around/.engine/policy.kdl".to_owned(),
        Layer::Project => "/project/.engine/policy.kdl".to_owned(),
        Layer::Local => "/project/.engine/policy.local.kdl".to_owned(),
        Layer::CommandLine => "/tmp/named.kdl".to_owned(),
        Layer::Managed => "/etc/engine/policy.kdl".to_owned(),
    }
}

/// Loads texts as layers; `trusted` is about those that need it.
pub(crate) fn load(texts: &[(Layer, &str)], trusted: bool) -> Loaded {
    let mut memory = Memory::default();
    for (layer, text) in texts {
        memory.0.insert(file_of(*layer), (*text).to_owned());
    }
    load_from(&memory, texts.iter().map(|(layer, _)| *layer), trusted)
}

pub(crate) fn load_from(memory: &Memory, layers: impl Iterator<Item = Layer>, trusted: bool) -> Loaded {
    let roots: Vec<LayerRoot<'_>> = layers
        .map(|layer| LayerRoot {
            layer,
            root: Root::File(file_of(layer)),
            files: memory,
            within: match layer {
                Layer::Around => Some("/around".to_owned()),
                Layer::Project | Layer::Local => Some(PROJECT.to_owned()),
                Layer::Builtin | Layer::User | Layer::CommandLine | Layer::Managed => None,
            },
        })
        .collect();
    load_layers(&roots, &|_, _| trusted)
}

pub(crate) fn plan(texts: &[(Layer, &str)], trusted: bool) -> Plan {
    let mut loaded = load(texts, trusted);
    let plan = loaded.compile();
    plan.unwrap_or_else(|| panic!("{texts:?}: {:?}", loaded.diagnostics))
}

pub(crate) fn verdict(plan: &Plan, command: &str) -> Outcome {
    let facts = Facts {
        via: &[],
        project: PROJECT,
        directory: PROJECT,
        home: Some("/home/user"),
        shell: Shell::Bash,
        world: &NoWorld,
    };
    decide(plan, &Call::Shell(command), &facts, Mode::Default).outcome
}
