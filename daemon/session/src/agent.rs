//! Agents: a named set of prompt, model and rules. Data; the built-in ones stand here, the user's come from outside.

mod switches;

use copydesk_model::{Defaults, Effort};
use copydesk_permission::{Action, Rule, Rules};

pub use switches::Switches;

/// How many requests one prompt may lead to, where an agent does not say.
const STEPS: u32 = 200;

/// Who gives sessions their titles.
pub const TITLE: &str = "title";

/// Who plans before anything is changed.
pub const PLAN: &str = "plan";

/// Who looks and changes nothing: also for whoever plans.
pub const EXPLORE: &str = "explore";

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
    pub defaults: Defaults,
    pub tools: Switches,
    /// Laid over the defaults and the configuration.
    pub rules: Rules,
    /// The same without what only a repository says: what it denies and asks for holds.
    pub own: Rules,
    /// Keys under which nothing happens without asking, whatever the configuration allows.
    pub asks: Vec<String>,
    pub steps: u32,
    /// Whether a person can choose it.
    pub primary: bool,
    /// Whether other agents can give it tasks.
    pub called: bool,
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
pub fn builtin() -> Vec<Agent> {
    let agent = |name: &str, primary: bool, description: &str, prompt: &str, rules: Rules| Agent {
        name: name.to_owned(),
        description: description.to_owned(),
        prompt: prompt.trim_end().to_owned(),
        model: None,
        variant: None,
        defaults: Defaults::default(),
        tools: Switches::new(),
        own: rules.clone(),
        rules,
        asks: Vec::new(),
        steps: STEPS,
        primary,
        called: !primary,
        hidden: false,
    };
    let deny = |keys: &[&str]| keys.iter().map(|key| Rule::new(*key, "*", Action::Deny)).collect::<Rules>();
    // Whoever works for another agent speaks to that one, and is who it was called as.
    let for_people = ["question", "plan_enter", "plan_exit"];
    let title = agent(TITLE, false, "Names sessions.", include_str!("agent/title.md"), deny(&for_people));
    let build = include_str!("agent/build.md");
    let plan = agent(
        PLAN,
        true,
        "Looks, thinks and writes a plan; changes nothing else.",
        include_str!("agent/plan.md"),
        // Whom it may have look is a matter of the rules for all (`desk/opening/role.rs`).
        deny(&["edit", "task", "plan_enter"])
            .then([Rule::new("task", EXPLORE, Action::Allow)].into_iter().collect()),
    );
    vec![
        agent("build", true, "Reads, changes and runs code.", build, deny(&["plan_exit"])),
        Agent { asks: ["bash", "plan_exit"].map(str::to_owned).to_vec(), ..plan },
        agent(
            "general",
            false,
            "Works on a task of its own from end to end: looks, changes files, runs commands.",
            build,
            deny(&for_people),
        ),
        agent(
            EXPLORE,
            false,
            "Finds out where something is and how it works; changes nothing and runs nothing.",
            include_str!("agent/explore.md"),
            deny(&["edit", "bash", "task"]).then(deny(&for_people)),
        ),
        Agent {
            hidden: true,
            defaults: Defaults { effort: Some(Effort::Off), ..Defaults::default() },
            ..title
        },
    ]
}
