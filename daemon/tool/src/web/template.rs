//! Fills the user's templates of addresses and arguments with the values of a call: `{query}`, `{numResults}`, `{tokensNum}`.
//!
//! A text that consists only of the name of a number becomes that number. Inserted values are not searched for names.

use serde_json::{Map, Value};

/// The values of a call by name.
pub(crate) type TemplateValues<'a> = &'a [(&'a str, Value)];

pub(super) fn fill(template: &Value, values: TemplateValues<'_>) -> Value {
    match template {
        Value::String(text) => fill_text(text, values),
        Value::Array(items) => items.iter().map(|item| fill(item, values)).collect(),
        Value::Object(map) => Value::Object(fill_map(map, values)),
        other => other.clone(),
    }
}

pub(super) fn fill_map(map: &Map<String, Value>, values: TemplateValues<'_>) -> Map<String, Value> {
    map.iter().map(|(key, value)| (key.clone(), fill(value, values))).collect()
}

fn fill_text(text: &str, values: TemplateValues<'_>) -> Value {
    let whole = values
        .iter()
        .find(|(name, _)| text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name));
    match whole {
        Some((_, value)) => value.clone(),
        None => Value::String(replaced(text, values, |value| value)),
    }
}

/// Fills an address; an inserted value stays one component of it.
pub(super) fn fill_address(template: &str, values: TemplateValues<'_>) -> String {
    replaced(template, values, |value| url::form_urlencoded::byte_serialize(value.as_bytes()).collect())
}

fn replaced(text: &str, values: TemplateValues<'_>, change: impl Fn(String) -> String) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let found = values.iter().find_map(|(name, value)| {
            let after = from.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?;
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Some((change(value), after))
        });
        match found {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_stand_where_their_names_were() {
        let values = [("query", json!("a {numResults} & b")), ("numResults", json!(8))];
        let template = json!({
            "q": "{query}", "n": "{numResults}", "text": "find {query}: {numResults} {other} {", "list": ["{query}", 1, null]
        });
        let expected = json!({
            "q": "a {numResults} & b", "n": 8, "text": "find a {numResults} & b: 8 {other} {", "list": ["a {numResults} & b", 1, null]
        });
        assert_eq!(fill(&template, &values), expected);
        let address = fill_address("https://host/search?q={query}&n={numResults}&x={y}", &values);
        assert_eq!(address, "https://host/search?q=a+%7BnumResults%7D+%26+b&n=8&x={y}");
    }
}
