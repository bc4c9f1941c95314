//! What can be used now, and what is missing for the rest.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Registry;
use super::settle::Missing;
use crate::catalogue::{self, ModelInfo};
use crate::local::Found;
use crate::offline;
use crate::provider::{Wire, known};

#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    pub id: String,
    pub name: String,
    pub wire: Wire,
    pub local: bool,
    #[serde(flatten)]
    pub state: State,
    /// What there is to say of it beside its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
    /// Models to choose from. Others work too where the server has them.
    pub models: Vec<ModelInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// `key` says where the key came from, never what it is.
    Usable {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// `what` is the whole advice, `brief` its first step for a list of many.
    Missing { what: String, brief: String },
}

impl Listing {
    pub fn is_usable(&self) -> bool {
        matches!(self.state, State::Usable { .. })
    }
}

impl Registry {
    /// Usable ones first, then by name. `found` are the local servers that answered.
    pub fn list(&self, found: &BTreeMap<String, Found>) -> Vec<Listing> {
        let mut list: Vec<_> = self.ids().iter().filter_map(|id| self.listing(id, found.get(id))).collect();
        list.sort_by_cached_key(|listing| {
            (!listing.is_usable(), listing.note.is_some(), listing.name.to_lowercase())
        });
        list
    }

    /// The model to use where nobody chose: that of the first usable provider that has one, else the one that is built
    /// in.
    pub fn default_model(&self) -> Option<String> {
        let offline = || self.has_offline().then(|| offline::NAME.to_owned());
        self.preferred(|known| known.default_model.as_deref()).or_else(offline)
    }

    pub fn default_small_model(&self) -> Option<String> {
        self.preferred(|known| known.small_model.as_deref())
    }

    fn preferred(&self, pick: impl Fn(&'static known::Known) -> Option<&'static str>) -> Option<String> {
        // The makers of the models that are used most for this work first, then the others in their order.
        let favourites = ["anthropic", "openai", "google"].map(str::to_owned);
        let others = self.ids().into_iter().filter(|id| !favourites.contains(id));
        favourites.iter().cloned().chain(others).find_map(|id| {
            let model = pick(known::by_id(&id)?)?;
            self.usable(&id).ok().map(|_| format!("{id}/{model}"))
        })
    }

    fn listing(&self, id: &str, found: Option<&Found>) -> Option<Listing> {
        let settled = match self.settle(id) {
            Ok(settled) => settled,
            Err(error) => {
                let brief = error.message.lines().next().unwrap_or_default().to_owned();
                let state = State::Missing { what: error.message, brief };
                return Some(Listing {
                    id: id.to_owned(),
                    name: id.to_owned(),
                    wire: Wire::OpenaiChat,
                    local: false,
                    state,
                    note: None,
                    models: Vec::new(),
                });
            }
        };
        let provider = settled.provider;
        let is_configured = self.settings.providers.contains_key(id);
        let silent = provider.local && found.is_none();
        // A local server that is neither configured nor running is of no interest to anyone.
        if silent && !is_configured {
            return None;
        }
        let state = match settled.missing {
            Some(Missing { what, brief }) => State::Missing { what, brief },
            None if silent => {
                let what = format!("Nothing answers at {}: is it running?", provider.shown_address());
                State::Missing { brief: what.clone(), what }
            }
            None => State::Usable { key: provider.key.as_ref().map(|key| key.origin.to_string()) },
        };
        let is_offline = id == offline::ID && self.has_offline();
        let models = if is_offline { vec![offline::info()] } else { self.models(id, &provider, found) };
        Some(Listing {
            id: id.to_owned(),
            name: provider.name,
            wire: provider.wire,
            local: provider.local,
            state,
            note: is_offline.then_some(offline::NOTE),
            models,
        })
    }

    /// The user's own first, then what the server told, else what the catalogue lists.
    fn models(
        &self,
        id: &str,
        provider: &crate::provider::Provider,
        found: Option<&Found>,
    ) -> Vec<ModelInfo> {
        let settings = self.settings.providers.get(id);
        let configured = settings.map(|settings| settings.models.as_slice()).unwrap_or_default();
        let mut models: Vec<(String, ModelInfo)> = Vec::new();
        for (name, _) in configured.iter().filter(|(_, model)| !model.disabled) {
            models.push((name.clone(), self.info(provider, name)));
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
        // A person names a model by its name in the configuration, whatever it is called on the wire.
        models.into_iter().map(|(name, info)| ModelInfo { id: name, ..info }).collect()
    }
}
