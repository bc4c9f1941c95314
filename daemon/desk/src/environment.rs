//! What the programs that a session starts are given of our own environment: everything but keys.
//!
//! Shell commands, language servers, checkers and formatters run what a repository brings (build scripts, plugins, tests), some of them
//! without anybody being asked, and what they print is read by a model. The keys by which the desk is known to those who serve models and
//! searches are the desk's to use: none of these programs needs them to do its work. Whoever does want one to have a key says so where it is
//! started: by `env` or `environment` in the configuration, or in the command itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use copydesk_model::provider::known;
use copydesk_workspace::config::{Config, Loaded, SearchEngine, Secret};

/// Shorter values are no keys.
const SHORTEST: usize = 8;

/// What programs begin with.
pub(crate) fn of_programs(loaded: &Loaded) -> Vec<(OsString, OsString)> {
    let keys = Keys::new(&loaded.config);
    std::env::vars_os().filter(|(name, value)| !keys.is_one(name, value)).collect()
}

/// The variables that they are not given.
pub(crate) fn withheld(loaded: &Loaded) -> Vec<OsString> {
    let keys = Keys::new(&loaded.config);
    let held = std::env::vars_os().filter(|(name, value)| keys.is_one(name, value));
    held.map(|(name, _)| name).collect()
}

struct Keys<'a> {
    names: Vec<&'a str>,
    /// Words of what is sent along with requests, wherever they came from.
    sent: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    fn new(config: &'a Config) -> Self {
        let known = known::all().flat_map(|(_, known)| known.keys.iter().map(String::as_str));
        let providers = || config.provider.values();
        let names = known.chain(providers().flat_map(|provider| provider.env.iter().map(String::as_str)));
        let options = providers().map(|provider| &provider.options);
        let models = providers().flat_map(|provider| provider.models.values());
        let engines = [&config.websearch, &config.codesearch];
        let of_engine = |engine: &'a SearchEngine| engine.api_key.iter().chain(all(&engine.headers));
        let secrets = options.flat_map(|options| {
            options.api_key.iter().chain(all(&options.headers)).chain(all(&options.query))
        });
        let secrets = secrets.chain(models.flat_map(|model| all(&model.headers)));
        let secrets = secrets.chain(engines.into_iter().flat_map(of_engine));
        let sent = secrets.flat_map(|secret| secret.expose().split_whitespace());
        Self { names: names.collect(), sent: sent.filter(|word| word.len() >= SHORTEST).collect() }
    }

    fn is_one(&self, name: &OsStr, value: &OsStr) -> bool {
        // Values come with a line break at times.
        let is_sent = value.to_str().is_some_and(|value| self.sent.contains(&value.trim()));
        is_sent || name.to_str().is_some_and(|name| self.names.contains(&name))
    }
}

fn all(secrets: &BTreeMap<String, Secret>) -> impl Iterator<Item = &Secret> {
    secrets.values()
}
