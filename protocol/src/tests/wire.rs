//! Every type as JSON, and its round trip.

mod asks;
mod daemon;
mod editors;
mod metadata;
mod reviews;
mod servers;
mod sessions;

use std::fmt::Debug;

use expect_test::Expect;

use crate::generate::schema;
use crate::method::MessagePayload;

/// Checks the JSON of a value, and that it is read as the same value.
fn check<T: MessagePayload + PartialEq + Debug>(value: &T, expected: &Expect) {
    let text = serde_json::to_string(value).unwrap();
    expected.assert_eq(&text);
    let read: T = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *value);
}

#[test]
fn no_type_and_no_field_and_no_choice_is_missing_here() {
    let shown = [
        include_str!("wire/asks.rs"),
        include_str!("wire/daemon.rs"),
        include_str!("wire/editors.rs"),
        include_str!("wire/metadata.rs"),
        include_str!("wire/reviews.rs"),
        include_str!("wire/servers.rs"),
        include_str!("wire/sessions.rs"),
    ]
    .concat();
    let mut missing = Vec::new();
    let mut need = |word: String| {
        if !shown.contains(&word) {
            missing.push(word);
        }
    };
    for (name, definition) in schema()["$defs"].as_object().unwrap() {
        need(format!("{name} {{"));
        let choices = definition["oneOf"].as_array().into_iter().flatten();
        for schema in choices.chain([definition]) {
            if let Some(constant) = schema["const"].as_str() {
                need(format!("\"{constant}\""));
            }
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                need(format!(
                    "\"{key}\":{}",
                    property["const"].as_str().map_or(String::new(), |tag| format!("\"{tag}\""))
                ));
            }
        }
    }
    // Enums are shown by their variants.
    missing.retain(|word| !word.ends_with(" {") || !shown.contains(&word.replace(" {", "::")));
    assert_eq!(missing, Vec::<String>::new());
}
