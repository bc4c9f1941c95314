//! The agents that work for another, each in a session of its own: at the desk's hub where there is one, so that it can be
//! watched, else in this process alone. What they do to files, ask and use belongs to the call that began them.
//!
//! Invariant: a session that was begun here is ended here, whether anybody waits for it or not.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_config::LoadedConfig;
use copydesk_permission::{PermissionAction, PermissionRules, RuleLayers};
use copydesk_session::agent::ToolSwitches;
use copydesk_session::{Id, ParentSession, Session, SessionDeps, Store, now, task};
use copydesk_tool::{
    Subagent, SubagentTask, Subagents, TaskFuture, TaskProgress, TaskReport, ToolContext, ToolError,
};
use tokio::sync::mpsc;

use super::{SessionChoice, SessionInputs, SessionServices, build_session};
use crate::agents::AgentRegistry;
use crate::setup::UserSetup;
use crate::{environment, languages};

/// The tool by which they are called, and the key under which rules speak of it.
pub(crate) const TASK: &str = "task";

/// How deep agents call agents where nobody says, and at most.
const DEPTH: u32 = 1;
pub(crate) const MAX_DEPTH: u32 = 8;

/// Events that a session may be ahead of whoever watches it.
const ROOM: usize = 1024;

pub(crate) struct SubagentRunner {
    setup: UserSetup,
    loaded: LoadedConfig,
    store: Store,
    services: SessionServices,
    /// Whom they work for, with the full name of its model.
    session: Session,
    rules: RuleLayers,
    /// Those of the configuration alone.
    config_rules: PermissionRules,
    /// What those above them said about tools.
    switches: Vec<ToolSwitches>,
    /// How many are above them.
    depth: u32,
    agents: Vec<Subagent>,
    /// The model of each, where it has one of its own.
    models: Vec<Option<String>>,
    running_tasks: Arc<Mutex<HashSet<Id>>>,
}

impl SubagentRunner {
    /// Those that may work for a session, which itself may be in a team. Nobody where that would be too deep, or where there is
    /// nobody.
    pub(crate) fn new(
        at: SessionInputs<'_>,
        above: Option<&Self>,
        session: &Session,
        (rules, configured): (&RuleLayers, PermissionRules),
        switches: Vec<ToolSwitches>,
        agents: &AgentRegistry,
    ) -> Option<Self> {
        let depth = above.map_or(0, |above| above.depth) + 1;
        // A repository could make a model call models without an end.
        let deepest = at.loaded.trusted_config.subagent_depth.unwrap_or(DEPTH).min(MAX_DEPTH);
        let may = |name: &str| rules.evaluate(TASK, name) != PermissionAction::Deny;
        let called: Vec<_> = agents.subagents().filter(|agent| may(&agent.name)).collect();
        (depth <= deepest && !called.is_empty()).then(|| Self {
            setup: at.setup.clone(),
            loaded: at.loaded.clone(),
            store: at.store.clone(),
            services: at.services.clone(),
            session: session.clone(),
            rules: rules.clone(),
            config_rules: configured,
            switches,
            depth,
            agents: called
                .iter()
                .map(|agent| Subagent { name: agent.name.clone(), description: agent.description.clone() })
                .collect(),
            models: called.iter().map(|agent| agent.model.clone()).collect(),
            running_tasks: Arc::default(),
        })
    }

    pub(crate) fn rules(&self) -> &RuleLayers {
        &self.rules
    }

    pub(crate) fn config_rules(&self) -> &PermissionRules {
        &self.config_rules
    }

    pub(crate) fn switches(&self) -> &[ToolSwitches] {
        &self.switches
    }

    /// The session of a task: a new one, or that of an earlier task of the same session.
    async fn session(&self, task: &SubagentTask, call: &str) -> Result<Session, ToolError> {
        let (agent, review) = (task.agent.clone(), self.session.review);
        if let Some(id) = &task.resumed_session {
            let found = self.store.session(id).await.ok();
            let own = |session: &Session| {
                session.id.as_str() == id && session.parent.as_ref() == Some(&self.session.id)
            };
            let found = found.filter(own).ok_or_else(|| {
                ToolError::target(format!(
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
    fn claim_task(&self, session: &Session) -> Result<TaskGuard, ToolError> {
        let mut at_work = self.running_tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if !at_work.insert(session.id.clone()) {
            let message = format!("Another call works on the task `{}`. Wait for its end.", session.id);
            return Err(ToolError::target(message));
        }
        Ok(TaskGuard { all: Arc::clone(&self.running_tasks), id: session.id.clone() })
    }

    async fn run_task(
        &self,
        task: SubagentTask,
        context: ToolContext,
        show: Box<dyn Fn(&TaskProgress) + Send + Sync>,
    ) -> Result<TaskReport, ToolError> {
        let session = self.session(&task, &context.call).await?;
        let at_work = self.claim_task(&session)?;
        let id = session.id.to_string();
        let (events_in, events) = mpsc::channel(ROOM);
        let own = self.agents.iter().zip(&self.models).find(|(agent, _)| agent.name == task.agent);
        let model = own.and_then(|(_, model)| model.clone()).or_else(|| self.session.model.clone());
        let choice = SessionChoice { model, ..SessionChoice::default() };
        // What it leaves running ends with it.
        let processes = environment::processes(&self.loaded);
        let desk = SessionServices { processes: processes.clone(), ..self.services.clone() };
        let at =
            SessionInputs { setup: &self.setup, loaded: &self.loaded, store: &self.store, services: &desk };
        let setting = build_session(at, &choice, session, Some(self), events_in).await.map_err(not_begun)?;
        let above = ParentSession { asker: Arc::clone(&context.asker), owner: context.edit_owner() };
        let files = context.files.for_subagent();
        let checks = desk.servers.diagnostics_tracker(
            &self.loaded,
            &desk.editors,
            &files,
            &desk.processes,
            &setting.rules,
        );
        languages::show_in_reviews(&checks, &files, &above.owner.session);
        let setting = SessionDeps { files, checks, parent: Some(above), ..setting };
        let cancel = context.cancel.child_token();
        // Whoever does not wait any more does not want it any more.
        let _ends = cancel.clone().drop_guard();
        let working = tokio::spawn(async move {
            let host = desk
                .host
                .upgrade()
                .ok_or_else(|| not_begun(anyhow::anyhow!("the daemon is shutting down")))?;
            let (live, mut hosted) = host.host_subagent(setting, processes).await.map_err(not_begun)?;
            show(&TaskProgress { session: id.clone(), ..TaskProgress::default() });
            let working = task::run_task(&id, (&live, events), task.prompt, &cancel, |event, doings| {
                hosted.publish_event(event);
                doings.into_iter().for_each(&show);
            });
            let report = working.await;
            hosted.end().await;
            drop(at_work);
            Ok(report)
        });
        working.await.map_err(|error| ToolError::failed(format!("The task broke down: {error}")))?
    }
}

impl Subagents for SubagentRunner {
    fn agents(&self) -> &[Subagent] {
        &self.agents
    }

    fn run_task<'a>(
        &'a self,
        task: SubagentTask,
        context: ToolContext,
        show: Box<dyn Fn(&TaskProgress) + Send + Sync>,
    ) -> TaskFuture<'a> {
        Box::pin(self.run_task(task, context, show))
    }
}

fn not_begun(error: impl Into<anyhow::Error>) -> ToolError {
    ToolError::failed(format!("The task could not begin: {:#}.", error.into()))
}

/// A task that a call works on.
struct TaskGuard {
    all: Arc<Mutex<HashSet<Id>>>,
    id: Id,
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
