//! What every command needs first: the user's folders, configuration, keys and providers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use copydesk_config::keys::KeyStore;
use copydesk_config::paths::UserPaths;
use copydesk_config::{self as config, ConfigSearch, LoadedConfig};
use copydesk_model::{ModelRegistry, SecretString};

use crate::providers;

#[derive(Debug, Clone)]
pub struct UserSetup {
    pub cwd: PathBuf,
    pub paths: UserPaths,
}

impl UserSetup {
    pub fn new(cwd: Option<PathBuf>) -> anyhow::Result<Self> {
        let cwd = match cwd {
            Some(cwd) => {
                let named = || format!("--cwd {}", cwd.display());
                let real = cwd.canonicalize().with_context(named)?;
                anyhow::ensure!(real.is_dir(), "--cwd {}: not a folder", real.display());
                std::fs::read_dir(&real).with_context(named)?;
                real
            }
            None => std::env::current_dir().context("cannot read the current folder; change to another")?,
        };
        Ok(Self { cwd, paths: UserPaths::new(&|name| std::env::var_os(name))? })
    }

    /// Loads the configuration. The caller shows its warnings.
    pub fn load(&self) -> anyhow::Result<LoadedConfig> {
        let search = ConfigSearch { paths: &self.paths, cwd: &self.cwd, env: &|name| std::env::var_os(name) };
        config::load(&search).map_err(|error| match error.excerpt() {
            Some(excerpt) => anyhow::anyhow!("{error}\n{excerpt}"),
            None => error.into(),
        })
    }

    pub fn keys(&self) -> anyhow::Result<KeyStore> {
        Ok(KeyStore::load(&self.paths.data_dir)?)
    }

    pub fn registry(&self, loaded: &LoadedConfig) -> anyhow::Result<ModelRegistry> {
        let keys = self.keys()?;
        keys.warning().into_iter().for_each(|warning| loaded.warn(warning));
        self.registry_with(loaded, &keys)
    }

    pub fn registry_with(&self, loaded: &LoadedConfig, keys: &KeyStore) -> anyhow::Result<ModelRegistry> {
        let settings = providers::settings(loaded)?;
        let keys: BTreeMap<_, _> = keys
            .iter()
            .map(|(provider, key)| (provider.to_owned(), SecretString::new(key.expose())))
            .collect();
        Ok(ModelRegistry::new(settings, keys, Box::new(|name| std::env::var(name).ok())))
    }
}
