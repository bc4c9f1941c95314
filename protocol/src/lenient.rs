//! Lenient readers for what clients really send.
//!
//! Lua has one kind of table, so Neovim writes an empty object as `[]`. Its `nil` omits params or makes them `null`.
//! vscode-jsonrpc writes a `null` param as `[null]`. All of these mean an object without fields.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Deserializes its value leniently, for frameworks that call `Deserialize` themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct LenientJson<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for LenientJson<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode(Value::deserialize(deserializer)?).map(Self).map_err(D::Error::custom)
    }
}

impl<T: Serialize> Serialize for LenientJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Reads params or a result. Pass `Value::Null` for a message without them.
pub fn decode<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(object(value)?)
}

/// The object that the client means. Rejects other lists, which Serde would read as fields by position.
fn object(value: Value) -> Result<Value, serde_json::Error> {
    match value {
        Value::Null => Ok(Value::Object(Map::new())),
        Value::Array(mut items) if items.len() <= 1 => match items.pop() {
            None | Some(Value::Null) => Ok(Value::Object(Map::new())),
            Some(Value::Object(fields)) => Ok(Value::Object(fields)),
            Some(_) => Err(serde_json::Error::custom("expected an object, not a list")),
        },
        Value::Array(_) => Err(serde_json::Error::custom("expected an object, not a list")),
        other => Ok(other),
    }
}

/// Reads a list from a client: `null` and an empty object mean an empty list.
pub(crate) fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(Vec::new()),
        Value::Object(fields) if fields.is_empty() => Ok(Vec::new()),
        other => serde_json::from_value(other).map_err(D::Error::custom),
    }
}

/// Reads an object inside of params or results that may be empty.
pub(crate) fn nested<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Array(items) if items.is_empty() => Ok(None),
        other => serde_json::from_value(other).map(Some).map_err(D::Error::custom),
    }
}

/// Reads a diagnostic's code, which some language servers send as a number.
pub(crate) fn code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(text) => Ok(Some(text)),
        other => Err(D::Error::custom(format!("expected a string or a number as code, not {other}"))),
    }
}

/// Reads optional text from the user: blank input counts as missing.
pub(crate) fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}
