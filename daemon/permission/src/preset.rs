//! Presets: what runs unasked, in one word.

use std::fmt;

use serde::{Deserialize, Serialize};

/// From the strictest to the most lenient, so that the stricter of two is the smaller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PermissionPreset {
    /// Everything that changes or runs something asks.
    Careful,
    /// As `Careful`, but commands that only read run unasked.
    #[default]
    Normal,
    /// Edits and commands inside the workspace run unasked.
    Trusting,
}

impl PermissionPreset {
    pub const ALL: [Self; 3] = [Self::Careful, Self::Normal, Self::Trusting];

    pub fn name(self) -> &'static str {
        match self {
            Self::Careful => "careful",
            Self::Normal => "normal",
            Self::Trusting => "trusting",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

impl fmt::Display for PermissionPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
