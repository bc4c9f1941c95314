//! What holds for all arguments: valid ones are not touched, noise is taken away whole, and of a text that breaks off only
//! what is complete is taken.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

use super::{ArgumentsCompleteness, parse_arguments};

const CASES: u32 = 500;

/// Strings that look like something else.
fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\""),
        Just("'"),
        Just("\\"),
        Just("\n"),
        Just("\t"),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("//"),
        Just("/*"),
        Just("*/"),
        Just("```"),
        Just("5"),
        Just("true"),
        Just("\\n"),
        Just("é😀"),
        Just("\u{1}"),
        Just("\u{7f}"),
        Just("\u{2028}"),
        Just("a b"),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000_i32..1000).prop_map(|number| Value::from(f64::from(number) / 8.0)),
        string().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            entries(inner).prop_map(Value::Object),
        ]
    })
}

fn entries(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![3 => "[a-z_]{1,3}", 1 => string()];
    prop::collection::vec((name, value), 0..4).prop_map(|entries| entries.into_iter().collect())
}

/// Arguments that fit: each value is of the kind that the schema names.
fn fitting() -> impl Strategy<Value = Value> {
    let edit = (string(), any::<u32>()).prop_map(|(text, line)| json!({ "oldString": text, "line": line }));
    (string(), any::<Option<u32>>(), any::<bool>(), prop::collection::vec(string(), 0..3), prop::collection::vec(edit, 0..3))
        .prop_map(|(file, limit, all, names, edits)| {
            json!({ "filePath": file, "limit": limit, "all": all, "names": names, "edits": edits })
        })
}

fn schema() -> Value {
    json!({ "type": "object", "properties": {
        "filePath": { "type": "string" },
        "limit": { "type": ["integer", "null"] },
        "all": { "type": "boolean" },
        "names": { "type": "array", "items": { "type": "string" } },
        "edits": { "type": "array", "items": { "type": "object", "properties": {
            "oldString": { "type": "string" },
            "line": { "type": "integer" },
        } } },
    } })
}

/// Writes JSON with noise, where the choices say so.
struct NoisyJsonWriter<'a> {
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    text: String,
}

impl NoisyJsonWriter<'_> {
    fn choice(&mut self, of: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % of)
    }

    fn blank(&mut self) {
        let blank = ["", "", " ", "\n", "\r\n\t", "// so {\n", "/* [x], y */"][usize::from(self.choice(7))];
        self.text.push_str(blank);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                self.text.push('{');
                for (number, (name, value)) in map.iter().enumerate() {
                    self.separate(number);
                    self.name(name);
                    self.blank();
                    self.text.push(':');
                    self.blank();
                    self.value(value);
                }
                self.end(map.is_empty(), '}');
            }
            Value::Array(list) => {
                self.text.push('[');
                for (number, value) in list.iter().enumerate() {
                    self.separate(number);
                    self.value(value);
                }
                self.end(list.is_empty(), ']');
            }
            Value::String(text) => self.string(text),
            Value::Bool(true) if self.choice(2) == 0 => self.text.push_str("True"),
            Value::Null if self.choice(2) == 0 => self.text.push_str("None"),
            other => self.text.push_str(&other.to_string()),
        }
    }

    fn separate(&mut self, number: usize) {
        self.blank();
        if number > 0 {
            self.text.push(',');
            self.blank();
        }
    }

    fn end(&mut self, is_empty: bool, bracket: char) {
        self.blank();
        if !is_empty && self.choice(2) == 0 {
            self.text.push(',');
            self.blank();
        }
        self.text.push(bracket);
    }

    fn name(&mut self, name: &str) {
        let is_bare = name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
        if is_bare && self.choice(2) == 0 { self.text.push_str(name) } else { self.string(name) }
    }

    fn string(&mut self, text: &str) {
        let quote = if self.choice(2) == 0 { '\'' } else { '"' };
        self.text.push(quote);
        for letter in text.chars() {
            match letter {
                '\\' => self.text.push_str("\\\\"),
                letter if letter == quote => self.text.extend(['\\', letter]),
                // As it is, or as it should be.
                '\n' if self.choice(2) == 0 => self.text.push_str("\\n"),
                letter => self.text.push(letter),
            }
        }
        self.text.push(quote);
    }
}

fn read(text: &str) -> Result<Value, String> {
    parse_arguments(text, &Value::Null, ArgumentsCompleteness::Complete).map(|read| read.value)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_valid_is_not_touched(value in entries(value()), fitting in fitting()) {
        let value = Value::Object(value);
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let read = parse_arguments(&text, &Value::Null, ArgumentsCompleteness::Complete).unwrap();
            prop_assert_eq!((&read.value, read.repairs), (&value, vec![]));
        }
        let read = parse_arguments(&fitting.to_string(), &schema(), ArgumentsCompleteness::Complete).unwrap();
        prop_assert_eq!((read.value, read.repairs), (fitting, vec![]));
    }

    #[test]
    fn without_its_noise_a_text_says_what_it_said(value in entries(value()), choices in prop::collection::vec(any::<u8>(), 1..40)) {
        let value = Value::Object(value);
        let mut noisy = NoisyJsonWriter { choices: choices.iter().cycle(), text: String::new() };
        noisy.value(&value);
        let text = noisy.text;
        prop_assert_eq!(read(&text), Ok(value.clone()), "{}", text);
        for (before, after) in [("```json\n", "\n```"), ("Here it is:\n", ""), ("<call>", "</call>")] {
            let around = format!("{before}{text}{after}");
            prop_assert_eq!(read(&around), Ok(value.clone()), "{}", around);
        }
        let twice = Value::String(text).to_string();
        prop_assert_eq!(read(&twice), Ok(value.clone()), "{}", twice);
    }

    #[test]
    fn of_what_breaks_off_only_whole_entries_are_taken(value in entries(value())) {
        let text = Value::Object(value.clone()).to_string();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let Ok(Value::Object(read)) = read(&text[..end]) else { continue };
            // All that was begun, except that the last may be an object that itself breaks off.
            for (number, ((name, value), (own, whole))) in read.iter().zip(&value).enumerate() {
                prop_assert_eq!(name, own);
                if number + 1 < read.len() || !value.is_object() {
                    prop_assert_eq!(value, whole, "{}", &text[..end]);
                }
            }
        }
    }

    #[test]
    fn anything_is_read_or_refused(pieces in prop::collection::vec(string(), 0..12)) {
        let text = pieces.concat();
        for text in [text.clone(), format!("{{{text}}}"), format!("{{\"a\":{text}}}")] {
            let _ = parse_arguments(&text, &schema(), ArgumentsCompleteness::Complete);
        }
    }
}
