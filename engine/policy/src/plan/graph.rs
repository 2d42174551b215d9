//! An automaton over a row of texts (the words of an argv, the names of a path): drawn up node by node, then set in rows of numbers.
//!
//! Each node is reached in one way only, so that a graph is a tree but for nodes that loop on themselves. Nodes are numbered so that
//! all below a node follow it without a gap. Names are found through one table for the whole graph, whatever their number;
//! patterns are decoded when a node that has them is first visited.

use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use super::end::End;
use super::kept::{Bytes, Kept, Row, number};

/// Number of a node; the start is 0.
pub(super) type NodeId = u32;

/// What a pattern tells at once of the texts that it matches. The order is the one in which patterns stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hint {
    /// Nothing.
    Open,
    /// They end in this byte.
    Ends(u8),
    /// They begin with this byte.
    Begins(u8),
}

/// A pattern that gives a hint.
pub(super) trait Hinted {
    /// What it tells; never more than holds for every text that it matches.
    fn hint(&self) -> Hint;
}

/// The patterns of a node and where they lead, in the order of their hints.
#[derive(Clone, Debug, Default)]
struct Patterns<P> {
    all: Vec<(P, NodeId)>,
    hints: Vec<Hint>,
}

impl<P: Hinted> Patterns<P> {
    fn new(mut all: Vec<(P, NodeId)>) -> Self {
        all.sort_by_key(|(pattern, _)| pattern.hint());
        Self {
            hints: all.iter().map(|(pattern, _)| pattern.hint()).collect(),
            all,
        }
    }

    /// Those whose hint does not rule a text out.
    fn candidates(&self, text: &str) -> impl Iterator<Item = &(P, NodeId)> {
        let with = |hint: Hint| {
            let from = self.hints.partition_point(|own| *own < hint);
            let many = self.hints.iter().skip(from).take_while(|own| **own == hint);
            self.all.iter().skip(from).take(many.count())
        };
        let of = |byte: Option<&u8>, hint: fn(u8) -> Hint| byte.map(|byte| with(hint(*byte)));
        let ends = of(text.as_bytes().last(), Hint::Ends);
        let begins = of(text.as_bytes().first(), Hint::Begins);
        with(Hint::Open)
            .chain(ends.into_iter().flatten())
            .chain(begins.into_iter().flatten())
    }
}

impl<P: Serialize> Serialize for Patterns<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.all.serialize(serializer)
    }
}

impl<'de, P: Hinted + Deserialize<'de>> Deserialize<'de> for Patterns<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::new)
    }
}

/// A graph that is being drawn up.
#[derive(Clone, Debug)]
pub(super) struct Draft<P> {
    nodes: Vec<DraftNode<P>>,
}

#[derive(Clone, Debug)]
struct DraftNode<P> {
    names: FxHashMap<SmolStr, NodeId>,
    patterns: Vec<(P, NodeId)>,
    any: Option<NodeId>,
    many: Option<NodeId>,
    loops: bool,
    ends: Vec<End>,
}

impl<P> DraftNode<P> {
    fn new(loops: bool) -> Self {
        Self {
            names: FxHashMap::default(),
            patterns: Vec::new(),
            any: None,
            many: None,
            loops,
            ends: Vec::new(),
        }
    }
}

/// One step from a node to the next.
#[derive(Debug)]
pub(super) enum Step<'a, P> {
    /// This text.
    Name(&'a str),
    /// A text that this pattern matches.
    Pattern(&'a P),
    /// Any one text.
    Any,
    /// Any number of texts, none included.
    Many,
}

impl<P> Default for Draft<P> {
    fn default() -> Self {
        Self {
            nodes: vec![DraftNode::new(false)],
        }
    }
}

impl<P: Clone + PartialEq + Hinted + Serialize + DeserializeOwned> Draft<P> {
    /// The node after a step, made where there was none.
    pub(super) fn step(&mut self, at: NodeId, step: &Step<'_, P>) -> NodeId {
        let fresh = number(self.nodes.len());
        let Some(node) = self.nodes.get_mut(at as usize) else {
            return at;
        };
        let to = match step {
            Step::Name(name) => *node.names.entry((*name).into()).or_insert(fresh),
            Step::Pattern(pattern) => match node.patterns.iter().find(|(own, _)| own == *pattern) {
                Some(&(_, to)) => to,
                None => {
                    node.patterns.push(((*pattern).clone(), fresh));
                    fresh
                }
            },
            Step::Any => *node.any.get_or_insert(fresh),
            Step::Many if node.loops => at,
            Step::Many => *node.many.get_or_insert(fresh),
        };
        if to == fresh {
            self.nodes.push(DraftNode::new(matches!(step, Step::Many)));
        }
        to
    }

    /// Marks that a pattern ends at a node.
    pub(super) fn end(&mut self, at: NodeId, end: End) {
        if let Some(node) = self.nodes.get_mut(at as usize)
            && !node.ends.contains(&end)
        {
            node.ends.push(end);
        }
    }

    /// The graph for good; `None` if a pattern cannot be written.
    pub(super) fn set(&self) -> Option<Graph<P>> {
        if self.nodes.iter().all(|node| node.ends.is_empty()) {
            return Some(Graph::default());
        }
        let order = self.order();
        let mut renumbered = vec![0; self.nodes.len()];
        for (new, (old, _)) in order.iter().enumerate() {
            if let Some(slot) = renumbered.get_mut(*old as usize) {
                *slot = number(new);
            }
        }
        let new = |old: NodeId| renumbered.get(old as usize).copied().unwrap_or_default();
        let mut graph = Graph::default();
        let mut patterns: Vec<Patterns<P>> = Vec::new();
        for (old, last) in &order {
            let node = self.nodes.get(*old as usize)?;
            for field in [
                graph.edges.len() / EDGE,
                if node.patterns.is_empty() {
                    0
                } else {
                    patterns.len() + 1
                },
                graph.ends.len(),
                node.any.map_or(0, |to| new(to) as usize + 1),
                node.many.map_or(0, |to| new(to) as usize + 1),
                *last,
                usize::from(node.loops),
            ] {
                graph.nodes.push(number(field));
            }
            for (name, to) in sorted(&node.names) {
                graph.edge(name, new(to));
            }
            if !node.patterns.is_empty() {
                let own = node.patterns.iter();
                let own = own.map(|(pattern, to)| (pattern.clone(), new(*to)));
                patterns.push(Patterns::new(own.collect()));
            }
            for end in &node.ends {
                graph.ends.push(end.group << 1 | u32::from(end.except));
            }
        }
        // What a last node would begin with closes the one before it.
        for field in [graph.edges.len() / EDGE, 0, graph.ends.len(), 0, 0, 0, 0] {
            graph.nodes.push(number(field));
        }
        graph.patterns = Kept::new(&patterns)?;
        graph.find_by_hash();
        Some(graph)
    }

    /// All nodes, each before those below it, with the last number that is below each.
    fn order(&self) -> Vec<(NodeId, usize)> {
        enum Visit {
            Enter(NodeId),
            Leave(usize),
        }
        let mut order: Vec<(NodeId, usize)> = Vec::with_capacity(self.nodes.len());
        let mut open = vec![Visit::Enter(0)];
        while let Some(visit) = open.pop() {
            match visit {
                Visit::Leave(at) => {
                    let last = order.len() - 1;
                    if let Some((_, own)) = order.get_mut(at) {
                        *own = last;
                    }
                }
                Visit::Enter(at) => {
                    let Some(node) = self.nodes.get(at as usize) else {
                        continue;
                    };
                    open.push(Visit::Leave(order.len()));
                    order.push((at, 0));
                    open.extend(node.many.into_iter().chain(node.any).map(Visit::Enter));
                    open.extend(node.patterns.iter().rev().map(|&(_, to)| Visit::Enter(to)));
                    open.extend(
                        sorted(&node.names)
                            .into_iter()
                            .rev()
                            .map(|(_, to)| Visit::Enter(to)),
                    );
                }
            }
        }
        order
    }
}

fn sorted(names: &FxHashMap<SmolStr, NodeId>) -> Vec<(&SmolStr, NodeId)> {
    let mut sorted: Vec<_> = names.iter().map(|(name, &to)| (name, to)).collect();
    sorted.sort_unstable();
    sorted
}

/// Numbers that a node has in its row: where its edges begin, its list of patterns (plus 1), where its ends begin, where any one and
/// any number of texts lead (plus 1), the last node below it, and whether it loops.
const NODE: usize = 7;

/// Numbers that an edge has in its row: the node it leaves, where its name begins and ends, and where it leads.
const EDGE: usize = 4;

/// A graph that is only read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "", deserialize = "'de: 'static"))]
pub(super) struct Graph<P> {
    nodes: Row,
    edges: Row,
    /// Numbers of edges plus 1, by hash, with 0 for none.
    slots: Row,
    /// All names one after another.
    names: Bytes,
    /// The patterns of each node that has any, and where they lead.
    patterns: Kept<Patterns<P>>,
    ends: Row,
}

impl<P> Default for Graph<P> {
    fn default() -> Self {
        Self {
            nodes: Row::default(),
            edges: Row::default(),
            slots: Row::default(),
            names: Bytes::default(),
            patterns: Kept::default(),
            ends: Row::default(),
        }
    }
}

impl<P> Graph<P> {
    fn edge(&mut self, name: &str, to: NodeId) {
        let from = number(self.nodes.len() / NODE - 1);
        let start = self.names.all().len();
        self.names.extend(name.as_bytes());
        for field in [from, number(start), number(self.names.all().len()), to] {
            self.edges.push(field);
        }
    }

    fn find_by_hash(&mut self) {
        let count = self.edges.len() / EDGE;
        // At most half full, so that a search ends soon.
        let mut slots = vec![0; (count * 2).next_power_of_two()];
        let mask = slots.len() - 1;
        for edge in 0..count {
            let Some((from, name, _)) = self.edge_at(edge) else {
                continue;
            };
            let mut at = slot(from, hash(name));
            while let Some(slot) = slots.get_mut(at & mask) {
                if *slot == 0 {
                    *slot = number(edge + 1);
                    break;
                }
                at += 1;
            }
        }
        self.slots = slots.into_iter().collect();
    }

    fn edge_at(&self, edge: usize) -> Option<(NodeId, &[u8], NodeId)> {
        let [from, start, end, to] = self.edges.run::<EDGE>(edge * EDGE)?;
        let name = self.names.all().get(start as usize..end as usize)?;
        Some((from, name, to))
    }

    /// A node with its row read.
    pub(super) fn node(&self, at: NodeId) -> Node {
        // The next node's row tells where what this one has ends.
        let row = self.nodes.run::<{ NODE + 3 }>(at as usize * NODE);
        let [
            edges,
            patterns,
            ends,
            any,
            many,
            last,
            loops,
            next_edges,
            _,
            next_ends,
        ] = row.unwrap_or_default();
        Node {
            at,
            edges: (edges, next_edges),
            patterns,
            ends: (ends, next_ends),
            any,
            many,
            last,
            loops: loops == 1,
        }
    }

    /// Whether nothing ends in it.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Where a name leads.
    pub(super) fn follow(&self, at: NodeId, name: Named<'_>) -> impl Iterator<Item = NodeId> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = name.slot(at);
        std::iter::from_fn(move || {
            loop {
                let edge = self.slots.get(slot & mask)?.checked_sub(1)?;
                slot = slot.wrapping_add(1);
                let (from, own, to) = self.edge_at(edge as usize)?;
                if from == at && own == name.text.as_bytes() {
                    return Some(to);
                }
            }
        })
    }

    /// The names at a node and where they lead.
    pub(super) fn names(&self, at: NodeId) -> impl Iterator<Item = (&str, NodeId)> {
        let (from, to) = self.node(at).edges;
        (from as usize..to as usize)
            .filter_map(|edge| self.edge_at(edge))
            .filter_map(|(_, name, to)| Some((str::from_utf8(name).ok()?, to)))
    }

    /// What ends at a node.
    pub(super) fn ends(&self, node: &Node) -> impl Iterator<Item = End> {
        self.ends_between(node.ends.0, node.ends.1)
    }

    /// What ends below a node, itself left out.
    pub(super) fn ends_below(&self, node: &Node) -> impl Iterator<Item = End> {
        self.ends_between(node.ends.1, self.node(node.last).ends.1)
    }

    fn ends_between(&self, start: u32, end: u32) -> impl Iterator<Item = End> {
        (start as usize..end as usize)
            .filter_map(|at| self.ends.get(at))
            .map(|end| End {
                group: end >> 1,
                except: end & 1 == 1,
            })
    }
}

impl<P: Hinted + Serialize + DeserializeOwned> Graph<P> {
    /// The patterns at a node and where they lead; `None` if they cannot be read and may be any.
    pub(super) fn patterns(&self, node: &Node) -> Option<&[(P, NodeId)]> {
        match node.patterns.checked_sub(1) {
            Some(list) => self.patterns.get(list as usize).map(|own| own.all.as_slice()),
            None => Some(&[]),
        }
    }

    /// Those of them that may match a text.
    pub(super) fn candidates(&self, node: &Node, text: &str) -> Option<impl Iterator<Item = &(P, NodeId)>> {
        let own = match node.patterns.checked_sub(1) {
            Some(list) => Some(self.patterns.get(list as usize)?),
            None => None,
        };
        Some(own.into_iter().flat_map(move |own| own.candidates(text)))
    }
}

/// FNV-1a of 32 bits: the same on every machine, and good for short texts.
/// Source: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// The prime of FNV-1a of 32 bits.
const FNV_PRIME: u32 = 0x0100_0193;

/// Where the search for an edge begins: by its node and the hash of its name.
fn slot(at: NodeId, hash: u32) -> usize {
    let mixed = (hash ^ at).wrapping_mul(FNV_PRIME);
    (mixed ^ mixed >> 15) as usize
}

/// A name that is looked for, hashed once for all nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named<'t> {
    pub(super) text: &'t str,
    hash: u32,
}

impl<'t> Named<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            hash: hash(text.as_bytes()),
        }
    }

    fn slot(self, at: NodeId) -> usize {
        slot(at, self.hash)
    }
}

/// A node as its row says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) at: NodeId,
    edges: (u32, u32),
    patterns: u32,
    ends: (u32, u32),
    any: u32,
    many: u32,
    last: NodeId,
    /// Whether any text leads from the node back to it.
    pub(super) loops: bool,
}

impl Node {
    /// Where any one text leads.
    pub(super) fn any(&self) -> Option<NodeId> {
        self.any.checked_sub(1)
    }

    /// Where any number of texts leads, none included.
    pub(super) fn many(&self) -> Option<NodeId> {
        self.many.checked_sub(1)
    }

    /// All nodes below it.
    pub(super) fn below(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.at + 1..=self.last
    }

    /// Whether anything goes on from it.
    pub(super) fn goes_on(&self) -> bool {
        self.last > self.at
    }

    /// Whether something ends at it.
    pub(super) fn is_end(&self) -> bool {
        self.ends.1 > self.ends.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Draft, End, Graph, Hint, Hinted, Named, Step};

    impl Hinted for String {
        fn hint(&self) -> Hint {
            match self.as_bytes() {
                [b'*', .., last] => Hint::Ends(*last),
                [first, .., b'*'] => Hint::Begins(*first),
                _ => Hint::Open,
            }
        }
    }

    fn end(group: u32) -> End {
        End { group, except: false }
    }

    fn graph() -> Graph<String> {
        let mut draft = Draft::default();
        let many = draft.step(0, &Step::Many);
        let deep = draft.step(many, &Step::Name("Makefile"));
        draft.end(deep, end(1));
        let src = draft.step(0, &Step::Name("src"));
        draft.end(src, end(2));
        let any = draft.step(src, &Step::Any);
        draft.end(any, end(3));
        let pattern = draft.step(src, &Step::Pattern(&"*.rs".to_owned()));
        draft.end(pattern, end(4));
        assert_eq!(draft.step(many, &Step::Many), many);
        assert_eq!(draft.step(0, &Step::Name("src")), src);
        let bytes = postcard::to_allocvec(&draft.set().unwrap()).unwrap().leak();
        postcard::from_bytes(bytes).unwrap()
    }

    fn groups(ends: impl Iterator<Item = End>) -> Vec<u32> {
        let mut groups: Vec<u32> = ends.map(|end| end.group).collect();
        groups.sort_unstable();
        groups
    }

    #[test]
    fn names_lead_where_they_were_drawn() {
        let graph = graph();
        let src = graph.follow(0, Named::new("src")).next().unwrap();
        assert_eq!(groups(graph.ends(&graph.node(src))), [2]);
        assert_eq!(groups(graph.ends_below(&graph.node(src))), [3, 4]);
        assert_eq!(groups(graph.ends_below(&graph.node(0))), [1, 2, 3, 4]);
        assert_eq!(graph.follow(0, Named::new("srx")).next(), None);
        assert_eq!(graph.names(0).map(|(name, _)| name).collect::<Vec<_>>(), ["src"]);
        let node = graph.node(src);
        let [(pattern, to)] = graph.patterns(&node).unwrap() else {
            panic!("one pattern");
        };
        assert_eq!(pattern, "*.rs");
        assert!(graph.node(src).goes_on() && !graph.node(*to).goes_on());
        assert_eq!(graph.node(src).below().count(), 2);
    }

    #[test]
    fn patterns_that_may_match_are_found_by_their_hints() {
        let mut draft = Draft::default();
        for pattern in ["*.pem", "?", "id*", "*.key", "*.xm", "a*"] {
            draft.step(0, &Step::Pattern(&pattern.to_owned()));
        }
        draft.end(0, end(1));
        let graph = draft.set().unwrap();
        let of = |text| {
            let node = graph.node(0);
            let found = graph.candidates(&node, text).unwrap();
            found.map(|(pattern, _)| pattern.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(of("item"), ["?", "*.pem", "*.xm", "id*"]);
        assert_eq!(of("y"), ["?", "*.key"]);
        assert_eq!(of(""), ["?"]);
    }

    #[test]
    fn nothing_is_found_in_an_empty_graph() {
        let graph: Graph<String> = Draft::default().set().unwrap();
        assert!(graph.is_empty());
        assert_eq!(graph.follow(0, Named::new("x")).next(), None);
    }
}
