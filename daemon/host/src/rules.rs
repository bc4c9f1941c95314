//! Translates the permissions of the configuration into the rules of the `permission` crate.

use copydesk_config::{
    self as config, LoadedConfig, PermissionConfig, PermissionPresetConfig, PermissionRuleConfig,
};
use copydesk_permission::{PermissionAction, PermissionPreset, PermissionRules, RuleOrigin, RuleSetting};

/// The configuration's layer of rules. An untrusted project cannot allow anything: once it sets `permission`,
/// every `allow` counts as `ask`, because a later line may override those before it.
pub fn config_rules(loaded: &LoadedConfig, home: &str) -> PermissionRules {
    let untrusted = loaded.merged.untrusted_origin(&["permission"]);
    if let Some(origin) = untrusted {
        loaded.warn(format_args!(
            "{origin}: this project sets `permission` and is not trusted, so Copydesk asks for everything \
             that the configuration allows. Review the file, then run `copydesk trust`."
        ));
    }
    let Some(permission) = &loaded.config.permission else { return PermissionRules::default() };
    with_places(loaded, permission, translate_rules(permission, untrusted.is_none(), home))
}

/// What runs unasked by default. An untrusted project may only make it stricter.
pub fn config_preset(loaded: &LoadedConfig) -> PermissionPreset {
    let preset = |chosen: Option<PermissionPresetConfig>| {
        chosen.map_or_else(PermissionPreset::default, |chosen| match chosen {
            PermissionPresetConfig::Careful => PermissionPreset::Careful,
            PermissionPresetConfig::Normal => PermissionPreset::Normal,
            PermissionPresetConfig::Trusting => PermissionPreset::Trusting,
        })
    };
    let (all, own) = (preset(loaded.config.preset), preset(loaded.trusted_config.preset));
    if loaded.merged.untrusted_origin(&["preset"]).is_some() { all.min(own) } else { all }
}

/// What decides about the preset of a session, besides the user's choice for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PresetSource {
    configured: PermissionPreset,
    is_trusted: bool,
}

impl PresetSource {
    pub(crate) fn of(loaded: &LoadedConfig) -> Self {
        Self { configured: config_preset(loaded), is_trusted: loaded.trust.trust.is_trusted() }
    }

    /// The preset that counts. A build or a test runs what lies in the folder, so in an untrusted one every command asks that the
    /// presets do not call reading.
    pub(crate) fn active(self, chosen: Option<PermissionPreset>) -> PermissionPreset {
        let preset = chosen.unwrap_or(self.configured);
        if self.is_trusted { preset } else { preset.min(PermissionPreset::Normal) }
    }
}

/// Says where each rule stands: the rules have the order of the settings.
fn with_places(
    loaded: &LoadedConfig,
    permission: &PermissionConfig,
    rules: PermissionRules,
) -> PermissionRules {
    let place = |path: &[&str]| match loaded.merged.origin(path) {
        Some(origin) => RuleOrigin::Configuration(origin.to_string().into()),
        None => RuleOrigin::BuiltIn,
    };
    let places: Vec<_> = match permission {
        PermissionConfig::All(_) => vec![place(&["permission"])],
        PermissionConfig::Each(lines) => lines
            .iter()
            .flat_map(|(key, rule)| match rule {
                PermissionRuleConfig::All(_) => vec![place(&["permission", key])],
                PermissionRuleConfig::Each(patterns) => {
                    patterns.iter().map(|(pattern, _)| place(&["permission", key, pattern])).collect()
                }
            })
            .collect(),
    };
    rules.iter().cloned().zip(places).map(|(rule, place)| rule.with_origin(place)).collect()
}

/// The user's own rules, which an untrusted project can neither remove nor weaken.
pub fn user_rules(loaded: &LoadedConfig, home: &str) -> PermissionRules {
    loaded
        .trusted_config
        .permission
        .as_ref()
        .map(|permission| with_places(loaded, permission, translate_rules(permission, true, home)))
        .unwrap_or_default()
}

pub fn translate_rules(permission: &PermissionConfig, may_allow: bool, home: &str) -> PermissionRules {
    let action = |action: &config::PermissionActionConfig| match action {
        config::PermissionActionConfig::Allow if may_allow => PermissionAction::Allow,
        config::PermissionActionConfig::Allow | config::PermissionActionConfig::Ask => PermissionAction::Ask,
        config::PermissionActionConfig::Deny => PermissionAction::Deny,
    };
    let lines = match permission {
        PermissionConfig::All(all) => vec![("*".to_owned(), RuleSetting::Action(action(all)))],
        PermissionConfig::Each(lines) => lines
            .iter()
            .map(|(key, rule)| {
                let setting = match rule {
                    PermissionRuleConfig::All(all) => RuleSetting::Action(action(all)),
                    PermissionRuleConfig::Each(patterns) => RuleSetting::ByPattern(
                        patterns.iter().map(|(pattern, each)| (pattern.clone(), action(each))).collect(),
                    ),
                };
                (key.clone(), setting)
            })
            .collect(),
    };
    PermissionRules::from_settings(lines, home)
}
