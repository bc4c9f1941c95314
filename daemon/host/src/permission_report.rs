//! What the rules say about a call, without making it: for `copydesk permission explain`.

use copydesk_config::LoadedConfig;
use copydesk_permission::{
    Ask, CommandPattern, CommandReading, ExplainedPattern, PermissionAction, PermissionPreset, RuleLayers,
    ShellPlace, read_command,
};
use copydesk_protocol::permission::{
    PermissionActionInfo, PermissionDecisionInfo, PermissionExplainResult, PermissionSandboxInfo,
};
use copydesk_tool::PlanFile;
use copydesk_tool::tools::{CommandPlacement, rule_names};
use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};

use crate::agents::{self, AgentRegistry};
use crate::environment;
use crate::project_replies;
use crate::rules::{self, PresetSource};
use crate::sandbox;
use crate::session_builder::{ConfigurationRules, agent_rules};
use crate::session_host::convert;
use crate::setup::UserSetup;

/// The keys of the rules that a user may name before a call.
const KEYS: [&str; 13] = [
    "bash",
    "codesearch",
    "edit",
    "external_directory",
    "glob",
    "grep",
    "list",
    "lsp",
    "read",
    "skill",
    "task",
    "webfetch",
    "websearch",
];

/// A call as a user names it.
#[derive(Debug, Clone)]
pub struct NamedCall {
    /// The key of the rules: `bash`, `read`, …
    pub key: String,
    /// The command, the path, or what else the rules of this key are about.
    pub target: String,
    pub agent: Option<String>,
    pub preset: Option<PermissionPreset>,
}

impl NamedCall {
    /// A key and what the call is about, as words of a command line. Without a key it is a command.
    pub fn from_words(words: &[String]) -> Self {
        let (key, target) = match words {
            [key, target @ ..] if KEYS.contains(&key.as_str()) && !target.is_empty() => {
                (key.as_str(), target)
            }
            all => ("bash", all),
        };
        Self { key: key.to_owned(), target: target.join(" "), agent: None, preset: None }
    }

    /// The same as one text, as it was typed.
    pub fn from_text(typed: &str) -> Self {
        let typed = typed.trim();
        match typed.split_once(char::is_whitespace) {
            Some((first, rest)) => Self::from_words(&[first.to_owned(), rest.trim_start().to_owned()]),
            None => Self::from_words(&[typed.to_owned()]),
        }
    }
}

#[derive(Debug, Clone)]
pub struct PermissionReport {
    pub agent: String,
    pub preset: PermissionPreset,
    /// All that is decided about the call, with the key of each. Each must be allowed.
    pub decisions: Vec<(String, ExplainedPattern)>,
    /// What "always" would allow.
    pub always: Vec<String>,
    /// Where a command would run.
    pub sandbox: Option<ExplainedSandbox>,
    /// What the rules alone do not decide, in sentences.
    pub notes: Vec<String>,
}

/// The sandbox of a command, if it is on.
#[derive(Debug, Clone)]
pub struct ExplainedSandbox {
    pub placement: CommandPlacement,
    /// What a command in it may change and reach.
    pub rights: String,
}

impl ExplainedSandbox {
    /// Where the command runs, and why.
    pub fn sentence(&self) -> String {
        let why = self.placement.why_outside().unwrap_or_default();
        match self.placement {
            CommandPlacement::Refused { .. } => {
                format!("`sandbox` is `require`, but it cannot run in the sandbox: {why}.")
            }
            CommandPlacement::Outside { .. } => format!("It runs outside of the sandbox: {why}."),
            CommandPlacement::Unavailable => "It does not run in a sandbox.".to_owned(),
            CommandPlacement::Sandboxed | CommandPlacement::Unconfined => {
                format!("It runs in the sandbox ({}).", self.rights)
            }
        }
    }
}

impl PermissionReport {
    /// The strictest of all decisions.
    pub fn action(&self) -> PermissionAction {
        let has = |action| self.decisions.iter().any(|(_, decision)| decision.action == action);
        let is_refused = self
            .sandbox
            .as_ref()
            .is_some_and(|sandbox| matches!(sandbox.placement, CommandPlacement::Refused { .. }));
        match () {
            () if is_refused || has(PermissionAction::Deny) => PermissionAction::Deny,
            () if has(PermissionAction::Ask) => PermissionAction::Ask,
            () => PermissionAction::Allow,
        }
    }
}

pub async fn report_permission(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    call: &NamedCall,
) -> anyhow::Result<PermissionReport> {
    let name = call.agent.clone().unwrap_or_else(|| agents::default_agent(setup, loaded));
    let agent = AgentRegistry::new(setup, loaded)?.find(&name)?;
    let home = setup.paths.home.to_string_lossy();
    let config = rules::config_rules(loaded, &home);
    let configuration = ConfigurationRules { loaded, rules: &config, home: &home };
    let (rules, own) = agent_rules(configuration, &agent, call.preset, &PlanFile::new(0).pattern());
    let mut layers = RuleLayers::new([rules]);
    layers.set_user_rules(own);
    let mut notes = Vec::new();
    match project_replies::active_replies(setup) {
        Ok(replies) => drop(layers.set_project_replies(replies)),
        Err(error) => notes.push(format!("What you always allow in this project does not count: {error}.")),
    }
    let mut report = PermissionReport {
        agent: agent.name.clone(),
        preset: PresetSource::of(loaded).active(call.preset),
        decisions: Vec::new(),
        always: Vec::new(),
        sandbox: None,
        notes,
    };
    let files = WorkspaceFiles::new(&setup.cwd, &setup.paths.home);
    match call.key.as_str() {
        "bash" => {
            let (home, folder) = (files.home().to_string_lossy(), files.root().to_string_lossy());
            let place = ShellPlace { home: Some(&home), working_folder: Some(&folder) };
            let mut reading = read_command(&call.target, place);
            report.sandbox = explain_sandbox(setup, loaded, &mut reading.commands).await;
            report.add_command(&layers, &files, reading);
        }
        "read" | "list" | "edit" => {
            let place = files.resolve(&call.target);
            report.add_folder(&layers, &place);
            report.add(&layers, &call.key, rule_names(&files, &place));
        }
        key => report.add(&layers, key, vec![call.target.clone()]),
    }
    Ok(report)
}

fn action_info(action: PermissionAction) -> PermissionActionInfo {
    match action {
        PermissionAction::Allow => PermissionActionInfo::Allow,
        PermissionAction::Ask => PermissionActionInfo::Ask,
        PermissionAction::Deny => PermissionActionInfo::Deny,
    }
}

/// Tries the sandbox, and marks what would run in it. None if it is off.
async fn explain_sandbox(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    commands: &mut [CommandPattern],
) -> Option<ExplainedSandbox> {
    let sandbox = sandbox::command_sandbox(loaded, &setup.paths, None);
    let processes = environment::processes(loaded);
    let placement = CommandPlacement::choose(&sandbox, &setup.cwd, &processes, commands, None).await;
    let rights = sandbox.describe();
    placement.is_sandboxed().map(|_| ExplainedSandbox { placement, rights })
}

impl PermissionReport {
    /// The report as clients get it.
    pub fn into_info(self) -> PermissionExplainResult {
        let action = action_info(self.action());
        let decision = |(key, decision): (String, ExplainedPattern)| PermissionDecisionInfo {
            key,
            pattern: decision.pattern,
            action: action_info(decision.action),
            why: decision.reason.to_string(),
        };
        let Self { agent, preset, decisions, always, sandbox, notes } = self;
        let decisions = decisions.into_iter().map(decision).collect();
        let preset = convert::preset(preset);
        let sandbox = sandbox.map(|sandbox| PermissionSandboxInfo {
            sandboxed: sandbox.placement == CommandPlacement::Sandboxed,
            what: sandbox.sentence(),
        });
        PermissionExplainResult { action, agent, preset, decisions, always, sandbox, notes }
    }

    fn add(&mut self, layers: &RuleLayers, key: &str, patterns: Vec<String>) {
        self.add_ask(layers, &Ask { key: key.to_owned(), patterns, ..Ask::default() });
    }

    fn add_ask(&mut self, layers: &RuleLayers, ask: &Ask) {
        self.decisions.extend(layers.explain(ask).into_iter().map(|decision| (ask.key.clone(), decision)));
    }

    fn add_command(&mut self, layers: &RuleLayers, files: &WorkspaceFiles, reading: CommandReading) {
        if let Some(why) = &reading.unreadable {
            self.notes.push(format!("The command is asked for as a whole: {why}."));
        }
        if reading.reads_git {
            self.notes.push(
                "In a repository with submodules, or whose configuration may name a program, git asks."
                    .to_owned(),
            );
        }
        if !reading.searched_folders.is_empty() {
            self.notes.push("It also asks if it would show a file that `read` asks for.".to_owned());
        }
        let commands = reading.commands;
        self.add_ask(layers, &Ask { key: "bash".to_owned(), commands, ..Ask::default() });
        for path in &reading.paths {
            let place = files.resolve(path);
            self.add_folder(layers, &place);
            if place.real_path().is_file() {
                self.add(layers, "read", rule_names(files, &place));
            }
        }
        self.always = reading.always;
    }

    /// A path outside the workspace is decided by its folder, if that exists.
    fn add_folder(&mut self, layers: &RuleLayers, place: &ResolvedPath) {
        let real = place.real_path();
        let folder = if real.is_dir() { Some(real) } else { real.parent() };
        if let Some(folder) = folder.filter(|folder| !place.is_in_workspace && folder.is_dir()) {
            self.add(layers, "external_directory", vec![folder.join("*").display().to_string()]);
        }
    }
}
