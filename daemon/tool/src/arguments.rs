//! From the JSON that a model wrote to a tool's parameters, and what the model is told where that fails.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::outcome::{Failure, FailureKind};

/// What a model wrote, as JSON. Nothing at all is an object without entries.
pub(crate) fn parse(tool: &str, text: &str) -> Result<Value, Failure> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let wrong = |why: String| {
        let message = format!(
            "The arguments of `{tool}` are no JSON object ({why}). Make the call again with valid JSON."
        );
        Failure::new(FailureKind::Arguments, message)
    };
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(other) => Err(wrong(format!("they are {}", kind(&other)))),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Reads parameters. Models write numbers and truth in quotes: where the words as they stand do not fit, those inside the
/// quotes are tried.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(arguments: Value) -> Result<T, String> {
    let problem = match from::<T>(arguments.clone()) {
        Ok(parameters) => return Ok(parameters),
        Err(problem) => problem,
    };
    from(unquoted(arguments)).map_err(|_| problem)
}

fn from<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if path == "." { inner.to_string() } else { format!("`{path}`: {inner}") }
    })
}

fn unquoted(arguments: Value) -> Value {
    let Value::Object(map) = arguments else { return arguments };
    let unquote = |value: Value| match &value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(inner @ (Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_))) => inner,
            _ => value,
        },
        _ => value,
    };
    Value::Object(map.into_iter().map(|(key, value)| (key, unquote(value))).collect())
}

pub(crate) fn failure(tool: &str, problem: &str, schema: &Value) -> Failure {
    let expected = expected(schema);
    let message = format!(
        "The arguments of `{tool}` do not fit: {problem}. It takes: {expected}. Make the call again."
    );
    Failure::new(FailureKind::Arguments, message)
}

/// `filePath (string), limit (integer, optional)`
fn expected(schema: &Value) -> String {
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

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
