//! Positions as editors count them: a line and an offset into it, in units of an encoding. Both start at 0.

use serde::{Deserialize, Serialize};

/// The unit in which a client counts within a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Code units: a character beyond the basic plane is two. The LSP default.
    Utf16,
    /// Characters.
    Utf32,
}

/// Ordered as in the text: by line, then within the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

impl Position {
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// What ends a line for a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineBreaks {
    /// `\n`, `\r\n` and a lone `\r`, as LSP says: VS Code, and Neovim with `fileformat=mac`.
    Any,
    /// `\n` and `\r\n`; a lone `\r` is a character of its line: Neovim.
    Lf,
}
