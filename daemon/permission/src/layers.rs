//! Rules in layers, the later over the earlier, and on top what a person has answered.
//!
//! Replies are not one more layer of rules: they answer what would be asked, and cannot allow what is denied. A person who
//! once said "always" to an edit has not said anything about the file that the configuration forbids.

use crate::{Action, Ask, Decision, Denied, Rule, Rules, matches};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layers {
    rules: Rules,
    /// What the person says, whatever a repository adds: the rules may be stricter, never more lenient.
    own: Rules,
    /// Those of the sessions above, whose denials hold here.
    above: Vec<Rules>,
    remembered: Vec<(String, String)>,
    /// What a person chose for a key: it stands for every rule that does not deny.
    chosen: Vec<(String, Action)>,
}

impl Layers {
    /// In the order of growing weight: defaults, configuration, agent.
    pub fn new(layers: impl IntoIterator<Item = Rules>) -> Self {
        let rules = layers.into_iter().fold(Rules::default(), Rules::then);
        Self { rules, ..Self::default() }
    }

    /// For whoever works under another: what is denied there is denied here.
    #[must_use]
    pub fn under(mut self, above: &Self) -> Self {
        self.above.extend(above.all().cloned());
        self
    }

    /// Whether everything under the key is denied, whatever is answered: there is no use in offering it.
    pub fn denies_all(&self, key: &str) -> bool {
        self.all().any(|rules| rules.denies_all(key))
    }

    /// The same memory under other rules: those of another agent, or of a changed configuration.
    pub fn set_rules(&mut self, layers: impl IntoIterator<Item = Rules>) {
        self.rules = Self::new(layers).rules;
    }

    /// What the person says themselves, without the words of others that the rules may hold.
    pub fn set_own(&mut self, own: Rules) {
        self.own = own;
    }

    /// What was answered with `Always`, as key and pattern.
    pub fn remembered(&self) -> &[(String, String)] {
        &self.remembered
    }

    pub fn remember(&mut self, key: &str, pattern: &str) {
        let new = (key.to_owned(), pattern.to_owned());
        if !self.remembered.contains(&new) {
            self.remembered.push(new);
        }
    }

    /// `None` leaves it to the rules again.
    pub fn choose(&mut self, key: &str, action: Option<Action>) {
        self.chosen.retain(|(chosen, _)| chosen != key);
        self.chosen.extend(action.map(|action| (key.to_owned(), action)));
    }

    pub fn evaluate(&self, key: &str, pattern: &str) -> Action {
        self.weigh(key, pattern, None)
    }

    /// `said` is what the rules of whoever asks have said, where that is not us: ours then only deny. What a person chose and
    /// answered here holds for them, too.
    fn weigh(&self, key: &str, pattern: &str, said: Option<Action>) -> Action {
        if self.denying(key, pattern).is_some() {
            return Action::Deny;
        }
        let chosen = self.chosen.iter().find(|(chosen, _)| chosen == key);
        match said.unwrap_or_else(|| self.ruled(key, pattern)) {
            Action::Allow | Action::Ask if let Some((_, action)) = chosen => *action,
            Action::Ask if self.is_remembered(key, pattern) => Action::Allow,
            action => action,
        }
    }

    /// What nobody denies.
    fn ruled(&self, key: &str, pattern: &str) -> Action {
        match self.rules.evaluate(key, pattern) {
            Action::Allow => self.own.deciding(key, pattern).map_or(Action::Allow, |own| own.action),
            action => action,
        }
    }

    fn is_remembered(&self, key: &str, pattern: &str) -> bool {
        self.remembered.iter().any(|(for_key, for_pattern)| for_key == key && matches(for_pattern, pattern))
    }

    /// One denied pattern denies all of it; else one that is to be asked for makes it an ask. An ask that names nothing is
    /// decided by what holds for everything under its key.
    pub fn decide(&self, ask: &Ask) -> Decision {
        let everything = ["*".to_owned()];
        let patterns = if ask.patterns.is_empty() { &everything[..] } else { &ask.patterns };
        let mut open = Vec::new();
        for pattern in patterns {
            match self.weigh(&ask.key, pattern, ask.said) {
                Action::Allow => {}
                Action::Ask => open.push(pattern.clone()),
                Action::Deny => return Decision::Deny(self.denied(&ask.key, pattern)),
            }
        }
        if open.is_empty() {
            return Decision::Allow;
        }
        let patterns = if ask.patterns.is_empty() { Vec::new() } else { open };
        Decision::Ask(Ask { patterns, ..ask.clone() })
    }

    fn all(&self) -> impl Iterator<Item = &Rules> {
        self.above.iter().chain([&self.own, &self.rules])
    }

    /// The rule that denies it, our own or one above.
    fn denying(&self, key: &str, pattern: &str) -> Option<&Rule> {
        let mut deciding = self.all().filter_map(|rules| rules.deciding(key, pattern));
        deciding.find(|rule| rule.action == Action::Deny)
    }

    fn denied(&self, key: &str, pattern: &str) -> Denied {
        let rule = self.denying(key, pattern).cloned();
        let rule = rule.unwrap_or_else(|| Rule::new(key, pattern, Action::Deny));
        Denied { key: key.to_owned(), pattern: pattern.to_owned(), rule }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(patterns: &[&str]) -> Ask {
        let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        Ask { key: "bash".into(), patterns, always: vec!["git *".into()], said: None }
    }

    #[test]
    fn only_what_nobody_allowed_is_asked_for() {
        let rule = |pattern, action| Rules::from_iter([Rule::new("bash", pattern, action)]);
        let mut layers = Layers::new([rule("ls *", Action::Allow), rule("rm *", Action::Deny)]);
        layers.remember("bash", "git *");
        assert_eq!(layers.decide(&ask(&["ls", "git log"])), Decision::Allow);
        assert_eq!(layers.decide(&ask(&["ls", "make", "git log"])), Decision::Ask(ask(&["make"])));
        assert_eq!(
            layers.decide(&ask(&[])),
            Decision::Ask(ask(&[])),
            "what names nothing is not let through"
        );
        let Decision::Deny(denied) = layers.decide(&ask(&["make", "rm -r x"])) else { panic!("not denied") };
        assert_eq!(
            denied.to_string(),
            "`bash` of `rm -r x` is denied by the rule `\"bash\": { \"rm *\": \"deny\" }`"
        );
    }

    #[test]
    fn a_choice_stands_for_what_is_asked_and_allowed_and_not_for_what_is_denied() {
        let rules = [
            Rule::new("edit", "*", Action::Allow),
            Rule::new("edit", "a", Action::Ask),
            Rule::new("edit", "b", Action::Deny),
        ];
        let mut layers = Layers::new([Rules::from_iter(rules)]);
        layers.remember("edit", "a");
        let all = |layers: &Layers| ["a", "b", "c"].map(|pattern| layers.evaluate("edit", pattern));
        layers.choose("edit", Some(Action::Ask));
        assert_eq!(all(&layers), [Action::Ask, Action::Deny, Action::Ask]);
        layers.choose("edit", Some(Action::Allow));
        assert_eq!(all(&layers), [Action::Allow, Action::Deny, Action::Allow]);
        layers.choose("edit", None);
        assert_eq!(all(&layers), [Action::Allow, Action::Deny, Action::Allow]);
        assert_eq!(layers.evaluate("bash", "x"), Action::Ask, "it holds for its own key only");
    }

    #[test]
    fn whoever_works_under_another_is_bound_by_what_is_denied_there() {
        let rule = |pattern, action| Rules::from_iter([Rule::new("bash", pattern, action)]);
        let above = Layers::new([rule("rm *", Action::Deny)]);
        let below = Layers::new([rule("*", Action::Allow)]).under(&above);
        assert_eq!(below.evaluate("bash", "rm x"), Action::Deny);
        assert_eq!(below.evaluate("bash", "ls"), Action::Allow);
        let Decision::Deny(denied) = below.decide(&ask(&["rm x"])) else { panic!("not denied") };
        assert_eq!(denied.rule, Rule::new("bash", "rm *", Action::Deny));
        let deepest = Layers::default().under(&below);
        assert_eq!(deepest.evaluate("bash", "rm x"), Action::Deny);
        assert!(
            !below.denies_all("bash")
                && Layers::default().under(&Layers::new([rule("*", Action::Deny)])).denies_all("bash")
        );
    }

    #[test]
    fn what_those_below_may_do_they_know_and_what_a_person_said_here_holds_for_them() {
        let rule = |key: &str, pattern: &str, action| Rule::new(key, pattern, action);
        let rules = [rule("bash", "*", Action::Allow), rule("bash", "rm *", Action::Deny)];
        let mut layers = Layers::new([Rules::from_iter(rules)]);
        let below = |layers: &Layers, pattern: &str, said| {
            matches!(layers.decide(&Ask { said: Some(said), ..ask(&[pattern]) }), Decision::Allow)
        };
        assert!(!below(&layers, "ls", Action::Ask), "our rules allow nothing there");
        assert!(below(&layers, "ls", Action::Allow) && !below(&layers, "rm x", Action::Allow));
        layers.remember("bash", "git *");
        assert!(below(&layers, "git log", Action::Ask));
        layers.choose("bash", Some(Action::Ask));
        assert!(!below(&layers, "ls", Action::Allow) && !below(&layers, "git log", Action::Ask));
    }

    #[test]
    fn what_the_person_says_is_not_made_more_lenient() {
        let rules =
            |bash, read| Rules::from_iter([Rule::new("bash", "*", bash), Rule::new("read", "*", read)]);
        let mut layers = Layers::new([rules(Action::Ask, Action::Allow)]);
        layers.set_own(rules(Action::Deny, Action::Ask));
        let both = |layers: &Layers| ["bash", "read"].map(|key| layers.evaluate(key, "x"));
        assert_eq!(both(&layers), [Action::Deny, Action::Ask]);
        assert_eq!(
            both(&Layers::new([Rules::all(Action::Allow)]).under(&layers)),
            [Action::Deny, Action::Allow]
        );
        assert!(layers.denies_all("bash"));
        layers.set_rules([Rules::all(Action::Deny)]);
        layers.set_own(Rules::all(Action::Allow));
        assert_eq!(both(&layers), [Action::Deny; 2], "it allows nothing");
        assert_eq!(Layers::new([Rules::all(Action::Allow)]).evaluate("bash", "x"), Action::Allow);
    }

    #[test]
    fn a_memory_never_allows_what_is_denied() {
        let mut layers = Layers::new([Rules::from_iter([Rule::new("bash", "rm *", Action::Deny)])]);
        layers.remember("bash", "*");
        assert_eq!(layers.evaluate("bash", "rm x"), Action::Deny);
        assert_eq!(layers.evaluate("bash", "ls"), Action::Allow);
        assert_eq!(layers.evaluate("edit", "ls"), Action::Ask, "it holds for its own key only");
        layers.set_rules([Rules::all(Action::Deny)]);
        assert_eq!(layers.evaluate("bash", "ls"), Action::Deny);
    }
}
