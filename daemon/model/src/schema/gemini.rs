//! Gemini supports a subset of OpenAPI 3.0: no references, one type per schema, `nullable` for null, string
//! enums only. Every unknown keyword is an error.

use serde_json::{Map, Value, json};

use super::combine::all_of;
use super::{plain, references};

/// `None` for a tool without parameters: the wire rejects an object without properties.
pub(crate) fn gemini(schema: &Value) -> Option<Value> {
    let inlined = references::inline(&plain(schema));
    let empty = inlined.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    if empty { None } else { Some(adapt(&inlined)) }
}

fn adapt(node: &Value) -> Value {
    let Some(map) = node.as_object() else { return json!({ "type": "string" }) };
    let map = &all_of(map);
    let mut out = Map::new();
    let copy = |key: &str, out: &mut Map<String, Value>| {
        if let Some(value) = map.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    };
    copy("description", &mut out);
    let nullable = set_type(map, &mut out);
    if nullable || map.get("nullable") == Some(&json!(true)) {
        out.insert("nullable".into(), json!(true));
    }
    set_enum(map, &mut out);
    match out.get("type").and_then(Value::as_str) {
        Some("object") => set_properties(map, &mut out),
        Some("array") => {
            let items = map.get("items").or_else(|| map.get("prefixItems").and_then(|list| list.get(0)));
            let items = items.filter(|items| items.as_object().is_some_and(|items| !items.is_empty()));
            out.insert("items".into(), items.map_or_else(|| json!({ "type": "string" }), adapt));
            copy("minItems", &mut out);
            copy("maxItems", &mut out);
        }
        Some("integer" | "number") => {
            copy("minimum", &mut out);
            copy("maximum", &mut out);
        }
        _ => {}
    }
    Value::Object(out)
}

/// Sets one type, or `anyOf` for several; returns whether null was among them.
fn set_type(map: &Map<String, Value>, out: &mut Map<String, Value>) -> bool {
    let is_null = |value: &Value| value == "null" || value.get("type").is_some_and(|kind| kind == "null");
    // Alternatives may complete an open type; on any other they only narrow it and can be dropped.
    let filled = ["properties", "items", "prefixItems", "enum"].iter().any(|key| map.contains_key(*key));
    let open = |name: &Value| !filled && (name == "object" || name == "array");
    let (names, choices): (Vec<&Value>, Vec<Value>) = match (map.get("type"), alternatives(map)) {
        (Some(Value::Array(names)), _) => (unique(names), Vec::new()),
        (Some(name), Some(choices)) if open(name) => {
            (Vec::new(), choices.iter().map(|choice| typed(choice, name)).collect())
        }
        (Some(name), _) => (vec![name], Vec::new()),
        (None, Some(choices)) => (Vec::new(), choices.clone()),
        (None, None) => (Vec::new(), Vec::new()),
    };
    let nullable = names.iter().any(|name| is_null(name)) || choices.iter().any(is_null);
    let names: Vec<_> = names.into_iter().filter(|name| !is_null(name)).collect();
    let choices: Vec<_> = choices.into_iter().filter(|choice| !is_null(choice)).collect();
    match (names.as_slice(), choices.as_slice()) {
        ([name], _) => {
            out.insert("type".into(), (*name).clone());
        }
        // A single choice moves its keywords up.
        (_, [only]) => {
            if let Value::Object(inner) = adapt(only) {
                let description = out.shift_remove("description");
                out.extend(inner);
                out.extend(description.map(|text| ("description".to_owned(), text)));
            }
        }
        ([], []) => {
            let kind = if map.contains_key("properties") { "object" } else { "string" };
            out.insert("type".into(), kind.into());
        }
        ([], choices) => {
            out.insert("anyOf".into(), choices.iter().map(adapt).collect());
        }
        (names, _) => {
            let adapted = names.iter().map(|name| {
                let mut single = map.clone();
                single.insert("type".into(), (*name).clone());
                single.shift_remove("description");
                adapt(&Value::Object(single))
            });
            out.insert("anyOf".into(), adapted.collect());
        }
    }
    nullable
}

/// A duplicate name would be visited twice on every level below.
fn unique(names: &[Value]) -> Vec<&Value> {
    let mut unique: Vec<&Value> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}

/// Adds the parent's type to a branch that has none.
fn typed(choice: &Value, kind: &Value) -> Value {
    match choice {
        Value::Object(map) if !map.contains_key("type") && alternatives(map).is_none() => {
            let mut map = map.clone();
            map.insert("type".into(), kind.clone());
            Value::Object(map)
        }
        _ => choice.clone(),
    }
}

fn alternatives(map: &Map<String, Value>) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].iter().find_map(|key| map.get(*key)?.as_array())
}

fn set_enum(map: &Map<String, Value>, out: &mut Map<String, Value>) {
    let values = match (map.get("enum").and_then(Value::as_array), map.get("const")) {
        (Some(values), _) => values.clone(),
        (None, Some(value)) => vec![value.clone()],
        (None, None) => return,
    };
    let words = values.iter().filter(|value| !value.is_null()).map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    if !words.is_empty() && !out.contains_key("anyOf") {
        out.insert("type".into(), "string".into());
        out.insert("enum".into(), json!(words));
    }
}

fn set_properties(map: &Map<String, Value>, out: &mut Map<String, Value>) {
    let Some(properties) = map.get("properties").and_then(Value::as_object).filter(|map| !map.is_empty())
    else {
        return;
    };
    let adapted = properties.iter().map(|(key, value)| (key.clone(), adapt(value)));
    out.insert("properties".into(), Value::Object(adapted.collect()));
    // Required properties must exist.
    let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: Vec<_> = required
        .filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name)))
        .cloned()
        .collect();
    if !required.is_empty() {
        out.insert("required".into(), Value::Array(required));
    }
}
