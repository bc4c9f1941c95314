//! Commands in the layers: the same order as for patterns. A command that may hide something forbidden is
//! asked for, whatever allows it in general.

use crate::{
    Ask, CommandPattern, PermissionAction, PermissionDecision, PermissionDeniedError, PermissionRule,
    RuleLayers,
};

/// What the layers say about one command.
struct WeighedCommand<'r> {
    action: PermissionAction,
    denying_rule: Option<&'r PermissionRule>,
}

impl RuleLayers {
    pub(super) fn decide_commands(&self, ask: &Ask) -> PermissionDecision {
        let mut open = Vec::new();
        for command in &ask.commands {
            let weighed = self.weigh_command(&ask.key, command, ask.prior_action);
            match weighed.action {
                PermissionAction::Allow => {}
                PermissionAction::Ask => open.push(command.clone()),
                PermissionAction::Deny => {
                    let rule = weighed.denying_rule.cloned();
                    let denied = || PermissionRule::new(&*ask.key, &*command.text, PermissionAction::Deny);
                    return PermissionDecision::Deny(PermissionDeniedError {
                        key: ask.key.clone(),
                        pattern: command.text.clone(),
                        rule: rule.unwrap_or_else(denied),
                    });
                }
            }
        }
        if open.is_empty() {
            return PermissionDecision::Allow;
        }
        let patterns = open.iter().map(|command| command.text.clone()).collect();
        PermissionDecision::Ask(Ask { patterns, commands: open, ..ask.clone() })
    }

    /// `prior` is the decision of a child session's own rules; ours can then only deny.
    fn weigh_command(
        &self,
        key: &str,
        command: &CommandPattern,
        prior: Option<PermissionAction>,
    ) -> WeighedCommand<'_> {
        let of_parents = self.parent_rules.iter().map(|rules| rules.decide_command(key, command));
        let by_user = self.user_rules.decide_command(key, command);
        let by_session = self.rules.decide_command(key, command);
        let mut may_be_forbidden = false;
        for verdict in of_parents.chain([by_user, by_session]) {
            if verdict.action == PermissionAction::Deny {
                return WeighedCommand { action: PermissionAction::Deny, denying_rule: verdict.rule };
            }
            may_be_forbidden |= verdict.may_be_forbidden && verdict.action == PermissionAction::Ask;
        }
        let user_asks = by_user.rule.is_some() && by_user.action == PermissionAction::Ask;
        let ruled = if user_asks { PermissionAction::Ask } else { by_session.action };
        let chosen = self.chosen.iter().find(|(chosen, _)| chosen == key);
        let action = match prior.unwrap_or(ruled) {
            _ if may_be_forbidden => PermissionAction::Ask,
            PermissionAction::Allow if command.is_transparent() => PermissionAction::Allow,
            PermissionAction::Allow | PermissionAction::Ask if let Some((_, action)) = chosen => *action,
            PermissionAction::Ask if self.is_command_remembered(key, command) => PermissionAction::Allow,
            action => action,
        };
        WeighedCommand { action, denying_rule: None }
    }

    fn is_command_remembered(&self, key: &str, command: &CommandPattern) -> bool {
        self.remembered
            .iter()
            .any(|(for_key, for_pattern)| for_key == key && command.is_allowed_by(for_pattern))
    }
}
