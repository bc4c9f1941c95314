//! Makes a model's earlier arguments fit to be sent again.
//!
//! Every wire wants an object there, and some servers fail on anything else. Invalid JSON is kept as text
//! under a telling key, so that the model sees its own mistake.

use std::borrow::Cow;

use serde_json::{Value, json};

pub(crate) fn object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(value @ Value::Object(_)) => value,
        _ => json!({ "invalid_json": arguments }),
    }
}

/// As text: byte for byte what the model wrote, if that is an object.
pub(crate) fn object_text(arguments: &str) -> Cow<'_, str> {
    match serde_json::from_str::<std::collections::HashMap<String, &serde_json::value::RawValue>>(arguments) {
        Ok(_) => arguments.into(),
        Err(_) => object(arguments).to_string().into(),
    }
}
