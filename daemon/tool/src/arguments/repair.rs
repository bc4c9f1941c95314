//! Describes repairs for the user and, if they matter, for the model.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    Around,
    Twice,
    TrailingComma,
    Quotes,
    BareName,
    Comment,
    RawControl,
    Word,
    End,
    /// The value of this name was a string that contains the real value, or an integer with a fraction.
    Value {
        name: String,
        wanted: &'static str,
    },
    Listed {
        name: String,
    },
    Renamed {
        from: String,
        to: String,
    },
    Tool {
        from: String,
        to: String,
    },
}

impl Repair {
    /// Whether the model should know, because it may have meant something else.
    pub(crate) fn matters(&self) -> bool {
        matches!(self, Self::End | Self::Renamed { .. } | Self::Tool { .. })
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Around => f.write_str("text around the object was left out"),
            Self::Twice => f.write_str("the object was encoded twice"),
            Self::TrailingComma => f.write_str("a comma before the end was left out"),
            Self::Quotes => f.write_str("single quotes were taken for double ones"),
            Self::BareName => f.write_str("names without quotes got them"),
            Self::Comment => f.write_str("comments were left out"),
            Self::RawControl => f.write_str("line breaks in strings were escaped"),
            Self::Word => f.write_str("Python's words were taken for JSON's"),
            Self::End => f.write_str("the missing end was added"),
            Self::Value { name, wanted } => write!(f, "`{name}` was taken for {wanted}"),
            Self::Listed { name } => write!(f, "`{name}` was made a list of one"),
            Self::Renamed { from, to } => write!(f, "`{from}` was taken for `{to}`"),
            Self::Tool { from, to } => write!(f, "the tool `{from}` was taken for `{to}`"),
        }
    }
}

/// Adds a repair once.
pub(super) fn note(repairs: &mut Vec<Repair>, repair: Repair) {
    if !repairs.contains(&repair) {
        repairs.push(repair);
    }
}
