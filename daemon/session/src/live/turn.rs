//! A turn: from a prompt to the model's last word.

use copydesk_model::Stop;

use super::step::{Step, StepEnd};
use super::{Request, Worker};
use crate::data::{Content, Prompt, State};
use crate::event::{Event, TurnEnd};
use crate::store::StoreError;

/// No prompt is longer: it would not fit into any model.
const LONGEST_PROMPT: usize = 4 * 1024 * 1024;

impl Worker {
    pub(super) async fn turn(&mut self, request: Request) {
        self.turn += 1;
        self.step = 0;
        self.stopped = false;
        self.cancel = tokio_util::sync::CancellationToken::new();
        self.emit(Event::TurnStarted { turn: self.turn }).await;
        let end = match self.steps(request).await {
            Ok(end) => end,
            Err(error) => TurnEnd::Failed { message: error.to_string() },
        };
        self.close_asks().await;
        // What was to join this turn and came too late is heard next.
        self.queue.extend(std::mem::take(&mut self.steering));
        self.emit(Event::TurnEnded { turn: self.turn, end }).await;
    }

    async fn steps(&mut self, request: Request) -> Result<TurnEnd, StoreError> {
        if request.text.len() > LONGEST_PROMPT {
            let message =
                format!("The prompt has {} bytes; at most {LONGEST_PROMPT} can be sent.", request.text.len());
            return Ok(TurnEnd::Failed { message });
        }
        self.give_title(&request.text).await?;
        self.hear(request, false).await?;
        let limit = self.setting.agent.steps;
        for step in 1..=limit {
            self.step = step;
            while let Some(request) = self.steering.pop_front() {
                self.hear(request, true).await?;
            }
            let Step { calls, end } = self.ask_model().await?;
            match end {
                StepEnd::Cancelled => return Ok(TurnEnd::Cancelled),
                StepEnd::Failed(message) => return Ok(TurnEnd::Failed { message }),
                StepEnd::Stopped(_) if !calls.is_empty() => {}
                // Asked again with what there is.
                StepEnd::Stopped(Stop::Paused) => continue,
                StepEnd::Stopped(_) if !self.steering.is_empty() => continue,
                StepEnd::Stopped(Stop::Context) => {
                    return Ok(TurnEnd::Failed {
                        message: "The conversation fills the model's context.".to_owned(),
                    });
                }
                StepEnd::Stopped(_) => return Ok(TurnEnd::Done),
            }
            self.run_calls(calls).await?;
            if self.cancel.is_cancelled() {
                return Ok(TurnEnd::Cancelled);
            }
            if self.stopped {
                return Ok(TurnEnd::Rejected);
            }
        }
        Ok(TurnEnd::StepLimit { steps: limit })
    }

    async fn hear(&mut self, request: Request, steers: bool) -> Result<(), StoreError> {
        let Request { text, files, .. } = request;
        let mut parts = vec![self.new_part(State::Completed, Content::Prompt(Prompt { text, steers }))];
        parts.extend(files.into_iter().map(|media| self.new_part(State::Completed, Content::File(media))));
        self.keep_all(parts).await
    }
}
