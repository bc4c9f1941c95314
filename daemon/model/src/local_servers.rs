//! Servers on this machine: who answers on the usual ports, and with which models.
//!
//! All are asked at the same time, each within a short limit, and never at start-up: only one who wants to see the list
//! waits for it. What answers may be any program: bodies are capped and only a list of models is believed.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::catalogue::{self, ModelSpec};
use crate::provider::{Provider, known_providers};
use crate::registry::ModelRegistry;

/// A connection to a port of one's own machine is refused or made at once; a model being loaded may keep it waiting.
pub const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

const LARGEST_LIST: usize = 1024 * 1024;

const LONGEST_NAME: usize = 256;

#[derive(Debug, Clone)]
pub struct LocalServer {
    pub models: Vec<ModelSpec>,
}

#[derive(Deserialize)]
struct LocalModelList {
    #[serde(deserialize_with = "readable")]
    data: Vec<LocalModelEntry>,
}

#[derive(Deserialize, Clone)]
struct LocalModelEntry {
    id: String,
    owned_by: Option<String>,
    /// vLLM's context length.
    max_model_len: Option<u64>,
    /// llama.cpp's facts of the model.
    meta: Option<LlamaCppMeta>,
}

#[derive(Deserialize, Clone)]
struct LlamaCppMeta {
    n_ctx: Option<u64>,
    n_ctx_train: Option<u64>,
}

/// Asks every local provider that the registry has, by id.
pub async fn find_servers(registry: &ModelRegistry, patience: Duration) -> BTreeMap<String, LocalServer> {
    let mut by_address: BTreeMap<String, Vec<Provider>> = BTreeMap::new();
    for provider in registry.local_providers() {
        by_address.entry(provider.base_url.clone()).or_default().push(provider);
    }
    let mut asked = JoinSet::new();
    for (address, providers) in by_address {
        let client = providers.first().and_then(|provider| registry.client(provider).ok());
        let Some(http) = client else { continue };
        asked.spawn(async move {
            let key = providers.iter().find_map(|provider| provider.key.clone());
            let request = http.get(format!("{address}/models"));
            let request = match key {
                Some(key) => request.bearer_auth(key.secret.expose()),
                None => request,
            };
            let list = tokio::time::timeout(patience, fetch(request)).await.ok().flatten()?;
            identify_provider(&providers, &list)
                .map(|id| (id, LocalServer { models: list.data.into_iter().map(info).collect() }))
        });
    }
    asked.join_all().await.into_iter().flatten().collect()
}

async fn fetch(request: reqwest::RequestBuilder) -> Option<LocalModelList> {
    let mut response = request.send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > LARGEST_LIST {
            return None;
        }
    }
    serde_json::from_slice(&body).ok()
}

/// One odd entry hides none of the others.
fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LocalModelEntry>, D::Error> {
    let entries = Vec::<Value>::deserialize(deserializer)?.into_iter();
    let entries = entries.filter_map(|entry| serde_json::from_value::<LocalModelEntry>(entry).ok());
    Ok(entries.filter(|entry| is_name(&entry.id)).collect())
}

/// Whether it could be typed after `PROVIDER/`: whoever answers is not to write anything else to the terminal.
fn is_name(id: &str) -> bool {
    let odd = |character: char| character.is_control() || character.is_whitespace();
    (1..=LONGEST_NAME).contains(&id.len()) && !id.contains(odd)
}

/// Several programs like one port. `owned_by` tells most of them apart; else it is one that leaves no such mark.
fn identify_provider(providers: &[Provider], list: &LocalModelList) -> Option<String> {
    let owners: Vec<_> = list.data.iter().filter_map(|entry| entry.owned_by.as_deref()).collect();
    let marks = |provider: &Provider| {
        known_providers::by_id(&provider.id).map(|known| known.owned_by.as_slice()).unwrap_or_default()
    };
    let marked =
        providers.iter().find(|provider| marks(provider).iter().any(|mark| owners.contains(&mark.as_str())));
    let unmarked = || providers.iter().find(|provider| marks(provider).is_empty());
    marked.or_else(unmarked).or(providers.first()).map(|provider| provider.id.clone())
}

/// What the server says of a model's context is truer than any table: it is what it was started with.
fn info(entry: LocalModelEntry) -> ModelSpec {
    let told = entry.max_model_len.or(entry.meta.and_then(|meta| meta.n_ctx.or(meta.n_ctx_train)));
    let info = ModelSpec { cost: None, ..catalogue::look_up("", &entry.id) };
    match told.filter(|context| *context > 0) {
        Some(context) => ModelSpec { context, output: info.output.min(context), known: true, ..info },
        None => info,
    }
}
