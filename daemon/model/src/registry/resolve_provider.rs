//! Resolves one provider from the table, the settings, the environment and the stored keys.

use reqwest::Url;

use super::ModelRegistry;
use crate::error::ModelError;
use crate::offline;
use crate::provider::known_providers::{self, KnownProvider};
use crate::provider::{
    ApiKey, CacheStyle, Dialect, KeyOrigin, Provider, RequestTimeouts, SecretString, WireProtocol,
};
use crate::settings::{ProviderSettings, SettingValue};

pub(super) struct ResolvedProvider {
    pub(super) provider: Provider,
    pub(super) missing: Option<MissingSetup>,
}

/// What the user must do before the provider is usable.
pub(super) struct MissingSetup {
    pub(super) advice: String,
    /// The first step, for a list of many.
    pub(super) brief: String,
}

impl MissingSetup {
    fn new(what: impl Into<String>) -> Self {
        let what = what.into();
        Self { brief: what.clone(), advice: what }
    }
}

impl ModelRegistry {
    pub(super) fn resolve_provider(&self, id: &str) -> Result<ResolvedProvider, ModelError> {
        if id == offline::ID && self.has_offline() {
            return Ok(ResolvedProvider { provider: offline::provider(), missing: None });
        }
        let nothing = ProviderSettings::default();
        let settings = self.settings.providers.get(id).unwrap_or(&nothing);
        let by_id = known_providers::by_id(id);
        let by_npm = settings.npm.as_deref().and_then(known_providers::by_npm);
        if !self.is_enabled(id) || (by_id.is_none() && !self.settings.providers.contains_key(id)) {
            return Err(ModelError::invalid_settings(self.unknown_provider_message(id)));
        }
        // The package selects the wire, the id the vendor: `my-proxy` with Anthropic's package is still not
        // Anthropic.
        let spoken = by_npm.or(by_id);
        let wire = settings.wire.or(spoken.map(|known| known.wire)).unwrap_or(WireProtocol::OpenaiChat);
        let dialect = dialect(id, settings, spoken.filter(|known| known.wire == wire).or(by_id))?;
        let mut missing = unknown_package(id, settings, spoken);
        let (base_url, trusted_address) = self.resolve_address(settings, by_id, &mut missing);
        let key_names = settings.key_names.iter().chain(by_id.iter().flat_map(|known| &known.keys)).cloned();
        let local = by_id.is_some_and(|known| known.local);
        let usual = if local { RequestTimeouts::local() } else { RequestTimeouts::default() };
        let mut provider = Provider {
            id: id.to_owned(),
            name: settings
                .name
                .clone()
                .or(by_id.map(|known| known.name.clone()))
                .unwrap_or_else(|| id.to_owned()),
            wire,
            base_url,
            key: None,
            key_names: key_names.collect(),
            headers: Vec::new(),
            query: Vec::new(),
            dialect,
            timeouts: RequestTimeouts {
                first_byte: settings.first_byte.unwrap_or(usual.first_byte),
                idle: settings.idle.unwrap_or(usual.idle),
                ..usual
            },
            is_local: local,
        };
        self.add_secrets(settings, trusted_address, &mut provider, &mut missing);
        let needs_key =
            by_id.is_some_and(|known| !known.local && !known.keys.is_empty()) && settings.base_url.is_none();
        if missing.is_none() && provider.key.is_none() && needs_key {
            let page = by_id.and_then(|known| known.key_page.as_ref());
            let page = page.map(|page| format!(" Create a key at {page}.")).unwrap_or_default();
            missing = Some(MissingSetup {
                advice: format!("No key for {}. {}{page}", provider.name, provider.key_advice()),
                brief: format!("set {}", provider.key_names.join(" or ")),
            });
        }
        Ok(ResolvedProvider { provider, missing })
    }

    /// Returns the address, and whether the user, not a repository, chose it.
    fn resolve_address(
        &self,
        settings: &ProviderSettings,
        known: Option<&KnownProvider>,
        missing: &mut Option<MissingSetup>,
    ) -> (String, bool) {
        if let Some(SettingValue { value, is_trusted: trusted }) = &settings.base_url {
            return (value.trim_end_matches('/').to_owned(), *trusted);
        }
        let host = known.and_then(|known| (self.environment)(known.host_env.as_deref()?));
        let address = known.and_then(|known| known.base_url.as_deref());
        let address = match (address, host) {
            (Some(address), Some(host)) => override_host(address, &host),
            (Some(address), None) => address.to_owned(),
            (None, _) => {
                missing.get_or_insert(MissingSetup::new("No address: set options.baseURL."));
                return (String::new(), true);
            }
        };
        match self.expand_variables(&address) {
            Ok(address) => (address, true),
            Err(variable) => {
                missing.get_or_insert(MissingSetup {
                    advice: format!("Set {variable}, or options.baseURL."),
                    brief: format!("set {variable}"),
                });
                (address, true)
            }
        }
    }

    /// Replaces `{VARIABLE}`s; the error is the name of the unset one.
    fn expand_variables(&self, address: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = address;
        while let Some((before, after)) = rest.split_once('{') {
            let (variable, after) = after.split_once('}').unwrap_or((after, ""));
            filled.push_str(before);
            filled.push_str(&(self.environment)(variable).filter(|value| !value.is_empty()).ok_or(variable)?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// The configuration's key wins over the environment's, and that over the stored one. Nothing, neither a
    /// secret nor a conversation, goes to an address that a repository named without the user's consent. The
    /// exception is a server on this machine, which gets no secret but the repository's own.
    fn add_secrets(
        &self,
        settings: &ProviderSettings,
        trusted_address: bool,
        provider: &mut Provider,
        missing: &mut Option<MissingSetup>,
    ) {
        let from_config = settings.key.as_ref().filter(|key| !key.value.expose().is_empty());
        let from_environment = || {
            provider.key_names.iter().find_map(|name| {
                let value = (self.environment)(name).map(|value| value.trim().to_owned());
                value.filter(|value| !value.is_empty()).map(|value| (SecretString::new(value), name.clone()))
            })
        };
        let key = from_config
            .map(|key| (ApiKey { secret: key.value.clone(), origin: KeyOrigin::Config }, key.is_trusted));
        let key = key.or_else(|| {
            let (secret, name) = from_environment()?;
            Some((ApiKey { secret, origin: KeyOrigin::Environment(name) }, true))
        });
        let key = key.or_else(|| {
            let other_id = || self.keys.get(known_providers::canonical_id(&provider.id)?);
            let secret = self.keys.get(&provider.id).or_else(other_id)?.clone();
            Some((ApiKey { secret, origin: KeyOrigin::Store }, true))
        });
        let of_models = settings.models.iter().flat_map(|(_, model)| &model.headers);
        let mut headers = settings.headers.iter().chain(of_models);
        let own = key.as_ref().is_some_and(|(_, trusted)| *trusted)
            || headers.any(|(_, value)| value.is_trusted)
            || settings.query.iter().any(|(_, value)| value.is_trusted);
        if !trusted_address && (own || !provider.is_loopback()) {
            missing.get_or_insert(MissingSetup::new(format!(
                "This folder's configuration sends requests for {} to {}. Check that file; if you agree, run \
                 `copydesk trust`.",
                provider.name,
                provider.redacted_address()
            )));
            return;
        }
        provider.key = key.map(|(key, _)| key);
        provider.headers =
            settings.headers.iter().map(|(name, value)| (name.clone(), value.value.clone())).collect();
        provider.query =
            settings.query.iter().map(|(name, value)| (name.clone(), value.value.clone())).collect();
    }
}

fn dialect(
    id: &str,
    settings: &ProviderSettings,
    known: Option<&KnownProvider>,
) -> Result<Dialect, ModelError> {
    let mut dialect = known.map(|known| known.dialect.clone()).unwrap_or_default();
    match settings.cache_key {
        Some(true) => dialect.cache = CacheStyle::Key,
        Some(false) if dialect.cache == CacheStyle::Key => dialect.cache = CacheStyle::None,
        _ => {}
    }
    dialect
        .with(&settings.dialect)
        .map_err(|error| ModelError::invalid_settings(format!("provider.{id}.dialect: {error}")))
}

fn unknown_package(
    id: &str,
    settings: &ProviderSettings,
    spoken: Option<&KnownProvider>,
) -> Option<MissingSetup> {
    let package = settings.npm.as_deref().filter(|_| settings.wire.is_none() && spoken.is_none())?;
    Some(MissingSetup::new(format!(
        "provider.{id}.npm is `{package}`, which Copydesk does not know: set provider.{id}.wire to anthropic, \
         openai-chat, openai-responses or gemini."
    )))
}

/// Applies the host from a local server's own variable to its address: `0.0.0.0`, `:8081`, `box:11434`,
/// `http://box:11434`. As in Ollama, a bare host keeps the usual port, while one with `http://` gets the HTTP
/// default port. An unreadable value changes nothing.
fn override_host(address: &str, host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let text = if host.contains("://") { host.to_owned() } else { format!("http://{host}") };
    let text = text.replacen("://:", "://127.0.0.1:", 1);
    let (Ok(mut base), Ok(other)) = (Url::parse(address), Url::parse(&text)) else {
        return address.to_owned();
    };
    // A server that listens on all interfaces is reached on loopback.
    let name = match other.host_str() {
        Some("0.0.0.0" | "[::]") | None => "127.0.0.1",
        Some(name) => name,
    };
    let is_url = host.contains("://");
    let written = || host.split('/').next()?.rsplit_once(':')?.1.parse().ok();
    let port = if is_url { other.port_or_known_default() } else { written() };
    let done = base.set_scheme(other.scheme()).is_ok()
        && base.set_host(Some(name)).is_ok()
        && port.is_none_or(|port| base.set_port(Some(port)).is_ok());
    if done { base.as_str().trim_end_matches('/').to_owned() } else { address.to_owned() }
}
