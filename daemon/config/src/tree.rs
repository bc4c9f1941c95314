//! A parsed value in which every node knows where it was written.

use serde_json::Number;

use crate::source::ConfigOrigin;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigNode {
    pub(crate) origin: ConfigOrigin,
    pub(crate) kind: ConfigNodeKind,
    /// One of the merged files replaced this node, so nothing below it is inherited from earlier files.
    pub(crate) replaces_inherited: bool,
    /// The text came from `{env:…}` or `{file:…}`. It may be secret, so no message repeats it.
    pub(crate) is_substituted: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConfigNodeKind {
    /// Removes the inherited value. The merged tree keeps it, because it matters which file removed a value.
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<ConfigNode>),
    /// Keys are unique and in the order of writing.
    Object(Vec<ObjectEntry>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectEntry {
    pub(crate) key: String,
    /// Where the key stands; the node's origin is where its value stands.
    pub(crate) key_origin: ConfigOrigin,
    pub(crate) node: ConfigNode,
}

/// One step from a node to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigPathStep<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> ConfigPathStep<'a> {
    pub(crate) fn key(&self) -> Option<&'a str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Index(_) => None,
        }
    }
}

impl ConfigNode {
    pub(crate) fn new(origin: ConfigOrigin, kind: ConfigNodeKind) -> Self {
        Self { origin, kind, replaces_inherited: false, is_substituted: false }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            ConfigNodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&ConfigNode> {
        match &self.kind {
            ConfigNodeKind::Object(entries) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
            }
            _ => None,
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut ConfigNode> {
        match &mut self.kind {
            ConfigNodeKind::Object(entries) => {
                entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
            }
            _ => None,
        }
    }

    pub(crate) fn get_path(&self, path: &[&str]) -> Option<&ConfigNode> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Visits every leaf (scalar, or empty array or object) in the order of writing.
    pub(crate) fn visit_leaves<'a>(&'a self, visit: &mut dyn FnMut(&[ConfigPathStep<'a>], &'a ConfigNode)) {
        self.leaves_below(&mut Vec::new(), visit);
    }

    fn leaves_below<'a>(
        &'a self,
        path: &mut Vec<ConfigPathStep<'a>>,
        visit: &mut dyn FnMut(&[ConfigPathStep<'a>], &'a ConfigNode),
    ) {
        match &self.kind {
            ConfigNodeKind::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    path.push(ConfigPathStep::Index(index));
                    item.leaves_below(path, visit);
                    path.pop();
                }
            }
            ConfigNodeKind::Object(entries) if !entries.is_empty() => {
                for entry in entries {
                    path.push(ConfigPathStep::Key(&entry.key));
                    entry.node.leaves_below(path, visit);
                    path.pop();
                }
            }
            _ => visit(path, self),
        }
    }
}

/// Formats a path as in `provider.x.models["gpt-4.1"].limit`, `command[0]`.
pub(crate) fn format_path<'a>(steps: impl IntoIterator<Item = ConfigPathStep<'a>>) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            ConfigPathStep::Index(index) => text.push_str(&format!("[{index}]")),
            ConfigPathStep::Key(key) if is_plain(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            ConfigPathStep::Key(key) => text.push_str(&format!("[{key:?}]")),
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
        use ConfigPathStep::{Index, Key};
        assert_eq!(format_path([Key("mcp"), Key("a-b"), Key("command"), Index(0)]), "mcp.a-b.command[0]");
        assert_eq!(format_path([Key("models"), Key("gpt-4.1"), Key("id")]), "models[\"gpt-4.1\"].id");
        assert_eq!(format_path([]), "");
    }
}
