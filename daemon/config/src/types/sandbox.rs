//! The sandbox for commands, language servers, checkers and formatters.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{
        self, MapAccess, Visitor,
        value::{Error as Unnamed, StrDeserializer},
    },
};

use crate::decode::decode_object;

/// Whether commands run in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxModeConfig {
    /// No command does.
    Off,
    /// Where it works, they do; else the call says why not.
    Auto,
    /// All do. Where it does not work, no command runs.
    Require,
}

/// The mode alone, or with settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxConfig {
    Mode(SandboxModeConfig),
    Settings(SandboxSettingsConfig),
}

/// What commands in the sandbox may do. An untrusted project can only make this stricter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SandboxSettingsConfig {
    /// Whether commands run in it; `auto` by default.
    pub mode: Option<SandboxModeConfig>,
    /// Folders outside the workspace that commands may change, such as shared caches: `~/.cargo/registry`.
    pub write: Vec<String>,
    /// Whether commands reach the network; `false` by default.
    pub network: Option<bool>,
    /// Hosts that commands reach by HTTP and HTTPS without `network`: `example.org`, `*.example.org`, `example.org:8080`.
    #[serde(deserialize_with = "hosts")]
    pub hosts: Vec<String>,
    /// Files and folders that commands cannot read, besides the secrets that Copydesk knows.
    pub hide: Vec<String>,
    /// Whether language servers, checkers and formatters run in it, too; `true` by default.
    pub servers: Option<bool>,
}

/// Names, not addresses of pages, and none that stands for all.
fn hosts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let hosts = Vec::<String>::deserialize(deserializer)?;
    let is_name = |host: &&String| {
        let name = host.strip_prefix("*.").unwrap_or(host);
        !name.is_empty() && !name.contains(|c: char| "*/@?# ".contains(c) || c.is_control())
    };
    match hosts.iter().find(|host| !is_name(host)) {
        Some(host) => {
            let message =
                format!("`{host}` is not a host; write a name such as `example.org` or `*.example.org`");
            Err(de::Error::custom(message))
        }
        None => Ok(hosts),
    }
}

impl SandboxConfig {
    /// The settings; the mode of an object is `auto` unless it says otherwise.
    pub fn settings(&self) -> SandboxSettingsConfig {
        match self {
            Self::Mode(mode) => {
                SandboxSettingsConfig { mode: Some(*mode), ..SandboxSettingsConfig::default() }
            }
            Self::Settings(settings) => SandboxSettingsConfig {
                mode: settings.mode.or(Some(SandboxModeConfig::Auto)),
                ..settings.clone()
            },
        }
    }
}

impl<'de> Deserialize<'de> for SandboxConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SandboxVisitor;

        impl<'de> Visitor<'de> for SandboxVisitor {
            type Value = SandboxConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`auto`, `require` or `off`, or an object of settings")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SandboxConfig, E> {
                let mode = SandboxModeConfig::deserialize(StrDeserializer::<Unnamed>::new(text));
                mode.map(SandboxConfig::Mode)
                    .map_err(|_| E::unknown_variant(text, &["auto", "require", "off"]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SandboxConfig, A::Error> {
                decode_object(map).map(SandboxConfig::Settings)
            }
        }

        deserializer.deserialize_any(SandboxVisitor)
    }
}

impl JsonSchema for SandboxConfig {
    fn schema_name() -> Cow<'static, str> {
        "Sandbox".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (mode, settings) = (
            generator.subschema_for::<SandboxModeConfig>(),
            generator.subschema_for::<SandboxSettingsConfig>(),
        );
        json_schema!({ "anyOf": [mode, settings] })
    }
}
