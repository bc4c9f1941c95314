//! A server of the Model Context Protocol. One flat set of fields rather than one per kind, because a later
//! file may set a single one of them (`"enabled": false`) without saying the rest again.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::{decode::object, types::Secret};

/// A server of the Model Context Protocol: a program to start (`local`) or an address (`remote`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Mcp {
    /// What kind of server it is.
    #[serde(rename = "type")]
    pub kind: Option<McpKind>,
    /// Use it.
    pub enabled: Option<bool>,
    /// Milliseconds to wait for its list of tools.
    pub timeout: Option<NonZeroU64>,
    /// `local`: the program and its arguments.
    pub command: Vec<String>,
    /// `local`: variables to add to its environment.
    pub environment: BTreeMap<String, Secret>,
    /// `local`: the folder to start it in, from the workspace's root.
    pub cwd: Option<String>,
    /// `remote`: the address.
    pub url: Option<String>,
    /// `remote`: headers to send with every request.
    pub headers: BTreeMap<String, Secret>,
    /// `remote`: whether and how to log in.
    pub oauth: Option<OAuth>,
}

impl Mcp {
    /// The key without which this server cannot be used, if it is missing. A server that is switched off, or
    /// an entry that says nothing but `enabled`, needs none.
    pub fn missing(&self) -> Option<&'static str> {
        if self.enabled == Some(false) {
            return None;
        }
        match self.kind {
            Some(McpKind::Local) if self.command.is_empty() => Some("command"),
            Some(McpKind::Remote) if self.url.is_none() => Some("url"),
            None if !self.command.is_empty() || self.url.is_some() => Some("type"),
            _ => None,
        }
    }
}

/// What kind of server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum McpKind {
    /// A program that is started.
    Local,
    /// An address.
    Remote,
}

/// Whether and how to log in.
#[derive(Debug, Clone, PartialEq)]
pub enum OAuth {
    Plain(bool),
    /// What the server's owner registered: `clientId`, `scope`, …
    Registered(Map<String, Value>),
}

impl<'de> Deserialize<'de> for OAuth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;

        impl<'de> Visitor<'de> for Visit {
            type Value = OAuth;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or an object")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<OAuth, E> {
                Ok(OAuth::Plain(on))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OAuth, A::Error> {
                object(map).map(OAuth::Registered)
            }
        }

        deserializer.deserialize_any(Visit)
    }
}

impl JsonSchema for OAuth {
    fn schema_name() -> Cow<'static, str> {
        "OAuth".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "object"] })
    }
}
