//! Merges two trees. Merging only moves values, together with their origins.
//!
//! - objects: key by key; a key keeps its first position, new keys follow
//! - everything else (strings, numbers, arrays, values of different kinds): the later value replaces the
//!   earlier
//! - top-level `instructions`: new items are appended
//! - `null` removes the inherited value, and stays in the tree to show which file removed it
//! - a `permission` with a single action becomes `{"*": action}` when a later file adds to it, so that an
//!   exception never drops the rule it excepts from
//!
//! Invariant: merging is associative, with the empty object as its identity. That needs
//! [`ConfigNode::replaces_inherited`]: in `{…} + null + {…}` nothing of the first may come back,
//! however the three are grouped.

use std::collections::{HashMap, HashSet};

use crate::{
    source::ConfigOrigin,
    tree::{ConfigNode, ConfigNodeKind, ObjectEntry},
};

/// The position of a node in the configuration, as far as merging cares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MergePosition {
    Root,
    Instructions,
    Agents,
    Agent,
    Permission,
    /// One permission: an action, or actions by pattern.
    Rule,
    Other,
}

impl MergePosition {
    pub(crate) fn child(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, "instructions") => Self::Instructions,
            (Self::Root, "agent") => Self::Agents,
            (Self::Agents, _) => Self::Agent,
            (Self::Root | Self::Agent, "permission") => Self::Permission,
            (Self::Permission, _) => Self::Rule,
            _ => Self::Other,
        }
    }
}

/// Merges `later` over `earlier`; both stand at `place`.
pub(crate) fn merge(earlier: ConfigNode, later: ConfigNode, place: MergePosition) -> ConfigNode {
    if later.replaces_inherited {
        return later;
    }
    match (earlier.kind, later.kind) {
        (ConfigNodeKind::Object(old), ConfigNodeKind::Object(new)) => {
            let origin = latest(earlier.origin, later.origin, new.is_empty());
            let kind = ConfigNodeKind::Object(merge_entries(old, new, place));
            ConfigNode { replaces_inherited: earlier.replaces_inherited, ..ConfigNode::new(origin, kind) }
        }
        (ConfigNodeKind::Array(old), ConfigNodeKind::Array(new)) if place == MergePosition::Instructions => {
            let origin = latest(earlier.origin, later.origin, new.is_empty());
            ConfigNode {
                replaces_inherited: earlier.replaces_inherited,
                ..ConfigNode::new(origin, ConfigNodeKind::Array(append(old, new)))
            }
        }
        (ConfigNodeKind::String(action), ConfigNodeKind::Object(new))
            if matches!(place, MergePosition::Permission | MergePosition::Rule) =>
        {
            let key_origin = earlier.origin.clone();
            let mut node = ConfigNode::new(earlier.origin, ConfigNodeKind::String(action));
            node.is_substituted = earlier.is_substituted;
            let kind = ConfigNodeKind::Object(merge_entries(
                vec![ObjectEntry { key: "*".into(), key_origin, node }],
                new,
                place,
            ));
            ConfigNode { replaces_inherited: true, ..ConfigNode::new(later.origin, kind) }
        }
        (_, kind) => ConfigNode {
            origin: later.origin,
            kind,
            replaces_inherited: true,
            is_substituted: later.is_substituted,
        },
    }
}

/// The origin of a merged object is where a file last added to it.
fn latest(earlier: ConfigOrigin, later: ConfigOrigin, adds_nothing: bool) -> ConfigOrigin {
    if adds_nothing { earlier } else { later }
}

fn merge_entries(old: Vec<ObjectEntry>, new: Vec<ObjectEntry>, place: MergePosition) -> Vec<ObjectEntry> {
    let places: HashMap<_, _> = old.iter().enumerate().map(|(at, entry)| (entry.key.clone(), at)).collect();
    let mut merged: Vec<Option<ObjectEntry>> = old.into_iter().map(Some).collect();
    for entry in new {
        match places.get(&entry.key).and_then(|at| merged.get_mut(*at)) {
            Some(slot) => {
                *slot = slot.take().map(|earlier| {
                    let node = merge(earlier.node, entry.node, place.child(&entry.key));
                    ObjectEntry { key: entry.key, key_origin: entry.key_origin, node }
                });
            }
            None => merged.push(Some(entry)),
        }
    }
    merged.into_iter().flatten().collect()
}

fn append(mut old: Vec<ConfigNode>, new: Vec<ConfigNode>) -> Vec<ConfigNode> {
    let known: HashSet<_> = old.iter().filter_map(ConfigNode::text).map(str::to_owned).collect();
    old.extend(new.into_iter().filter(|node| !node.text().is_some_and(|text| known.contains(text))));
    old
}
