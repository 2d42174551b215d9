//! What the shell remembers between commands, and how two possible memories become one.
//!
//! Invariant (join covers both): the join of two states stands for every concrete state that either stands for. Cloning is
//! two reference counts; a change copies only what it touches while others still look at it.

use std::cell::Cell;
use std::rc::Rc;

use smol_str::SmolStr;

use crate::{Command, Directory, Field, Origin, Reach, Span, Stdin, Value};

/// Directories that are followed at once.
const MOST_DIRECTORIES: usize = 8;

/// The state of one shell process at one place of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// Variables, functions and places.
    pub(super) data: Rc<Data>,
    /// Where descriptors lead; what is not listed is inherited.
    pub(super) descriptors: Rc<Vec<(u32, Channel)>>,
    /// The shell does not come here: it ended, returned or left the loop before.
    pub(super) dead: bool,
}

/// What subshells copy.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Data {
    /// Sorted by name.
    pub(super) variables: Vec<(SmolStr, Variable)>,
    pub(super) functions: Vec<FunctionBinding>,
    /// `$1` and on; `None` where they are not known.
    pub(super) positional: Option<Rc<Vec<Field>>>,
    pub(super) directory: Directory,
    /// What `pushd` left; `None` where it is not known.
    pub(super) stack: Option<Vec<Directory>>,
    /// Exported variables with the setting that exported them.
    pub(super) exported: Vec<(SmolStr, usize)>,
    /// A background command was started, so `$!` is a number.
    pub(super) background: bool,
}

/// A variable that the text has touched.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) content: Content,
    pub(super) presence: Presence,
    pub(super) readonly: bool,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Scalar(Value),
    Array(Vec<Field>),
    /// An array of unknown elements, or either an array or a scalar.
    AnyArray(Origin),
}

/// Whether a variable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Set,
    Maybe,
    Unset,
}

/// The functions that a name may stand for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FunctionBinding {
    pub(super) name: SmolStr,
    pub(super) bodies: Vec<Rc<Function>>,
    /// The name may also stand for the builtin or program.
    pub(super) maybe_absent: bool,
}

/// A function of the text.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: SmolStr,
    /// The text it was defined in and where, which identify it.
    pub(super) key: (u32, Span),
    pub(super) body: Command,
    pub(super) text: Rc<str>,
    pub(super) remap: Option<Span>,
    pub(super) reevaluated: bool,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// Where a descriptor leads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Channel {
    /// As the whole text was started.
    Inherited,
    /// Closed or `/dev/null`.
    Nothing,
    /// A file; also what is not known.
    File(Value),
    /// A text that is known.
    Text(Text),
    /// What these invocations write.
    From(Rc<[usize]>),
    /// The read end of a pipe whose writers come later.
    FromLater(u32),
    /// The write end of a pipe.
    Into(u32),
    /// The text of a command substitution.
    Captured,
}

/// A text that is read through a descriptor: a here-document, a here-string, or what a builtin prints into a pipe.
///
/// Invariant (whole or unknown): it is what a command reads only as long as nothing else can have read a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) value: Value,
    /// The commands that print it.
    pub(super) writers: Rc<[usize]>,
    /// Something may have read from it. All copies of the descriptor share this, in whichever process.
    read: Rc<Cell<bool>>,
    /// Loops around the place where it was opened.
    loops: usize,
    /// How that place is reached.
    reach: Reach,
}

impl Text {
    pub(super) fn new(value: Value, writers: Rc<[usize]>, loops: usize, reach: Reach) -> Self {
        Self {
            value,
            writers,
            read: Rc::new(Cell::new(false)),
            loops,
            reach,
        }
    }

    /// What a command here reads. In a later round of a loop, or beside other processes, somebody else may have read before.
    pub(super) fn stdin(&self, loops: usize, reach: Reach) -> Stdin {
        let shared = self.read.get()
            || loops > self.loops
            || (reach.background && !self.reach.background)
            || (reach.substituted && !self.reach.substituted);
        if shared {
            Stdin::Pipe(self.writers.to_vec())
        } else {
            Stdin::Text(self.value.clone())
        }
    }

    /// A command was started that may read from it.
    pub(super) fn mark_read(&self) {
        self.read.set(true);
    }
}

impl Variable {
    pub(super) fn scalar(value: Value) -> Self {
        Self {
            content: Content::Scalar(value),
            presence: Presence::Set,
            readonly: false,
        }
    }

    pub(super) fn unset() -> Self {
        Self {
            content: Content::Scalar(Value::EMPTY),
            presence: Presence::Unset,
            readonly: false,
        }
    }

    /// What the environment may hold.
    pub(super) fn environment() -> Self {
        Self {
            content: Content::Scalar(Value::Unknown(Origin::Variable)),
            presence: Presence::Maybe,
            readonly: false,
        }
    }

    pub(super) fn join(&self, other: &Self, max: usize) -> Self {
        let content = match (&self.content, &other.content) {
            (Content::Scalar(a), Content::Scalar(b)) => Content::Scalar(a.join(b, max)),
            (Content::Array(a), Content::Array(b))
                if a.iter().map(|f| f.count).eq(b.iter().map(|f| f.count)) =>
            {
                let each = a.iter().zip(b).map(|(a, b)| Field {
                    value: a.value.join(&b.value, max),
                    ..a.clone()
                });
                Content::Array(each.collect())
            }
            (Content::AnyArray(origin), _) | (_, Content::AnyArray(origin)) => Content::AnyArray(*origin),
            // An unset name beside an array is an array of no elements or these.
            _ => Content::AnyArray(Origin::Variable),
        };
        let presence = if self.presence == other.presence {
            self.presence
        } else {
            Presence::Maybe
        };
        Self {
            content,
            presence,
            readonly: self.readonly || other.readonly,
        }
    }

    /// What stands for this after any number of further changes of the kind that led from `before` to this.
    fn widen(&self, before: &Self) -> Self {
        if self == before {
            return self.clone();
        }
        let content = match (&self.content, &before.content) {
            (Content::Scalar(a), Content::Scalar(b)) if a.is_integer() && b.is_integer() => {
                Content::Scalar(Value::Integer)
            }
            (Content::Scalar(a), Content::Scalar(b)) if a == b => Content::Scalar(a.clone()),
            (Content::Scalar(a), Content::Scalar(_)) => Content::Scalar(Value::Unknown(a.origin())),
            _ => Content::AnyArray(Origin::Variable),
        };
        Self {
            content,
            ..self.clone()
        }
    }
}

impl Data {
    pub(super) fn get(&self, name: &str) -> Option<&Variable> {
        let at = self
            .variables
            .binary_search_by(|(n, _)| n.as_str().cmp(name))
            .ok()?;
        self.variables.get(at).map(|(_, v)| v)
    }

    pub(super) fn set(&mut self, name: &SmolStr, variable: Variable) {
        match self.variables.binary_search_by(|(n, _)| n.cmp(name)) {
            Ok(at) => self
                .variables
                .get_mut(at)
                .into_iter()
                .for_each(|slot| slot.1 = variable.clone()),
            Err(at) => self.variables.insert(at, (name.clone(), variable)),
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        if let Ok(at) = self.variables.binary_search_by(|(n, _)| n.as_str().cmp(name)) {
            self.variables.remove(at);
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<&FunctionBinding> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// A variable, or what the shell starts with where the text has not touched it.
    pub(super) fn lookup(&self, name: &str, home: Option<&SmolStr>) -> Variable {
        if let Some(found) = self.get(name) {
            return found.clone();
        }
        match name {
            "PWD" => Variable::scalar(directory_value(&self.directory)),
            "HOME" => home.map_or_else(Variable::environment, |h| {
                Variable::scalar(Value::Known(h.clone()))
            }),
            "IFS" => Variable::scalar(Value::Known(SmolStr::new_static(" \t\n"))),
            _ => Variable::environment(),
        }
    }
}

/// The directory as `$PWD` spells it.
pub(super) fn directory_value(directory: &Directory) -> Value {
    match directory {
        Directory::OneOf(paths) => Value::one_of(paths.clone(), MOST_DIRECTORIES),
        Directory::Unknown(origin) => Value::Unknown(*origin),
    }
}

/// The directories of both.
pub(super) fn join_directories(a: &Directory, b: &Directory) -> Directory {
    match (a, b) {
        (Directory::Unknown(origin), _) | (_, Directory::Unknown(origin)) => Directory::Unknown(*origin),
        (Directory::OneOf(a), Directory::OneOf(b)) => {
            one_of_directories(a.iter().chain(b).cloned().collect())
        }
    }
}

/// One of these directories.
pub(super) fn one_of_directories(mut paths: Vec<SmolStr>) -> Directory {
    paths.sort_unstable();
    paths.dedup();
    if paths.len() > MOST_DIRECTORIES {
        return Directory::Unknown(Origin::Limit);
    }
    Directory::OneOf(paths)
}

/// What a join needs to know beside the two states.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinRules<'a> {
    pub(super) set_values: usize,
    pub(super) home: Option<&'a SmolStr>,
}

impl State {
    pub(super) fn change(&mut self) -> &mut Data {
        Rc::make_mut(&mut self.data)
    }

    pub(super) fn channel(&self, fd: u32) -> Channel {
        let found = self.descriptors.iter().find(|(n, _)| *n == fd);
        found.map_or(Channel::Inherited, |(_, c)| c.clone())
    }

    pub(super) fn connect(&mut self, fd: u32, channel: Channel) {
        let all = Rc::make_mut(&mut self.descriptors);
        match all.iter_mut().find(|(n, _)| *n == fd) {
            Some(slot) => slot.1 = channel,
            None => all.push((fd, channel)),
        }
    }

    /// Whether both are the same without looking inside.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.dead == other.dead
            && Rc::ptr_eq(&self.data, &other.data)
            && Rc::ptr_eq(&self.descriptors, &other.descriptors)
    }

    /// A size for the step count: what a join of this state looks at.
    pub(super) fn weight(&self) -> usize {
        self.data.variables.len() + self.data.functions.len() + self.descriptors.len()
    }

    /// The state of a place that is reached from either.
    pub(super) fn join(self, other: Self, rules: JoinRules<'_>) -> Self {
        if self.same(&other) || (other.dead && !self.dead) {
            return self;
        }
        if self.dead && !other.dead {
            return other;
        }
        let mut joined = self;
        if joined.descriptors != other.descriptors {
            joined.descriptors = Rc::new(join_descriptors(&joined, &other));
        }
        if !Rc::ptr_eq(&joined.data, &other.data) {
            joined.data = Rc::new(join_data(&joined.data, &other.data, rules));
        }
        joined
    }

    /// What stands for this state after any number of further rounds of a loop that led from `before` to it.
    pub(super) fn widen(&self, before: &Self) -> Self {
        let (now, old) = (&*self.data, &*before.data);
        let mut data = now.clone();
        for (name, variable) in &mut data.variables {
            *variable = match old.get(name) {
                Some(was) => variable.widen(was),
                None => Variable {
                    readonly: variable.readonly,
                    ..Variable::environment()
                },
            };
        }
        if now.directory != old.directory {
            data.directory = Directory::Unknown(Origin::Variable);
        }
        if now.positional != old.positional {
            data.positional = None;
        }
        if now.stack != old.stack {
            data.stack = None;
        }
        Self {
            data: Rc::new(data),
            ..self.clone()
        }
    }
}

fn join_data(a: &Data, b: &Data, rules: JoinRules<'_>) -> Data {
    let mut variables = Vec::with_capacity(a.variables.len().max(b.variables.len()));
    let mut names: Vec<&SmolStr> = a.variables.iter().chain(&b.variables).map(|(n, _)| n).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let joined = match (a.get(name), b.get(name)) {
            (Some(x), Some(y)) if x == y => x.clone(),
            _ => a
                .lookup(name, rules.home)
                .join(&b.lookup(name, rules.home), rules.set_values),
        };
        variables.push((name.clone(), joined));
    }
    let mut functions = a.functions.clone();
    for binding in &mut functions {
        binding.maybe_absent |= b.function(&binding.name).is_none_or(|f| f.maybe_absent);
    }
    for theirs in &b.functions {
        match functions.iter_mut().find(|f| f.name == theirs.name) {
            None => functions.push(FunctionBinding {
                maybe_absent: true,
                ..theirs.clone()
            }),
            Some(ours) => {
                for body in &theirs.bodies {
                    if !ours.bodies.contains(body) {
                        ours.bodies.push(Rc::clone(body));
                    }
                }
            }
        }
    }
    let mut exported = a.exported.clone();
    if a.exported != b.exported {
        exported.extend(b.exported.iter().cloned());
        exported.sort_unstable();
        exported.dedup();
    }
    Data {
        variables,
        functions,
        positional: if a.positional == b.positional {
            a.positional.clone()
        } else {
            None
        },
        directory: join_directories(&a.directory, &b.directory),
        stack: if a.stack == b.stack { a.stack.clone() } else { None },
        exported,
        background: a.background && b.background,
    }
}

fn join_descriptors(a: &State, b: &State) -> Vec<(u32, Channel)> {
    let mut fds: Vec<u32> = a
        .descriptors
        .iter()
        .chain(b.descriptors.iter())
        .map(|(n, _)| *n)
        .collect();
    fds.sort_unstable();
    fds.dedup();
    let joined = |fd: u32| match (a.channel(fd), b.channel(fd)) {
        (x, y) if x == y => x,
        // Beyond the first three, a descriptor that the text has not opened is closed, and using it fails.
        (Channel::Inherited, x) | (x, Channel::Inherited) if fd > 2 => x,
        // A write end stays one, so that nothing written to it is lost sight of.
        (Channel::Into(pipe), _) | (_, Channel::Into(pipe)) => Channel::Into(pipe),
        (Channel::Captured, _) | (_, Channel::Captured) => Channel::Captured,
        _ => Channel::File(Value::Unknown(Origin::Input)),
    };
    fds.into_iter().map(|fd| (fd, joined(fd))).collect()
}
