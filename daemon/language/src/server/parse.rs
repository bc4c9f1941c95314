//! From what a server writes to diagnostics, leniently: what is odd is made sense of, what is missing has a default, and what is
//! too much is left out and counted.

use std::fmt;

use copydesk_text::Position;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::uri;
use crate::diagnostic::{Diagnostic, Related, Severity, Span};

#[cfg(test)]
mod tests;

/// Diagnostics that are kept of one file; errors first where there are more.
pub(super) const MOST: usize = 10_000;
/// So many of one file are looked at, at most.
const MOST_READ: usize = 2 * MOST;
/// Bytes of one diagnostic as it is written.
const LONGEST: usize = 256 * 1024;
/// Characters of a message.
const LONGEST_MESSAGE: usize = 4000;
/// Characters of a code or of a source.
const LONGEST_NAME: usize = 200;
const MOST_RELATED: usize = 20;

/// All that is kept of what a server says of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// How many were left out.
    pub(super) omitted: usize,
}

/// `textDocument/publishDiagnostics`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Publish {
    pub(super) uri: String,
    pub(super) version: Option<i64>,
    pub(super) set: Set,
}

/// The answer to a pull.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pulled {
    pub(super) set: Set,
    /// Of other files, by URI.
    pub(super) related: Vec<(String, Set)>,
}

#[derive(Deserialize)]
struct RawPublish<'a> {
    uri: String,
    #[serde(default)]
    version: Value,
    // A Go server writes `null` for none.
    #[serde(borrow)]
    diagnostics: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawReport<'a> {
    #[serde(default)]
    kind: Value,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
    #[serde(borrow)]
    related_documents: Option<&'a RawValue>,
}

/// One answer of `workspace/diagnostic`.
#[derive(Deserialize)]
struct RawWorkspaceItem<'a> {
    uri: String,
    #[serde(default)]
    kind: Value,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
}

pub(super) fn publish(params: &RawValue) -> Option<Publish> {
    let raw: RawPublish<'_> = serde_json::from_str(params.get()).ok()?;
    let set = raw.diagnostics.map_or_else(|| Some(Set::default()), set)?;
    Some(Publish { uri: raw.uri, version: raw.version.as_i64(), set })
}

/// None where it is no full report. Anything but `unchanged` counts as one if it has items: gopls writes `kind: ""`.
pub(super) fn pulled(result: &RawValue) -> Option<Pulled> {
    let raw: RawReport<'_> = serde_json::from_str(result.get()).ok()?;
    let set = full(&raw.kind, raw.items)?;
    let related = raw.related_documents.map(|related| documents(related.get())).unwrap_or_default();
    Some(Pulled { set, related })
}

/// `relatedDocuments`: reports by URI.
fn documents(text: &str) -> Vec<(String, Set)> {
    let Ok(documents) = serde_json::from_str::<Ordered<'_>>(text) else { return Vec::new() };
    let report = |(uri, raw): (String, &RawValue)| {
        let report: RawReport<'_> = serde_json::from_str(raw.get()).ok()?;
        Some((uri, full(&report.kind, report.items)?))
    };
    documents.0.into_iter().filter_map(report).collect()
}

/// The answer to `workspace/diagnostic`. None where it is none.
pub(super) fn workspace(result: &RawValue) -> Option<Vec<(String, Set)>> {
    #[derive(Deserialize)]
    struct Raw<'a> {
        #[serde(borrow)]
        items: Vec<&'a RawValue>,
    }
    let raw: Raw<'_> = serde_json::from_str(result.get()).ok()?;
    let report = |raw: &RawValue| {
        let item: RawWorkspaceItem<'_> = serde_json::from_str(raw.get()).ok()?;
        Some((item.uri, full(&item.kind, item.items)?))
    };
    Some(raw.items.into_iter().filter_map(report).collect())
}

fn full(kind: &Value, items: Option<&RawValue>) -> Option<Set> {
    match items {
        _ if kind == "unchanged" => None,
        Some(items) => set(items),
        // A Go server writes `null` for none.
        None => (kind == "full").then(Set::default),
    }
}

/// Pairs in the order in which they stand.
struct Ordered<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Ordered<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Ordered<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("reports by URI")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Ordered(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// None where it is no list.
fn set(items: &RawValue) -> Option<Set> {
    let mut json = serde_json::Deserializer::from_str(items.get());
    Items.deserialize(&mut json).ok()
}

/// Reads the elements one by one, so that a list without end is never held.
struct Items;

impl<'de> DeserializeSeed<'de> for Items {
    type Value = Set;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Set, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items {
    type Value = Set;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of diagnostics")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Set, A::Error> {
        let (mut all, mut omitted) = (Vec::new(), 0);
        while let Some(raw) = list.next_element::<&RawValue>()? {
            let read = (all.len() < MOST_READ && raw.get().len() <= LONGEST).then(|| diagnostic(raw));
            match read.flatten() {
                Some(diagnostic) => all.push(diagnostic),
                None => omitted += 1,
            }
        }
        if all.len() > MOST {
            omitted += all.len() - MOST;
            // Stable: within a severity they stay in the order of the server.
            all.sort_by_key(|diagnostic| diagnostic.severity);
            all.truncate(MOST);
        }
        Ok(Set { diagnostics: all, omitted })
    }
}

/// None for what is not even an object.
fn diagnostic(raw: &RawValue) -> Option<Diagnostic> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    let value = value.as_object()?;
    let text = |name| value.get(name).and_then(Value::as_str);
    let code = match value.get("code") {
        Some(Value::Object(code)) => code.get("value"),
        code => code,
    };
    let message = text("message").or_else(|| value.get("message")?.get("value")?.as_str());
    let related = value.get("relatedInformation").and_then(Value::as_array);
    let related = related.into_iter().flatten().filter_map(related_place).take(MOST_RELATED).collect();
    Some(Diagnostic {
        span: span(value.get("range")),
        severity: severity(value.get("severity")),
        code: code.and_then(name),
        source: text("source").filter(|source| !source.is_empty()).map(|source| cut(source, LONGEST_NAME)),
        message: cut(message.unwrap_or("(it does not say what is wrong)"), LONGEST_MESSAGE),
        related,
    })
}

fn related_place(value: &Value) -> Option<Related> {
    let location = value.get("location")?;
    let message = value.get("message").and_then(Value::as_str).unwrap_or_default();
    Some(Related {
        path: uri::path(location.get("uri")?.as_str()?)?,
        span: span(location.get("range")),
        message: cut(message, LONGEST_MESSAGE),
    })
}

/// A number is as good as its digits.
fn name(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then(|| cut(&text, LONGEST_NAME))
}

/// One that does not say how bad it is counts as bad.
fn severity(value: Option<&Value>) -> Severity {
    match value.and_then(Value::as_u64) {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    }
}

fn span(range: Option<&Value>) -> Span {
    let place = |name| {
        let place = range.and_then(|range| range.get(name));
        let number = |name| coordinate(place.and_then(|place| place.get(name)));
        Position::new(number("line"), number("character"))
    };
    let (start, end) = (place("start"), place("end"));
    Span { start, end: end.max(start) }
}

/// Negative is none; beyond all bounds is the largest.
fn coordinate(value: Option<&Value>) -> u32 {
    let Some(value) = value else { return 0 };
    match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => u32::try_from(number).unwrap_or(u32::MAX),
        // Saturates.
        (None, Some(number)) => number as u32,
        (None, None) => 0,
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
