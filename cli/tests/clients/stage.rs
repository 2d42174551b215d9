//! What tests with real clients share: a program that npm fetches, a place without a network, and a model that answers over HTTP.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value as Json;

/// A program of a package, in the build's own directory; fetched once.
pub(crate) fn fetched(package: &str, program: &str) -> Result<PathBuf, String> {
    let folder = package.trim_start_matches('@').replace(['/', '@'], "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let program = folder.join("node_modules/.bin").join(program);
    if program.exists() {
        return Ok(program);
    }
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let output = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&folder)
        .arg(package)
        .output()
        .map_err(|error| format!("npm: {error}"))?;
    if output.status.success() && program.exists() {
        return Ok(program);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(complaint.lines().last().unwrap_or("npm failed").to_owned())
}

#[expect(clippy::print_stderr, reason = "whoever reads the results must see it")]
fn skipped(client: &str, why: &str) {
    eprintln!("SKIPPED: {client}: {why}");
}

/// Runs a test of this program once more, in a namespace that has no network but its own loopback; [`program`] is the client there.
pub(crate) fn in_a_namespace(client: &str, program: Result<PathBuf, String>, test: &str) {
    let program = match program {
        Ok(program) => program,
        Err(why) => return skipped(client, &why),
    };
    let inside = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args([
            "--map-root-user",
            "--net",
            "--",
            "sh",
            "-c",
            "ip link set lo up && exec \"$@\"",
            "sh",
        ]);
        command.args(words).env("CLIENT_PROGRAM", &program);
        command.output()
    };
    match inside(&["true"]) {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return skipped(client, &format!("no namespace: {why}"));
        }
        Err(error) => return skipped(client, &format!("unshare: {error}")),
    }
    let own = std::env::current_exe().expect("this program");
    let own = own.to_str().expect("a name");
    let output = inside(&[own, "--ignored", "--exact", "--nocapture", test]).expect("a namespace");
    let (shown, complaint) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && shown.contains("1 passed"),
        "{shown}\n{complaint}"
    );
}

/// The client, in the namespace.
pub(crate) fn program() -> PathBuf {
    let program = std::env::var_os("CLIENT_PROGRAM");
    PathBuf::from(program.expect("it is run by another test"))
}

/// What a model answers.
pub(crate) struct Answer {
    /// The type of the content.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// The request could make a call, and is kept.
    pub(crate) is_turn: bool,
}

/// A model that answers over HTTP, on the loopback.
pub(crate) struct Model {
    pub(crate) port: u16,
    last: Arc<Mutex<Json>>,
}

impl Model {
    /// Starts one; `answer` gets the path of a request and its body.
    pub(crate) fn start(answer: impl Fn(&str, &Json) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let last = Arc::new(Mutex::new(Json::Null));
        let (seen, answer) = (Arc::clone(&last), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &*answer, &seen));
            }
        });
        Self { port, last }
    }

    /// The last request that could make a call.
    pub(crate) fn last(&self) -> Json {
        self.last.lock().expect("a request").clone()
    }
}

/// Reads one request of HTTP and answers it.
fn serve(mut stream: TcpStream, answer: &dyn Fn(&str, &Json) -> Answer, seen: &Mutex<Json>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_mins(1))).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(own) = line.strip_prefix("content-length:") {
            length = own.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Json = serde_json::from_slice(&body).unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default();
    let Answer { kind, text, is_turn } = answer(path, &request);
    if is_turn {
        *seen.lock().ok()? = request;
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(text.as_bytes()).ok()
}

/// The items of a list; none of anything else.
pub(crate) fn items(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}
