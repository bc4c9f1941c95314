//! Agents: a named set of prompt, model and rules. Data; the built-in ones stand here, the user's come from outside.

use copydesk_permission::{Action, Rule, Rules};

/// How many requests one prompt may lead to, where an agent does not say.
const STEPS: u32 = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    /// When to use it, for people and for agents that call agents.
    pub description: String,
    pub prompt: String,
    /// `PROVIDER/MODEL`, where it has one of its own.
    pub model: Option<String>,
    /// Laid over the defaults and the configuration.
    pub rules: Rules,
    pub steps: u32,
    /// Whether a person can choose it; others only call it.
    pub primary: bool,
}

/// `build` and `plan` are for people, `general` and `explore` for other agents.
pub fn builtin() -> Vec<Agent> {
    let agent = |name: &str, primary: bool, description: &str, prompt: &str, rules: Rules| Agent {
        name: name.to_owned(),
        description: description.to_owned(),
        prompt: prompt.trim_end().to_owned(),
        model: None,
        rules,
        steps: STEPS,
        primary,
    };
    let read_only = || {
        let deny = |key: &str| Rule::new(key, "*", Action::Deny);
        Rules::from_iter([deny("edit"), deny("bash"), deny("task")])
    };
    vec![
        agent(
            "build",
            true,
            "Reads, changes and runs code.",
            include_str!("agent/build.md"),
            Rules::default(),
        ),
        agent("plan", true, "Looks and thinks; changes nothing.", include_str!("agent/plan.md"), read_only()),
        agent(
            "general",
            false,
            "A task of its own, end to end.",
            include_str!("agent/build.md"),
            Rules::default(),
        ),
        agent("explore", false, "Finds out how something works.", include_str!("agent/plan.md"), read_only()),
    ]
}
