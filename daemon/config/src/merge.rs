//! Two trees → one. Merging only ever moves values, together with where they were written.
//!
//! - objects are merged key by key; a key keeps the place where it was first written, new keys follow
//! - anything else is replaced: texts, numbers, arrays, and values of different kinds
//! - `instructions` at the top is a list that grows: what is new is appended
//! - `null` removes what was inherited (and stays in the tree, as the trace of who removed it)
//! - a `permission` that is one action stands for `{"*": action}` when a later file adds to it, so that adding
//!   an exception never drops the rule it is an exception to
//!
//! Merging is associative, with the empty object as its identity. That needs [`Node::cuts`]: in
//! `{…} + null + {…}` nothing of the first may come back, in whichever order the three are put together.

use std::collections::{HashMap, HashSet};

use crate::{
    source::Origin,
    tree::{Entry, Kind, Node},
};

/// Where in the configuration a node stands, as far as merging cares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Root,
    Instructions,
    Agents,
    Agent,
    Permission,
    /// One permission: an action, or actions by pattern.
    Rule,
    Other,
}

impl Place {
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

/// `later` over `earlier`, both of which stand at `place`.
pub(crate) fn merge(earlier: Node, later: Node, place: Place) -> Node {
    if later.cuts {
        return later;
    }
    match (earlier.kind, later.kind) {
        (Kind::Object(old), Kind::Object(new)) => {
            let origin = latest(earlier.origin, later.origin, new.is_empty());
            let kind = Kind::Object(merge_entries(old, new, place));
            Node { cuts: earlier.cuts, ..Node::new(origin, kind) }
        }
        (Kind::Array(old), Kind::Array(new)) if place == Place::Instructions => {
            let origin = latest(earlier.origin, later.origin, new.is_empty());
            Node { cuts: earlier.cuts, ..Node::new(origin, Kind::Array(append(old, new))) }
        }
        (Kind::String(action), Kind::Object(new)) if matches!(place, Place::Permission | Place::Rule) => {
            let at = earlier.origin.clone();
            let mut node = Node::new(earlier.origin, Kind::String(action));
            node.substituted = earlier.substituted;
            let kind = Kind::Object(merge_entries(vec![Entry { key: "*".into(), at, node }], new, place));
            Node { cuts: true, ..Node::new(later.origin, kind) }
        }
        (_, kind) => Node { origin: later.origin, kind, cuts: true, substituted: later.substituted },
    }
}

/// A merged object stands where it was last added to.
fn latest(earlier: Origin, later: Origin, adds_nothing: bool) -> Origin {
    if adds_nothing { earlier } else { later }
}

fn merge_entries(old: Vec<Entry>, new: Vec<Entry>, place: Place) -> Vec<Entry> {
    let places: HashMap<_, _> = old.iter().enumerate().map(|(at, entry)| (entry.key.clone(), at)).collect();
    let mut merged: Vec<Option<Entry>> = old.into_iter().map(Some).collect();
    for entry in new {
        match places.get(&entry.key).and_then(|at| merged.get_mut(*at)) {
            Some(slot) => {
                *slot = slot.take().map(|earlier| {
                    let node = merge(earlier.node, entry.node, place.child(&entry.key));
                    Entry { key: entry.key, at: entry.at, node }
                });
            }
            None => merged.push(Some(entry)),
        }
    }
    merged.into_iter().flatten().collect()
}

fn append(mut old: Vec<Node>, new: Vec<Node>) -> Vec<Node> {
    let known: HashSet<_> = old.iter().filter_map(Node::text).map(str::to_owned).collect();
    old.extend(new.into_iter().filter(|node| !node.text().is_some_and(|text| known.contains(text))));
    old
}
