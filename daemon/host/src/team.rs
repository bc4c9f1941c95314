//! The agents that work for another, each in a session of its own: at the desk's hub where there is one, so that it can be
//! watched, else in this process alone. What they do to files, ask and use belongs to the call that began them.
//!
//! Invariant: a session that was begun here is ended here, whether anybody waits for it or not.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_config::Loaded;
use copydesk_permission::{Action, Layers, Rules};
use copydesk_session::agent::Switches;
use copydesk_session::{Above, Id, Live, Session, Setting, Store, now, task};
use copydesk_tool::{Context, Doings, Failure, Report, Subagent, Subagents, Task, Working};
use copydesk_workspace::process::{GRACE, Processes};
use tokio::sync::mpsc;

use crate::agents::Agents;
use crate::hub::{Hub, Seat};
use crate::opening::{self, At, Choice, Desk};
use crate::setup::Setup;
use crate::{environment, languages};

/// The tool by which they are called, and the key under which rules speak of it.
pub(crate) const TASK: &str = "task";

/// How deep agents call agents where nobody says, and at most.
const DEPTH: u32 = 1;
pub(crate) const DEEPEST: u32 = 8;

/// Events that a session may be ahead of whoever watches it.
const ROOM: usize = 1024;

pub(crate) struct Team {
    setup: Setup,
    loaded: Loaded,
    store: Store,
    desk: Desk,
    /// Whom they work for, with the full name of its model.
    session: Session,
    rules: Layers,
    /// Those of the configuration alone.
    configured: Rules,
    /// What those above them said about tools.
    switches: Vec<Switches>,
    /// How many are above them.
    depth: u32,
    agents: Vec<Subagent>,
    /// The model of each, where it has one of its own.
    models: Vec<Option<String>>,
    at_work: Arc<Mutex<HashSet<Id>>>,
}

impl Team {
    /// Those that may work for a session, which itself may be in a team. Nobody where that would be too deep, or where there is
    /// nobody.
    pub(crate) fn new(
        at: At<'_>,
        above: Option<&Self>,
        session: &Session,
        (rules, configured): (&Layers, Rules),
        switches: Vec<Switches>,
        agents: &Agents,
    ) -> Option<Self> {
        let depth = above.map_or(0, |above| above.depth) + 1;
        // A repository could make a model call models without an end.
        let deepest = at.loaded.own.subagent_depth.unwrap_or(DEPTH).min(DEEPEST);
        let may = |name: &str| rules.evaluate(TASK, name) != Action::Deny;
        let called: Vec<_> = agents.called().filter(|agent| may(&agent.name)).collect();
        (depth <= deepest && !called.is_empty()).then(|| Self {
            setup: at.setup.clone(),
            loaded: at.loaded.clone(),
            store: at.store.clone(),
            desk: at.desk.clone(),
            session: session.clone(),
            rules: rules.clone(),
            configured,
            switches,
            depth,
            agents: called
                .iter()
                .map(|agent| Subagent { name: agent.name.clone(), description: agent.description.clone() })
                .collect(),
            models: called.iter().map(|agent| agent.model.clone()).collect(),
            at_work: Arc::default(),
        })
    }

    pub(crate) fn rules(&self) -> &Layers {
        &self.rules
    }

    pub(crate) fn configured(&self) -> &Rules {
        &self.configured
    }

    pub(crate) fn switches(&self) -> &[Switches] {
        &self.switches
    }

    /// The session of a task: a new one, or that of an earlier task of the same session.
    async fn session(&self, task: &Task, call: &str) -> Result<Session, Failure> {
        let (agent, review) = (task.agent.clone(), self.session.review);
        if let Some(id) = &task.resumed {
            let found = self.store.session(id).await.ok();
            let own = |session: &Session| {
                session.id.as_str() == id && session.parent.as_ref() == Some(&self.session.id)
            };
            let found = found.filter(own).ok_or_else(|| {
                Failure::target(format!(
                    "This session has no task `{id}`. Leave `task_id` out to begin a new one."
                ))
            })?;
            return Ok(Session { agent, review, ..found });
        }
        let (id, time) = (Id::from(call), now());
        // A call may begin several.
        let is_taken = self.store.session(call).await.is_ok_and(|session| session.id == id);
        Ok(Session {
            id: if is_taken { Id::new() } else { id },
            folder: self.session.folder.clone(),
            title: task.description.clone(),
            agent,
            model: None,
            parent: Some(self.session.id.clone()),
            review,
            created: time,
            updated: time,
        })
    }

    /// Keeps a second call from working on the same task.
    fn begin(&self, session: &Session) -> Result<AtWork, Failure> {
        let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        if !at_work.insert(session.id.clone()) {
            let message = format!("Another call works on the task `{}`. Wait for its end.", session.id);
            return Err(Failure::target(message));
        }
        Ok(AtWork { all: Arc::clone(&self.at_work), id: session.id.clone() })
    }

    async fn work_on(
        &self,
        task: Task,
        context: Context,
        show: Box<dyn Fn(&Doings) + Send + Sync>,
    ) -> Result<Report, Failure> {
        let session = self.session(&task, &context.call).await?;
        let at_work = self.begin(&session)?;
        let id = session.id.to_string();
        let (events_in, events) = mpsc::channel(ROOM);
        let own = self.agents.iter().zip(&self.models).find(|(agent, _)| agent.name == task.agent);
        let model = own.and_then(|(_, model)| model.clone()).or_else(|| self.session.model.clone());
        let choice = Choice { model, ..Choice::default() };
        // What it leaves running ends with it.
        let processes = environment::processes(&self.loaded);
        let desk = Desk { processes: processes.clone(), ..self.desk.clone() };
        let at = At { setup: &self.setup, loaded: &self.loaded, store: &self.store, desk: &desk };
        let setting = opening::ready(at, &choice, session, Some(self), events_in).await.map_err(not_begun)?;
        let above = Above { asker: Arc::clone(&context.asker), owner: context.owner() };
        let files = context.files.for_another();
        let checks =
            desk.servers.checks(&self.loaded, &desk.editors, &files, &desk.processes, &setting.rules);
        languages::show(&checks, &files, &above.owner.session);
        let setting = Setting { files, checks, above: Some(above), ..setting };
        let cancel = context.cancel.child_token();
        // Whoever does not wait any more does not want it any more.
        let _ends = cancel.clone().drop_guard();
        let working = tokio::spawn(async move {
            let (live, mut seat) = start(desk.hub.upgrade(), setting, &processes).await.map_err(not_begun)?;
            show(&Doings { session: id.clone(), ..Doings::default() });
            let working = task::work(&id, (&live, events), task.prompt, &cancel, |event, doings| {
                if let Some(seat) = &mut seat {
                    seat.hear(event);
                }
                doings.into_iter().for_each(&show);
            });
            let report = working.await;
            match seat {
                Some(seat) => seat.leave().await,
                None => {
                    live.end().await;
                    processes.end(GRACE).await;
                }
            }
            drop(at_work);
            Ok(report)
        });
        working.await.map_err(|error| Failure::failed(format!("The task broke down: {error}")))?
    }
}

/// Begins work on a session, where it can be seen if that is possible.
async fn start(
    hub: Option<Arc<Hub>>,
    setting: Setting,
    processes: &Processes,
) -> anyhow::Result<(Live, Option<Seat>)> {
    match hub {
        Some(hub) => {
            let (live, seat) = hub.seat(setting, processes.clone()).await?;
            Ok((live, Some(seat)))
        }
        None => Ok((Live::start(setting).await?, None)),
    }
}

impl Subagents for Team {
    fn all(&self) -> &[Subagent] {
        &self.agents
    }

    fn work<'a>(
        &'a self,
        task: Task,
        context: Context,
        show: Box<dyn Fn(&Doings) + Send + Sync>,
    ) -> Working<'a> {
        Box::pin(self.work_on(task, context, show))
    }
}

fn not_begun(error: impl Into<anyhow::Error>) -> Failure {
    Failure::failed(format!("The task could not begin: {:#}.", error.into()))
}

/// A task that a call works on.
struct AtWork {
    all: Arc<Mutex<HashSet<Id>>>,
    id: Id,
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
