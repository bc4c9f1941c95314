//! OpenAI's strict mode: every object is closed and every property required; an optional one becomes
//! nullable.
//!
//! A schema with free-form maps or key patterns has no strict form. In strict mode a model writes null for
//! what it omits; [`drop_nulls`] removes those nulls, so that tools never see the difference.

use serde_json::{Map, Value, json};

use super::references;

/// Keywords that strict mode rejects; dropping them only loosens the schema.
const REFUSED: &[&str] = &[
    "$schema",
    "$defs",
    "definitions",
    "default",
    "examples",
    "format",
    "maxLength",
    "minLength",
    "pattern",
    "maxProperties",
    "minProperties",
    "uniqueItems",
    "contains",
    "title",
    "$comment",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Keywords without a strict counterpart.
const UNSUPPORTED: &[&str] = &[
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "prefixItems",
];

pub(super) fn strict(schema: &Value) -> Option<Value> {
    adapt(&references::inline(schema))
}

fn adapt(node: &Value) -> Option<Value> {
    let map = node.as_object()?;
    let typed = ["type", "anyOf", "oneOf"].iter().any(|key| map.contains_key(*key));
    let listless = map.get("type") == Some(&json!("array")) && !map.contains_key("items");
    if !typed || listless || UNSUPPORTED.iter().any(|key| map.contains_key(*key)) {
        return None;
    }
    let mut out = Map::new();
    for (key, value) in map {
        let adapted = match key.as_str() {
            "properties" | "required" | "additionalProperties" => continue,
            key if REFUSED.contains(&key) => continue,
            "items" => adapt(value)?,
            "anyOf" => value.as_array()?.iter().map(adapt).collect::<Option<Vec<_>>>()?.into(),
            "oneOf" => {
                out.insert(
                    "anyOf".into(),
                    value.as_array()?.iter().map(adapt).collect::<Option<Vec<_>>>()?.into(),
                );
                continue;
            }
            _ => value.clone(),
        };
        out.insert(key.clone(), adapted);
    }
    if is_object(map) {
        close(map, &mut out)?;
    }
    Some(Value::Object(out))
}

fn is_object(map: &Map<String, Value>) -> bool {
    match map.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => map.contains_key("properties"),
    }
}

fn close(map: &Map<String, Value>, out: &mut Map<String, Value>) -> Option<()> {
    let open = map.get("additionalProperties").is_some_and(|value| *value != json!(false));
    let properties = map.get("properties").and_then(Value::as_object);
    // An object with unknown keys cannot be closed without losing its meaning.
    if open || properties.is_none() {
        return None;
    }
    let required = |name: &str| {
        map.get("required").and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == name))
    };
    let mut closed = Map::new();
    for (name, schema) in properties.into_iter().flatten() {
        let adapted = adapt(schema)?;
        closed.insert(name.clone(), if required(name) { adapted } else { nullable(adapted) });
    }
    out.insert("required".into(), closed.keys().map(|name| Value::from(name.as_str())).collect());
    out.insert("properties".into(), Value::Object(closed));
    out.insert("additionalProperties".into(), json!(false));
    Some(())
}

fn nullable(schema: Value) -> Value {
    match schema {
        Value::Object(mut map)
            if map.contains_key("type") && !map.contains_key("enum") && !map.contains_key("const") =>
        {
            let types = match map.get("type") {
                Some(Value::Array(names)) if names.iter().any(|name| name == "null") => {
                    return Value::Object(map);
                }
                Some(Value::Array(names)) => names.iter().cloned().chain([json!("null")]).collect(),
                Some(name) => json!([name, "null"]),
                None => json!("null"),
            };
            map.insert("type".into(), types);
            Value::Object(map)
        }
        other => json!({ "anyOf": [other, { "type": "null" }] }),
    }
}

/// Removes the nulls that strict mode made the model write: those of properties that the tool's own schema
/// does not require. Returns `None` if nothing changes or the arguments are not JSON.
pub(crate) fn drop_nulls(arguments: &str, schema: &Value) -> Option<String> {
    let mut value: Value = serde_json::from_str(arguments).ok()?;
    let schema = references::inline(schema);
    drop(&mut value, Some(&schema)).then(|| value.to_string())
}

fn drop(value: &mut Value, schema: Option<&Value>) -> bool {
    let at = |key: &str| schema.and_then(|schema| schema.get(key));
    let mut changed = false;
    match value {
        Value::Object(map) => {
            let before = map.len();
            let required = at("required").and_then(Value::as_array);
            map.retain(|name, value| {
                !value.is_null() || required.is_some_and(|list| list.iter().any(|item| item == name))
            });
            changed = map.len() != before;
            for (name, value) in map.iter_mut() {
                changed |= drop(value, at("properties").and_then(|properties| properties.get(name)));
            }
        }
        Value::Array(list) => {
            for item in list {
                changed |= drop(item, at("items"));
            }
        }
        _ => {}
    }
    changed
}
