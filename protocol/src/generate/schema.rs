//! One JSON Schema for the protocol: types under `$defs`, methods and errors beside them.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::UPDATE_HINT;
use crate::PROTOCOL;
use crate::error::ErrorCode;
use crate::handshake::{ClientHello, DaemonHello, ProtocolMismatch};
use crate::table::methods;

pub(crate) fn schema() -> Value {
    build_schema(SchemaSettings::draft2020_12())
}

fn build_schema(settings: SchemaSettings) -> Value {
    let mut generator = settings.into_generator();
    let methods: Map<_, _> = methods()
        .iter()
        .map(|method| {
            let mut entry = json!({
                "marker": method.marker,
                "description": method.doc,
                "direction": method.direction,
                "kind": method.kind,
                "waitsForUser": method.waits_for_user,
                "params": method.params.schema(&mut generator),
            });
            if let Some(result) = method.result {
                entry["result"] = result.schema(&mut generator).to_value();
            }
            (method.name.to_owned(), entry)
        })
        .collect();
    let errors: Map<_, _> = ErrorCode::ALL
        .iter()
        .map(|code| (code.name().to_owned(), json!({ "code": code.code(), "description": code.doc() })))
        .collect();
    let hello = json!({
        "client": generator.subschema_for::<ClientHello>(),
        "daemon": generator.subschema_for::<DaemonHello>(),
        "mismatch": generator.subschema_for::<ProtocolMismatch>(),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The protocol between the Copydesk daemon and its editor extensions",
        "description": format!("Generated from the table of methods in protocol/src. {UPDATE_HINT}"),
        "protocol": PROTOCOL,
        "hello": hello,
        "methods": methods,
        "errors": errors,
        "$defs": definitions(generator),
    })
}

fn definitions(mut generator: SchemaGenerator) -> Value {
    let mut definitions = generator.take_definitions(true);
    definitions.values_mut().for_each(normalize_schema);
    definitions.sort_keys();
    Value::Object(definitions)
}

/// Removes what we do not promise: `null`, defaults (all of them empty) and widths of numbers.
fn normalize_schema(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.remove("default");
    fields.remove("format");
    if let Some(Value::Array(kinds)) = fields.get("type")
        && let [kind, Value::String(null)] = kinds.as_slice()
        && null == "null"
    {
        fields.insert("type".into(), kind.clone());
    }
    if let Some(Value::Array(choices)) = fields.get("anyOf")
        && let [Value::Object(choice), null] = choices.as_slice()
        && *null == json!({ "type": "null" })
    {
        let choice = choice.clone();
        fields.remove("anyOf");
        fields.extend(choice);
    }
    for (key, inner) in fields {
        match (key.as_str(), inner) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(normalize_schema),
            ("items" | "additionalProperties", item) => normalize_schema(item),
            ("oneOf" | "anyOf", Value::Array(choices)) => choices.iter_mut().for_each(normalize_schema),
            _ => {}
        }
    }
}

#[test]
fn what_is_read_and_what_is_written_have_one_description() {
    let read = build_schema(SchemaSettings::draft2020_12().for_deserialize());
    let written = build_schema(SchemaSettings::draft2020_12().for_serialize());
    for (name, definition) in read["$defs"].as_object().unwrap() {
        assert_eq!(
            *definition, written["$defs"][name],
            "{name}: a field with a default must not be serialized when it is empty"
        );
    }
}

#[test]
fn everything_is_described_and_no_two_types_share_a_name() {
    fn visit(path: &str, schema: &Value, missing: &mut Vec<String>) {
        if schema["description"].as_str().is_none_or(str::is_empty) {
            missing.push(path.to_owned());
        }
        let properties = schema["properties"].as_object();
        for (key, property) in properties.into_iter().flatten() {
            // The branch describes its tag.
            let is_tag = path.contains('#') && properties.is_some_and(|all| all.len() == 1);
            if property.get("const").is_none() && !is_tag {
                visit(&format!("{path}.{key}"), property, missing);
            }
        }
        for (number, branch) in schema["oneOf"].as_array().into_iter().flatten().enumerate() {
            visit(&format!("{path}#{number}"), branch, missing);
        }
    }
    let schema = schema();
    let mut missing = Vec::new();
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name}: a second type of this name");
        visit(name, definition, &mut missing);
    }
    assert_eq!(missing, Vec::<String>::new());
}
