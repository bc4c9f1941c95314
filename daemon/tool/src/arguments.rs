//! Parses the arguments that a model wrote into a tool's parameters, and words the error if that fails.
//!
//! Models write JSON with noise around and in it, numbers in quotes, and parameter names of other tools. If a text can mean
//! only one thing, it is repaired in three steps: the text becomes an object (`parse_object`, `scanner`), its keys become
//! those of the schema (`alias`), its values become those of the schema (`coerce`). Anything else is rejected.
//!
//! Invariant: an object that fits the schema does not change, and neither does any character of a valid string.
//! Invariant: a repair adds no content: what it returns was in the text.

mod alias;
mod coerce;
mod parse_object;
#[cfg(test)]
mod property_tests;
mod repair;
mod scanner;
#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use alias::plain;
pub(crate) use repair::Repair;

/// Arguments after parsing and repair.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedArguments {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
}

/// Whether the model finished writing, or hit its output limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentsCompleteness {
    #[default]
    Complete,
    /// The model did not forget a missing end: it was cut off.
    Truncated,
}

/// Parses what a model wrote by this schema. The error says why it is no object. An empty text is an empty object.
pub(crate) fn parse_arguments(
    text: &str,
    schema: &Value,
    ending: ArgumentsCompleteness,
) -> Result<ParsedArguments, String> {
    if text.trim().is_empty() {
        return Ok(ParsedArguments { value: Value::Object(Map::new()), repairs: Vec::new() });
    }
    let (value, mut repairs) = parse_object::read(text, ending)?;
    let value = coerce::fit(value, schema, &mut repairs);
    Ok(ParsedArguments { value, repairs })
}

pub(crate) fn deserialize_arguments<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let inner = in_words(&error.into_inner().to_string());
        if path == "." { inner } else { format!("`{path}`: {inner}") }
    })
}

/// Says an error without the names of Rust types, which the model does not know.
fn in_words(problem: &str) -> String {
    let Some((problem, expected)) = problem.rsplit_once(", expected ") else { return problem.to_owned() };
    let words = match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number of at least 0",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{problem}, expected {words}")
}

/// The error if the text is no object.
pub(crate) fn unreadable(tool: &str, why: &str, schema: &Value) -> String {
    let expected = expected(schema);
    format!(
        "The arguments of `{tool}` are no JSON object ({why}). It takes: {expected}. Make the call again with valid JSON."
    )
}

/// The error if the object does not fit the tool.
pub(crate) fn mismatch_message(tool: &str, problem: &str, schema: &Value) -> String {
    let expected = expected(schema);
    format!("The arguments of `{tool}` do not fit: {problem}. It takes: {expected}. Make the call again.")
}

/// `filePath (string), limit (integer, optional)`
pub(crate) fn expected(schema: &Value) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|item| item == name));
    let one = |(name, schema): (&String, &Value)| {
        let kind = match schema.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => {
                let kinds: Vec<_> =
                    kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
                kinds.join(" or ")
            }
            _ => "value".to_owned(),
        };
        let optional = if is_required(name) { "" } else { ", optional" };
        format!("{name} ({kind}{optional})")
    };
    let list: Vec<_> = properties.into_iter().flatten().map(one).collect();
    if list.is_empty() { "nothing".to_owned() } else { list.join(", ") }
}
