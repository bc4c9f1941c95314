//! Moonshot's checker: nothing beside a `$ref`, no tuples as `items`, no `type` beside `anyOf`.

use serde_json::{Map, Value, json};

use super::DEPTH;

pub(super) fn moonshot(schema: &Value) -> Value {
    adapt(schema, 0)
}

fn adapt(node: &Value, depth: usize) -> Value {
    if depth > DEPTH * 2 {
        return json!({ "type": "object" });
    }
    match node {
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
            if out.get("anyOf").is_some_and(Value::is_array) {
                out.shift_remove("type");
            }
            Value::Object(out)
        }
        Value::Array(list) => list.iter().map(|value| adapt(value, depth + 1)).collect(),
        other => other.clone(),
    }
}
