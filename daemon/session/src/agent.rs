//! Agents: a named set of prompt, model and rules. Data; the built-in ones stand here, the user's come from outside.

mod tool_switches;

use copydesk_model::{ReasoningEffort, RequestDefaults};
use copydesk_permission::{PermissionAction, PermissionRule, PermissionRules};

pub use tool_switches::ToolSwitches;

/// How many requests one prompt may lead to, where an agent does not say.
const STEPS: u32 = 200;

/// Who gives sessions their titles.
pub const TITLE_AGENT: &str = "title";

/// Who plans before anything is changed.
pub const PLAN_AGENT: &str = "plan";

/// Who looks and changes nothing: also for whoever plans.
pub const EXPLORE_AGENT: &str = "explore";

#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub name: String,
    /// When to use it, for people and for agents that call agents.
    pub description: String,
    pub prompt: String,
    /// `PROVIDER/MODEL`, where it has one of its own.
    pub model: Option<String>,
    /// Which of the model's variants it uses.
    pub variant: Option<String>,
    /// What its requests say besides, where the model takes it.
    pub defaults: RequestDefaults,
    pub tools: ToolSwitches,
    /// Laid over the defaults and the configuration.
    pub rules: PermissionRules,
    /// The same without what only a repository says: what it denies and asks for holds.
    pub user_rules: PermissionRules,
    /// Keys under which nothing happens without asking, whatever the configuration allows.
    pub always_ask: Vec<String>,
    pub max_steps: u32,
    /// Whether a person can choose it.
    pub primary: bool,
    /// Whether other agents can give it tasks.
    pub is_subagent: bool,
    /// Not in any list.
    pub hidden: bool,
}

impl Agent {
    /// Whether a person may name it: one that is neither shown nor chosen works for the desk alone.
    pub fn can_be_named(&self) -> bool {
        self.primary || !self.hidden
    }
}

/// `build` and `plan` are for people, `general` and `explore` for other agents, `title` for the desk itself.
pub fn builtin_agents() -> Vec<Agent> {
    let agent = |name: &str, primary: bool, description: &str, prompt: &str, rules: PermissionRules| Agent {
        name: name.to_owned(),
        description: description.to_owned(),
        prompt: prompt.trim_end().to_owned(),
        model: None,
        variant: None,
        defaults: RequestDefaults::default(),
        tools: ToolSwitches::new(),
        user_rules: rules.clone(),
        rules,
        always_ask: Vec::new(),
        max_steps: STEPS,
        primary,
        is_subagent: !primary,
        hidden: false,
    };
    let deny = |keys: &[&str]| {
        keys.iter()
            .map(|key| PermissionRule::new(*key, "*", PermissionAction::Deny))
            .collect::<PermissionRules>()
    };
    // Whoever works for another agent speaks to that one, and is who it was called as.
    let for_people = ["question", "plan_enter", "plan_exit"];
    let title =
        agent(TITLE_AGENT, false, "Names sessions.", include_str!("agent/title.md"), deny(&for_people));
    let build = include_str!("agent/build.md");
    let plan = agent(
        PLAN_AGENT,
        true,
        "Looks, thinks and writes a plan; changes nothing else.",
        include_str!("agent/plan.md"),
        // Whom it may have look is a matter of the rules for all (`desk/session_builder/role_factory.rs`).
        deny(&["edit", "task", "plan_enter"]).chain(
            [PermissionRule::new("task", EXPLORE_AGENT, PermissionAction::Allow)].into_iter().collect(),
        ),
    );
    vec![
        agent("build", true, "Reads, changes and runs code.", build, deny(&["plan_exit"])),
        Agent { always_ask: ["bash", "plan_exit"].map(str::to_owned).to_vec(), ..plan },
        agent(
            "general",
            false,
            "Works on a task of its own from end to end: looks, changes files, runs commands.",
            build,
            deny(&for_people),
        ),
        agent(
            EXPLORE_AGENT,
            false,
            "Finds out where something is and how it works; changes nothing and runs nothing.",
            include_str!("agent/explore.md"),
            deny(&["edit", "bash", "task"]).chain(deny(&for_people)),
        ),
        Agent {
            hidden: true,
            defaults: RequestDefaults { effort: Some(ReasoningEffort::Off), ..RequestDefaults::default() },
            ..title
        },
    ]
}
