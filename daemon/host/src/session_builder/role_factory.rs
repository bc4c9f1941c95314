//! What an agent brings to a session: prompt, model, rules, tools. Made when the session is opened, and again when it goes on
//! as another agent.

use std::sync::Arc;

use copydesk_config::LoadedConfig;
use copydesk_model::ModelRegistry as Models;
use copydesk_permission::{PermissionAction, PermissionRule, PermissionRules, default_rules};
use copydesk_session::agent::{Agent, EXPLORE_AGENT, PLAN_AGENT, ToolSwitches};
use copydesk_session::system_prompt::build_system_prompt;
use copydesk_session::{AgentRole, CompletePromptFuture, CompletedPrompt, RoleProvider, Session, Store};
use copydesk_tool::skills::Skill;
use copydesk_tool::{OutputSpill, PlanFile, disabled_tool, tools as tool};

use super::prompt_source::PromptSource;
use super::subagent_runner::{SubagentRunner, TASK};
use super::{SessionInputs, SessionServices, layers, model, tools};
use crate::agents::AgentRegistry;
use crate::setup::UserSetup;
use crate::{rules, skills};

/// Everything that the roles of one session have in common.
pub(super) struct RoleFactory {
    pub(super) setup: UserSetup,
    pub(super) loaded: LoadedConfig,
    pub(super) store: Store,
    pub(super) services: SessionServices,
    /// The rules of the configuration alone.
    pub(super) config_rules: PermissionRules,
    pub(super) prompts: PromptSource,
    pub(super) plan: PlanFile,
    /// Where the whole of long outputs lies.
    pub(super) outputs: OutputSpill,
    /// It works for another session.
    pub(super) is_subagent: bool,
    /// What those above it said about tools.
    pub(super) switches: Vec<ToolSwitches>,
}

impl RoleProvider for RoleFactory {
    fn complete_prompt<'a>(&'a self, agent: &'a Agent) -> CompletePromptFuture<'a> {
        Box::pin(async move {
            let warnings = self.prompts.complete().await?;
            Some(CompletedPrompt { system: self.system_prompt(agent), warnings })
        })
    }

    fn build_role(&self, agent: &str, session: &Session) -> Result<AgentRole, String> {
        if self.is_subagent {
            return Err("Who works for another agent stays who it was called as.".to_owned());
        }
        let role = || {
            let agents = AgentRegistry::new(&self.setup, &self.loaded)?;
            let models = self.setup.registry(&self.loaded)?;
            let agent = agents.find(agent)?;
            let model = Some(self.model_name(&models, &agents, &agent, session)?);
            let session = Session { agent: agent.name.clone(), model, ..session.clone() };
            self.build_role(&models, &agents, agent, &session, None)
        };
        role().map_err(|error: anyhow::Error| format!("{error:#}"))
    }
}

impl RoleFactory {
    /// The session has the full name of its model; `team` is the one that it works in.
    pub(super) fn build_role(
        &self,
        models: &Models,
        agents: &AgentRegistry,
        agent: Agent,
        session: &Session,
        team: Option<&SubagentRunner>,
    ) -> anyhow::Result<AgentRole> {
        let Self { setup, loaded, store, services: desk, .. } = self;
        let model_name = session.model.clone().unwrap_or_default();
        let model = model(models, loaded, &model_name, &agent)?;
        anyhow::ensure!(
            model.spec().tools,
            "{model_name} cannot call tools, and an agent cannot work without them"
        );
        let skills = self.skills(&agent);
        let (rules, own) = self.rules(&agent);
        let layers = layers(rules.clone(), own.clone(), team);
        // Of what is forbidden the model need not know.
        let offered = skills
            .into_iter()
            .filter(|skill| layers.evaluate("skill", &skill.name) != PermissionAction::Deny);
        let mut tools = tools(self, &agent, model.spec().edits, offered.collect())?;
        let at = SessionInputs { setup, loaded, store, services: desk };
        let switches = self.switches.iter().cloned().chain([agent.tools.without_defaults()]).collect();
        let below =
            SubagentRunner::new(at, team, session, (&layers, self.config_rules.clone()), switches, agents);
        tools.add(match below.filter(|_| self.is_tool_enabled(&agent, TASK, &[])) {
            Some(below) => tool::task_tool(Arc::new(below)),
            None => disabled_tool(TASK, &agent.name),
        });
        let system = self.system_prompt(&agent);
        Ok(AgentRole { agent, model, model_name, system, rules, user_rules: own, tools })
    }

    fn system_prompt(&self, agent: &Agent) -> Vec<String> {
        let mut system = build_system_prompt(&agent.prompt, &self.prompts.environment());
        if agent.name == PLAN_AGENT {
            let words = format!(
                "The plan is one file, the only one that you can write: `{}`, where NAME is for you to choose: two or three words, with `-` between them.",
                self.plan.example()
            );
            system.insert(1, words);
        }
        system
    }

    /// Whether an agent has a tool, which does the work of others too. What is off for whoever calls it is off for it.
    pub(super) fn is_tool_enabled(&self, agent: &Agent, tool: &str, others: &[&str]) -> bool {
        let mut all = self.switches.iter().chain([&agent.tools]);
        all.all(|switches| switches.is_on_with_equivalents(tool, others))
    }

    /// The skills there are, for an agent that may load any.
    fn skills(&self, agent: &Agent) -> Vec<Skill> {
        if !self.is_tool_enabled(agent, "skill", &[]) {
            return Vec::new();
        }
        let found = skills::find_skills(&self.setup);
        found.problems.iter().for_each(|problem| self.loaded.warn(format_args!("skill {problem}")));
        found.skills
    }

    /// In the order of growing weight: the house, the person and their project, the agent. And what of it the person says alone.
    fn rules(&self, agent: &Agent) -> (PermissionRules, PermissionRules) {
        let before = default_rules().chain(self.config_rules.clone());
        let plan = self.plan.pattern();
        let said = PermissionRule::new(TASK, EXPLORE_AGENT, before.evaluate(TASK, EXPLORE_AGENT));
        let may_plan = agent.name == PLAN_AGENT && before.evaluate("edit", &plan) != PermissionAction::Deny;
        let before = agent.always_ask.iter().fold(before, |rules, key| rules.with_asking(key));
        let mut rules = before.chain(agent.rules.clone());
        let own = rules::user_rules(&self.loaded, &self.setup.paths.home.to_string_lossy());
        let may_plan = may_plan
            && own.deciding_rule("edit", &plan).is_none_or(|rule| rule.action != PermissionAction::Deny);
        let said_own =
            own.deciding_rule(TASK, EXPLORE_AGENT).map_or(PermissionAction::Allow, |rule| rule.action);
        let said_own = PermissionRule::new(TASK, EXPLORE_AGENT, said_own);
        let mut own = own.chain(agent.user_rules.clone());
        if agent.name == PLAN_AGENT {
            explore(agent, &said, &mut rules);
            explore(agent, &said_own, &mut own);
        }
        if may_plan {
            rules.push(PermissionRule::new("edit", plan.clone(), PermissionAction::Allow));
            own.push(PermissionRule::new("edit", plan, PermissionAction::Allow));
        }
        (rules, own)
    }

    /// An agent's own model, or the one at hand; but not that of the agent before.
    fn model_name(
        &self,
        models: &Models,
        agents: &AgentRegistry,
        agent: &Agent,
        session: &Session,
    ) -> anyhow::Result<String> {
        let of_the_one_before = agents.get(&session.agent).and_then(|before| before.model.clone());
        let at_hand = session.model.clone().filter(|name| Some(name) != of_the_one_before.as_ref());
        let session = Session { model: agent.model.clone().or(at_hand), ..session.clone() };
        super::model_name(models, &self.loaded, &super::SessionChoice::default(), &session, agent)
    }
}

/// Whoever plans may have somebody look, as far as it is said for all; unless something else is said of this agent.
fn explore(agent: &Agent, said: &PermissionRule, rules: &mut PermissionRules) {
    let is_built_in =
        |rule: &PermissionRule| *rule == PermissionRule::new(TASK, EXPLORE_AGENT, PermissionAction::Allow);
    if agent.rules.deciding_rule(TASK, EXPLORE_AGENT).is_some_and(is_built_in) {
        rules.push(said.clone());
    }
}
