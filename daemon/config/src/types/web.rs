//! The web: which hosts the model may fetch from, and the search engines.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::types::ConfigSecret;

/// What the model may fetch from the web.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct WebfetchConfig {
    /// Hosts on this machine and in private networks that the model may fetch from: `localhost:3000`, `10.0.0.7`, `*.corp.example`; `true` for all. Copydesk ignores this key in a project file that you have not trusted.
    pub allow_private: Option<AllowPrivateConfig>,
}

/// All hosts or none, or some by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowPrivateConfig {
    All(bool),
    Hosts(Vec<String>),
}

impl<'de> Deserialize<'de> for AllowPrivateConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AllowPrivateVisitor;

        impl<'de> Visitor<'de> for AllowPrivateVisitor {
            type Value = AllowPrivateConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a list of hosts")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<AllowPrivateConfig, E> {
                Ok(AllowPrivateConfig::All(on))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AllowPrivateConfig, A::Error> {
                let mut hosts = Vec::new();
                while let Some(host) = list.next_element()? {
                    hosts.push(host);
                }
                Ok(AllowPrivateConfig::Hosts(hosts))
            }
        }

        deserializer.deserialize_any(AllowPrivateVisitor)
    }
}

impl JsonSchema for AllowPrivateConfig {
    fn schema_name() -> Cow<'static, str> {
        "AllowPrivate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "array", "items": { "type": "string" } }] })
    }
}

/// A search engine. In `url`, `arguments` and `body`, `{query}` stands for the query; `{numResults}` (in
/// `websearch`) and `{tokensNum}` (in `codesearch`) stand for the amount. Copydesk ignores this key in a project file that you have not trusted.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SearchEngineConfig {
    /// The kind of engine.
    #[serde(rename = "type")]
    pub kind: Option<SearchEngineKind>,
    /// Use it.
    pub enabled: Option<bool>,
    /// The URL. Not needed for `exa`.
    pub url: Option<ConfigSecret>,
    /// `exa`: the API key. Do not write it here: use `{env:NAME}` or `{file:path}`.
    #[serde(rename = "apiKey")]
    pub api_key: Option<ConfigSecret>,
    /// Headers to send with every request.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// `mcp`: the tool to call.
    pub tool: Option<String>,
    /// `mcp`: the arguments of the call. By default, what the model asked for, by the names above.
    pub arguments: Option<Map<String, Value>>,
    /// `json`: the body to send. With it the request is a POST, without it a GET.
    pub body: Option<Map<String, Value>>,
    /// `json`: the path of the list of results in the answer, such as `web.results`. By default Copydesk tries the usual names.
    pub results: Option<String>,
    /// Milliseconds to wait for an answer.
    pub timeout: Option<NonZeroU64>,
}

impl SearchEngineConfig {
    /// The key that this engine needs but lacks.
    pub fn missing_key(&self) -> Option<&'static str> {
        if self.enabled == Some(false) {
            return None;
        }
        match self.kind {
            Some(SearchEngineKind::Mcp | SearchEngineKind::Json) if self.url.is_none() => Some("url"),
            Some(SearchEngineKind::Mcp) if self.tool.is_none() => Some("tool"),
            None if self.url.is_some() || self.api_key.is_some() => Some("type"),
            _ => None,
        }
    }
}

/// The kind of engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchEngineKind {
    /// Exa's public MCP server.
    Exa,
    /// A tool of any MCP server over HTTP.
    Mcp,
    /// A URL that answers with JSON.
    Json,
}
