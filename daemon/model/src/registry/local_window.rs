//! Asks a model server on this machine how large the context is that it serves a model with.
//!
//! A local server chooses the size when it loads the model, so no table knows it. Any program may answer: bodies are capped, and an
//! answer that is not understood counts as none.

use std::time::Duration;

use reqwest::Client;
use serde_json::Value;

use super::local_servers::fetch_json;
use crate::catalogue::MIN_CONTEXT;
use crate::provider::Provider;
use crate::registry::ModelRegistry;

/// The context in tokens, if the server tells it within the time.
pub async fn find_local_window(
    registry: &ModelRegistry,
    provider: &Provider,
    model: &str,
    limit: Duration,
) -> Option<u64> {
    let http = registry.client(provider).ok().filter(|_| provider.is_local)?;
    let base = provider.base_url.as_str();
    let root = base.strip_suffix("/v1").unwrap_or(base);
    let (running, loaded, listed) =
        (format!("{root}/api/ps"), format!("{root}/api/v0/models"), format!("{base}/models"));
    let asked = async {
        tokio::join!(
            ask(&http, provider, &running),
            ask(&http, provider, &loaded),
            ask(&http, provider, &listed)
        )
    };
    let (running, loaded, listed) = tokio::time::timeout(limit, asked).await.ok()?;
    // What runs is more certain than what a list says.
    [running, loaded, listed].into_iter().flatten().find_map(|list| window_in(&list, model))
}

async fn ask(http: &Client, provider: &Provider, address: &str) -> Option<Value> {
    let request = http.get(address);
    fetch_json(match &provider.key {
        Some(key) => request.bearer_auth(key.secret.expose()),
        None => request,
    })
    .await
}

/// Ollama, LM Studio, vLLM and llama.cpp have a list of models, and each another field for the size.
fn window_in(list: &Value, model: &str) -> Option<u64> {
    let entries = ["models", "data"].iter().find_map(|name| list.get(name)?.as_array())?;
    let is_model = |entry: &&Value| {
        let names = ["id", "name", "model"].iter().filter_map(|name| entry.get(name)?.as_str());
        names.into_iter().any(|name| name == model || name.strip_suffix(":latest") == Some(model))
    };
    let entry = entries.iter().find(is_model)?;
    let sizes = ["/context_length", "/loaded_context_length", "/max_model_len", "/meta/n_ctx"];
    sizes.iter().find_map(|size| entry.pointer(size)?.as_u64()).filter(|size| *size >= MIN_CONTEXT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_server_tells_the_size_in_its_own_field() {
        for (list, expected) in [
            (json!({ "models": [{ "name": "m:latest", "context_length": 8_192 }] }), Some(8_192)),
            (
                json!({ "data": [{ "id": "m", "state": "loaded", "loaded_context_length": 9_000 }] }),
                Some(9_000),
            ),
            (json!({ "data": [{ "id": "m", "max_model_len": 40_960 }] }), Some(40_960)),
            (
                json!({ "data": [{ "id": "m", "meta": { "n_ctx": 16_384, "n_ctx_train": 131_072 } }] }),
                Some(16_384),
            ),
            (json!({ "data": [{ "id": "m", "max_context_length": 131_072 }] }), None),
            (json!({ "data": [{ "id": "other", "max_model_len": 40_960 }] }), None),
            (json!({ "data": [{ "id": "m", "max_model_len": 7 }] }), None),
            (json!("no list"), None),
        ] {
            assert_eq!(window_in(&list, "m"), expected, "{list}");
        }
    }
}
