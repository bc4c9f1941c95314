//! Runs the calls of a step in parallel; calls that touch the same file run in their order.

use std::sync::Arc;

use copydesk_model::{FinishReason, MediaPart};
use copydesk_tool::{CallOutcome, CallProgress, ToolContext, ToolErrorKind, TouchedFiles};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::resolve_calls::{MAX_CALLS, ScheduledCall};
use super::{ActorCommand, SessionActor, new_session_asker};
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
        let inner = calls.iter().filter(|call| call.parent_index.is_some()).map(|call| call.part.clone());
        self.store_parts(inner.collect()).await?;
        let (updates_in, mut updates) = mpsc::channel(64);
        let mut tasks = self.spawn_calls(&calls, &updates_in);
        // From here on only the tasks can send updates.
        drop(updates_in);
        // Settled parts that are not stored yet, and when they must be: calls that end together share one write.
        let (mut unstored, mut store_at) = (Vec::new(), Instant::now());
        while calls.iter().any(|call| !call.part.state.is_settled()) {
            tokio::select! {
                Some(command) = self.commands.recv() => self.handle_command_during_calls(command).await,
                Some(request) = self.call_requests.recv() => self.handle_call_request(request).await,
                Some(progress) = self.progress.recv() => self.announce_progress(&calls, progress).await,
                () = tokio::time::sleep_until(store_at), if !unstored.is_empty() => {
                    self.store_parts(std::mem::take(&mut unstored)).await?;
                }
                update = updates.recv() => {
                    let Some(update) = update else {
                        // All tasks have ended, some without a result.
                        break;
                    };
                    if unstored.is_empty() {
                        store_at = Instant::now() + CALL_BATCH_TIME;
                    }
                    let more = std::iter::from_fn(|| updates.try_recv().ok());
                    for update in std::iter::once(update).chain(more) {
                        unstored.extend(self.apply_update(&mut calls, update).await);
                    }
                }
            }
        }
        self.store_parts(unstored).await?;
        tasks.abort_all();
        self.call_stops.clear();
        self.note_nested_instructions(&calls).await?;
        let lost = calls.into_iter().map(|call| call.part).filter(|part| !part.state.is_settled());
        self.interrupt(lost.collect()).await
    }

    /// A command that cancels the turn also closes the asks of its calls.
    async fn handle_command_during_calls(&mut self, command: ActorCommand) {
        let was_cancelled = self.cancel.is_cancelled();
        self.handle_command(command).await;
        if self.cancel.is_cancelled() && !was_cancelled {
            self.close_asks().await;
        }
    }

    async fn announce_progress(&self, calls: &[ScheduledCall], progress: CallProgress) {
        if let Some(call) = calls.iter().find(|call| call.part.id.as_str() == progress.call) {
            let part = call.part.id.clone();
            self.emit(SessionEvent::CallProgress { part, metadata: progress.metadata }).await;
        }
    }

    /// Returns the parts that settle with it.
    async fn apply_update(&mut self, calls: &mut [ScheduledCall], update: CallUpdate) -> Vec<Part> {
        match update {
            CallUpdate::Started(index) => {
                self.on_call_started(calls, index).await;
                Vec::new()
            }
            CallUpdate::Ended(index, outcome) => self.on_call_ended(calls, index, *outcome).await,
        }
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

    /// Starts a task for each call. A call waits until the earlier calls that touch the same files have ended.
    fn spawn_calls(&mut self, calls: &[ScheduledCall], updates: &mpsc::Sender<CallUpdate>) -> JoinSet<()> {
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS));
        let mut tasks = JoinSet::new();
        let mut earlier: Vec<(&TouchedFiles, watch::Receiver<bool>)> = Vec::new();
        for (index, scheduled) in calls.iter().enumerate() {
            let Some(call) = scheduled.call.clone() else { continue };
            let context = self.tool_context(&scheduled.part);
            self.call_stops.insert(scheduled.part.id.clone(), context.cancel.clone());
            let blocking: Vec<_> = earlier
                .iter()
                .filter(|(touches, _)| touch_same_files(touches, &scheduled.touches))
                .map(|(_, has_ended)| has_ended.clone())
                .collect();
            let (ended, has_ended) = watch::channel(false);
            earlier.push((&scheduled.touches, has_ended));
            let tools = self.deps.tools.clone();
            let (permits, updates) = (Arc::clone(&permits), updates.clone());
            let span = tracing::error_span!("call", id = %scheduled.part.id, tool = call.name());
            let task = async move {
                for mut has_ended in blocking {
                    let _ = has_ended.wait_for(|ended| *ended).await;
                }
                let _permit = permits.acquire().await;
                let _ = updates.send(CallUpdate::Started(index)).await;
                tracing::debug!("call began");
                let outcome = tools.run_call(call, context).await;
                log_outcome(&outcome);
                let _ = updates.send(CallUpdate::Ended(index, Box::new(outcome))).await;
                let _ = ended.send(true);
            };
            tasks.spawn(task.instrument(span));
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
            navigator: self.deps.navigator.clone(),
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
