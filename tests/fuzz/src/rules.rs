//! Any rules in any layers: what the user's own rules deny stays denied, and what they ask for stays asked.
#![no_main]

use copydesk_permission::{
    Ask, PermissionAction, PermissionRule, PermissionRules, RuleLayers, ShellPlace, read_command,
};
use libfuzzer_sys::fuzz_target;

/// One rule per line: an action, and a pattern.
fn rules(lines: &str) -> PermissionRules {
    let rule = |line: &str| {
        let (action, pattern) = line.split_at_checked(1)?;
        let action = match action {
            "a" => PermissionAction::Allow,
            "d" => PermissionAction::Deny,
            _ => PermissionAction::Ask,
        };
        Some(PermissionRule::new("bash", pattern, action))
    };
    lines.lines().filter_map(rule).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let mut parts = input.splitn(3, "\n\n");
    let (Some(command), Some(own), Some(project)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };
    let commands = read_command(command, ShellPlace::default()).commands;
    let ask = Ask { key: "bash".to_owned(), commands, ..Ask::default() };
    let (own, project) = (rules(own), rules(project));
    let strictness = |layers: &RuleLayers| match layers.decide(&ask) {
        copydesk_permission::PermissionDecision::Allow => 0,
        copydesk_permission::PermissionDecision::Ask(_) => 1,
        copydesk_permission::PermissionDecision::Deny(_) => 2,
    };
    let alone = RuleLayers::new([own.clone()]);
    let mut merged = RuleLayers::new([own.clone(), project]);
    merged.set_user_rules(own.clone());
    let is_ruled = own.iter().any(|rule| rule.pattern == "*");
    if is_ruled || strictness(&alone) == 2 {
        assert!(strictness(&merged) >= strictness(&alone), "a project loosened {command:?}");
    }
    let before = strictness(&merged);
    merged.remember("bash", "*");
    assert!(before < 2 || strictness(&merged) == 2, "a reply allowed what is denied: {command:?}");
});
