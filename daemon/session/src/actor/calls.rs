//! Runs the calls of a step in parallel; calls that touch the same file run in their order.

use std::sync::Arc;

use copydesk_model::{FinishReason, MediaPart};
use copydesk_tool::{CallOutcome, ToolContext, ToolErrorKind, TouchedFiles};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::resolve_calls::{MAX_CALLS, ScheduledCall};
use super::{SessionActor, new_session_asker};
use crate::data::{CallOutput, Part, PartContent, PartState};
use crate::event::SessionEvent;
use crate::id::now;
use crate::store::StoreError;
use crate::time_limits::CALL_BATCH_TIME;

/// The most calls that run at once.
const MAX_CONCURRENT_CALLS: usize = 16;

enum CallUpdate {
    Started(usize),
    Ended(usize, Box<CallOutcome>),
}

impl SessionActor {
    pub(super) async fn run_calls(
        &mut self,
        calls: Vec<Part>,
        stop: &FinishReason,
    ) -> Result<(), StoreError> {
        let (mut calls, surplus) = self.resolve_calls(calls, stop);
        self.refuse(surplus).await?;
        // The other parts exist already.
        let inner = calls.iter().filter(|work| work.parent_index.is_some()).map(|work| work.part.clone());
        self.store_parts(inner.collect()).await?;
        let (tell, mut told) = mpsc::channel(64);
        let mut running = self.spawn_calls(&calls, &tell);
        drop(tell);
        let mut left = calls.len();
        // Finished calls that are not stored yet, and the deadline for that.
        let (mut ended, mut due) = (Vec::new(), Instant::now());
        while left > 0 {
            let news = tokio::select! {
                Some(command) = self.commands.recv() => {
                    let before = self.cancel.is_cancelled();
                    self.handle_command(command).await;
                    if self.cancel.is_cancelled() && !before {
                        self.close_asks().await;
                    }
                    continue;
                }
                Some(wanted) = self.call_requests.recv() => {
                    self.handle_call_request(wanted).await;
                    continue;
                }
                Some(progress) = self.progress.recv() => {
                    let of_call = |work: &&ScheduledCall| work.part.id.as_str() == progress.call;
                    if let Some(part) = calls.iter().find(of_call).map(|work| work.part.id.clone()) {
                        self.emit(SessionEvent::CallProgress { part, metadata: progress.metadata }).await;
                    }
                    continue;
                }
                () = tokio::time::sleep_until(due), if !ended.is_empty() => {
                    left -= ended.len();
                    self.store_parts(std::mem::take(&mut ended)).await?;
                    continue;
                }
                news = told.recv() => news,
            };
            let Some(news) = news else {
                // All tasks have ended, some without a result.
                break;
            };
            if ended.is_empty() {
                due = Instant::now() + CALL_BATCH_TIME;
            }
            let more = std::iter::from_fn(|| told.try_recv().ok());
            for news in std::iter::once(news).chain(more) {
                match news {
                    CallUpdate::Started(index) => self.on_call_started(&mut calls, index).await,
                    CallUpdate::Ended(index, outcome) => {
                        ended.extend(self.on_call_ended(&mut calls, index, *outcome).await);
                    }
                }
            }
            if ended.len() == left {
                break;
            }
        }
        self.store_parts(ended).await?;
        running.abort_all();
        self.note_nested_instructions(&calls).await?;
        let lost = calls.into_iter().map(|work| work.part).filter(|part| !part.state.is_settled());
        self.interrupt(lost.collect()).await
    }

    /// Not stored: in the store a call without output is under way.
    async fn on_call_started(&self, calls: &mut [ScheduledCall], index: usize) {
        let of = calls.get(index).and_then(|work| work.parent_index);
        for index in of.into_iter().chain([index]) {
            if let Some(ScheduledCall { part, .. }) = calls.get_mut(index)
                && part.state == PartState::Pending
            {
                part.state = PartState::Running;
                part.updated = now();
                self.emit(SessionEvent::PartChanged { part: Arc::new(part.clone()) }).await;
            }
        }
    }

    /// The parts that settle with it: its own, and that of its batch if it was the last.
    async fn on_call_ended(
        &mut self,
        calls: &mut [ScheduledCall],
        index: usize,
        outcome: CallOutcome,
    ) -> Vec<Part> {
        let Some(work) = calls.get_mut(index) else { return Vec::new() };
        let (of, call) = (work.parent_index, work.part.id.to_string());
        self.withdraw(&work.part.id).await;
        settle(&mut work.part, outcome.clone());
        let mut settled = vec![work.part.clone()];
        if let Some(ScheduledCall { part, batch: Some(together), .. }) = of.and_then(|of| calls.get_mut(of))
            && let Some((name, all)) = together.add(index, call, outcome)
        {
            settle(part, self.deps.tools.combine_outcomes(&name, all, together.surplus).await);
            settled.push(part.clone());
        }
        settled
    }

    fn spawn_calls(&self, calls: &[ScheduledCall], tell: &mpsc::Sender<CallUpdate>) -> JoinSet<()> {
        let room = Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS));
        let mut tasks = JoinSet::new();
        let mut before: Vec<(&TouchedFiles, watch::Receiver<bool>)> = Vec::new();
        for (index, work) in calls.iter().enumerate() {
            let Some(call) = work.call.clone() else { continue };
            let context = self.tool_context(&work.part);
            let in_the_way: Vec<_> = before
                .iter()
                .filter(|(other, _)| touch_same_files(other, &work.touches))
                .map(|(_, done)| done.clone())
                .collect();
            let (done, is_done) = watch::channel(false);
            before.push((&work.touches, is_done));
            let tools = self.deps.tools.clone();
            let (room, tell) = (Arc::clone(&room), tell.clone());
            let span = tracing::error_span!("call", id = %work.part.id, tool = call.name());
            let work = async move {
                for mut other in in_the_way {
                    let _ = other.wait_for(|done| *done).await;
                }
                let _place = room.acquire().await;
                let _ = tell.send(CallUpdate::Started(index)).await;
                tracing::debug!("call began");
                let outcome = tools.run_call(call, context).await;
                log_outcome(&outcome);
                let _ = tell.send(CallUpdate::Ended(index, Box::new(outcome))).await;
                let _ = done.send(true);
            };
            tasks.spawn(work.instrument(span));
        }
        tasks
    }

    pub(super) fn tool_context(&self, part: &Part) -> ToolContext {
        self.deps.rules.set(self.asks.layers());
        ToolContext {
            session: self.deps.session.id.to_string(),
            call: part.id.to_string(),
            parent_call: self.deps.parent.as_ref().map(|above| above.owner.clone()),
            agent: self.deps.agent.name.clone(),
            cancel: self.cancel.child_token(),
            files: self.deps.files.clone(),
            checks: self.deps.checks.clone(),
            formatters: self.deps.formatters.clone(),
            asker: new_session_asker(self.call_requests_tx.clone(), part.id.clone()),
            todos: self.todos.clone(),
            progress: self.progress_in.clone(),
            waited: Arc::default(),
        }
    }

    async fn refuse(&mut self, calls: Vec<Part>) -> Result<(), StoreError> {
        let message =
            format!("Too many calls in one step: at most {MAX_CALLS} are carried out. Make this one again.");
        let refused = calls.into_iter().map(|part| Part {
            state: PartState::Error { message: message.clone() },
            updated: now(),
            ..part
        });
        self.store_parts(refused.collect()).await
    }
}

/// Logs only kind and size: the content belongs to the model and the user.
fn log_outcome(outcome: &CallOutcome) {
    let (ms, output_bytes) = (outcome.milliseconds, outcome.output.len());
    match &outcome.error_kind {
        None => tracing::debug!(outcome = "completed", ms, output_bytes, "call ended"),
        Some(ToolErrorKind::Cancelled) => tracing::warn!(ms, "call interrupted"),
        Some(kind) => tracing::debug!(outcome = ?kind, ms, output_bytes, "call ended"),
    }
}

fn touch_same_files(one: &TouchedFiles, other: &TouchedFiles) -> bool {
    match (one, other) {
        (TouchedFiles::Everything, _) | (_, TouchedFiles::Everything) => true,
        (TouchedFiles::Files(one), TouchedFiles::Files(other)) => one.iter().any(|path| other.contains(path)),
        (TouchedFiles::Nothing, _) | (_, TouchedFiles::Nothing) => false,
    }
}

fn settle(part: &mut Part, outcome: CallOutcome) {
    let PartContent::Call(call) = &mut part.content else { return };
    let media = outcome.media.into_iter().map(|media| MediaPart {
        mime: media.mime,
        base64: media.base64,
        name: media.name,
    });
    part.updated = now();
    part.state = match outcome.error_kind {
        None => PartState::Completed,
        Some(ToolErrorKind::Cancelled) => PartState::Interrupted,
        Some(_) => PartState::Error { message: outcome.title.clone() },
    };
    call.name = outcome.name;
    call.output = Some(Box::new(CallOutput {
        title: outcome.title,
        output: outcome.output,
        is_error: outcome.error_kind.is_some(),
        metadata: outcome.metadata,
        media: media.collect(),
        milliseconds: outcome.milliseconds,
    }));
}
