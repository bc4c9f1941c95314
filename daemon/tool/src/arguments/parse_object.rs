//! Finds the JSON object in a text: alone, in a fence, between words, or encoded as a string.

use serde_json::Value;

use super::ArgumentsCompleteness;
use super::repair::{Repair, note};
use super::scanner::LenientJsonScanner;

/// Returns the object and the repairs. The error comes from the strict parser, because it is about what the model wrote.
pub(super) fn read(text: &str, ending: ArgumentsCompleteness) -> Result<(Value, Vec<Repair>), String> {
    let error = match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => return Ok((value, Vec::new())),
        Ok(Value::String(inner)) => return parse_double_encoded(&inner, ending),
        Ok(other) => return Err(format!("they are {}", kind(&other))),
        Err(error) => error.to_string(),
    };
    parse_lenient(text, ending).ok_or(error)
}

fn parse_double_encoded(inner: &str, ending: ArgumentsCompleteness) -> Result<(Value, Vec<Repair>), String> {
    let read = match serde_json::from_str(inner) {
        Ok(value @ Value::Object(_)) => Some((value, Vec::new())),
        _ => parse_lenient(inner, ending),
    };
    let (value, mut repairs) = read.ok_or("they are a string")?;
    note(&mut repairs, Repair::Twice);
    Ok((value, repairs))
}

/// The only object in a text. A quote or bracket outside of it may mean that we misread the inside, so the text is rejected.
fn parse_lenient(text: &str, ending: ArgumentsCompleteness) -> Option<(Value, Vec<Repair>)> {
    let (before, object) = text.split_at(text.find('{')?);
    let mut scanner = LenientJsonScanner::new(object, ending);
    scanner.object()?;
    let after = scanner.rest();
    let has = |text: &str, letters: &[char]| text.contains(letters);
    let is_doubtful = scanner.is_doubtful(after);
    if has(before, &['"', '[', ']', '}']) || has(after, &['"', '[', ']', '{', '}']) || is_doubtful {
        return None;
    }
    let is_alone = before.trim().is_empty() && after.trim().is_empty();
    let (json, mut repairs) = scanner.finish();
    if !is_alone {
        note(&mut repairs, Repair::Around);
    }
    let value = serde_json::from_str(&json).ok()?;
    Some((value, repairs))
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
