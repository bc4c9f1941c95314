//! Lists the usable providers, and what the others lack.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ModelRegistry;
use super::local_servers::LocalServer;
use super::resolve_provider::MissingSetup;
use crate::catalogue::{self, ModelSpec};
use crate::offline;
use crate::provider::{WireProtocol, known_providers};

#[derive(Debug, Clone, Serialize)]
pub struct ProviderListing {
    pub id: String,
    pub name: String,
    pub wire: WireProtocol,
    pub local: bool,
    #[serde(flatten)]
    pub state: ProviderState,
    /// A remark for the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
    /// Known models. Others work too if the server has them.
    pub models: Vec<ModelSpec>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ProviderState {
    /// `key` names the key's origin, never the key.
    Usable {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// `what` is the full advice, `brief` its first step for a list of many.
    Missing { what: String, brief: String },
}

impl ProviderListing {
    pub fn is_usable(&self) -> bool {
        matches!(self.state, ProviderState::Usable { .. })
    }

    /// Whether it is the built-in model.
    pub fn is_offline(&self) -> bool {
        self.note.is_some()
    }
}

impl ModelRegistry {
    /// Usable providers first, then by name. `found` holds the local servers that answered.
    pub fn list(&self, found: &BTreeMap<String, LocalServer>) -> Vec<ProviderListing> {
        let mut list: Vec<_> =
            self.ids().iter().filter_map(|id| self.list_provider(id, found.get(id))).collect();
        list.sort_by_cached_key(|listing| {
            (!listing.is_usable(), listing.note.is_some(), listing.name.to_lowercase())
        });
        list
    }

    /// The model when the user chose none: the default of the first usable provider that has one, else the
    /// built-in model.
    pub fn default_model(&self) -> Option<String> {
        let offline = || self.has_offline().then(|| offline::MODEL_NAME.to_owned());
        self.preferred_model(|known| known.default_model.as_deref()).or_else(offline)
    }

    pub fn default_small_model(&self) -> Option<String> {
        self.preferred_model(|known| known.small_model.as_deref())
    }

    fn preferred_model(
        &self,
        pick: impl Fn(&'static known_providers::KnownProvider) -> Option<&'static str>,
    ) -> Option<String> {
        // The makers of the models most used for coding first, then the others in order.
        let favourites = ["anthropic", "openai", "google"].map(str::to_owned);
        let others = self.ids().into_iter().filter(|id| !favourites.contains(id));
        favourites.iter().cloned().chain(others).find_map(|id| {
            let model = pick(known_providers::by_id(&id)?)?;
            self.usable_provider(&id).ok().map(|_| format!("{id}/{model}"))
        })
    }

    fn list_provider(&self, id: &str, found: Option<&LocalServer>) -> Option<ProviderListing> {
        let settled = match self.resolve_provider(id) {
            Ok(settled) => settled,
            Err(error) => {
                let brief = error.message.lines().next().unwrap_or_default().to_owned();
                let state = ProviderState::Missing { what: error.message, brief };
                return Some(ProviderListing {
                    id: id.to_owned(),
                    name: id.to_owned(),
                    wire: WireProtocol::OpenaiChat,
                    local: false,
                    state,
                    note: None,
                    models: Vec::new(),
                });
            }
        };
        let provider = settled.provider;
        let is_configured = self.settings.providers.contains_key(id);
        let silent = provider.is_local && found.is_none();
        // Hide a local server that is neither configured nor running.
        if silent && !is_configured {
            return None;
        }
        let state = match settled.missing {
            Some(MissingSetup { advice: what, brief }) => ProviderState::Missing { what, brief },
            None if silent => {
                let what = format!("Nothing answers at {}: is it running?", provider.redacted_address());
                ProviderState::Missing { brief: what.clone(), what }
            }
            None => ProviderState::Usable { key: provider.key.as_ref().map(|key| key.origin.to_string()) },
        };
        let is_offline = id == offline::ID && self.has_offline();
        let models = if is_offline { vec![offline::info()] } else { self.models(id, &provider, found) };
        Some(ProviderListing {
            id: id.to_owned(),
            name: provider.name,
            wire: provider.wire,
            local: provider.is_local,
            state,
            note: is_offline.then_some(offline::DESCRIPTION),
            models,
        })
    }

    /// The configured models first, then those the server reported, or else the catalogue's.
    fn models(
        &self,
        id: &str,
        provider: &crate::provider::Provider,
        found: Option<&LocalServer>,
    ) -> Vec<ModelSpec> {
        let settings = self.settings.providers.get(id);
        let configured = settings.map(|settings| settings.models.as_slice()).unwrap_or_default();
        let mut models: Vec<(String, ModelSpec)> = Vec::new();
        for (name, _) in configured.iter().filter(|(_, model)| !model.disabled) {
            models.push((name.clone(), self.model_spec(provider, name)));
        }
        let offered = match found {
            Some(found) => found.models.clone(),
            None => catalogue::models_of(id),
        };
        for info in offered {
            if !configured.iter().any(|(name, _)| *name == info.id) {
                models.push((info.id.clone(), info));
            }
        }
        models.retain(|(name, _)| {
            settings.is_none_or(|settings| {
                let wanted = settings.whitelist.is_empty() || settings.whitelist.contains(name);
                wanted && !settings.blacklist.contains(name)
            })
        });
        // Users name a model as in the configuration, whatever its name on the wire.
        models.into_iter().map(|(name, info)| ModelSpec { id: name, ..info }).collect()
    }
}
