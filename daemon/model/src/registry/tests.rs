use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::ModelRegistry;
use crate::provider::{KeyOrigin, SecretString, TokenLimitField, WireProtocol};
use crate::settings::{ModelSettings, ProviderSettings, RegistrySettings, SettingValue};

fn registry(
    settings: RegistrySettings,
    environment: &[(&str, &str)],
    keys: &[(&str, &str)],
) -> ModelRegistry {
    let environment: BTreeMap<String, String> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let keys = keys.iter().map(|(id, key)| ((*id).to_owned(), SecretString::new(*key))).collect();
    ModelRegistry::new(settings, keys, Box::new(move |name| environment.get(name).cloned()))
}

fn one(id: &str, provider: ProviderSettings) -> RegistrySettings {
    RegistrySettings { providers: BTreeMap::from([(id.to_owned(), provider)]), ..RegistrySettings::default() }
}

fn address(value: &str, trusted: bool) -> Option<SettingValue<String>> {
    Some(SettingValue { value: value.to_owned(), is_trusted: trusted })
}

#[track_caller]
fn refused(registry: &ModelRegistry, model: &str) -> String {
    registry.model(model).expect_err("no model").message
}

#[test]
fn a_known_provider_needs_only_its_key() {
    let registry = registry(RegistrySettings::default(), &[("ANTHROPIC_API_KEY", " sk-1\n")], &[]);
    let model = registry.model("anthropic/claude-sonnet-4-5").unwrap();
    let key = model.provider().key.as_ref().unwrap();
    assert_eq!(
        (key.secret.expose(), &key.origin),
        ("sk-1", &KeyOrigin::Environment("ANTHROPIC_API_KEY".into()))
    );
    assert_eq!((model.provider().wire, model.spec().context), (WireProtocol::Anthropic, 200_000));
    assert!(registry.default_model().unwrap().starts_with("anthropic/"));
}

#[test]
fn errors_name_what_is_missing() {
    let registry = registry(RegistrySettings::default(), &[], &[]);
    let message = refused(&registry, "openai/gpt-5");
    assert!(
        message.starts_with("No key for OpenAI. Set OPENAI_API_KEY, or run `copydesk auth add openai`."),
        "{message}"
    );
    assert!(refused(&registry, "azure/gpt-5").contains("Set AZURE_RESOURCE_NAME, or options.baseURL."));
    assert!(refused(&registry, "antropic/x").contains("Did you mean `anthropic`?"));
    assert!(refused(&registry, "claude-sonnet-4-5").contains("write anthropic/claude-sonnet-4-5"));
    assert!(refused(&registry, "anthropic").contains("names no provider"));
    assert_eq!(registry.default_model().as_deref(), Some("offline/offline"), "what needs nothing is left");
}

#[test]
fn the_configuration_wins_over_the_environment_and_that_over_the_store() {
    let key = |settings: RegistrySettings, environment: &[(&str, &str)]| {
        let registry = registry(settings, environment, &[("openai", "stored")]);
        registry.model("openai/gpt-5").unwrap().provider().key.clone().unwrap().secret.expose().to_owned()
    };
    let configured = ProviderSettings {
        key: Some(SettingValue { value: SecretString::new("config"), is_trusted: true }),
        ..ProviderSettings::default()
    };
    let environment: &[(&str, &str)] = &[("OPENAI_API_KEY", "environment")];
    assert_eq!(key(one("openai", configured), environment), "config");
    assert_eq!(key(RegistrySettings::default(), environment), "environment");
    assert_eq!(key(RegistrySettings::default(), &[("OPENAI_API_KEY", "")]), "stored");
    let registry = registry(RegistrySettings::default(), &[], &[("fireworks", "stored")]);
    assert_eq!(registry.canonical_id("fireworks-ai"), "fireworks");
    assert!(registry.usable_provider("fireworks-ai").is_ok(), "a key is found by each of a provider's ids");
}

#[test]
fn nothing_goes_where_a_repository_says() {
    let evil =
        ProviderSettings { base_url: address("https://evil.test", false), ..ProviderSettings::default() };
    // Not even a conversation.
    assert!(refused(&registry(one("own", evil.clone()), &[], &[]), "own/m").contains("copydesk trust"));
    for (environment, keys) in [(vec![("OPENAI_API_KEY", "sk")], vec![]), (vec![], vec![("openai", "sk")])] {
        let registry = registry(one("openai", evil.clone()), &environment, &keys);
        let message = refused(&registry, "openai/gpt-5");
        assert!(message.contains("copydesk trust") && !message.contains("sk\""), "{message}");
    }
    let mut with_header = evil.clone();
    with_header.headers =
        vec![("x-team".into(), SettingValue { value: SecretString::new("token"), is_trusted: true })];
    assert!(
        refused(&registry(one("openai", with_header), &[], &[]), "openai/gpt-5").contains("copydesk trust")
    );
    let mut with_query = evil.clone();
    with_query.query = vec![("key".into(), SettingValue { value: "token".into(), is_trusted: true })];
    assert!(
        refused(&registry(one("openai", with_query), &[], &[]), "openai/gpt-5").contains("copydesk trust")
    );
    // A variable that the repository names holds the user's secret too.
    let mut named = evil.clone();
    named.key_names = vec!["AWS_SECRET".into()];
    assert!(
        refused(&registry(one("own", named), &[("AWS_SECRET", "s")], &[]), "own/m")
            .contains("copydesk trust")
    );
    let mut own_key = evil;
    own_key.key = Some(SettingValue { value: SecretString::new("shared"), is_trusted: false });
    assert!(refused(&registry(one("own", own_key.clone()), &[], &[]), "own/m").contains("copydesk trust"));
    // A server on this machine gets the repository's own secrets and no others.
    own_key.base_url = address("http://localhost:8000/v1", false);
    let at_home = registry(one("own", own_key.clone()), &[], &[]);
    assert_eq!(at_home.model("own/m").unwrap().provider().key.as_ref().unwrap().secret.expose(), "shared");
    own_key.key = None;
    own_key.key_names = vec!["AWS_SECRET".into()];
    let at_home = registry(one("own", own_key), &[("AWS_SECRET", "s")], &[]);
    assert!(refused(&at_home, "own/m").contains("copydesk trust"));
}

#[test]
fn a_provider_of_ones_own_takes_its_habits_from_package_wire_and_overrides() {
    let by_npm = ProviderSettings {
        npm: Some("@ai-sdk/anthropic".into()),
        base_url: address("http://proxy.test/v1/", true),
        ..ProviderSettings::default()
    };
    let model =
        registry(one("my-proxy", by_npm), &[("ANTHROPIC_API_KEY", "sk")], &[]).model("my-proxy/x").unwrap();
    let provider = model.provider();
    assert_eq!(
        (provider.wire, provider.base_url.as_str()),
        (WireProtocol::Anthropic, "http://proxy.test/v1")
    );
    assert!(provider.key.is_none(), "another provider's key stays with it");

    let dialect = Map::from_iter([("token_limit".to_owned(), json!("max_completion_tokens"))]);
    let plain =
        ProviderSettings { base_url: address("http://x.test", true), dialect, ..ProviderSettings::default() };
    let model = registry(one("x", plain), &[], &[]).model("x/any").unwrap();
    assert_eq!(
        (model.provider().wire, model.provider().dialect.token_limit),
        (WireProtocol::OpenaiChat, TokenLimitField::MaxCompletionTokens)
    );

    let unknown = ProviderSettings {
        npm: Some("left-pad".into()),
        base_url: address("http://x.test", true),
        ..ProviderSettings::default()
    };
    assert!(refused(&registry(one("x", unknown), &[], &[]), "x/any").contains("set provider.x.wire"));
    let broken = ProviderSettings {
        dialect: Map::from_iter([("tokens".to_owned(), json!(1))]),
        base_url: address("http://x.test", true),
        ..ProviderSettings::default()
    };
    assert!(
        refused(&registry(one("x", broken), &[], &[]), "x/any")
            .starts_with("provider.x.dialect: unknown field `tokens`")
    );
    assert!(
        refused(&registry(one("x", ProviderSettings::default()), &[], &[]), "x/any")
            .contains("options.baseURL")
    );
}

#[test]
fn the_users_word_on_a_model_corrects_the_catalogue() {
    let model = ModelSettings {
        id: Some("wire-name".into()),
        context: Some(9_000),
        images: Some(true),
        ..ModelSettings::default()
    };
    let provider = ProviderSettings {
        models: vec![("mine".into(), model)],
        base_url: address("http://x.test", true),
        ..ProviderSettings::default()
    };
    let registry = registry(one("x", provider), &[], &[]);
    let info = registry.model("x/mine").unwrap().spec().clone();
    assert_eq!((info.id.as_str(), info.context, info.images, info.known), ("wire-name", 9_000, true, true));
    let listing = registry.list(&BTreeMap::new());
    let listed = listing.iter().find(|listing| listing.id == "x").unwrap();
    assert_eq!(listed.models.iter().map(|info| info.id.as_str()).collect::<Vec<_>>(), ["mine"]);
}

#[test]
fn providers_can_be_switched_off() {
    let only = RegistrySettings { enabled: Some(vec!["openai".into()]), ..RegistrySettings::default() };
    let registry_only = registry(only, &[("ANTHROPIC_API_KEY", "k")], &[]);
    assert!(refused(&registry_only, "anthropic/x").contains("is disabled"));
    assert_eq!(registry_only.list(&BTreeMap::new()).len(), 1);
    let disabled = RegistrySettings { disabled: vec!["anthropic".into()], ..RegistrySettings::default() };
    assert!(
        refused(&registry(disabled, &[("ANTHROPIC_API_KEY", "k")], &[]), "anthropic/x")
            .contains("is disabled")
    );
}

#[test]
fn a_local_server_is_where_its_own_variable_says() {
    for (host, expected) in [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":8081", "http://127.0.0.1:8081/v1"),
        ("box:1234", "http://box:1234/v1"),
        ("box:80", "http://box/v1"),
        ("box", "http://box:11434/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("https://box:1234/", "https://box:1234/v1"),
        ("http://box", "http://box/v1"),
        ("https://box", "https://box/v1"),
        ("not a host", "http://127.0.0.1:11434/v1"),
    ] {
        let registry = registry(RegistrySettings::default(), &[("OLLAMA_HOST", host)], &[]);
        assert_eq!(registry.usable_provider("ollama").unwrap().base_url, expected, "{host}");
    }
}

#[test]
fn what_is_built_in_can_be_named_and_switched_off() {
    let usual = registry(RegistrySettings::default(), &[], &[]);
    for name in ["offline", "offline/offline"] {
        assert_eq!(usual.model(name).unwrap().provider().id, "offline");
    }
    let listed = usual.list(&BTreeMap::new());
    assert_eq!(
        listed.first().map(|listing| (listing.id.as_str(), listing.is_usable())),
        Some(("offline", true))
    );
    let off = RegistrySettings { disabled: vec!["offline".to_owned()], ..RegistrySettings::default() };
    let off = registry(off, &[], &[]);
    assert_eq!(off.default_model(), None);
    assert!(refused(&off, "offline/offline").contains("is disabled"));
}
