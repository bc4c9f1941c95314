//! Trees of callers, callees and types, as servers tell them: level by level, without circles.

use std::collections::BTreeSet;
use std::path::PathBuf;

use copydesk_servers::{CodeQueryError, HierarchyItem, LanguageServer};
use copydesk_text::Position;
use tokio::time::Instant;

use super::{DocumentPosition, NavigationOperation, Navigator};
use crate::answer::CodePlace;

/// The cap on the items of one tree.
const MAX_ITEMS: usize = 200;
/// More levels than a model can use.
const MAX_DEPTH: usize = 5;

pub(super) struct HierarchyTree {
    pub(super) places: Vec<CodePlace>,
    pub(super) notes: Vec<String>,
}

impl Navigator {
    pub(super) async fn hierarchy(
        &self,
        server: &LanguageServer,
        operation: NavigationOperation,
        (path, at): DocumentPosition<'_>,
        depth: usize,
        until: Instant,
    ) -> Result<HierarchyTree, CodeQueryError> {
        let (query, encoding) = (operation.query(), server.position_encoding());
        let roots = server.prepare_hierarchy(query, path, at, until).await?;
        let mut tree = HierarchyTree { places: Vec::new(), notes: Vec::new() };
        if operation == NavigationOperation::PrepareCallHierarchy {
            tree.places = roots.iter().map(|item| self.symbol_place(&item.symbol, encoding)).collect();
            return Ok(tree);
        }
        let mut seen: BTreeSet<ItemKey> = roots.iter().map(key).collect();
        // The items to open, the next one last.
        let mut open: Vec<_> = roots.into_iter().rev().map(|item| (item, 0, false)).collect();
        while let Some((item, level, is_repeated)) = open.pop() {
            if level > 0 {
                tree.places.push(CodePlace {
                    depth: level - 1,
                    remark: remark(&item, is_repeated && depth > 1),
                    ..self.symbol_place(&item.symbol, encoding)
                });
            }
            if tree.places.len() >= MAX_ITEMS && !open.is_empty() {
                tree.notes.push(format!("There are more than {MAX_ITEMS}; the rest is left out."));
                break;
            }
            if is_repeated || level >= depth.clamp(1, MAX_DEPTH) {
                continue;
            }
            let below = match server.hierarchy(query, &item, until).await {
                Ok(below) => below,
                // The levels above stand.
                Err(error) if level > 0 => {
                    tree.notes.push(format!("What is below `{}` is not known: {error}.", item.symbol.name));
                    continue;
                }
                Err(error) => return Err(error),
            };
            for item in below.into_iter().rev() {
                let is_repeated = !seen.insert(key(&item));
                open.push((item, level + 1, is_repeated));
            }
        }
        Ok(tree)
    }
}

type ItemKey = (PathBuf, Position, String);

fn key(item: &HierarchyItem) -> ItemKey {
    (item.symbol.path.clone(), item.symbol.name_range.start, item.symbol.name.clone())
}

/// The lines of the calls. What is below a repeated item is shown where it first stands.
fn remark(item: &HierarchyItem, is_repeated: bool) -> Option<String> {
    let mut lines: Vec<_> = item.calls.iter().map(|range| range.start.line + 1).collect();
    lines.dedup();
    let shown: Vec<_> = lines.iter().take(5).map(u32::to_string).collect();
    let more = if lines.len() > shown.len() { ", …" } else { "" };
    let calls = (!shown.is_empty()).then(|| format!("call in line {}{more}", shown.join(", ")));
    let repeated = is_repeated.then(|| "what is below it is shown once".to_owned());
    let all: Vec<_> = calls.into_iter().chain(repeated).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
