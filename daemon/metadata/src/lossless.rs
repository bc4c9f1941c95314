//! Encoding and decoding without loss: what the types do not know is kept beside them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// What a view shows: the fields of one kind of call or ask, and the daemon's notes beside them.
#[derive(Debug, Clone, PartialEq)]
pub struct LosslessMetadata<Detail: MetadataDetail> {
    /// The tool's own fields.
    pub detail: Box<Detail>,
    /// What the daemon adds to the fields of any tool.
    pub notes: Detail::Notes,
    /// Fields as they were decoded that the types would not encode the same.
    rest: Box<Map<String, Value>>,
}

/// The kinds of fields that one sort of metadata can have: an untagged enum with a variant for other shapes. The default
/// shows nothing (`null`).
pub trait MetadataDetail: Default + PartialEq + Serialize + DeserializeOwned + JsonSchema {
    /// What the daemon adds to the fields of any kind.
    type Notes: Default + PartialEq + Serialize + JsonSchema;
    /// The name of the metadata in the schema.
    const SCHEMA_NAME: &str;
    /// What the schema says of it.
    const SCHEMA_DESCRIPTION: &str;

    /// A value of no known kind.
    fn other(value: Value) -> Self;

    /// The value, if it is of no known kind.
    fn as_other(&self) -> Option<&Value>;

    /// Takes the fields of the notes out of a value.
    fn take_notes(value: &mut Value) -> Self::Notes;
}

impl<Detail: MetadataDetail> LosslessMetadata<Detail> {
    /// Never fails: an unknown shape is of no known kind.
    pub fn from_value(mut value: Value) -> Self {
        let notes = Detail::take_notes(&mut value);
        let (detail, rest) = match decode(&value) {
            Some(decoded) => decoded,
            // Nothing but notes.
            None if notes != Detail::Notes::default() && value == Value::Object(Map::new()) => {
                Default::default()
            }
            None => (Detail::other(value), Map::new()),
        };
        Self { detail: Box::new(detail), notes, rest: Box::new(rest) }
    }

    /// As it is stored and sent.
    pub fn to_value(&self) -> Value {
        let mut value = match self.detail.as_other() {
            Some(value) => value.clone(),
            None => Value::Object(encode(&*self.detail)),
        };
        let notes = encode(&self.notes);
        if value.is_null() && !notes.is_empty() {
            value = Value::Object(Map::new());
        }
        if let Value::Object(fields) = &mut value {
            fields.extend((*self.rest).clone());
            fields.extend(notes);
        }
        value
    }

    /// With notes beside the tool's own fields.
    #[must_use]
    pub fn with_notes(self, notes: Detail::Notes) -> Self {
        Self { notes, ..self }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl<Detail: MetadataDetail> Default for LosslessMetadata<Detail> {
    fn default() -> Self {
        Detail::default().into()
    }
}

impl<Detail: MetadataDetail> From<Detail> for LosslessMetadata<Detail> {
    fn from(detail: Detail) -> Self {
        Self { detail: Box::new(detail), notes: Detail::Notes::default(), rest: Box::default() }
    }
}

impl<Detail: MetadataDetail> Serialize for LosslessMetadata<Detail> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de, Detail: MetadataDetail> Deserialize<'de> for LosslessMetadata<Detail> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from_value)
    }
}

/// One of the kinds' shapes, with or without the notes beside it. A value of another shape fits the notes, which require nothing.
impl<Detail: MetadataDetail> JsonSchema for LosslessMetadata<Detail> {
    fn schema_name() -> Cow<'static, str> {
        Detail::SCHEMA_NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Detail::json_schema(generator);
        let mut notes = generator.subschema_for::<Detail::Notes>();
        notes.insert("description".to_owned(), "Beside the fields of any tool.".into());
        if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
            choices.push(notes.to_value());
        }
        schema.insert("description".to_owned(), Detail::SCHEMA_DESCRIPTION.into());
        schema
    }
}

/// A variant whose fields `value` has, and the fields of `value` that the variant would not encode as they are. None where no
/// field is known.
fn decode<T: Serialize + DeserializeOwned>(value: &Value) -> Option<(T, Map<String, Value>)> {
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
fn encode<T: Serialize>(value: &T) -> Map<String, Value> {
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
