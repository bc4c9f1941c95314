//! Reading what clients really send.
//!
//! Lua has one kind of table, so Neovim writes an empty object as `[]`; its `nil` leaves params out or makes them `null`;
//! vscode-jsonrpc writes a param of `null` as `[null]`. All of these mean an object without fields.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A value that is read leniently, for frameworks that do the reading themselves.
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

/// Reads params or a result. Where a message has none, pass `Value::Null`.
pub fn decode<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(object(value)?)
}

/// The object that is meant. Serde would read a list as fields by position, which nobody means.
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

/// For lists that come from clients: `null` and an empty object mean an empty list.
pub(crate) fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(Vec::new()),
        Value::Object(fields) if fields.is_empty() => Ok(Vec::new()),
        other => serde_json::from_value(other).map_err(D::Error::custom),
    }
}

/// For objects inside of params and results that may be empty.
pub(crate) fn nested<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Array(items) if items.is_empty() => Ok(None),
        other => serde_json::from_value(other).map(Some).map_err(D::Error::custom),
    }
}

/// For codes of diagnostics, which some language servers have as numbers.
pub(crate) fn code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(text) => Ok(Some(text)),
        other => Err(D::Error::custom(format!("a code is a text or a number, not {other}"))),
    }
}

/// For words that a person may or may not have typed: an input that was left empty says nothing.
pub(crate) fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}
