use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{drop_nulls, gemini, moonshot, object, object_text, plain, references, strict};

#[track_caller]
fn check(actual: Option<Value>, expected: Expect) {
    expected.assert_eq(&actual.map_or("none".to_owned(), |value| value.to_string()));
}

fn edit() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Edit",
        "type": "object",
        "properties": {
            "filePath": { "type": "string", "description": "The file.", "minLength": 1 },
            "mode": { "$ref": "#/$defs/Mode", "description": "How." },
            "limit": { "type": ["integer", "null"], "format": "uint32", "minimum": 0 },
            "level": { "type": "integer", "enum": [1, 2] },
        },
        "required": ["filePath", "gone"],
        "additionalProperties": false,
        "$defs": { "Mode": { "oneOf": [{ "type": "string", "const": "a" }, { "type": "string", "const": "b" }] } },
    })
}

#[test]
fn gemini_gets_single_types_string_enums_and_no_references() {
    check(
        gemini(&edit()),
        expect![[
            r#"{"type":"object","properties":{"filePath":{"description":"The file.","type":"string"},"mode":{"description":"How.","anyOf":[{"type":"string","enum":["a"]},{"type":"string","enum":["b"]}]},"limit":{"type":"integer","nullable":true,"minimum":0},"level":{"type":"string","enum":["1","2"]}},"required":["filePath"]}"#
        ]],
    );
}

#[test]
fn gemini_gets_nothing_for_a_tool_without_parameters() {
    check(gemini(&json!({ "type": "object" })), expect!["none"]);
    check(gemini(&json!(true)), expect!["none"]);
}

#[test]
fn gemini_gets_items_for_every_array() {
    let schema = json!({ "properties": { "a": { "type": "array" }, "b": { "type": "array", "items": {} },
        "c": { "type": ["string", "array"], "items": { "type": "string" } } } });
    check(
        gemini(&schema),
        expect![[
            r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array","items":{"type":"string"}},"c":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}"#
        ]],
    );
}

#[test]
fn moonshot_gets_lonely_references_and_no_tuples() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "$ref": "#/$defs/A", "description": "beside" },
        "b": { "type": "array", "items": [{ "type": "string" }, { "type": "number" }] },
        "c": { "type": "string", "anyOf": [{ "type": "string" }, { "type": "null" }] } } });
    check(
        Some(moonshot::moonshot(&schema)),
        expect![[
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},"c":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"##
        ]],
    );
}

#[test]
fn strict_mode_requires_all_and_allows_null_instead() {
    check(
        strict::strict(&edit()),
        expect![[
            r#"{"type":"object","required":["filePath","mode","limit","level"],"properties":{"filePath":{"type":"string","description":"The file."},"mode":{"anyOf":[{"anyOf":[{"type":"string","const":"a"},{"type":"string","const":"b"}],"description":"How."},{"type":"null"}]},"limit":{"type":["integer","null"],"minimum":0},"level":{"anyOf":[{"type":"integer","enum":[1,2]},{"type":"null"}]}},"additionalProperties":false}"#
        ]],
    );
}

#[test]
fn what_has_no_strict_form_stays_as_it_is() {
    let map = json!({ "type": "object", "properties": { "env": { "type": "object", "additionalProperties": { "type": "string" } } } });
    check(strict::strict(&map), expect!["none"]);
    check(
        strict::strict(&json!({ "type": "object", "properties": { "a": { "type": "object" } } })),
        expect!["none"],
    );
}

#[test]
fn nulls_of_strict_mode_are_taken_away_again() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": {}, "list": { "items": { "required": [] } } } });
    assert_eq!(
        drop_nulls(r#"{"a":null,"b":null,"list":[{"c":null,"d":1}]}"#, &schema).as_deref(),
        Some(r#"{"a":null,"list":[{"d":1}]}"#)
    );
    assert_eq!(drop_nulls(r#"{"a":1}"#, &schema), None);
    assert_eq!(drop_nulls("{", &schema), None);
}

#[test]
fn a_schema_that_contains_itself_ends() {
    let tree = json!({ "$ref": "#/$defs/T", "$defs": { "T": { "properties": { "left": { "$ref": "#/$defs/T" }, "right": { "$ref": "#/$defs/T" } } } } });
    check(
        Some(references::inline(&tree)),
        expect![[r#"{"properties":{"left":{"type":"object"},"right":{"type":"object"}}}"#]],
    );
    let mut bomb = json!({});
    for level in 0..40 {
        let next = format!("#/$defs/L{}", level + 1);
        bomb[format!("L{level}")] = json!({ "properties": { "a": { "$ref": next }, "b": { "$ref": next } } });
    }
    let inlined = references::inline(&json!({ "$ref": "#/$defs/L0", "$defs": bomb }));
    assert!(inlined.to_string().len() < 4_000_000);
}

#[test]
fn arguments_are_sent_again_as_they_were_or_marked_as_no_json() {
    assert_eq!(object_text(r#"{ "a" : 1e2 }"#), r#"{ "a" : 1e2 }"#);
    assert_eq!(object_text("{\"a\":"), r#"{"invalid_json":"{\"a\":"}"#);
    assert_eq!(object("[1]"), json!({ "invalid_json": "[1]" }));
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "string" })),
        Just(json!({ "type": ["integer", "null"] })),
        Just(json!({ "enum": ["x", 1, null] })),
        Just(json!({ "$ref": "#/properties/a" })),
        Just(json!(true)),
        Just(json!({})),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::btree_map("[a-c]", inner.clone(), 0..4).prop_map(
                |properties| json!({ "type": "object", "properties": properties, "required": ["a"] })
            ),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            proptest::collection::vec(inner, 0..3).prop_map(|choices| json!({ "anyOf": choices })),
        ]
    })
}

fn every_object(value: &Value, check: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            check(map);
            map.values().for_each(|value| every_object(value, check));
        }
        Value::Array(list) => list.iter().for_each(|value| every_object(value, check)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn adaptations_keep_their_promises_for_any_schema(schema in schema()) {
        let _ = plain(&schema);
        if let Some(adapted) = gemini(&schema) {
            every_object(&adapted, &mut |map| {
                assert!(!map.contains_key("$ref") && !map.get("type").is_some_and(Value::is_array), "{map:?}");
            });
        }
        if let Some(adapted) = strict::strict(&plain(&schema)) {
            every_object(&adapted, &mut |map| {
                if let Some(Value::Object(properties)) = map.get("properties")
                    && map.contains_key("additionalProperties")
                {
                    assert_eq!(map["required"].as_array().unwrap().len(), properties.len());
                }
            });
        }
        every_object(&moonshot::moonshot(&schema), &mut |map| {
            assert!(map.len() == 1 || !map.get("$ref").is_some_and(Value::is_string));
        });
    }
}

/// Anthropic, OpenAI and Gemini reject the whole request if a root has alternatives.
#[test]
fn alternatives_at_the_root_become_one_object() {
    let attach = json!({ "type": "object", "anyOf": [
        { "type": "object", "properties": { "file": { "type": "string" }, "kind": { "const": "a" } }, "required": ["file", "kind"] },
        { "$ref": "#/$defs/Url" },
    ], "$defs": { "Url": { "properties": { "file": { "type": "string" }, "kind": { "const": "b" }, "url": {} }, "required": ["kind", "file", "url"] } } });
    check(
        Some(plain(&attach)),
        expect![[
            r##"{"type":"object","$defs":{"Url":{"properties":{"file":{"type":"string"},"kind":{"const":"b"},"url":{}},"required":["kind","file","url"]}},"properties":{"file":{"type":"string"},"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"url":{}},"required":["file","kind"]}"##
        ]],
    );
    let either = json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
        "required": ["a"], "oneOf": [{ "required": ["a"] }, { "required": ["b"] }], "not": { "required": ["a", "b"] } });
    let expected =
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}"#;
    assert_eq!(plain(&either).to_string(), expected);
    assert_eq!(gemini(&either).unwrap().to_string(), expected);
    let both = json!({ "allOf": [{ "properties": { "a": { "type": "string" } }, "required": ["a"] }, { "properties": { "b": { "type": "string" } } }] });
    assert_eq!(
        plain(&both),
        json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" }, "b": { "type": "string" } } })
    );
    assert_eq!(plain(&json!({ "type": ["object", "null"] })), json!({ "type": "object", "properties": {} }));
}

/// Schema generators put everything under a named definition.
#[test]
fn a_root_that_is_a_reference_keeps_its_properties() {
    let named = json!({ "$ref": "#/definitions/Read", "definitions": { "Read": { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] } } });
    check(
        gemini(&named),
        expect![[r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#]],
    );
    check(
        strict::strict(&plain(&named)),
        expect![[
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},"additionalProperties":false}"#
        ]],
    );
    let circle = json!({ "$ref": "#/$defs/A", "$defs": { "A": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/A" }] } } });
    assert_eq!(plain(&circle)["properties"], json!({}));
}

#[test]
fn what_only_narrows_a_type_is_left_out_for_gemini() {
    let schema = json!({ "properties": {
        "a": { "type": "object", "properties": { "x": { "type": "string" } }, "anyOf": [{ "required": ["x"] }] },
        "b": { "type": "object", "anyOf": [{ "properties": { "x": { "type": "string" } } }, { "properties": { "y": { "type": "string" } } }] },
        "c": { "allOf": [{ "properties": { "x": { "type": "string" } } }, { "properties": { "y": { "type": "integer" } } }] },
    } });
    check(
        gemini(&schema),
        expect![[
            r#"{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}},"b":{"anyOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"object","properties":{"y":{"type":"string"}}}]},"c":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"integer"}}}}}"#
        ]],
    );
}

#[test]
fn a_schema_that_is_cut_stays_a_schema() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..30 {
        deep = json!({ "type": "object", "properties": { "a": deep }, "required": ["a"] });
    }
    every_object(&gemini(&deep).unwrap(), &mut |map| {
        assert!(map.get("type").is_none_or(Value::is_string), "{map:?}");
        assert!(map.get("required").is_none_or(Value::is_array), "{map:?}");
    });
}

/// A duplicate type is visited once: otherwise twelve levels would take forever.
#[test]
fn types_named_twice_cost_nothing() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..12 {
        deep = json!({ "type": vec!["object"; 20], "properties": { "a": deep } });
    }
    assert!(gemini(&deep).unwrap().to_string().len() < 2_000);
}

/// The root keeps its type; below it, the type moves into the branches.
#[test]
fn moonshot_gets_a_type_in_every_branch() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "object", "properties": { "x": {} }, "anyOf": [{ "required": ["x"] }, { "type": "null" }] } } });
    check(
        Some(moonshot::moonshot(&schema)),
        expect![[
            r#"{"type":"object","properties":{"a":{"properties":{"x":{}},"anyOf":[{"required":["x"],"type":"object"},{"type":"null"}]}}}"#
        ]],
    );
}
