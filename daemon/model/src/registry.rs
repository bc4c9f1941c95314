//! All providers, known and configured, resolved from settings, environment and stored keys.
//!
//! Nothing here touches the network or the disk.
//!
//! Invariant: no request goes to an address that only a repository named, except on this machine, and then
//! without any of the user's keys.

pub mod local_servers;
mod local_window;
mod provider_listing;
mod resolve_provider;

use std::collections::BTreeMap;

pub use local_window::find_local_window;
pub use provider_listing::{ProviderListing, ProviderState};

use crate::catalogue::{self, ModelSpec};
use crate::error::ModelError;
use crate::http::HttpClients;
use crate::model::{Model, RequestDefaults};
use crate::offline;
use crate::provider::{ApiKey, Provider, SecretString, WireProtocol, known_providers};
use crate::settings::{ModelSettings, RegistrySettings};
use crate::web_fetch::{self, FetchError, FetchedText};

/// Looks up an environment variable; a function, so that tests need not change the process.
pub type VariableLookup = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

pub struct ModelRegistry {
    settings: RegistrySettings,
    /// By provider, from `copydesk auth`.
    keys: BTreeMap<String, SecretString>,
    environment: VariableLookup,
    clients: HttpClients,
}

impl std::fmt::Debug for ModelRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelRegistry").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl ModelRegistry {
    pub fn new(
        settings: RegistrySettings,
        keys: BTreeMap<String, SecretString>,
        environment: VariableLookup,
    ) -> Self {
        Self { settings, keys, environment, clients: HttpClients::default() }
    }

    /// Resolves `PROVIDER/MODEL`. The model need not be in the catalogue.
    pub fn model(&self, name: &str) -> Result<Model, ModelError> {
        if (name == offline::ID || name == offline::MODEL_NAME) && self.has_offline() {
            return Ok(Model::offline());
        }
        let Some((provider_id, model_id)) = name.split_once('/') else {
            return Err(ModelError::invalid_settings(self.missing_provider_message(name)));
        };
        let mut provider = self.usable_provider(provider_id)?;
        if model_id.is_empty() {
            return Err(ModelError::invalid_settings(format!(
                "`{name}` names no model: write PROVIDER/MODEL."
            )));
        }
        let info = self.model_spec(&provider, model_id);
        let mut defaults = RequestDefaults::default();
        if let Some(settings) = self.model_settings(provider_id, model_id) {
            defaults = settings.defaults.clone();
            provider
                .headers
                .extend(settings.headers.iter().map(|(name, value)| (name.clone(), value.value.clone())));
        }
        let http = self.client(&provider)?;
        Ok(Model::new(provider, info, http, self.settings.policy).with_defaults(defaults))
    }

    /// Returns the provider if it is fully set up, otherwise an error that says what is missing.
    pub fn usable_provider(&self, id: &str) -> Result<Provider, ModelError> {
        let settled = self.resolve_provider(id)?;
        match settled.missing {
            None => Ok(settled.provider),
            Some(missing) => Err(ModelError::invalid_settings(missing.advice)),
        }
    }

    /// Whether the provider exists, set up or not.
    pub fn check_provider(&self, id: &str) -> Result<(), ModelError> {
        self.resolve_provider(id).map(|_| ())
    }

    /// The id that lists and stored keys use, for an id as the user wrote it.
    pub fn canonical_id<'a>(&self, id: &'a str) -> &'a str {
        if self.settings.providers.contains_key(id) {
            id
        } else {
            known_providers::canonical_id(id).unwrap_or(id)
        }
    }

    /// The key for requests to this provider.
    pub fn key_in_use(&self, id: &str) -> Option<ApiKey> {
        self.resolve_provider(id).ok()?.provider.key
    }

    /// The keys for requests, by provider.
    pub fn keys_in_use(&self) -> Vec<(String, ApiKey)> {
        let settled =
            self.ids().into_iter().filter_map(|id| Some((id.clone(), self.resolve_provider(&id).ok()?)));
        settled.filter_map(|(id, settled)| Some((id, settled.provider.key?))).collect()
    }

    pub(crate) fn client(&self, provider: &Provider) -> Result<reqwest::Client, ModelError> {
        self.clients.client_for(&provider.base_url)
    }

    /// Fetches at most `most` bytes of text from a web address. The future does not borrow the registry.
    pub fn fetch(
        &self,
        address: &str,
        most: usize,
    ) -> impl Future<Output = Result<FetchedText, FetchError>> + Send + 'static {
        let client = self.clients.client_for(address).map_err(|error| FetchError::Transport(error.message));
        web_fetch::fetch(client, address.to_owned(), most)
    }

    fn model_spec(&self, provider: &Provider, model_id: &str) -> ModelSpec {
        let mut info = catalogue::look_up(&provider.id, model_id);
        // Every server of this wire accepts cache marks, and without them each step pays for the whole
        // conversation.
        info.caching |= !info.known && provider.wire == WireProtocol::Anthropic;
        if !provider.is_local && !provider.is_loopback() {
            info = info.served_remotely();
        }
        match self.model_settings(&provider.id, model_id) {
            Some(settings) => settings.apply_to(info, provider.wire),
            None => info,
        }
    }

    fn model_settings(&self, provider_id: &str, model_id: &str) -> Option<&ModelSettings> {
        let models = &self.settings.providers.get(provider_id)?.models;
        models.iter().find(|(id, _)| id == model_id).map(|(_, settings)| settings)
    }

    /// Every provider, known or configured, that is enabled.
    fn ids(&self) -> Vec<String> {
        let known =
            known_providers::all().filter(|(_, known)| known.base_url.is_some()).map(|(id, _)| id.to_owned());
        let offline = std::iter::once(offline::ID.to_owned());
        let mut ids: Vec<_> = known.chain(self.settings.providers.keys().cloned()).chain(offline).collect();
        ids.sort();
        ids.dedup();
        ids.retain(|id| self.is_enabled(id));
        ids
    }

    /// The local servers that can be probed for their models.
    pub(crate) fn local_providers(&self) -> Vec<Provider> {
        let settled = self.ids().into_iter().filter_map(|id| self.usable_provider(&id).ok());
        settled.filter(|provider| provider.is_local).collect()
    }

    /// Whether the built-in model is enabled and no configured provider has its name.
    fn has_offline(&self) -> bool {
        self.is_enabled(offline::ID) && !self.settings.providers.contains_key(offline::ID)
    }

    fn is_enabled(&self, id: &str) -> bool {
        let wanted = self.settings.enabled.as_ref().is_none_or(|only| only.iter().any(|other| other == id));
        wanted && !self.settings.disabled.iter().any(|other| other == id)
    }

    fn missing_provider_message(&self, name: &str) -> String {
        let offers = |id: &String| catalogue::models_of(id).iter().any(|info| info.id == name);
        match self.ids().into_iter().find(offers) {
            Some(id) => format!("`{name}` names no provider: write {id}/{name}."),
            None => {
                format!("`{name}` names no provider: write PROVIDER/MODEL. `copydesk models` lists them.")
            }
        }
    }

    fn unknown_provider_message(&self, id: &str) -> String {
        let ids = self.ids();
        let nearest = ids
            .iter()
            .map(|other| (strsim::jaro_winkler(id, other), other))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let hint = nearest.map(|(_, other)| format!(" Did you mean `{other}`?")).unwrap_or_default();
        let is_one = id == offline::ID
            || known_providers::by_id(id).is_some()
            || self.settings.providers.contains_key(id);
        if !is_one {
            format!(
                "There is no provider `{id}`.{hint}\n`copydesk models` lists them; provider.{id} in copydesk.jsonc \
                 defines your own (wire, options.baseURL)."
            )
        } else {
            format!("The provider `{id}` is disabled by enabled_providers or disabled_providers.")
        }
    }
}

#[cfg(test)]
mod tests;
