//! Types and names for extensions in TypeScript. The module imports nothing, so it works with any version of any client.

use std::fmt::Write as _;

use serde_json::Value;

use super::{UPDATE_HINT, branches, is_required, lower, map, reference, text};

const HEADER: &str = "\
// The protocol between the Copydesk daemon and its editor extensions. Generated from protocol/src; do not edit.
";

pub(super) fn render(schema: &Value) -> String {
    let mut out = format!("{HEADER}// {UPDATE_HINT}\n\n/** The version of the protocol. */\n");
    writeln!(out, "export const PROTOCOL = {};\n", schema["protocol"]).unwrap();
    let methods = map(schema, "methods");

    out.push_str("/** The names of the methods, as on the wire. */\nexport const methods = {\n");
    for (name, method) in methods {
        writeln!(out, "{}  {}: \"{name}\",", doc(method, "  "), lower(text(method, "marker"))).unwrap();
    }
    out.push_str("} as const;\n\n/** Error codes. */\nexport const errors = {\n");
    for (name, error) in map(schema, "errors") {
        writeln!(out, "{}  {}: {},", doc(error, "  "), lower(name), error["code"]).unwrap();
    }
    out.push_str("} as const;\n");

    let groups = [
        ("RequestsToDaemon", "Requests that a client sends.", "toDaemon", "request"),
        ("RequestsToClient", "Requests that a client answers.", "toClient", "request"),
        ("NotificationsToClient", "Notifications that a client gets.", "toClient", "notification"),
    ];
    for (group, about, direction, kind) in groups {
        writeln!(out, "\n/** {about} */\nexport interface {group} {{").unwrap();
        let chosen = methods
            .iter()
            .filter(|(_, method)| text(method, "direction") == direction && text(method, "kind") == kind);
        for (name, method) in chosen {
            let params = value(&method["params"]);
            let result =
                method.get("result").map_or(String::new(), |result| format!("; result: {}", value(result)));
            writeln!(out, "{}  \"{name}\": {{ params: {params}{result} }};", doc(method, "  ")).unwrap();
        }
        out.push_str("}\n");
    }

    for (name, definition) in map(schema, "$defs") {
        out.push('\n');
        out.push_str(&doc(definition, ""));
        if let Some(choices) = branches(definition) {
            writeln!(out, "export type {name} =").unwrap();
            for (number, choice) in choices.iter().enumerate() {
                let end = if number + 1 == choices.len() { ";" } else { "" };
                writeln!(out, "{}  | {}{end}", doc(choice, "  "), branch(choice)).unwrap();
            }
        } else if definition.get("properties").is_none() {
            writeln!(out, "export type {name} = Record<string, never>;").unwrap();
        } else {
            writeln!(out, "export interface {name} {}", object(definition, "")).unwrap();
        }
    }
    out
}

fn doc(schema: &Value, indent: &str) -> String {
    let words = text(schema, "description").split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { words } else { format!("{indent}/** {words} */\n") }
}

/// A type, on one line.
fn value(schema: &Value) -> String {
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    let named = reference(schema);
    if schema.get("properties").is_some() {
        let own = inline(schema);
        return named.map_or(own.clone(), |name| format!("({own} & {name})"));
    }
    if let Some(name) = named {
        return name.to_owned();
    }
    match text(schema, "type") {
        "string" => "string".into(),
        "boolean" => "boolean".into(),
        "integer" | "number" => "number".into(),
        "array" => {
            let item = value(&schema["items"]);
            if item.contains(' ') { format!("Array<{item}>") } else { format!("{item}[]") }
        }
        "object" if schema["additionalProperties"].is_object() => {
            format!("Record<string, {}>", value(&schema["additionalProperties"]))
        }
        "" => "unknown".into(),
        other => panic!("no TypeScript for {other}: {schema}"),
    }
}

fn inline(schema: &Value) -> String {
    let fields = map(schema, "properties").iter().map(|(key, property)| field(schema, key, property));
    format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "))
}

/// A branch of a union: on one line, unless its fields have descriptions.
fn branch(schema: &Value) -> String {
    let described = schema["properties"]
        .as_object()
        .is_some_and(|properties| properties.values().any(|property| !doc(property, "").is_empty()));
    if described { object(schema, "    ") } else { value(schema) }
}

fn object(schema: &Value, indent: &str) -> String {
    let inner = format!("{indent}  ");
    let fields = map(schema, "properties").iter().map(|(key, property)| {
        format!("{}{inner}{};\n", doc(property, &inner), field(schema, key, property))
    });
    format!("{{\n{}{indent}}}", fields.collect::<String>())
}

fn field(schema: &Value, key: &str, property: &Value) -> String {
    let mark = if is_required(schema, key) { "" } else { "?" };
    format!("{key}{mark}: {}", value(property))
}
