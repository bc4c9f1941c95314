//! A turn: from a prompt to the model's last word.

use copydesk_model::Stop;

use super::step::{Step, StepEnd};
use super::{Prompted, Request, Worker};
use crate::data::{Content, Note, Part, Prompt, State};
use crate::event::{Event, TurnEnd};
use crate::store::StoreError;

/// No prompt is longer: it would not fit into any model.
const LONGEST_PROMPT: usize = 4 * 1024 * 1024;

impl Worker {
    pub(super) async fn turn(&mut self, prompted: Prompted) {
        self.turn += 1;
        self.step = 0;
        self.stopped = false;
        self.cancel = tokio_util::sync::CancellationToken::new();
        self.setting.checks.begin_turn();
        self.emit(Event::TurnStarted { turn: self.turn, prompt: prompted.id.clone() }).await;
        let end = match self.steps(prompted).await {
            Ok(end) => end,
            Err(error) => TurnEnd::Failed { message: error.to_string() },
        };
        self.close_asks().await;
        let end = match self.tell_delta().await {
            Ok(()) => end,
            Err(error) => TurnEnd::Failed { message: error.to_string() },
        };
        // What was to join this turn and came too late is heard next.
        self.queue.extend(std::mem::take(&mut self.steering));
        self.emit(Event::TurnEnded { turn: self.turn, end }).await;
    }

    async fn steps(&mut self, prompted: Prompted) -> Result<TurnEnd, StoreError> {
        let request = &prompted.request;
        if request.text.len() > LONGEST_PROMPT {
            let message =
                format!("The prompt has {} bytes; at most {LONGEST_PROMPT} can be sent.", request.text.len());
            return Ok(TurnEnd::Failed { message });
        }
        self.give_title(&request.text).await?;
        self.hear(prompted, false).await?;
        // Whoever takes over has all of its own steps.
        let mut first = 0;
        loop {
            let limit = self.setting.agent.steps;
            if self.step - first >= limit {
                return Ok(TurnEnd::StepLimit { steps: limit });
            }
            self.step += 1;
            while let Some(prompted) = self.steering.pop_front() {
                self.hear(prompted, true).await?;
            }
            self.tell_news().await?;
            let Step { calls, end } = self.ask_model().await?;
            let stop = match end {
                StepEnd::Cancelled => return Ok(TurnEnd::Cancelled),
                StepEnd::Failed(message) => return Ok(TurnEnd::Failed { message }),
                StepEnd::Stopped(stop) if !calls.is_empty() => stop,
                // Asked again with what there is.
                StepEnd::Stopped(Stop::Paused) => continue,
                StepEnd::Stopped(_) if !self.steering.is_empty() => continue,
                StepEnd::Stopped(Stop::Context) => {
                    return Ok(TurnEnd::Failed {
                        message: "The conversation fills the model's context.".to_owned(),
                    });
                }
                StepEnd::Stopped(_) => return Ok(TurnEnd::Done),
            };
            self.run_calls(calls, &stop).await?;
            if self.take_role().await? {
                first = self.step;
            }
            if self.cancel.is_cancelled() {
                return Ok(TurnEnd::Cancelled);
            }
            if self.stopped {
                return Ok(TurnEnd::Rejected);
            }
        }
    }

    /// What the turn did to the problems: the person sees it now, the model before the next one.
    async fn tell_delta(&mut self) -> Result<(), StoreError> {
        let Some(told) = self.setting.checks.end_turn() else { return Ok(()) };
        let text = format!("What this turn did, as far as it is known:\n{}", told.output);
        let part = self.new_part(State::Completed, Content::Note(Note { text }));
        self.keep(part).await
    }

    async fn hear(&mut self, prompted: Prompted, steers: bool) -> Result<(), StoreError> {
        let Prompted { id, request: Request { text, files, .. } } = prompted;
        let prompt = self.new_part(State::Completed, Content::Prompt(Prompt { text, steers }));
        let mut parts = vec![Part { id, ..prompt }];
        parts.extend(files.into_iter().map(|media| self.new_part(State::Completed, Content::File(media))));
        self.keep_all(parts).await
    }
}
