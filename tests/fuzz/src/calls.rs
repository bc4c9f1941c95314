//! Any text as arguments is parsed or rejected; valid arguments stay as they are; and nothing is invented.
#![no_main]
// The parser is included as it is; only a part of it is used here.
#![allow(dead_code, unused_imports)]

mod arguments;

use arguments::{ArgumentsCompleteness, parse_arguments};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|value| strings(value, found)),
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            found.push(name);
            strings(value, found);
        }),
        _ => {}
    }
}

/// A fraction may be written with other digits.
fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(list) => list.iter().any(has_fraction),
        Value::Object(map) => map.values().any(has_fraction),
        _ => false,
    }
}

fuzz_target!(|text: &str| {
    let schema = json!({ "type": "object", "properties": {
        "filePath": { "type": "string" },
        "limit": { "type": ["integer", "null"] },
        "edits": { "type": "array", "items": { "$ref": "#" } },
    } });
    drop(parse_arguments(text, &schema, ArgumentsCompleteness::Complete));
    drop(parse_arguments(text, &schema, ArgumentsCompleteness::Truncated));
    let Ok(read) = parse_arguments(text, &Value::Null, ArgumentsCompleteness::Complete) else { return };
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => assert_eq!((&read.value, read.repairs.len()), (&value, 0)),
        // A text that is encoded twice, or escaped, differs.
        _ if text.contains('\\') => {}
        _ => {
            let mut found = Vec::new();
            strings(&read.value, &mut found);
            assert!(found.iter().all(|part| text.contains(part)), "{text:?} became {}", read.value);
        }
    }
    let again = parse_arguments(&read.value.to_string(), &Value::Null, ArgumentsCompleteness::Complete).expect("it is valid now");
    assert!(again.repairs.is_empty() && (again.value == read.value || has_fraction(&read.value)));
});
