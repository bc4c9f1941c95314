//! Builds a session: gathers everything it needs from the user's setup and the host.

mod agent_rules;
mod prompt_source;
mod role_factory;
mod subagent_runner;

pub(crate) use self::agent_rules::{ConfigurationRules, agent_rules};

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use anyhow::Context as _;
use copydesk_config::LoadedConfig;
use copydesk_config::paths::workspace_root;
use copydesk_model::catalogue::EditStyle;
use copydesk_model::time_limits::PROBE_TIMEOUT;
use copydesk_model::{Model, ModelRegistry as Models, find_local_window, offline};
use copydesk_permission::{PermissionAction, PermissionRule, PermissionRules, RuleLayers};
use copydesk_session::agent::{Agent, TITLE_AGENT};
use copydesk_session::system_prompt::{PromptEnvironment, instruction_files, read_instructions};
use copydesk_session::{
    AgentRole, CompactionSettings, CostLimits, CurrentRules, NamedModel, Session, SessionDeps, SessionEvent,
    Store, TitleGenerator,
};
use copydesk_tool::skills::Skill;
use copydesk_tool::{OutputSpill, PlanFile, ToolOutputLimits, ToolRegistry as Tools, disabled_tool, tools};
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::journal::Journal;
use copydesk_workspace::process::{Processes, Shell};
use copydesk_workspace::reviews::ReviewTracker;
use copydesk_workspace::text_index::TextIndexes;
use tokio::sync::mpsc;

use crate::agents::{self, AgentRegistry};
use crate::editors::AttachedEditors;
use crate::instructions::{ConfiguredInstructions, SessionFolders};
use crate::languages::{self, LanguageServices};
use crate::setup::UserSetup;
use crate::subagent_host::SubagentHost;
use crate::{rules, sandbox, trust, web};
use prompt_source::PromptSource;
use role_factory::RoleFactory;
use subagent_runner::{MAX_DEPTH, SubagentRunner};

/// What the host gives a session.
#[derive(Clone)]
pub struct SessionServices {
    pub buffers: Buffers,
    /// Without a journal no edit of an agent can be undone.
    pub journal: Option<Journal>,
    pub reviews: ReviewTracker,
    /// The session's own; the host ends them.
    pub processes: Processes,
    pub editors: AttachedEditors,
    pub servers: LanguageServices,
    pub indexes: TextIndexes,
    /// Hosts the sessions of its subagents.
    pub(crate) host: Weak<dyn SubagentHost>,
}

impl std::fmt::Debug for SessionServices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionServices").finish_non_exhaustive()
    }
}

/// Everything that a session is built from.
#[derive(Clone, Copy)]
pub(crate) struct SessionInputs<'a> {
    pub setup: &'a UserSetup,
    pub loaded: &'a LoadedConfig,
    pub store: &'a Store,
    pub services: &'a SessionServices,
}

/// Builds a stored or new session. `parent` runs it as a subagent of another one.
pub(crate) async fn build_session(
    inputs: SessionInputs<'_>,
    mut session: Session,
    parent: Option<&SubagentRunner>,
    events: mpsc::Sender<SessionEvent>,
) -> anyhow::Result<SessionDeps> {
    let SessionInputs { setup, loaded, store, services } = inputs;
    let models = setup.registry(loaded)?;
    let agents = AgentRegistry::new(setup, loaded)?;
    agents.ignored_overrides().for_each(|warning| loaded.warn(warning));
    agents.problems().iter().for_each(|warning| loaded.warn(warning));
    if parent.is_none() && !loaded.trust.trust.is_trusted() {
        loaded.warn(trust::restriction_warning(&loaded.root));
    }
    if parent.is_none() {
        // The session has its agent by now. This warns if the project's own choice is ignored.
        drop(agents::default_agent(setup, loaded));
    }
    let agent = agents.find(&session.agent)?;
    let model_name = model_name(&models, loaded, &session, &agent)?;
    let local_window = local_window(&models, &model_name).await;
    session.model = Some(model_name);
    // A subagent takes over the rules, so that their warnings appear once.
    let home = setup.paths.home.to_string_lossy().into_owned();
    let config_rules =
        parent.map_or_else(|| rules::config_rules(loaded, &home), |parent| parent.config_rules().clone());
    let root = workspace_root(&session.folder).unwrap_or_else(|_| session.folder.clone());
    let folders = SessionFolders { root: &root, folder: &session.folder, home: &setup.paths.home };
    let configured_instructions = ConfiguredInstructions::read(loaded, &models, folders).await;
    let others = services.editors.other_folders(&session.folder);
    let prompts = PromptSource::new(prompt_environment(folders, others), configured_instructions);
    let instructions = prompts.environment().instructions.into_iter().map(|(path, _)| path).collect();
    let roles = RoleFactory {
        setup: setup.clone(),
        loaded: loaded.clone(),
        store: store.clone(),
        services: services.clone(),
        config_rules,
        prompts,
        plan: PlanFile::new(session.created),
        outputs: outputs(setup, store, &session).await,
        is_subagent: parent.is_some(),
        local_window,
        switches: parent.map(|parent| parent.switches().to_vec()).unwrap_or_default(),
    };
    let AgentRole { agent, model, model_name, system, rules, user_rules, tools } =
        roles.build_role(&models, &agents, agent, &session, parent)?;
    let files = WorkspaceFiles::with_buffers(
        &session.folder,
        &setup.paths.home,
        services.buffers.clone(),
        services.journal.clone(),
        services.reviews.clone(),
        loaded.trusted_config.save.unwrap_or_default(),
    )
    .with_indexes(&services.indexes)
    .with_processes(&services.processes);
    let rules = CurrentRules::new(layers(rules, user_rules, parent));
    let checks =
        services.servers.diagnostics_tracker(loaded, &services.editors, &files, &services.processes, &rules);
    let formatters =
        services.servers.formatters(loaded, &services.editors, &files, &services.processes, &rules);
    let navigator = services.servers.navigator(loaded, &services.editors, &files, &rules);
    languages::show_in_reviews(&checks, &files, session.id.as_str());
    // With the offline model nothing is sent anywhere, not even for a title.
    let is_offline = model.provider().id == offline::ID;
    Ok(SessionDeps {
        title_generator: agents
            .get(TITLE_AGENT)
            .filter(|_| !is_offline)
            .and_then(|agent| titles(&models, loaded, agent)),
        limits: CostLimits {
            session: loaded.trusted_config.limits.session,
            day: loaded.trusted_config.limits.day,
        },
        summary_model: summary_model(&models, loaded).filter(|_| !is_offline),
        compaction: CompactionSettings {
            is_automatic: loaded.config.compaction.auto.unwrap_or(true),
            prunes: loaded.config.compaction.prune.unwrap_or(true),
            reserved: loaded.config.compaction.reserved,
        },
        root,
        instructions,
        system,
        rules,
        tools,
        roles: Arc::new(roles),
        checks,
        formatters,
        navigator,
        files,
        processes: services.processes.clone(),
        session,
        agent,
        model,
        model_name,
        store: store.clone(),
        events,
        parent: None,
    })
}

/// A subagent is denied what its parent session is denied.
fn layers(
    rules: PermissionRules,
    user_rules: PermissionRules,
    parent: Option<&SubagentRunner>,
) -> RuleLayers {
    let mut layers = RuleLayers::new([rules]);
    layers.set_user_rules(user_rules);
    match parent {
        Some(parent) => layers.with_parent_denials(parent.rules()),
        None => layers,
    }
}

/// The session's model for inline edits. The offline model cannot follow an instruction.
pub fn inline_model(setup: &UserSetup, loaded: &LoadedConfig, session: &Session) -> anyhow::Result<Model> {
    let models = setup.registry(loaded)?;
    let agent = AgentRegistry::new(setup, loaded)?.find(&session.agent)?;
    let name = model_name(&models, loaded, session, &agent)?;
    let model = model(&models, loaded, &name, &agent)?;
    anyhow::ensure!(
        model.provider().id != offline::ID,
        "the offline model cannot edit a selection; choose another with `:Copydesk model` or in the configuration"
    );
    Ok(model)
}

/// The model of a session whose user chose none, if one is set up; without a name, of the default agent.
pub fn default_model(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    models: &Models,
    agent: Option<String>,
) -> Option<String> {
    let agent = agent.unwrap_or_else(|| agents::default_agent(setup, loaded));
    let own = AgentRegistry::new(setup, loaded).ok().and_then(|agents| agents.get(&agent)?.model.clone());
    own.or_else(|| loaded.config.model.clone()).or_else(|| models.default_model())
}

fn model_name(
    models: &Models,
    loaded: &LoadedConfig,
    session: &Session,
    agent: &Agent,
) -> anyhow::Result<String> {
    let chosen = session.model.clone().or_else(|| agent.model.clone());
    let name = chosen.or_else(|| loaded.config.model.clone()).or_else(|| models.default_model());
    name.context(
        "no model is set up. `copydesk models` lists what is missing; the quickest ways: `copydesk auth add anthropic` (or \
         openai, google, openrouter, …), or a local server and --model ollama/NAME",
    )
}

/// The model with the agent's request settings.
fn model(models: &Models, loaded: &LoadedConfig, name: &str, agent: &Agent) -> anyhow::Result<Model> {
    let variant =
        agent.variant.as_deref().map(|variant| agents::variant(loaded, name, variant)).transpose()?;
    Ok(models.model(name)?.with_extra_defaults(variant.unwrap_or_default().merge(agent.defaults.clone())))
}

/// A small model for titles, if one is available.
fn titles(models: &Models, loaded: &LoadedConfig, agent: &Agent) -> Option<TitleGenerator> {
    let name = agent.model.clone().or_else(|| loaded.config.small_model.clone());
    let name = name.or_else(|| models.default_small_model())?;
    Some(TitleGenerator { model: model(models, loaded, &name, agent).ok()?, prompt: agent.prompt.clone() })
}

/// The context that a server on this machine gives the model, if nothing else says it.
async fn local_window(models: &Models, name: &str) -> Option<(String, u64)> {
    let model = models.model(name).ok().filter(|model| model.spec().is_context_assumed)?;
    let window = find_local_window(models, model.provider(), &model.spec().id, PROBE_TIMEOUT).await?;
    Some((name.to_owned(), window))
}

/// The model for summaries that the user chose. One that cannot be used is a warning.
fn summary_model(models: &Models, loaded: &LoadedConfig) -> Option<NamedModel> {
    let name = loaded.trusted_config.compaction.model.clone()?;
    match models.model(&name) {
        Ok(model) => Some(NamedModel { model, name }),
        Err(error) => {
            loaded
                .warn(format_args!("`compaction.model`: {}; the session's own model sums up", error.message));
            None
        }
    }
}

/// The folder for complete long outputs and the output of jobs, by its real path, because permission checks
/// compare real paths. A session shares its folder with its subagents and with no other session.
async fn outputs(setup: &UserSetup, store: &Store, session: &Session) -> OutputSpill {
    let mut top = session.clone();
    for _ in 0..MAX_DEPTH {
        let Some(parent) = &top.parent else { break };
        let Ok(above) = store.session(parent.as_str()).await else { break };
        top = above;
    }
    let data = setup.paths.data_dir.canonicalize().unwrap_or_else(|_| setup.paths.data_dir.clone());
    let all = data.join("output");
    let all = OutputSpill::new(&all.canonicalize().unwrap_or(all));
    all.remove_expired(SystemTime::now());
    all.for_session(top.id.as_str())
}

fn tools(
    roles: &RoleFactory,
    agent: &Agent,
    edits: EditStyle,
    skills: Arc<[Skill]>,
) -> anyhow::Result<Tools> {
    let RoleFactory { loaded, services, plan, outputs, is_subagent, .. } = roles;
    let configured = &loaded.config.tool_output;
    let number = |value: Option<u64>, other: usize| {
        value.and_then(|value| usize::try_from(value).ok()).unwrap_or(other)
    };
    let default = ToolOutputLimits::default();
    let limits = ToolOutputLimits {
        lines: number(configured.max_lines, default.lines),
        bytes: number(configured.max_bytes, default.bytes),
    };
    // An untrusted project cannot choose the shell that runs commands.
    let shell = loaded.trusted_config.shell.as_deref();
    let options = tools::ToolOptions {
        limits,
        spill: outputs.clone(),
        processes: services.processes.clone(),
        sandbox: sandbox::command_sandbox(loaded, &roles.setup.paths, Some(outputs.folder().to_owned())),
        shell: Shell::choose(shell, &|name| std::env::var_os(name))?,
        search_timeout: copydesk_workspace::time_limits::SEARCH_TIMEOUT,
        web: web::web_settings(loaded),
        skills,
        plan: plan.clone(),
    };
    let mut registry = Tools::new(limits, outputs.clone());
    // Of the editing tools a model gets only those it is trained on.
    let suits_model = |tool: &str| match tools::edits_by_patch(tool) {
        Some(by_patch) => by_patch == (edits == EditStyle::Patch),
        None => true,
    };
    for tool in tools::builtin_tools(&options).into_iter().filter(|tool| suits_model(&tool.name())) {
        let name = tool.name();
        // Without `bash` there are no jobs. Only `build` enters plan mode, because every plan ends in `build`.
        let is_on = roles.is_tool_enabled(agent, &name, tools::equivalent_tools(&name))
            && (name != "job" || roles.is_tool_enabled(agent, "bash", &[]))
            && (name != "plan_enter" || agent.name == "build")
            && !(*is_subagent && is_user_facing(&tool.permission_key(), agent));
        registry.add(if is_on { tool } else { disabled_tool(tool.name(), &agent.name) });
    }
    Ok(registry)
}

/// Tools for the user's eyes and answers. A subagent has them only if its own rules allow it.
fn is_user_facing(key: &str, agent: &Agent) -> bool {
    let is_allowed = |rule: &PermissionRule| rule.key == key && rule.action != PermissionAction::Deny;
    let is_user_facing = ["todowrite", "question"].contains(&key) || key.starts_with("plan");
    is_user_facing && !agent.rules.iter().any(is_allowed)
}

/// Where the session works, with the project's own instruction files.
fn prompt_environment(folders: SessionFolders<'_>, other_folders: Vec<PathBuf>) -> PromptEnvironment {
    let SessionFolders { root, folder, .. } = folders;
    let files = instruction_files(root, folder).into_iter();
    let read = |path: PathBuf| read_instructions(&path, Some(root)).map(|text| (path, text));
    let instructions = files.filter_map(read).collect();
    // `Sun, 15 Nov 2026`
    let date = httpdate::fmt_http_date(SystemTime::now());
    PromptEnvironment {
        folder: folder.to_path_buf(),
        other_folders,
        today: date.get(..16).unwrap_or(&date).to_owned(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        is_repository: root.join(".git").exists(),
        instructions,
    }
}
