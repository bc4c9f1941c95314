//! All agents: built-in ones, those in Markdown files, those of the configuration; later ones override earlier
//! ones.
//!
//! A file `NAME.md` in one of several folders (`agent_files`) defines an agent: its text is the prompt, and
//! its front matter (`key: value` lines between two `---`) the settings. Permissions stand in the configuration
//! only, because its trust is known. A project's file cannot switch on a tool that the user switched off.
//!
//! Invariant: a user's grants to an agent apply only while its prompt is the user's own. An untrusted
//! repository cannot redefine an agent of the user or a built-in one, and an agent that it defines gets no grants.

mod agent_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_config::{self as config, AgentMode, LoadedConfig};
use copydesk_model::RequestDefaults;
use copydesk_permission::PermissionAction;
use copydesk_session::agent::{Agent, ToolSwitches, builtin_agents};
use copydesk_session::system_prompt::read_instructions;
use copydesk_tool::front_matter::FrontMatter;

use self::agent_files::{files, root};
use crate::setup::UserSetup;
use crate::{providers, rules};

/// Keys of a user's agent that an untrusted repository cannot set. It can make rules and tools stricter.
const OWN_KEYS: [&str; 12] = [
    "description",
    "model",
    "variant",
    "prompt",
    "mode",
    "temperature",
    "top_p",
    "steps",
    "color",
    "hidden",
    "disable",
    "options",
];

/// All agents by name.
#[derive(Debug)]
pub struct AgentRegistry {
    agents: BTreeMap<String, Agent>,
    /// The base of a new agent.
    blank: Agent,
    /// Agents that the user defined, and those that are built in.
    user_owned: BTreeSet<String>,
    /// Agents with text or settings of an untrusted repository.
    untrusted: BTreeSet<String>,
    /// By agent: a warning about the repository's settings that are ignored, with their origin.
    ignored_overrides: BTreeMap<String, String>,
    /// Errors in the front matter of agents' files, with file and line.
    problems: Vec<String>,
}

impl AgentRegistry {
    pub fn new(setup: &UserSetup, loaded: &LoadedConfig) -> anyhow::Result<Self> {
        let mut tools = ToolSwitches::new();
        loaded.config.tools.iter().for_each(|(pattern, on)| tools.add(pattern, *on));
        loaded.trusted_config.tools.iter().for_each(|(pattern, on)| tools.add_user_switch(pattern, *on));
        let builtin = builtin_agents().into_iter().map(|agent| Agent { tools: tools.clone(), ..agent });
        let agents: BTreeMap<_, _> = builtin.map(|agent| (agent.name.clone(), agent)).collect();
        let blank = agents.get("build").cloned().context("the agent `build` is built in")?;
        // An agent without a `mode` is both a primary agent and a subagent.
        let blank = Agent { is_subagent: true, ..blank };
        let with_prompt = loaded.trusted_config.agent.iter().filter(|(_, own)| own.prompt.is_some());
        let user_owned = with_prompt.map(|(name, _)| name).chain(agents.keys()).cloned().collect();
        let mut registry = Self {
            agents,
            blank,
            user_owned,
            untrusted: BTreeSet::new(),
            ignored_overrides: BTreeMap::new(),
            problems: Vec::new(),
        };
        let root = root(setup);
        for (path, own) in files(setup) {
            // A symlink may have taken its place since.
            let Some(text) = read(&path, (!own).then_some(root.as_path())) else { continue };
            let (head, prompt) = FrontMatter::split(&text);
            registry.problems.extend(problem(&path, &head));
            if let Some(agent) = registry.read_agent(&path, &head, prompt, own) {
                registry.add_from_file(agent, &path, own);
            }
        }
        let names: BTreeSet<_> =
            loaded.config.agent.keys().chain(loaded.trusted_config.agent.keys()).collect();
        // Removed agents too: a repository may not remove an agent of the user.
        let user_owned: Vec<_> = registry.user_owned.iter().cloned().collect();
        user_owned.iter().for_each(|name| registry.note_ignored_override(loaded, name));
        for name in names {
            match registry.apply_config(setup, loaded, name)? {
                Some(agent) => drop(registry.agents.insert(name.clone(), agent)),
                None => drop(registry.agents.remove(name)),
            }
        }
        // Also if a repository removed the permissions from the merged configuration.
        let home = setup.paths.home.to_string_lossy();
        for (name, own) in &loaded.trusted_config.agent {
            if let (Some(agent), Some(permission)) = (registry.agents.get_mut(name), &own.permission) {
                agent.user_rules = std::mem::take(&mut agent.user_rules)
                    .chain(rules::translate_rules(permission, true, &home));
            }
        }
        Ok(registry)
    }

    /// Errors in agents' files, with file and line, and settings that are valid but have no effect.
    pub fn file_warnings(setup: &UserSetup) -> Vec<String> {
        let root = root(setup);
        let warning = |(path, own): (PathBuf, bool)| {
            let text = read(&path, (!own).then_some(root.as_path()))?;
            let (head, _) = FrontMatter::split(&text);
            problem(&path, &head).or_else(|| unqualified_model_warning(&path, &head))
        };
        files(setup).into_iter().filter_map(warning).collect()
    }

    /// Errors in agents' files, shown when a session opens.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The agent of this name, if a user may name it.
    pub fn find(&self, name: &str) -> anyhow::Result<Agent> {
        let found = self.get(name).filter(|agent| agent.can_be_named());
        found.cloned().with_context(|| {
            let names: Vec<_> = self.choices().map(|agent| agent.name.as_str()).collect();
            format!("there is no agent `{name}`; there are: {}", names.join(", "))
        })
    }

    /// Agents offered to the user.
    pub fn choices(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| agent.primary && !agent.hidden)
    }

    /// Agents offered to other agents.
    pub fn subagents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| agent.is_subagent && !agent.hidden)
    }

    pub fn get(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// Warnings about a repository's settings that are ignored, shown when a session opens.
    pub fn ignored_overrides(&self) -> impl Iterator<Item = &String> {
        self.ignored_overrides.values()
    }

    /// Adds a file's agent, unless the file is a repository's and the agent is the user's.
    fn add_from_file(&mut self, agent: Agent, path: &Path, own: bool) {
        let name = agent.name.clone();
        if own {
            self.user_owned.insert(name.clone());
        } else if self.user_owned.contains(&name) {
            let why = "because you have an agent of that name, or it is built in";
            self.ignored_overrides.insert(name.clone(), ignored_override(path.display(), &name, why));
            return;
        } else {
            self.untrusted.insert(name.clone());
        }
        self.agents.insert(name, agent);
    }

    /// Records that an untrusted repository sets what it cannot for an agent of the user.
    fn note_ignored_override(&mut self, loaded: &LoadedConfig, name: &str) {
        let removed = || {
            loaded
                .merged
                .untrusted_origin(&["agent", name])
                .filter(|_| !loaded.config.agent.contains_key(name))
        };
        let overridden =
            OWN_KEYS.iter().find_map(|key| loaded.merged.untrusted_origin(&["agent", name, key]));
        if let Some(origin) = overridden.or_else(removed) {
            let why = "because this project is not trusted. Review the file, then run `copydesk trust`";
            self.ignored_overrides.insert(name.to_owned(), ignored_override(origin, name, why));
        }
    }

    /// The agent of this name so far, or a new one.
    fn base(&self, name: &str) -> Agent {
        self.get(name).cloned().unwrap_or_else(|| Agent { name: name.to_owned(), ..self.blank.clone() })
    }

    fn read_agent(&self, path: &Path, head: &FrontMatter, prompt: &str, own: bool) -> Option<Agent> {
        let stem = || Some(path.file_stem()?.to_string_lossy().into_owned());
        let base = self.base(&head.get("name").map(str::to_owned).or_else(stem)?);
        let mut tools = base.tools;
        for (pattern, on) in head.tools() {
            tools.add(&pattern, on);
            if own {
                tools.add_user_switch(pattern, on);
            }
        }
        let defaults = RequestDefaults {
            temperature: head.parse("temperature"),
            top_p: head.parse("top_p"),
            ..RequestDefaults::default()
        };
        Some(Agent {
            description: head.get("description").map_or(base.description, str::to_owned),
            prompt: if prompt.is_empty() { base.prompt } else { prompt.to_owned() },
            // Other programs use short names (`sonnet`); we only know PROVIDER/MODEL
            // ([`unqualified_model_warning`]).
            model: head.get("model").filter(|model| model.contains('/')).map(str::to_owned).or(base.model),
            variant: head.get("variant").map(str::to_owned).or(base.variant),
            defaults: base.defaults.merge(defaults),
            tools,
            max_steps: head.parse("steps").or_else(|| head.parse("maxSteps")).unwrap_or(base.max_steps),
            primary: head.get("mode").map_or(base.primary, |mode| mode != "subagent"),
            is_subagent: head.get("mode").map_or(base.is_subagent, |mode| mode != "primary"),
            hidden: head.parse("hidden").unwrap_or(base.hidden),
            name: base.name,
            rules: base.rules,
            user_rules: base.user_rules,
            always_ask: base.always_ask,
        })
    }

    fn apply_config(
        &mut self,
        setup: &UserSetup,
        loaded: &LoadedConfig,
        name: &str,
    ) -> anyhow::Result<Option<Agent>> {
        let (merged, own) = (loaded.config.agent.get(name), loaded.trusted_config.agent.get(name));
        let is_user_owned = self.user_owned.contains(name);
        let empty = config::AgentConfig::default();
        let written = if is_user_owned { own.or(Some(&empty)) } else { merged };
        // A repository removed the agent from the merged configuration: keep what stands without it. The user's
        // rules are added later.
        let Some(written) = written else { return Ok(self.get(name).cloned()) };
        if written.disable == Some(true) {
            return Ok(None);
        }
        if !is_user_owned && loaded.merged.untrusted_origin(&["agent", name]).is_some() {
            self.untrusted.insert(name.to_owned());
        }
        let mut agent = self.base(name);
        agent.prompt = written.prompt.clone().unwrap_or(agent.prompt);
        agent.description = written.description.clone().unwrap_or(agent.description);
        agent.model = written.model.clone().or(agent.model);
        agent.variant = written.variant.clone().or(agent.variant);
        agent.max_steps = written.steps.unwrap_or(agent.max_steps);
        agent.primary = written.mode.map_or(agent.primary, |mode| mode != AgentMode::Subagent);
        agent.is_subagent = written.mode.map_or(agent.is_subagent, |mode| mode != AgentMode::Primary);
        agent.hidden = written.hidden.unwrap_or(agent.hidden);
        let options = providers::options(
            loaded,
            &["agent", name, "options"],
            &written.options,
            own.map(|own| &own.options),
        )?;
        let sampling = RequestDefaults {
            temperature: written.temperature,
            top_p: written.top_p,
            ..RequestDefaults::default()
        };
        agent.defaults = agent.defaults.merge(options).merge(sampling);
        let stricter = merged.unwrap_or(written);
        stricter.tools.iter().for_each(|(pattern, on)| agent.tools.add(pattern, *on));
        own.iter()
            .flat_map(|own| &own.tools)
            .for_each(|(pattern, on)| agent.tools.add_user_switch(pattern, *on));
        if let Some(permission) = stricter.permission.as_ref().or(written.permission.as_ref()) {
            let is_untrusted = self.untrusted.contains(name);
            let trusted =
                !is_untrusted && loaded.merged.untrusted_origin(&["agent", name, "permission"]).is_none();
            let home = setup.paths.home.to_string_lossy();
            agent.rules = agent.rules.chain(rules::translate_rules(permission, trusted, &home));
            let granted = own.and_then(|own| own.permission.as_ref());
            if is_untrusted && granted.is_some_and(|granted| allows(granted, setup)) {
                let warning = format!(
                    "this repository defines parts of the agent `{name}`, so Copydesk asks before it does what you \
                     allow it. Give the agent a `prompt` of your own to make your permissions apply."
                );
                self.ignored_overrides.insert(name.to_owned(), warning);
            }
        }
        Ok(Some(agent))
    }
}

fn read(path: &Path, within: Option<&Path>) -> Option<String> {
    Some(read_instructions(path, within)?.replace("\r\n", "\n"))
}

fn problem(path: &Path, head: &FrontMatter) -> Option<String> {
    let problem = head.problem()?;
    Some(format!("{}:{}: {}", path.display(), problem.line, problem.what))
}

/// A model without its provider is not used; the agent works with another one.
fn unqualified_model_warning(path: &Path, head: &FrontMatter) -> Option<String> {
    let model = head.get("model").filter(|model| !model.contains('/') && *model != "inherit")?;
    Some(format!(
        "{}:{}: the model `{model}` is ignored, because it names no provider; write PROVIDER/MODEL",
        path.display(),
        head.line("model")
    ))
}

fn ignored_override(origin: impl std::fmt::Display, name: &str, why: &str) -> String {
    format!("{origin}: this repository's settings for the agent `{name}` are ignored, {why}")
}

/// The agent of a new session. An untrusted repository cannot choose one that the user allows more than others.
pub fn default_agent(setup: &UserSetup, loaded: &LoadedConfig) -> String {
    let or_build = |name: &Option<String>| name.clone().unwrap_or_else(|| "build".to_owned());
    let named = or_build(&loaded.config.default_agent);
    let Some(origin) = loaded.merged.untrusted_origin(&["default_agent"]) else { return named };
    let own = loaded.trusted_config.agent.get(&named).and_then(|own| own.permission.as_ref());
    if !own.is_some_and(|own| allows(own, setup)) {
        return named;
    }
    loaded.warn(format_args!(
        "{origin}: `default_agent` is ignored: this project is not trusted, and you allow the agent `{named}` more than \
         others. Review the file, then run `copydesk trust`."
    ));
    or_build(&loaded.trusted_config.default_agent)
}

fn allows(permission: &config::PermissionConfig, setup: &UserSetup) -> bool {
    let rules = rules::translate_rules(permission, true, &setup.paths.home.to_string_lossy());
    rules.iter().any(|rule| rule.action == PermissionAction::Allow)
}

/// A variant's request settings: from the configuration, else a reasoning effort of that name.
pub fn variant(loaded: &LoadedConfig, model: &str, variant: &str) -> anyhow::Result<RequestDefaults> {
    let configured = model.split_once('/').and_then(|(provider, id)| {
        let find = |config: &'_ config::Config| {
            let options = config.provider.get(provider)?.models.get(id)?.variants.get(variant)?;
            options.as_object().cloned()
        };
        let path = ["provider", provider, "models", id, "variants", variant];
        Some((path, find(&loaded.config)?, find(&loaded.trusted_config)))
    });
    if let Some((path, options, own)) = configured {
        return providers::options(loaded, &path, &options, own.as_ref());
    }
    let effort = providers::effort(variant);
    if effort.is_none() {
        loaded.warn(format_args!("{model} has no variant `{variant}`; requests are sent without one"));
    }
    Ok(RequestDefaults { effort, ..RequestDefaults::default() })
}
