//! Parses diagnostics leniently: odd values are interpreted, missing ones get a default, and what exceeds a cap is
//! dropped and counted.

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

/// Cap on diagnostics of one file; above it, errors are kept first.
pub(super) const MAX_DIAGNOSTICS: usize = 10_000;
/// Cap on diagnostics of one message, over all its files.
pub(super) const MAX_READ: usize = 2 * MAX_DIAGNOSTICS;
/// Cap on files of one response; the rest is ignored.
const MAX_FILES: usize = 5000;
/// Cap on the bytes of one diagnostic's JSON.
const MAX_DIAGNOSTIC_BYTES: usize = 256 * 1024;

/// The diagnostics of one file, within the caps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DiagnosticSet {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// How many were dropped.
    pub(super) omitted: usize,
}

/// `textDocument/publishDiagnostics`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PublishNotification {
    pub(super) uri: String,
    pub(super) version: Option<i64>,
    pub(super) set: DiagnosticSet,
}

/// The response to a pull.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PullResponse {
    pub(super) set: DiagnosticSet,
    /// Diagnostics of other files, by URI.
    pub(super) related: Vec<(String, DiagnosticSet)>,
}

#[derive(Deserialize)]
struct RawPublish<'a> {
    uri: String,
    #[serde(default)]
    version: Value,
    // Go servers write `null` for an empty list. Without the member, it is not known what the server means.
    #[serde(borrow)]
    diagnostics: &'a RawValue,
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

/// One report of `workspace/diagnostic`.
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
    let set = match raw.diagnostics.get() {
        "null" => DiagnosticSet::default(),
        _ => set(raw.diagnostics, &mut room)?,
    };
    Some(PublishNotification { uri: raw.uri, version: raw.version.as_i64(), set })
}

/// `None` if it is not a full report. Any kind but `unchanged` is accepted if there are items: gopls writes `kind: ""`.
pub(super) fn parse_pull(result: &RawValue) -> Option<PullResponse> {
    if let Some(set) = strict::parse_pull(result) {
        return Some(PullResponse { set, related: Vec::new() });
    }
    let raw: RawReport<'_> = serde_json::from_str(result.get()).ok()?;
    let mut room = MAX_READ;
    let set = parse_full(&raw.kind, raw.items, &mut room)?;
    let related =
        raw.related_documents.map(|related| documents(related.get(), &mut room)).unwrap_or_default();
    Some(PullResponse { set, related })
}

/// `relatedDocuments`: reports by URI. Those beyond `room` are dropped, so their files stay unknown.
fn documents(text: &str, room: &mut usize) -> Vec<(String, DiagnosticSet)> {
    let Ok(documents) = serde_json::from_str::<BoundedMap<'_>>(text) else { return Vec::new() };
    let mut reports = Vec::new();
    for (uri, raw) in documents.0 {
        let Ok(report) = serde_json::from_str::<RawReport<'_>>(raw.get()) else { continue };
        reports.extend(parse_full(&report.kind, report.items, room).map(|set| (uri, set)));
        if *room == 0 {
            break;
        }
    }
    reports
}

/// The response to `workspace/diagnostic`. `None` if it is malformed.
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
        reports.extend(parse_full(&item.kind, item.items, &mut room).map(|set| (item.uri, set)));
        if room == 0 {
            break;
        }
    }
    Some(reports)
}

fn parse_full(kind: &Value, items: Option<&RawValue>, room: &mut usize) -> Option<DiagnosticSet> {
    match items {
        _ if kind == "unchanged" => None,
        Some(items) => set(items, room),
        // Go servers write `null` for an empty list.
        None => (kind == "full").then(DiagnosticSet::default),
    }
}

/// The first items of a list of any length.
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
                    if all.len() < MAX_FILES {
                        all.push(raw);
                    }
                }
                Ok(BoundedList(all))
            }
        }
        deserializer.deserialize_seq(BoundedListVisitor)
    }
}

/// The first pairs of an object, in their order.
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
                    if pairs.len() < MAX_FILES {
                        pairs.push(pair);
                    }
                }
                Ok(BoundedMap(pairs))
            }
        }
        deserializer.deserialize_map(BoundedMapVisitor)
    }
}

/// `None` if it is not a list.
fn set(items: &RawValue, room: &mut usize) -> Option<DiagnosticSet> {
    if let Some(plain) = strict::parse_list(items).filter(|plain| plain.len() <= *room) {
        *room -= plain.len();
        return Some(bounded(plain, 0));
    }
    let mut json = serde_json::Deserializer::from_str(items.get());
    DiagnosticListSeed { room }.deserialize(&mut json).ok()
}

/// Parses the elements one by one, so that an endless list is never in memory.
struct DiagnosticListSeed<'a> {
    /// How many more diagnostics are accepted from the whole message.
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
            let read = (*self.room > 0 && raw.get().len() <= MAX_DIAGNOSTIC_BYTES)
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

/// For a server with its own format, whose items were converted to LSP's.
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
        // Stable: within a severity, the server's order stays.
        all.sort_by_key(|diagnostic| diagnostic.severity);
        all.truncate(MAX_DIAGNOSTICS);
    }
    all.shrink_to_fit();
    DiagnosticSet { diagnostics: all, omitted }
}
