//! Tree → types. A serde deserializer over [`Node`], because only the tree knows the position of what is wrong,
//! and because serde's own messages speak of Rust types. Keys whose value is `null` are not there.

use std::fmt::{self, Display};

use serde::{
    Deserialize,
    de::{
        self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
        Visitor,
        value::{MapAccessDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};

use crate::{
    error::Error,
    mask::looks_secret,
    show::SECRET_MAPS,
    source::Origin,
    tree::{Entry, Kind, Node, Step, path_text},
};

/// Longest part of a found text that a message repeats.
const FOUND: usize = 40;

pub(crate) fn decode<'de, T: Deserialize<'de>>(node: &'de Node) -> Result<T, Error> {
    T::deserialize(node).map_err(|problem| problem.into_error(&node.origin))
}

/// What is wrong; on its way out it learns where.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    message: String,
    place: Option<(Origin, String)>,
    /// Innermost first.
    path: Vec<Segment>,
}

#[derive(Debug)]
enum Segment {
    Key(String),
    Index(usize),
}

impl Problem {
    fn expected(what: impl Display) -> Self {
        Self { message: format!("expected {what}"), ..Self::default() }
    }

    fn at(mut self, node: &Node) -> Self {
        self.place.get_or_insert_with(|| (node.origin.clone(), found(node)));
        self
    }

    fn below(mut self, segment: Segment) -> Self {
        self.path.push(segment);
        self
    }

    fn into_error(self, fallback: &Origin) -> Error {
        let secret = self.path.iter().any(|segment| match segment {
            Segment::Key(key) => looks_secret(key) || SECRET_MAPS.contains(&key.as_str()),
            Segment::Index(_) => false,
        });
        let path = path_text(self.path.iter().rev().map(|segment| match segment {
            Segment::Key(key) => Step::Key(key),
            Segment::Index(index) => Step::Index(*index),
        }));
        let path = if path.is_empty() { path } else { format!("`{path}`: ") };
        match self.place {
            Some((origin, found)) if secret && found.starts_with('"') => {
                Error::at(&origin, format!("{path}{}, found a text", self.message))
            }
            Some((origin, found)) => Error::at(&origin, format!("{path}{}, found {found}", self.message)),
            None => Error::at(fallback, format!("{path}{}", self.message)),
        }
    }
}

fn found(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".into(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(number) => number.to_string(),
        Kind::String(_) if node.substituted => "another text (from `{env:…}` or `{file:…}`)".into(),
        Kind::String(text) if text.chars().count() > FOUND => "a longer text".into(),
        Kind::String(text) => format!("{text:?}"),
        Kind::Array(_) => "an array".into(),
        Kind::Object(_) => "an object".into(),
    }
}

/// serde's words for what a type expects, in those of a person who writes JSON.
fn in_json_words(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "a nonzero u64" => "a whole number above 0",
        "i32" | "i64" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text in double quotes",
        "a sequence" => "an array",
        "a map" => "an object",
        struct_name if struct_name.starts_with("struct ") => "an object",
        other => other,
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), ..Self::default() }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(in_json_words(&expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(in_json_words(&expected.to_string()))
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::expected(one_of(known))
    }
}

pub(crate) fn one_of(known: &[&str]) -> String {
    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    match known.as_slice() {
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
        [] => "nothing".into(),
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let result = match &self.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (_, Some(value), _) => visitor.visit_i64(value),
                (_, _, value) => visitor.visit_f64(value.unwrap_or(f64::NAN)),
            },
            Kind::String(text) => visitor.visit_borrowed_str(text),
            Kind::Array(items) => visitor.visit_seq(Items { items: items.iter().enumerate() }),
            Kind::Object(entries) => visitor.visit_map(Entries { entries: entries.iter(), current: None }),
        };
        result.map_err(|problem| problem.at(self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.kind {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let result = match &self.kind {
            Kind::String(text) => {
                let text: StrDeserializer<'_, Problem> = text.as_str().into_deserializer();
                visitor.visit_enum(text)
            }
            _ => Err(Problem::expected(one_of(variants))),
        };
        result.map_err(|problem| problem.at(self))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Node>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        let Some((index, node)) = self.items.next() else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|problem| problem.at(node).below(Segment::Index(index)))
    }
}

struct Entries<'de> {
    entries: std::slice::Iter<'de, Entry>,
    current: Option<&'de Entry>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        self.current = self.entries.find(|entry| entry.node.kind != Kind::Null);
        self.current.map(|entry| seed.deserialize(entry.key.as_str().into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let Some(entry) = self.current.take() else { return Err(de::Error::custom("a value without a key")) };
        let result = seed.deserialize(&entry.node);
        result.map_err(|problem| problem.at(&entry.node).below(Segment::Key(entry.key.clone())))
    }
}

/// The rest of an object, for a visitor that has already seen that it is one.
pub(crate) fn object<'de, T: Deserialize<'de>, A: MapAccess<'de>>(map: A) -> Result<T, A::Error> {
    T::deserialize(MapAccessDeserializer::new(map))
}
