//! How strictly the old text was looked for. Every tier takes more as equal than the one before it.

/// In the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTier {
    /// Letter by letter; only line endings are not looked at.
    Exact,
    TrailingBlanks,
    /// All lines are indented differently in one and the same way.
    Indentation,
    Typography,
    /// Any blanks within and before the lines, and blank lines around them.
    Blanks,
    /// What a reader of the file was shown beside its text: line numbers, a fence around it.
    Copied,
    /// Characters written as escapes.
    Escapes,
    /// The first and the last line are there, and one between them is nearly so.
    Anchors,
    /// Most lines are there, and one of them is nearly so.
    Near,
}

impl MatchTier {
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingBlanks => "trailing-blanks",
            Self::Indentation => "indentation",
            Self::Typography => "typography",
            Self::Blanks => "blanks",
            Self::Copied => "copied",
            Self::Escapes => "escapes",
            Self::Anchors => "anchors",
            Self::Near => "near",
        }
    }

    /// What was overlooked; nothing where nothing was.
    pub fn leniency(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::TrailingBlanks => Some("a difference in the blanks at line ends"),
            Self::Indentation => Some("a difference in indentation"),
            Self::Typography => Some("a difference in typography (quotes, dashes, special spaces)"),
            Self::Blanks => Some("a difference in blanks"),
            Self::Copied => Some("what a reader is shown beside the text (line numbers or a fence)"),
            Self::Escapes => Some("that it has escapes in place of the characters themselves"),
            Self::Anchors | Self::Near => Some("a small difference in a line"),
        }
    }

    /// Whether every place may be replaced: only where next to nothing is guessed.
    pub(super) fn allows_replace_all(self) -> bool {
        matches!(self, Self::Exact | Self::TrailingBlanks | Self::Indentation)
    }
}
