//! Decoding fields from sessions of other versions: a value of another shape counts as absent.
//!
//! `lossless` keeps what is passed over here.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// For optional values that are no objects.
pub(crate) fn optional<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// For values that have a safe default, such as a severity.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

/// For optional objects. Serde would also take a list for the fields of a struct.
pub(crate) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(Some(value).filter(Value::is_object).and_then(|value| serde_json::from_value(value).ok()))
}

/// For lists of objects: passes over items of another shape. A value that is no list is an error, so that the variant does
/// not match.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let Value::Array(items) = Value::deserialize(deserializer)? else {
        return Err(D::Error::custom("expected a list"));
    };
    let items = items.into_iter().filter(Value::is_object);
    Ok(items.filter_map(|item| serde_json::from_value(item).ok()).collect())
}
