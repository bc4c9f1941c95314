//! The merged configuration: a tree in which every value knows where it was written.

use std::fmt;

use crate::{
    source::ConfigOrigin,
    tree::{ConfigNode, ConfigNodeKind},
};

#[derive(Clone, PartialEq)]
pub struct MergedConfig {
    pub(crate) root: ConfigNode,
}

impl MergedConfig {
    /// Where the value at `path` was written. For an object: where a file last added to it. For a removed
    /// value: where the `null` stands.
    pub fn origin(&self, path: &[&str]) -> Option<&ConfigOrigin> {
        self.root.get_path(path).map(|node| &node.origin)
    }

    /// The strings of the list at `path`, with their origins.
    pub fn text_items(&self, path: &[&str]) -> Vec<(&str, &ConfigOrigin)> {
        let items = match self.root.get_path(path).map(|node| &node.kind) {
            Some(ConfigNodeKind::Array(items)) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| Some((item.text()?, &item.origin))).collect()
    }

    /// The origin of the first value at or below `path` that an untrusted file set or removed.
    ///
    /// Callers check this before they run a command or send a key. The origin of the program's name is not
    /// enough: a repository may have added a variable to its environment.
    pub fn untrusted_origin(&self, path: &[&str]) -> Option<&ConfigOrigin> {
        let mut first = None;
        self.root.get_path(path)?.visit_leaves(&mut |_, leaf| {
            if !leaf.origin.is_trusted() {
                first.get_or_insert(&leaf.origin);
            }
        });
        first
    }
}

/// Omits the values: some are secret.
impl fmt::Debug for MergedConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedConfig").finish_non_exhaustive()
    }
}
