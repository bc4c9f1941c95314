//! Setting up a provider, in a terminal or in an editor: what there is, and the key that the user types.
//!
//! Invariant: no error contains a key.

use copydesk_config::LoadedConfig;
use copydesk_config::keys::KeyStore;
use copydesk_model::provider::{KeyOrigin, known_providers};
use copydesk_model::time_limits::PROBE_TIMEOUT;
use copydesk_model::{ModelRegistry, ProviderListing, ProviderState, local_servers};
use copydesk_protocol::provider::ProviderInfo;

use crate::setup::UserSetup;

/// No key is longer.
pub const MAX_KEY_BYTES: usize = 16 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// The provider's id in lists and in the file.
    pub provider: String,
    pub has_replaced: bool,
    /// Another key that takes precedence over this one.
    pub overridden_by: Option<KeyOrigin>,
}

/// All providers, after a search for the servers of this machine.
pub async fn list_with_servers(registry: &ModelRegistry) -> Vec<ProviderListing> {
    registry.list(&local_servers::find_servers(registry, PROBE_TIMEOUT).await)
}

/// What a client is told about a provider.
pub fn provider_info(listing: ProviderListing) -> ProviderInfo {
    let usable = listing.is_usable();
    let (key, missing) = match listing.state {
        ProviderState::Usable { key } => (key, None),
        ProviderState::Missing { what, .. } => (None, Some(what)),
    };
    let key_page = known_providers::by_id(&listing.id).and_then(|known| known.key_page.clone());
    ProviderInfo { id: listing.id, name: listing.name, local: listing.local, usable, key, missing, key_page }
}

/// Checks the provider and the key, and stores it.
pub fn store_key(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    provider: &str,
    typed: &str,
) -> anyhow::Result<StoredKey> {
    let registry = setup.registry(loaded)?;
    registry.check_provider(provider)?;
    let provider = registry.canonical_id(provider);
    let key = check_key(typed)?;
    let has_replaced = KeyStore::add(&setup.paths.data_dir, provider, key)?;
    // The key is stored; check which key is in use now.
    let in_use = setup.registry(loaded)?.key_in_use(provider).map(|key| key.origin);
    let overridden_by = in_use.filter(|origin| *origin != KeyOrigin::Store);
    Ok(StoredKey { provider: provider.to_owned(), has_replaced, overridden_by })
}

fn check_key(typed: &str) -> anyhow::Result<&str> {
    anyhow::ensure!(
        typed.len() <= MAX_KEY_BYTES,
        "a key has at most {MAX_KEY_BYTES} bytes; nothing was changed"
    );
    let key = typed.trim();
    anyhow::ensure!(!key.is_empty(), "no key was given; nothing was changed");
    let is_invalid = |character: char| character.is_whitespace() || character.is_control();
    anyhow::ensure!(
        !key.contains(is_invalid),
        "a key has no spaces or control characters; nothing was changed"
    );
    Ok(key)
}
