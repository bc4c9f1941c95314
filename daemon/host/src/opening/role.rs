//! What an agent brings to a session: prompt, model, rules, tools. Made when the session is opened, and again when it goes on
//! as another agent.

use std::sync::Arc;

use copydesk_config::Loaded;
use copydesk_model::Registry as Models;
use copydesk_permission::{Action, Rule, Rules, defaults};
use copydesk_session::agent::{Agent, EXPLORE, PLAN, Switches};
use copydesk_session::prompt::{Surroundings, system};
use copydesk_session::{Role, Roles, Session, Store};
use copydesk_tool::skills::Skill;
use copydesk_tool::{Plan, Spill, off, tools as tool};

use super::{At, Desk, layers, model, tools};
use crate::agents::Agents;
use crate::setup::Setup;
use crate::team::{TASK, Team};
use crate::{rules, skills};

/// Everything that the roles of one session have in common.
pub(super) struct Cast {
    pub(super) setup: Setup,
    pub(super) loaded: Loaded,
    pub(super) store: Store,
    pub(super) desk: Desk,
    /// The rules of the configuration alone.
    pub(super) configured: Rules,
    pub(super) surroundings: Surroundings,
    pub(super) plan: Plan,
    /// Where the whole of long outputs lies.
    pub(super) outputs: Spill,
    /// It works for another session.
    pub(super) is_below: bool,
    /// What those above it said about tools.
    pub(super) switches: Vec<Switches>,
}

impl Roles for Cast {
    fn role(&self, agent: &str, session: &Session) -> Result<Role, String> {
        if self.is_below {
            return Err("Who works for another agent stays who it was called as.".to_owned());
        }
        let role = || {
            let agents = Agents::new(&self.setup, &self.loaded)?;
            let models = self.setup.registry(&self.loaded)?;
            let agent = agents.find(agent)?;
            let model = Some(self.model_name(&models, &agents, &agent, session)?);
            let session = Session { agent: agent.name.clone(), model, ..session.clone() };
            self.make(&models, &agents, agent, &session, None)
        };
        role().map_err(|error: anyhow::Error| format!("{error:#}"))
    }
}

impl Cast {
    /// The session has the full name of its model; `team` is the one that it works in.
    pub(super) fn make(
        &self,
        models: &Models,
        agents: &Agents,
        agent: Agent,
        session: &Session,
        team: Option<&Team>,
    ) -> anyhow::Result<Role> {
        let Self { setup, loaded, store, desk, surroundings, plan, .. } = self;
        let model_name = session.model.clone().unwrap_or_default();
        let model = model(models, loaded, &model_name, &agent)?;
        anyhow::ensure!(
            model.info().tools,
            "{model_name} cannot call tools, and an agent cannot work without them"
        );
        let skills = self.skills(&agent);
        let (rules, own) = self.rules(&agent);
        let layers = layers(rules.clone(), own.clone(), team);
        // Of what is forbidden the model need not know.
        let offered =
            skills.into_iter().filter(|skill| layers.evaluate("skill", &skill.name) != Action::Deny);
        let mut tools = tools(self, &agent, model.info().edits, offered.collect())?;
        let at = At { setup, loaded, store, desk };
        let switches = self.switches.iter().cloned().chain([agent.tools.said()]).collect();
        let below = Team::new(at, team, session, (&layers, self.configured.clone()), switches, agents);
        tools.add(match below.filter(|_| self.is_on(&agent, TASK, &[])) {
            Some(below) => tool::task(Arc::new(below)),
            None => off(TASK, &agent.name),
        });
        let mut system = system(&agent.prompt, surroundings);
        if agent.name == PLAN {
            let words = format!(
                "The plan is one file, the only one that you can write: `{}`, where NAME is for you to choose: two or three words, with `-` between them.",
                plan.example()
            );
            system.insert(1, words);
        }
        Ok(Role { agent, model, model_name, system, rules, own, tools })
    }

    /// Whether an agent has a tool, which does the work of others too. What is off for whoever calls it is off for it.
    pub(super) fn is_on(&self, agent: &Agent, tool: &str, others: &[&str]) -> bool {
        let mut all = self.switches.iter().chain([&agent.tools]);
        all.all(|switches| switches.is_on_for(tool, others))
    }

    /// The skills there are, for an agent that may load any.
    fn skills(&self, agent: &Agent) -> Vec<Skill> {
        if !self.is_on(agent, "skill", &[]) {
            return Vec::new();
        }
        let found = skills::all(&self.setup);
        found.problems.iter().for_each(|problem| self.loaded.warn(format_args!("skill {problem}")));
        found.skills
    }

    /// In the order of growing weight: the house, the person and their project, the agent. And what of it the person says alone.
    fn rules(&self, agent: &Agent) -> (Rules, Rules) {
        let before = defaults().then(self.configured.clone());
        let plan = self.plan.pattern();
        let said = Rule::new(TASK, EXPLORE, before.evaluate(TASK, EXPLORE));
        let may_plan = agent.name == PLAN && before.evaluate("edit", &plan) != Action::Deny;
        let before = agent.asks.iter().fold(before, |rules, key| rules.asking(key));
        let mut rules = before.then(agent.rules.clone());
        let own = rules::own(&self.loaded, &self.setup.paths.home.to_string_lossy());
        let may_plan = may_plan && own.deciding("edit", &plan).is_none_or(|rule| rule.action != Action::Deny);
        let said_own = own.deciding(TASK, EXPLORE).map_or(Action::Allow, |rule| rule.action);
        let said_own = Rule::new(TASK, EXPLORE, said_own);
        let mut own = own.then(agent.own.clone());
        if agent.name == PLAN {
            explore(agent, &said, &mut rules);
            explore(agent, &said_own, &mut own);
        }
        if may_plan {
            rules.push(Rule::new("edit", plan.clone(), Action::Allow));
            own.push(Rule::new("edit", plan, Action::Allow));
        }
        (rules, own)
    }

    /// An agent's own model, or the one at hand; but not that of the agent before.
    fn model_name(
        &self,
        models: &Models,
        agents: &Agents,
        agent: &Agent,
        session: &Session,
    ) -> anyhow::Result<String> {
        let of_the_one_before = agents.get(&session.agent).and_then(|before| before.model.clone());
        let at_hand = session.model.clone().filter(|name| Some(name) != of_the_one_before.as_ref());
        let session = Session { model: agent.model.clone().or(at_hand), ..session.clone() };
        super::model_name(models, &self.loaded, &super::Choice::default(), &session, agent)
    }
}

/// Whoever plans may have somebody look, as far as it is said for all; unless something else is said of this agent.
fn explore(agent: &Agent, said: &Rule, rules: &mut Rules) {
    let is_built_in = |rule: &Rule| *rule == Rule::new(TASK, EXPLORE, Action::Allow);
    if agent.rules.deciding(TASK, EXPLORE).is_some_and(is_built_in) {
        rules.push(said.clone());
    }
}
