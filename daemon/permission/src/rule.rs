//! Rules: lines of key, pattern and action, of which the last that matches decides.

use crate::matches;

/// Whether something happens without asking, after asking, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Allow,
    Ask,
    Deny,
}

impl Action {
    /// As it is written in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Key and pattern may both be wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub key: String,
    pub pattern: String,
    pub action: Action,
}

impl Rule {
    pub fn new(key: impl Into<String>, pattern: impl Into<String>, action: Action) -> Self {
        Self { key: key.into(), pattern: pattern.into(), action }
    }

    fn is_for_everything(&self) -> bool {
        !self.pattern.is_empty() && self.pattern.chars().all(|c| c == '*')
    }
}

/// What the configuration says about one key: one action, or some by pattern in the order of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    Action(Action),
    ByPattern(Vec<(String, Action)>),
}

/// Rules in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// One action for everything.
    pub fn all(action: Action) -> Self {
        Self::from_iter([Rule::new("*", "*", action)])
    }

    /// The configuration's lines in their order. A pattern's `~` or `$HOME` in front is the user's home.
    pub fn from_settings(settings: impl IntoIterator<Item = (String, Setting)>, home: &str) -> Self {
        let mut rules = Vec::new();
        for (key, setting) in settings {
            match setting {
                Setting::Action(action) => rules.push(Rule::new(key, "*", action)),
                Setting::ByPattern(lines) => rules.extend(
                    lines.iter().map(|(pattern, action)| Rule::new(&*key, at_home(pattern, home), *action)),
                ),
            }
        }
        Self { rules }
    }

    /// These rules with others behind them, which decide where they match.
    #[must_use]
    pub fn then(mut self, later: Rules) -> Self {
        self.rules.extend(later.rules);
        self
    }

    /// These rules where nothing under the key happens without asking: what they allow is asked for, what they deny stays
    /// denied.
    #[must_use]
    pub fn asking(self, key: &str) -> Rules {
        let mut rules = Vec::with_capacity(self.rules.len());
        for rule in self.rules {
            let allows = rule.action == Action::Allow && matches(&rule.key, key);
            let asks = allows.then(|| Rule::new(key, &*rule.pattern, Action::Ask));
            rules.push(rule);
            // Right behind it, so that it decides where that one would have.
            rules.extend(asks);
        }
        Self { rules }
    }

    pub fn push(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Rule> {
        self.rules.iter()
    }

    /// The rule that decides, if there is one.
    pub fn deciding(&self, key: &str, pattern: &str) -> Option<&Rule> {
        self.iter().rfind(|rule| matches(&rule.key, key) && matches(&rule.pattern, pattern))
    }

    pub fn evaluate(&self, key: &str, pattern: &str) -> Action {
        self.deciding(key, pattern).map_or(Action::Ask, |rule| rule.action)
    }

    /// Whether everything under the key is denied, so that there is no use in offering it.
    pub fn denies_all(&self, key: &str) -> bool {
        for rule in self.iter().rev().filter(|rule| matches(&rule.key, key)) {
            if rule.is_for_everything() {
                return rule.action == Action::Deny;
            }
            if rule.action != Action::Deny {
                return false;
            }
        }
        false
    }

    /// Those of the tools, given with their keys, that are hidden from the model because they could only be denied.
    pub fn disabled<'a>(&self, tools: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
        tools.into_iter().filter(|(_, key)| self.denies_all(key)).map(|(tool, _)| tool).collect()
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<T: IntoIterator<Item = Rule>>(rules: T) -> Self {
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
    fn a_tool_is_hidden_if_nothing_of_it_is_left() {
        let rule = |pattern, action| Rule::new("bash", pattern, action);
        let denied = Rules::from_iter([rule("*", Action::Deny), rule("rm *", Action::Deny)]);
        assert_eq!(denied.disabled([("bash", "bash"), ("read", "read")]), ["bash"]);
        let some_left = denied.clone().then(Rules::from_iter([rule("ls", Action::Ask)]));
        assert!(!some_left.denies_all("bash"));
        assert!(Rules::all(Action::Deny).denies_all("anything"));
    }

    #[test]
    fn what_was_allowed_can_be_asked_for() {
        let rules = [
            Rule::new("*", "*", Action::Allow),
            Rule::new("bash", "rm *", Action::Deny),
            Rule::new("ba*", "rm x", Action::Allow),
        ];
        let asking = Rules::from_iter(rules).asking("bash");
        let bash = ["ls", "rm y", "rm x"].map(|pattern| asking.evaluate("bash", pattern));
        assert_eq!(bash, [Action::Ask, Action::Deny, Action::Ask]);
        assert_eq!(asking.evaluate("edit", "a"), Action::Allow);
    }

    #[test]
    fn home_is_a_folder_and_not_a_beginning() {
        let at = |pattern| at_home(pattern, "/home/ada/");
        assert_eq!(["~", "~/x", "$HOME/*"].map(at), ["/home/ada", "/home/ada/x", "/home/ada/*"]);
        assert_eq!(["~bob/x", "$HOMER", "a/~"].map(at), ["~bob/x", "$HOMER", "a/~"]);
    }
}
