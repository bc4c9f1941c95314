//! Renames older spellings before merging, so that an old and a new spelling in two files set the same value.

use crate::{
    merge::{MergePosition, merge},
    tree::{ConfigNode, ConfigNodeKind},
};

/// (the object that contains it, with `*` for any name; the older key; the present key)
pub(crate) const OLDER_SPELLINGS: &[(&[&str], &str, &str)] =
    &[(&[], "mode", "agent"), (&["agent", "*"], "maxSteps", "steps")];

pub(crate) fn normalise(root: &mut ConfigNode) {
    for (path, older, present) in OLDER_SPELLINGS {
        each_at(root, path, &mut |node| rename(node, older, present));
    }
}

/// Calls `visit` for every node at `path`.
fn each_at(node: &mut ConfigNode, path: &[&str], visit: &mut dyn FnMut(&mut ConfigNode)) {
    let Some((first, rest)) = path.split_first() else { return visit(node) };
    if let ConfigNodeKind::Object(entries) = &mut node.kind {
        for entry in entries.iter_mut().filter(|entry| *first == "*" || entry.key == *first) {
            each_at(&mut entry.node, rest, visit);
        }
    }
}

fn rename(node: &mut ConfigNode, older: &str, present: &str) {
    let ConfigNodeKind::Object(entries) = &mut node.kind else { return };
    let Some(at) = entries.iter().position(|entry| entry.key == older) else { return };
    let mut moved = entries.remove(at);
    match entries.iter_mut().find(|entry| entry.key == present) {
        // The file has both: the present spelling overrides the older.
        Some(entry) => entry.node = merge(moved.node, entry.node.clone(), MergePosition::Root.child(present)),
        None => {
            moved.key = present.into();
            entries.insert(at, moved);
        }
    }
}
