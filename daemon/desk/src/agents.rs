//! The agents there are: the built-in ones, those in Markdown files, those of the configuration; later ones over earlier.
//!
//! A file `NAME.md` in `.copydesk/agents`, `.opencode/agent`, `.opencode/agents` or `.claude/agents` (of the project's
//! folders and of the home) is an agent: its text is the prompt, and a head of `key: value` lines between two `---` says
//! the rest (`head`). Permissions are for the configuration, whose trust is known; a file of the project cannot switch on
//! a tool that the person switched off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_model::Defaults;
use copydesk_session::agent::{Agent, Switches, builtin};
use copydesk_session::prompt::read_instructions;
use copydesk_tool::head::Head;
use copydesk_workspace::config::{AgentMode, Loaded};
use copydesk_workspace::paths::workspace_root;

use crate::setup::Setup;
use crate::{providers, rules, terminal};

const FOLDERS: [&str; 4] = [".claude/agents", ".opencode/agent", ".opencode/agents", ".copydesk/agents"];

/// All agents by name.
pub(crate) struct Agents {
    agents: BTreeMap<String, Agent>,
    /// What one begins with that is new.
    blank: Agent,
}

impl Agents {
    pub(crate) fn new(setup: &Setup, loaded: &Loaded) -> anyhow::Result<Self> {
        let mut tools = Switches::new();
        loaded.config.tools.iter().for_each(|(pattern, on)| tools.add(pattern, *on));
        loaded.own.tools.iter().for_each(|(pattern, on)| tools.add_own(pattern, *on));
        let builtin = builtin().into_iter().map(|agent| Agent { tools: tools.clone(), ..agent });
        let agents: BTreeMap<_, _> = builtin.map(|agent| (agent.name.clone(), agent)).collect();
        let blank = agents.get("build").cloned().context("the agent `build` is built in")?;
        // Whoever does not say who may call it is for everybody.
        let blank = Agent { called: true, ..blank };
        let mut all = Self { agents, blank };
        for (path, own) in files(setup) {
            if let Some(agent) = all.written(&path, own) {
                all.agents.insert(agent.name.clone(), agent);
            }
        }
        for name in loaded.config.agent.keys() {
            match all.configured(setup, loaded, name)? {
                Some(agent) => drop(all.agents.insert(name.clone(), agent)),
                None => drop(all.agents.remove(name)),
            }
        }
        // Also where a repository took away what stood there.
        let home = setup.paths.home.to_string_lossy();
        for (name, own) in &loaded.own.agent {
            if let (Some(agent), Some(permission)) = (all.agents.get_mut(name), &own.permission) {
                agent.own = std::mem::take(&mut agent.own).then(rules::rules(permission, true, &home));
            }
        }
        Ok(all)
    }

    /// What is wrong with the heads of agents' files, with the file and the line.
    pub(crate) fn problems(setup: &Setup) -> Vec<String> {
        let problem = |(path, _): (PathBuf, bool)| {
            let text = read_instructions(&path)?.replace("\r\n", "\n");
            let (head, _) = Head::split(&text);
            head.problem().map(|problem| format!("{}:{}: {}", path.display(), problem.line, problem.what))
        };
        files(setup).into_iter().filter_map(problem).collect()
    }

    /// The one that a person named.
    pub(crate) fn find(&self, name: &str) -> anyhow::Result<Agent> {
        let found = self.get(name).filter(|agent| agent.can_be_named());
        found.cloned().with_context(|| {
            let names: Vec<_> = self.choices().map(|agent| agent.name.as_str()).collect();
            format!("there is no agent `{name}`; there are: {}", names.join(", "))
        })
    }

    /// Those that a person is offered.
    pub(crate) fn choices(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| agent.primary && !agent.hidden)
    }

    /// Those that other agents are offered.
    pub(crate) fn called(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| agent.called && !agent.hidden)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// The one that is known by this name, or a new one.
    fn base(&self, name: &str) -> Agent {
        self.get(name).cloned().unwrap_or_else(|| Agent { name: name.to_owned(), ..self.blank.clone() })
    }

    fn written(&self, path: &Path, own: bool) -> Option<Agent> {
        let text = read_instructions(path)?.replace("\r\n", "\n");
        let (head, prompt) = Head::split(&text);
        let stem = || Some(path.file_stem()?.to_string_lossy().into_owned());
        let base = self.base(&head.get("name").map(str::to_owned).or_else(stem)?);
        let mut tools = base.tools;
        for (pattern, on) in head.tools() {
            tools.add(&pattern, on);
            if own {
                tools.add_own(pattern, on);
            }
        }
        let defaults = Defaults {
            temperature: head.parse("temperature"),
            top_p: head.parse("top_p"),
            ..Defaults::default()
        };
        Some(Agent {
            description: head.get("description").map_or(base.description, str::to_owned),
            prompt: if prompt.is_empty() { base.prompt } else { prompt.to_owned() },
            // Other programs name models in their own way (`sonnet`); only a full name is one of ours.
            model: head.get("model").filter(|model| model.contains('/')).map(str::to_owned).or(base.model),
            variant: head.get("variant").map(str::to_owned).or(base.variant),
            defaults: base.defaults.then(defaults),
            tools,
            steps: head.parse("steps").or_else(|| head.parse("maxSteps")).unwrap_or(base.steps),
            primary: head.get("mode").map_or(base.primary, |mode| mode != "subagent"),
            called: head.get("mode").map_or(base.called, |mode| mode != "primary"),
            hidden: head.parse("hidden").unwrap_or(base.hidden),
            name: base.name,
            rules: base.rules,
            own: base.own,
            asks: base.asks,
        })
    }

    fn configured(&self, setup: &Setup, loaded: &Loaded, name: &str) -> anyhow::Result<Option<Agent>> {
        let Some(written) = loaded.config.agent.get(name).filter(|written| written.disable != Some(true))
        else {
            return Ok(None);
        };
        let mut agent = self.base(name);
        agent.prompt = written.prompt.clone().unwrap_or(agent.prompt);
        agent.description = written.description.clone().unwrap_or(agent.description);
        agent.model = written.model.clone().or(agent.model);
        agent.variant = written.variant.clone().or(agent.variant);
        agent.steps = written.steps.unwrap_or(agent.steps);
        agent.primary = written.mode.map_or(agent.primary, |mode| mode != AgentMode::Subagent);
        agent.called = written.mode.map_or(agent.called, |mode| mode != AgentMode::Primary);
        agent.hidden = written.hidden.unwrap_or(agent.hidden);
        let options = providers::options(loaded, &["agent", name, "options"], &written.options)?;
        let said = Defaults { temperature: written.temperature, top_p: written.top_p, ..Defaults::default() };
        agent.defaults = agent.defaults.then(options).then(said);
        written.tools.iter().for_each(|(pattern, on)| agent.tools.add(pattern, *on));
        let own = loaded.own.agent.get(name);
        own.iter().flat_map(|own| &own.tools).for_each(|(pattern, on)| agent.tools.add_own(pattern, *on));
        if let Some(permission) = &written.permission {
            let trusted = loaded.merged.untrusted(&["agent", name, "permission"]).is_none();
            let home = setup.paths.home.to_string_lossy();
            agent.rules = agent.rules.then(rules::rules(permission, trusted, &home));
        }
        Ok(Some(agent))
    }
}

/// What a variant of a model adds: as the configuration has it, else one of the levels of thinking.
pub(crate) fn variant(loaded: &Loaded, model: &str, variant: &str) -> anyhow::Result<Defaults> {
    let configured = model.split_once('/').and_then(|(provider, id)| {
        let options = loaded.config.provider.get(provider)?.models.get(id)?.variants.get(variant)?;
        Some((["provider", provider, "models", id, "variants", variant], options.as_object()?))
    });
    if let Some((path, options)) = configured {
        return providers::options(loaded, &path, options);
    }
    let effort = providers::effort(variant);
    if effort.is_none() {
        terminal::warn(format_args!("{model} has no variant `{variant}`; it is asked without one"));
    }
    Ok(Defaults { effort, ..Defaults::default() })
}

/// Those of the home first, which are the person's own, then from the workspace's root down. A repository's link that leads out
/// of it is passed over: its agents could make a model read what is not its own.
fn files(setup: &Setup) -> Vec<(PathBuf, bool)> {
    let root = workspace_root(&setup.cwd).unwrap_or_else(|_| setup.cwd.clone());
    let mut project: Vec<_> = setup.cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    project.reverse();
    let below = |folder: &Path| FOLDERS.map(|name| folder.join(name));
    let mut folders: Vec<_> = below(&setup.paths.home).map(|folder| (folder, true)).to_vec();
    folders.push((setup.paths.config_dir.join("agents"), true));
    folders.extend(project.into_iter().flat_map(below).map(|folder| (folder, false)));
    let real_root = root.canonicalize().unwrap_or_else(|_| root.clone());
    let is_within = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real.starts_with(&real_root));
    let mut files = Vec::new();
    for (folder, own) in folders {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<_> = entries
            .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
            .filter(|path| own || is_within(path))
            .collect();
        found.sort();
        files.extend(found.into_iter().map(|path| (path, own)));
    }
    files
}
