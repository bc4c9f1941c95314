//! What the rules say about a call, without making it: for `copydesk permission explain`.

use copydesk_config::LoadedConfig;
use copydesk_permission::{
    Ask, CommandPattern, CommandReading, ExplainedPattern, PermissionAction, PermissionPreset, RuleLayers,
    ShellPlace, read_command,
};
use copydesk_tool::PlanFile;
use copydesk_tool::tools::{CommandPlacement, rule_names};
use copydesk_workspace::files::{ResolvedPath, WorkspaceFiles};

use crate::agents::{self, AgentRegistry};
use crate::environment;
use crate::rules;
use crate::sandbox;
use crate::session_builder::{ConfigurationRules, agent_rules};
use crate::setup::UserSetup;

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
    let mut report = PermissionReport {
        agent: agent.name.clone(),
        preset: call.preset.unwrap_or_else(|| rules::config_preset(loaded)),
        decisions: Vec::new(),
        always: Vec::new(),
        sandbox: None,
        notes: Vec::new(),
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
