//! From what a server writes to diagnostics, leniently: what is odd is made sense of, what is missing has a default, and what is
//! too much is left out and counted.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::diagnostic::Diagnostic;

mod item;
mod plain;
#[cfg(test)]
mod tests;

/// Diagnostics that are kept of one file; errors first where there are more.
pub(super) const MOST: usize = 10_000;
/// So many of one answer are looked at, at most, whatever files they are in.
pub(super) const MOST_READ: usize = 2 * MOST;
/// Files of one answer; more are not looked at.
const MOST_FILES: usize = 5000;
/// Bytes of one diagnostic as it is written.
const LONGEST: usize = 256 * 1024;

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
#[derive(Debug, Default, PartialEq, Eq)]
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
    let mut room = MOST_READ;
    let set = raw.diagnostics.map_or_else(|| Some(Set::default()), |items| set(items, &mut room))?;
    Some(Publish { uri: raw.uri, version: raw.version.as_i64(), set })
}

/// None where it is no full report. Anything but `unchanged` counts as one if it has items: gopls writes `kind: ""`.
pub(super) fn pulled(result: &RawValue) -> Option<Pulled> {
    if let Some(set) = plain::pulled(result) {
        return Some(Pulled { set, related: Vec::new() });
    }
    let raw: RawReport<'_> = serde_json::from_str(result.get()).ok()?;
    let mut room = MOST_READ;
    let set = full(&raw.kind, raw.items, &mut room)?;
    let related =
        raw.related_documents.map(|related| documents(related.get(), &mut room)).unwrap_or_default();
    Some(Pulled { set, related })
}

/// `relatedDocuments`: reports by URI. Of those for which there is no `room` nothing is known.
fn documents(text: &str, room: &mut usize) -> Vec<(String, Set)> {
    let Ok(documents) = serde_json::from_str::<Ordered<'_>>(text) else { return Vec::new() };
    let mut reports = Vec::new();
    for (uri, raw) in documents.0 {
        let Ok(report) = serde_json::from_str::<RawReport<'_>>(raw.get()) else { continue };
        reports.extend(full(&report.kind, report.items, room).map(|set| (uri, set)));
        if *room == 0 {
            break;
        }
    }
    reports
}

/// The answer to `workspace/diagnostic`. None where it is none.
pub(super) fn workspace(result: &RawValue) -> Option<Vec<(String, Set)>> {
    #[derive(Deserialize)]
    struct Raw<'a> {
        #[serde(borrow)]
        items: Several<'a>,
    }
    let raw: Raw<'_> = serde_json::from_str(result.get()).ok()?;
    let (mut room, mut reports) = (MOST_READ, Vec::new());
    for raw in raw.items.0 {
        let Ok(item) = serde_json::from_str::<RawWorkspaceItem<'_>>(raw.get()) else { continue };
        reports.extend(full(&item.kind, item.items, &mut room).map(|set| (item.uri, set)));
        if room == 0 {
            break;
        }
    }
    Some(reports)
}

fn full(kind: &Value, items: Option<&RawValue>, room: &mut usize) -> Option<Set> {
    match items {
        _ if kind == "unchanged" => None,
        Some(items) => set(items, room),
        // A Go server writes `null` for none.
        None => (kind == "full").then(Set::default),
    }
}

/// The first of a list, however long it is.
struct Several<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Several<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Several<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of reports")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(raw) = list.next_element()? {
                    if all.len() < MOST_FILES {
                        all.push(raw);
                    }
                }
                Ok(Several(all))
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// The first pairs, in the order in which they stand.
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
                    if pairs.len() < MOST_FILES {
                        pairs.push(pair);
                    }
                }
                Ok(Ordered(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// None where it is no list.
fn set(items: &RawValue, room: &mut usize) -> Option<Set> {
    if let Some(plain) = plain::list(items).filter(|plain| plain.len() <= *room) {
        *room -= plain.len();
        return Some(bounded(plain, 0));
    }
    let mut json = serde_json::Deserializer::from_str(items.get());
    Items { room }.deserialize(&mut json).ok()
}

/// Reads the elements one by one, so that a list without end is never held.
struct Items<'a> {
    /// How many more are read of the whole answer.
    room: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = Set;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Set, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = Set;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of diagnostics")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Set, A::Error> {
        let (mut all, mut omitted) = (Vec::new(), 0);
        while let Some(raw) = list.next_element::<&RawValue>()? {
            let read = (*self.room > 0 && raw.get().len() <= LONGEST).then(|| item::read(raw.get()));
            match read.flatten() {
                Some(diagnostic) => {
                    *self.room -= 1;
                    all.push(diagnostic);
                }
                None => omitted += 1,
            }
        }
        Ok(bounded(all, omitted))
    }
}

/// Those of a server that has another form for them, which were given ours.
pub(super) fn translated(items: impl Iterator<Item = Value>, room: &mut usize) -> Set {
    let (mut all, mut omitted) = (Vec::new(), 0);
    for item in items {
        match item::of(&item).filter(|_| *room > 0) {
            Some(diagnostic) => {
                *room -= 1;
                all.push(diagnostic);
            }
            None => omitted += 1,
        }
    }
    bounded(all, omitted)
}

fn bounded(mut all: Vec<Diagnostic>, mut omitted: usize) -> Set {
    if all.len() > MOST {
        omitted += all.len() - MOST;
        // Stable: within a severity they stay in the order of the server.
        all.sort_by_key(|diagnostic| diagnostic.severity);
        all.truncate(MOST);
    }
    all.shrink_to_fit();
    Set { diagnostics: all, omitted }
}
