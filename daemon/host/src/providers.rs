//! From the words of the configuration to those of the model room: the only place that knows both.

use std::time::Duration;

use anyhow::Context as _;
use copydesk_config::{self as config, Loaded, Reasoning, Timeout};
use copydesk_model::catalogue::{Edits, Prices, ReasoningControl, Tier};
use copydesk_model::retry::Policy;
use copydesk_model::settings::{Given, ModelSettings, ProviderSettings, Reasons};
use copydesk_model::{Defaults, Effort, Secret, Settings, Wire};
use serde::Deserialize;
use serde_json::{Map, Value};

const EFFORT: &str = "reasoningEffort";

pub fn settings(loaded: &Loaded) -> anyhow::Result<Settings> {
    let config = &loaded.config;
    let mut settings = Settings {
        only: config.enabled_providers.clone(),
        disabled: config.disabled_providers.clone(),
        policy: Policy {
            max_retries: config.retry.max.unwrap_or(Policy::default().max_retries),
            ..Policy::default()
        },
        ..Settings::default()
    };
    for (id, written) in &config.provider {
        let place = Place { loaded, id };
        settings.providers.insert(id.clone(), place.provider(written)?);
    }
    Ok(settings)
}

/// One provider's place in the configuration, where the origins of its values are looked up.
struct Place<'a> {
    loaded: &'a Loaded,
    id: &'a str,
}

impl Place<'_> {
    fn trusts(&self, path: &[&str]) -> bool {
        self.loaded.merged.untrusted(&self.path(path)).is_none()
    }

    /// A value for a message: where it was written, and its name.
    fn name(&self, path: &[&str]) -> String {
        let path = self.path(path);
        let origin = self.loaded.merged.origin(&path).map(|origin| format!("{origin}: ")).unwrap_or_default();
        format!("{origin}`{}`", path.join("."))
    }

    fn path<'a>(&'a self, path: &[&'a str]) -> Vec<&'a str> {
        ["provider", self.id].iter().chain(path).copied().collect()
    }

    fn provider(&self, written: &config::Provider) -> anyhow::Result<ProviderSettings> {
        let options = &written.options;
        let given = |value: &Option<String>, path: &[&str]| {
            value.as_ref().map(|value| Given { value: value.clone(), trusted: self.trusts(path) })
        };
        let base_url =
            given(&options.base_url, &["options", "baseURL"]).or_else(|| given(&written.api, &["api"]));
        let key = options.api_key.as_ref().map(|key| Given {
            value: Secret::new(key.expose()),
            trusted: self.trusts(&["options", "apiKey"]),
        });
        let mut models = Vec::new();
        for (name, model) in &written.models {
            models.push((name.clone(), self.model(name, model)?));
        }
        Ok(ProviderSettings {
            name: written.name.clone(),
            wire: written.wire.map(wire),
            npm: written.npm.clone(),
            base_url,
            key,
            key_names: written.env.clone(),
            headers: self.headers(&options.headers, &["options", "headers"]),
            query: options
                .query
                .iter()
                .map(|(name, value)| {
                    let trusted = self.trusts(&["options", "query", name]);
                    (name.clone(), Given { value: value.expose().to_owned(), trusted })
                })
                .collect(),
            first_byte: options.timeout.map(|timeout| match timeout {
                Timeout::Never => None,
                Timeout::Milliseconds(limit) => Some(Duration::from_millis(limit.get())),
            }),
            idle: options.chunk_timeout.map(|limit| Duration::from_millis(limit.get())),
            cache_key: options.set_cache_key,
            dialect: written.dialect.clone(),
            models,
            whitelist: written.whitelist.clone().unwrap_or_default(),
            blacklist: written.blacklist.clone(),
        })
    }

    fn headers<'a>(
        &self,
        headers: impl IntoIterator<Item = (&'a String, &'a config::Secret)>,
        path: &[&str],
    ) -> Vec<(String, Given<Secret>)> {
        let given = headers.into_iter().map(|(name, value)| {
            let path: Vec<_> = path.iter().copied().chain([name.as_str()]).collect();
            (name.clone(), Given { value: Secret::new(value.expose()), trusted: self.trusts(&path) })
        });
        given.collect()
    }

    fn model(&self, name: &str, written: &config::Model) -> anyhow::Result<ModelSettings> {
        let reads = |kind: &str| written.modalities.input.iter().any(|other| other == kind);
        let listed = !written.modalities.input.is_empty();
        // What is said of one kind wins over the list, and that over the one word for all attachments.
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
            headers: self.headers(&written.headers, &["models", name, "headers"]),
            defaults: options(self.loaded, &self.path(&["models", name, "options"]), &written.options)?,
        })
    }
}

fn edits(edits: config::Edits) -> Edits {
    match edits {
        config::Edits::Replace => Edits::Replace,
        config::Edits::Patch => Edits::Patch,
    }
}

fn wire(wire: config::Wire) -> Wire {
    match wire {
        config::Wire::Anthropic => Wire::Anthropic,
        config::Wire::OpenaiChat => Wire::OpenaiChat,
        config::Wire::OpenaiResponses => Wire::OpenaiResponses,
        config::Wire::Gemini => Wire::Gemini,
    }
}

fn prices(cost: &config::Cost) -> Option<Prices> {
    let (input, output) = (cost.input?, cost.output?);
    let base = Tier { input, output, cache_read: cost.cache_read, cache_write: cost.cache_write };
    Some(Prices { base, above: None })
}

fn reasons(reasoning: &Reasoning) -> anyhow::Result<Reasons> {
    match reasoning {
        Reasoning::Plain(false) => Ok(Reasons::No),
        Reasoning::Plain(true) => Ok(Reasons::Yes),
        Reasoning::Named(name) => Ok(Reasons::By(ReasoningControl::deserialize(Value::from(name.as_str()))?)),
    }
}

/// `options` of a model, an agent or a variant. What only a repository says is not sent anywhere.
pub fn options(loaded: &Loaded, path: &[&str], options: &Map<String, Value>) -> anyhow::Result<Defaults> {
    if let Some(origin) = loaded.merged.untrusted(path).filter(|_| !options.is_empty()) {
        loaded.warn(format_args!(
            "{origin}: `{}` of a project that is not trusted is left out. Look at the file, then run `copydesk config \
             trust`.",
            path.join(".")
        ));
        return Ok(Defaults::default());
    }
    defaults(options).with_context(|| {
        let path: Vec<_> = path.iter().copied().chain([EFFORT]).collect();
        let origin = loaded.merged.origin(&path).map(|origin| format!("{origin}: ")).unwrap_or_default();
        format!("{origin}`{}`", path.join("."))
    })
}

/// The level of thinking of this name.
pub fn effort(name: &str) -> Option<Effort> {
    Effort::deserialize(Value::from(name)).ok()
}

/// [`EFFORT`] is read; names with capitals are otherwise the AI SDK's and mean nothing on a
/// wire; the rest goes into the body as it is written.
fn defaults(options: &Map<String, Value>) -> anyhow::Result<Defaults> {
    let mut defaults = Defaults::default();
    for (key, value) in options {
        if key == EFFORT {
            defaults.effort = Some(Effort::deserialize(value)?);
        } else if !key.contains(char::is_uppercase) {
            defaults.body.insert(key.clone(), value.clone());
        }
    }
    Ok(defaults)
}
