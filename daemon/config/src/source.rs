//! Where a value stands: the file, line and column.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

/// The kind of place that a file comes from. Later layers override earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfigLayer {
    /// The user's configuration folder.
    User,
    /// The file named by `COPYDESK_CONFIG`.
    Named,
    /// A folder of the workspace.
    Project,
    /// The text in `COPYDESK_CONFIG_CONTENT`.
    Inline,
}

/// One configuration text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigSource {
    pub layer: ConfigLayer,
    /// The file; for [`ConfigLayer::Inline`] the name of the variable.
    pub path: PathBuf,
    /// Written for OpenCode, so keys without a meaning here are expected.
    pub is_opencode: bool,
    /// Whether the user trusts it. A project's file comes from a repository and needs the user's consent.
    pub is_trusted: bool,
}

impl ConfigSource {
    /// The folder that relative paths in this text start from.
    pub(crate) fn folder<'a>(&'a self, cwd: &'a Path) -> &'a Path {
        match self.layer {
            ConfigLayer::Inline => cwd,
            _ => self.path.parent().unwrap_or(cwd),
        }
    }
}

impl fmt::Display for ConfigSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// Where a value was written. Lines and columns start at 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigOrigin {
    pub file: Arc<ConfigSource>,
    pub line: u32,
    pub column: u32,
}

impl ConfigOrigin {
    pub fn is_trusted(&self) -> bool {
        self.file.is_trusted
    }
}

impl fmt::Display for ConfigOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Serialize for ConfigOrigin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct SerializedOrigin<'a> {
            file: String,
            layer: ConfigLayer,
            line: &'a u32,
            column: &'a u32,
            trusted: bool,
        }
        let (file, layer) = (self.file.to_string(), self.file.layer);
        SerializedOrigin { file, layer, line: &self.line, column: &self.column, trusted: self.is_trusted() }
            .serialize(serializer)
    }
}

/// Turns byte offsets into origins. Ascending offsets cost one pass over the text in all; this matters for a
/// large file on a single line.
pub(crate) struct OriginCursor<'a> {
    text: &'a str,
    file: Arc<ConfigSource>,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> OriginCursor<'a> {
    pub(crate) fn new(text: &'a str, file: Arc<ConfigSource>) -> Self {
        Self { text, file, offset: 0, line: 1, column: 1 }
    }

    pub(crate) fn origin_at(&mut self, offset: usize) -> ConfigOrigin {
        if offset < self.offset {
            (self.offset, self.line, self.column) = (0, 1, 1);
        }
        for char in self.text.get(self.offset..).unwrap_or_default().chars() {
            if self.offset >= offset {
                break;
            }
            self.offset += char.len_utf8();
            (self.line, self.column) =
                if char == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        ConfigOrigin { file: self.file.clone(), line: self.line, column: self.column }
    }
}
