//! Moonshot's rules: nothing beside a `$ref`, no tuples as `items`, and `type` inside each `anyOf` branch
//! instead of beside it.

use serde_json::{Map, Value, json};

use super::MAX_DEPTH;

pub(super) fn moonshot(schema: &Value) -> Value {
    adapt(schema, 0)
}

fn adapt(node: &Value, depth: usize) -> Value {
    match node {
        Value::Object(_) if depth > MAX_DEPTH * 2 => json!({ "type": "object" }),
        Value::Object(map) => {
            if let Some(reference @ Value::String(_)) = map.get("$ref") {
                return json!({ "$ref": reference });
            }
            let mut out: Map<String, Value> =
                map.iter().map(|(key, value)| (key.clone(), adapt(value, depth + 1))).collect();
            if let Some(Value::Array(tuple)) = out.get("items") {
                let items = match tuple.as_slice() {
                    [] => json!({}),
                    [only] => only.clone(),
                    several => json!({ "anyOf": several }),
                };
                out.insert("items".into(), items);
            }
            if out.get("anyOf").is_some_and(Value::is_array)
                && let Some(kind) = out.shift_remove("type")
                && let Some(Value::Array(branches)) = out.get_mut("anyOf")
            {
                for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
                    let untyped = !["type", "$ref", "anyOf"].iter().any(|key| branch.contains_key(*key));
                    if untyped {
                        branch.insert("type".into(), kind.clone());
                    }
                }
            }
            Value::Object(out)
        }
        Value::Array(list) => list.iter().map(|value| adapt(value, depth + 1)).collect(),
        other => other.clone(),
    }
}
