//! Converts values to what the schema wants: a string that contains a number, a boolean, a list or an object; a single object
//! where the schema wants a list of them. Values that fit, or that the schema does not describe, stay as they are.

use serde_json::{Map, Number, Value};

use super::alias;
use super::repair::{Repair, note};

/// The depth at which we stop following a schema, which may refer to itself.
const MAX_DEPTH: usize = 64;

pub(super) fn fit(value: Value, schema: &Value, repairs: &mut Vec<Repair>) -> Value {
    SchemaCoercer { root: schema, repairs, depth: 0 }.value(value, schema, "")
}

/// Whether a value has the type that the schema wants, or can be converted to it.
pub(super) fn can_coerce(value: &Value, schema: &Value, root: &Value) -> bool {
    let schema = settle(schema, root);
    let Some(kinds) = kinds(schema) else { return true };
    kinds.iter().any(|kind| has_type(value, kind)) || convert_value(value, &kinds, schema, root).is_some()
}

struct SchemaCoercer<'a> {
    root: &'a Value,
    repairs: &'a mut Vec<Repair>,
    depth: usize,
}

impl SchemaCoercer<'_> {
    fn value(&mut self, value: Value, schema: &Value, name: &str) -> Value {
        if self.depth >= MAX_DEPTH {
            return value;
        }
        let schema = settle(schema, self.root);
        let fits = kinds(schema).is_none_or(|kinds| kinds.iter().any(|kind| has_type(&value, kind)));
        let value = match kinds(schema).filter(|_| !fits) {
            None => value,
            Some(kinds) => match convert_value(&value, &kinds, schema, self.root) {
                None => return value,
                Some((value, repair)) => {
                    let name = name.to_owned();
                    note(
                        self.repairs,
                        match repair {
                            Coercion::Listed => Repair::Listed { name },
                            Coercion::Taken(wanted) => Repair::Value { name, wanted },
                        },
                    );
                    value
                }
            },
        };
        self.depth += 1;
        let value = match value {
            Value::Object(object) => Value::Object(self.object(object, schema)),
            Value::Array(list) => Value::Array(self.list(list, schema, name)),
            other => other,
        };
        self.depth -= 1;
        value
    }

    fn object(&mut self, object: Map<String, Value>, schema: &Value) -> Map<String, Value> {
        let object = alias::rename(object, schema, self.root, self.repairs);
        let properties = schema.get("properties");
        let entry = |(name, value): (String, Value)| {
            let value = match properties.and_then(|properties| properties.get(&name)) {
                Some(schema) => self.value(value, schema, &name),
                None => value,
            };
            (name, value)
        };
        object.into_iter().map(entry).collect()
    }

    fn list(&mut self, list: Vec<Value>, schema: &Value, name: &str) -> Vec<Value> {
        match schema.get("items") {
            Some(items) => list.into_iter().map(|item| self.value(item, items, name)).collect(),
            None => list,
        }
    }
}

/// Resolves references, and a choice between one schema and null to that schema.
fn settle<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..MAX_DEPTH {
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
        let next = reference.and_then(|name| root.pointer(name)).or_else(|| only_choice(schema));
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

fn only_choice(schema: &Value) -> Option<&Value> {
    let choices = ["anyOf", "oneOf", "allOf"].iter().find_map(|name| schema.get(name)?.as_array())?;
    let mut real = choices.iter().filter(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
    match (real.next(), real.next()) {
        (only, None) => only,
        _ => None,
    }
}

/// The types that a schema names.
fn kinds(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(kind) => Some(vec![kind]),
        Value::Array(kinds) => Some(kinds.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        // As the tools deserialize it: 2.0 is not an integer.
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

enum Coercion {
    Taken(&'static str),
    Listed,
}

/// Converts a value that has none of these types to one of them.
fn convert_value(value: &Value, kinds: &[&str], schema: &Value, root: &Value) -> Option<(Value, Coercion)> {
    // Only listed types count: null is not added.
    let wants = |kind: &str| kinds.contains(&kind);
    match value {
        Value::String(_) if wants("string") => None,
        Value::String(text) => inside(text, kinds),
        Value::Number(number) if wants("integer") => {
            Some((Value::Number(whole(number)?), Coercion::Taken("a whole number")))
        }
        Value::Object(_) if wants("array") => {
            let items = settle(schema.get("items")?, root);
            let fits = items.get("type").and_then(Value::as_str) == Some("object");
            fits.then(|| (Value::Array(vec![value.clone()]), Coercion::Listed))
        }
        _ => None,
    }
}

/// The value inside a string, if it has one of these types.
fn inside(text: &str, kinds: &[&str]) -> Option<(Value, Coercion)> {
    let text = text.trim();
    let inner = serde_json::from_str(text).ok().or_else(|| match text {
        "True" | "TRUE" => Some(Value::Bool(true)),
        "False" | "FALSE" => Some(Value::Bool(false)),
        _ => None,
    })?;
    let wants = |kind: &str| kinds.contains(&kind);
    match inner {
        Value::Number(number) if wants("integer") && !wants("number") => {
            Some((Value::Number(whole(&number)?), Coercion::Taken("a number")))
        }
        Value::Number(_) if wants("number") => Some((inner, Coercion::Taken("a number"))),
        Value::Bool(_) if wants("boolean") => Some((inner, Coercion::Taken("true or false"))),
        Value::Array(_) if wants("array") => Some((inner, Coercion::Taken("a list"))),
        Value::Object(_) if wants("object") => Some((inner, Coercion::Taken("an object"))),
        _ => None,
    }
}

/// The number as an integer, if it has no fraction.
fn whole(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    // Up to this value a float represents every integer exactly.
    let exact =
        number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0)?;
    format!("{exact:.0}").parse::<i64>().ok().map(Number::from)
}
