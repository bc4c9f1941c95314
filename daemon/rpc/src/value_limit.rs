//! The limit on the JSON values of a message that is parsed into a tree or into lists.
//!
//! A tree takes 30 to 100 bytes for each value, however short its text is: 60 MB of `0,` become 2.9 GB.

use memchr::memchr2;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

pub const MAX_VALUES: usize = 1_000_000;

/// Parses what may become a tree or a list, within the limit.
pub fn parse<'de, T: Deserialize<'de>>(json: &'de RawValue) -> Result<T, serde_json::Error> {
    // A value and its comma take two bytes.
    if json.get().len() > 2 * MAX_VALUES && count_values(json.get().as_bytes()) > MAX_VALUES {
        let limit = format!("it has more than {MAX_VALUES} JSON values, which is the limit");
        return Err(serde_json::Error::custom(limit));
    }
    serde_json::from_str(json.get())
}

/// Counts the values of valid JSON. An empty list or object counts twice.
fn count_values(mut json: &[u8]) -> usize {
    let mut count = 1;
    while let Some((first, rest)) = json.split_first() {
        json = rest;
        match first {
            b',' | b'[' | b'{' => count += 1,
            b'"' => json = after_string(rest),
            _ => {}
        }
    }
    count
}

fn after_string(mut json: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', json) {
        let is_end = json.get(at) == Some(&b'"');
        json = json.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            return json;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (json, count) in [
            ("0", 1),
            (r#""a,b,[{c""#, 1),
            (r#"["a\",\\", "b", 3]"#, 4),
            (r#"{"a,":{"b":1,"c":[1,2]}}"#, 6),
            (r#""\\","#, 2),
        ] {
            assert_eq!(count_values(json.as_bytes()), count, "{json}");
        }
    }

    #[test]
    fn a_tree_has_a_limit_and_a_text_has_none() {
        let parsed = |json: String| {
            let raw = RawValue::from_string(json).unwrap();
            parse::<serde_json::Value>(&raw).map_err(|error| error.to_string())
        };
        let long = "a,".repeat(3 * MAX_VALUES);
        assert_eq!(parsed(format!("[\"{long}\"]")).unwrap()[0], long);
        let most = format!("[{}0]", "0,".repeat(MAX_VALUES - 2));
        assert_eq!(parsed(most).unwrap().as_array().unwrap().len(), MAX_VALUES - 1);
        assert_eq!(
            parsed(format!("[{}0]", "0,".repeat(MAX_VALUES))),
            Err("it has more than 1000000 JSON values, which is the limit".to_owned())
        );
    }
}
