//! An MCP server. All kinds share one flat set of fields, so that a later file can set a single one
//! (`"enabled": false`) without repeating the rest.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::{decode::decode_object, types::ConfigSecret};

/// An MCP server (Model Context Protocol): a program to start (`local`) or a URL (`remote`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct McpServerConfig {
    /// The kind of server.
    #[serde(rename = "type")]
    pub kind: Option<McpServerKind>,
    /// Use it.
    pub enabled: Option<bool>,
    /// Milliseconds to wait for its list of tools.
    pub timeout: Option<NonZeroU64>,
    /// `local`: the program and its arguments.
    pub command: Vec<String>,
    /// `local`: environment variables to add.
    pub environment: BTreeMap<String, ConfigSecret>,
    /// `local`: the folder to start it in, relative to the workspace root.
    pub cwd: Option<String>,
    /// `remote`: the URL.
    pub url: Option<String>,
    /// `remote`: headers to send with every request.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// `remote`: whether and how to log in.
    pub oauth: Option<OAuthConfig>,
}

impl McpServerConfig {
    /// The key that this server needs but lacks. A disabled server, or an entry with nothing but `enabled`, needs none.
    pub fn missing_key(&self) -> Option<&'static str> {
        if self.enabled == Some(false) {
            return None;
        }
        match self.kind {
            Some(McpServerKind::Local) if self.command.is_empty() => Some("command"),
            Some(McpServerKind::Remote) if self.url.is_none() => Some("url"),
            None if !self.command.is_empty() || self.url.is_some() => Some("type"),
            _ => None,
        }
    }
}

/// The kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum McpServerKind {
    /// A program that Copydesk starts.
    Local,
    /// A URL.
    Remote,
}

/// Whether and how to log in.
#[derive(Debug, Clone, PartialEq)]
pub enum OAuthConfig {
    Plain(bool),
    /// The registration with the server's owner: `clientId`, `scope`, …
    Registered(Map<String, Value>),
}

impl<'de> Deserialize<'de> for OAuthConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OAuthVisitor;

        impl<'de> Visitor<'de> for OAuthVisitor {
            type Value = OAuthConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or an object")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<OAuthConfig, E> {
                Ok(OAuthConfig::Plain(on))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OAuthConfig, A::Error> {
                decode_object(map).map(OAuthConfig::Registered)
            }
        }

        deserializer.deserialize_any(OAuthVisitor)
    }
}

impl JsonSchema for OAuthConfig {
    fn schema_name() -> Cow<'static, str> {
        "OAuth".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "object"] })
    }
}
