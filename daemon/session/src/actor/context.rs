//! How full the model's context is, and how full it may become.

use std::collections::HashMap;
use std::sync::Arc;

use copydesk_model::classify::stated_limit;

use super::SessionActor;
use crate::compaction::ContextBudget;
use crate::data::{ContextUse, Part, PartContent};
use crate::event::SessionEvent;

/// What is told of a window that is only assumed begins when this share of it is in use: one in so many.
const TOLD_SHARE: u64 = 2;

/// The windows that providers stated when they refused a request, by model.
pub(super) fn learned_windows(parts: &[Arc<Part>]) -> HashMap<String, u64> {
    let (mut windows, mut asked) = (HashMap::new(), "");
    for part in parts {
        match &part.content {
            PartContent::StepStart { model } => asked = model,
            PartContent::Compaction(compaction) => {
                windows.extend(compaction.window.map(|window| (asked.to_owned(), window)));
            }
            _ => {}
        }
    }
    windows
}

impl SessionActor {
    pub(super) fn context_budget(&self) -> ContextBudget {
        let known = self.deps.model.spec().context;
        self.budget_of(self.learned_window().map_or(known, |learned| known.min(learned)))
    }

    /// What the provider of the session's model stated.
    pub(super) fn learned_window(&self) -> Option<u64> {
        self.learned_windows.get(&self.deps.model_name).copied()
    }

    /// The provider refused a request as too long.
    pub(super) fn learn_window(&mut self, message: &str) {
        if let Some(window) = stated_limit(message).filter(|window| *window < self.context_budget().window) {
            tracing::info!(
                window,
                model = self.deps.model_name,
                "the provider stated the size of the context"
            );
            self.learned_windows.insert(self.deps.model_name.clone(), window);
        }
    }

    /// Tells the user once, when it begins to matter, that nothing says how large the context is.
    pub(super) async fn tell_assumed_window(&mut self, used: u64) {
        let window = self.context_budget().window;
        let is_assumed = self.deps.model.spec().is_context_assumed && self.learned_window().is_none();
        if self.is_window_told || !is_assumed || used < window / TOLD_SHARE {
            return;
        }
        self.is_window_told = true;
        let name = &self.deps.model_name;
        let key = match name.split_once('/') {
            Some((provider, model)) => format!("provider.{provider}.models.{model}.limit.context"),
            None => "limit.context".to_owned(),
        };
        let message = format!(
            "The size of the context of {name} is not known; Copydesk assumes {window} tokens. Set `{key}` in the configuration if it is \
             another."
        );
        self.emit(SessionEvent::Warning { message }).await;
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
