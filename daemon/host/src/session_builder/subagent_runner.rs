//! Runs subagents, each in a hosted session of its own, so that clients can watch it. Its edits, asks and usage
//! belong to the call that started it.
//!
//! Invariant: a session that a task starts ends with the task, even if the caller no longer waits for it.

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

use super::{SessionInputs, SessionServices, build_session};
use crate::agents::AgentRegistry;
use crate::setup::UserSetup;
use crate::{environment, languages};

/// The tool that calls subagents, and its permission key.
pub(crate) const TASK: &str = "task";

/// The default of how deep agents call agents, and the limit.
const DEPTH: u32 = 1;
pub(crate) const MAX_DEPTH: u32 = 8;

/// Events that a session may be ahead of its readers.
const MAX_QUEUED_EVENTS: usize = 1024;

pub(crate) struct SubagentRunner {
    setup: UserSetup,
    loaded: LoadedConfig,
    store: Store,
    services: SessionServices,
    /// The calling session, with the full name of its model.
    session: Session,
    rules: RuleLayers,
    /// The rules of the configuration only.
    config_rules: PermissionRules,
    /// The tool switches of the sessions above the subagents.
    switches: Vec<ToolSwitches>,
    /// How many sessions are above the subagents.
    depth: u32,
    agents: Vec<Subagent>,
    /// The models of `agents` that have one of their own.
    models: Vec<Option<String>>,
    running_tasks: Arc<Mutex<HashSet<Id>>>,
}

impl SubagentRunner {
    /// The subagents of a session, which may itself be a subagent. `None` if they would be too deep, or if
    /// there are none.
    pub(crate) fn new(
        inputs: SessionInputs<'_>,
        parent: Option<&Self>,
        session: &Session,
        (rules, configured): (&RuleLayers, PermissionRules),
        switches: Vec<ToolSwitches>,
        agents: &AgentRegistry,
    ) -> Option<Self> {
        let depth = parent.map_or(0, |parent| parent.depth) + 1;
        // Only the user's own setting counts: a repository could make models call models without end.
        let deepest = inputs.loaded.trusted_config.subagent_depth.unwrap_or(DEPTH).min(MAX_DEPTH);
        let may = |name: &str| rules.evaluate(TASK, name) != PermissionAction::Deny;
        let callable: Vec<_> = agents.subagents().filter(|agent| may(&agent.name)).collect();
        (depth <= deepest && !callable.is_empty()).then(|| Self {
            setup: inputs.setup.clone(),
            loaded: inputs.loaded.clone(),
            store: inputs.store.clone(),
            services: inputs.services.clone(),
            session: session.clone(),
            rules: rules.clone(),
            config_rules: configured,
            switches,
            depth,
            agents: callable
                .iter()
                .map(|agent| Subagent { name: agent.name.clone(), description: agent.description.clone() })
                .collect(),
            models: callable.iter().map(|agent| agent.model.clone()).collect(),
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

    /// The session of a task: a new one, or that of an earlier task of the same caller.
    async fn session(&self, task: &SubagentTask, call: &str) -> Result<Session, ToolError> {
        let (agent, review) = (task.agent.clone(), self.session.review);
        // The user may have chosen another preset since the caller got its role.
        let preset = self
            .store
            .session(self.session.id.as_str())
            .await
            .map_or(self.session.preset, |parent| parent.preset);
        if let Some(id) = &task.resumed_session {
            let stored = self.store.session(id).await.ok();
            let is_own = |session: &Session| {
                session.id.as_str() == id && session.parent.as_ref() == Some(&self.session.id)
            };
            let stored = stored.filter(is_own).ok_or_else(|| {
                ToolError::target(format!(
                    "This session has no task `{id}`. Leave `task_id` out to begin a new one."
                ))
            })?;
            return Ok(Session { agent, review, preset, ..stored });
        }
        let (id, time) = (Id::from(call), now());
        // A call may start several tasks.
        let is_taken = self.store.session(call).await.is_ok_and(|session| session.id == id);
        Ok(Session {
            id: if is_taken { Id::new() } else { id },
            folder: self.session.folder.clone(),
            title: task.description.clone(),
            agent,
            model: None,
            parent: Some(self.session.id.clone()),
            review,
            preset,
            created: time,
            updated: time,
        })
    }

    /// Keeps a second call off a task that runs.
    fn claim_task(&self, session: &Session) -> Result<TaskGuard, ToolError> {
        let mut running = self.running_tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if !running.insert(session.id.clone()) {
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
        let guard = self.claim_task(&session)?;
        let id = session.id.to_string();
        let (event_sender, events) = mpsc::channel(MAX_QUEUED_EVENTS);
        let agent = self.agents.iter().zip(&self.models).find(|(agent, _)| agent.name == task.agent);
        let model = agent.and_then(|(_, model)| model.clone()).or_else(|| self.session.model.clone());
        let session = Session { model: model.or_else(|| session.model.clone()), ..session };
        // The processes that a subagent leaves running end with it.
        let processes = environment::processes(&self.loaded);
        let services = SessionServices { processes: processes.clone(), ..self.services.clone() };
        let inputs = SessionInputs {
            setup: &self.setup,
            loaded: &self.loaded,
            store: &self.store,
            services: &services,
        };
        let deps = build_session(inputs, session, Some(self), event_sender).await.map_err(not_begun)?;
        let parent = ParentSession { asker: Arc::clone(&context.asker), owner: context.edit_owner() };
        let files = context.files.for_subagent();
        let checks = services.servers.diagnostics_tracker(
            &self.loaded,
            &services.editors,
            &files,
            &services.processes,
            &deps.rules,
        );
        let navigator = services.servers.navigator(&self.loaded, &services.editors, &files, &deps.rules);
        languages::show_in_reviews(&checks, &files, &parent.owner.session);
        let deps = SessionDeps { files, checks, navigator, parent: Some(parent), ..deps };
        let cancel = context.cancel.child_token();
        // A caller that no longer waits cancels the task.
        let _cancel_on_drop = cancel.clone().drop_guard();
        let running = tokio::spawn(async move {
            let host = services
                .host
                .upgrade()
                .ok_or_else(|| not_begun(anyhow::anyhow!("the daemon is shutting down")))?;
            let (handle, mut hosted) = host.host_subagent(deps, processes).await.map_err(not_begun)?;
            show(&TaskProgress { session: id.clone(), ..TaskProgress::default() });
            let work = task::run_task(&id, (&handle, events), task.prompt, &cancel, |event, progress| {
                hosted.publish_event(event);
                progress.into_iter().for_each(&show);
            });
            let report = work.await;
            hosted.end().await;
            drop(guard);
            Ok(report)
        });
        running.await.map_err(|error| ToolError::failed(format!("The task broke down: {error}")))?
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

/// Marks a task as running until dropped.
struct TaskGuard {
    all: Arc<Mutex<HashSet<Id>>>,
    id: Id,
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
