//! Translates the configuration of providers into the settings of the `model` crate; only this module knows
//! both.

use std::time::Duration;

use anyhow::Context as _;
use copydesk_config::{self as config, LoadedConfig, ReasoningConfig, TimeoutConfig};
use copydesk_model::catalogue::{EditStyle, ModelPrices, ReasoningControl, TokenPrices};
use copydesk_model::retry::RetryPolicy;
use copydesk_model::settings::{ModelSettings, ProviderSettings, ReasoningSetting, SettingValue};
use copydesk_model::{ReasoningEffort, RegistrySettings, RequestDefaults, SecretString, WireProtocol};
use serde::Deserialize;
use serde_json::{Map, Value};

const EFFORT: &str = "reasoningEffort";

pub fn settings(loaded: &LoadedConfig) -> anyhow::Result<RegistrySettings> {
    let config = &loaded.config;
    // An untrusted project can only take providers away.
    let own = &loaded.trusted_config;
    let enabled = match (&own.enabled_providers, &config.enabled_providers) {
        (Some(own), Some(all)) => Some(own.iter().filter(|id| all.contains(id)).cloned().collect()),
        (own, all) => own.clone().or_else(|| all.clone()),
    };
    let mut disabled = own.disabled_providers.clone();
    disabled
        .extend(config.disabled_providers.iter().filter(|id| !own.disabled_providers.contains(id)).cloned());
    let mut settings = RegistrySettings {
        enabled,
        disabled,
        policy: RetryPolicy {
            max_retries: config.retry.max.unwrap_or(RetryPolicy::default().max_retries),
            ..RetryPolicy::default()
        },
        ..RegistrySettings::default()
    };
    for (id, written) in &config.provider {
        let translator = ProviderTranslator { loaded, id };
        settings.providers.insert(id.clone(), translator.provider(written)?);
    }
    Ok(settings)
}

/// One provider of the configuration; finds the origins of its values.
struct ProviderTranslator<'a> {
    loaded: &'a LoadedConfig,
    id: &'a str,
}

impl ProviderTranslator<'_> {
    /// What the user says of this provider.
    fn own(&self) -> Option<&config::ProviderConfig> {
        self.loaded.trusted_config.provider.get(self.id)
    }

    fn trusts(&self, path: &[&str]) -> bool {
        self.loaded.merged.untrusted_origin(&self.path(path)).is_none()
    }

    /// A value's origin and key, for messages.
    fn name(&self, path: &[&str]) -> String {
        let path = self.path(path);
        let origin = self.loaded.merged.origin(&path).map(|origin| format!("{origin}: ")).unwrap_or_default();
        format!("{origin}`{}`", path.join("."))
    }

    fn path<'a>(&'a self, path: &[&'a str]) -> Vec<&'a str> {
        ["provider", self.id].iter().chain(path).copied().collect()
    }

    fn provider(&self, written: &config::ProviderConfig) -> anyhow::Result<ProviderSettings> {
        let options = &written.options;
        let given = |value: &Option<String>, path: &[&str]| {
            value.as_ref().map(|value| SettingValue { value: value.clone(), is_trusted: self.trusts(path) })
        };
        let base_url =
            given(&options.base_url, &["options", "baseURL"]).or_else(|| given(&written.api, &["api"]));
        let is_foreign = base_url.as_ref().is_some_and(|address| !address.is_trusted);
        // An address that the user chose gets the user's keys only: the owner of another account could read the conversation there.
        let none = config::ProviderConfig::default();
        let sent = if is_foreign { written } else { self.own().unwrap_or(&none) };
        if !is_foreign {
            self.warn_of_withheld(&["options", "apiKey"]);
            self.warn_of_withheld(&["options", "headers"]);
            self.warn_of_withheld(&["options", "query"]);
        }
        let is_trusted = |path: &[&str]| !is_foreign || self.trusts(path);
        let key = sent.options.api_key.as_ref().map(|key| SettingValue {
            value: SecretString::new(key.expose()),
            is_trusted: is_trusted(&["options", "apiKey"]),
        });
        let mut models = Vec::new();
        for (name, model) in &written.models {
            let headers = sent.models.get(name).map(|model| &model.headers).into_iter().flatten();
            let headers = secret_values(headers, |header| is_trusted(&["models", name, "headers", header]));
            models.push((name.clone(), ModelSettings { headers, ..self.model(name, model)? }));
        }
        Ok(ProviderSettings {
            name: written.name.clone(),
            wire: written.wire.map(wire),
            npm: written.npm.clone(),
            base_url,
            key,
            key_names: written.env.clone(),
            headers: secret_values(&sent.options.headers, |name| is_trusted(&["options", "headers", name])),
            query: sent
                .options
                .query
                .iter()
                .map(|(name, value)| {
                    let is_trusted = is_trusted(&["options", "query", name]);
                    (name.clone(), SettingValue { value: value.expose().to_owned(), is_trusted })
                })
                .collect(),
            first_byte: options.timeout.map(|timeout| match timeout {
                TimeoutConfig::Never => None,
                TimeoutConfig::Milliseconds(limit) => Some(Duration::from_millis(limit.get())),
            }),
            idle: options.chunk_timeout.map(|limit| Duration::from_millis(limit.get())),
            cache_key: options.set_cache_key,
            dialect: written.dialect.clone(),
            models,
            whitelist: written.whitelist.clone().unwrap_or_default(),
            blacklist: written.blacklist.clone(),
        })
    }

    fn warn_of_withheld(&self, path: &[&str]) {
        if let Some(origin) = self.loaded.merged.untrusted_origin(&self.path(path)) {
            self.loaded.warn(format_args!(
                "{origin}: `{}` is ignored: this project is not trusted. Review the file, then run `copydesk trust`.",
                self.path(path).join(".")
            ));
        }
    }

    fn model(&self, name: &str, written: &config::ModelConfig) -> anyhow::Result<ModelSettings> {
        let reads = |kind: &str| written.modalities.input.iter().any(|other| other == kind);
        let listed = !written.modalities.input.is_empty();
        // A key for one kind wins over the list, and the list over `attachment`.
        let takes =
            |own: Option<bool>, kind: &str| own.or(listed.then(|| reads(kind))).or(written.attachment);
        Ok(ModelSettings {
            id: written.id.clone(),
            name: written.name.clone(),
            context: written.limit.context.or(written.limit.input),
            output: written.limit.output,
            cost: prices(&written.cost),
            tools: written.tool_call,
            images: takes(written.images, "image"),
            pdf: takes(written.pdf, "pdf"),
            temperature: written.temperature,
            caching: written.caching,
            edits: written.edits.map(edits),
            reasoning: written
                .reasoning
                .as_ref()
                .map(reasons)
                .transpose()
                .with_context(|| self.name(&["models", name, "reasoning"]))?,
            disabled: written.disabled.unwrap_or(false),
            headers: Vec::new(),
            defaults: options(
                self.loaded,
                &self.path(&["models", name, "options"]),
                &written.options,
                self.own().and_then(|own| own.models.get(name)).map(|own| &own.options),
            )?,
        })
    }
}

fn secret_values<'a>(
    written: impl IntoIterator<Item = (&'a String, &'a config::ConfigSecret)>,
    is_trusted: impl Fn(&str) -> bool,
) -> Vec<(String, SettingValue<SecretString>)> {
    let value = |(name, value): (&'a String, &'a config::ConfigSecret)| {
        (
            name.clone(),
            SettingValue { value: SecretString::new(value.expose()), is_trusted: is_trusted(name) },
        )
    };
    written.into_iter().map(value).collect()
}

fn edits(edits: config::EditFormatConfig) -> EditStyle {
    match edits {
        config::EditFormatConfig::Replace => EditStyle::Replace,
        config::EditFormatConfig::Patch => EditStyle::Patch,
    }
}

fn wire(wire: config::WireConfig) -> WireProtocol {
    match wire {
        config::WireConfig::Anthropic => WireProtocol::Anthropic,
        config::WireConfig::OpenaiChat => WireProtocol::OpenaiChat,
        config::WireConfig::OpenaiResponses => WireProtocol::OpenaiResponses,
        config::WireConfig::Gemini => WireProtocol::Gemini,
    }
}

fn prices(cost: &config::ModelCostConfig) -> Option<ModelPrices> {
    let (input, output) = (cost.input?, cost.output?);
    let base = TokenPrices { input, output, cache_read: cost.cache_read, cache_write: cost.cache_write };
    Some(ModelPrices { base, above: None })
}

fn reasons(reasoning: &ReasoningConfig) -> anyhow::Result<ReasoningSetting> {
    match reasoning {
        ReasoningConfig::Plain(false) => Ok(ReasoningSetting::Disabled),
        ReasoningConfig::Plain(true) => Ok(ReasoningSetting::WireDefault),
        ReasoningConfig::Named(name) => {
            Ok(ReasoningSetting::Control(ReasoningControl::deserialize(Value::from(name.as_str()))?))
        }
    }
}

/// `options` of a model, an agent or a variant. Options of an untrusted repository are never sent, and take none of the user's away.
pub fn options(
    loaded: &LoadedConfig,
    path: &[&str],
    options: &Map<String, Value>,
    own: Option<&Map<String, Value>>,
) -> anyhow::Result<RequestDefaults> {
    let untrusted = loaded.merged.untrusted_origin(path).filter(|_| !options.is_empty());
    if let Some(origin) = untrusted {
        loaded.warn(format_args!(
            "{origin}: `{}` is ignored: this project is not trusted. Review the file, then run `copydesk trust`.",
            path.join(".")
        ));
    }
    let empty = Map::new();
    let options = if untrusted.is_some() { own.unwrap_or(&empty) } else { options };
    defaults(options).with_context(|| {
        let path: Vec<_> = path.iter().copied().chain([EFFORT]).collect();
        let origin = loaded.merged.origin(&path).map(|origin| format!("{origin}: ")).unwrap_or_default();
        format!("{origin}`{}`", path.join("."))
    })
}

pub fn effort(name: &str) -> Option<ReasoningEffort> {
    ReasoningEffort::deserialize(Value::from(name)).ok()
}

/// Translates [`EFFORT`] and skips other keys with capitals, which are the AI SDK's and mean nothing on a wire;
/// the rest goes into the request body as written.
fn defaults(options: &Map<String, Value>) -> anyhow::Result<RequestDefaults> {
    let mut defaults = RequestDefaults::default();
    for (key, value) in options {
        if key == EFFORT {
            defaults.effort = Some(ReasoningEffort::deserialize(value)?);
        } else if !key.contains(char::is_uppercase) {
            defaults.body.insert(key.clone(), value.clone());
        }
    }
    Ok(defaults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_fixture::ConfigFixture;

    /// Enabled and disabled providers under the user's configuration and that of an untrusted project.
    fn providers(own: &str, project: &str) -> (Option<Vec<String>>, Vec<String>) {
        let settings = settings(&ConfigFixture::new(own, project, |_| None).loaded).unwrap();
        (settings.enabled, settings.disabled)
    }

    #[test]
    fn an_untrusted_project_can_only_take_providers_away() {
        let own = r#"{ "enabled_providers": ["a", "b"], "disabled_providers": ["c"] }"#;
        for (own, project, enabled, disabled) in [
            (own, r#"{ "enabled_providers": ["a", "b", "d"] }"#, Some(vec!["a", "b"]), vec!["c"]),
            (own, r#"{ "enabled_providers": ["b"] }"#, Some(vec!["b"]), vec!["c"]),
            (
                own,
                r#"{ "enabled_providers": null, "disabled_providers": null }"#,
                Some(vec!["a", "b"]),
                vec!["c"],
            ),
            (own, r#"{ "disabled_providers": ["a"] }"#, Some(vec!["a", "b"]), vec!["c", "a"]),
            ("{}", r#"{ "enabled_providers": ["b"] }"#, Some(vec!["b"]), vec![]),
        ] {
            let expected = enabled.map(|ids| ids.into_iter().map(str::to_owned).collect());
            let expected = (expected, disabled.into_iter().map(str::to_owned).collect());
            assert_eq!(providers(own, project), expected, "{project}");
        }
    }
}
