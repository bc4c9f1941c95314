//! The merged configuration as a tree in which every value still knows where it was written.

use std::fmt;

use crate::{
    source::Origin,
    tree::{Kind, Node},
};

#[derive(Clone, PartialEq)]
pub struct Merged {
    pub(crate) root: Node,
}

impl Merged {
    /// Where the value at `path` was written; for an object, where it was last added to; for a value that was
    /// removed, where the `null` stands.
    pub fn origin(&self, path: &[&str]) -> Option<&Origin> {
        self.root.follow(path).map(|node| &node.origin)
    }

    /// The texts of the list at `path`, each with where it was written.
    pub fn texts(&self, path: &[&str]) -> Vec<(&str, &Origin)> {
        let items = match self.root.follow(path).map(|node| &node.kind) {
            Some(Kind::Array(items)) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| Some((item.text()?, &item.origin))).collect()
    }

    /// Where something at or below `path` was written (or removed) by a file that is not trusted.
    ///
    /// To be asked before a command is run or a key is sent: it is not enough that the program's name comes
    /// from the user, if a repository added a variable to its environment.
    pub fn untrusted(&self, path: &[&str]) -> Option<&Origin> {
        let mut first = None;
        self.root.follow(path)?.leaves(&mut |_, leaf| {
            if !leaf.origin.trusted() {
                first.get_or_insert(&leaf.origin);
            }
        });
        first
    }
}

/// Without the values: some are secret.
impl fmt::Debug for Merged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merged").finish_non_exhaustive()
    }
}
