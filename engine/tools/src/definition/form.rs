//! What the output of a program is, beyond text: JSON whose members later steps name as parts of the result.
//!
//! Invariant (own parts win): nothing that a program prints takes the place of what the engine itself says of a run, such as its code.
//! Invariant (the end is the program's own): a report stands behind everything that was passed on, and only there is it looked for; what
//! was fetched cannot put another one in its place.

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use super::step::Words;
use crate::template::{Address, Shape};

/// Longest report.
const MAX_REPORT_BYTES: usize = 256 * 1024;

/// A stream of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The form of what a program prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Text, and nothing more is known of it.
    #[default]
    Text,
    /// All of standard output is one JSON value.
    Json,
    /// A JSON object ends a stream; it is taken off the stream.
    Report(Stream),
    /// The report of `curl` about a transfer, as `--write-out "%{json}"` gives it.
    Transfer(Stream),
}

/// What `curl` may report. Its versions differ: what one leaves out is `none`.
const TRANSFER: &[&str] = &[
    "certs",
    "conn_id",
    "content_type",
    "curl_version",
    "errormsg",
    "exitcode",
    "filename_effective",
    "ftp_entry_path",
    "http_code",
    "http_connect",
    "http_version",
    "local_ip",
    "local_port",
    "method",
    "num_certs",
    "num_connects",
    "num_headers",
    "num_redirects",
    "num_retries",
    "proxy_ssl_verify_result",
    "proxy_used",
    "redirect_url",
    "referer",
    "remote_ip",
    "remote_port",
    "response_code",
    "scheme",
    "size_download",
    "size_header",
    "size_request",
    "size_upload",
    "speed_download",
    "speed_upload",
    "ssl_verify_result",
    "time_appconnect",
    "time_connect",
    "time_namelookup",
    "time_posttransfer",
    "time_pretransfer",
    "time_queue",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "tls_earlydata",
    "url",
    "url_effective",
    "urlnum",
    "xfer_id",
];

/// Parts that are worked out of the report: where the transfer leads, and the host of it. They are the address itself and its host where it
/// leads nowhere else.
const DERIVED: &[&str] = &["redirect", "redirect_host"];

/// What every run leaves behind.
pub(crate) const RAN: &[&str] = &["stdout", "stderr", "code", "timed_out", "task_id"];

impl Form {
    /// The forms that a definition may declare, with their words.
    pub const ALL: &[(&str, Self)] = &[
        ("text", Self::Text),
        ("json", Self::Json),
        ("report", Self::Report(Stream::Stdout)),
        ("error-report", Self::Report(Stream::Stderr)),
    ];

    /// The form that the words of a program ask it for.
    #[must_use]
    pub fn of(words: &[Words]) -> Self {
        let plain = |word: &Words| match word {
            Words::One(template) if template.is_plain() => Some(template.source().to_owned()),
            Words::One(_) | Words::Each(_) => None,
        };
        let mut words = words.iter().map(plain);
        let program = words.next().flatten();
        let is_curl = program.is_some_and(|program| program.rsplit('/').next() == Some("curl"));
        if !is_curl {
            return Self::Text;
        }
        words
            .flatten()
            .find_map(|word| {
                let before = word.strip_suffix("%{json}")?.to_owned();
                let stream = match (before.rfind("%{stderr}"), before.rfind("%{stdout}")) {
                    (Some(stderr), stdout) if stdout.is_none_or(|stdout| stdout < stderr) => Stream::Stderr,
                    (Some(_) | None, _) => Stream::Stdout,
                };
                Some(Self::Transfer(stream))
            })
            .unwrap_or_default()
    }

    /// What templates know of the result.
    pub(crate) fn shape(self) -> Shape {
        let plain = |names: &[&str]| -> Vec<(SmolStr, Shape)> {
            names.iter().map(|name| ((*name).into(), Shape::Plain)).collect()
        };
        match self {
            Self::Text => Shape::Object(plain(RAN).into_iter().collect()),
            // Nobody knows what a program prints.
            Self::Json | Self::Report(_) => Shape::Any,
            Self::Transfer(_) => {
                let mut parts = plain(RAN);
                parts.extend(plain(TRANSFER));
                parts.extend(plain(DERIVED));
                parts.push(("json".into(), Shape::Any));
                Shape::Object(parts.into_iter().collect())
            }
        }
    }

    /// Makes members of what a program printed parts of its result.
    pub fn spread(self, result: &mut Map<String, Json>) {
        let found = match self {
            Self::Text => return,
            Self::Json => result
                .get("stdout")
                .and_then(Json::as_str)
                .and_then(|text| serde_json::from_str(text).ok()),
            Self::Report(stream) | Self::Transfer(stream) => take_report(result, stream),
        };
        let whole = found.unwrap_or_default();
        if let Json::Object(members) = &whole {
            for (name, value) in members {
                if !RAN.contains(&name.as_str()) {
                    result.insert(name.clone(), value.clone());
                }
            }
        }
        result.insert("json".to_owned(), whole);
        match self {
            Self::Transfer(_) => complete(result),
            Self::Text | Self::Json | Self::Report(_) => {}
        }
    }
}

/// Takes the object that ends a stream off it.
fn take_report(result: &mut Map<String, Json>, stream: Stream) -> Option<Json> {
    let name = match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    };
    let text = result.get(name)?.as_str()?;
    let line = text.trim_end().rsplit('\n').next()?;
    let from = text.trim_end().len().checked_sub(line.len())?;
    if line.len() > MAX_REPORT_BYTES && !line.starts_with('{') {
        // What was passed on had no end of line; the report is at its end.
        return split_report(result, name, text.len().saturating_sub(MAX_REPORT_BYTES));
    }
    split_report(result, name, from)
}

/// The first object from a place on that reaches to the end of the stream.
fn split_report(result: &mut Map<String, Json>, name: &str, from: usize) -> Option<Json> {
    let text = result.get(name)?.as_str()?;
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at))?;
    let (_, end) = text.split_at_checked(from)?;
    let (at, report) = end.match_indices('{').find_map(|(at, _)| {
        let (_, tail) = end.split_at_checked(at)?;
        let map: Map<String, Json> = serde_json::from_str(tail).ok()?;
        Some((from + at, Json::Object(map)))
    })?;
    let rest = text.split_at_checked(at)?.0.to_owned();
    result.insert(name.to_owned(), rest.into());
    Some(report)
}

/// What a version of `curl` leaves out is `none`, and where the transfer leads is said.
fn complete(result: &mut Map<String, Json>) {
    for name in TRANSFER {
        result.entry(*name).or_insert(Json::Null);
    }
    let text = |name: &str| {
        result
            .get(name)
            .and_then(Json::as_str)
            .filter(|text| !text.is_empty())
    };
    let leads = text("redirect_url")
        .or_else(|| text("url_effective"))
        .map(str::to_owned);
    let host = leads
        .as_deref()
        .and_then(Address::parse)
        .map(|address| address.host().to_owned());
    result.insert("redirect".to_owned(), leads.into());
    result.insert("redirect_host".to_owned(), host.into());
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value as Json, json};

    use super::{Form, Stream};

    fn spread(form: Form, stdout: &str, stderr: &str) -> Map<String, Json> {
        let Json::Object(mut map) = json!({ "stdout": stdout, "stderr": stderr, "code": 0 }) else {
            unreachable!()
        };
        form.spread(&mut map);
        map
    }

    #[test]
    fn members_of_json_are_parts_and_never_those_of_the_engine() {
        let map = spread(Form::Json, r#"{"name":"x","code":7}"#, "");
        assert_eq!(map["name"], "x");
        assert_eq!(map["code"], 0);
        assert_eq!(map["json"], json!({"name": "x", "code": 7}));
        assert_eq!(spread(Form::Json, "no", "")["json"], Json::Null);
    }

    #[test]
    fn a_report_is_taken_off_the_end_of_its_stream_alone() {
        let form = Form::Report(Stream::Stdout);
        let map = spread(form, "<p>{}</p>{\"a\":{\"b\":1}}", "{\"a\":2}");
        assert_eq!(map["stdout"], "<p>{}</p>");
        assert_eq!(map["stderr"], "{\"a\":2}");
        assert_eq!(map["a"], json!({"b": 1}));
        // What was passed on cannot swallow the report.
        for passed_on in ["{\"a\":", "{\"a\":\"", "[{\"a\":3},", "{\"a\":3}"] {
            let map = spread(form, &format!("{passed_on}{{\"a\":1}}"), "");
            assert_eq!(map["a"], 1, "{passed_on}");
            assert_eq!(map["stdout"], passed_on);
        }
        let long = "x{".repeat(400_000);
        assert_eq!(spread(form, &format!("{long}{{\"a\":1}}"), "")["stdout"], long);
        assert!(!spread(form, "{\"a\":1} and more", "").contains_key("a"));
    }

    #[test]
    fn a_transfer_says_where_it_leads() {
        let form = Form::Transfer(Stream::Stderr);
        let moved = r#"{"response_code":302,"redirect_url":"https://B.example/x","url_effective":"https://a.example/"}"#;
        let map = spread(form, "page", &format!("warning\n{moved}"));
        assert_eq!(map["redirect"], "https://B.example/x");
        assert_eq!(map["redirect_host"], "b.example");
        assert_eq!(map["stderr"], "warning\n");
        assert_eq!(map["content_type"], Json::Null);
        let stays = r#"{"redirect_url":null,"url_effective":"https://a.example/"}"#;
        assert_eq!(spread(form, "", stays)["redirect_host"], "a.example");
        let none = spread(
            form,
            "{\"redirect_url\":\"https://c.example/\"}",
            "curl: (6) no host",
        );
        assert_eq!(none["redirect"], Json::Null);
        assert_eq!(none["redirect_host"], Json::Null);
    }
}
