//! A session made ready to work: everything it needs, gathered from the setup.

mod role;

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use anyhow::Context as _;
use copydesk_config::Loaded;
use copydesk_config::paths::workspace_root;
use copydesk_model::catalogue::Edits;
use copydesk_model::{Model, Registry as Models, offline};
use copydesk_permission::{Action, Layers, Rule, Rules};
use copydesk_session::agent::{Agent, TITLE};
use copydesk_session::prompt::{Surroundings, instruction_files, read_instructions};
use copydesk_session::{CurrentRules, Event, Id, Role, Session, Setting, Store, Titles, now};
use copydesk_tool::skills::Skill;
use copydesk_tool::{Limits, Plan, Registry as Tools, Spill, off, tools};
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::files::Files;
use copydesk_workspace::journal::Journal;
use copydesk_workspace::process::{Processes, Shell};
use copydesk_workspace::reviews::Reviews;
use tokio::sync::mpsc;

use crate::agents::{self, Agents};
use crate::editors::Editors;
use crate::hub::Hub;
use crate::instructions::{self, Places};
use crate::languages::{self, Servers};
use crate::setup::Setup;
use crate::team::{DEEPEST, Team};
use crate::{rules, web};
use role::Cast;

/// Which session, and what was said about it on the command line.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub session: Option<String>,
    pub latest: bool,
    pub model: Option<String>,
    pub agent: Option<String>,
}

/// What a session gets from the desk it works at.
#[derive(Clone)]
pub struct Desk {
    pub buffers: Buffers,
    /// Without one nothing that an agent does can be taken back.
    pub journal: Option<Journal>,
    pub reviews: Reviews,
    /// The session's own, for whoever has to end them.
    pub processes: Processes,
    /// The editors that can be asked what their language servers say.
    pub editors: Editors,
    pub servers: Servers,
    /// Where sessions that work for it can be seen; a run of its own has none.
    pub hub: Weak<Hub>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

pub async fn open(
    setup: &Setup,
    loaded: &Loaded,
    store: Store,
    desk: &Desk,
    choice: &Choice,
    events: mpsc::Sender<Event>,
) -> anyhow::Result<Setting> {
    let session = find(setup, loaded, &store, choice).await?;
    ready(At { setup, loaded, store: &store, desk }, choice, session, None, events).await
}

/// Everything that a session is opened from.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub setup: &'a Setup,
    pub loaded: &'a Loaded,
    pub store: &'a Store,
    pub desk: &'a Desk,
}

/// `team` is the one that it works in, where a call of another session began it.
pub(crate) async fn ready(
    at: At<'_>,
    choice: &Choice,
    mut session: Session,
    team: Option<&Team>,
    events: mpsc::Sender<Event>,
) -> anyhow::Result<Setting> {
    let At { setup, loaded, store, desk } = at;
    let models = setup.registry(loaded)?;
    let agents = Agents::new(setup, loaded)?;
    agents.limited().for_each(|warning| loaded.warn(warning));
    agents.problems().iter().for_each(|warning| loaded.warn(warning));
    let agent = agents.find(&session.agent)?;
    let model_name = model_name(&models, loaded, choice, &session, &agent)?;
    session.model = Some(model_name);
    // What is odd about them is said once.
    let home = setup.paths.home.to_string_lossy().into_owned();
    let configured = team.map_or_else(|| rules::configured(loaded, &home), |team| team.configured().clone());
    let root = workspace_root(&session.folder).unwrap_or_else(|_| session.folder.clone());
    let places = Places { root: &root, folder: &session.folder, home: &setup.paths.home };
    let surroundings = surroundings(places, instructions::configured(loaded, &models, places).await);
    let instructions = surroundings.instructions.iter().map(|(path, _)| path.clone()).collect();
    let cast = Cast {
        setup: setup.clone(),
        loaded: loaded.clone(),
        store: store.clone(),
        desk: desk.clone(),
        configured,
        surroundings,
        plan: Plan::new(session.created),
        outputs: outputs(setup, store, &session).await,
        is_below: team.is_some(),
        switches: team.map(|team| team.switches().to_vec()).unwrap_or_default(),
    };
    let Role { agent, model, model_name, system, rules, own, tools } =
        cast.make(&models, &agents, agent, &session, team)?;
    let files = Files::over(
        &session.folder,
        &setup.paths.home,
        desk.buffers.clone(),
        desk.journal.clone(),
        desk.reviews.clone(),
        loaded.config.save.unwrap_or_default(),
    );
    let rules = CurrentRules::new(layers(rules, own, team));
    let checks = desk.servers.checks(loaded, &desk.editors, &files, &desk.processes, &rules);
    let formatters = desk.servers.formatters(loaded, &desk.editors, &files, &desk.processes, &rules);
    languages::show(&checks, &files, session.id.as_str());
    // Who works offline sends nothing anywhere, not even for a title.
    let is_offline = model.provider().id == offline::ID;
    Ok(Setting {
        titles: agents.get(TITLE).filter(|_| !is_offline).and_then(|agent| titles(&models, loaded, agent)),
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
        above: None,
    })
}

/// What is denied to a team's own session is denied to those that work in it.
fn layers(rules: Rules, own: Rules, team: Option<&Team>) -> Layers {
    let mut layers = Layers::new([rules]);
    layers.set_own(own);
    match team {
        Some(team) => layers.under(team.rules()),
        None => layers,
    }
}

async fn find(setup: &Setup, loaded: &Loaded, store: &Store, choice: &Choice) -> anyhow::Result<Session> {
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
    let agent = agent.unwrap_or_else(|| agents::first(setup, loaded));
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
pub fn inline_model(setup: &Setup, loaded: &Loaded, session: &Session) -> anyhow::Result<Model> {
    let models = setup.registry(loaded)?;
    let agent = Agents::new(setup, loaded)?.find(&session.agent)?;
    let name = model_name(&models, loaded, &Choice::default(), session, &agent)?;
    let model = model(&models, loaded, &name, &agent)?;
    anyhow::ensure!(
        model.provider().id != offline::ID,
        "the offline model cannot rewrite anything; choose another with `:Copydesk model` or in the configuration"
    );
    Ok(model)
}

fn model_name(
    models: &Models,
    loaded: &Loaded,
    choice: &Choice,
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
fn model(models: &Models, loaded: &Loaded, name: &str, agent: &Agent) -> anyhow::Result<Model> {
    let variant =
        agent.variant.as_deref().map(|variant| agents::variant(loaded, name, variant)).transpose()?;
    Ok(models.model(name)?.adding(variant.unwrap_or_default().then(agent.defaults.clone())))
}

/// A quick model for titles, if there is one. A session works without.
fn titles(models: &Models, loaded: &Loaded, agent: &Agent) -> Option<Titles> {
    let name = agent.model.clone().or_else(|| loaded.config.small_model.clone());
    let name = name.or_else(|| models.default_small_model())?;
    Some(Titles { model: model(models, loaded, &name, agent).ok()?, prompt: agent.prompt.clone() })
}

/// Where the whole of long outputs lies, and what jobs print: by its real path, since that is what may be read. A session and those
/// that work for it have a folder of their own, so that nobody reads what belongs to others.
async fn outputs(setup: &Setup, store: &Store, session: &Session) -> Spill {
    let mut top = session.clone();
    for _ in 0..DEEPEST {
        let Some(parent) = &top.parent else { break };
        let Ok(above) = store.session(parent.as_str()).await else { break };
        top = above;
    }
    let data = setup.paths.data_dir.canonicalize().unwrap_or_else(|_| setup.paths.data_dir.clone());
    let all = data.join("output");
    let all = Spill::new(&all.canonicalize().unwrap_or(all));
    all.clean(SystemTime::now());
    all.of(top.id.as_str())
}

fn tools(cast: &Cast, agent: &Agent, edits: Edits, skills: Arc<[Skill]>) -> anyhow::Result<Tools> {
    let Cast { loaded, desk, plan, outputs, is_below, .. } = cast;
    let said = &loaded.config.tool_output;
    let number = |value: Option<u64>, other: usize| {
        value.and_then(|value| usize::try_from(value).ok()).unwrap_or(other)
    };
    let usual = Limits::default();
    let limits =
        Limits { lines: number(said.max_lines, usual.lines), bytes: number(said.max_bytes, usual.bytes) };
    // What runs the commands is for the person to say.
    let trusted = loaded.merged.untrusted(&["shell"]).is_none();
    let shell = loaded.config.shell.as_deref().filter(|_| trusted);
    let options = tools::Options {
        limits,
        spill: outputs.clone(),
        processes: desk.processes.clone(),
        shell: Shell::choose(shell, &|name| std::env::var_os(name))?,
        patience: copydesk_workspace::search::PATIENCE,
        web: web::configured(loaded),
        skills,
        plan: plan.clone(),
    };
    let mut registry = Tools::new(limits, outputs.clone());
    // A model has the tools that it knows how to change files with, and not the others.
    let is_of_model = |tool: &str| match tools::edits_by_patch(tool) {
        Some(by_patch) => by_patch == (edits == Edits::Patch),
        None => true,
    };
    for tool in tools::builtin(&options).into_iter().filter(|tool| is_of_model(&tool.name())) {
        let name = tool.name();
        // Without commands there are no jobs to look after. After a plan a session goes on as `build`, whoever planned it.
        let is_on = cast.is_on(agent, &name, tools::does_as(&name))
            && (name != "job" || cast.is_on(agent, "bash", &[]))
            && (name != "plan_enter" || agent.name == "build")
            && !(*is_below && is_for_people(&tool.key(), agent));
        registry.add(if is_on { tool } else { off(tool.name(), &agent.name) });
    }
    Ok(registry)
}

/// What is between an agent and a person is not for one that works for another agent, unless its own rules say so.
fn is_for_people(key: &str, agent: &Agent) -> bool {
    let is_meant = |rule: &Rule| rule.key == key && rule.action != Action::Deny;
    let is_between = ["todowrite", "todoread", "question"].contains(&key) || key.starts_with("plan");
    is_between && !agent.rules.iter().any(is_meant)
}

fn surroundings(places: Places<'_>, configured: Vec<(PathBuf, String)>) -> Surroundings {
    let Places { root, folder, .. } = places;
    let files = instruction_files(root, folder).into_iter();
    let mut instructions: Vec<_> =
        files.filter_map(|path| Some((path.clone(), read_instructions(&path)?))).collect();
    for (path, text) in configured {
        if !instructions.iter().any(|(known, _)| *known == path) {
            instructions.push((path, text));
        }
    }
    // `Sun, 15 Nov 2026`
    let date = httpdate::fmt_http_date(SystemTime::now());
    Surroundings {
        folder: folder.to_path_buf(),
        today: date.get(..16).unwrap_or(&date).to_owned(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        is_repository: root.join(".git").exists(),
        instructions,
    }
}
