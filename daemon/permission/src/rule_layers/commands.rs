//! Commands in the layers: the same order as for patterns. A command that may hide something forbidden is
//! asked for, whatever allows it in general.

use super::{WeighedReason, WeighedText};
use crate::{
    Ask, CommandPattern, PermissionAction, PermissionDecision, PermissionDeniedError, PermissionRule,
    RuleLayers,
};

impl RuleLayers {
    pub(super) fn decide_commands(&self, ask: &Ask) -> PermissionDecision {
        let mut open = Vec::new();
        for command in &ask.commands {
            let weighed = self.weigh_command(&ask.key, command, ask.prior_action);
            match weighed.action {
                PermissionAction::Allow => {}
                PermissionAction::Ask => open.push(command.clone()),
                PermissionAction::Deny => {
                    let rule = weighed.rule.cloned();
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
    pub(super) fn weigh_command(
        &self,
        key: &str,
        command: &CommandPattern,
        prior: Option<PermissionAction>,
    ) -> WeighedText<'_> {
        let of_parents = self.parent_rules.iter().map(|rules| rules.decide_command(key, command));
        let by_user = self.user_rules.decide_command(key, command);
        let by_session = self.rules.decide_command(key, command);
        let mut hidden_rule = None;
        for verdict in of_parents.chain([by_user, by_session]) {
            if verdict.action == PermissionAction::Deny {
                return WeighedText {
                    action: verdict.action,
                    rule: verdict.rule,
                    reason: WeighedReason::Rule,
                };
            }
            if verdict.may_be_forbidden && verdict.action == PermissionAction::Ask {
                hidden_rule = hidden_rule.or(verdict.hidden_rule);
            }
        }
        let user_asks = by_user.rule.is_some() && by_user.action == PermissionAction::Ask;
        let verdict = if user_asks { by_user } else { by_session };
        let weighed = |action, reason| WeighedText { action, rule: verdict.rule, reason };
        match prior.unwrap_or(verdict.action) {
            _ if hidden_rule.is_some() => WeighedText {
                action: PermissionAction::Ask,
                rule: hidden_rule,
                reason: WeighedReason::MayHide,
            },
            PermissionAction::Allow if command.is_transparent() => {
                weighed(PermissionAction::Allow, WeighedReason::Transparent)
            }
            PermissionAction::Allow | PermissionAction::Ask if let Some(action) = self.chosen_action(key) => {
                weighed(action, WeighedReason::Chosen)
            }
            PermissionAction::Ask
                if let Some(scope) = self.remembered_in(key, |pattern| command.is_allowed_by(pattern)) =>
            {
                weighed(PermissionAction::Allow, WeighedReason::Remembered(scope))
            }
            action => weighed(action, WeighedReason::Rule),
        }
    }
}
