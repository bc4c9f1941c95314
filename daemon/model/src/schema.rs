//! Adapts tool schemas to each provider, and stored arguments to a valid request.
//!
//! A tool's schema is plain JSON Schema. Each provider supports another subset and rejects the rest. Every
//! adaptation is a pure function from schema to schema that may drop constraints but never changes their
//! meaning.

mod arguments;
mod combine;
mod gemini;
mod moonshot;
mod references;
mod strict;

use serde_json::{Value, json};

pub(crate) use arguments::{object, object_text};
pub(crate) use gemini::gemini;
pub(crate) use strict::drop_nulls;

use crate::provider::{Dialect, SchemaStyle};

/// Nesting limit; deeper parts are cut. Schemas may come from foreign tools (MCP).
const MAX_DEPTH: usize = 24;

/// A plain object schema without keywords that only validators use.
pub(crate) fn plain(schema: &Value) -> Value {
    let mut map = combine::flatten(schema);
    // OpenAI rejects the last three at the root.
    ["$schema", "title", "enum", "const", "not"].iter().for_each(|key| drop(map.shift_remove(*key)));
    if map.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        map.shift_remove("required");
    }
    map.insert("type".into(), "object".into());
    if !map.get("properties").is_some_and(Value::is_object) {
        map.insert("properties".into(), json!({}));
    }
    Value::Object(map)
}

/// The schema in the dialect's style, and whether it may be marked strict.
pub(crate) fn for_dialect(dialect: &Dialect, schema: &Value) -> (Value, bool) {
    let plain = plain(schema);
    let styled = match dialect.schema {
        SchemaStyle::Plain => plain,
        SchemaStyle::Moonshot => moonshot::moonshot(&plain),
        SchemaStyle::Gemini => gemini(&plain).unwrap_or(plain),
    };
    match dialect.strict.then(|| strict::strict(&styled)).flatten() {
        Some(strict) => (strict, true),
        None => (styled, false),
    }
}

#[cfg(test)]
mod tests;
