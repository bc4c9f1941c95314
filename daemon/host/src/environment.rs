//! The environment of the programs that a session starts: ours without the API keys.
//!
//! Shell commands, language servers, checkers and formatters run a repository's code (build scripts, plugins,
//! tests), some without an ask, and a model reads their output. None of them needs the API keys of models and
//! search engines. A user who wants a program to have a key passes it explicitly: by `env` or `environment` in
//! the configuration, or in the command itself.
//!
//! Only the user's configuration decides which variables are keys: an untrusted repository neither exposes one
//! nor removes a variable.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use copydesk_config::{ConfigSecret, LoadedConfig, SearchEngineConfig};
use copydesk_model::provider::known_providers;
use copydesk_workspace::process::Processes;

/// Shorter values are not keys.
const SHORTEST: usize = 8;

/// Never keys, though addresses and headers may contain their values; programs need them.
const NO_KEYS: [&str; 9] = ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"];

/// The environment that programs get.
pub fn child_environment(loaded: &LoadedConfig) -> Vec<(OsString, OsString)> {
    let keys = SecretVariables::new(loaded);
    std::env::vars_os().filter(|(name, value)| !keys.is_secret(name, value)).collect()
}

/// Names of the variables that programs do not get.
pub fn withheld_variables(loaded: &LoadedConfig) -> Vec<OsString> {
    let keys = SecretVariables::new(loaded);
    let withheld = std::env::vars_os().filter(|(name, value)| keys.is_secret(name, value));
    withheld.map(|(name, _)| name).collect()
}

/// New processes for one session.
pub fn processes(loaded: &LoadedConfig) -> Processes {
    Processes::new(child_environment(loaded))
}

/// A session's processes, with the environment of the present configuration.
pub fn renewed(existing: Option<Processes>, loaded: &LoadedConfig) -> Processes {
    let Some(existing) = existing else { return processes(loaded) };
    existing.set_environment(child_environment(loaded));
    existing
}

struct SecretVariables<'a> {
    names: Vec<&'a str>,
    /// Words of the secrets sent with requests, wherever their values come from.
    sent: Vec<&'a str>,
}

impl<'a> SecretVariables<'a> {
    fn new(loaded: &'a LoadedConfig) -> Self {
        let config = &loaded.trusted_config;
        let known = known_providers::all().flat_map(|(_, known)| known.keys.iter().map(String::as_str));
        let providers = || config.provider.values();
        let names = known.chain(providers().flat_map(|provider| provider.env.iter().map(String::as_str)));
        let names = names.chain(loaded.variables_sent.iter().map(String::as_str));
        let options = providers().map(|provider| &provider.options);
        let models = providers().flat_map(|provider| provider.models.values());
        let engines = [&config.websearch, &config.codesearch];
        let of_engine = |engine: &'a SearchEngineConfig| engine.api_key.iter().chain(all(&engine.headers));
        let secrets = options.flat_map(|options| {
            options.api_key.iter().chain(all(&options.headers)).chain(all(&options.query))
        });
        let secrets = secrets.chain(models.flat_map(|model| all(&model.headers)));
        let secrets = secrets.chain(engines.into_iter().flat_map(of_engine));
        let sent = secrets.flat_map(|secret| secret.expose().split_whitespace());
        Self { names: names.collect(), sent: sent.filter(|word| word.len() >= SHORTEST).collect() }
    }

    fn is_secret(&self, name: &OsStr, value: &OsStr) -> bool {
        let name = name.to_str();
        if name.is_some_and(|name| NO_KEYS.contains(&name)) {
            return false;
        }
        // Values sometimes end with a line break.
        let is_sent = value.to_str().is_some_and(|value| self.sent.contains(&value.trim()));
        is_sent || name.is_some_and(|name| self.names.contains(&name))
    }
}

fn all(secrets: &BTreeMap<String, ConfigSecret>) -> impl Iterator<Item = &ConfigSecret> {
    secrets.values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_fixture::ConfigFixture;

    const ENVIRONMENT: [(&str, &str); 6] = [
        ("CORP_TOKEN", "corp-0123456789"),
        ("IN_ADDRESS", "address-0123456789"),
        ("IN_QUERY", "query-0123456789"),
        ("BY_ANOTHER_NAME", "search-0123456789\n"),
        ("EDITOR", "/usr/bin/an-editor"),
        ("SHELL", "/usr/bin/a-shell"),
    ];

    /// Variables withheld under the user's configuration and that of an untrusted project.
    fn withheld(own: &str, project: &str) -> Vec<&'static str> {
        let known = |name: &str| ENVIRONMENT.iter().find(|(known, _)| *known == name);
        let configured =
            ConfigFixture::new(own, project, |name| known(name).map(|(_, value)| (*value).into()));
        let keys = SecretVariables::new(&configured.loaded);
        let withheld =
            ENVIRONMENT.iter().filter(|(name, value)| keys.is_secret(name.as_ref(), value.as_ref()));
        withheld.map(|(name, _)| *name).collect()
    }

    #[test]
    fn a_project_that_is_not_trusted_uncovers_no_key_and_withholds_nothing() {
        let own = r#"{
            "provider": { "corp": { "env": ["CORP_TOKEN"] } },
            "websearch": { "type": "exa", "apiKey": "search-0123456789" }
        }"#;
        let all = ["CORP_TOKEN", "BY_ANOTHER_NAME"];
        assert_eq!(withheld(own, "{}"), all);
        for project in [
            r#"{ "provider": { "corp": null } }"#,
            r#"{ "provider": { "corp": { "env": null, "options": { "apiKey": "another-one" } } } }"#,
            r#"{ "websearch": null }"#,
            r#"{ "provider": { "evil": { "options": { "apiKey": "/usr/bin/an-editor" } } } }"#,
        ] {
            assert_eq!(withheld(own, project), all, "{project}");
        }
    }

    #[test]
    fn what_is_brought_into_a_part_of_what_is_sent_is_withheld() {
        let own = r#"{
            "provider": { "corp": { "options": {
                "baseURL": "http://127.0.0.1/{env:IN_ADDRESS}/v1", "query": { "a": "token={env:IN_QUERY}" },
                "headers": { "From": "{env:SHELL}" }
            } } },
            "lsp": { "rust": { "env": { "E": "{env:EDITOR}" } } }
        }"#;
        assert_eq!(withheld(own, "{}"), ["IN_ADDRESS", "IN_QUERY"]);
    }
}
