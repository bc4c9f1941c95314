//! Generates `schema.json`, `protocol.ts` and the Neovim extension's `protocol.lua` from the table. Tests compare the
//! committed files with the output.
//!
//! To update them: `UPDATE_EXPECT=1 cargo test -p copydesk-protocol`.

mod lua;
mod schema;
mod typescript;

use expect_test::expect_file;
use serde_json::{Map, Value};

pub(crate) use schema::schema;

pub(crate) const UPDATE_HINT: &str =
    "To update it: `UPDATE_EXPECT=1 cargo test -p copydesk-protocol`, then read the diff.";

#[test]
fn the_committed_schema_is_not_stale() {
    expect_file!["../schema.json"].assert_eq(&format!("{:#}\n", schema()));
}

#[test]
fn the_committed_typescript_is_not_stale() {
    expect_file!["../protocol.ts"].assert_eq(&typescript::render(&schema()));
}

#[test]
fn the_committed_lua_is_not_stale() {
    expect_file!["../../editors/nvim/lua/copydesk/protocol.lua"].assert_eq(&lua::render(&schema()));
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn map<'a>(value: &'a Value, key: &str) -> &'a Map<String, Value> {
    value[key].as_object().unwrap_or_else(|| panic!("no `{key}` in {value}"))
}

/// The name of a `$ref`'s target.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().map(|path| path.rsplit('/').next().unwrap())
}

fn is_required(schema: &Value, key: &str) -> bool {
    schema["required"].as_array().is_some_and(|keys| keys.iter().any(|known| known == key))
}

/// `sessionNew` for `SessionNew`.
fn lower(marker: &str) -> String {
    marker[..1].to_lowercase() + &marker[1..]
}

/// The branches of a choice.
fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())
}
