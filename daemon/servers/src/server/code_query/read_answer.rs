//! Reads the answers of servers. An item that is no valid one is left out: a server's fault in one place hides no other.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use copydesk_text::Position;
use lsp_types::SymbolKind;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CodeQuery, HierarchyItem, ServerLocation, ServerSymbol};
use crate::sanitize;
use crate::server::text_edits::read_range as range;
use crate::server::uri;

/// The cap on the items of one answer.
const MAX_ITEMS: usize = 50_000;
/// The cap on the letters of a name or a detail.
const MAX_NAME_LETTERS: usize = 1000;
/// The cap on the letters of a hover text.
const MAX_HOVER_LETTERS: usize = 20_000;
/// How deep symbols may be nested.
const MAX_DEPTH: usize = 32;

/// The items of a list, a single item, or nothing.
fn items(answer: &Value) -> &[Value] {
    match answer {
        Value::Array(items) => items.get(..MAX_ITEMS).unwrap_or(items),
        Value::Object(_) => std::slice::from_ref(answer),
        _ => &[],
    }
}

pub(super) fn locations(answer: &RawValue) -> Vec<ServerLocation> {
    // Most places are in few files.
    let mut paths = HashMap::new();
    let items: Vec<&RawValue> = serde_json::from_str(answer.get()).unwrap_or_else(|_| vec![answer]);
    let mut found: Vec<_> =
        items.into_iter().take(MAX_ITEMS).filter_map(|item| location(item, &mut paths)).collect();
    found.sort_by(|a, b| (&a.path, a.range.start, a.range.end).cmp(&(&b.path, b.range.start, b.range.end)));
    found.dedup();
    found
}

/// A location, or a link to one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocationOrLink {
    #[serde(alias = "targetUri")]
    uri: String,
    #[serde(default)]
    range: Option<lsp_types::Range>,
    #[serde(default)]
    target_selection_range: Option<lsp_types::Range>,
    #[serde(default)]
    target_range: Option<lsp_types::Range>,
}

/// `paths` has the paths of URIs that were read before.
fn location(item: &RawValue, paths: &mut HashMap<String, Option<PathBuf>>) -> Option<ServerLocation> {
    let item: LocationOrLink = serde_json::from_str(item.get()).ok()?;
    let range = item.target_selection_range.or(item.range).or(item.target_range)?;
    let path = match paths.get(&item.uri) {
        Some(known) => known.clone()?,
        None => paths.entry(item.uri).or_insert_with_key(|uri| uri::to_path(uri)).clone()?,
    };
    let position = |at: lsp_types::Position| Position::new(at.line, at.character);
    Some(ServerLocation { path, range: position(range.start)..position(range.end) })
}

/// The text of a hover: one or several marked strings, or Markdown.
pub(super) fn hover_text(answer: &Value) -> Option<String> {
    let contents = answer.get("contents")?;
    let part = |part: &Value| {
        let value = part.as_str().or_else(|| part.get("value")?.as_str())?;
        let language = part.get("language").and_then(Value::as_str);
        Some(language.map_or_else(|| value.to_owned(), |language| format!("```{language}\n{value}\n```")))
    };
    let parts = contents.as_array().map_or(std::slice::from_ref(contents), Vec::as_slice);
    let text = parts.iter().filter_map(part).collect::<Vec<_>>().join("\n\n");
    let text = sanitize::sanitize_text(text.trim(), MAX_HOVER_LETTERS);
    (!text.is_empty()).then_some(text)
}

pub(super) fn document_symbols(answer: &Value, path: &Path) -> Vec<ServerSymbol> {
    let mut found = Vec::new();
    add_symbols(items(answer), path, None, 0, &mut found);
    found
}

/// Adds symbols and what is in them. The server may list the symbols of a level in any order.
fn add_symbols(
    items: &[Value],
    path: &Path,
    parent: Option<usize>,
    depth: usize,
    found: &mut Vec<ServerSymbol>,
) {
    if depth >= MAX_DEPTH {
        return;
    }
    let mut level: Vec<_> = items.iter().filter_map(|item| Some((item, symbol(item, Some(path))?))).collect();
    level.sort_by_key(|(_, symbol)| symbol.range.start);
    for (item, symbol) in level {
        if found.len() >= MAX_ITEMS {
            return;
        }
        found.push(ServerSymbol { parent, ..symbol });
        let own = found.len() - 1;
        let children = item.get("children").and_then(Value::as_array);
        add_symbols(children.map_or(&[], Vec::as_slice), path, Some(own), depth + 1, found);
    }
}

pub(super) fn workspace_symbols(answer: &Value) -> Vec<ServerSymbol> {
    items(answer).iter().filter_map(|item| symbol(item, None)).collect()
}

/// A symbol of a file, of a workspace, or of a hierarchy. `path` is the file if the item does not name one.
fn symbol(item: &Value, path: Option<&Path>) -> Option<ServerSymbol> {
    let text = |name| {
        let text = item.get(name)?.as_str()?;
        Some(sanitize::sanitize_line(text, MAX_NAME_LETTERS)).filter(|text| !text.trim().is_empty())
    };
    let location = item.get("location").unwrap_or(item);
    let named = location.get("uri").and_then(Value::as_str);
    let path = match named {
        Some(uri) => uri::to_path(uri)?,
        None => path?.to_owned(),
    };
    // A symbol of a workspace may have a file and no range.
    let start = Position::new(0, 0);
    let range = location.get("range").map_or(Some(start..start), range)?;
    let name_range = item.get("selectionRange").and_then(self::range).unwrap_or(range.clone());
    let kind = item.get("kind").and_then(Value::as_u64).and_then(|kind| u32::try_from(kind).ok());
    Some(ServerSymbol {
        name: text("name")?,
        kind: SymbolKind::from(kind.unwrap_or(13)),
        detail: text("detail"),
        container: text("containerName"),
        parent: None,
        path,
        range,
        name_range,
    })
}

pub(super) fn hierarchy_items(answer: &Value) -> Vec<HierarchyItem> {
    items(answer).iter().filter_map(|item| hierarchy_item(item, Vec::new())).collect()
}

fn hierarchy_item(item: &Value, calls: Vec<Range<Position>>) -> Option<HierarchyItem> {
    Some(HierarchyItem { symbol: symbol(item, None)?, calls, item: item.clone() })
}

pub(super) fn hierarchy_level(query: CodeQuery, answer: &Value) -> Vec<HierarchyItem> {
    let side = match query {
        CodeQuery::IncomingCalls => "from",
        CodeQuery::OutgoingCalls => "to",
        _ => return hierarchy_items(answer),
    };
    let call = |call: &Value| {
        let ranges = call.get("fromRanges").and_then(Value::as_array);
        hierarchy_item(call.get(side)?, ranges.into_iter().flatten().filter_map(range).collect())
    };
    items(answer).iter().filter_map(call).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(line: u32, from: u32, to: u32) -> Value {
        json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
    }

    fn raw(answer: &Value) -> Box<RawValue> {
        serde_json::value::to_raw_value(answer).unwrap()
    }

    #[test]
    fn locations_and_links_are_read_alike() {
        let link = json!({ "targetUri": "file:///a.rs", "targetRange": at(1, 0, 9), "targetSelectionRange": at(1, 3, 5) });
        let location = json!({ "uri": "file:///a.rs", "range": at(1, 3, 5) });
        for answer in [json!([link]), json!([location]), location.clone(), json!([link, location, 7, {}])] {
            let found = locations(&raw(&answer));
            assert_eq!(found.len(), 1, "{answer}");
            assert_eq!(found[0].range, Position::new(1, 3)..Position::new(1, 5));
        }
        assert_eq!(locations(&raw(&Value::Null)), []);
        // A class in an archive has no path.
        assert_eq!(locations(&raw(&json!([{ "uri": "jdt://contents/A.class", "range": at(0, 0, 1) }]))), []);
    }

    #[test]
    fn every_kind_of_hover_is_read() {
        for (contents, expected) in [
            (json!("plain"), Some("plain")),
            (json!({ "kind": "markdown", "value": "**bold**" }), Some("**bold**")),
            (
                json!([{ "language": "go", "value": "func f()" }, "More."]),
                Some("```go\nfunc f()\n```\n\nMore."),
            ),
            (json!([]), None),
            (json!(""), None),
        ] {
            assert_eq!(hover_text(&json!({ "contents": contents })).as_deref(), expected, "{contents}");
        }
        assert_eq!(hover_text(&Value::Null), None);
    }

    #[test]
    fn symbols_are_listed_in_the_order_of_the_text() {
        let symbol = |name: &str, line: u32, children: Value| json!({ "name": name, "kind": 12, "range": at(line, 0, 9), "selectionRange": at(line, 3, 5), "children": children });
        let inner = symbol("inner", 3, json!([]));
        let answer = json!([symbol("last", 5, json!([])), symbol("first", 1, json!([inner]))]);
        let found = document_symbols(&answer, Path::new("/a.rs"));
        let shown: Vec<_> = found.iter().map(|symbol| (symbol.name.as_str(), symbol.parent)).collect();
        assert_eq!(shown, [("first", None), ("inner", Some(0)), ("last", None)]);
    }

    #[test]
    fn deep_symbols_are_cut() {
        let mut item = json!({ "name": "x", "kind": 2, "range": at(0, 0, 1), "selectionRange": at(0, 0, 1) });
        for _ in 0..100 {
            item = json!({ "name": "x", "kind": 2, "range": at(0, 0, 1), "selectionRange": at(0, 0, 1), "children": [item] });
        }
        assert_eq!(document_symbols(&json!([item]), Path::new("/a.rs")).len(), MAX_DEPTH);
    }
}
