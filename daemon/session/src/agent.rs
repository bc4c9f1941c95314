//! Agents: a named set of prompt, model and rules. This file holds the built-in agents; the host adds the
//! user's.

mod tool_switches;

use copydesk_model::{ReasoningEffort, RequestDefaults};
use copydesk_permission::{PermissionAction, PermissionRule, PermissionRules};

pub use tool_switches::ToolSwitches;

/// Default maximum of steps per turn.
const DEFAULT_MAX_STEPS: u32 = 200;

/// Makes titles.
pub const TITLE_AGENT: &str = "title";

/// Plans before anything changes.
pub const PLAN_AGENT: &str = "plan";

/// Explores and changes nothing; `plan` may use it, too.
pub const EXPLORE_AGENT: &str = "explore";

#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub name: String,
    /// When to use it, for users and for agents that give tasks.
    pub description: String,
    pub prompt: String,
    /// `PROVIDER/MODEL`, if it has its own.
    pub model: Option<String>,
    pub variant: Option<String>,
    /// Extra request options, if the model accepts them.
    pub defaults: RequestDefaults,
    pub tools: ToolSwitches,
    /// Rules on top of the defaults and the configuration.
    pub rules: PermissionRules,
    /// The rules without those of a repository. A repository cannot relax these.
    pub user_rules: PermissionRules,
    /// Permission keys that always ask, whatever the configuration allows.
    pub always_ask: Vec<String>,
    pub max_steps: u32,
    /// Whether the user can choose it.
    pub primary: bool,
    /// Whether other agents can give it tasks.
    pub is_subagent: bool,
    /// Hidden from lists.
    pub hidden: bool,
}

impl Agent {
    /// Whether the user may name it: an agent that is hidden and cannot be chosen works for the daemon alone.
    pub fn can_be_named(&self) -> bool {
        self.primary || !self.hidden
    }
}

/// `build` and `plan` are for users, `general` and `explore` for other agents, `title` for the daemon.
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
        max_steps: DEFAULT_MAX_STEPS,
        primary,
        is_subagent: !primary,
        hidden: false,
    };
    let deny = |keys: &[&str]| {
        keys.iter()
            .map(|key| PermissionRule::new(*key, "*", PermissionAction::Deny))
            .collect::<PermissionRules>()
    };
    // A subagent talks to the agent that called it, not to the user, and keeps its role.
    let for_people = ["question", "plan_enter", "plan_exit"];
    let title =
        agent(TITLE_AGENT, false, "Names sessions.", include_str!("agent/title.md"), deny(&for_people));
    let build = concat!(include_str!("agent/build.md"), include_str!("agent/conduct.md"));
    let plan = agent(
        PLAN_AGENT,
        true,
        "Looks, thinks and writes a plan; changes nothing else.",
        concat!(include_str!("agent/plan.md"), include_str!("agent/conduct.md")),
        // The host replaces this rule if the user decided otherwise (`role_factory.rs`).
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
            concat!(include_str!("agent/explore.md"), include_str!("agent/conduct.md")),
            deny(&["edit", "bash", "task"]).chain(deny(&for_people)),
        ),
        Agent {
            hidden: true,
            defaults: RequestDefaults { effort: Some(ReasoningEffort::Off), ..RequestDefaults::default() },
            ..title
        },
    ]
}
