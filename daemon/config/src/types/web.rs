//! The web: what may be fetched, and by which engines it is searched.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::types::Secret;

/// What may be fetched from the web.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Webfetch {
    /// Hosts on this machine and in private networks that may be fetched: `localhost:3000`, `10.0.0.7`, `*.corp.example`; `true` for all. A project's file counts only if you trust it.
    pub allow_private: Option<AllowPrivate>,
}

/// All hosts or none, or some by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowPrivate {
    All(bool),
    Hosts(Vec<String>),
}

impl<'de> Deserialize<'de> for AllowPrivate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;

        impl<'de> Visitor<'de> for Visit {
            type Value = AllowPrivate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a list of hosts")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<AllowPrivate, E> {
                Ok(AllowPrivate::All(on))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AllowPrivate, A::Error> {
                let mut hosts = Vec::new();
                while let Some(host) = list.next_element()? {
                    hosts.push(host);
                }
                Ok(AllowPrivate::Hosts(hosts))
            }
        }

        deserializer.deserialize_any(Visit)
    }
}

impl JsonSchema for AllowPrivate {
    fn schema_name() -> Cow<'static, str> {
        "AllowPrivate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "array", "items": { "type": "string" } }] })
    }
}

/// An engine to search by. In `url`, `arguments` and `body`, `{query}` stands for what is looked for, `{numResults}` (of
/// `websearch`) and `{tokensNum}` (of `codesearch`) for how much. A project's file counts only if you trust it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SearchEngine {
    /// What kind of engine it is.
    #[serde(rename = "type")]
    pub kind: Option<SearchKind>,
    /// Use it.
    pub enabled: Option<bool>,
    /// The address. Not needed for `exa`.
    pub url: Option<Secret>,
    /// `exa`: the key. Better not written here: use `{env:NAME}` or `{file:path}`.
    #[serde(rename = "apiKey")]
    pub api_key: Option<Secret>,
    /// Headers to send with every request.
    pub headers: BTreeMap<String, Secret>,
    /// `mcp`: the tool to call.
    pub tool: Option<String>,
    /// `mcp`: what to call it with. Without it: what the model asked for, by the names above.
    pub arguments: Option<Map<String, Value>>,
    /// `json`: what to send. With it the request is a POST, without it a GET.
    pub body: Option<Map<String, Value>>,
    /// `json`: where in the answer the list of results is, as `web.results`. Without it the usual names are tried.
    pub results: Option<String>,
    /// Milliseconds to wait for an answer.
    pub timeout: Option<NonZeroU64>,
}

impl SearchEngine {
    /// The key without which this engine cannot be used, if it is missing.
    pub fn missing(&self) -> Option<&'static str> {
        if self.enabled == Some(false) {
            return None;
        }
        match self.kind {
            Some(SearchKind::Mcp | SearchKind::Json) if self.url.is_none() => Some("url"),
            Some(SearchKind::Mcp) if self.tool.is_none() => Some("tool"),
            None if self.url.is_some() || self.api_key.is_some() => Some("type"),
            _ => None,
        }
    }
}

/// What kind of engine it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Exa's public MCP server.
    Exa,
    /// A tool of any MCP server over HTTP.
    Mcp,
    /// An address that answers with JSON.
    Json,
}
