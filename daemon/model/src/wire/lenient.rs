//! Tolerant field deserialisers.
//!
//! Compatible servers write null, a string for a number, a fraction for a count or an object for a text. An
//! unreadable field counts as absent: no single field is worth losing the response.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The field if readable, else `None`.
pub(super) fn maybe<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(if value.is_null() { None } else { serde_json::from_value(value).ok() })
}

/// The readable entries of a list; a lone value is a list of one.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let entries = match Value::deserialize(deserializer)? {
        Value::Array(entries) => entries,
        Value::Null => Vec::new(),
        Value::Object(fields) if fields.is_empty() => Vec::new(),
        lone => vec![lone],
    };
    Ok(entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect())
}

/// A text or a number.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// A count: an integer, a fraction or a string that contains one.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64);
            number.as_u64().or(whole)
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    })
}

pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_bool().unwrap_or(false))
}

/// Replaces every lone surrogate escape by `\ufffd`: servers that split text by UTF-16 units send the halves
/// of one character in two events, which no JSON parser accepts. `None` if there is none.
pub(super) fn replace_lone_surrogates(data: &str) -> Option<String> {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let is_high = |unit: u16| (0xD800..0xDC00).contains(&unit);
    let is_low = |unit: u16| (0xDC00..0xE000).contains(&unit);
    let mut out = String::with_capacity(data.len());
    let mut rest = data;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let first = unit(escape);
        let second = escape.get(6..).and_then(unit);
        let length = match (first, second) {
            (Some(high), Some(low)) if is_high(high) && is_low(low) => 12,
            (Some(half), _) if is_high(half) || is_low(half) => {
                found = true;
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            // Any other escape: the backslash and the escaped character.
            _ => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, tail) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(kept);
        rest = tail;
    }
    out.push_str(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, PartialEq, Default)]
    #[serde(default)]
    struct LenientFields {
        #[serde(deserialize_with = "text")]
        text: Option<String>,
        #[serde(deserialize_with = "count")]
        count: Option<u64>,
        #[serde(deserialize_with = "list")]
        list: Vec<String>,
        #[serde(deserialize_with = "maybe")]
        maybe: Option<bool>,
        #[serde(deserialize_with = "flag")]
        flag: bool,
    }

    #[track_caller]
    fn check(json: &str, expected: LenientFields) {
        assert_eq!(serde_json::from_str::<LenientFields>(json).unwrap(), expected, "{json}");
    }

    #[test]
    fn what_cannot_be_read_is_not_there() {
        let none = LenientFields::default;
        check("{}", none());
        check(r#"{"text":null,"count":null,"list":null,"maybe":null,"flag":null}"#, none());
        check(r#"{"text":{},"count":{},"list":{},"maybe":{},"flag":{}}"#, none());
        check(r#"{"text":[1],"count":-1,"list":[1,null],"maybe":"yes","flag":1}"#, none());
        check(r#"{"count":"many"}"#, none());
        check(r#"{"count":1e300}"#, LenientFields { count: Some(u64::MAX), ..none() });
        check(
            r#"{"text":5,"count":"12","list":["a",2],"flag":true}"#,
            LenientFields {
                text: Some("5".into()),
                count: Some(12),
                list: vec!["a".into()],
                flag: true,
                ..none()
            },
        );
        check(
            r#"{"count":12.0,"list":"a"}"#,
            LenientFields { count: Some(12), list: vec!["a".into()], ..none() },
        );
    }

    #[test]
    fn halves_of_characters_are_replaced_and_nothing_else_is() {
        for whole in
            [r#""a\\ud83d""#, r#""\ud83d\udc4b""#, r#""\u00e9\n\"""#, "\"\\", "\"\\u12", "\"\\é", "é"]
        {
            assert_eq!(replace_lone_surrogates(whole), None, "{whole}");
        }
        assert_eq!(replace_lone_surrogates(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(
            replace_lone_surrogates(r#""\udc4bé\\\uD83D\u0041""#).as_deref(),
            Some(r#""\ufffdé\\\ufffd\u0041""#)
        );
        assert_eq!(
            replace_lone_surrogates(r#""\ud83d\ud83d\udc4b""#).as_deref(),
            Some(r#""\ufffd\ud83d\udc4b""#)
        );
    }
}
