//! `ToolSearch`: finds deferred tools by exact names or by words.
//!
//! Score of a word, summed over the words of a query: a word of the name 10 (of an MCP server's tool 12), a part of such a word 5 (6),
//! nothing of these but the whole name 3; beside it the search hint 4 and the description 2, both at the boundary of a word.

use serde_json::json;
use smol_str::SmolStr;

use super::{Entry, Pool};
use crate::template::{Scope, Value};

/// The names and descriptions of deferred tools, ready to be searched; kept until the set of deferred tools changes.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    names: Vec<SmolStr>,
    items: Vec<Item>,
    builds: usize,
}

#[derive(Clone, Debug)]
struct Item {
    name: SmolStr,
    words: Vec<String>,
    whole: String,
    mcp: bool,
    hint: String,
    description: String,
}

/// What a search gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Names of tools, the best first.
    pub names: Vec<SmolStr>,
    /// Names that were selected and are no tools.
    pub missing: Vec<SmolStr>,
    /// The schema of each, as one JSON object with `description`, `name` and `parameters`.
    pub schemas: Vec<String>,
    /// How many deferred tools there are.
    pub deferred: usize,
}

impl Found {
    /// As the result of a `tools` step.
    #[must_use]
    pub fn value(&self) -> Value {
        Value::of_json(&json!({
            "names": self.names,
            "missing": self.missing,
            "schemas": self.schemas,
            "deferred": self.deferred,
        }))
    }
}

impl SearchIndex {
    /// Searches a pool.
    ///
    /// `select:A,B` gives tools by name, deferred or not. A query that is a name gives that tool, one that begins the names of a server
    /// (`mcp__github`) its tools. Otherwise the words count; a word with `+` must be in the name.
    pub fn search(&mut self, pool: &Pool, facts: &Scope, query: &str, limit: usize) -> Found {
        self.refresh(pool, facts);
        let query = query.trim();
        let mut found = Found {
            deferred: self.items.len(),
            ..Found::default()
        };
        if let Some(names) = strip_select(query) {
            for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                match by_name(pool, name) {
                    Some(entry) if !found.names.iter().any(|known| known == entry.name()) => {
                        found.names.push(entry.name().into());
                    }
                    Some(_) => {}
                    None => found.missing.push(name.into()),
                }
            }
        } else {
            found.names = self.by_words(pool, query, limit);
        }
        found.schemas = found
            .names
            .iter()
            .filter_map(|name| pool.get(name))
            .map(|entry| described(entry, facts))
            .collect();
        found
    }

    fn refresh(&mut self, pool: &Pool, facts: &Scope) {
        if pool
            .deferred()
            .map(Entry::name)
            .eq(self.names.iter().map(SmolStr::as_str))
        {
            return;
        }
        self.builds += 1;
        self.names = pool.deferred().map(|entry| entry.name().into()).collect();
        self.items = pool.deferred().map(|entry| Item::of(entry, facts)).collect();
    }

    fn by_words(&self, pool: &Pool, query: &str, limit: usize) -> Vec<SmolStr> {
        let query = query.to_lowercase();
        if let Some(exact) = self.items.iter().find(|item| item.name.to_lowercase() == query) {
            return vec![exact.name.clone()];
        }
        // A tool that is shown already: telling its name once more does no harm and ends the search.
        if let Some(shown) = pool.shown().find(|entry| entry.name().to_lowercase() == query) {
            return vec![shown.name().into()];
        }
        if query.starts_with("mcp__") && query.len() > "mcp__".len() {
            let of_server: Vec<SmolStr> = self
                .items
                .iter()
                .filter(|item| item.name.to_lowercase().starts_with(&query))
                .take(limit)
                .map(|item| item.name.clone())
                .collect();
            if !of_server.is_empty() {
                return of_server;
            }
        }
        let mut required: Vec<&str> = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        for word in query.split_whitespace() {
            match word.strip_prefix('+') {
                Some(must) if !must.is_empty() => {
                    required.push(must);
                    words.push(must);
                }
                Some(_) => {}
                None => words.push(word),
            }
        }
        let mut scored: Vec<(u32, &Item)> = self
            .items
            .iter()
            .filter(|item| required.iter().all(|word| item.in_name(word)))
            .map(|item| (words.iter().map(|word| item.score(word)).sum(), item))
            .filter(|(score, _)| *score > 0)
            .collect();
        // The order of the pool is kept among equals.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored
            .into_iter()
            .take(limit)
            .map(|(_, item)| item.name.clone())
            .collect()
    }

    /// How often the descriptions were read.
    #[cfg(test)]
    pub(super) fn builds(&self) -> usize {
        self.builds
    }
}

fn strip_select(query: &str) -> Option<&str> {
    let (head, names) = query.split_once(':')?;
    head.eq_ignore_ascii_case("select").then_some(names)
}

fn by_name<'p>(pool: &'p Pool, name: &str) -> Option<&'p Entry> {
    pool.get(name).or_else(|| {
        pool.entries()
            .iter()
            .find(|entry| entry.name().eq_ignore_ascii_case(name))
    })
}

/// A tool as models that do not expand references are shown it.
fn described(entry: &Entry, facts: &Scope) -> String {
    let description = entry.description(facts).unwrap_or_default();
    format!(
        "{{\"description\":{},\"name\":{},\"parameters\":{}}}",
        serde_json::Value::from(description),
        serde_json::Value::from(entry.name()),
        entry.schema(facts).as_str()
    )
}

impl Item {
    fn of(entry: &Entry, facts: &Scope) -> Self {
        let name = entry.name();
        let mcp = matches!(entry, Entry::Mcp(_));
        let words = words_of(name);
        Self {
            name: name.into(),
            whole: words.join(" "),
            words,
            mcp,
            hint: entry.search_hint().unwrap_or_default().to_lowercase(),
            // A description that does not come about is found by its name alone.
            description: entry.description(facts).unwrap_or_default().to_lowercase(),
        }
    }

    fn in_name(&self, word: &str) -> bool {
        self.words.iter().any(|own| own.contains(word))
            || self.whole.contains(word)
            || self.name.to_lowercase().contains(word)
    }

    fn score(&self, word: &str) -> u32 {
        let name = if self.words.iter().any(|own| own == word) {
            if self.mcp { 12 } else { 10 }
        } else if self.words.iter().any(|own| own.contains(word)) {
            if self.mcp { 6 } else { 5 }
        } else if self.in_name(word) {
            3
        } else {
            0
        };
        let hint = if at_boundary(&self.hint, word) { 4 } else { 0 };
        let description = if at_boundary(&self.description, word) {
            2
        } else {
            0
        };
        name + hint + description
    }
}

/// The words of a name: `mcp__github__create_issue` and `NotebookEdit` are three and two.
fn words_of(name: &str) -> Vec<String> {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    let mut words = Vec::new();
    for part in name.split(['_', '-', '.', ' ']).filter(|part| !part.is_empty()) {
        let mut word = String::new();
        let mut letters = part.chars().peekable();
        let mut before: Option<char> = None;
        while let Some(letter) = letters.next() {
            let follows_small = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
            let before_small = letters.peek().is_some_and(|next| next.is_lowercase());
            let ends_capitals = before.is_some_and(char::is_uppercase) && before_small;
            if letter.is_uppercase() && (follows_small || ends_capitals) {
                words.push(std::mem::take(&mut word));
            }
            word.extend(letter.to_lowercase());
            before = Some(letter);
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a text has a word as a whole word.
fn at_boundary(text: &str, word: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|tail| tail.chars().next());
        !is_word(before) && !is_word(after)
    })
}
