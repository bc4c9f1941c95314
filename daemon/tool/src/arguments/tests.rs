use serde_json::{Value, json};

use super::{ArgumentsCompleteness, Repair, parse_arguments};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "filePath": { "type": "string" },
            "content": { "type": "string" },
            "limit": { "type": ["integer", "null"] },
            "ratio": { "type": "number" },
            "all": { "type": "boolean" },
            "names": { "type": "array", "items": { "type": "string" } },
            "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } },
            "edit": { "anyOf": [{ "$ref": "#/$defs/Edit" }, { "type": "null" }] },
            "any": {},
        },
        "required": ["filePath"],
        "$defs": { "Edit": {
            "type": "object",
            "properties": { "oldString": { "type": "string" }, "line": { "type": "integer" } },
        } },
    })
}

fn read(text: &str) -> Option<(Value, Vec<String>)> {
    let read = parse_arguments(text, &schema(), ArgumentsCompleteness::Complete).ok()?;
    Some((read.value, read.repairs.iter().map(Repair::to_string).collect()))
}

#[track_caller]
fn becomes(text: &str, value: &Value, repairs: &[&str]) {
    let repairs = repairs.iter().map(|repair| (*repair).to_owned()).collect();
    assert_eq!(read(text), Some((value.clone(), repairs)), "{text}");
}

#[test]
fn noise_is_overlooked() {
    let a = json!({ "filePath": "a" });
    let around = ["text around the object was left out"];
    becomes("", &json!({}), &[]);
    becomes(" \n", &json!({}), &[]);
    becomes(r#" {"filePath":"a"} "#, &a, &[]);
    becomes("```json\n{\"filePath\":\"a\"}\n```", &a, &around);
    becomes("Here's the call: {\"filePath\":\"a\"}\nThat's all.", &a, &around);
    becomes("<tool_call>{\"filePath\":\"a\"}</tool_call>", &a, &around);
    becomes(r#"{"filePath":"a",}"#, &a, &["a comma before the end was left out"]);
    becomes(r#"{'filePath':'a'}"#, &a, &["single quotes were taken for double ones"]);
    becomes(r#"{filePath:"a"}"#, &a, &["names without quotes got them"]);
    becomes("{\"filePath\": // the file\n \"a\" /* yes */}", &a, &["comments were left out"]);
    becomes(r#""{\"filePath\":\"a\"}""#, &a, &["the object was encoded twice"]);
    becomes(r#"{"filePath":"a""#, &a, &["the missing end was added"]);
    let raw = json!({ "filePath": "a", "content": "one\n\ttwo\u{1}" });
    becomes(
        "{\"filePath\":\"a\",\"content\":\"one\n\ttwo\u{1}\"}",
        &raw,
        &["line breaks in strings were escaped"],
    );
    let python = json!({ "filePath": "it's \"x\"", "all": true, "limit": null });
    becomes(
        r#"{'filePath': 'it\'s "x"', 'all': True, 'limit': None,}"#,
        &python,
        &[
            "single quotes were taken for double ones",
            "Python's words were taken for JSON's",
            "a comma before the end was left out",
        ],
    );
    becomes(
        r#"{"filePath":"a","edit":{"line":2,"oldString":"}""#,
        &json!({ "filePath": "a", "edit": { "line": 2, "oldString": "}" } }),
        &["the missing end was added"],
    );
}

#[test]
fn what_is_not_certain_is_refused() {
    for text in [
        "nothing",
        "[]",
        "\"text\"",
        "5",
        // What is missing may be more than a bracket.
        "{",
        r#"{"filePath""#,
        r#"{"filePath":"#,
        r#"{"filePath":"src/ma"#,
        r#"{"filePath":"a","#,
        r#"{"filePath":"a","limit":10"#,
        r#"{"filePath":"a","names":["a""#,
        r#"{"filePath":"a","edits":[{"line":1}"#,
        // Quotes in a string end it somewhere.
        r#"{"content":"say "hi" to","filePath":"a"}"#,
        r#"{'content':'it's','filePath':'a'}"#,
        r#"{"filePath":"a"}"}"#,
        r#"{'filePath':'a'} it's"#,
        // What looks like a comment may be the rest of such a string.
        r#"{"content":"rm -rf "//tmp/x"}"#,
        "{\"content\":\"rm -rf \"//tmp/x",
        "{\"content\":\"see \"// x\"\n,\"filePath\":\"a\"}",
        "{\"content\":\"see \"/* x\" */,\"filePath\":\"a\"}",
        "{'content':'see '// it's\n}",
        // Several objects, or one of which a bracket is missing.
        r#"{"filePath":"a"}{"filePath":"b"}"#,
        r#"{"filePath":"a"}}"#,
        r#""edit": {"filePath":"a"}"#,
        r#"[{"filePath":"a",}]"#,
        // No JSON, and nothing else that is known.
        r#"{"filePath":"a" "limit":1}"#,
        r#"{"filePath":a}"#,
        r#"{"filePath":"a","content":"\d"}"#,
        r#"{"filePath":"a",,}"#,
        r#"{,}"#,
        r#"{"filePath":'a',"limit":01}"#,
        r#"{"filePath":'a',"limit":NaN}"#,
        r#"{'filePath':"a","filePath":"b"}"#,
        r#"{"filePath":'a' /* no end }"#,
        "“{”",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    assert!(parse_arguments(r#"{"filePath":"a""#, &schema(), ArgumentsCompleteness::Truncated).is_err());
    let deep = "{a:".repeat(100_000) + &"}".repeat(100_000);
    assert_eq!(read(&deep), None);
}

#[test]
fn values_become_what_the_schema_wants() {
    let number = ["`limit` was taken for a number"];
    becomes(r#"{"filePath":"a","limit":"5"}"#, &json!({ "filePath": "a", "limit": 5 }), &number);
    becomes(r#"{"filePath":"a","limit":" 5.0 "}"#, &json!({ "filePath": "a", "limit": 5 }), &number);
    let whole = ["`limit` was taken for a whole number"];
    becomes(r#"{"filePath":"a","limit":5.0}"#, &json!({ "filePath": "a", "limit": 5 }), &whole);
    let ratio = ["`ratio` was taken for a number"];
    becomes(r#"{"filePath":"a","ratio":"0.5"}"#, &json!({ "filePath": "a", "ratio": 0.5 }), &ratio);
    let truth = ["`all` was taken for true or false"];
    becomes(r#"{"filePath":"a","all":"true"}"#, &json!({ "filePath": "a", "all": true }), &truth);
    becomes(r#"{"filePath":"a","all":"False"}"#, &json!({ "filePath": "a", "all": false }), &truth);
    let list = ["`names` was taken for a list"];
    becomes(r#"{"filePath":"a","names":"[\"5\"]"}"#, &json!({ "filePath": "a", "names": ["5"] }), &list);
    let object = ["`edit` was taken for an object", "`line` was taken for a number"];
    becomes(
        r#"{"filePath":"a","edit":"{\"line\":\"1\"}"}"#,
        &json!({ "filePath": "a", "edit": { "line": 1 } }),
        &object,
    );
    let one = json!({ "filePath": "a", "edits": [{ "line": 1, "oldString": "1" }] });
    becomes(
        r#"{"filePath":"a","edits":{"line":"1","old_string":"1"}}"#,
        &one,
        &[
            "`edits` was made a list of one",
            "`old_string` was taken for `oldString`",
            "`line` was taken for a number",
        ],
    );
}

#[test]
fn what_fits_and_what_nobody_can_tell_stays() {
    for value in [
        json!({ "filePath": "5", "content": "[1]", "any": "true", "other": "7" }),
        json!({ "filePath": "a", "limit": null, "ratio": 1, "edit": null }),
        json!({ "filePath": "a", "limit": "many" }),
        json!({ "filePath": "a", "limit": 1.5, "all": "yes", "all2": 1 }),
        json!({ "filePath": 5, "names": "a, b", "edits": "{}" }),
        json!({ "filePath": ["a"], "names": {} }),
        json!({ "filePath": "a", "limit": 1e300 }),
    ] {
        becomes(&value.to_string(), &value, &[]);
    }
}

#[test]
fn names_become_those_of_the_schema() {
    let a = json!({ "filePath": "a" });
    for name in ["file_path", "FilePath", "file-path", "path", "filename", "file"] {
        let repair = format!("`{name}` was taken for `filePath`");
        becomes(&json!({ name: "a" }).to_string(), &a, &[&repair]);
    }
    for value in [
        // Two for one.
        json!({ "path": "a", "file": "b" }),
        // Not missing.
        json!({ "filePath": "a", "path": "b" }),
        // Another kind.
        json!({ "path": ["a"] }),
        json!({ "somewhere": "a" }),
    ] {
        becomes(&value.to_string(), &value, &[]);
    }
    // Spelling goes before habit.
    let both = json!({ "filePath": "a", "path": "b" });
    becomes(r#"{"file_path":"a","path":"b"}"#, &both, &["`file_path` was taken for `filePath`"]);
    let open = json!({ "type": "object", "properties": { "filePath": {} }, "additionalProperties": true });
    let path = json!({ "path": "a" });
    assert_eq!(
        parse_arguments(&path.to_string(), &open, ArgumentsCompleteness::Complete).unwrap().value,
        path
    );
    let search = json!({ "properties": { "path": { "type": "string" }, "pattern": { "type": "string" } } });
    let read = parse_arguments(
        r#"{"query":"x","path":"b","file_path":"c"}"#,
        &search,
        ArgumentsCompleteness::Complete,
    )
    .unwrap();
    assert_eq!(
        read.value,
        json!({ "pattern": "x", "path": "b", "file_path": "c" }),
        "a parameter of its own"
    );
}

#[test]
fn no_schema_is_followed_for_ever() {
    let endless = json!({ "$ref": "#" });
    assert_eq!(
        parse_arguments(r#"{"a":"1"}"#, &endless, ArgumentsCompleteness::Complete).unwrap().value,
        json!({ "a": "1" })
    );
    let nested = json!({ "type": "object", "properties": { "a": { "$ref": "#" } } });
    let text = r#"{"a":"#.repeat(100) + "{}" + &"}".repeat(100);
    assert!(parse_arguments(&text, &nested, ArgumentsCompleteness::Complete).unwrap().repairs.is_empty());
}
