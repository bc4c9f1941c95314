//! The sandbox of a session's commands, from the configuration and this machine's places.

use std::collections::BTreeSet;
use std::path::PathBuf;

use copydesk_config::paths::UserPaths;
use copydesk_config::{LoadedConfig, SandboxConfig, SandboxModeConfig, SandboxSettingsConfig};
use copydesk_workspace::process::sandbox::{CommandSandbox, SandboxMode, SandboxPlaces, SandboxSettings};

/// `readable` is what commands may read in Copydesk's own folders.
pub fn command_sandbox(
    loaded: &LoadedConfig,
    paths: &UserPaths,
    readable: Option<PathBuf>,
) -> CommandSandbox {
    let places = SandboxPlaces {
        home: paths.home.clone(),
        runtime_folder: std::env::var_os("XDG_RUNTIME_DIR")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute()),
        private: vec![
            paths.config_dir.clone(),
            paths.data_dir.clone(),
            paths.state_dir.clone(),
            paths.cache_dir.clone(),
            paths.opencode_config_dir.clone(),
        ],
        readable: readable.into_iter().collect(),
        search_path: std::env::var_os("PATH").unwrap_or_default(),
    };
    CommandSandbox::new(settings(loaded, paths), places)
}

/// The user's own settings. What an untrusted project says counts only where it is stricter.
fn settings(loaded: &LoadedConfig, paths: &UserPaths) -> SandboxSettings {
    let settings =
        |config: &Option<SandboxConfig>| config.as_ref().map(SandboxConfig::settings).unwrap_or_default();
    let (own, all) = (settings(&loaded.trusted_config.sandbox), settings(&loaded.config.sandbox));
    let mode = |settings: &SandboxSettingsConfig| match settings.mode {
        None | Some(SandboxModeConfig::Off) => SandboxMode::Off,
        Some(SandboxModeConfig::Auto) => SandboxMode::Auto,
        Some(SandboxModeConfig::Require) => SandboxMode::Require,
    };
    let path = |text: &String| match text.strip_prefix("~/") {
        Some(rest) => paths.home.join(rest),
        None => PathBuf::from(text),
    };
    let hide: BTreeSet<_> =
        own.hide.iter().chain(&all.hide).map(path).filter(|path| path.is_absolute()).collect();
    SandboxSettings {
        mode: mode(&own).max(mode(&all)),
        write: own.write.iter().map(path).filter(|path| path.is_absolute()).collect(),
        hide: hide.into_iter().collect(),
        has_network: own.network == Some(true) && all.network != Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_fixture::ConfigFixture;

    fn settings_of(own: &str, project: &str) -> SandboxSettings {
        let configured = ConfigFixture::new(own, project, |_| None);
        let paths = UserPaths::new(&|name| (name == "HOME").then(|| "/h".into())).unwrap();
        settings(&configured.loaded, &paths)
    }

    #[test]
    fn a_project_that_is_not_trusted_can_only_tighten() {
        let own = r#"{ "sandbox": { "write": ["~/.cache", "/c"], "network": true, "hide": ["~/x"] } }"#;
        let expected = SandboxSettings {
            mode: SandboxMode::Auto,
            write: vec!["/h/.cache".into(), "/c".into()],
            hide: vec!["/h/x".into()],
            has_network: true,
        };
        assert_eq!(settings_of(own, "{}"), expected);
        for project in [
            r#"{ "sandbox": "off" }"#,
            r#"{ "sandbox": null }"#,
            r#"{ "sandbox": { "mode": "off", "write": ["/"], "hide": [] } }"#,
        ] {
            let found = settings_of(own, project);
            assert_eq!(
                (found.mode, found.write, found.has_network),
                (SandboxMode::Auto, expected.write.clone(), true),
                "{project}"
            );
            assert!(found.hide.contains(&"/h/x".into()), "{project}");
        }
        let stricter =
            settings_of(own, r#"{ "sandbox": { "mode": "require", "network": false, "hide": ["/y"] } }"#);
        assert_eq!((stricter.mode, stricter.has_network), (SandboxMode::Require, false));
        assert!(stricter.hide.contains(&"/y".into()));
        assert_eq!(
            settings_of("{}", r#"{ "sandbox": { "network": true, "write": ["/"] } }"#).write,
            Vec::<PathBuf>::new()
        );
        assert_eq!(settings_of("{}", "{}").mode, SandboxMode::Off);
    }
}
