//! A session made ready to work: everything it needs, gathered from the setup.

mod prompt_source;
mod role_factory;
mod subagent_runner;

use std::sync::{Arc, Weak};
use std::time::SystemTime;

use anyhow::Context as _;
use copydesk_config::LoadedConfig;
use copydesk_config::paths::workspace_root;
use copydesk_model::catalogue::EditStyle;
use copydesk_model::{Model, ModelRegistry as Models, offline};
use copydesk_permission::{PermissionAction, PermissionRule, PermissionRules, RuleLayers};
use copydesk_session::agent::{Agent, TITLE_AGENT};
use copydesk_session::system_prompt::{PromptEnvironment, instruction_files, read_instructions};
use copydesk_session::{
    AgentRole, CurrentRules, Id, Session, SessionDeps, SessionEvent, Store, TitleGenerator, now,
};
use copydesk_tool::skills::Skill;
use copydesk_tool::{OutputSpill, PlanFile, ToolOutputLimits, ToolRegistry as Tools, disabled_tool, tools};
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::journal::Journal;
use copydesk_workspace::process::{Processes, Shell};
use copydesk_workspace::reviews::ReviewTracker;
use tokio::sync::mpsc;

use crate::agents::{self, AgentRegistry};
use crate::editors::AttachedEditors;
use crate::instructions::{ConfiguredInstructions, SessionFolders};
use crate::languages::{self, LanguageServices};
use crate::setup::UserSetup;
use crate::subagent_host::SubagentHost;
use crate::{rules, web};
use prompt_source::PromptSource;
use role_factory::RoleFactory;
use subagent_runner::{MAX_DEPTH, SubagentRunner};

/// Which session, and what was said about it on the command line.
#[derive(Debug, Clone, Default)]
pub struct SessionChoice {
    pub session: Option<String>,
    pub latest: bool,
    pub model: Option<String>,
    pub agent: Option<String>,
}

/// What a session gets from the desk it works at.
#[derive(Clone)]
pub struct SessionServices {
    pub buffers: Buffers,
    /// Without one nothing that an agent does can be taken back.
    pub journal: Option<Journal>,
    pub reviews: ReviewTracker,
    /// The session's own, for whoever has to end them.
    pub processes: Processes,
    /// The editors that can be asked what their language servers say.
    pub editors: AttachedEditors,
    pub servers: LanguageServices,
    /// Where the sessions of its subagents work.
    pub(crate) host: Weak<dyn SubagentHost>,
}

impl std::fmt::Debug for SessionServices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionServices").finish_non_exhaustive()
    }
}

pub async fn open_session(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    store: Store,
    desk: &SessionServices,
    choice: &SessionChoice,
    events: mpsc::Sender<SessionEvent>,
) -> anyhow::Result<SessionDeps> {
    let session = find(setup, loaded, &store, choice).await?;
    build_session(
        SessionInputs { setup, loaded, store: &store, services: desk },
        choice,
        session,
        None,
        events,
    )
    .await
}

/// Everything that a session is opened from.
#[derive(Clone, Copy)]
pub(crate) struct SessionInputs<'a> {
    pub setup: &'a UserSetup,
    pub loaded: &'a LoadedConfig,
    pub store: &'a Store,
    pub services: &'a SessionServices,
}

/// `team` is the one that it works in, where a call of another session began it.
pub(crate) async fn build_session(
    at: SessionInputs<'_>,
    choice: &SessionChoice,
    mut session: Session,
    team: Option<&SubagentRunner>,
    events: mpsc::Sender<SessionEvent>,
) -> anyhow::Result<SessionDeps> {
    let SessionInputs { setup, loaded, store, services: desk } = at;
    let models = setup.registry(loaded)?;
    let agents = AgentRegistry::new(setup, loaded)?;
    agents.ignored_overrides().for_each(|warning| loaded.warn(warning));
    agents.problems().iter().for_each(|warning| loaded.warn(warning));
    if team.is_none() {
        // The session has its agent by now. This warns if the project's own choice is ignored.
        drop(agents::default_agent(setup, loaded));
    }
    let agent = agents.find(&session.agent)?;
    let model_name = model_name(&models, loaded, choice, &session, &agent)?;
    session.model = Some(model_name);
    // What is odd about them is said once.
    let home = setup.paths.home.to_string_lossy().into_owned();
    let configured =
        team.map_or_else(|| rules::config_rules(loaded, &home), |team| team.config_rules().clone());
    let root = workspace_root(&session.folder).unwrap_or_else(|_| session.folder.clone());
    let places = SessionFolders { root: &root, folder: &session.folder, home: &setup.paths.home };
    let configured_instructions = ConfiguredInstructions::read(loaded, &models, places).await;
    let prompts = PromptSource::new(surroundings(places), configured_instructions);
    let instructions = prompts.environment().instructions.into_iter().map(|(path, _)| path).collect();
    let cast = RoleFactory {
        setup: setup.clone(),
        loaded: loaded.clone(),
        store: store.clone(),
        services: desk.clone(),
        config_rules: configured,
        prompts,
        plan: PlanFile::new(session.created),
        outputs: outputs(setup, store, &session).await,
        is_subagent: team.is_some(),
        switches: team.map(|team| team.switches().to_vec()).unwrap_or_default(),
    };
    let AgentRole { agent, model, model_name, system, rules, user_rules: own, tools } =
        cast.build_role(&models, &agents, agent, &session, team)?;
    let files = WorkspaceFiles::with_buffers(
        &session.folder,
        &setup.paths.home,
        desk.buffers.clone(),
        desk.journal.clone(),
        desk.reviews.clone(),
        loaded.config.save.unwrap_or_default(),
    );
    let rules = CurrentRules::new(layers(rules, own, team));
    let checks = desk.servers.diagnostics_tracker(loaded, &desk.editors, &files, &desk.processes, &rules);
    let formatters = desk.servers.formatters(loaded, &desk.editors, &files, &desk.processes, &rules);
    languages::show_in_reviews(&checks, &files, session.id.as_str());
    // Who works offline sends nothing anywhere, not even for a title.
    let is_offline = model.provider().id == offline::ID;
    Ok(SessionDeps {
        title_generator: agents
            .get(TITLE_AGENT)
            .filter(|_| !is_offline)
            .and_then(|agent| titles(&models, loaded, agent)),
        root,
        instructions,
        system,
        rules,
        tools,
        roles: Arc::new(cast),
        checks,
        formatters,
        files,
        processes: desk.processes.clone(),
        session,
        agent,
        model,
        model_name,
        store: store.clone(),
        events,
        parent: None,
    })
}

/// What is denied to a team's own session is denied to those that work in it.
fn layers(rules: PermissionRules, own: PermissionRules, team: Option<&SubagentRunner>) -> RuleLayers {
    let mut layers = RuleLayers::new([rules]);
    layers.set_user_rules(own);
    match team {
        Some(team) => layers.with_parent_denials(team.rules()),
        None => layers,
    }
}

async fn find(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    store: &Store,
    choice: &SessionChoice,
) -> anyhow::Result<Session> {
    let found = match (&choice.session, choice.latest) {
        (Some(id), _) => Some(store.session(id).await?),
        (None, true) => {
            let latest = store.latest_session(&setup.cwd).await?;
            Some(
                latest
                    .with_context(|| format!("there is no session in {} to continue", setup.cwd.display()))?,
            )
        }
        (None, false) => None,
    };
    let agent = choice.agent.clone();
    if let Some(session) = found {
        return Ok(Session { agent: agent.unwrap_or(session.agent), ..session });
    }
    let agent = agent.unwrap_or_else(|| agents::default_agent(setup, loaded));
    let (id, time) = (Id::new(), now());
    Ok(Session {
        id,
        folder: setup.cwd.clone(),
        title: String::new(),
        agent,
        model: None,
        parent: None,
        review: None,
        created: time,
        updated: time,
    })
}

/// The model of a session, for what is not a turn. One that is offline can follow no instruction.
pub fn inline_model(setup: &UserSetup, loaded: &LoadedConfig, session: &Session) -> anyhow::Result<Model> {
    let models = setup.registry(loaded)?;
    let agent = AgentRegistry::new(setup, loaded)?.find(&session.agent)?;
    let name = model_name(&models, loaded, &SessionChoice::default(), session, &agent)?;
    let model = model(&models, loaded, &name, &agent)?;
    anyhow::ensure!(
        model.provider().id != offline::ID,
        "the offline model cannot rewrite anything; choose another with `:Copydesk model` or in the configuration"
    );
    Ok(model)
}

fn model_name(
    models: &Models,
    loaded: &LoadedConfig,
    choice: &SessionChoice,
    session: &Session,
    agent: &Agent,
) -> anyhow::Result<String> {
    let said = choice.model.clone().or_else(|| session.model.clone()).or_else(|| agent.model.clone());
    let name = said.or_else(|| loaded.config.model.clone()).or_else(|| models.default_model());
    name.context(
        "no model is set up. `copydesk models` lists what is missing; the quickest ways: `copydesk auth add anthropic` (or \
         openai, google, openrouter, …), or a local server and --model ollama/NAME",
    )
}

/// The model with what the agent adds to every request.
fn model(models: &Models, loaded: &LoadedConfig, name: &str, agent: &Agent) -> anyhow::Result<Model> {
    let variant =
        agent.variant.as_deref().map(|variant| agents::variant(loaded, name, variant)).transpose()?;
    Ok(models.model(name)?.with_extra_defaults(variant.unwrap_or_default().merge(agent.defaults.clone())))
}

/// A quick model for titles, if there is one. A session works without.
fn titles(models: &Models, loaded: &LoadedConfig, agent: &Agent) -> Option<TitleGenerator> {
    let name = agent.model.clone().or_else(|| loaded.config.small_model.clone());
    let name = name.or_else(|| models.default_small_model())?;
    Some(TitleGenerator { model: model(models, loaded, &name, agent).ok()?, prompt: agent.prompt.clone() })
}

/// Where the whole of long outputs lies, and what jobs print: by its real path, since that is what may be read. A session and those
/// that work for it have a folder of their own, so that nobody reads what belongs to others.
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

fn tools(cast: &RoleFactory, agent: &Agent, edits: EditStyle, skills: Arc<[Skill]>) -> anyhow::Result<Tools> {
    let RoleFactory { loaded, services: desk, plan, outputs, is_subagent: is_below, .. } = cast;
    let said = &loaded.config.tool_output;
    let number = |value: Option<u64>, other: usize| {
        value.and_then(|value| usize::try_from(value).ok()).unwrap_or(other)
    };
    let usual = ToolOutputLimits::default();
    let limits = ToolOutputLimits {
        lines: number(said.max_lines, usual.lines),
        bytes: number(said.max_bytes, usual.bytes),
    };
    // What runs the commands is for the person to say.
    let trusted = loaded.merged.untrusted_origin(&["shell"]).is_none();
    let shell = loaded.config.shell.as_deref().filter(|_| trusted);
    let options = tools::ToolOptions {
        limits,
        spill: outputs.clone(),
        processes: desk.processes.clone(),
        shell: Shell::choose(shell, &|name| std::env::var_os(name))?,
        search_timeout: copydesk_workspace::search::SEARCH_TIMEOUT,
        web: web::web_settings(loaded),
        skills,
        plan: plan.clone(),
    };
    let mut registry = Tools::new(limits, outputs.clone());
    // A model has the tools that it knows how to change files with, and not the others.
    let is_of_model = |tool: &str| match tools::edits_by_patch(tool) {
        Some(by_patch) => by_patch == (edits == EditStyle::Patch),
        None => true,
    };
    for tool in tools::builtin_tools(&options).into_iter().filter(|tool| is_of_model(&tool.name())) {
        let name = tool.name();
        // Without commands there are no jobs to look after. After a plan a session goes on as `build`, whoever planned it.
        let is_on = cast.is_tool_enabled(agent, &name, tools::equivalent_tools(&name))
            && (name != "job" || cast.is_tool_enabled(agent, "bash", &[]))
            && (name != "plan_enter" || agent.name == "build")
            && !(*is_below && is_user_facing(&tool.permission_key(), agent));
        registry.add(if is_on { tool } else { disabled_tool(tool.name(), &agent.name) });
    }
    Ok(registry)
}

/// What is between an agent and a person is not for one that works for another agent, unless its own rules say so.
fn is_user_facing(key: &str, agent: &Agent) -> bool {
    let is_meant = |rule: &PermissionRule| rule.key == key && rule.action != PermissionAction::Deny;
    let is_between = ["todowrite", "todoread", "question"].contains(&key) || key.starts_with("plan");
    is_between && !agent.rules.iter().any(is_meant)
}

/// Where the session works, with the instructions of the project's own files.
fn surroundings(places: SessionFolders<'_>) -> PromptEnvironment {
    let SessionFolders { root, folder, .. } = places;
    let files = instruction_files(root, folder).into_iter();
    let instructions = files.filter_map(|path| Some((path.clone(), read_instructions(&path)?))).collect();
    // `Sun, 15 Nov 2026`
    let date = httpdate::fmt_http_date(SystemTime::now());
    PromptEnvironment {
        folder: folder.to_path_buf(),
        today: date.get(..16).unwrap_or(&date).to_owned(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        is_repository: root.join(".git").exists(),
        instructions,
    }
}
