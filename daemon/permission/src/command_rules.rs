//! What a list of rules decides about a command: as for paths, the last rule that matches.

use crate::command_pattern::RuleMatch;
use crate::{CommandPattern, PermissionAction, PermissionRule, PermissionRules, matches_wildcard};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandVerdict<'r> {
    pub(crate) action: PermissionAction,
    /// `None` if no rule matches.
    pub(crate) rule: Option<&'r PermissionRule>,
    /// The command may hide what a narrower rule forbids, so a general allow is not enough.
    pub(crate) may_be_forbidden: bool,
}

impl PermissionRules {
    pub(crate) fn decide_command(&self, key: &str, command: &CommandPattern) -> CommandVerdict<'_> {
        let mut may_be_forbidden = false;
        for rule in self.iter().rev().filter(|rule| rule.key == key || matches_wildcard(&rule.key, key)) {
            let is_general = rule.is_for_everything();
            // The command inside is decided by itself.
            if command.is_transparent() && (is_general || rule.action == PermissionAction::Allow) {
                continue;
            }
            let action = match command.match_rule(rule) {
                RuleMatch::No => continue,
                RuleMatch::Perhaps => {
                    may_be_forbidden = true;
                    continue;
                }
                RuleMatch::Yes(PermissionAction::Allow) if may_be_forbidden && is_general => {
                    PermissionAction::Ask
                }
                RuleMatch::Yes(action) => action,
            };
            return CommandVerdict { action, rule: Some(rule), may_be_forbidden };
        }
        let action = if command.is_transparent() { PermissionAction::Allow } else { PermissionAction::Ask };
        CommandVerdict { action, rule: None, may_be_forbidden }
    }
}
