//! A parsed value in which every node knows where it was written.

use serde_json::Number;

use crate::source::Origin;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) origin: Origin,
    pub(crate) kind: Kind,
    /// Nothing from earlier files is inherited below this node: one of the merged files replaced it.
    pub(crate) cuts: bool,
    /// The text came in through `{env:…}` or `{file:…}`; it may be a secret, so no message repeats it.
    pub(crate) substituted: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Removes what was inherited. Kept in the merged tree, because who removed a value matters too.
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Node>),
    /// Keys are unique; their order is the order of writing.
    Object(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Where the key stands; the node's origin is where its value stands.
    pub(crate) at: Origin,
    pub(crate) node: Node,
}

/// One step from a node to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Step<'a> {
    pub(crate) fn key(&self) -> Option<&'a str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Index(_) => None,
        }
    }
}

impl Node {
    pub(crate) fn new(origin: Origin, kind: Kind) -> Self {
        Self { origin, kind, cuts: false, substituted: false }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            _ => None,
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match &mut self.kind {
            Kind::Object(entries) => {
                entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
            }
            _ => None,
        }
    }

    pub(crate) fn follow(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Every leaf (scalar, or empty array or object), in order of writing.
    pub(crate) fn leaves<'a>(&'a self, visit: &mut dyn FnMut(&[Step<'a>], &'a Node)) {
        self.leaves_below(&mut Vec::new(), visit);
    }

    fn leaves_below<'a>(&'a self, path: &mut Vec<Step<'a>>, visit: &mut dyn FnMut(&[Step<'a>], &'a Node)) {
        match &self.kind {
            Kind::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    path.push(Step::Index(index));
                    item.leaves_below(path, visit);
                    path.pop();
                }
            }
            Kind::Object(entries) if !entries.is_empty() => {
                for entry in entries {
                    path.push(Step::Key(&entry.key));
                    entry.node.leaves_below(path, visit);
                    path.pop();
                }
            }
            _ => visit(path, self),
        }
    }
}

/// A path as a person writes it: `provider.x.models["gpt-4.1"].limit`, `command[0]`.
pub(crate) fn path_text<'a>(steps: impl IntoIterator<Item = Step<'a>>) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) if is_plain(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            Step::Key(key) => text.push_str(&format!("[{key:?}]")),
        }
    }
    text
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '-' | '$' | '*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_they_are_written() {
        use Step::{Index, Key};
        assert_eq!(path_text([Key("mcp"), Key("a-b"), Key("command"), Index(0)]), "mcp.a-b.command[0]");
        assert_eq!(path_text([Key("models"), Key("gpt-4.1"), Key("id")]), "models[\"gpt-4.1\"].id");
        assert_eq!(path_text([]), "");
    }
}
