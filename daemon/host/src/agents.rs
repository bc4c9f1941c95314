//! The agents there are: the built-in ones, those in Markdown files, those of the configuration; later ones over earlier.
//!
//! A file `NAME.md` in one of several folders (`agent_files`) is an agent: its text is the prompt, and a head of `key: value` lines
//! between two `---` says the rest (`head`). Permissions are for the configuration, whose trust is known; a file of the project
//! cannot switch on a tool that the person switched off.
//!
//! Invariant: what the person allows an agent it may only in the person's own words. An agent of the person's is what they say
//! it is, whatever a repository that is not trusted says of that name; and one that has words of such a repository is allowed
//! nothing of its own.

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

use self::agent_files::files;
use crate::setup::UserSetup;
use crate::{providers, rules};

/// What a repository that is not trusted cannot say of an agent of the person's. Rules and tools it can make stricter.
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
    /// What one begins with that is new.
    blank: Agent,
    /// Those that the person wrote, or said something about that is built in.
    user_owned: BTreeSet<String>,
    /// Those that have words of a repository, which nobody trusts.
    untrusted: BTreeSet<String>,
    /// What of a repository's words is not used, and where they stand: once for each agent.
    ignored_overrides: BTreeMap<String, String>,
    /// What is wrong with the heads of agents' files, with the file and the line.
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
        // Whoever does not say who may call it is for everybody.
        let blank = Agent { is_subagent: true, ..blank };
        let is_theirs = |(name, own): &(&String, &config::AgentConfig)| {
            own.prompt.is_some() || agents.contains_key(*name)
        };
        let theirs =
            loaded.trusted_config.agent.iter().filter(is_theirs).map(|(name, _)| name.clone()).collect();
        let (foreign, limited) = (BTreeSet::new(), BTreeMap::new());
        let mut all = Self {
            agents,
            blank,
            user_owned: theirs,
            untrusted: foreign,
            ignored_overrides: limited,
            problems: Vec::new(),
        };
        for (path, own) in files(setup) {
            let Some(text) = read(&path) else { continue };
            let (head, prompt) = FrontMatter::split(&text);
            all.problems.extend(problem(&path, &head));
            if let Some(agent) = all.written(&path, &head, prompt, own) {
                all.take(agent, &path, own);
            }
        }
        let names: BTreeSet<_> =
            loaded.config.agent.keys().chain(loaded.trusted_config.agent.keys()).collect();
        // Also what was removed: a repository may not.
        let theirs: Vec<_> = all.user_owned.iter().cloned().collect();
        theirs.iter().for_each(|name| all.note_ignored_override(loaded, name));
        for name in names {
            match all.apply_config(setup, loaded, name)? {
                Some(agent) => drop(all.agents.insert(name.clone(), agent)),
                None => drop(all.agents.remove(name)),
            }
        }
        // Also where a repository took away what stood there.
        let home = setup.paths.home.to_string_lossy();
        for (name, own) in &loaded.trusted_config.agent {
            if let (Some(agent), Some(permission)) = (all.agents.get_mut(name), &own.permission) {
                agent.user_rules = std::mem::take(&mut agent.user_rules)
                    .chain(rules::translate_rules(permission, true, &home));
            }
        }
        Ok(all)
    }

    /// What is odd about agents' files, with the file and the line: also what is no fault, and not what was meant.
    pub fn file_warnings(setup: &UserSetup) -> Vec<String> {
        let odd = |(path, _): (PathBuf, bool)| {
            let text = read(&path)?;
            let (head, _) = FrontMatter::split(&text);
            problem(&path, &head).or_else(|| unqualified_model_warning(&path, &head))
        };
        files(setup).into_iter().filter_map(odd).collect()
    }

    /// What is wrong with the heads of agents' files: told to whoever opens a session.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The one that a person named.
    pub fn find(&self, name: &str) -> anyhow::Result<Agent> {
        let found = self.get(name).filter(|agent| agent.can_be_named());
        found.cloned().with_context(|| {
            let names: Vec<_> = self.choices().map(|agent| agent.name.as_str()).collect();
            format!("there is no agent `{name}`; there are: {}", names.join(", "))
        })
    }

    /// Those that a person is offered.
    pub fn choices(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| agent.primary && !agent.hidden)
    }

    /// Those that other agents are offered.
    pub fn subagents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| agent.is_subagent && !agent.hidden)
    }

    pub fn get(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// What a repository says of agents that is not used: told to whoever opens a session.
    pub fn ignored_overrides(&self) -> impl Iterator<Item = &String> {
        self.ignored_overrides.values()
    }

    /// Keeps what a file says, unless it is a repository's and the agent is the person's.
    fn take(&mut self, agent: Agent, path: &Path, own: bool) {
        let name = agent.name.clone();
        if own {
            self.user_owned.insert(name.clone());
        } else if self.user_owned.contains(&name) {
            let words = not_used(path.display(), &name);
            self.ignored_overrides.insert(name, words);
            return;
        } else {
            self.untrusted.insert(name.clone());
        }
        self.agents.insert(name, agent);
    }

    /// Notes where a repository says of an agent of the person's what it cannot.
    fn note_ignored_override(&mut self, loaded: &LoadedConfig, name: &str) {
        let removed = || {
            loaded
                .merged
                .untrusted_origin(&["agent", name])
                .filter(|_| !loaded.config.agent.contains_key(name))
        };
        let said = OWN_KEYS.iter().find_map(|key| loaded.merged.untrusted_origin(&["agent", name, key]));
        if let Some(origin) = said.or_else(removed) {
            self.ignored_overrides.insert(name.to_owned(), not_used(origin, name));
        }
    }

    /// The one that is known by this name, or a new one.
    fn base(&self, name: &str) -> Agent {
        self.get(name).cloned().unwrap_or_else(|| Agent { name: name.to_owned(), ..self.blank.clone() })
    }

    fn written(&self, path: &Path, head: &FrontMatter, prompt: &str, own: bool) -> Option<Agent> {
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
            // Other programs name models in their own way (`sonnet`); only a full name is one of ours ([`unqualified_model_warning`]).
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
        let is_theirs = self.user_owned.contains(name);
        let nothing = config::AgentConfig::default();
        let written = if is_theirs { own.or(Some(&nothing)) } else { merged };
        // One that a repository took away is what it was without the person's words, under their rules.
        let Some(written) = written else { return Ok(self.get(name).cloned()) };
        if written.disable == Some(true) {
            return Ok(None);
        }
        if !is_theirs && loaded.merged.untrusted_origin(&["agent", name]).is_some() {
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
        let options = providers::options(loaded, &["agent", name, "options"], &written.options)?;
        let said = RequestDefaults {
            temperature: written.temperature,
            top_p: written.top_p,
            ..RequestDefaults::default()
        };
        agent.defaults = agent.defaults.merge(options).merge(said);
        let stricter = merged.unwrap_or(written);
        stricter.tools.iter().for_each(|(pattern, on)| agent.tools.add(pattern, *on));
        own.iter()
            .flat_map(|own| &own.tools)
            .for_each(|(pattern, on)| agent.tools.add_user_switch(pattern, *on));
        if let Some(permission) = stricter.permission.as_ref().or(written.permission.as_ref()) {
            let is_foreign = self.untrusted.contains(name);
            let trusted =
                !is_foreign && loaded.merged.untrusted_origin(&["agent", name, "permission"]).is_none();
            let home = setup.paths.home.to_string_lossy();
            agent.rules = agent.rules.chain(rules::translate_rules(permission, trusted, &home));
            let said = own.and_then(|own| own.permission.as_ref());
            if is_foreign && said.is_some_and(|said| allows(said, setup)) {
                let words = format!(
                    "the agent `{name}` has words of this repository: what you allow it is asked for. Give it a \
                     `prompt` of your own to keep it."
                );
                self.ignored_overrides.insert(name.to_owned(), words);
            }
        }
        Ok(Some(agent))
    }
}

fn read(path: &Path) -> Option<String> {
    Some(read_instructions(path)?.replace("\r\n", "\n"))
}

fn problem(path: &Path, head: &FrontMatter) -> Option<String> {
    let problem = head.problem()?;
    Some(format!("{}:{}: {}", path.display(), problem.line, problem.what))
}

/// A model that is named in another program's way is not the one that the agent works with.
fn unqualified_model_warning(path: &Path, head: &FrontMatter) -> Option<String> {
    let model = head.get("model").filter(|model| !model.contains('/') && *model != "inherit")?;
    Some(format!(
        "{}:{}: the model `{model}` has no provider before it and is passed over; PROVIDER/MODEL names one",
        path.display(),
        head.line("model")
    ))
}

fn not_used(origin: impl std::fmt::Display, name: &str) -> String {
    format!("{origin}: there is an agent `{name}` of your own: what this repository says of it is not used")
}

/// Who a session begins as where nobody says. A repository that is not trusted does not choose one that the person allows more than
/// others.
pub fn default_agent(setup: &UserSetup, loaded: &LoadedConfig) -> String {
    let usual = |said: &Option<String>| said.clone().unwrap_or_else(|| "build".to_owned());
    let named = usual(&loaded.config.default_agent);
    let Some(origin) = loaded.merged.untrusted_origin(&["default_agent"]) else { return named };
    let own = loaded.trusted_config.agent.get(&named).and_then(|own| own.permission.as_ref());
    if !own.is_some_and(|own| allows(own, setup)) {
        return named;
    }
    loaded.warn(format_args!(
        "{origin}: `default_agent` is left out: you allow the agent `{named}` more than others, and this project is not \
         trusted. Look at the file, then run `copydesk config trust`."
    ));
    usual(&loaded.trusted_config.default_agent)
}

fn allows(permission: &config::PermissionConfig, setup: &UserSetup) -> bool {
    let rules = rules::translate_rules(permission, true, &setup.paths.home.to_string_lossy());
    rules.iter().any(|rule| rule.action == PermissionAction::Allow)
}

/// What a variant of a model adds: as the configuration has it, else one of the levels of thinking.
pub fn variant(loaded: &LoadedConfig, model: &str, variant: &str) -> anyhow::Result<RequestDefaults> {
    let configured = model.split_once('/').and_then(|(provider, id)| {
        let options = loaded.config.provider.get(provider)?.models.get(id)?.variants.get(variant)?;
        Some((["provider", provider, "models", id, "variants", variant], options.as_object()?))
    });
    if let Some((path, options)) = configured {
        return providers::options(loaded, &path, options);
    }
    let effort = providers::effort(variant);
    if effort.is_none() {
        loaded.warn(format_args!("{model} has no variant `{variant}`; it is asked without one"));
    }
    Ok(RequestDefaults { effort, ..RequestDefaults::default() })
}
