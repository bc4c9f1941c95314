//! Parses text into a tree. The language is JSON with comments and trailing commas (a BOM is skipped);
//! nothing looser, so that other programs read these files in the same way.

use std::{
    collections::{HashMap, hash_map},
    str::FromStr,
    sync::Arc,
};

use jsonc_parser::{
    CollectOptions, ParseOptions, ParseStringErrorKind,
    ast::Value,
    common::Ranged,
    errors::{ParseError, ParseErrorKind},
    parse_to_ast,
};
use serde_json::Number;

use crate::{
    error::{ConfigError, FileWarnings},
    source::{ConfigOrigin, ConfigSource, OriginCursor},
    tree::{ConfigNode, ConfigNodeKind, ObjectEntry},
};

/// No sensible configuration is deeper. Later walks over a tree recurse and rely on this limit.
const MAX_DEPTH: usize = 64;

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// An empty text is an empty object: a file with everything commented out is valid.
pub(crate) fn parse(
    text: &str,
    file: &Arc<ConfigSource>,
    warnings: &mut FileWarnings,
) -> Result<ConfigNode, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cursor = OriginCursor::new(text, file.clone());
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| ConfigError::at_origin(&cursor.origin_at(error.range().start), describe(&error)))?;
    let Some(value) = parsed.value else {
        return Ok(ConfigNode::new(cursor.origin_at(0), ConfigNodeKind::Object(Vec::new())));
    };
    let root = TreeBuilder { cursor, warnings }.node(value, 0)?;
    match root.kind {
        ConfigNodeKind::Object(_) => Ok(root),
        _ => Err(ConfigError::at_origin(&root.origin, "expected an object: a configuration begins with `{`")),
    }
}

struct TreeBuilder<'a> {
    cursor: OriginCursor<'a>,
    warnings: &'a mut FileWarnings,
}

impl TreeBuilder<'_> {
    fn node(&mut self, value: Value<'_>, depth: usize) -> Result<ConfigNode, ConfigError> {
        let origin = self.cursor.origin_at(value.start());
        if depth > MAX_DEPTH {
            return Err(ConfigError::at_origin(&origin, too_deep()));
        }
        let kind = match value {
            Value::NullKeyword(_) => ConfigNodeKind::Null,
            Value::BooleanLit(literal) => ConfigNodeKind::Bool(literal.value),
            Value::StringLit(literal) => ConfigNodeKind::String(literal.value.into_owned()),
            Value::NumberLit(literal) => ConfigNodeKind::Number(number(literal.value, &origin)?),
            Value::Array(array) => {
                let items = array.elements.into_iter().map(|item| self.node(item, depth + 1));
                ConfigNodeKind::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(object) => {
                let mut entries = Vec::new();
                for property in object.properties {
                    let at = self.cursor.origin_at(property.start());
                    let key = property.name.into_string();
                    entries.push(ObjectEntry {
                        key,
                        key_origin: at,
                        node: self.node(property.value, depth + 1)?,
                    });
                }
                ConfigNodeKind::Object(self.unique(entries))
            }
        };
        Ok(ConfigNode::new(origin, kind))
    }

    /// Of several equal keys the last wins, as in every JSON parser, but with a warning.
    fn unique(&mut self, entries: Vec<ObjectEntry>) -> Vec<ObjectEntry> {
        let mut places = HashMap::new();
        let mut kept: Vec<ObjectEntry> = Vec::with_capacity(entries.len());
        for entry in entries {
            match places.entry(entry.key.clone()) {
                hash_map::Entry::Vacant(place) => {
                    place.insert(kept.len());
                    kept.push(entry);
                }
                hash_map::Entry::Occupied(place) => {
                    let Some(earlier) = kept.get_mut(*place.get()) else { continue };
                    let line = earlier.key_origin.line;
                    self.warnings.add(&entry.key_origin, || {
                        format!("`{}` is already set on line {line}; this one is used", entry.key)
                    });
                    *earlier = entry;
                }
            }
        }
        kept
    }
}

fn number(text: &str, origin: &ConfigOrigin) -> Result<Number, ConfigError> {
    Number::from_str(text).map_err(|_| ConfigError::at_origin(origin, "the number is out of range"))
}

fn too_deep() -> String {
    format!("is nested too deeply; expected at most {MAX_DEPTH} levels")
}

fn describe(error: &ParseError) -> String {
    use ParseErrorKind as E;
    match error.kind() {
        E::ExpectedColonAfterObjectKey => "expected `:` after the key".into(),
        E::ExpectedObjectValue => "expected a value after `:`".into(),
        E::ExpectedComma => "expected `,` or the closing bracket".into(),
        E::ExpectedStringObjectProperty => "expected a key in double quotes".into(),
        E::SingleQuotedStringsNotAllowed => "expected double quotes, found single ones".into(),
        E::MultipleRootJsonValues => {
            "expected the end of the file, found more after the configuration".into()
        }
        E::UnexpectedTokenInObject => "expected a key in double quotes, or `}`".into(),
        E::UnexpectedCloseBrace | E::UnexpectedCloseBracket | E::UnexpectedColon | E::UnexpectedComma => {
            "expected a value".into()
        }
        E::UnexpectedWord | E::UnexpectedToken => {
            "expected a value: a string in double quotes, a number, `true`, `false`, `null`, `{` or `[`"
                .into()
        }
        E::UnterminatedArray => "this `[` is never closed; expected `]`".into(),
        E::UnterminatedObject => "this `{` is never closed; expected `}`".into(),
        E::UnterminatedCommentBlock => "this comment is never closed; expected `*/`".into(),
        E::NestingDepthExceeded => too_deep(),
        E::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            "this string is never closed; expected `\"`".into()
        }
        E::String(kind) => {
            format!("{}; a backslash itself is written `\\\\`", lower_first(&kind.to_string()))
        }
        other => lower_first(&other.to_string()),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
