//! How strictly a hunk's lines are compared with the file: four passes, each only for hunks that the previous
//! one did not find.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// From strict to loose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchTier {
    Exact,
    /// Ignores blanks at line ends.
    LineEnds,
    /// Also ignores indentation.
    Indentation,
    /// Also ignores the kind of quotes, dashes, spaces and dots.
    Punctuation,
}

impl PatchTier {
    pub const ALL: [Self; 4] = [Self::Exact, Self::LineEnds, Self::Indentation, Self::Punctuation];

    /// The compared form of a line.
    pub(super) fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::LineEnds => Cow::Borrowed(line.trim_end()),
            Self::Indentation => Cow::Borrowed(line.trim()),
            Self::Punctuation if line.is_ascii() => Cow::Borrowed(line.trim()),
            Self::Punctuation => Cow::Owned(plain(line.trim())),
        }
    }
}

/// The tier of `replace` with the same tolerance.
impl From<PatchTier> for crate::MatchTier {
    fn from(tier: PatchTier) -> Self {
        match tier {
            PatchTier::Exact => Self::Exact,
            PatchTier::LineEnds => Self::TrailingBlanks,
            PatchTier::Indentation => Self::Indentation,
            PatchTier::Punctuation => Self::Typography,
        }
    }
}

/// Replaces typographic characters by the ASCII that models prefer.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{2018}'..='\u{201b}' => plain.push('\''),
            '\u{201c}'..='\u{201f}' => plain.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => plain.push(' '),
            '\u{2026}' => plain.push_str("..."),
            c => plain.push(c),
        }
    }
    plain
}
