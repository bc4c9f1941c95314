//! Who a session works as, and how it becomes another while it works.
//!
//! An agent is more than its name: a prompt, a model, rules, tools. The desk, which knows them all, makes a [`Role`] of them;
//! the session takes it on between two steps, so that no request and no call sees half of one.

use std::sync::Arc;

use copydesk_model::Model;
use copydesk_permission::Rules;
use copydesk_tool::Registry;

use super::Worker;
use crate::agent::Agent;
use crate::data::Session;
use crate::event::Event;
use crate::store::StoreError;

/// All that an agent brings to a session.
#[derive(Debug, Clone)]
pub struct Role {
    pub agent: Agent,
    pub model: Model,
    /// `PROVIDER/MODEL`
    pub model_name: String,
    pub system: Vec<String>,
    pub rules: Rules,
    /// What the person says themselves.
    pub own: Rules,
    pub tools: Registry,
}

/// Who makes roles.
pub trait Roles: Send + Sync {
    /// The role of the agent of this name, for this session as it is now. The error is for the model.
    fn role(&self, agent: &str, session: &Session) -> Result<Role, String>;
}

pub type AnyRoles = Arc<dyn Roles>;

impl Worker {
    /// Makes the role that is taken on before the next step.
    pub(super) async fn prepare(&mut self, agent: &str) -> Result<(), String> {
        // A person may have chosen another model since the turn began.
        let session = self.setting.store.session(self.setting.session.id.as_str()).await;
        let session = session.map_err(|error| error.to_string())?;
        self.next = Some(Box::new(self.setting.roles.role(agent, &session)?));
        Ok(())
    }

    /// Takes the role on that was prepared, and tells of it; whether one was. What people answered still holds.
    pub(super) async fn take_role(&mut self) -> Result<bool, StoreError> {
        let Some(role) = self.next.take() else { return Ok(false) };
        let Role { agent, model, model_name, system, rules, own, tools } = *role;
        let store = &self.setting.store;
        store.set_agent(&self.setting.session.id, &agent.name, &model_name).await?;
        // Others may have changed the rest of it meanwhile.
        let session = store.session(self.setting.session.id.as_str()).await?;
        let layers = self.asks.layers_mut();
        layers.set_rules([rules]);
        layers.set_own(own);
        let setting = &mut self.setting;
        setting.session = session.clone();
        (setting.agent, setting.model, setting.model_name) = (agent, model, model_name);
        (setting.system, setting.tools) = (system, tools);
        self.emit(Event::Session { session }).await;
        Ok(true)
    }
}
