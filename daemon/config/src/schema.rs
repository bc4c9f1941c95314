//! The JSON Schema of a configuration file, generated from the types. `copydesk.schema.json` is the committed
//! copy.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::{normalise::OLDER_SPELLINGS, types::Config};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    // Editors support draft 7 best.
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Config>().to_value();
    add_older_spellings(&mut schema);
    let definitions = schema.get_mut("definitions").and_then(Value::as_object_mut);
    for definition in definitions.into_iter().flat_map(Map::values_mut) {
        allow_null_inside(definition);
    }
    allow_null_inside(&mut schema);
    schema
});

pub fn schema() -> &'static Value {
    &SCHEMA
}

/// The keys that an object may have.
pub(crate) struct ObjectShape<'a> {
    pub(crate) known: Option<&'a Map<String, Value>>,
    /// The schema of values under other keys; `None` if the object allows no other keys.
    pub(crate) other: Option<&'a Value>,
}

/// The shape of the objects that `schema` allows, if it allows any.
pub(crate) fn shape(schema: &Value) -> Option<ObjectShape<'_>> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return shape(SCHEMA.pointer(reference.strip_prefix('#')?)?);
    }
    let known = schema.get("properties").and_then(Value::as_object);
    let other = schema.get("additionalProperties");
    if known.is_some() || other.is_some() {
        return Some(ObjectShape { known, other: other.filter(|other| **other != Value::Bool(false)) });
    }
    let branches = ["anyOf", "allOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    branches.filter_map(shape).next()
}

fn add_older_spellings(schema: &mut Value) {
    for (path, older, present) in OLDER_SPELLINGS {
        // Every `*` is a map of one type, so change that type's definition.
        let object = match path {
            [] => Some(&mut *schema),
            ["agent", "*"] => schema.pointer_mut("/definitions/AgentConfig"),
            _ => None,
        };
        let Some(known) = object.and_then(|object| object.get_mut("properties")?.as_object_mut()) else {
            continue;
        };
        let Some(Value::Object(mut copy)) = known.get(*present).cloned() else { continue };
        copy.insert("description".into(), format!("Older spelling of `{present}`.").into());
        copy.insert("deprecated".into(), true.into());
        known.insert((*older).into(), Value::Object(copy));
    }
}

/// `null` removes an inherited value, so every key accepts it.
fn allow_null_inside(schema: &mut Value) {
    if let Some(known) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        known.values_mut().for_each(allow_null);
    }
    if let Some(other) = schema.get_mut("additionalProperties") {
        allow_null(other);
    }
    for branch in schema.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        allow_null_inside(branch);
    }
}

fn allow_null(value: &mut Value) {
    allow_null_inside(value);
    let Some(schema) = value.as_object_mut() else { return };
    // The default is the inherited value.
    schema.remove("default");
    let nothing = json!({ "type": "null" });
    if let Some(kind) = schema.get_mut("type") {
        match kind {
            Value::Array(kinds) if kinds.contains(&"null".into()) => {}
            Value::Array(kinds) => kinds.push("null".into()),
            kind => *kind = json!([kind.take(), "null"]),
        }
    } else if let Some(branches) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        if !branches.contains(&nothing) {
            branches.push(nothing);
        }
    } else if !schema.is_empty() {
        let description = schema.remove("description");
        let inner = std::mem::take(schema);
        schema.extend(description.map(|text| ("description".into(), text)));
        schema.insert("anyOf".into(), json!([inner, nothing]));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;

    /// To update the file: `UPDATE_EXPECT=1 cargo test -p copydesk-config --lib`.
    #[test]
    fn the_committed_schema_is_not_stale() {
        expect_file!["../copydesk.schema.json"].assert_eq(&format!("{:#}\n", schema()));
    }

    #[test]
    fn every_key_is_described() {
        fn visit(path: &str, schema: &Value, missing: &mut Vec<String>) {
            let known = schema.get("properties").and_then(Value::as_object);
            for (key, value) in known.into_iter().flatten() {
                if value.get("description").is_none() {
                    missing.push(format!("{path}.{key}"));
                }
            }
        }
        let mut missing = Vec::new();
        visit("", schema(), &mut missing);
        for (name, definition) in schema()["definitions"].as_object().unwrap() {
            visit(name, definition, &mut missing);
        }
        assert_eq!(missing, Vec::<String>::new());
    }
}
