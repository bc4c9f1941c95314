//! Which environment variables hold secrets.
//!
//! Two kinds: keys that Copydesk itself sends to models and search engines, and names under which other tools expect a secret. Programs get
//! neither. A user passes a key on explicitly (`env` or `environment` of a server, or in the command itself), and one of the second kind
//! by the configuration's `environment`.
//!
//! Contract: only the user's configuration counts. An untrusted repository neither uncovers a secret nor withholds a variable.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use copydesk_config::{ConfigSecret, LoadedConfig, SearchEngineConfig};
use copydesk_model::provider::known_providers;
use copydesk_permission::matches_wildcard;

/// Shorter values are not keys.
const SHORTEST: usize = 8;

/// Never secrets, though addresses and headers may contain their values; programs need them.
const NO_KEYS: [&str; 9] = ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"];

/// Names that hold secrets of other tools.
const SECRET_NAMES: [&str; 22] = [
    "*_ACCESS_KEY",
    "*_ACCESS_KEY_ID",
    "*_API_KEY",
    "*_APIKEY",
    "*_AUTH",
    "*_CONNECTION_STRING",
    "*_CREDENTIALS",
    "*_DATABASE_URL",
    "*_PASSPHRASE",
    "*_PASSWD",
    "*_PASSWORD",
    "*_PAT",
    "*_PRIVATE_KEY",
    "*_SECRET",
    "*_SECRET_KEY",
    "*_TOKEN",
    "DATABASE_URL",
    "MONGODB_URI",
    "MYSQL_PWD",
    "PGPASSWORD",
    "REDIS_URL",
    "npm_config_*auth*",
];

pub(crate) struct SecretVariables<'a> {
    names: Vec<&'a str>,
    /// Words of the secrets sent with requests, wherever their values come from.
    sent: Vec<&'a str>,
    /// What the user says of other variables, by name or pattern: whether programs get them.
    passed: &'a BTreeMap<String, bool>,
}

impl<'a> SecretVariables<'a> {
    pub(crate) fn new(loaded: &'a LoadedConfig) -> Self {
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
        let sent = sent.filter(|word| word.len() >= SHORTEST).collect();
        Self { names: names.collect(), sent, passed: &config.environment }
    }

    pub(crate) fn is_secret(&self, name: &OsStr, value: &OsStr) -> bool {
        let name = name.to_str();
        if name.is_some_and(|name| NO_KEYS.contains(&name)) {
            return false;
        }
        // Values sometimes end with a line break.
        let is_sent = value.to_str().is_some_and(|value| self.sent.contains(&value.trim()));
        is_sent || name.is_some_and(|name| self.names.contains(&name) || !self.is_passed(name))
    }

    /// Whether programs get a variable that is no key of ours. The user's own word for a name counts before a pattern, and that
    /// before the names that usually hold secrets.
    fn is_passed(&self, name: &str) -> bool {
        let by_pattern = || {
            let matching = self.passed.iter().filter(|(pattern, _)| matches_wildcard(pattern, name));
            matching.map(|(_, is_passed)| *is_passed).reduce(|all, one| all && one)
        };
        let said = self.passed.get(name).copied().or_else(by_pattern);
        said.unwrap_or_else(|| !SECRET_NAMES.iter().any(|pattern| matches_wildcard(pattern, name)))
    }
}

fn all(secrets: &BTreeMap<String, ConfigSecret>) -> impl Iterator<Item = &ConfigSecret> {
    secrets.values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_fixture::ConfigFixture;

    const ENVIRONMENT: [(&str, &str); 11] = [
        ("CORP_WORD", "corp-0123456789"),
        ("IN_ADDRESS", "address-0123456789"),
        ("IN_QUERY", "query-0123456789"),
        ("BY_ANOTHER_NAME", "search-0123456789\n"),
        ("EDITOR", "/usr/bin/an-editor"),
        ("SHELL", "/usr/bin/a-shell"),
        ("GITHUB_TOKEN", "1"),
        ("AWS_SECRET_ACCESS_KEY", "1"),
        ("AWS_REGION", "eu-central-1"),
        ("DATABASE_URL", "postgres://me:secret@db/news"),
        ("NEWS_OFFICE", "Fleet Street"),
    ];
    const BY_NAME: [&str; 3] = ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL"];

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
            "provider": { "corp": { "env": ["CORP_WORD"] } },
            "websearch": { "type": "exa", "apiKey": "search-0123456789" }
        }"#;
        let all = [&["CORP_WORD", "BY_ANOTHER_NAME"], &BY_NAME[..]].concat();
        assert_eq!(withheld(own, "{}"), all);
        for project in [
            r#"{ "provider": { "corp": null } }"#,
            r#"{ "provider": { "corp": { "env": null, "options": { "apiKey": "another-one" } } } }"#,
            r#"{ "websearch": null }"#,
            r#"{ "provider": { "evil": { "options": { "apiKey": "/usr/bin/an-editor" } } } }"#,
            r#"{ "environment": { "*": true, "GITHUB_TOKEN": true, "EDITOR": false } }"#,
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
        assert_eq!(withheld(own, "{}"), [&["IN_ADDRESS", "IN_QUERY"], &BY_NAME[..]].concat());
    }

    #[test]
    fn the_user_says_which_variables_programs_get() {
        let cases: [(&str, &[&str]); 4] = [
            ("{}", &BY_NAME),
            (r#"{ "GITHUB_TOKEN": true }"#, &["AWS_SECRET_ACCESS_KEY", "DATABASE_URL"]),
            (
                r#"{ "AWS_*": false, "AWS_SECRET_*": true, "*": true }"#,
                &["AWS_SECRET_ACCESS_KEY", "AWS_REGION"],
            ),
            (
                r#"{ "*": false, "AWS_REGION": true, "NEWS_OFFICE": true, "EDITOR": true }"#,
                &[
                    "CORP_WORD",
                    "IN_ADDRESS",
                    "IN_QUERY",
                    "BY_ANOTHER_NAME",
                    "GITHUB_TOKEN",
                    "AWS_SECRET_ACCESS_KEY",
                    "DATABASE_URL",
                ],
            ),
        ];
        for (said, expected) in cases {
            assert_eq!(withheld(&format!(r#"{{ "environment": {said} }}"#), "{}"), expected, "{said}");
        }
    }
}
