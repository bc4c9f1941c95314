//! The agent that a session works as, and switching it between steps.
//!
//! The host makes an [`AgentRole`] of an agent's prompt, model, rules and tools. The session switches between two steps, so
//! that no request and no call sees half of a role.

use std::pin::Pin;
use std::sync::Arc;

use copydesk_model::Model;
use copydesk_permission::{PermissionPreset, PermissionRules, RememberedPattern};
use copydesk_tool::ToolRegistry;

use super::SessionActor;
use crate::agent::Agent;
use crate::data::Session;
use crate::event::SessionEvent;
use crate::store::StoreError;

/// All that an agent brings to a session.
#[derive(Debug, Clone)]
pub struct AgentRole {
    pub agent: Agent,
    pub model: Model,
    /// `PROVIDER/MODEL`
    pub model_name: String,
    pub system: Vec<String>,
    pub rules: PermissionRules,
    /// The rules of the user's own configuration.
    pub user_rules: PermissionRules,
    pub tools: ToolRegistry,
}

/// Makes roles.
pub trait RoleProvider: Send + Sync {
    /// Waits until the system prompt of this agent is complete: some of its instructions may still be on their way over the
    /// network. `None` where nothing was missing. Dropping the future loses nothing: the next call waits again.
    fn complete_prompt<'a>(&'a self, _agent: &'a Agent) -> CompletePromptFuture<'a> {
        Box::pin(std::future::ready(None))
    }

    /// The rules of this agent under a preset, and the user's own part of them. `None`: the configuration chooses.
    fn rules(&self, agent: &Agent, preset: Option<PermissionPreset>) -> (PermissionRules, PermissionRules);

    /// What the user always allows in the project, as it is now: nothing while they do not trust it. The error is for the user.
    fn project_replies(&self) -> Result<Vec<RememberedPattern>, String> {
        Ok(Vec::new())
    }

    /// Whether a reply of "always" may count for the project.
    fn may_keep_replies(&self) -> bool {
        false
    }

    /// False once the user took back trust that the session was built with.
    fn is_trust_kept(&self) -> bool {
        true
    }

    /// The model of this name, if it can be used.
    fn model(&self, _name: &str) -> Option<Model> {
        None
    }

    /// The role of this agent for the session as it is now. The error is for the model.
    fn build_role(&self, agent: &str, session: &Session) -> Result<AgentRole, String>;
}

pub type CompletePromptFuture<'a> = Pin<Box<dyn Future<Output = Option<CompletedPrompt>> + Send + 'a>>;

/// A system prompt that had to be waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedPrompt {
    pub system: Vec<String>,
    /// For the user: instructions that could not be fetched.
    pub warnings: Vec<String>,
}

pub type SharedRoleProvider = Arc<dyn RoleProvider>;

impl SessionActor {
    /// Completes the system prompt before the first request of a turn. Cancel, prompts and replies are heard meanwhile.
    pub(super) async fn complete_prompt(&mut self) {
        let (roles, agent) = (Arc::clone(&self.deps.roles), self.deps.agent.clone());
        let mut complete = roles.complete_prompt(&agent);
        let completed = loop {
            let cancel = self.cancel.clone();
            tokio::select! {
                biased;
                completed = &mut complete => break completed,
                () = cancel.cancelled() => return,
                Some(command) = self.commands.recv() => self.handle_command(command).await,
            }
        };
        if let Some(CompletedPrompt { system, warnings }) = completed {
            self.deps.system = system;
            self.meter.forget_request();
            for message in warnings {
                self.emit(SessionEvent::Warning { message }).await;
            }
        }
    }

    /// Prepares the role for the next step.
    pub(super) async fn prepare_role(&mut self, agent: &str) -> Result<(), String> {
        // The user may have chosen another model since the turn began.
        let session = self.deps.store.session(self.deps.session.id.as_str()).await;
        let session = session.map_err(|error| error.to_string())?;
        self.next_role = Some(Box::new(self.deps.roles.build_role(agent, &session)?));
        Ok(())
    }

    /// Switches to the prepared role and announces it; returns whether there was one. The user's replies still hold.
    pub(super) async fn adopt_role(&mut self) -> Result<bool, StoreError> {
        let Some(role) = self.next_role.take() else { return Ok(false) };
        let AgentRole { agent, model, model_name, system, rules, user_rules: own, tools } = *role;
        let store = &self.deps.store;
        store.set_agent(&self.deps.session.id, &agent.name, &model_name).await?;
        // Other fields of the session may have changed meanwhile.
        let session = store.session(self.deps.session.id.as_str()).await?;
        let layers = self.asks.layers_mut();
        layers.set_rules([rules]);
        layers.set_user_rules(own);
        let deps = &mut self.deps;
        deps.session = session.clone();
        (deps.agent, deps.model, deps.model_name) = (agent, model, model_name);
        (deps.system, deps.tools) = (system, tools);
        self.meter.forget_request();
        self.emit(SessionEvent::SessionChanged { session }).await;
        Ok(true)
    }
}
