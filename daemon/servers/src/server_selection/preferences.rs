//! The user's configuration of language servers, as far as it is trusted.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use crate::known_servers::{KnownServer, RootMarkers};

#[derive(Debug, Clone, PartialEq)]
pub struct ServerPreferences {
    /// If false, no server starts.
    pub is_enabled: bool,
    /// By the name of a known server, or a name of the user's own.
    pub servers: BTreeMap<String, ServerOverride>,
}

impl Default for ServerPreferences {
    fn default() -> Self {
        Self { is_enabled: true, servers: BTreeMap::new() }
    }
}

/// Changes to a known server, or an unknown server. Empty fields change nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerOverride {
    pub is_disabled: bool,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// File name suffixes, including the dot, or whole file names.
    pub extensions: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub initialization: Value,
    pub settings: Value,
    pub roots: Vec<RootMarkers>,
    /// It serves beside the language's server, not in its place. Only for unknown servers.
    pub is_additional: bool,
}

impl ServerPreferences {
    pub(super) fn override_for(&self, known: &KnownServer) -> Option<&ServerOverride> {
        let mut names = std::iter::once(&known.name).chain(&known.aliases);
        names.find_map(|name| self.servers.get(name))
    }
}

impl ServerOverride {
    pub(super) fn matches_path(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.extensions.iter().any(|extension| !extension.is_empty() && name.ends_with(&**extension))
    }

    pub(super) fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        self.environment.iter().map(|(name, value)| (name.into(), Some(value.into()))).collect()
    }
}
