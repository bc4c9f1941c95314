//! Resolves the calls of a step: repairs them, adds doom-loop asks, and gives each call of a batch a part. From here on they
//! are shown and stored so.

use std::collections::BTreeMap;

use copydesk_model::FinishReason;
use copydesk_tool::{ArgumentsCompleteness, CallOutcome, PreparedCall, RawCall, TouchedFiles};

use super::{SessionActor, doom_loop};
use crate::data::{CallPart, Part, PartContent, PartState};
use crate::id::Id;

/// The cap on calls of a step, and on those in its batches.
pub(super) const MAX_CALLS: usize = 256;

/// A call to run.
pub(super) struct ScheduledCall {
    pub(super) part: Part,
    pub(super) touches: TouchedFiles,
    /// None for a batch: its inner calls run instead.
    pub(super) call: Option<PreparedCall>,
    /// The index of its batch.
    pub(super) parent_index: Option<usize>,
    pub(super) batch: Option<BatchResults>,
}

/// The outcomes of a batch so far.
pub(super) struct BatchResults {
    name: String,
    count: usize,
    ended: BTreeMap<usize, (String, CallOutcome)>,
    pub(super) surplus: usize,
}

impl BatchResults {
    /// Returns all outcomes in their order once the last is there.
    pub(super) fn add(
        &mut self,
        index: usize,
        call: String,
        outcome: CallOutcome,
    ) -> Option<(String, Vec<(String, CallOutcome)>)> {
        self.ended.insert(index, (call, outcome));
        let is_whole = self.ended.len() == self.count;
        is_whole.then(|| (self.name.clone(), std::mem::take(&mut self.ended).into_values().collect()))
    }
}

impl SessionActor {
    /// The calls to run, and those over the cap.
    pub(super) fn resolve_calls(
        &self,
        calls: Vec<Part>,
        stop: &FinishReason,
    ) -> (Vec<ScheduledCall>, Vec<Part>) {
        let last = calls.len().saturating_sub(1);
        let (mut works, mut surplus, mut room) = (Vec::new(), Vec::new(), MAX_CALLS);
        for (number, mut part) in calls.into_iter().enumerate() {
            let PartContent::Call(call) = &mut part.content else { continue };
            // A call that is followed by another part is complete, even if the model hit its output limit.
            let is_cut = *stop == FinishReason::Length && number == last;
            let mut prepared = self.prepare_call(
                call,
                if is_cut { ArgumentsCompleteness::Truncated } else { ArgumentsCompleteness::Complete },
            );
            let inner = prepared.take_inner_calls();
            if number >= MAX_CALLS || inner.len() > room {
                surplus.push(part);
                continue;
            }
            room -= inner.len();
            if inner.is_empty() {
                works.push(self.schedule_call(part, prepared, None));
            } else {
                self.schedule_inner_calls(&mut works, part, &prepared, inner);
            }
        }
        (works, surplus)
    }

    fn prepare_call(&self, call: &mut CallPart, ending: ArgumentsCompleteness) -> PreparedCall {
        let rules = self.asks.layers();
        let written = RawCall { name: &call.name, arguments: &call.arguments, completeness: ending };
        let prepared = self.deps.tools.prepare(&written, |key| !rules.denies_all(key));
        call.name = prepared.name();
        if let Some(arguments) = prepared.rewritten_arguments() {
            call.arguments = arguments;
        }
        let now = (self.turn, self.step);
        let earlier = self.parts.iter().filter(|part| (part.turn, part.step) != now);
        match doom_loop::doom_loop_ask(&prepared, earlier) {
            Some(ask) => prepared.with_prior_ask(ask, doom_loop::DENIAL_NOTE),
            None => prepared,
        }
    }

    fn schedule_call(&self, part: Part, call: PreparedCall, of: Option<usize>) -> ScheduledCall {
        let touches = call.touched_files(&self.tool_context(&part));
        ScheduledCall { part, touches, call: Some(call), parent_index: of, batch: None }
    }

    fn schedule_inner_calls(
        &self,
        works: &mut Vec<ScheduledCall>,
        part: Part,
        call: &PreparedCall,
        inner: Vec<PreparedCall>,
    ) {
        let place = works.len();
        let parent = part.id.clone();
        let together = BatchResults {
            name: call.name(),
            count: inner.len(),
            ended: BTreeMap::new(),
            surplus: call.surplus(),
        };
        let touches = TouchedFiles::Nothing;
        works.push(ScheduledCall { part, touches, call: None, parent_index: None, batch: Some(together) });
        for one in inner {
            let part = self.inner_part(&parent, &one);
            works.push(self.schedule_call(part, one.with_prior_ask_of(call), Some(place)));
        }
    }

    fn inner_part(&self, parent: &Id, call: &PreparedCall) -> Part {
        let content = PartContent::Call(CallPart {
            call: Id::new().to_string(),
            name: call.name(),
            arguments: call.arguments().to_string(),
            echo: None,
            parent: Some(parent.clone()),
            output: None,
        });
        self.new_part(PartState::Pending, content)
    }
}
