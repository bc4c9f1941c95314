//! A turn: from a prompt until the model is done.

use std::time::Instant;

use copydesk_model::{FinishReason, MediaPart};

use super::step::{StepEnd, StepOutcome};
use super::{PromptRequest, QueuedPrompt, SessionActor, elapsed_ms};
use crate::data::{NotePart, Part, PartContent, PartState, PromptPart, TurnEnd};
use crate::event::SessionEvent;
use crate::store::StoreError;

/// A longer prompt fits no model.
const MAX_PROMPT_BYTES: usize = 4 * 1024 * 1024;

/// What the user reads if a queued prompt does not run.
const TRUST_LOST: &str = "You took back your trust while this prompt waited, so it did not run. Send it again: it then runs without trust.";

impl SessionActor {
    pub(super) async fn run_turn(&mut self, prompted: QueuedPrompt) {
        self.turn += 1;
        self.step = 0;
        self.is_stopped_by_user = false;
        self.refused_steps.clear();
        self.is_unattended = prompted.request.is_unattended;
        self.cancel = tokio_util::sync::CancellationToken::new();
        self.deps.checks.begin_turn();
        self.emit(SessionEvent::TurnStarted { turn: self.turn, prompt: prompted.id.clone() }).await;
        let started = Instant::now();
        tracing::info!(files = prompted.request.files.len(), "turn began");
        let end = match self.run_steps(prompted).await {
            Ok(end) => end,
            Err(error) => TurnEnd::Failed { message: error.to_string() },
        };
        self.close_asks().await;
        let end = match self.note_diagnostics_delta().await {
            Ok(()) => end,
            Err(error) => TurnEnd::Failed { message: error.to_string() },
        };
        // A prompt that came too late to join this turn is the next.
        self.queue.extend(std::mem::take(&mut self.steering));
        self.log_turn_end(&end, started);
        let end = self.store_turn_end(end).await;
        self.emit(SessionEvent::TurnEnded { turn: self.turn, end }).await;
    }

    /// Counts only: the message of a failure may quote what the model was told.
    fn log_turn_end(&self, end: &TurnEnd, started: Instant) {
        let (mut calls, mut input, mut output) = (0_usize, 0_u64, 0_u64);
        for part in self.parts.iter().rev().take_while(|part| part.turn == self.turn) {
            match &part.content {
                PartContent::Call(_) => calls += 1,
                PartContent::StepFinish(finish) => {
                    input = input.saturating_add(finish.usage.prompt_tokens());
                    output = output.saturating_add(finish.usage.output);
                }
                _ => {}
            }
        }
        let end = match end {
            TurnEnd::Done => "done",
            TurnEnd::Cancelled => "cancelled",
            TurnEnd::Rejected => "rejected",
            TurnEnd::StepLimit { .. } => "step limit",
            TurnEnd::Failed { .. } => "failed",
            TurnEnd::Interrupted => "interrupted",
        };
        let ms = elapsed_ms(started);
        tracing::info!(
            end,
            steps = self.step,
            calls,
            input_tokens = input,
            output_tokens = output,
            ms,
            "turn ended"
        );
    }

    /// Stores how a turn ended that the model did not finish. Of a finished one the last step tells.
    async fn store_turn_end(&mut self, end: TurnEnd) -> TurnEnd {
        if end == TurnEnd::Done {
            return end;
        }
        let part = self.new_part(PartState::Completed, PartContent::TurnEnd(end.clone()));
        match self.store_part(part).await {
            Ok(()) => end,
            Err(error) => TurnEnd::Failed { message: error.to_string() },
        }
    }

    async fn run_steps(&mut self, prompted: QueuedPrompt) -> Result<TurnEnd, StoreError> {
        let request = &prompted.request;
        let pieces = request.context.iter().map(|piece| piece.text.as_ref().map_or(0, String::len));
        let bytes = request.text.len() + pieces.sum::<usize>();
        if bytes > MAX_PROMPT_BYTES {
            let message = format!("The prompt has {bytes} bytes; at most {MAX_PROMPT_BYTES} can be sent.");
            return Ok(TurnEnd::Failed { message });
        }
        if let Some(words) = request.compaction_words() {
            return self.run_compaction(prompted.id.clone(), words).await;
        }
        if let Some(words) = request.remembered_words() {
            return self.run_remember(prompted.id.clone(), words).await;
        }
        self.give_title(&request.text).await?;
        self.store_prompt(prompted, false).await?;
        if !self.deps.roles.is_trust_kept() {
            // The prompt waited for an earlier turn. The session's rules and tools are those of a trusted folder.
            return Ok(TurnEnd::Failed { message: TRUST_LOST.to_owned() });
        }
        self.complete_prompt().await;
        // A new agent starts with all of its own steps.
        let mut first = 0;
        loop {
            let limit = self.deps.agent.max_steps;
            if self.step - first >= limit {
                return Ok(TurnEnd::StepLimit { steps: limit });
            }
            self.step += 1;
            while let Some(prompted) = self.steering.pop_front() {
                self.store_prompt(prompted, true).await?;
            }
            if let Some(end) = self.check_cost_limits().await? {
                return Ok(end);
            }
            self.note_updates().await?;
            self.make_room().await?;
            let StepOutcome { calls, end } = self.ask_model().await?;
            let stop = match end {
                StepEnd::Cancelled => return Ok(TurnEnd::Cancelled),
                StepEnd::Failed(message) => return Ok(TurnEnd::Failed { message }),
                StepEnd::Stopped(stop) if !calls.is_empty() => stop,
                // The next step continues with what there is.
                StepEnd::Stopped(FinishReason::Paused) => continue,
                StepEnd::Stopped(_) if !self.steering.is_empty() => continue,
                end @ (StepEnd::TooLong(_) | StepEnd::Stopped(FinishReason::Context)) => {
                    let was_cut_off = matches!(end, StepEnd::Stopped(_));
                    if let StepEnd::TooLong(message) = &end {
                        self.learn_window(message);
                    }
                    if self.compact_refused(was_cut_off).await? {
                        continue;
                    }
                    return Ok(TurnEnd::Failed { message: self.full_context_message() });
                }
                StepEnd::Stopped(_) => return Ok(TurnEnd::Done),
            };
            self.run_calls(calls, &stop).await?;
            if self.adopt_role().await? {
                first = self.step;
            }
            if self.cancel.is_cancelled() {
                return Ok(TurnEnd::Cancelled);
            }
            if self.is_stopped_by_user {
                return Ok(TurnEnd::Rejected);
            }
        }
    }

    /// The diagnostics delta of the turn: the user sees it now, the model before the next turn.
    async fn note_diagnostics_delta(&mut self) -> Result<(), StoreError> {
        let Some(told) = self.deps.checks.end_turn() else { return Ok(()) };
        let text = format!("What this turn did, as far as it is known:\n{}", told.output);
        let part = self.new_part(PartState::Completed, PartContent::Note(NotePart { text }));
        self.store_part(part).await
    }

    /// A file that the model does not accept is an error for the user; the request tells the model.
    fn media_state(&self, media: &MediaPart) -> PartState {
        if self.deps.model.spec().accepts_media(media) {
            return PartState::Completed;
        }
        let what = if media.is_image() { "images" } else { "files of this type" };
        PartState::Error { message: format!("{} does not accept {what}", self.deps.model_name) }
    }

    async fn store_prompt(&mut self, prompted: QueuedPrompt, steers: bool) -> Result<(), StoreError> {
        let QueuedPrompt { id, request: PromptRequest { text, context, files, .. } } = prompted;
        let prompt = PartContent::Prompt(PromptPart { text, steers, context });
        let prompt = self.new_part(PartState::Completed, prompt);
        let mut parts = vec![Part { id, ..prompt }];
        parts.extend(
            files.into_iter().map(|media| self.new_part(self.media_state(&media), PartContent::File(media))),
        );
        self.store_parts(parts).await
    }
}
