//! A search engine that the user configured, and requests to it.
//!
//! Its address may be anywhere, also on this machine: the user chose it. Redirects are not followed, because they would get
//! the key.

use std::time::Duration;

pub use copydesk_config::ConfigSecret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use serde_json::{Map, Value};
use url::Url;

use super::client::{self, Proxies};
use super::fetch::cause;
use super::template::{TemplateValues, fill_address};
use super::{json_search, mcp_search};
use crate::outcome::{ToolError, ToolErrorKind};

pub(super) const MAX_RESPONSE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub struct SearchEndpoint {
    /// A template. Secret, because some engines take their key in the address.
    pub url: ConfigSecret,
    pub headers: Vec<(String, ConfigSecret)>,
    pub timeout: Duration,
    pub protocol: SearchProtocol,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SearchProtocol {
    /// A tool of an MCP server over HTTP.
    Mcp { tool: String, arguments: Map<String, Value> },
    /// One request: a POST if it has a body.
    Json { body: Option<Value>, results: Option<String> },
}

/// The results of an engine.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WebSearchResults {
    pub(crate) text: String,
    /// The number of results, if known.
    pub(crate) count: Option<usize>,
}

pub(crate) async fn search(
    endpoint: &SearchEndpoint,
    proxies: &Proxies,
    values: TemplateValues<'_>,
) -> Result<WebSearchResults, ToolError> {
    let engine = SearchClient::new(endpoint, proxies, values)?;
    let asked = async {
        match &endpoint.protocol {
            SearchProtocol::Mcp { tool, arguments } => {
                mcp_search::call(&engine, tool, arguments, values).await
            }
            SearchProtocol::Json { body, results } => {
                json_search::ask(&engine, body.as_ref(), results.as_deref(), values).await
            }
        }
    };
    tokio::time::timeout(endpoint.timeout, asked).await.map_err(|_| {
        let message = format!(
            "{} did not answer within {} seconds. Try again, or do without.",
            engine.host,
            endpoint.timeout.as_secs()
        );
        ToolError::new(ToolErrorKind::Timeout, message)
    })?
}

/// The client for one search.
pub(super) struct SearchClient {
    pub(super) client: Client,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    /// The part of its address that messages may contain.
    pub(super) host: String,
}

impl SearchClient {
    fn new(
        endpoint: &SearchEndpoint,
        proxies: &Proxies,
        values: TemplateValues<'_>,
    ) -> Result<Self, ToolError> {
        let wrong = |why: &str| {
            ToolError::failed(format!(
                "The search is not set up well: {why}. This is for the user to mend in the configuration."
            ))
        };
        let url = Url::parse(&fill_address(endpoint.url.expose(), values))
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| wrong("its `url` is no http:// or https:// address"))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &endpoint.headers {
            let header = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value.expose()).ok());
            let (header, mut value) =
                header.ok_or_else(|| wrong(&format!("the header `{name}` cannot be sent")))?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        let client = match proxies.for_url(&url) {
            Some(proxy) => client::proxied_client(&proxy)?,
            None => client::direct(None)?,
        };
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Self { client, url, headers, host })
    }

    pub(super) fn unreachable(&self, error: &reqwest::Error) -> ToolError {
        ToolError::failed(format!("{} cannot be reached: {}.", self.host, cause(error)))
    }

    /// The error of an unsuccessful response, with the server's own message.
    pub(super) async fn response_error(&self, response: &mut Response) -> ToolError {
        let status = response.status();
        let body =
            super::response_body::read(response, 16 * 1024).await.map(|body| body.bytes).unwrap_or_default();
        let said: String = String::from_utf8_lossy(&body).split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = said.chars().filter(|letter| !letter.is_control()).take(300).collect();
        let said = if said.is_empty() { String::new() } else { format!(" It says: {said}") };
        let what = match status.as_u16() {
            401 | 403 => "the key is missing or wrong, which is for the user to mend in the configuration",
            429 => "too much was asked of it; wait, or do without",
            300..=399 => "it redirects, which is not followed; the user should configure where it leads",
            _ => "try again, or do without",
        };
        ToolError::failed(format!("{} answered {status}: {what}.{said}", self.host))
    }
}
