//! A whole answer that is written as it should be, read in one go. Where anything is odd there is nothing, and it is read piece by piece.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::item::Plain;
use super::{LONGEST, MOST_READ, Set, bounded};
use crate::diagnostic::Diagnostic;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    kind: Full,
    items: Items,
    related_documents: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Full {
    Full,
}

/// The answer to a pull that is about one file.
pub(super) fn pulled(result: &RawValue) -> Option<Set> {
    let report: Report = serde_json::from_str(result.get()).ok()?;
    let Full::Full = report.kind;
    report.related_documents.is_none().then(|| bounded(report.items.0, 0))
}

/// A list of diagnostics.
pub(super) fn list(items: &RawValue) -> Option<Vec<Diagnostic>> {
    serde_json::from_str(items.get()).ok().map(|Items(items)| items)
}

struct Items(Vec<Diagnostic>);

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Items;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of diagnostics")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items, A::Error> {
                let mut all: Vec<Diagnostic> = Vec::new();
                while let Some(plain) = list.next_element::<Plain<'de>>()? {
                    if all.len() >= MOST_READ || plain.len() > LONGEST {
                        return Err(A::Error::custom("too much"));
                    }
                    // Most are signed as the one before.
                    let before = all.last().map(|last| (last.source.clone(), last.code.clone()));
                    all.push(plain.read(before).ok_or_else(|| A::Error::custom("odd"))?);
                }
                Ok(Items(all))
            }
        }
        deserializer.deserialize_seq(List)
    }
}
