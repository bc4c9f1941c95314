//! Where a value stands: which file, and where in it.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

/// What kind of place a file was found in; a later layer wins over an earlier one.
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
    /// The file; for [`ConfigLayer::InlineEdit`] the name of the variable.
    pub path: PathBuf,
    /// Written for OpenCode: keys that mean nothing here are expected in it.
    pub is_opencode: bool,
    /// Whether the user stands behind it. A project's file comes from a repository: not before they say so.
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

/// Where a value was written. Lines and columns count from 1, columns in characters.
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

/// Turns byte offsets into origins. Offsets that never go back cost one pass over the text in all, which
/// matters for a large file on a single line.
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
