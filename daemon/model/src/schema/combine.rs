//! Rewrites `anyOf`, `oneOf` and `allOf` for servers that do not accept them.

use serde_json::{Map, Value, json};

/// Branches visited, at most: their references may form cycles.
const MAX_BRANCHES: usize = 256;

/// Flattens the root of a tool's schema into one plain object: no server accepts alternatives there, and one
/// such tool would make every request fail. The result has the properties of all branches and requires what
/// every branch requires.
pub(super) fn flatten(schema: &Value) -> Map<String, Value> {
    let mut budget = MAX_BRANCHES;
    let mut flat = flatten_node(schema, schema, &mut budget);
    // Keep the definitions beside a root that was a reference.
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = schema.get(key) {
            flat.insert(key.into(), definitions.clone());
        }
    }
    flat
}

fn flatten_node(node: &Value, root: &Value, budget: &mut usize) -> Map<String, Value> {
    let mut map = node.as_object().cloned().unwrap_or_default();
    if *budget == 0 {
        ["$ref", "anyOf", "oneOf", "allOf"].iter().for_each(|key| drop(map.shift_remove(*key)));
        return map;
    }
    *budget -= 1;
    if let Some(Value::String(reference)) = map.shift_remove("$ref") {
        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        let target = target.map(|target| flatten_node(target, root, budget)).unwrap_or_default();
        join(&mut map, target);
    }
    for branch in branches(&mut map, "allOf", root, budget) {
        join(&mut map, branch);
    }
    for key in ["anyOf", "oneOf"] {
        let branches = branches(&mut map, key, root, budget);
        if !branches.is_empty() {
            join(&mut map, either(&branches));
        }
    }
    map
}

fn branches(
    map: &mut Map<String, Value>,
    key: &str,
    root: &Value,
    budget: &mut usize,
) -> Vec<Map<String, Value>> {
    match map.shift_remove(key) {
        Some(Value::Array(list)) => list.iter().map(|branch| flatten_node(branch, root, budget)).collect(),
        _ => Vec::new(),
    }
}

/// Merges `allOf` into one schema.
pub(super) fn all_of(map: &Map<String, Value>) -> Map<String, Value> {
    let mut out = map.clone();
    if let Some(Value::Array(list)) = out.shift_remove("allOf") {
        list.iter().filter_map(Value::as_object).for_each(|branch| join(&mut out, all_of(branch)));
    }
    out
}

/// Both apply. On a conflict the first is kept.
fn join(map: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (map.get_mut(&key), value) {
            (None, value) => {
                map.insert(key, value);
            }
            (Some(Value::Object(own)), Value::Object(more)) if key == "properties" => {
                for (name, schema) in more {
                    own.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(own)), Value::Array(more)) if key == "required" => {
                let missing: Vec<_> = more.into_iter().filter(|name| !own.contains(name)).collect();
                own.extend(missing);
            }
            _ => {}
        }
    }
}

/// One of them applies: each property may match any branch's schema.
fn either(branches: &[Map<String, Value>]) -> Map<String, Value> {
    let mut properties: Map<String, Value> = Map::new();
    for (name, schema) in branches.iter().filter_map(|branch| branch.get("properties")?.as_object()).flatten()
    {
        match properties.get_mut(name) {
            None => {
                properties.insert(name.clone(), json!([schema]));
            }
            Some(Value::Array(known)) if !known.contains(schema) => known.push(schema.clone()),
            Some(_) => {}
        }
    }
    let one = |schemas: &mut Value| match schemas.as_array().map(Vec::as_slice) {
        Some([only]) => *schemas = only.clone(),
        _ => *schemas = json!({ "anyOf": schemas }),
    };
    properties.values_mut().for_each(one);
    let required = |branch: &Map<String, Value>| branch.get("required").and_then(Value::as_array).cloned();
    let mut shared = branches.first().and_then(required).unwrap_or_default();
    shared.retain(|name| {
        branches.iter().all(|branch| required(branch).is_some_and(|list| list.contains(name)))
    });
    Map::from_iter([("properties".into(), properties.into()), ("required".into(), shared.into())])
}
