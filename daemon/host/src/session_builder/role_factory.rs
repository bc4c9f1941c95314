//! Builds what an agent brings to a session (prompt, model, rules, tools): when the session opens, and when it
//! changes its agent.

use std::sync::Arc;

use copydesk_config::LoadedConfig;
use copydesk_model::{Model, ModelRegistry as Models};
use copydesk_permission::{PermissionAction, PermissionPreset, PermissionRules, RememberedPattern};
use copydesk_session::agent::{Agent, PLAN_AGENT, ToolSwitches};
use copydesk_session::system_prompt::build_system_prompt;
use copydesk_session::{AgentRole, CompletePromptFuture, CompletedPrompt, RoleProvider, Session, Store};
use copydesk_tool::skills::Skill;
use copydesk_tool::{OutputSpill, PlanFile, disabled_tool, tools as tool};

use super::agent_rules::{ConfigurationRules, agent_rules};
use super::prompt_source::PromptSource;
use super::subagent_runner::{SubagentRunner, TASK};
use super::{SessionInputs, SessionServices, layers, model, tools};
use crate::agents::AgentRegistry;
use crate::setup::UserSetup;
use crate::trust::trust_stamp;
use crate::{project_replies, skills};

/// What all roles of one session share.
pub(super) struct RoleFactory {
    pub(super) setup: UserSetup,
    pub(super) loaded: LoadedConfig,
    pub(super) store: Store,
    pub(super) services: SessionServices,
    /// The rules of the configuration only.
    pub(super) config_rules: PermissionRules,
    pub(super) prompts: PromptSource,
    pub(super) plan: PlanFile,
    /// Where complete long outputs are kept.
    pub(super) outputs: OutputSpill,
    pub(super) is_subagent: bool,
    /// A model on this machine, and the context that its server gives it.
    pub(super) local_window: Option<(String, u64)>,
    /// The tool switches of the sessions above.
    pub(super) switches: Vec<ToolSwitches>,
}

impl RoleProvider for RoleFactory {
    fn complete_prompt<'a>(&'a self, agent: &'a Agent) -> CompletePromptFuture<'a> {
        Box::pin(async move {
            let warnings = self.prompts.complete().await?;
            Some(CompletedPrompt { system: self.system_prompt(agent), warnings })
        })
    }

    fn rules(&self, agent: &Agent, preset: Option<PermissionPreset>) -> (PermissionRules, PermissionRules) {
        self.agent_rules(agent, preset)
    }

    fn project_replies(&self) -> Result<Vec<RememberedPattern>, String> {
        project_replies::active_replies(&self.setup)
            .map_err(|error| format!("what you always allow in this project does not count: {error}"))
    }

    fn may_keep_replies(&self) -> bool {
        project_replies::may_keep(&self.setup)
    }

    fn is_trust_kept(&self) -> bool {
        !self.loaded.trust.is_lost_in(&trust_stamp(&self.setup))
    }

    fn model(&self, name: &str) -> Option<Model> {
        self.setup.registry(&self.loaded).ok()?.model(name).ok()
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
    /// `session` has the full name of its model; `parent` runs it as a subagent.
    pub(super) fn build_role(
        &self,
        models: &Models,
        agents: &AgentRegistry,
        agent: Agent,
        session: &Session,
        parent: Option<&SubagentRunner>,
    ) -> anyhow::Result<AgentRole> {
        let Self { setup, loaded, store, services, .. } = self;
        let model_name = session.model.clone().unwrap_or_default();
        let mut model = model(models, loaded, &model_name, &agent)?;
        if let Some((_, window)) = self.local_window.as_ref().filter(|(name, _)| *name == model_name) {
            model = model.with_context(*window);
        }
        anyhow::ensure!(
            model.spec().tools,
            "{model_name} cannot call tools, and an agent cannot work without them"
        );
        let skills = self.skills(&agent);
        let (rules, user_rules) = self.agent_rules(&agent, session.preset);
        let layers = layers(rules.clone(), user_rules.clone(), parent);
        // The model need not know of forbidden skills.
        let offered = skills
            .into_iter()
            .filter(|skill| layers.evaluate("skill", &skill.name) != PermissionAction::Deny);
        let mut tools = tools(self, &agent, model.spec().edits, offered.collect())?;
        let inputs = SessionInputs { setup, loaded, store, services };
        let switches = self.switches.iter().cloned().chain([agent.tools.without_defaults()]).collect();
        let runner = SubagentRunner::new(
            inputs,
            parent,
            session,
            (&layers, self.config_rules.clone()),
            switches,
            agents,
        );
        tools.add(match runner.filter(|_| self.is_tool_enabled(&agent, TASK, &[])) {
            Some(runner) => tool::task_tool(Arc::new(runner)),
            None => disabled_tool(TASK, &agent.name),
        });
        let system = self.system_prompt(&agent);
        Ok(AgentRole { agent, model, model_name, system, rules, user_rules, tools })
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

    /// Whether an agent has a tool that also does the work of `others`. A tool that is off for a caller is off
    /// for its subagents.
    pub(super) fn is_tool_enabled(&self, agent: &Agent, tool: &str, others: &[&str]) -> bool {
        let mut all = self.switches.iter().chain([&agent.tools]);
        all.all(|switches| switches.is_on_with_equivalents(tool, others))
    }

    /// The skills for an agent that may load any.
    fn skills(&self, agent: &Agent) -> Vec<Skill> {
        if !self.is_tool_enabled(agent, "skill", &[]) {
            return Vec::new();
        }
        let found = skills::find_skills(&self.setup);
        found.problems.iter().for_each(|problem| self.loaded.warn(format_args!("skill {problem}")));
        found.skills
    }

    /// Rules by rising precedence: preset, configuration, agent. And the user's own part of them.
    fn agent_rules(
        &self,
        agent: &Agent,
        preset: Option<PermissionPreset>,
    ) -> (PermissionRules, PermissionRules) {
        let home = self.setup.paths.home.to_string_lossy();
        let configuration =
            ConfigurationRules { loaded: &self.loaded, rules: &self.config_rules, home: &home };
        agent_rules(configuration, agent, preset, &self.plan.pattern())
    }

    /// The agent's own model, else the session's unless that was the previous agent's own.
    fn model_name(
        &self,
        models: &Models,
        agents: &AgentRegistry,
        agent: &Agent,
        session: &Session,
    ) -> anyhow::Result<String> {
        let previous = agents.get(&session.agent).and_then(|previous| previous.model.clone());
        let current = session.model.clone().filter(|name| Some(name) != previous.as_ref());
        let session = Session { model: agent.model.clone().or(current), ..session.clone() };
        super::model_name(models, &self.loaded, &session, agent)
    }
}
