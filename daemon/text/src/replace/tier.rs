//! How strictly the old text was matched. Each tier tolerates more than the one before.

/// In the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTier {
    /// Every character; only line endings are ignored.
    Exact,
    TrailingBlanks,
    /// All lines are indented differently by the same rule.
    Indentation,
    /// Curly quotes, long dashes, special spaces, composed letters.
    Typography,
    /// Any blanks within and before the lines, and blank lines around them.
    Blanks,
    /// Single quotes for double ones, or the other way round.
    Quotes,
    /// Some lines are indented differently, by no common rule.
    MixedIndentation,
    /// A reader's decoration: line numbers, a fence around the text.
    Copied,
    /// Characters written as escapes.
    Escapes,
    /// The first and the last line match, and one between them is similar.
    Anchors,
    /// Most lines match, and one of them is similar.
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
            Self::Quotes => "quotes",
            Self::MixedIndentation => "mixed-indentation",
            Self::Copied => "copied",
            Self::Escapes => "escapes",
            Self::Anchors => "anchors",
            Self::Near => "near",
        }
    }

    /// What the match tolerated; `None` for an exact one.
    pub fn leniency(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::TrailingBlanks => Some("a difference in the blanks at line ends"),
            Self::Indentation => Some("a difference in indentation"),
            Self::Typography => Some("a difference in typography (quotes, dashes, special spaces, accents)"),
            Self::Blanks => Some("a difference in blanks"),
            Self::Quotes => Some("a difference in the kind of quotes"),
            Self::MixedIndentation => Some("a difference in the indentation of some lines"),
            Self::Copied => Some("what a reader is shown beside the text (line numbers or a fence)"),
            Self::Escapes => Some("that it has escapes in place of the characters themselves"),
            Self::Anchors | Self::Near => Some("a small difference in a line"),
        }
    }

    /// Whether all places may be replaced: only if almost nothing is guessed.
    pub(super) fn allows_replace_all(self) -> bool {
        matches!(self, Self::Exact | Self::TrailingBlanks | Self::Indentation)
    }
}
