//! Rules: lines of key, pattern and action. The last line that matches decides.

use crate::pattern_class::PatternClass;
use crate::{RuleOrigin, looks_like_secret, matches_wildcard};

/// Whether a call runs without asking, after asking, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionAction {
    Allow,
    Ask,
    Deny,
}

impl PermissionAction {
    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Both key and pattern may contain wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    pub key: String,
    pub pattern: String,
    pub action: PermissionAction,
    pub origin: RuleOrigin,
}

impl PermissionRule {
    pub fn new(key: impl Into<String>, pattern: impl Into<String>, action: PermissionAction) -> Self {
        Self { key: key.into(), pattern: pattern.into(), action, origin: RuleOrigin::BuiltIn }
    }

    #[must_use]
    pub fn with_origin(self, origin: RuleOrigin) -> Self {
        Self { origin, ..self }
    }

    /// Whether it is about this path or text. Its key was compared before.
    fn matches_text(&self, text: &str) -> bool {
        match PatternClass::of(&self.pattern) {
            Some(PatternClass::Secrets) => looks_like_secret(text),
            Some(
                PatternClass::Reads | PatternClass::Network | PatternClass::Changes | PatternClass::Sandboxed,
            ) => false,
            None => matches_wildcard(&self.pattern, text),
        }
    }

    pub(crate) fn is_for_everything(&self) -> bool {
        !self.pattern.is_empty() && self.pattern.chars().all(|c| c == '*')
    }
}

/// The configuration of one key: one action, or actions by pattern in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleSetting {
    Action(PermissionAction),
    ByPattern(Vec<(String, PermissionAction)>),
}

/// Rules, in order; the last match decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PermissionRules {
    rules: Vec<PermissionRule>,
}

impl PermissionRules {
    pub fn all(action: PermissionAction) -> Self {
        Self::from_iter([PermissionRule::new("*", "*", action)])
    }

    /// Keeps the order of the configuration. A leading `~` or `$HOME` in a pattern becomes the user's home.
    pub fn from_settings(settings: impl IntoIterator<Item = (String, RuleSetting)>, home: &str) -> Self {
        let mut rules = Vec::new();
        for (key, setting) in settings {
            match setting {
                RuleSetting::Action(action) => rules.push(PermissionRule::new(key, "*", action)),
                RuleSetting::ByPattern(lines) => rules.extend(
                    lines
                        .iter()
                        .map(|(pattern, action)| PermissionRule::new(&*key, at_home(pattern, home), *action)),
                ),
            }
        }
        Self { rules }
    }

    /// Appends rules, which win wherever they match.
    #[must_use]
    pub fn chain(mut self, later: PermissionRules) -> Self {
        self.rules.extend(later.rules);
        self
    }

    /// Turns every `Allow` that covers the key into `Ask` for that key; denials stay.
    #[must_use]
    pub fn with_asking(self, key: &str) -> PermissionRules {
        let mut rules = Vec::with_capacity(self.rules.len());
        for rule in self.rules {
            let allows = rule.action == PermissionAction::Allow && matches_wildcard(&rule.key, key);
            let asks = allows.then(|| PermissionRule {
                key: key.to_owned(),
                action: PermissionAction::Ask,
                ..rule.clone()
            });
            rules.push(rule);
            // Directly behind the original, so that it overrides exactly that rule.
            rules.extend(asks);
        }
        Self { rules }
    }

    #[must_use]
    pub fn with_origin(self, origin: &RuleOrigin) -> Self {
        self.rules.into_iter().map(|rule| rule.with_origin(origin.clone())).collect()
    }

    pub fn push(&mut self, rule: PermissionRule) {
        self.rules.push(rule);
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &PermissionRule> {
        self.rules.iter()
    }

    /// The rule that decides, if any matches.
    pub fn deciding_rule(&self, key: &str, pattern: &str) -> Option<&PermissionRule> {
        self.iter().rfind(|rule| matches_wildcard(&rule.key, key) && rule.matches_text(pattern))
    }

    pub fn evaluate(&self, key: &str, pattern: &str) -> PermissionAction {
        self.deciding_rule(key, pattern).map_or(PermissionAction::Ask, |rule| rule.action)
    }

    /// Whether the rules deny everything under the key, so that offering it is pointless.
    pub fn denies_all(&self, key: &str) -> bool {
        for rule in self.iter().rev().filter(|rule| matches_wildcard(&rule.key, key)) {
            if rule.is_for_everything() {
                return rule.action == PermissionAction::Deny;
            }
            if rule.action != PermissionAction::Deny {
                return false;
            }
        }
        false
    }

    /// The tools, given as (name, key), to hide from the model because every call would be denied.
    pub fn denied_tools<'a>(&self, tools: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
        tools.into_iter().filter(|(_, key)| self.denies_all(key)).map(|(tool, _)| tool).collect()
    }
}

impl FromIterator<PermissionRule> for PermissionRules {
    fn from_iter<T: IntoIterator<Item = PermissionRule>>(rules: T) -> Self {
        Self { rules: rules.into_iter().collect() }
    }
}

fn at_home(pattern: &str, home: &str) -> String {
    let rest = pattern.strip_prefix('~').or_else(|| pattern.strip_prefix("$HOME"));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("{}{rest}", home.trim_end_matches('/')),
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_hidden_if_all_of_it_is_denied() {
        let rule = |pattern, action| PermissionRule::new("bash", pattern, action);
        let denied = PermissionRules::from_iter([
            rule("*", PermissionAction::Deny),
            rule("rm *", PermissionAction::Deny),
        ]);
        assert_eq!(denied.denied_tools([("bash", "bash"), ("read", "read")]), ["bash"]);
        let some_left = denied.clone().chain(PermissionRules::from_iter([rule("ls", PermissionAction::Ask)]));
        assert!(!some_left.denies_all("bash"));
        assert!(PermissionRules::all(PermissionAction::Deny).denies_all("anything"));
    }

    #[test]
    fn what_was_allowed_can_be_asked_for() {
        let rules = [
            PermissionRule::new("*", "*", PermissionAction::Allow),
            PermissionRule::new("bash", "rm *", PermissionAction::Deny),
            PermissionRule::new("ba*", "rm x", PermissionAction::Allow),
        ];
        let asking = PermissionRules::from_iter(rules).with_asking("bash");
        let bash = ["ls", "rm y", "rm x"].map(|pattern| asking.evaluate("bash", pattern));
        assert_eq!(bash, [PermissionAction::Ask, PermissionAction::Deny, PermissionAction::Ask]);
        assert_eq!(asking.evaluate("edit", "a"), PermissionAction::Allow);
    }

    #[test]
    fn home_is_a_folder_and_not_a_beginning() {
        let at = |pattern| at_home(pattern, "/home/ada/");
        assert_eq!(["~", "~/x", "$HOME/*"].map(at), ["/home/ada", "/home/ada/x", "/home/ada/*"]);
        assert_eq!(["~bob/x", "$HOMER", "a/~"].map(at), ["~bob/x", "$HOMER", "a/~"]);
    }
}
