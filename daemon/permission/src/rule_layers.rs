//! Layered rules, where later layers override earlier ones, plus the user's replies on top.
//!
//! Replies are not one more layer: they answer asks, and cannot allow what a rule denies. A user who replied
//! "always" to an edit has not spoken about the file that the configuration denies.

use crate::{
    AlwaysScope, Ask, PermissionAction, PermissionDecision, PermissionDeniedError, PermissionRule,
    PermissionRules, RememberedPattern, matches_wildcard,
};

mod commands;
mod explain;

pub use explain::{DecisionReason, ExplainedPattern};

/// What the layers say about one path or command.
#[derive(Debug, Clone, Copy)]
struct WeighedText<'r> {
    action: PermissionAction,
    /// The rule that decides, or that would without the user's replies.
    rule: Option<&'r PermissionRule>,
    reason: WeighedReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeighedReason {
    Rule,
    /// It may run what this rule is about.
    MayHide,
    Chosen,
    Remembered(AlwaysScope),
    /// It only runs another command, which is decided by itself.
    Transparent,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleLayers {
    rules: PermissionRules,
    /// The user's own rules, without what a repository adds. The combined rules may be stricter than these,
    /// never more lenient.
    user_rules: PermissionRules,
    /// The rules of parent sessions, whose denials apply here too.
    parent_rules: Vec<PermissionRules>,
    remembered: Vec<RememberedPattern>,
    /// The `Always` replies that count in every session of the project.
    project_replies: Vec<RememberedPattern>,
    /// The user's choice per key. It replaces every rule that does not deny.
    chosen: Vec<(String, PermissionAction)>,
}

impl RuleLayers {
    /// Later layers win: defaults, configuration, agent.
    pub fn new(layers: impl IntoIterator<Item = PermissionRules>) -> Self {
        let rules = layers.into_iter().fold(PermissionRules::default(), PermissionRules::chain);
        Self { rules, ..Self::default() }
    }

    /// For a child session: everything its parent denies is denied here.
    #[must_use]
    pub fn with_parent_denials(mut self, above: &Self) -> Self {
        self.parent_rules.extend(above.all().cloned());
        self
    }

    /// Whether everything under the key is denied whatever the user replies, so that offering it is
    /// pointless.
    pub fn denies_all(&self, key: &str) -> bool {
        self.all().any(|rules| rules.denies_all(key))
    }

    /// Replaces the rules (another agent, a changed configuration) and keeps what the user replied.
    pub fn set_rules(&mut self, layers: impl IntoIterator<Item = PermissionRules>) {
        self.rules = Self::new(layers).rules;
    }

    /// Sets the user's own rules, without what a repository adds.
    pub fn set_user_rules(&mut self, own: PermissionRules) {
        self.user_rules = own;
    }

    /// The `Always` replies of this session.
    pub fn remembered_patterns(&self) -> &[RememberedPattern] {
        &self.remembered
    }

    pub fn remember(&mut self, key: &str, pattern: &str) {
        let new = RememberedPattern::new(key, pattern);
        if !self.remembered.contains(&new) {
            self.remembered.push(new);
        }
    }

    /// Takes back an `Always` reply of this session.
    pub fn forget(&mut self, reply: &RememberedPattern) {
        self.remembered.retain(|remembered| remembered != reply);
    }

    /// Replaces the `Always` replies that count in every session of the project, and returns those before.
    pub fn set_project_replies(&mut self, replies: Vec<RememberedPattern>) -> Vec<RememberedPattern> {
        std::mem::replace(&mut self.project_replies, replies)
    }

    /// `None` returns the key to the rules.
    pub fn choose_action(&mut self, key: &str, action: Option<PermissionAction>) {
        self.chosen.retain(|(chosen, _)| chosen != key);
        self.chosen.extend(action.map(|action| (key.to_owned(), action)));
    }

    pub fn evaluate(&self, key: &str, pattern: &str) -> PermissionAction {
        self.weigh(key, pattern, None)
    }

    /// `prior` is the decision of a child session's own rules; ours can then only deny. The user's choices
    /// and replies in this session apply to the child too.
    fn weigh(&self, key: &str, pattern: &str, prior: Option<PermissionAction>) -> PermissionAction {
        self.weigh_text(key, pattern, prior).action
    }

    fn weigh_text(&self, key: &str, pattern: &str, prior: Option<PermissionAction>) -> WeighedText<'_> {
        if let Some(rule) = self.denying(key, pattern) {
            return WeighedText {
                action: PermissionAction::Deny,
                rule: Some(rule),
                reason: WeighedReason::Rule,
            };
        }
        let (action, rule) = self.ruled(key, pattern);
        let ruled = prior.unwrap_or(action);
        let weighed = |action, reason| WeighedText { action, rule, reason };
        match ruled {
            PermissionAction::Allow | PermissionAction::Ask if let Some(action) = self.chosen_action(key) => {
                weighed(action, WeighedReason::Chosen)
            }
            PermissionAction::Ask
                if let Some(scope) =
                    self.remembered_in(key, |remembered| matches_wildcard(remembered, pattern)) =>
            {
                weighed(PermissionAction::Allow, WeighedReason::Remembered(scope))
            }
            action => weighed(action, WeighedReason::Rule),
        }
    }

    fn chosen_action(&self, key: &str) -> Option<PermissionAction> {
        self.chosen.iter().find(|(chosen, _)| chosen == key).map(|(_, action)| *action)
    }

    /// The rules' decision once no rule denies.
    fn ruled(&self, key: &str, pattern: &str) -> (PermissionAction, Option<&PermissionRule>) {
        let rule = self.rules.deciding_rule(key, pattern);
        match rule.map_or(PermissionAction::Ask, |rule| rule.action) {
            PermissionAction::Allow => match self.user_rules.deciding_rule(key, pattern) {
                Some(own) => (own.action, Some(own)),
                None => (PermissionAction::Allow, rule),
            },
            action => (action, rule),
        }
    }

    /// Which of the user's replies allow it: those of the session, or of the project.
    fn remembered_in(&self, key: &str, allows: impl Fn(&str) -> bool) -> Option<AlwaysScope> {
        let is_among = |replies: &[RememberedPattern]| {
            replies.iter().any(|reply| reply.key == key && allows(&reply.pattern))
        };
        match () {
            () if is_among(&self.remembered) => Some(AlwaysScope::Session),
            () if is_among(&self.project_replies) => Some(AlwaysScope::Project),
            () => None,
        }
    }

    /// One denied pattern denies the whole ask; otherwise one pattern that needs asking makes it an ask. An
    /// ask without patterns is decided as the pattern `*`.
    pub fn decide(&self, ask: &Ask) -> PermissionDecision {
        if !ask.commands.is_empty() {
            return self.decide_commands(ask);
        }
        let everything = ["*".to_owned()];
        let patterns = if ask.patterns.is_empty() { &everything[..] } else { &ask.patterns };
        let mut open = Vec::new();
        for pattern in patterns {
            match self.weigh(&ask.key, pattern, ask.prior_action) {
                PermissionAction::Allow => {}
                PermissionAction::Ask => open.push(pattern.clone()),
                PermissionAction::Deny => return PermissionDecision::Deny(self.denied(&ask.key, pattern)),
            }
        }
        if open.is_empty() {
            return PermissionDecision::Allow;
        }
        let patterns = if ask.patterns.is_empty() { Vec::new() } else { open };
        PermissionDecision::Ask(Ask { patterns, ..ask.clone() })
    }

    fn all(&self) -> impl Iterator<Item = &PermissionRules> {
        self.parent_rules.iter().chain([&self.user_rules, &self.rules])
    }

    /// The rule that denies, ours or a parent's.
    fn denying(&self, key: &str, pattern: &str) -> Option<&PermissionRule> {
        let mut deciding = self.all().filter_map(|rules| rules.deciding_rule(key, pattern));
        deciding.find(|rule| rule.action == PermissionAction::Deny)
    }

    fn denied(&self, key: &str, pattern: &str) -> PermissionDeniedError {
        let rule = self.denying(key, pattern).cloned();
        let rule = rule.unwrap_or_else(|| PermissionRule::new(key, pattern, PermissionAction::Deny));
        PermissionDeniedError { key: key.to_owned(), pattern: pattern.to_owned(), rule }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(patterns: &[&str]) -> Ask {
        let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        Ask { key: "bash".into(), patterns, always_patterns: vec!["git *".into()], ..Ask::default() }
    }

    #[test]
    fn only_patterns_not_yet_allowed_are_asked() {
        let rule =
            |pattern, action| PermissionRules::from_iter([PermissionRule::new("bash", pattern, action)]);
        let mut layers =
            RuleLayers::new([rule("ls *", PermissionAction::Allow), rule("rm *", PermissionAction::Deny)]);
        layers.remember("bash", "git *");
        assert_eq!(layers.decide(&ask(&["ls", "git log"])), PermissionDecision::Allow);
        assert_eq!(layers.decide(&ask(&["ls", "make", "git log"])), PermissionDecision::Ask(ask(&["make"])));
        assert_eq!(
            layers.decide(&ask(&[])),
            PermissionDecision::Ask(ask(&[])),
            "what names nothing is not let through"
        );
        let PermissionDecision::Deny(denied) = layers.decide(&ask(&["make", "rm -r x"])) else {
            panic!("not denied")
        };
        assert_eq!(
            denied.to_string(),
            "`bash` of `rm -r x` is denied by the rule `\"bash\": { \"rm *\": \"deny\" }`"
        );
    }

    #[test]
    fn a_choice_stands_for_what_is_asked_and_allowed_and_not_for_what_is_denied() {
        let rules = [
            PermissionRule::new("edit", "*", PermissionAction::Allow),
            PermissionRule::new("edit", "a", PermissionAction::Ask),
            PermissionRule::new("edit", "b", PermissionAction::Deny),
        ];
        let mut layers = RuleLayers::new([PermissionRules::from_iter(rules)]);
        layers.remember("edit", "a");
        let all = |layers: &RuleLayers| ["a", "b", "c"].map(|pattern| layers.evaluate("edit", pattern));
        layers.choose_action("edit", Some(PermissionAction::Ask));
        assert_eq!(all(&layers), [PermissionAction::Ask, PermissionAction::Deny, PermissionAction::Ask]);
        layers.choose_action("edit", Some(PermissionAction::Allow));
        assert_eq!(all(&layers), [PermissionAction::Allow, PermissionAction::Deny, PermissionAction::Allow]);
        layers.choose_action("edit", None);
        assert_eq!(all(&layers), [PermissionAction::Allow, PermissionAction::Deny, PermissionAction::Allow]);
        assert_eq!(layers.evaluate("bash", "x"), PermissionAction::Ask, "it holds for its own key only");
    }

    #[test]
    fn a_child_session_is_bound_by_its_parents_denials() {
        let rule =
            |pattern, action| PermissionRules::from_iter([PermissionRule::new("bash", pattern, action)]);
        let above = RuleLayers::new([rule("rm *", PermissionAction::Deny)]);
        let below = RuleLayers::new([rule("*", PermissionAction::Allow)]).with_parent_denials(&above);
        assert_eq!(below.evaluate("bash", "rm x"), PermissionAction::Deny);
        assert_eq!(below.evaluate("bash", "ls"), PermissionAction::Allow);
        let PermissionDecision::Deny(denied) = below.decide(&ask(&["rm x"])) else { panic!("not denied") };
        assert_eq!(denied.rule, PermissionRule::new("bash", "rm *", PermissionAction::Deny));
        let deepest = RuleLayers::default().with_parent_denials(&below);
        assert_eq!(deepest.evaluate("bash", "rm x"), PermissionAction::Deny);
        assert!(
            !below.denies_all("bash")
                && RuleLayers::default()
                    .with_parent_denials(&RuleLayers::new([rule("*", PermissionAction::Deny)]))
                    .denies_all("bash")
        );
    }

    #[test]
    fn a_child_uses_its_own_rules_and_the_parents_replies() {
        let rule = |key: &str, pattern: &str, action| PermissionRule::new(key, pattern, action);
        let rules =
            [rule("bash", "*", PermissionAction::Allow), rule("bash", "rm *", PermissionAction::Deny)];
        let mut layers = RuleLayers::new([PermissionRules::from_iter(rules)]);
        let below = |layers: &RuleLayers, pattern: &str, said| {
            matches!(
                layers.decide(&Ask { prior_action: Some(said), ..ask(&[pattern]) }),
                PermissionDecision::Allow
            )
        };
        assert!(!below(&layers, "ls", PermissionAction::Ask), "our rules allow nothing there");
        assert!(
            below(&layers, "ls", PermissionAction::Allow) && !below(&layers, "rm x", PermissionAction::Allow)
        );
        layers.remember("bash", "git *");
        assert!(below(&layers, "git log", PermissionAction::Ask));
        layers.choose_action("bash", Some(PermissionAction::Ask));
        assert!(
            !below(&layers, "ls", PermissionAction::Allow)
                && !below(&layers, "git log", PermissionAction::Ask)
        );
    }

    #[test]
    fn user_rules_cannot_be_loosened() {
        let rules = |bash, read| {
            PermissionRules::from_iter([
                PermissionRule::new("bash", "*", bash),
                PermissionRule::new("read", "*", read),
            ])
        };
        let mut layers = RuleLayers::new([rules(PermissionAction::Ask, PermissionAction::Allow)]);
        layers.set_user_rules(rules(PermissionAction::Deny, PermissionAction::Ask));
        let both = |layers: &RuleLayers| ["bash", "read"].map(|key| layers.evaluate(key, "x"));
        assert_eq!(both(&layers), [PermissionAction::Deny, PermissionAction::Ask]);
        assert_eq!(
            both(
                &RuleLayers::new([PermissionRules::all(PermissionAction::Allow)])
                    .with_parent_denials(&layers)
            ),
            [PermissionAction::Deny, PermissionAction::Allow]
        );
        assert!(layers.denies_all("bash"));
        layers.set_rules([PermissionRules::all(PermissionAction::Deny)]);
        layers.set_user_rules(PermissionRules::all(PermissionAction::Allow));
        assert_eq!(both(&layers), [PermissionAction::Deny; 2], "it allows nothing");
        assert_eq!(
            RuleLayers::new([PermissionRules::all(PermissionAction::Allow)]).evaluate("bash", "x"),
            PermissionAction::Allow
        );
    }

    #[test]
    fn a_remembered_reply_never_allows_what_is_denied() {
        let mut layers = RuleLayers::new([PermissionRules::from_iter([PermissionRule::new(
            "bash",
            "rm *",
            PermissionAction::Deny,
        )])]);
        layers.remember("bash", "*");
        assert_eq!(layers.evaluate("bash", "rm x"), PermissionAction::Deny);
        assert_eq!(layers.evaluate("bash", "ls"), PermissionAction::Allow);
        assert_eq!(layers.evaluate("edit", "ls"), PermissionAction::Ask, "it holds for its own key only");
        layers.set_rules([PermissionRules::all(PermissionAction::Deny)]);
        assert_eq!(layers.evaluate("bash", "ls"), PermissionAction::Deny);
    }

    #[test]
    fn a_reply_for_the_project_never_allows_what_is_denied() {
        let deny = PermissionRule::new("bash", "rm *", PermissionAction::Deny);
        let mut layers = RuleLayers::new([PermissionRules::from_iter([deny])]);
        layers.set_project_replies(vec![
            RememberedPattern::new("bash", "rm *"),
            RememberedPattern::new("bash", "cargo test *"),
        ]);
        let decide = |layers: &RuleLayers, command: &str| {
            let commands = crate::read_command(command, crate::ShellPlace::default()).commands;
            layers.decide(&Ask { key: "bash".into(), commands, ..Ask::default() })
        };
        assert!(matches!(decide(&layers, "rm x"), PermissionDecision::Deny(_)));
        assert_eq!(decide(&layers, "cargo test a"), PermissionDecision::Allow);
        assert!(matches!(decide(&layers, "cargo test; make"), PermissionDecision::Ask(_)));
        assert!(
            matches!(decide(&layers, "eval \"cargo test $x\""), PermissionDecision::Ask(_)),
            "it may run what is denied"
        );
        layers.choose_action("bash", Some(PermissionAction::Ask));
        assert!(matches!(decide(&layers, "cargo test a"), PermissionDecision::Ask(_)));
    }
}
