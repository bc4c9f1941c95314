//! The current rules of a session for readers outside the actor: they change with the agent and with replies.

use std::sync::{Arc, Mutex, PoisonError};

use copydesk_permission::RuleLayers;

/// Clones share the rules.
#[derive(Debug, Clone, Default)]
pub struct CurrentRules(Arc<Mutex<Arc<RuleLayers>>>);

impl CurrentRules {
    pub fn new(rules: RuleLayers) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(rules))))
    }

    pub fn get(&self) -> Arc<RuleLayers> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn set(&self, rules: &RuleLayers) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if **current != *rules {
            *current = Arc::new(rules.clone());
        }
    }
}
