//! All providers there are: the known ones and the user's, settled from settings, environment and stored keys.
//!
//! Nothing here touches the network or the disk. Invariant: nothing goes to an address that only a
//! repository named, except to this machine, and there no key that the person owns.

mod listing;
mod settle;

use std::collections::BTreeMap;

pub use listing::{Listing, State};

use crate::catalogue::{self, ModelInfo};
use crate::error::Error;
use crate::fetch::{self, FetchError, Fetched};
use crate::http::Clients;
use crate::model::{Defaults, Model};
use crate::offline;
use crate::provider::{Key, Provider, Secret, Wire, known};
use crate::settings::{ModelSettings, Settings};

/// How environment variables are looked up; a function, so that tests need not change the process.
pub type Environment = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

pub struct Registry {
    settings: Settings,
    /// By provider, from `copydesk auth`.
    keys: BTreeMap<String, Secret>,
    environment: Environment,
    clients: Clients,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Registry {
    pub fn new(settings: Settings, keys: BTreeMap<String, Secret>, environment: Environment) -> Self {
        Self { settings, keys, environment, clients: Clients::default() }
    }

    /// The model that `PROVIDER/MODEL` names. The model may be one that the catalogue does not know.
    pub fn model(&self, name: &str) -> Result<Model, Error> {
        if (name == offline::ID || name == offline::NAME) && self.has_offline() {
            return Ok(Model::offline());
        }
        let Some((provider_id, model_id)) = name.split_once('/') else {
            return Err(Error::settings(self.without_provider(name)));
        };
        let mut provider = self.usable(provider_id)?;
        if model_id.is_empty() {
            return Err(Error::settings(format!("`{name}` names no model: write PROVIDER/MODEL.")));
        }
        let info = self.info(&provider, model_id);
        let mut defaults = Defaults::default();
        if let Some(settings) = self.configured(provider_id, model_id) {
            defaults = settings.defaults.clone();
            provider
                .headers
                .extend(settings.headers.iter().map(|(name, value)| (name.clone(), value.value.clone())));
        }
        let http = self.client(&provider)?;
        Ok(Model::new(provider, info, http, self.settings.policy).with_defaults(defaults))
    }

    /// A provider that is all set, or what is missing.
    pub fn usable(&self, id: &str) -> Result<Provider, Error> {
        let settled = self.settle(id)?;
        match settled.missing {
            None => Ok(settled.provider),
            Some(missing) => Err(Error::settings(missing.what)),
        }
    }

    /// Whether there is such a provider, set up or not.
    pub fn exists(&self, id: &str) -> Result<(), Error> {
        self.settle(id).map(|_| ())
    }

    /// The id under which a provider is listed and its key kept, for whatever id a person wrote.
    pub fn listed_id<'a>(&self, id: &'a str) -> &'a str {
        if self.settings.providers.contains_key(id) { id } else { known::id(id).unwrap_or(id) }
    }

    /// The key that requests to a provider would be sent with.
    pub fn key_in_use(&self, id: &str) -> Option<Key> {
        self.settle(id).ok()?.provider.key
    }

    /// The keys that requests would be sent with, by provider.
    pub fn keys_in_use(&self) -> Vec<(String, Key)> {
        let settled = self.ids().into_iter().filter_map(|id| Some((id.clone(), self.settle(&id).ok()?)));
        settled.filter_map(|(id, settled)| Some((id, settled.provider.key?))).collect()
    }

    pub(crate) fn client(&self, provider: &Provider) -> Result<reqwest::Client, Error> {
        self.clients.reaching(&provider.base_url)
    }

    /// The text at an address of the web, up to so many bytes. What it takes to fetch is settled here; the future stands
    /// alone.
    pub fn fetch(
        &self,
        address: &str,
        most: usize,
    ) -> impl Future<Output = Result<Fetched, FetchError>> + Send + 'static {
        let client = self.clients.reaching(address).map_err(|error| FetchError::Line(error.message));
        fetch::fetch(client, address.to_owned(), most)
    }

    fn info(&self, provider: &Provider, model_id: &str) -> ModelInfo {
        let mut info = catalogue::look_up(&provider.id, model_id);
        // All who speak this wire take its marks, and without them every step pays for the whole conversation.
        info.caching |= !info.known && provider.wire == Wire::Anthropic;
        match self.configured(&provider.id, model_id) {
            Some(settings) => settings.correct(info, provider.wire),
            None => info,
        }
    }

    fn configured(&self, provider_id: &str, model_id: &str) -> Option<&ModelSettings> {
        let models = &self.settings.providers.get(provider_id)?.models;
        models.iter().find(|(id, _)| id == model_id).map(|(_, settings)| settings)
    }

    /// Every provider that may exist: known or configured, and not switched off.
    fn ids(&self) -> Vec<String> {
        let known = known::all().filter(|(_, known)| known.base_url.is_some()).map(|(id, _)| id.to_owned());
        let offline = std::iter::once(offline::ID.to_owned());
        let mut ids: Vec<_> = known.chain(self.settings.providers.keys().cloned()).chain(offline).collect();
        ids.sort();
        ids.dedup();
        ids.retain(|id| self.is_enabled(id));
        ids
    }

    /// The local servers that could be asked for their models.
    pub(crate) fn local(&self) -> Vec<Provider> {
        let settled = self.ids().into_iter().filter_map(|id| self.usable(&id).ok());
        settled.filter(|provider| provider.local).collect()
    }

    /// Whether the model that is built in may be used, and no other provider has its name.
    fn has_offline(&self) -> bool {
        self.is_enabled(offline::ID) && !self.settings.providers.contains_key(offline::ID)
    }

    fn is_enabled(&self, id: &str) -> bool {
        let wanted = self.settings.only.as_ref().is_none_or(|only| only.iter().any(|other| other == id));
        wanted && !self.settings.disabled.iter().any(|other| other == id)
    }

    fn without_provider(&self, name: &str) -> String {
        let offers = |id: &String| catalogue::models_of(id).iter().any(|info| info.id == name);
        match self.ids().into_iter().find(offers) {
            Some(id) => format!("`{name}` names no provider: write {id}/{name}."),
            None => {
                format!("`{name}` names no provider: write PROVIDER/MODEL. `copydesk models` lists them.")
            }
        }
    }

    fn unknown_provider(&self, id: &str) -> String {
        let ids = self.ids();
        let nearest = ids
            .iter()
            .map(|other| (strsim::jaro_winkler(id, other), other))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let hint = nearest.map(|(_, other)| format!(" Did you mean `{other}`?")).unwrap_or_default();
        let is_one =
            id == offline::ID || known::by_id(id).is_some() || self.settings.providers.contains_key(id);
        if !is_one {
            format!(
                "There is no provider `{id}`.{hint}\n`copydesk models` lists them; provider.{id} in copydesk.jsonc \
                 makes one of your own (wire, options.baseURL)."
            )
        } else {
            format!("The provider `{id}` is switched off by enabled_providers or disabled_providers.")
        }
    }
}

#[cfg(test)]
mod tests;
