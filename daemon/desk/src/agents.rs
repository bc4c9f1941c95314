//! The agents there are: the built-in ones, those in Markdown files, those of the configuration; later ones over earlier.
//!
//! A file `NAME.md` in `.copydesk/agents`, `.opencode/agent`, `.opencode/agents` or `.claude/agents` (of the project's
//! folders and of the home) is an agent: its text is the prompt, and a head of `key: value` lines between two `---` says
//! the rest. What a head says beyond `description`, `model`, `mode`, `steps` is passed over; permissions are for the
//! configuration, whose trust is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use copydesk_session::agent::{Agent, builtin};
use copydesk_session::prompt::read_instructions;
use copydesk_workspace::config::{AgentMode, Loaded};
use copydesk_workspace::paths::workspace_root;

use crate::rules;
use crate::setup::Setup;

const FOLDERS: [&str; 4] = [".claude/agents", ".opencode/agent", ".opencode/agents", ".copydesk/agents"];

pub(crate) fn find(setup: &Setup, loaded: &Loaded, name: &str) -> anyhow::Result<Agent> {
    let mut agents = all(setup, loaded);
    agents.remove(name).with_context(|| {
        let names: Vec<_> =
            agents.values().filter(|agent| agent.primary).map(|agent| agent.name.as_str()).collect();
        format!("there is no agent `{name}`; there are: {}", names.join(", "))
    })
}

fn all(setup: &Setup, loaded: &Loaded) -> BTreeMap<String, Agent> {
    let mut agents: BTreeMap<_, _> = builtin().into_iter().map(|agent| (agent.name.clone(), agent)).collect();
    for path in files(setup) {
        if let Some(agent) = from_file(&path, &agents) {
            agents.insert(agent.name.clone(), agent);
        }
    }
    for name in loaded.config.agent.keys() {
        match configured(setup, loaded, name, agents.get(name)) {
            Some(agent) => drop(agents.insert(name.clone(), agent)),
            None => drop(agents.remove(name)),
        }
    }
    agents
}

/// Those of the home first, then from the workspace's root down.
fn files(setup: &Setup) -> Vec<PathBuf> {
    let root = workspace_root(&setup.cwd).unwrap_or_else(|_| setup.cwd.clone());
    let mut project: Vec<_> = setup.cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    project.reverse();
    let below = |folder: &Path| FOLDERS.map(|name| folder.join(name));
    let mut folders = below(&setup.paths.home).to_vec();
    folders.push(setup.paths.config_dir.join("agents"));
    folders.extend(project.into_iter().flat_map(below));
    let mut files = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<_> =
            entries.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
        found.sort();
        files.extend(found);
    }
    files
}

fn blank(name: &str) -> Option<Agent> {
    let build = builtin().into_iter().find(|agent| agent.name == "build")?;
    Some(Agent { name: name.to_owned(), ..build })
}

fn from_file(path: &Path, known: &BTreeMap<String, Agent>) -> Option<Agent> {
    let text = read_instructions(path)?;
    let (head, prompt) = split(&text);
    let name =
        head.get("name").cloned().or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned()))?;
    let base = known.get(&name).cloned().or_else(|| blank(&name))?;
    let description = head.get("description").cloned().unwrap_or_else(|| base.description.clone());
    Some(Agent {
        description,
        prompt: if prompt.is_empty() { base.prompt } else { prompt.to_owned() },
        // Other programs name models in their own way (`sonnet`); only a full name is one of ours.
        model: head.get("model").filter(|model| model.contains('/')).cloned().or(base.model),
        steps: head.get("steps").and_then(|steps| steps.parse().ok()).unwrap_or(base.steps),
        primary: head.get("mode").map_or(base.primary, |mode| mode != "subagent"),
        name: base.name,
        rules: base.rules,
    })
}

/// `---`, lines of `key: value`, `---`, the rest.
fn split(text: &str) -> (BTreeMap<String, String>, &str) {
    let inner = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let Some((head, rest)) = inner else { return (BTreeMap::new(), text.trim()) };
    let pair = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (!key.starts_with([' ', '#']) && !value.is_empty()).then(|| (key.trim().to_owned(), value.to_owned()))
    };
    (head.lines().filter_map(pair).collect(), rest.trim())
}

fn configured(setup: &Setup, loaded: &Loaded, name: &str, known: Option<&Agent>) -> Option<Agent> {
    let written = loaded.config.agent.get(name).filter(|written| written.disable != Some(true))?;
    let mut agent = known.cloned().or_else(|| blank(name))?;
    agent.prompt = written.prompt.clone().unwrap_or(agent.prompt);
    agent.description = written.description.clone().unwrap_or(agent.description);
    agent.model = written.model.clone().or(agent.model);
    agent.steps = written.steps.unwrap_or(agent.steps);
    agent.primary = written.mode.map_or(agent.primary, |mode| mode != AgentMode::Subagent);
    if let Some(permission) = &written.permission {
        let trusted = loaded.merged.untrusted(&["agent", name, "permission"]).is_none();
        let home = setup.paths.home.to_string_lossy();
        agent.rules = agent.rules.then(rules::rules(permission, trusted, &home));
    }
    Some(agent)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_head_is_optional_and_read_line_by_line() {
        let (head, prompt) =
            split("---\nname: \"a\"\ndescription: b: c\n  nested: x\nempty:\n---\n\nYou are.\n");
        assert_eq!(
            head.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
            ["description=b: c", "name=a"]
        );
        assert_eq!(prompt, "You are.");
        assert_eq!(split("You are.").1, "You are.");
        assert_eq!(split("---\nnever closed").1, "---\nnever closed");
    }
}
