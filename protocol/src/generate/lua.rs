//! A Lua module: the names of methods and errors as values, the types as annotations for LuaLS.

use std::fmt::Write as _;

use serde_json::Value;

use super::{UPDATE_HINT, branches, is_required, lower, map, reference, text};

const HEADER: &str = "\
-- The protocol between the Copydesk daemon and its editor extensions. Generated from protocol/src; do not edit.
";

pub(super) fn render(schema: &Value) -> String {
    let mut out = format!("{HEADER}-- {UPDATE_HINT}\n");
    for (name, definition) in map(schema, "$defs") {
        out.push('\n');
        match branches(definition) {
            Some(choices) => choice(&mut out, name, definition, choices),
            None => class(&mut out, &format!("copydesk.{name}"), None, definition),
        }
    }
    out.push_str("\nlocal M = {}\n\n--- The version of the protocol.\n");
    write!(out, "M.protocol = {}\n\n--- The names of the methods, as on the wire.\n", schema["protocol"])
        .unwrap();
    out.push_str("M.methods = {\n");
    for (name, method) in map(schema, "methods") {
        let params = value(&method["params"]);
        let result = method.get("result").map_or(String::new(), |result| format!(" -> {}", value(result)));
        let marker = lower(text(method, "marker"));
        writeln!(out, "  --- {}\n  --- `{params}{result}`\n  {marker} = \"{name}\",", description(method))
            .unwrap();
    }
    out.push_str("}\n\n--- Error codes.\nM.errors = {\n");
    for (name, error) in map(schema, "errors") {
        writeln!(out, "  --- {}\n  {} = {},", description(error), lower(name), error["code"]).unwrap();
    }
    out.push_str("}\n\nreturn M\n");
    out
}

fn description(schema: &Value) -> String {
    text(schema, "description").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn class(out: &mut String, name: &str, parent: Option<&str>, schema: &Value) {
    let parent = parent.map_or(String::new(), |parent| format!(": copydesk.{parent}"));
    writeln!(out, "--- {}\n---@class {name}{parent}", description(schema)).unwrap();
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if is_required(schema, key) { "" } else { "?" };
        let line = format!("---@field {key}{mark} {} {}", value(property), description(property));
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
}

/// A branch with fields becomes a class, named after its tag.
fn choice(out: &mut String, name: &str, schema: &Value, choices: &[Value]) {
    let mut names = Vec::new();
    for choice in choices {
        if choice.get("properties").is_some() {
            let own = format!("copydesk.{name}.{}", tag(choice));
            class(out, &own, reference(choice), choice);
            out.push('\n');
            names.push((own, description(choice)));
        } else {
            names.push((value(choice), description(choice)));
        }
    }
    writeln!(out, "--- {}\n---@alias copydesk.{name}", description(schema)).unwrap();
    for (name, about) in names {
        writeln!(out, "---| {name} # {about}").unwrap();
    }
}

/// The value of the constant field, else the name of the only field.
fn tag(schema: &Value) -> &str {
    let properties = map(schema, "properties");
    let constant = properties.values().find_map(|property| property["const"].as_str());
    constant.unwrap_or_else(|| properties.keys().next().unwrap())
}

fn value(schema: &Value) -> String {
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    if let Some(name) = reference(schema) {
        return format!("copydesk.{name}");
    }
    match text(schema, "type") {
        "string" => "string".into(),
        "boolean" => "boolean".into(),
        "integer" => "integer".into(),
        "number" => "number".into(),
        "array" => format!("{}[]", value(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("table<string, {}>", value(&schema["additionalProperties"]))
        }
        "" => "any".into(),
        other => panic!("no Lua for {other}: {schema}"),
    }
}
