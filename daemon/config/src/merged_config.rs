//! The merged configuration as a tree in which every value still knows where it was written.

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
    /// Where the value at `path` was written; for an object, where it was last added to; for a value that was
    /// removed, where the `null` stands.
    pub fn origin(&self, path: &[&str]) -> Option<&ConfigOrigin> {
        self.root.get_path(path).map(|node| &node.origin)
    }

    /// The texts of the list at `path`, each with where it was written.
    pub fn text_items(&self, path: &[&str]) -> Vec<(&str, &ConfigOrigin)> {
        let items = match self.root.get_path(path).map(|node| &node.kind) {
            Some(ConfigNodeKind::Array(items)) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| Some((item.text()?, &item.origin))).collect()
    }

    /// Where something at or below `path` was written (or removed) by a file that is not trusted.
    ///
    /// To be asked before a command is run or a key is sent: it is not enough that the program's name comes
    /// from the user, if a repository added a variable to its environment.
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

/// Without the values: some are secret.
impl fmt::Debug for MergedConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedConfig").finish_non_exhaustive()
    }
}
