//! Finds model servers on this machine's usual ports, and their models.
//!
//! All ports are probed in parallel, each with a short timeout, and never at start-up: only a user who opens
//! the list waits. Any program may answer, so bodies are capped and only a valid model list counts.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::catalogue::{self, ModelSpec};
use crate::provider::{Provider, known_providers};
use crate::registry::ModelRegistry;

const MAX_LIST_BYTES: usize = 1024 * 1024;

const MAX_NAME_BYTES: usize = 256;

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
    /// Context length, from vLLM.
    max_model_len: Option<u64>,
    /// From llama.cpp.
    meta: Option<LlamaCppMeta>,
}

#[derive(Deserialize, Clone)]
struct LlamaCppMeta {
    n_ctx: Option<u64>,
    n_ctx_train: Option<u64>,
}

/// Probes every local provider of the registry; the result is keyed by provider id.
pub async fn find_servers(registry: &ModelRegistry, limit: Duration) -> BTreeMap<String, LocalServer> {
    let mut by_address: BTreeMap<String, Vec<Provider>> = BTreeMap::new();
    for provider in registry.local_providers() {
        by_address.entry(provider.base_url.clone()).or_default().push(provider);
    }
    let mut probes = JoinSet::new();
    for (address, providers) in by_address {
        let client = providers.first().and_then(|provider| registry.client(provider).ok());
        let Some(http) = client else { continue };
        probes.spawn(async move {
            let key = providers.iter().find_map(|provider| provider.key.clone());
            let request = http.get(format!("{address}/models"));
            let request = match key {
                Some(key) => request.bearer_auth(key.secret.expose()),
                None => request,
            };
            let list = tokio::time::timeout(limit, fetch(request)).await.ok().flatten()?;
            identify_provider(&providers, &list)
                .map(|id| (id, LocalServer { models: list.data.into_iter().map(info).collect() }))
        });
    }
    probes.join_all().await.into_iter().flatten().collect()
}

async fn fetch(request: reqwest::RequestBuilder) -> Option<LocalModelList> {
    serde_json::from_value(fetch_json(request).await?).ok()
}

/// A body of JSON, up to a cap.
pub(super) async fn fetch_json(request: reqwest::RequestBuilder) -> Option<Value> {
    let mut response = request.send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_LIST_BYTES {
            return None;
        }
    }
    serde_json::from_slice(&body).ok()
}

/// Skips unreadable entries and keeps the others.
fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LocalModelEntry>, D::Error> {
    let entries = Vec::<Value>::deserialize(deserializer)?.into_iter();
    let entries = entries.filter_map(|entry| serde_json::from_value::<LocalModelEntry>(entry).ok());
    Ok(entries.filter(|entry| is_name(&entry.id)).collect())
}

/// Whether a user could type it after `PROVIDER/`. Keeps a foreign program from writing control characters to
/// the terminal.
fn is_name(id: &str) -> bool {
    let odd = |character: char| character.is_control() || character.is_whitespace();
    (1..=MAX_NAME_BYTES).contains(&id.len()) && !id.contains(odd)
}

/// Several programs share a port. `owned_by` identifies most; otherwise take the provider without such a
/// mark.
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

/// The server's context size wins over any table: it is the size it was started with.
fn info(entry: LocalModelEntry) -> ModelSpec {
    let reported = entry.max_model_len.or(entry.meta.and_then(|meta| meta.n_ctx.or(meta.n_ctx_train)));
    let info = ModelSpec { cost: None, ..catalogue::look_up("", &entry.id) };
    match reported.filter(|context| *context > 0) {
        Some(context) => ModelSpec {
            context,
            output: info.output.min(context),
            is_context_assumed: false,
            known: true,
            ..info
        },
        None => info,
    }
}
