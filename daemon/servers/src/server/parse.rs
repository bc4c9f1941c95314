//! From what a server writes to diagnostics, leniently: what is odd is made sense of, what is missing has a default, and what is
//! too much is left out and counted.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::diagnostic::Diagnostic;

mod diagnostic;
mod strict;
#[cfg(test)]
mod tests;

/// Diagnostics that are kept of one file; errors first where there are more.
pub(super) const MAX_DIAGNOSTICS: usize = 10_000;
/// So many of one answer are looked at, at most, whatever files they are in.
pub(super) const MAX_READ: usize = 2 * MAX_DIAGNOSTICS;
/// Files of one answer; more are not looked at.
const MOST_FILES: usize = 5000;
/// Bytes of one diagnostic as it is written.
const LONGEST: usize = 256 * 1024;

/// All that is kept of what a server says of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DiagnosticSet {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// How many were left out.
    pub(super) omitted: usize,
}

/// `textDocument/publishDiagnostics`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PublishNotification {
    pub(super) uri: String,
    pub(super) version: Option<i64>,
    pub(super) set: DiagnosticSet,
}

/// The answer to a pull.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PullResponse {
    pub(super) set: DiagnosticSet,
    /// Of other files, by URI.
    pub(super) related: Vec<(String, DiagnosticSet)>,
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

pub(super) fn parse_publish(params: &RawValue) -> Option<PublishNotification> {
    let raw: RawPublish<'_> = serde_json::from_str(params.get()).ok()?;
    let mut room = MAX_READ;
    let set =
        raw.diagnostics.map_or_else(|| Some(DiagnosticSet::default()), |items| set(items, &mut room))?;
    Some(PublishNotification { uri: raw.uri, version: raw.version.as_i64(), set })
}

/// None where it is no full report. Anything but `unchanged` counts as one if it has items: gopls writes `kind: ""`.
pub(super) fn parse_pull(result: &RawValue) -> Option<PullResponse> {
    if let Some(set) = strict::parse_pull(result) {
        return Some(PullResponse { set, related: Vec::new() });
    }
    let raw: RawReport<'_> = serde_json::from_str(result.get()).ok()?;
    let mut room = MAX_READ;
    let set = full(&raw.kind, raw.items, &mut room)?;
    let related =
        raw.related_documents.map(|related| documents(related.get(), &mut room)).unwrap_or_default();
    Some(PullResponse { set, related })
}

/// `relatedDocuments`: reports by URI. Of those for which there is no `room` nothing is known.
fn documents(text: &str, room: &mut usize) -> Vec<(String, DiagnosticSet)> {
    let Ok(documents) = serde_json::from_str::<BoundedMap<'_>>(text) else { return Vec::new() };
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
pub(super) fn parse_workspace(result: &RawValue) -> Option<Vec<(String, DiagnosticSet)>> {
    #[derive(Deserialize)]
    struct RawWorkspaceReport<'a> {
        #[serde(borrow)]
        items: BoundedList<'a>,
    }
    let raw: RawWorkspaceReport<'_> = serde_json::from_str(result.get()).ok()?;
    let (mut room, mut reports) = (MAX_READ, Vec::new());
    for raw in raw.items.0 {
        let Ok(item) = serde_json::from_str::<RawWorkspaceItem<'_>>(raw.get()) else { continue };
        reports.extend(full(&item.kind, item.items, &mut room).map(|set| (item.uri, set)));
        if room == 0 {
            break;
        }
    }
    Some(reports)
}

fn full(kind: &Value, items: Option<&RawValue>, room: &mut usize) -> Option<DiagnosticSet> {
    match items {
        _ if kind == "unchanged" => None,
        Some(items) => set(items, room),
        // A Go server writes `null` for none.
        None => (kind == "full").then(DiagnosticSet::default),
    }
}

/// The first of a list, however long it is.
struct BoundedList<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for BoundedList<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoundedListVisitor;
        impl<'de> Visitor<'de> for BoundedListVisitor {
            type Value = BoundedList<'de>;

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
                Ok(BoundedList(all))
            }
        }
        deserializer.deserialize_seq(BoundedListVisitor)
    }
}

/// The first pairs, in the order in which they stand.
struct BoundedMap<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for BoundedMap<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoundedMapVisitor;
        impl<'de> Visitor<'de> for BoundedMapVisitor {
            type Value = BoundedMap<'de>;

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
                Ok(BoundedMap(pairs))
            }
        }
        deserializer.deserialize_map(BoundedMapVisitor)
    }
}

/// None where it is no list.
fn set(items: &RawValue, room: &mut usize) -> Option<DiagnosticSet> {
    if let Some(plain) = strict::parse_list(items).filter(|plain| plain.len() <= *room) {
        *room -= plain.len();
        return Some(bounded(plain, 0));
    }
    let mut json = serde_json::Deserializer::from_str(items.get());
    DiagnosticListSeed { room }.deserialize(&mut json).ok()
}

/// Reads the elements one by one, so that a list without end is never held.
struct DiagnosticListSeed<'a> {
    /// How many more are read of the whole answer.
    room: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for DiagnosticListSeed<'_> {
    type Value = DiagnosticSet;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DiagnosticSet, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for DiagnosticListSeed<'_> {
    type Value = DiagnosticSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of diagnostics")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<DiagnosticSet, A::Error> {
        let (mut all, mut omitted) = (Vec::new(), 0);
        while let Some(raw) = list.next_element::<&RawValue>()? {
            let read = (*self.room > 0 && raw.get().len() <= LONGEST)
                .then(|| diagnostic::parse_diagnostic(raw.get()));
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
pub(super) fn convert_items(items: impl Iterator<Item = Value>, room: &mut usize) -> DiagnosticSet {
    let (mut all, mut omitted) = (Vec::new(), 0);
    for item in items {
        match diagnostic::diagnostic_from_value(&item).filter(|_| *room > 0) {
            Some(diagnostic) => {
                *room -= 1;
                all.push(diagnostic);
            }
            None => omitted += 1,
        }
    }
    bounded(all, omitted)
}

fn bounded(mut all: Vec<Diagnostic>, mut omitted: usize) -> DiagnosticSet {
    if all.len() > MAX_DIAGNOSTICS {
        omitted += all.len() - MAX_DIAGNOSTICS;
        // Stable: within a severity they stay in the order of the server.
        all.sort_by_key(|diagnostic| diagnostic.severity);
        all.truncate(MAX_DIAGNOSTICS);
    }
    all.shrink_to_fit();
    DiagnosticSet { diagnostics: all, omitted }
}
