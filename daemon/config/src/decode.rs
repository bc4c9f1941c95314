//! Decodes a tree into types. A custom serde deserializer over [`ConfigNode`], because only the tree knows
//! the position of an error, and because serde's own messages speak of Rust types. A key with the value
//! `null` counts as absent.

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
    entries::SECRET_MAPS,
    error::ConfigError,
    mask::looks_secret,
    source::ConfigOrigin,
    tree::{ConfigNode, ConfigNodeKind, ConfigPathStep, ObjectEntry, format_path},
};

/// The longest string that a message repeats.
const MAX_QUOTED_CHARS: usize = 40;

pub(crate) fn decode<'de, T: Deserialize<'de>>(node: &'de ConfigNode) -> Result<T, ConfigError> {
    T::deserialize(node).map_err(|problem| problem.into_error(&node.origin))
}

/// An error that learns its position on the way out.
#[derive(Debug, Default)]
pub(crate) struct ConfigDecodeError {
    message: String,
    place: Option<(ConfigOrigin, String)>,
    /// Innermost first.
    path: Vec<DecodePathSegment>,
}

#[derive(Debug)]
enum DecodePathSegment {
    Key(String),
    Index(usize),
}

impl ConfigDecodeError {
    fn expected(what: impl Display) -> Self {
        Self { message: format!("expected {what}"), ..Self::default() }
    }

    fn with_found(mut self, node: &ConfigNode) -> Self {
        self.place.get_or_insert_with(|| (node.origin.clone(), found(node)));
        self
    }

    fn with_segment(mut self, segment: DecodePathSegment) -> Self {
        self.path.push(segment);
        self
    }

    fn into_error(self, fallback: &ConfigOrigin) -> ConfigError {
        let secret = self.path.iter().any(|segment| match segment {
            DecodePathSegment::Key(key) => looks_secret(key) || SECRET_MAPS.contains(&key.as_str()),
            DecodePathSegment::Index(_) => false,
        });
        let path = format_path(self.path.iter().rev().map(|segment| match segment {
            DecodePathSegment::Key(key) => ConfigPathStep::Key(key),
            DecodePathSegment::Index(index) => ConfigPathStep::Index(*index),
        }));
        let path = if path.is_empty() { path } else { format!("`{path}`: ") };
        match self.place {
            Some((origin, found)) if secret && found.starts_with('"') => {
                ConfigError::at_origin(&origin, format!("{path}{}, found a string", self.message))
            }
            Some((origin, found)) => {
                ConfigError::at_origin(&origin, format!("{path}{}, found {found}", self.message))
            }
            None => ConfigError::at_origin(fallback, format!("{path}{}", self.message)),
        }
    }
}

fn found(node: &ConfigNode) -> String {
    match &node.kind {
        ConfigNodeKind::Null => "null".into(),
        ConfigNodeKind::Bool(value) => value.to_string(),
        ConfigNodeKind::Number(number) => number.to_string(),
        ConfigNodeKind::String(_) if node.is_substituted => {
            "another string (from `{env:…}` or `{file:…}`)".into()
        }
        ConfigNodeKind::String(text) if text.chars().count() > MAX_QUOTED_CHARS => "a longer string".into(),
        ConfigNodeKind::String(text) => format!("{text:?}"),
        ConfigNodeKind::Array(_) => "an array".into(),
        ConfigNodeKind::Object(_) => "an object".into(),
    }
}

/// Translates serde's description of a type into the terms of JSON.
fn in_json_words(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "a nonzero u64" => "a whole number above 0",
        "i32" | "i64" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a string in double quotes",
        "a sequence" => "an array",
        "a map" => "an object",
        struct_name if struct_name.starts_with("struct ") => "an object",
        other => other,
    }
}

impl Display for ConfigDecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigDecodeError {}

impl de::Error for ConfigDecodeError {
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

impl<'de> Deserializer<'de> for &'de ConfigNode {
    type Error = ConfigDecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigDecodeError> {
        let result = match &self.kind {
            ConfigNodeKind::Null => visitor.visit_unit(),
            ConfigNodeKind::Bool(value) => visitor.visit_bool(*value),
            ConfigNodeKind::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (_, Some(value), _) => visitor.visit_i64(value),
                (_, _, value) => visitor.visit_f64(value.unwrap_or(f64::NAN)),
            },
            ConfigNodeKind::String(text) => visitor.visit_borrowed_str(text),
            ConfigNodeKind::Array(items) => {
                visitor.visit_seq(ArrayAccess { items: items.iter().enumerate() })
            }
            ConfigNodeKind::Object(entries) => {
                visitor.visit_map(ObjectAccess { entries: entries.iter(), current: None })
            }
        };
        result.map_err(|problem| problem.with_found(self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigDecodeError> {
        match self.kind {
            ConfigNodeKind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConfigDecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigDecodeError> {
        let result = match &self.kind {
            ConfigNodeKind::String(text) => {
                let text: StrDeserializer<'_, ConfigDecodeError> = text.as_str().into_deserializer();
                visitor.visit_enum(text)
            }
            _ => Err(ConfigDecodeError::expected(one_of(variants))),
        };
        result.map_err(|problem| problem.with_found(self))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct ArrayAccess<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, ConfigNode>>,
}

impl<'de> SeqAccess<'de> for ArrayAccess<'de> {
    type Error = ConfigDecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ConfigDecodeError> {
        let Some((index, node)) = self.items.next() else { return Ok(None) };
        seed.deserialize(node)
            .map(Some)
            .map_err(|problem| problem.with_found(node).with_segment(DecodePathSegment::Index(index)))
    }
}

struct ObjectAccess<'de> {
    entries: std::slice::Iter<'de, ObjectEntry>,
    current: Option<&'de ObjectEntry>,
}

impl<'de> MapAccess<'de> for ObjectAccess<'de> {
    type Error = ConfigDecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ConfigDecodeError> {
        self.current = self.entries.find(|entry| entry.node.kind != ConfigNodeKind::Null);
        self.current.map(|entry| seed.deserialize(entry.key.as_str().into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ConfigDecodeError> {
        let Some(entry) = self.current.take() else { return Err(de::Error::custom("a value without a key")) };
        let result = seed.deserialize(&entry.node);
        result.map_err(|problem| {
            problem.with_found(&entry.node).with_segment(DecodePathSegment::Key(entry.key.clone()))
        })
    }
}

/// Decodes an object for a visitor that has already recognised it as one.
pub(crate) fn decode_object<'de, T: Deserialize<'de>, A: MapAccess<'de>>(map: A) -> Result<T, A::Error> {
    T::deserialize(MapAccessDeserializer::new(map))
}
