//! The known providers, from `providers.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Dialect, WireProtocol};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownProvider {
    pub name: String,
    pub wire: WireProtocol,
    /// Names in braces are environment variables: `https://{AZURE_RESOURCE_NAME}.…`.
    pub base_url: Option<String>,
    /// Environment variables for its key, the vendor's own name first.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Other ids that users write for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The AI SDK packages by which an OpenCode configuration names it.
    #[serde(default)]
    pub npm: Vec<String>,
    /// The page where users create a key.
    pub key_page: Option<String>,
    pub default_model: Option<String>,
    pub small_model: Option<String>,
    /// A server that users run on their own machine.
    #[serde(default)]
    pub local: bool,
    /// `owned_by` values in its model list, which distinguish servers that share a port.
    #[serde(default)]
    pub owned_by: Vec<String>,
    /// The environment variable that sets a local server's address.
    pub host_env: Option<String>,
    #[serde(default)]
    pub dialect: Dialect,
}

static TABLE: LazyLock<BTreeMap<String, KnownProvider>> =
    // A test parses the file; an unreadable one would leave only the user's own providers.
    LazyLock::new(|| serde_json::from_str(include_str!("providers.json")).unwrap_or_default());

pub fn all() -> impl Iterator<Item = (&'static str, &'static KnownProvider)> {
    TABLE.iter().map(|(id, known)| (id.as_str(), known))
}

/// Looks up an id or alias.
pub fn by_id(id: &str) -> Option<&'static KnownProvider> {
    TABLE.get(id).or_else(|| TABLE.values().find(|known| known.aliases.iter().any(|alias| alias == id)))
}

/// The canonical id for an id or alias.
pub fn canonical_id(id: &str) -> Option<&'static str> {
    let is = |known: &KnownProvider| known.aliases.iter().any(|alias| alias == id);
    TABLE.iter().find(|(own, known)| *own == id || is(known)).map(|(own, _)| own.as_str())
}

/// Looks up the package that an OpenCode configuration names.
pub fn by_npm(package: &str) -> Option<&'static KnownProvider> {
    TABLE.values().find(|known| known.npm.iter().any(|npm| npm == package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn the_data_is_readable_and_its_models_exist() {
        let table: BTreeMap<String, KnownProvider> =
            serde_json::from_str(include_str!("providers.json")).unwrap();
        assert!(table.len() > 20);
        for (id, known) in &table {
            for model in [&known.default_model, &known.small_model].into_iter().flatten() {
                let listed = catalogue::models_of(id).iter().any(|info| info.id == *model && info.tools);
                assert!(listed, "{id}: {model} is in the catalogue and can call tools");
            }
            if let Some(url) = known.base_url.as_deref().filter(|url| !url.contains('{')) {
                let url = reqwest::Url::parse(url).unwrap();
                assert!(!url.path().ends_with('/') || url.path() == "/", "{id}: no slash at the end");
            }
            assert!(
                known.local || known.keys.iter().all(|name| name.ends_with("_KEY")),
                "{id}: names of keys"
            );
        }
    }
}
