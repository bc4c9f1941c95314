//! Why the layers decide as they do: for the user who is asked, and for `copydesk permission explain`.

use std::fmt;

use super::{WeighedReason, WeighedText};
use crate::{AlwaysScope, Ask, PermissionAction, PermissionRule, RuleLayers};

/// One path or command of an ask, and what is decided about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedPattern {
    pub pattern: String,
    pub action: PermissionAction,
    pub reason: DecisionReason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionReason {
    Rule(PermissionRule),
    /// The command may run anything, and this rule forbids something or asks for it.
    MayHide(PermissionRule),
    /// The user chose an action for the key in this session.
    Chosen,
    /// The user replied "always".
    Remembered(AlwaysScope),
    /// It only runs another command of the same call.
    OnlyRunsAnother,
    NoRule,
}

/// The words behind "asked because of" or "allowed by".
impl fmt::Display for DecisionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = |f: &mut fmt::Formatter<'_>, rule: &PermissionRule| {
            let (key, pattern, action) = (&rule.key, &rule.pattern, rule.action.name());
            write!(f, "`\"{key}\": {{ \"{pattern}\": \"{action}\" }}` ({})", rule.origin)
        };
        match self {
            Self::Rule(decided) => rule(f, decided),
            Self::MayHide(hidden) => {
                f.write_str("it may run anything, also what this rule is for: ")?;
                rule(f, hidden)
            }
            Self::Chosen => f.write_str("your choice for this session"),
            Self::Remembered(AlwaysScope::Session) => f.write_str("your reply \"always\" in this session"),
            Self::Remembered(AlwaysScope::Project) => f.write_str("your reply \"always\" for this project"),
            Self::OnlyRunsAnother => f.write_str("it only runs the command behind it"),
            Self::NoRule => f.write_str("no rule is about it, so it asks"),
        }
    }
}

impl RuleLayers {
    /// Each pattern of the ask with its decision, as `decide` makes it.
    pub fn explain(&self, ask: &Ask) -> Vec<ExplainedPattern> {
        if !ask.commands.is_empty() {
            let commands = ask.commands.iter();
            return commands
                .map(|command| {
                    explained(&command.text, &self.weigh_command(&ask.key, command, ask.prior_action))
                })
                .collect();
        }
        let everything = ["*".to_owned()];
        let patterns = if ask.patterns.is_empty() { &everything[..] } else { &ask.patterns };
        let weigh =
            |pattern: &String| explained(pattern, &self.weigh_text(&ask.key, pattern, ask.prior_action));
        patterns.iter().map(weigh).collect()
    }
}

fn explained(pattern: &str, weighed: &WeighedText<'_>) -> ExplainedPattern {
    let reason = match (weighed.reason, weighed.rule) {
        (WeighedReason::Chosen, _) => DecisionReason::Chosen,
        (WeighedReason::Remembered(scope), _) => DecisionReason::Remembered(scope),
        (WeighedReason::Transparent, _) => DecisionReason::OnlyRunsAnother,
        (WeighedReason::MayHide, Some(rule)) => DecisionReason::MayHide(rule.clone()),
        (WeighedReason::Rule, Some(rule)) => DecisionReason::Rule(rule.clone()),
        (WeighedReason::MayHide | WeighedReason::Rule, None) => DecisionReason::NoRule,
    };
    ExplainedPattern { pattern: pattern.to_owned(), action: weighed.action, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PermissionRules, RuleOrigin, ShellPlace, default_rules, read_command};

    #[test]
    fn every_decision_has_its_reason() {
        let own = PermissionRule::new("bash", "rm *", PermissionAction::Deny)
            .with_origin(RuleOrigin::Configuration("copydesk.jsonc:3:5".into()));
        let mut layers = RuleLayers::new([default_rules(), PermissionRules::from_iter([own])]);
        layers.remember("bash", "make check *");
        let explain = |command: &str| {
            let commands = read_command(command, ShellPlace::default()).commands;
            let ask = Ask { key: "bash".to_owned(), commands, ..Ask::default() };
            let lines = layers.explain(&ask);
            let words =
                |line: ExplainedPattern| format!("{}: {}: {}", line.pattern, line.action.name(), line.reason);
            lines.into_iter().map(words).collect::<Vec<_>>()
        };
        let cases = [
            ("ls -l", r#"ls -l: allow: `"bash": { "@reads": "allow" }` (preset normal)"#),
            ("cargo test", r#"cargo test: ask: `"bash": { "*": "ask" }` (built in)"#),
            ("rm x", r#"rm x: deny: `"bash": { "rm *": "deny" }` (copydesk.jsonc:3:5)"#),
            (
                "eval \"$x\"",
                r#"eval $x: ask: it may run anything, also what this rule is for: `"bash": { "rm *": "deny" }` (copydesk.jsonc:3:5)"#,
            ),
            ("make check x", r#"make check x: allow: your reply "always" in this session"#),
        ];
        for (command, expected) in cases {
            assert_eq!(explain(command), [expected], "{command}");
        }
        let read = Ask { key: "read".to_owned(), patterns: vec![".env".to_owned()], ..Ask::default() };
        let reason = layers.explain(&read)[0].reason.to_string();
        assert_eq!(reason, r#"`"read": { "@secrets": "ask" }` (built in)"#);
    }
}
