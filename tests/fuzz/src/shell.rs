//! Any text is read as a command or refused. A denied program in a list of its own is never missed, and a command that
//! contains it is never allowed by a rule about another program.
#![no_main]

use copydesk_permission::{
    Ask, PermissionAction, PermissionDecision, PermissionRule, RuleLayers, ShellPlace, read_command,
};
use libfuzzer_sys::fuzz_target;

fn decide(command: &str, rules: [(&str, PermissionAction); 2]) -> PermissionDecision {
    let place = ShellPlace { home: Some("/home/ada"), working_folder: Some("/home/ada/project") };
    let commands = read_command(command, place).commands;
    assert!(!commands.is_empty(), "{command:?}");
    let rules = rules.map(|(pattern, action)| PermissionRule::new("bash", pattern, action));
    let ask = Ask { key: "bash".to_owned(), commands, ..Ask::default() };
    RuleLayers::new([rules.into_iter().collect()]).decide(&ask)
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let denied = [("*", PermissionAction::Allow), ("PWN*", PermissionAction::Deny)];
    let allowed = [("*", PermissionAction::Ask), ("ls *", PermissionAction::Allow)];
    drop(decide(input, denied));
    drop(decide(input, allowed));
    // Whatever stands before or behind, the marker is seen or the whole is asked for, unless it is quoted away.
    let is_quoted_away = input.contains(['\'', '"', '#', '\\', '<']);
    if !is_quoted_away {
        for command in [format!("{input}\nPWN x\n"), format!("PWN x\n{input}"), format!("{input}; PWN")] {
            for rules in [denied, allowed] {
                assert!(!matches!(decide(&command, rules), PermissionDecision::Allow), "{command:?}");
            }
        }
    }
});
