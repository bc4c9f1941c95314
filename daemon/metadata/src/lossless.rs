//! Encoding and decoding without loss: what the types do not know is kept beside them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A variant whose fields `value` has, and the fields of `value` that the variant would not encode as they are. None where no
/// field is known.
pub(crate) fn decode<T: Serialize + DeserializeOwned>(value: &Value) -> Option<(T, Map<String, Value>)> {
    let Value::Object(fields) = value else { return None };
    let typed = T::deserialize(value).ok()?;
    let encoded = encode(&typed);
    // A variant without required fields fits every object. One that encodes fields the value does not have is no fit either.
    if encoded.is_empty() || encoded.keys().any(|key| !fields.contains_key(key)) {
        return None;
    }
    let rest = fields.iter().filter(|(key, value)| encoded.get(*key) != Some(value));
    Some((typed, rest.map(|(key, value)| (key.clone(), value.clone())).collect()))
}

/// The fields of a value; none where it is no object.
pub(crate) fn encode<T: Serialize>(value: &T) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Takes a field out of an object if it has the right type, and `is_encoded` says that it would be encoded again.
pub(crate) fn take_field<T: DeserializeOwned>(
    value: &mut Value,
    key: &str,
    is_encoded: impl FnOnce(&T) -> bool,
) -> Option<T> {
    let fields = value.as_object_mut()?;
    let field = serde_json::from_value(fields.get(key)?.clone()).ok().filter(is_encoded)?;
    fields.shift_remove(key);
    Some(field)
}

/// The schema of one of the variants of `Detail`, with or without `Notes` beside it.
pub(crate) fn schema<Detail: JsonSchema, Notes: JsonSchema>(
    generator: &mut SchemaGenerator,
    description: &str,
) -> Schema {
    let mut schema = Detail::json_schema(generator);
    let mut notes = generator.subschema_for::<Notes>();
    notes.insert("description".to_owned(), "Beside the fields of any tool.".into());
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.push(notes.to_value());
    }
    schema.insert("description".to_owned(), description.into());
    schema
}
