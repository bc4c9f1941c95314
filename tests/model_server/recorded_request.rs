//! A request as it arrived, whole, and in a form that can be compared between runs.

use std::time::Instant;

use serde_json::{Map, Value, json};

use super::wire::ScriptedWire;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordedRequest {
    /// `None` for other requests, such as the list of models.
    pub(crate) wire: Option<ScriptedWire>,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Without its `?`; empty if there is none.
    pub(crate) query: String,
    /// In order of arrival, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Null if the body is not JSON.
    pub(crate) body: Value,
    pub(crate) raw: Vec<u8>,
    /// When its head arrived.
    pub(crate) begun: Instant,
    /// When its last byte arrived.
    pub(crate) arrived: Instant,
}

/// Headers of the transport and of the client's build, which say nothing about the request.
const VOLATILE: [&str; 9] = [
    "host",
    "user-agent",
    "content-length",
    "transfer-encoding",
    "connection",
    "expect",
    "traceparent",
    "tracestate",
    "x-client-request-id",
];
const SECRET: [&str; 5] = ["authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key"];
const MASK: &str = "***";

impl RecordedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let wanted = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        wanted.map(|(_, value)| value.as_str())
    }

    /// The whole request without what differs between runs; secrets are present but masked. A header that was sent
    /// twice is an array.
    pub(crate) fn comparable(&self) -> Value {
        let mut headers = Map::new();
        for (name, value) in &self.headers {
            if VOLATILE.contains(&name.as_str()) || name.starts_with("accept") {
                continue;
            }
            let value =
                Value::String(if SECRET.contains(&name.as_str()) { mask(value) } else { value.clone() });
            match headers.get_mut(name) {
                None => drop(headers.insert(name.clone(), value)),
                Some(Value::Array(values)) => values.push(value),
                Some(first) => *first = json!([first, value]),
            }
        }
        headers.sort_keys();
        json!({
            "method": self.method, "path": self.path, "query": mask_query(&self.query), "headers": headers,
            "body": if self.body.is_null() { json!(String::from_utf8_lossy(&self.raw)) } else { self.body.clone() },
        })
    }
}

/// Keeps the scheme of `Bearer abc`, and that there was a value at all.
fn mask(value: &str) -> String {
    match value.split_once(' ') {
        Some((scheme, _)) => format!("{scheme} {MASK}"),
        None if value.is_empty() => String::new(),
        None => MASK.to_owned(),
    }
}

fn mask_query(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some(("key" | "api_key" | "access_token", _)) => {
            format!("{}={MASK}", pair.split('=').next().unwrap_or_default())
        }
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}
