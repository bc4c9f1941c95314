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
pub enum Layer {
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
pub struct Source {
    pub layer: Layer,
    /// The file; for [`Layer::Inline`] the name of the variable.
    pub path: PathBuf,
    /// Written for OpenCode: keys that mean nothing here are expected in it.
    pub opencode: bool,
    /// Whether the user stands behind it. A project's file comes from a repository: not before they say so.
    pub trusted: bool,
}

impl Source {
    /// The folder that relative paths in this text start from.
    pub(crate) fn folder<'a>(&'a self, cwd: &'a Path) -> &'a Path {
        match self.layer {
            Layer::Inline => cwd,
            _ => self.path.parent().unwrap_or(cwd),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// Where a value was written. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub file: Arc<Source>,
    pub line: u32,
    pub column: u32,
}

impl Origin {
    pub fn trusted(&self) -> bool {
        self.file.trusted
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Flat<'a> {
            file: String,
            layer: Layer,
            line: &'a u32,
            column: &'a u32,
            trusted: bool,
        }
        let (file, layer) = (self.file.to_string(), self.file.layer);
        Flat { file, layer, line: &self.line, column: &self.column, trusted: self.trusted() }
            .serialize(serializer)
    }
}

/// Turns byte offsets into origins. Offsets that never go back cost one pass over the text in all, which
/// matters for a large file on a single line.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    file: Arc<Source>,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, file: Arc<Source>) -> Self {
        Self { text, file, offset: 0, line: 1, column: 1 }
    }

    pub(crate) fn at(&mut self, offset: usize) -> Origin {
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
        Origin { file: self.file.clone(), line: self.line, column: self.column }
    }
}
