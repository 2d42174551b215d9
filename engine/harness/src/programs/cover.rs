//! Holds what a program did against what its definition says that it does.
//!
//! Invariant: a use with anything unknown in it is not compared, since it could never be allowed.

use engine_policy::definition::{ApplyContext, apply};
use engine_policy::{EffectKind, Nested, PathUse, Use};
use engine_shell::{Field, Span, Value};

use super::Definitions;
use super::trace::{Touch, resolve};
use crate::cover::{value_covers, words_cover};

/// The link in the directory of runs, and where it leads: deciding follows links by itself.
const LINK: &str = "/home/u/work/link";
const LINKED: &str = "/home/u/work/a.txt";

/// Nested command lines that are followed.
const DEPTH: usize = 6;

/// Everything that a command line is said to do, with the directory it happens in.
#[derive(Debug, Default)]
pub(super) struct Said {
    effects: Vec<(String, EffectKind)>,
    runs: Vec<Vec<Field>>,
}

/// What the definitions say of a command line, or why they say too little.
pub(super) fn predict(definitions: &Definitions, words: &[String], directory: &str) -> Result<Said, String> {
    let fields: Vec<Field> = words
        .iter()
        .map(|word| Field::literal(word.as_str(), Span::default()))
        .collect();
    let mut said = Said::default();
    // Nothing is on its standard input.
    let input = ApplyContext {
        stdin_paths: None,
        stdin_text: Some("".into()),
        stdin_may_be_any: false,
    };
    follow(definitions, &fields, directory, DEPTH, &input, &mut said)?;
    Ok(said)
}

fn follow(
    definitions: &Definitions,
    words: &[Field],
    directory: &str,
    depth: usize,
    input: &ApplyContext,
    said: &mut Said,
) -> Result<(), String> {
    let name = words.first().and_then(Field::known).ok_or("an unknown program")?;
    let definition = definitions
        .find(name)
        .ok_or_else(|| format!("no definition of `{name}`"))?;
    let found: Use = apply(definition, words, input);
    if let Some(unknown) = found.unknowns.first() {
        return Err(unknown.why.clone());
    }
    if !found.complete {
        return Err("not complete".to_owned());
    }
    if found.runs_stdin.is_some() {
        return Err("runs its input".to_owned());
    }
    for effect in found.effects {
        match effect.kind {
            EffectKind::LoadsCode(_) | EffectKind::Evaluates(_) | EffectKind::Privileged => {
                return Err("loads or evaluates code".to_owned());
            }
            kind @ (EffectKind::Reads(_)
            | EffectKind::Writes(_)
            | EffectKind::Deletes(_)
            | EffectKind::Connects(_)
            | EffectKind::SetsEnv { .. }
            | EffectKind::State(_)
            | EffectKind::Changes { .. }
            | EffectKind::Background
            | EffectKind::Interactive
            // No file that runs find names a program.
            | EffectKind::Consults { .. }) => said.effects.push((directory.to_owned(), kind)),
        }
    }
    for nested in found.nested {
        let Nested::Argv { words, below, .. } = nested else {
            return Err("runs a text".to_owned());
        };
        let depth = depth.checked_sub(1).ok_or("nests too deep")?;
        let inside = match below {
            None => directory.to_owned(),
            Some(Value::Known(below)) => resolve(directory, &below),
            Some(_) => return Err("an unknown directory".to_owned()),
        };
        follow(definitions, &words, &inside, depth, input, said)?;
        said.runs.push(words);
    }
    Ok(())
}

/// Whether the definitions explain a command line wholly, and it reads and does nothing else.
pub(crate) fn reads_only(definitions: &Definitions, words: &[Field]) -> bool {
    let mut said = Said::default();
    let known = follow(
        definitions,
        words,
        "/",
        DEPTH,
        &ApplyContext::default(),
        &mut said,
    )
    .is_ok();
    known
        && said.effects.iter().all(|(_, effect)| match effect {
            EffectKind::Reads(_) | EffectKind::Consults { .. } => true,
            EffectKind::Writes(_)
            | EffectKind::Deletes(_)
            | EffectKind::Connects(_)
            | EffectKind::SetsEnv { .. }
            | EffectKind::LoadsCode(_)
            | EffectKind::Evaluates(_)
            | EffectKind::State(_)
            | EffectKind::Changes { .. }
            | EffectKind::Privileged
            | EffectKind::Background
            | EffectKind::Interactive => false,
        })
}

impl Said {
    /// Whether a touch was announced.
    pub(super) fn covers(&self, touch: &Touch) -> bool {
        let path = |path: &str, enough: fn(Kind) -> bool| {
            self.effects
                .iter()
                .any(|(directory, effect)| match place_of(effect) {
                    Place::Path(kind, used) => enough(kind) && path_covers(used, directory, path),
                    Place::State(state) => is_state(state, path),
                    Place::None => false,
                })
        };
        match touch {
            Touch::Read(read) => path(read, |_| true),
            // Listing names goes down where reading files would not.
            Touch::List(listed) => self
                .effects
                .iter()
                .any(|(directory, effect)| match place_of(effect) {
                    // A name that is free is looked for beside what is written.
                    Place::Path(
                        Kind::Writes,
                        PathUse {
                            path: Value::Known(written),
                            below: None,
                            ..
                        },
                    ) if parent(&resolve(directory, written)) == listed => true,
                    Place::Path(_, used) => {
                        let tree = PathUse {
                            tree: true,
                            ..used.clone()
                        };
                        path_covers(&tree, directory, listed)
                    }
                    Place::State(state) => is_state(state, listed),
                    // What changes things that nothing names is never taken for reading.
                    // Version control looks at the names in its tree to answer anything.
                    Place::None => {
                        matches!(effect, EffectKind::Changes { .. })
                            || matches!(effect, EffectKind::Consults { file, .. } if file.starts_with(".git/"))
                    }
                }),
            Touch::Write(written) => path(written, |kind| kind == Kind::Writes),
            Touch::Delete(deleted) => path(deleted, |kind| kind == Kind::Deletes),
            Touch::Execute(argv) => {
                let argv: Vec<Vec<u8>> = argv.iter().map(|word| word.clone().into_bytes()).collect();
                self.runs.iter().any(|words| words_cover(words, &argv))
            }
            Touch::Connect(_) => self
                .effects
                .iter()
                .any(|(_, kind)| matches!(kind, EffectKind::Connects(_))),
        }
    }

    /// Whether anything at all was announced.
    pub(super) fn is_something(&self) -> bool {
        !self.effects.is_empty() || !self.runs.is_empty()
    }

    /// What was announced, for a person.
    pub(super) fn shown(&self) -> Vec<String> {
        let effects = self.effects.iter().map(|(_, kind)| format!("{kind:?}"));
        effects
            .chain(self.runs.iter().map(|words| {
                format!(
                    "runs {:?}",
                    words.iter().map(|word| &word.value).collect::<Vec<_>>()
                )
            }))
            .collect()
    }
}

/// What is done to a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reads,
    Writes,
    Deletes,
}

/// Where an effect takes place.
enum Place<'a> {
    Path(Kind, &'a PathUse),
    State(&'a str),
    None,
}

fn place_of(effect: &EffectKind) -> Place<'_> {
    match effect {
        EffectKind::Reads(used) => Place::Path(Kind::Reads, used),
        EffectKind::Writes(used) => Place::Path(Kind::Writes, used),
        EffectKind::Deletes(used) => Place::Path(Kind::Deletes, used),
        EffectKind::State(state) => Place::State(state),
        EffectKind::Connects(_)
        | EffectKind::SetsEnv { .. }
        | EffectKind::LoadsCode(_)
        | EffectKind::Evaluates(_)
        | EffectKind::Changes { .. }
        | EffectKind::Privileged
        | EffectKind::Background
        | EffectKind::Interactive
        | EffectKind::Consults { .. } => Place::None,
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_state(state: &str, path: &str) -> bool {
    let state = state.trim_start_matches('~').trim_matches('/');
    path.contains(&format!("/{state}/")) || path.ends_with(&format!("/{state}"))
}

/// Programs that pack a file name the result after it: announced by the file itself.
fn beside(longer: &str, shorter: &str) -> bool {
    let ending = longer
        .strip_prefix(shorter)
        .and_then(|rest| rest.strip_prefix('.'));
    ending.is_some_and(|ending| !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn path_covers(used: &PathUse, directory: &str, touched: &str) -> bool {
    let start = match &used.below {
        None => directory.to_owned(),
        Some(Value::Known(below)) => resolve(directory, below),
        Some(_) => return true,
    };
    let exact = |known: &str| {
        let whole = resolve(&start, known);
        touched == whole
            || (whole == LINK && touched == LINKED)
            || beside(touched, &whole)
            || beside(&whole, touched)
            || (used.tree
                && touched
                    .strip_prefix(&whole)
                    .is_some_and(|rest| rest.starts_with('/') || whole == "/"))
            || used.into.iter().any(|name| match name {
                Value::Known(name) => touched == resolve(&whole, name.rsplit('/').next().unwrap_or(name)),
                Value::OneOf(_)
                | Value::Glob(_)
                | Value::Below(_)
                | Value::Affixed { .. }
                | Value::Integer
                | Value::Descriptor
                | Value::Unknown(_) => touched.starts_with(&whole),
            })
    };
    match &used.path {
        Value::Known(known) => exact(known),
        Value::OneOf(all) => all.iter().any(|known| exact(known)),
        Value::Unknown(_) => true,
        other @ (Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor) => {
            let relative = touched
                .strip_prefix(&start)
                .map(|rest| rest.trim_start_matches('/'));
            value_covers(other, touched.as_bytes())
                || matches!(other, Value::Glob(glob) if value_covers(&Value::Glob(resolve(&start, glob).into()), touched.as_bytes()))
                || relative.is_some_and(|relative| {
                    value_covers(other, relative.as_bytes())
                        || value_covers(other, format!("./{relative}").as_bytes())
                })
        }
    }
}
