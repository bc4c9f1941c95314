//! Parses a well-formed response in one pass. If anything is odd, it returns nothing, and the lenient parser takes
//! over.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::diagnostic::StrictDiagnostic;
use super::{DiagnosticSet, MAX_DIAGNOSTIC_BYTES, MAX_READ, bounded};
use crate::diagnostic::Diagnostic;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StrictReport {
    kind: FullReportKind,
    items: StrictList,
    related_documents: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum FullReportKind {
    Full,
}

/// The response to a pull about one file.
pub(super) fn parse_pull(result: &RawValue) -> Option<DiagnosticSet> {
    let report: StrictReport = serde_json::from_str(result.get()).ok()?;
    let FullReportKind::Full = report.kind;
    report.related_documents.is_none().then(|| bounded(report.items.0, 0))
}

pub(super) fn parse_list(items: &RawValue) -> Option<Vec<Diagnostic>> {
    serde_json::from_str(items.get()).ok().map(|StrictList(items)| items)
}

struct StrictList(Vec<Diagnostic>);

impl<'de> Deserialize<'de> for StrictList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrictListVisitor;
        impl<'de> Visitor<'de> for StrictListVisitor {
            type Value = StrictList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of diagnostics")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<StrictList, A::Error> {
                let mut all: Vec<Diagnostic> = Vec::new();
                while let Some(plain) = list.next_element::<StrictDiagnostic<'de>>()? {
                    if all.len() >= MAX_READ || plain.byte_count() > MAX_DIAGNOSTIC_BYTES {
                        return Err(A::Error::custom("too much"));
                    }
                    // Most have the source and the code of the one before.
                    let before = all.last().map(|last| (last.source.clone(), last.code.clone()));
                    all.push(plain.into_diagnostic(before).ok_or_else(|| A::Error::custom("odd"))?);
                }
                Ok(StrictList(all))
            }
        }
        deserializer.deserialize_seq(StrictListVisitor)
    }
}
