//! From what a model wrote as arguments to a tool's parameters, and what the model is told where that fails.
//!
//! Models write JSON with noise around and in it, numbers in quotes, names that another tool has. What can have been meant
//! in one way only is taken so, in three steps: the text becomes an object (`parse_object`, `scanner`), its names those of the
//! schema (`alias`), its values those of the schema (`coerce`). The rest is refused.
//!
//! Invariant: an object that fits is not touched, and no character of a string that was valid changes.
//! Invariant: nothing is invented: what a repair gives was in the text.

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

/// Arguments as they were understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedArguments {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
}

/// Whether the model had said all that it wanted to say, or ran into a limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentsCompleteness {
    #[default]
    Complete,
    /// A missing end is not one that the model forgot.
    Truncated,
}

/// What a model wrote, as this schema has it; else why it is no object. Nothing at all is an object without entries.
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

/// A model knows no types of Rust's.
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

/// Told where there is no object to begin with.
pub(crate) fn unreadable(tool: &str, why: &str, schema: &Value) -> String {
    let expected = expected(schema);
    format!(
        "The arguments of `{tool}` are no JSON object ({why}). It takes: {expected}. Make the call again with valid JSON."
    )
}

/// Told where the object is another than the tool's.
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
