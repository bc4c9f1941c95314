//! A search engine that answers one request with JSON.
//!
//! Its results are a list in the response: at the configured path, or under a name that engines commonly use. Title, address
//! and text of a result are found in the same way.

use std::fmt::Write;

use serde_json::Value;

use super::response_body;
use super::search_endpoint::{MAX_RESPONSE_BYTES, SearchClient, WebSearchResults};
use super::template::{TemplateValues, fill};
use crate::outcome::ToolError;

const LISTS: [&str; 9] = [
    "results",
    "items",
    "web.results",
    "organic",
    "organic_results",
    "webPages.value",
    "data",
    "hits",
    "documents",
];
const TITLES: [&str; 4] = ["title", "name", "heading", "repo"];
const ADDRESSES: [&str; 5] = ["url", "link", "href", "html_url", "path"];
const TEXTS: [&str; 8] =
    ["content", "snippet", "description", "text", "summary", "highlights", "body", "code"];

const MAX_RESULTS: usize = 100;

pub(super) async fn ask(
    engine: &SearchClient,
    body: Option<&Value>,
    results: Option<&str>,
    values: TemplateValues<'_>,
) -> Result<WebSearchResults, ToolError> {
    let request = match body {
        Some(body) => {
            let body = fill(body, values).to_string();
            engine.client.post(engine.url.clone()).header("content-type", "application/json").body(body)
        }
        None => engine.client.get(engine.url.clone()),
    };
    let request = request.header("accept", "application/json").headers(engine.headers.clone());
    let mut response = request.send().await.map_err(|error| engine.unreachable(&error))?;
    if !response.status().is_success() {
        return Err(engine.response_error(&mut response).await);
    }
    let body = response_body::read(&mut response, MAX_RESPONSE_BYTES).await?;
    if body.is_cut {
        return Err(ToolError::failed(format!(
            "{} answered with more than {MAX_RESPONSE_BYTES} bytes.",
            engine.host
        )));
    }
    let answer: Value = serde_json::from_slice(&body.bytes).map_err(|error| {
        ToolError::failed(format!("{} answered with something that is no JSON ({error}).", engine.host))
    })?;
    let list = list(&answer, results).ok_or_else(|| {
        let keys: Vec<_> = answer.as_object().into_iter().flat_map(|map| map.keys()).take(20).map(String::as_str).collect();
        ToolError::failed(format!(
            "{} answered without a list of results. Its answer has: {}. The user can say in `results` of the configuration where they are.",
            engine.host,
            keys.join(", ")
        ))
    })?;
    Ok(WebSearchResults { text: shown(list), count: Some(list.len().min(MAX_RESULTS)) })
}

fn list<'a>(answer: &'a Value, results: Option<&str>) -> Option<&'a Vec<Value>> {
    match results {
        Some(path) => value_at(answer, path)?.as_array(),
        None => {
            answer.as_array().or_else(|| LISTS.iter().find_map(|path| value_at(answer, path)?.as_array()))
        }
    }
}

/// The value at a path such as `a.b.0`; the empty path is the whole response.
fn value_at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').filter(|step| !step.is_empty()).try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

fn shown(list: &[Value]) -> String {
    let mut text = String::new();
    for (number, item) in list.iter().take(MAX_RESULTS).enumerate() {
        let first = |names: &[&str]| names.iter().find_map(|name| words(item.get(name)?));
        let (title, address, content) = (first(&TITLES), first(&ADDRESSES), first(&TEXTS));
        let _ = write!(text, "{}. ", number + 1);
        if let (None, None, None) = (&title, &address, &content) {
            let _ = writeln!(text, "{}", words(item).unwrap_or_else(|| item.to_string()));
        }
        for line in [title, address, content].into_iter().flatten() {
            let _ = writeln!(text, "{}", line.trim());
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(items) => {
            let texts: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}
