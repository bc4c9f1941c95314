//! Pulls diagnostics from tsserver, through the language server in front of it.
//!
//! Such a language server collects changes, publishes without a version, and publishes nothing if there are no problems
//! before and after. But it passes requests on in order, and tsserver answers them one by one. So a response is about
//! the texts that were sent before it, and about the whole project, which tsserver reads first.

use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::initialize::PullOptions;
use super::parse::{self, DiagnosticSet};
use super::uri;

/// The command that passes a request on to tsserver.
pub(super) const COMMAND: &str = "typescript.tsserverRequest";

/// Together they return all problems. Suggestions are not requested, because reports leave them out.
const REQUESTS: [&str; 2] = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"];

/// For pulls of single files.
pub(super) static PULL_OPTIONS: PullOptions =
    PullOptions { identifier: None, selector: None, workspace: false };

/// The params of the commands that pull a file's diagnostics.
pub(super) fn request_params(path: &Path, uri: &str) -> [Value; 2] {
    // Not every server accepts a URI. Those that do parse a path as a URI, too: a `%` in it could lead to another file.
    let file = path.to_str().filter(|path| !path.contains('%')).unwrap_or(uri);
    REQUESTS.map(|request| json!({ "command": COMMAND, "arguments": [request, { "file": file }] }))
}

/// Parses one response. `None` if it is no list of diagnostics: tsserver was not there, or does not know the file.
pub(super) fn parse_response(result: &RawValue, settings: &Value, room: &mut usize) -> Option<DiagnosticSet> {
    let answer: Map<String, Value> = serde_json::from_str(result.get()).ok()?;
    let is_answer = answer.get("type")? == "response" && answer.get("success") != Some(&Value::Bool(false));
    let body = answer.get("body").and_then(Value::as_array).filter(|_| is_answer)?;
    let ignored = ignored(settings);
    let items = body.iter().filter(|item| !item.get("code").is_some_and(|code| ignored.contains(code)));
    Some(parse::convert_items(items.filter_map(diagnostic), room))
}

/// The codes that the user ignores.
fn ignored(settings: &Value) -> &[Value] {
    let codes = settings.get("diagnostics").and_then(|settings| settings.get("ignoredCodes"));
    codes.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// As an LSP diagnostic.
fn diagnostic(item: &Value) -> Option<Value> {
    let item = item.as_object()?;
    let related = item.get("relatedInformation").and_then(Value::as_array).into_iter().flatten();
    let related = related.filter_map(|one| {
        let span = one.get("span")?;
        let uri = uri::from_path(Path::new(span.get("file")?.as_str()?))?;
        Some(json!({ "location": { "uri": uri, "range": range(span) }, "message": one.get("message") }))
    });
    Some(json!({
        "range": range(&Value::Object(item.clone())),
        "severity": severity(item.get("category")),
        "code": item.get("code"),
        "source": item.get("source").filter(|source| source.is_string()).cloned().unwrap_or_else(|| "typescript".into()),
        "message": item.get("text"),
        "relatedInformation": related.collect::<Vec<_>>(),
    }))
}

fn severity(category: Option<&Value>) -> u8 {
    match category.and_then(Value::as_str) {
        Some("warning") => 2,
        Some("message") => 3,
        Some("suggestion") => 4,
        _ => 1,
    }
}

/// tsserver counts lines and columns from one.
fn range(span: &Value) -> Value {
    let place = |name| {
        let place = span.get(name);
        let number = |name| place.and_then(|place| place.get(name)).and_then(Value::as_u64);
        let number = |name| number(name).unwrap_or_default().saturating_sub(1);
        json!({ "line": number("line"), "character": number("offset") })
    };
    json!({ "start": place("start"), "end": place("end") })
}
