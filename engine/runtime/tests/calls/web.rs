//! `WebFetch`, `WebSearch` and `RemoteTrigger` against servers on the loopback interface.
//!
//! The shipped definitions speak TLS alone. Here they are read with `http` in its place and are otherwise what ships.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine_tools::definition::Need;
use engine_tools::shipped_text;
use serde_json::json;

use super::support::{OPEN, Setup, Table};

/// A server that answers by path, and the requests that it got.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

fn answer(mut stream: TcpStream, requests: &Mutex<Vec<String>>) {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    while !read.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => read.extend_from_slice(&buffer[..n]),
            _ => break,
        }
    }
    let text = String::from_utf8_lossy(&read).into_owned();
    let path = text.split(' ').nth(1).unwrap_or("/").to_owned();
    requests.lock().expect("requests").push(text);
    let (status, kind, body) = match path.as_str() {
        "/page" => (
            "200 OK",
            "text/html",
            "<h1>Title</h1><script>evil()</script><p>Some <b>text</b></p>".to_owned(),
        ),
        "/plain" => ("200 OK", "text/plain", "just text".to_owned()),
        "/away" => (
            "302 Found\r\nLocation: http://other.example/new",
            "text/html",
            String::new(),
        ),
        "/gone" => ("404 Not Found", "text/html", "<p>no</p>".to_owned()),
        "/large" => ("200 OK", "text/plain", "x".repeat(11 << 20)),
        "/triggers" => ("200 OK", "application/json", "[]".to_owned()),
        _ => ("200 OK", "text/plain", path.clone()),
    };
    let _sent = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

fn serve() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let requests = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let own = Arc::clone(&own);
            std::thread::spawn(move || answer(stream, &own));
        }
    });
    Server { address, requests }
}

/// A shipped file of tools without TLS.
fn without_tls(file: &str) -> String {
    let (_, text) = shipped_text()
        .iter()
        .find(|(name, _)| *name == file)
        .expect("a file");
    assert!(
        text.contains("\"=https\""),
        "the shipped definition speaks TLS alone"
    );
    text.replace("\"=https\"", "\"=http\"")
        .replace("| upgrade_https", "")
        .replace("\"--max-time\" \"20\"", "\"--max-time\" \"2\"")
}

fn web(change: impl FnOnce(Setup) -> Setup) -> Table {
    change(Setup::new(OPEN).tools(&without_tls("web.kdl"))).start()
}

fn fetch(server: &Server, path: &str) -> serde_json::Value {
    json!({ "url": format!("{}{path}", server.address), "prompt": "What?" })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_fetched_once_and_shown_as_text() {
    let (server, table) = (serve(), web(|setup| setup));
    let page = table.works("WebFetch", fetch(&server, "/page")).await;
    assert!(
        page.contains("# Title") && page.contains("**text**") && !page.contains("evil"),
        "{page}"
    );
    assert_eq!(table.works("WebFetch", fetch(&server, "/page")).await, page);
    assert_eq!(
        server.requests.lock().expect("requests").len(),
        1,
        "the second time it is remembered"
    );
    assert_eq!(
        table.works("WebFetch", fetch(&server, "/plain")).await,
        "just text"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_a_page_is_told() {
    let (server, table) = (serve(), web(|setup| setup));
    let moved = table.works("WebFetch", fetch(&server, "/away")).await;
    assert!(
        moved.starts_with("REDIRECT DETECTED") && moved.contains("Redirect URL: http://other.example/new"),
        "{moved}"
    );
    for _ in 0..2 {
        let gone = table.fails("WebFetch", fetch(&server, "/gone")).await;
        assert_eq!(gone, "The page could not be fetched: the server answered 404.");
    }
    let asked = server
        .requests
        .lock()
        .expect("requests")
        .iter()
        .filter(|text| text.contains("/gone"))
        .count();
    assert_eq!(asked, 2, "a failure is not remembered");
    let large = table.fails("WebFetch", fetch(&server, "/large")).await;
    assert!(large.starts_with("The page could not be fetched:"), "{large}");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    let slow = table
        .fails("WebFetch", json!({ "url": url, "prompt": "?" }))
        .await;
    assert!(slow.contains("timed out"), "{slow}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_is_one_request() {
    let (server, table) = (serve(), web(|setup| setup));
    for path in ["/{a,b,c}", "/[1-50]"] {
        let (_, _) = table.call("WebFetch", fetch(&server, path)).await;
    }
    assert!(
        server.requests.lock().expect("requests").len() <= 2,
        "what curl takes for a pattern is none"
    );
}

#[tokio::test]
async fn nothing_but_pages_is_fetched() {
    let table = Setup::new(OPEN).file("a.txt", "HIDDEN").start();
    let file = format!("file://{}", table.path("a.txt"));
    for url in [
        file.as_str(),
        "-o/tmp/x",
        "gopher://127.0.0.1/",
        "http://",
        "https://a b/",
        "https://x\0y/",
        "@/etc/passwd",
        "",
    ] {
        let said = table
            .fails("WebFetch", json!({ "url": url, "prompt": "?" }))
            .await;
        assert!(!said.contains("HIDDEN"), "{url}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_are_decided() {
    let server = serve();
    let policy = OPEN.replace("network \"allow\"", "network \"deny\"");
    let table = Setup::new(&policy).tools(&without_tls("web.kdl")).start();
    let said = table.fails("WebFetch", fetch(&server, "/page")).await;
    assert!(said.contains("denied by the policy"), "{said}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.requests.lock().expect("requests").len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn triggers_of_a_configured_service_are_worked_with() {
    let server = serve();
    let base = format!("{}/triggers", server.address);
    let table = Setup::new(OPEN)
        .tools(&without_tls("schedule.kdl"))
        .has(Need::RemoteService)
        .facts(|facts| {
            facts.settings.insert("remote_triggers".to_owned(), base.into());
        })
        .start();
    assert_eq!(
        table.works("RemoteTrigger", json!({ "action": "list" })).await,
        "HTTP 200\n[]"
    );
    assert_eq!(
        table.fails("RemoteTrigger", json!({ "action": "get" })).await,
        "get requires trigger_id"
    );
    assert_eq!(
        table.fails("RemoteTrigger", json!({ "action": "create" })).await,
        "create requires body"
    );
    assert_eq!(
        table
            .works("RemoteTrigger", json!({ "action": "run", "trigger_id": "t1" }))
            .await,
        "HTTP 200\n/triggers/t1/run"
    );
    table
        .fails("RemoteTrigger", json!({ "action": "get", "trigger_id": "../x" }))
        .await;
}

/// A session whose search is a program of the test's. The tool is declared to change nothing, and that the program does so is only known
/// where a rule speaks of it.
fn searching(rules: &str, script: &str) -> Table {
    use std::os::unix::fs::PermissionsExt as _;

    let mut setup =
        Setup::new(&format!("{OPEN}\n{rules}")).file("bin/search-it", &format!("#!/bin/bash\n{script}\n"));
    let bin = setup.root().join("project/bin");
    std::fs::set_permissions(bin.join("search-it"), std::fs::Permissions::from_mode(0o755))
        .expect("a program");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    setup = setup.variable("PATH", &path).facts(|facts| {
        facts.settings.insert("web_search".to_owned(), "search-it".into());
    });
    setup.start()
}

const SEARCHES: &str = "allow { command \"search-it ...\" }";

#[tokio::test]
async fn a_search_is_what_the_configured_program_finds() {
    let found = json!([
        { "title": "One", "url": "https://one.example/", "snippet": "the first" },
        { "title": "Two", "url": "https://two.example/" },
    ]);
    let table = searching(
        SEARCHES,
        &format!("printf '%s|%s|%s|%s' \"$#\" \"$1\" \"$2\" \"$3\" > seen; echo '{found}'"),
    );
    let query = "rust 'async'; touch x $(touch y)";
    let said = table
        .works(
            "WebSearch",
            json!({ "query": query, "allowed_domains": ["one.example", "two.example"] }),
        )
        .await;
    assert_eq!(
        said,
        format!(
            "Web search results for query: \"{query}\"\n\n- [One](https://one.example/): the first\n- [Two](https://two.example/)\n\nREMINDER: You MUST include the sources above in your response to the user using markdown hyperlinks."
        )
    );
    assert_eq!(table.text("seen"), format!("3|{query}|one.example,two.example|"));
    assert!(!table.project().join("x").exists() && !table.project().join("y").exists());
    table
        .works(
            "WebSearch",
            json!({ "query": "ab", "blocked_domains": ["bad.example"] }),
        )
        .await;
    assert_eq!(table.text("seen"), "3|ab||bad.example");
    for wrong in [
        json!({ "query": "a" }),
        json!({ "query": "ab", "domains": [] }),
        json!({ "query": "ab", "allowed_domains": ["a.example"], "blocked_domains": ["b.example"] }),
        json!({ "query": "a\0b" }),
    ] {
        table.fails("WebSearch", wrong).await;
    }
    assert_eq!(table.text("seen"), "3|ab||bad.example", "a wrong search is none");
}

#[tokio::test]
async fn a_search_that_fails_finds_nothing_or_is_no_json_is_told_as_that() {
    let search = json!({ "query": "anything" });
    let failing = searching(SEARCHES, "echo out of order >&2; exit 3");
    assert_eq!(
        failing.fails("WebSearch", search.clone()).await,
        "The search failed: out of order"
    );
    let nothing = searching(SEARCHES, "echo '[]'")
        .works("WebSearch", search.clone())
        .await;
    assert!(nothing.contains("No results found."), "{nothing}");
    let text = searching(SEARCHES, "echo plain words")
        .works("WebSearch", search.clone())
        .await;
    assert_eq!(
        text.trim_end(),
        "Web search results for query: \"anything\"\n\nplain words"
    );
}

#[tokio::test]
async fn a_search_is_decided_and_is_not_there_unless_it_is_configured() {
    for (rules, why) in [
        ("deny \"no-search\" { command \"search-it ...\" }", "no-search"),
        // Whatever the default is, a program that nobody knows may change something.
        ("", "is declared to change nothing, and this step of it may"),
    ] {
        let table = searching(rules, "touch ran; echo '[]'");
        let said = table.fails("WebSearch", json!({ "query": "anything" })).await;
        assert!(said.contains(why), "{said}");
        assert!(!table.project().join("ran").exists());
    }
    let bare = Setup::new(OPEN).start();
    let said = bare.fails("WebSearch", json!({ "query": "anything" })).await;
    assert!(said.starts_with("No such tool available: WebSearch"), "{said}");
}
