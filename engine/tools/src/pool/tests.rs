//! Facts about the pool, deferral and `ToolSearch`.

use std::sync::Arc;

use engine_policy::Sources;
use engine_policy::read::Format;

use super::{Entry, Filter, McpTool, Pool, SearchIndex, Session};
use crate::definition::{Need, Tool, read};
use crate::schema::Schema;
use crate::template::{Scope, SessionFacts};

fn tools(text: &str) -> Vec<Arc<Tool>> {
    let (tools, diagnostics) = read("t.kdl", text, Format::Kdl, &(), &mut Sources::new());
    assert_eq!(diagnostics, []);
    tools.into_iter().map(Arc::new).collect()
}

fn declared(name: &str, more: &str) -> String {
    format!("tool \"{name}\" {{ about \"about {name}\"; body {{ return \"done\" }}; {more} }}\n")
}

fn mcp(name: &str, about: &str) -> Arc<McpTool> {
    Arc::new(McpTool {
        server: "s".into(),
        name: name.into(),
        about: about.to_owned(),
        schema: Schema::passed_on("{\"type\":\"object\"}".to_owned()),
        read_only_hint: false,
        destructive_hint: false,
        always_load: false,
        search_hint: None,
    })
}

const SEARCH: &str = "tool \"ToolSearch\" { about \"find\"; input { string \"query\" required=#true }; always-load; \
                      body { tools \"found\" query=\"{{ input.query }}\"; return \"{{ found.names | json }}\" } }\n";

struct World {
    facts: Scope,
    has: Vec<Need>,
    filter: Filter,
    denied: Vec<&'static str>,
    defers: Option<(&'static str, bool)>,
    forks: bool,
}

impl Default for World {
    fn default() -> Self {
        Self {
            facts: Scope::of_facts(&SessionFacts {
                os: "linux".into(),
                ..SessionFacts::default()
            }),
            has: Vec::new(),
            filter: Filter::All,
            denied: Vec::new(),
            defers: None,
            forks: false,
        }
    }
}

impl World {
    fn pool(&self, tools: &[Arc<Tool>], servers: &[Arc<McpTool>]) -> Pool {
        let session = Session {
            facts: &self.facts,
            has: &self.has,
            denied: &|name| self.denied.contains(&name),
            filter: self.filter,
            defers: &|name| self.defers.filter(|(own, _)| *own == name).map(|(_, says)| says),
            forks: self.forks,
        };
        Pool::build(tools, servers, &session)
    }
}

fn names(pool: &Pool) -> Vec<&str> {
    pool.entries().iter().map(Entry::name).collect()
}

fn deferred(pool: &Pool) -> Vec<&str> {
    pool.deferred().map(Entry::name).collect()
}

#[test]
fn declared_tools_come_first_and_servers_change_nothing_before_them() {
    let tools = tools(&[declared("Zeta", ""), declared("Alpha", "")].concat());
    let world = World::default();
    let before = world.pool(&tools, &[]);
    let after = world.pool(&tools, &[mcp("mcp__s__b", ""), mcp("mcp__a__z", "")]);
    assert_eq!(names(&before), ["Alpha", "Zeta"]);
    assert_eq!(names(&after), ["Alpha", "Zeta", "mcp__a__z", "mcp__s__b"]);
}

#[test]
fn a_declared_tool_wins_over_one_of_a_server() {
    let tools = tools(&declared("Alpha", "aliases \"Beta\""));
    let pool = World::default().pool(&tools, &[mcp("Beta", ""), mcp("Alpha", "")]);
    assert_eq!(names(&pool), ["Alpha"]);
    assert_eq!(pool.get("Beta").map(Entry::name), Some("Alpha"));
}

#[test]
fn what_a_session_lacks_is_left_out_with_the_reason() {
    let text = [
        declared("Remote", "needs \"remote-service\""),
        declared("Windows", "enabled-when \"{{ facts.os == 'windows' }}\""),
        declared("Denied", ""),
        declared("Kept", "enabled-when \"{{ facts.os == 'linux' }}\""),
    ];
    let tools = tools(&text.concat());
    let world = World {
        denied: vec!["Denied", "mcp__s__denied"],
        ..World::default()
    };
    let pool = world.pool(&tools, &[mcp("mcp__s__denied", "")]);
    assert_eq!(names(&pool), ["Kept"]);
    let reasons: Vec<(&str, &str)> = pool
        .left_out()
        .iter()
        .map(|left| (left.name.as_str(), left.reason.as_str()))
        .collect();
    assert_eq!(
        reasons,
        [
            ("Remote", "no remote service is configured"),
            (
                "Windows",
                "its condition does not hold: {{ facts.os == 'windows' }}"
            ),
            ("Denied", "the policy denies every call of it"),
        ]
    );
}

#[test]
fn a_tool_denied_by_an_older_name_is_not_shown() {
    let tools = tools(&declared("New", "aliases \"Old\""));
    let world = World {
        denied: vec!["Old"],
        ..World::default()
    };
    assert_eq!(names(&world.pool(&tools, &[])), Vec::<&str>::new());
}

#[test]
fn plan_mode_shows_what_reads_and_what_leaves_it() {
    let text = [
        declared("Reads", "read-only"),
        declared("Sometimes", "read-only when=\"{{ true }}\""),
        declared("Writes", ""),
        "tool \"Leave\" { about \"x\"; body { set \"mode\" \"default\"; return \"left\" } }\n".to_owned(),
    ];
    let tools = tools(&text.concat());
    let world = World {
        filter: Filter::Plan,
        ..World::default()
    };
    let reader = Arc::new(McpTool {
        read_only_hint: true,
        ..mcp("mcp__s__reads", "").as_ref().clone()
    });
    let pool = world.pool(&tools, &[reader, mcp("mcp__s__writes", "")]);
    assert_eq!(names(&pool), ["Leave", "Reads", "Sometimes", "mcp__s__reads"]);
}

#[test]
fn simple_mode_shows_three_tools() {
    let world = World {
        filter: Filter::Simple,
        ..World::default()
    };
    let pool = world.pool(crate::shipped(), &[mcp("mcp__s__x", "")]);
    assert_eq!(names(&pool), ["Bash", "Edit", "Read"]);
}

#[test]
fn deferral_is_decided_in_order() {
    let text = [
        SEARCH.to_owned(),
        declared("Waits", "defer"),
        declared("Shown", ""),
        declared("Always", "always-load"),
        "tool \"Agent\" { about \"x\"; input { string \"kind\" { agent } }; defer; body { return \"x\" } }\n"
            .to_owned(),
    ];
    let tools = tools(&text.concat());
    let always = Arc::new(McpTool {
        always_load: true,
        ..mcp("mcp__s__always", "").as_ref().clone()
    });
    let servers = [mcp("mcp__s__x", ""), always];
    let mut world = World::default();
    assert_eq!(
        deferred(&world.pool(&tools, &servers)),
        ["Agent", "Waits", "mcp__s__x"]
    );
    world.forks = true;
    assert_eq!(deferred(&world.pool(&tools, &servers)), ["Waits", "mcp__s__x"]);
    world.defers = Some(("mcp__s__x", false));
    assert_eq!(deferred(&world.pool(&tools, &servers)), ["Waits"]);
    world.defers = Some(("Shown", true));
    assert_eq!(
        deferred(&world.pool(&tools, &servers)),
        ["Shown", "Waits", "mcp__s__x"]
    );
    world.defers = Some(("Always", true));
    assert_eq!(deferred(&world.pool(&tools, &servers)), ["Waits", "mcp__s__x"]);
    world.denied = vec!["ToolSearch"];
    assert_eq!(deferred(&world.pool(&tools, &servers)), Vec::<&str>::new());
}

#[test]
fn only_a_deferred_tool_whose_schema_was_not_sent_gets_a_hint() {
    let tools = tools(
        &[
            SEARCH.to_owned(),
            declared("Waits", "defer"),
            declared("Shown", ""),
        ]
        .concat(),
    );
    let pool = World::default().pool(&tools, &[]);
    assert!(
        pool.hint("Waits", false)
            .is_some_and(|hint| hint.contains("select:Waits"))
    );
    assert_eq!(pool.hint("Waits", true), None);
    assert_eq!(pool.hint("Shown", false), None);
}

fn search(query: &str) -> Vec<String> {
    let text = [
        SEARCH.to_owned(),
        declared("NotebookEdit", "defer; search-hint \"jupyter cells\""),
        declared("NotebookRead", "defer"),
        declared("Fetch", "defer; search-hint \"send requests\""),
        declared("Shown", ""),
    ];
    let tools = tools(&text.concat());
    let servers = [
        mcp("mcp__slack__send_message", "Posts a message to a channel"),
        mcp("mcp__slack__list_channels", "Lists channels"),
        mcp("mcp__github__create_issue", "Opens an issue; may send mail"),
    ];
    let world = World::default();
    let pool = world.pool(&tools, &servers);
    let found = SearchIndex::default().search(&pool, &world.facts, query, 5);
    found.names.iter().map(ToString::to_string).collect()
}

#[test]
fn searches_find_names_before_hints_before_descriptions() {
    // Words of the name 12, of a hint 4, of a description 2.
    assert_eq!(
        search("send"),
        ["mcp__slack__send_message", "Fetch", "mcp__github__create_issue"]
    );
    // A word of the name 10 against 10 + 4.
    assert_eq!(search("notebook jupyter"), ["NotebookEdit", "NotebookRead"]);
    // A part of a word.
    assert_eq!(search("note"), ["NotebookEdit", "NotebookRead"]);
    assert_eq!(search("channels"), ["mcp__slack__list_channels"]);
    assert_eq!(search("nothing-of-this"), Vec::<String>::new());
}

#[test]
fn a_word_with_a_plus_must_be_in_the_name() {
    assert_eq!(
        search("+slack send"),
        ["mcp__slack__send_message", "mcp__slack__list_channels"]
    );
    assert_eq!(search("+jupyter"), Vec::<String>::new());
}

#[test]
fn names_are_selected_exactly_deferred_or_not() {
    assert_eq!(
        search("select:Shown,NotebookEdit, Nobody"),
        ["Shown", "NotebookEdit"]
    );
    assert_eq!(search("notebookedit"), ["NotebookEdit"]);
    assert_eq!(
        search("mcp__slack"),
        ["mcp__slack__list_channels", "mcp__slack__send_message"]
    );
}

#[test]
fn what_was_selected_and_is_no_tool_is_named() {
    let tools = tools(SEARCH);
    let world = World::default();
    let pool = world.pool(&tools, &[mcp("mcp__s__x", "An x")]);
    let found = SearchIndex::default().search(&pool, &world.facts, "select:mcp__s__x,Nobody", 5);
    assert_eq!(found.missing, ["Nobody"]);
    assert_eq!(found.deferred, 1);
    assert_eq!(
        found.schemas,
        [r#"{"description":"An x","name":"mcp__s__x","parameters":{"type":"object"}}"#]
    );
}

#[test]
fn descriptions_are_read_again_only_when_other_tools_wait() {
    let tools = tools(SEARCH);
    let world = World::default();
    let mut index = SearchIndex::default();
    let one = world.pool(&tools, &[mcp("mcp__s__x", "")]);
    index.search(&one, &world.facts, "x", 5);
    index.search(&one, &world.facts, "y", 5);
    assert_eq!(index.builds(), 1);
    let two = world.pool(&tools, &[mcp("mcp__s__x", ""), mcp("mcp__s__y", "")]);
    index.search(&two, &world.facts, "y", 5);
    assert_eq!(index.builds(), 2);
}
