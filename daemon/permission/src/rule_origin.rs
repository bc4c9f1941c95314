//! Where a rule stands, for the user who is asked because of it.

use std::fmt;
use std::sync::Arc;

use crate::PermissionPreset;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RuleOrigin {
    #[default]
    BuiltIn,
    Preset(PermissionPreset),
    /// `FILE:LINE:COLUMN`
    Configuration(Arc<str>),
    /// The agent's name.
    Agent(Arc<str>),
}

impl fmt::Display for RuleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::Preset(preset) => write!(f, "preset {preset}"),
            Self::Configuration(place) => f.write_str(place),
            Self::Agent(name) => write!(f, "agent {name}"),
        }
    }
}
