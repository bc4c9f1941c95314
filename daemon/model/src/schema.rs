//! Tool schemas as each provider wants them, and arguments as a request may carry them.
//!
//! A tool's schema is plain JSON Schema. Providers read parts of it and refuse the rest, each another rest: every
//! adaptation here is a pure function from schema to schema that only ever says less, never something else.

mod arguments;
mod gemini;
mod moonshot;
mod references;
mod strict;

use serde_json::{Value, json};

pub(crate) use arguments::{object, object_text};
pub(crate) use gemini::gemini;
pub(crate) use strict::drop_nulls;

use crate::provider::{Dialect, SchemaStyle};

/// How deep a schema may nest before it is cut: they come from tools of others too (MCP).
const DEPTH: usize = 24;

/// An object schema with nothing in it that only validators read.
pub(crate) fn plain(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        map.shift_remove("$schema");
        map.shift_remove("title");
        map.entry("type").or_insert_with(|| "object".into());
        if map.get("type") == Some(&json!("object")) {
            map.entry("properties").or_insert_with(|| json!({}));
        }
        schema
    } else {
        json!({ "type": "object", "properties": {} })
    }
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
