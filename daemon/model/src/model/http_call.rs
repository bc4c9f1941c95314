//! Turns an encoded request into an HTTP call that can be repeated.

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};

use crate::error::ModelError;
use crate::provider::{AuthScheme, Provider};
use crate::wire::EncodedRequest;

#[derive(Debug)]
pub(super) struct HttpCall {
    http: Client,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
}

impl HttpCall {
    pub(super) fn body_bytes(&self) -> usize {
        self.body.len()
    }

    pub(super) async fn send(&self) -> Result<reqwest::Response, reqwest::Error> {
        let request = self.http.post(self.url.clone()).headers(self.headers.clone()).body(self.body.clone());
        request.send().await
    }
}

pub(super) fn prepare(
    http: &Client,
    provider: &Provider,
    encoded: EncodedRequest,
) -> Result<HttpCall, ModelError> {
    let url = url(provider, &encoded.path)?;
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = &provider.key {
        let secret = key.secret.expose();
        let (name, value) = match provider.dialect.auth.unwrap_or(provider.wire.default_auth()) {
            AuthScheme::Bearer => ("authorization", format!("Bearer {secret}")),
            AuthScheme::XApiKey => ("x-api-key", secret.to_owned()),
            AuthScheme::XGoogApiKey => ("x-goog-api-key", secret.to_owned()),
            AuthScheme::ApiKey => ("api-key", secret.to_owned()),
        };
        let value = sensitive(&value).ok_or_else(|| {
            let (name, advice) = (&provider.name, provider.key_advice());
            ModelError::invalid_settings(format!(
                "The key for {name} from {} contains invalid characters, such as a line break or a quote.\n{advice}",
                key.origin
            ))
        })?;
        headers.insert(HeaderName::from_static(name), value);
    }
    let own = encoded.headers.iter().map(|(name, value)| (*name, value.as_str()));
    let configured = provider.headers.iter().map(|(name, value)| (name.as_str(), value.expose()));
    for (name, value) in own.chain(configured) {
        let pair = HeaderName::from_bytes(name.as_bytes()).ok().zip(sensitive(value));
        let (header, value) = pair.ok_or_else(|| {
            ModelError::invalid_settings(format!(
                "provider.{}.options.headers: `{name}` is not a valid header.",
                provider.id
            ))
        })?;
        headers.insert(header, value);
    }
    Ok(HttpCall { http: http.clone(), url, headers, body: encoded.body.into() })
}

fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn url(provider: &Provider, path: &str) -> Result<Url, ModelError> {
    let text = format!("{}{path}", provider.base_url);
    let mut url = Url::parse(&text).map_err(|error| {
        let (id, base) = (&provider.id, provider.redacted_address());
        ModelError::invalid_settings(format!(
            "provider.{id}.options.baseURL: `{base}` is not a valid address: {error}. Expected http://… or https://…"
        ))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let (id, base) = (&provider.id, provider.redacted_address());
        return Err(ModelError::invalid_settings(format!(
            "provider.{id}.options.baseURL: `{base}` must begin with http:// or https://."
        )));
    }
    let query = provider.dialect.query.iter().chain(provider.query.iter().map(|(name, value)| (name, value)));
    for (name, value) in query {
        url.query_pairs_mut().append_pair(name, value);
    }
    Ok(url)
}
