//! Text → tree. The language is JSON with comments and trailing commas (a BOM is skipped); nothing looser, so
//! that every other program that reads these files agrees with us about them.

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
    error::{Error, Warnings},
    source::{Cursor, Origin, Source},
    tree::{Entry, Kind, Node},
};

/// No sensible configuration is deeper. Every later walk over a tree recurses, and may rely on this.
const DEPTH: usize = 64;

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

/// An empty text is an empty object: a file in which everything is commented out is not broken.
pub(crate) fn parse(text: &str, file: &Arc<Source>, warnings: &mut Warnings) -> Result<Node, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cursor = Cursor::new(text, file.clone());
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| Error::at(&cursor.at(error.range().start), describe(&error)))?;
    let Some(value) = parsed.value else {
        return Ok(Node::new(cursor.at(0), Kind::Object(Vec::new())));
    };
    let root = Build { cursor, warnings }.node(value, 0)?;
    match root.kind {
        Kind::Object(_) => Ok(root),
        _ => Err(Error::at(&root.origin, "expected an object: a configuration begins with `{`")),
    }
}

struct Build<'a> {
    cursor: Cursor<'a>,
    warnings: &'a mut Warnings,
}

impl Build<'_> {
    fn node(&mut self, value: Value<'_>, depth: usize) -> Result<Node, Error> {
        let origin = self.cursor.at(value.start());
        if depth > DEPTH {
            return Err(Error::at(&origin, too_deep()));
        }
        let kind = match value {
            Value::NullKeyword(_) => Kind::Null,
            Value::BooleanLit(literal) => Kind::Bool(literal.value),
            Value::StringLit(literal) => Kind::String(literal.value.into_owned()),
            Value::NumberLit(literal) => Kind::Number(number(literal.value, &origin)?),
            Value::Array(array) => {
                let items = array.elements.into_iter().map(|item| self.node(item, depth + 1));
                Kind::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(object) => {
                let mut entries = Vec::new();
                for property in object.properties {
                    let at = self.cursor.at(property.start());
                    let key = property.name.into_string();
                    entries.push(Entry { key, at, node: self.node(property.value, depth + 1)? });
                }
                Kind::Object(self.unique(entries))
            }
        };
        Ok(Node::new(origin, kind))
    }

    /// The last of several equal keys wins, as in every JSON parser, but not without a word.
    fn unique(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let mut places = HashMap::new();
        let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
        for entry in entries {
            match places.entry(entry.key.clone()) {
                hash_map::Entry::Vacant(place) => {
                    place.insert(kept.len());
                    kept.push(entry);
                }
                hash_map::Entry::Occupied(place) => {
                    let Some(earlier) = kept.get_mut(*place.get()) else { continue };
                    let line = earlier.at.line;
                    self.warnings.add(&entry.at, || {
                        format!("`{}` is already set on line {line}; this one is used", entry.key)
                    });
                    *earlier = entry;
                }
            }
        }
        kept
    }
}

fn number(text: &str, origin: &Origin) -> Result<Number, Error> {
    Number::from_str(text).map_err(|_| Error::at(origin, "expected a number that a computer can hold"))
}

fn too_deep() -> String {
    format!("is nested too deeply; expected at most {DEPTH} levels")
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
            "expected a value: a text in double quotes, a number, `true`, `false`, `null`, `{` or `[`".into()
        }
        E::UnterminatedArray => "this `[` is never closed; expected `]`".into(),
        E::UnterminatedObject => "this `{` is never closed; expected `}`".into(),
        E::UnterminatedCommentBlock => "this comment is never closed; expected `*/`".into(),
        E::NestingDepthExceeded => too_deep(),
        E::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            "this text is never closed; expected `\"`".into()
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
