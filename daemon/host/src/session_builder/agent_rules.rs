//! The rules of an agent, by rising precedence: preset, configuration, agent.

use copydesk_config::LoadedConfig;
use copydesk_permission::{
    PermissionAction, PermissionPreset, PermissionRule, PermissionRules, RuleOrigin, preset_rules,
};
use copydesk_session::agent::{Agent, EXPLORE_AGENT, PLAN_AGENT};

use super::subagent_runner::TASK;
use crate::rules::{self, PresetSource};

const BASH: &str = "bash";

/// What the configuration says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfigurationRules<'a> {
    pub(crate) loaded: &'a LoadedConfig,
    pub(crate) rules: &'a PermissionRules,
    pub(crate) home: &'a str,
}

/// The rules, and the user's own part of them. `plan` is the pattern of the plan's file.
pub(crate) fn agent_rules(
    configuration: ConfigurationRules<'_>,
    agent: &Agent,
    preset: Option<PermissionPreset>,
    plan: &str,
) -> (PermissionRules, PermissionRules) {
    let ConfigurationRules { loaded, rules: config, home } = configuration;
    let preset = PresetSource::of(loaded).active(preset);
    let is_trusted = loaded.trust.trust.is_trusted();
    let config = if is_trusted { config.clone() } else { config.clone().with_asking(BASH) };
    let mut before = preset_rules(preset);
    if !is_trusted {
        before.push(PermissionRule::new(BASH, "@sandboxed", PermissionAction::Ask));
    }
    if !is_trusted && preset == PermissionPreset::Normal {
        before.push(PermissionRule::new(BASH, "@reads", PermissionAction::Allow));
    }
    let before = before.chain(config);
    let explore_rule = PermissionRule::new(TASK, EXPLORE_AGENT, before.evaluate(TASK, EXPLORE_AGENT));
    let may_plan = agent.name == PLAN_AGENT && before.evaluate("edit", plan) != PermissionAction::Deny;
    let before = agent.always_ask.iter().fold(before, |rules, key| rules.with_asking(key));
    let of_agent = if is_trusted { agent.rules.clone() } else { agent.rules.clone().with_asking(BASH) };
    let of_agent = of_agent.with_origin(&RuleOrigin::Agent(agent.name.as_str().into()));
    let mut rules = before.chain(of_agent);
    let user_rules = rules::user_rules(loaded, home);
    let may_plan = may_plan
        && user_rules.deciding_rule("edit", plan).is_none_or(|rule| rule.action != PermissionAction::Deny);
    let user_explore =
        user_rules.deciding_rule(TASK, EXPLORE_AGENT).map_or(PermissionAction::Allow, |rule| rule.action);
    let user_explore_rule = PermissionRule::new(TASK, EXPLORE_AGENT, user_explore);
    let mut user_rules = user_rules.chain(agent.user_rules.clone());
    if agent.name == PLAN_AGENT {
        explore(agent, &explore_rule, &mut rules);
        explore(agent, &user_explore_rule, &mut user_rules);
    }
    if may_plan {
        rules.push(PermissionRule::new("edit", plan, PermissionAction::Allow));
        user_rules.push(PermissionRule::new("edit", plan, PermissionAction::Allow));
    }
    (rules, user_rules)
}

/// The plan agent may call `explore` as far as `general` allows, unless the agent's own rules say otherwise.
fn explore(agent: &Agent, general: &PermissionRule, rules: &mut PermissionRules) {
    let is_built_in =
        |rule: &PermissionRule| *rule == PermissionRule::new(TASK, EXPLORE_AGENT, PermissionAction::Allow);
    if agent.rules.deciding_rule(TASK, EXPLORE_AGENT).is_some_and(is_built_in) {
        rules.push(general.clone());
    }
}
