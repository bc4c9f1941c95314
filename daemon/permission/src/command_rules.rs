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
    /// The rule that may forbid it.
    pub(crate) hidden_rule: Option<&'r PermissionRule>,
}

impl PermissionRules {
    pub(crate) fn decide_command(&self, key: &str, command: &CommandPattern) -> CommandVerdict<'_> {
        let mut hidden_rule = None;
        for rule in self.iter().rev().filter(|rule| rule.key == key || matches_wildcard(&rule.key, key)) {
            let is_general = rule.is_for_everything();
            // The command inside is decided by itself.
            if command.is_transparent() && (is_general || rule.action == PermissionAction::Allow) {
                continue;
            }
            let action = match command.match_rule(rule) {
                RuleMatch::No => continue,
                RuleMatch::Perhaps => {
                    hidden_rule = hidden_rule.or(Some(rule));
                    continue;
                }
                RuleMatch::Yes(PermissionAction::Allow) if hidden_rule.is_some() && is_general => {
                    PermissionAction::Ask
                }
                RuleMatch::Yes(action) => action,
            };
            let may_be_forbidden = hidden_rule.is_some();
            return CommandVerdict { action, rule: Some(rule), may_be_forbidden, hidden_rule };
        }
        let action = if command.is_transparent() { PermissionAction::Allow } else { PermissionAction::Ask };
        CommandVerdict { action, rule: None, may_be_forbidden: hidden_rule.is_some(), hidden_rule }
    }
}
