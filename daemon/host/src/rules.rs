//! The rules of a session: from the configuration's words to those of the permission room.

use copydesk_config::{self as config, Loaded, Permission, Rule};
use copydesk_permission::{Action, Rules, Setting};

/// The configuration's layer. A project that is not trusted cannot allow anything: its lines, and since the last line
/// decides those before them, count as `ask` where they say `allow`.
pub fn configured(loaded: &Loaded, home: &str) -> Rules {
    let untrusted = loaded.merged.untrusted(&["permission"]);
    if let Some(origin) = untrusted {
        loaded.warn(format_args!(
            "{origin}: this project changes what is allowed without asking, and is not trusted: everything is asked for. \
             Look at the file, then run `copydesk config trust`."
        ));
    }
    let Some(permission) = &loaded.config.permission else { return Rules::default() };
    rules(permission, untrusted.is_none(), home)
}

/// What the person says themselves, which a project that is not trusted can neither take away nor weaken.
pub fn own(loaded: &Loaded, home: &str) -> Rules {
    loaded.own.permission.as_ref().map(|permission| rules(permission, true, home)).unwrap_or_default()
}

pub fn rules(permission: &Permission, may_allow: bool, home: &str) -> Rules {
    let action = |action: &config::Action| match action {
        config::Action::Allow if may_allow => Action::Allow,
        config::Action::Allow | config::Action::Ask => Action::Ask,
        config::Action::Deny => Action::Deny,
    };
    let lines = match permission {
        Permission::All(all) => vec![("*".to_owned(), Setting::Action(action(all)))],
        Permission::Each(lines) => lines
            .iter()
            .map(|(key, rule)| {
                let setting = match rule {
                    Rule::All(all) => Setting::Action(action(all)),
                    Rule::Each(patterns) => Setting::ByPattern(
                        patterns.iter().map(|(pattern, each)| (pattern.clone(), action(each))).collect(),
                    ),
                };
                (key.clone(), setting)
            })
            .collect(),
    };
    Rules::from_settings(lines, home)
}
