//! The rules of a session as they are now, for those beside it who show its model something: another agent has others, and people answer.

use std::sync::{Arc, Mutex, PoisonError};

use copydesk_permission::RuleLayers;

/// Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct CurrentRules(Arc<Mutex<Arc<RuleLayers>>>);

impl CurrentRules {
    pub fn new(rules: RuleLayers) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(rules))))
    }

    /// Those of this moment.
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
