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
        caches: Some(paths.cache_dir.join("sandbox")),
        bridge_program: std::env::current_exe().ok().filter(|program| program.exists()),
    };
    CommandSandbox::new(settings(loaded, paths), places)
}

/// The user's own settings. What an untrusted project says counts only where it is stricter.
fn settings(loaded: &LoadedConfig, paths: &UserPaths) -> SandboxSettings {
    let settings =
        |config: &Option<SandboxConfig>| config.as_ref().map(SandboxConfig::settings).unwrap_or_default();
    let (own, all) = (settings(&loaded.trusted_config.sandbox), settings(&loaded.config.sandbox));
    let mode = |settings: &SandboxSettingsConfig| {
        settings.mode.map(|mode| match mode {
            SandboxModeConfig::Off => SandboxMode::Off,
            SandboxModeConfig::Auto => SandboxMode::Auto,
            SandboxModeConfig::Require => SandboxMode::Require,
        })
    };
    let path = |text: &String| match text.strip_prefix("~/") {
        Some(rest) => paths.home.join(rest),
        None => PathBuf::from(text),
    };
    let hide: BTreeSet<_> =
        own.hide.iter().chain(&all.hide).map(path).filter(|path| path.is_absolute()).collect();
    // The user's own `false` is about the rest of the network.
    let is_network_refused = all.network == Some(false) && own.network != Some(false);
    SandboxSettings {
        mode: mode(&own).unwrap_or_default().max(mode(&all).unwrap_or_default()),
        write: own.write.iter().map(path).filter(|path| path.is_absolute()).collect(),
        hide: hide.into_iter().collect(),
        has_network: own.network == Some(true) && all.network != Some(false),
        hosts: if is_network_refused { Vec::new() } else { own.hosts.clone() },
        commands_only: own.servers == Some(false) && all.servers != Some(true),
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
        let own = r#"{ "sandbox": { "write": ["~/.cache", "/c"], "network": true, "hide": ["~/x"], "hosts": ["a.example"] } }"#;
        let expected = SandboxSettings {
            mode: SandboxMode::Auto,
            write: vec!["/h/.cache".into(), "/c".into()],
            hide: vec!["/h/x".into()],
            has_network: true,
            hosts: vec!["a.example".into()],
            commands_only: false,
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
        assert_eq!(stricter.hosts, Vec::<String>::new());
        let listed = r#"{ "sandbox": { "hosts": ["a.example"], "network": false } }"#;
        assert_eq!(settings_of(listed, "{}").hosts, ["a.example"]);
        assert_eq!(settings_of(listed, r#"{ "sandbox": { "hosts": ["b.example"] } }"#).hosts, ["a.example"]);
        assert!(stricter.hide.contains(&"/y".into()));
        let servers = |own: &str, project: &str| !settings_of(own, project).commands_only;
        let outside = r#"{ "sandbox": { "servers": false } }"#;
        assert!(servers("{}", outside) && !servers(outside, "{}"));
        assert!(servers(outside, r#"{ "sandbox": { "servers": true } }"#));
        assert_eq!(
            settings_of("{}", r#"{ "sandbox": { "network": true, "write": ["/"] } }"#).write,
            Vec::<PathBuf>::new()
        );
        // Language servers run outside of it what a command could write unasked.
        let usual = SandboxMode::Off;
        assert_eq!(settings_of("{}", "{}").mode, usual);
        assert_eq!(settings_of("{}", r#"{ "sandbox": "off" }"#).mode, usual);
        let off = r#"{ "sandbox": "off" }"#;
        assert_eq!(settings_of(off, "{}").mode, SandboxMode::Off);
        assert_eq!(settings_of(off, r#"{ "sandbox": "auto" }"#).mode, SandboxMode::Auto);
    }
}
