//! Replaces `$ref`s by their targets.

use serde_json::{Map, Value, json};

use super::MAX_DEPTH;

/// Inlines local references and drops the definitions. A recursive schema is cut to a plain object where it
/// would repeat, and so is everything below the depth limit.
pub(super) fn inline(schema: &Value) -> Value {
    let root = schema.clone();
    let mut budget = 20_000;
    let mut inlined = resolve(schema, &root, &mut Vec::new(), 0, &mut budget);
    // Following a root that is itself a reference brings the definitions back.
    if let Value::Object(map) = &mut inlined {
        map.shift_remove("$defs");
        map.shift_remove("definitions");
    }
    inlined
}

/// `budget` caps the nodes created: a few references that each refer twice grow exponentially.
fn resolve(node: &Value, root: &Value, path: &mut Vec<String>, depth: usize, budget: &mut usize) -> Value {
    if depth > MAX_DEPTH || *budget == 0 {
        return cut(node);
    }
    *budget -= 1;
    match node {
        Value::Object(map) => match map.get("$ref").and_then(Value::as_str) {
            Some(reference) => follow(map, reference, root, path, depth, budget),
            None => {
                let entries = map.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"));
                let resolved =
                    entries.map(|(key, value)| (key.clone(), resolve(value, root, path, depth + 1, budget)));
                Value::Object(resolved.collect())
            }
        },
        Value::Array(list) => {
            list.iter().map(|value| resolve(value, root, path, depth + 1, budget)).collect()
        }
        other => other.clone(),
    }
}

/// The node's scalar entries without anything below it: a schema stays a schema, a property map becomes
/// empty.
fn cut(node: &Value) -> Value {
    let is_word = |value: &&Value| !value.is_object() && !value.is_array();
    match node {
        Value::Object(map) if map.contains_key("$ref") => json!({ "type": "object" }),
        Value::Object(map) => {
            let words = map.iter().filter(|(_, value)| is_word(value));
            Value::Object(words.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        Value::Array(list) => list.iter().filter(is_word).cloned().collect(),
        word => word.clone(),
    }
}

/// Keywords beside a reference (a description, a default) override those of its target.
fn follow(
    map: &Map<String, Value>,
    reference: &str,
    root: &Value,
    path: &mut Vec<String>,
    depth: usize,
    budget: &mut usize,
) -> Value {
    let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
    let Some(target) = target.filter(|_| !path.iter().any(|seen| seen == reference)) else {
        return json!({ "type": "object" });
    };
    path.push(reference.to_owned());
    let mut resolved = resolve(target, root, path, depth + 1, budget);
    path.pop();
    if let Value::Object(resolved) = &mut resolved {
        let beside = map.iter().filter(|(key, _)| *key != "$ref");
        resolved.extend(beside.map(|(key, value)| (key.clone(), value.clone())));
    }
    resolved
}
