//! How full the model's context is, and how full it may become.

use super::SessionActor;
use crate::compaction::ContextBudget;
use crate::data::ContextUse;

impl SessionActor {
    pub(super) fn context_budget(&self) -> ContextBudget {
        self.budget_of(self.deps.model.spec().context)
    }

    pub(super) fn budget_of(&self, window: u64) -> ContextBudget {
        ContextBudget::new(window, self.deps.model.spec().output, self.deps.compaction.reserved)
    }

    /// What the next request has, about.
    pub(super) fn measure_context(&mut self) -> ContextUse {
        if !self.meter.has_request() {
            let request = self.request();
            self.meter.set_request(&request);
        }
        self.meter.update(&self.parts);
        self.meter.measure(self.context_budget().window)
    }

    /// The tokens of the next request, about.
    pub(super) fn used_tokens(&mut self) -> u64 {
        self.measure_context().total()
    }
}
