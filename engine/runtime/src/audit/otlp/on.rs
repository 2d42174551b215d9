//! The export itself. Source: the OpenTelemetry protocol's `ExportLogsServiceRequest` in its JSON encoding: 64-bit numbers are texts,
//! names are in lower camel case.

use serde_json::{Value as Json, json};

use crate::audit::{Sealed, parse_time};

/// Whether the export is built in.
pub const IS_BUILT_IN: bool = true;

/// Source: the severity numbers of OpenTelemetry's log data model.
const INFO: u32 = 9;
const WARN: u32 = 13;

/// A line of the export.
#[must_use]
pub fn otlp_line(record: &Sealed) -> Option<String> {
    let fields = record.json.as_object()?;
    let text = |name: &str| fields.get(name).and_then(Json::as_str);
    let nanos = parse_time(text("time")?)?.checked_mul(1_000_000)?.to_string();
    let verdict = text("answered").or_else(|| text("verdict"));
    let (number, severity) = match verdict {
        Some("deny" | "ask") => (WARN, "WARN"),
        _ => (INFO, "INFO"),
    };
    let attributes: Vec<Json> = fields
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "v" | "time"))
        .map(|(name, value)| json!({ "key": format!("engine.audit.{name}"), "value": any(value) }))
        .collect();
    let body = [text("kind"), text("tool"), verdict]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ");
    let request = json!({
        "resourceLogs": [{
            "resource": { "attributes": [{ "key": "service.name", "value": { "stringValue": "engine" } }] },
            "scopeLogs": [{
                "scope": { "name": "engine.audit" },
                "logRecords": [{
                    "timeUnixNano": nanos,
                    "observedTimeUnixNano": nanos,
                    "severityNumber": number,
                    "severityText": severity,
                    "body": { "stringValue": body },
                    "attributes": attributes,
                }],
            }],
        }],
    });
    Some(request.to_string())
}

/// A value as the protocol's `AnyValue`.
fn any(value: &Json) -> Json {
    match value {
        Json::Null => json!({}),
        Json::Bool(value) => json!({ "boolValue": value }),
        Json::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Json::Number(number) => json!({ "intValue": number.to_string() }),
        Json::String(text) => json!({ "stringValue": text }),
        Json::Array(items) => {
            json!({ "arrayValue": { "values": items.iter().map(any).collect::<Vec<_>>() } })
        }
        Json::Object(fields) => {
            let values: Vec<Json> = fields
                .iter()
                .map(|(key, value)| json!({ "key": key, "value": any(value) }))
                .collect();
            json!({ "kvlistValue": { "values": values } })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::otlp_line;
    use crate::audit::Sealed;

    #[test]
    fn a_record_is_a_log_record_with_its_time_severity_and_fields() {
        let record = Sealed {
            seq: 3,
            prev: String::new(),
            hash: String::new(),
            json: json!({ "v": 1, "seq": 3, "time": "1970-01-01T00:00:01.500Z", "kind": "decision", "tool": "Bash",
                "verdict": "deny", "git": ["push"], "failed": false }),
        };
        let line: Json = otlp_line(&record).unwrap().parse().unwrap();
        let log = &line["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
        assert_eq!(log["timeUnixNano"], "1500000000");
        assert_eq!(
            (&log["severityNumber"], &log["severityText"]),
            (&json!(13), &json!("WARN"))
        );
        assert_eq!(log["body"], json!({ "stringValue": "decision Bash deny" }));
        let attributes = log["attributes"].as_array().unwrap();
        let has = |key: &str, value: Json| attributes.contains(&json!({ "key": key, "value": value }));
        assert!(has("engine.audit.seq", json!({ "intValue": "3" })));
        assert!(has("engine.audit.failed", json!({ "boolValue": false })));
        assert!(has(
            "engine.audit.git",
            json!({ "arrayValue": { "values": [{ "stringValue": "push" }] } })
        ));
    }
}
