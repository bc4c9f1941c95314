//! A whole answer that is written as it should be, read in one go. Where anything is odd there is nothing, and it is read piece by piece.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::diagnostic::StrictDiagnostic;
use super::{DiagnosticSet, LONGEST, MAX_READ, bounded};
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

/// The answer to a pull that is about one file.
pub(super) fn parse_pull(result: &RawValue) -> Option<DiagnosticSet> {
    let report: StrictReport = serde_json::from_str(result.get()).ok()?;
    let FullReportKind::Full = report.kind;
    report.related_documents.is_none().then(|| bounded(report.items.0, 0))
}

/// A list of diagnostics.
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
                    if all.len() >= MAX_READ || plain.byte_count() > LONGEST {
                        return Err(A::Error::custom("too much"));
                    }
                    // Most are signed as the one before.
                    let before = all.last().map(|last| (last.source.clone(), last.code.clone()));
                    all.push(plain.into_diagnostic(before).ok_or_else(|| A::Error::custom("odd"))?);
                }
                Ok(StrictList(all))
            }
        }
        deserializer.deserialize_seq(StrictListVisitor)
    }
}
