//! A step: one request to the model, and its response.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use copydesk_model::{
    FinishReason, ModelErrorKind, ModelEvent, ModelRequest, ModelStream, PartKind, StreamFinish, ToolSpec,
};

use super::draft::DraftSaving;
use super::{SessionActor, elapsed_ms};
use crate::compaction::context_meter::with_response;
use crate::data::{CallOutput, CallPart, ContextUse, Part, PartContent, PartState, StepFinishPart};
use crate::event::SessionEvent;
use crate::id::{Id, now};
use crate::store::StoreError;

pub(super) struct StepOutcome {
    /// The parts of the calls to run.
    pub(super) calls: Vec<Part>,
    pub(super) end: StepEnd,
}

pub(super) enum StepEnd {
    Stopped(FinishReason),
    Cancelled,
    /// The provider says that the request is too long, in these words.
    TooLong(String),
    Failed(String),
}

impl StepEnd {
    /// For the log, without the words of a failure.
    fn name(&self) -> &'static str {
        match self {
            Self::Stopped(FinishReason::End) => "end",
            Self::Stopped(FinishReason::Calls) => "calls",
            Self::Stopped(FinishReason::Length) => "length",
            Self::Stopped(FinishReason::Context) => "context",
            Self::Stopped(FinishReason::Refused) => "refused",
            Self::Stopped(FinishReason::Paused) => "paused",
            Self::Stopped(FinishReason::Broken) => "broken",
            Self::Cancelled => "cancelled",
            Self::TooLong(_) => "too long",
            Self::Failed(_) => "failed",
        }
    }
}

/// The parts of a step that are not complete, or not stored yet.
#[derive(Default)]
pub(super) struct StepDraft {
    /// Parts that the model is writing, by index.
    pub(super) open: BTreeMap<usize, Part>,
    /// When and which of them are stored as they are.
    pub(super) saving: DraftSaving,
    /// Complete parts that wait for the next write: the start of the step waits for the first part that ends, and from the
    /// first call on everything waits for the end of the step. A call does not run before it is stored, so nothing is lost,
    /// and a step of many calls costs one write.
    pub(super) unstored: Vec<Part>,
    pub(super) has_call: bool,
    /// What the request had.
    pub(super) context: ContextUse,
}

impl SessionActor {
    pub(super) async fn ask_model(&mut self) -> Result<StepOutcome, StoreError> {
        if self.cancel.is_cancelled() {
            return Ok(StepOutcome { calls: Vec::new(), end: StepEnd::Cancelled });
        }
        let start = PartContent::StepStart { model: self.deps.model_name.clone() };
        let mut said = self.history.take_messages(&self.parts);
        let mut request = self.request();
        self.meter.set_request(&request);
        let context = self.measure_context();
        let (messages, tools) = (said.messages.len(), request.tools.len());
        std::mem::swap(&mut request.messages, &mut said.messages);
        let events = self.deps.model.stream(&request);
        self.meter.note_request();
        std::mem::swap(&mut request.messages, &mut said.messages);
        self.history.return_messages(said);
        let mut events = match events {
            Ok(events) => events,
            Err(error) => return Ok(StepOutcome { calls: Vec::new(), end: StepEnd::Failed(error.message) }),
        };
        // Announced before anything that the model writes; announced as complete when it is stored with the first of that.
        let start = self.new_part(PartState::Running, start);
        self.emit(SessionEvent::PartChanged { part: Arc::new(start.clone()) }).await;
        let start = Part { state: PartState::Completed, ..start };
        let mut draft = StepDraft { unstored: vec![start], context, ..StepDraft::default() };
        let started = Instant::now();
        tracing::debug!(step = self.step, messages, tools, "step began");
        let end = self.read_model_events(&mut events, &mut draft).await?;
        drop(events);
        let calls = self.close(draft, &end).await?;
        let ms = elapsed_ms(started);
        tracing::debug!(step = self.step, end = end.name(), calls = calls.len(), ms, "step ended");
        Ok(StepOutcome { calls, end })
    }

    pub(super) fn request(&self) -> ModelRequest {
        let layers = self.asks.layers();
        let specs = self.deps.tools.definitions(|key| !layers.denies_all(key));
        let tool = |spec: copydesk_tool::ToolDefinition| ToolSpec {
            name: spec.name,
            description: spec.prompt,
            parameters: spec.parameters,
        };
        ModelRequest {
            system: self.deps.system.clone(),
            tools: specs.into_iter().map(tool).collect(),
            cache_key: Some(self.deps.session.id.to_string()),
            ..ModelRequest::default()
        }
    }

    async fn read_model_events(
        &mut self,
        events: &mut ModelStream,
        draft: &mut StepDraft,
    ) -> Result<StepEnd, StoreError> {
        loop {
            let cancel = self.cancel.clone();
            let event = tokio::select! {
                biased;
                () = cancel.cancelled() => return Ok(StepEnd::Cancelled),
                Some(command) = self.commands.recv() => {
                    self.handle_command(command).await;
                    continue;
                }
                () = draft.saving.wait_until_due() => {
                    self.store_draft(draft).await?;
                    continue;
                }
                event = events.next() => event,
            };
            match event {
                None => return Ok(StepEnd::Failed("The model's answer ended without a word.".to_owned())),
                Some(Err(error)) if error.kind == ModelErrorKind::ContextOverflow => {
                    return Ok(StepEnd::TooLong(error.message));
                }
                Some(Err(error)) => return Ok(StepEnd::Failed(error.message)),
                Some(Ok(ModelEvent::Finished(StreamFinish { reason: stop, usage, cost }))) => {
                    let context = Some(with_response(draft.context, usage));
                    let finish = StepFinishPart { stop: stop.clone(), usage, cost, context };
                    draft.unstored.push(self.new_part(PartState::Completed, PartContent::StepFinish(finish)));
                    return Ok(StepEnd::Stopped(stop));
                }
                Some(Ok(event)) => self.handle_model_event(event, draft).await?,
            }
        }
    }

    async fn handle_model_event(
        &mut self,
        event: ModelEvent,
        draft: &mut StepDraft,
    ) -> Result<(), StoreError> {
        match event {
            ModelEvent::PartStarted { part: number, kind } => {
                let part = self.new_part(PartState::Running, empty(kind));
                self.emit(SessionEvent::PartChanged { part: Arc::new(part.clone()) }).await;
                draft.open.insert(number, part);
            }
            ModelEvent::PartDelta { part: number, text } => {
                if let Some(part) = draft.open.get_mut(&number) {
                    grow(&mut part.content, &text);
                    draft.saving.note_growth();
                    let part = part.id.clone();
                    self.emit(SessionEvent::PartDelta { part, text }).await;
                }
            }
            ModelEvent::PartEnded { part: number, content } => {
                let Some(mut part) = draft.open.remove(&number) else { return Ok(()) };
                part.content = whole(content);
                part.updated = now();
                let is_call = matches!(part.content, PartContent::Call(_));
                part.state = if is_call { PartState::Pending } else { PartState::Completed };
                draft.has_call |= is_call;
                draft.unstored.push(part);
                if !draft.has_call {
                    self.store_parts(std::mem::take(&mut draft.unstored)).await?;
                }
            }
            ModelEvent::Retry(retry) => {
                let void: Vec<Id> =
                    std::mem::take(&mut draft.open).into_values().map(|part| part.id).collect();
                self.discard(void, draft).await?;
                self.discard_step_text().await?;
                let at = now().saturating_add(u64::try_from(retry.delay.as_millis()).unwrap_or(u64::MAX));
                let content = PartContent::Retry { attempt: retry.attempt, message: retry.error.message, at };
                draft.unstored.push(self.new_part(PartState::Completed, content));
                self.store_parts(std::mem::take(&mut draft.unstored)).await?;
            }
            ModelEvent::Finished(_) => {}
        }
        Ok(())
    }

    /// Also drops complete texts of a failed attempt: the model writes them again.
    async fn discard_step_text(&mut self) -> Result<(), StoreError> {
        let (turn, step) = (self.turn, self.step);
        let said = |part: &&Arc<Part>| {
            let of_model = matches!(part.content, PartContent::Text(_) | PartContent::Reasoning(_));
            (part.turn, part.step) == (turn, step) && of_model
        };
        let void: Vec<Id> = self.parts.iter().filter(said).map(|part| part.id.clone()).collect();
        if void.is_empty() {
            return Ok(());
        }
        self.deps.store.remove_parts(void.clone()).await?;
        self.parts.retain(|part| !void.contains(&part.id));
        for part in void {
            self.emit(SessionEvent::PartDiscarded { part }).await;
        }
        Ok(())
    }

    /// Stores the rest of the step and returns its calls. An incomplete text is kept; an incomplete call is dropped.
    async fn close(&mut self, mut draft: StepDraft, end: &StepEnd) -> Result<Vec<Part>, StoreError> {
        let stopped = matches!(end, StepEnd::Stopped(_));
        let mut rest = std::mem::take(&mut draft.unstored);
        for part in std::mem::take(&mut draft.open).into_values() {
            if stopped || matches!(part.content, PartContent::Call(_)) {
                self.discard(vec![part.id], &mut draft).await?;
            } else {
                rest.push(Part { state: PartState::Interrupted, updated: now(), ..part });
            }
        }
        if !stopped {
            rest.iter_mut().filter(|part| part.state == PartState::Pending).for_each(not_begun);
        }
        let calls = rest.iter().filter(|part| part.state == PartState::Pending).cloned().collect();
        self.store_parts(rest).await?;
        Ok(calls)
    }

    pub(super) async fn interrupt(&mut self, calls: Vec<Part>) -> Result<(), StoreError> {
        if !calls.is_empty() {
            tracing::warn!(step = self.step, calls = calls.len(), "calls were interrupted");
        }
        let marked = calls.into_iter().map(|mut part| {
            match part.state {
                PartState::Pending => not_begun(&mut part),
                _ => part.state = PartState::Interrupted,
            }
            Part { updated: now(), ..part }
        });
        self.store_parts(marked.collect()).await
    }
}

/// A call that will not run: its output says why.
fn not_begun(part: &mut Part) {
    part.state = PartState::Interrupted;
    if let PartContent::Call(call) = &mut part.content {
        let output =
            "[This call was not begun: the turn ended before. Nothing of it was carried out.]".to_owned();
        let title = "not begun".to_owned();
        call.output = Some(Box::new(CallOutput { title, output, is_error: true, ..CallOutput::default() }));
    }
}

fn empty(kind: PartKind) -> PartContent {
    match kind {
        PartKind::Text => PartContent::Text(copydesk_model::TextPart::default()),
        PartKind::Reasoning => PartContent::Reasoning(copydesk_model::ReasoningPart::default()),
        PartKind::Call { id, name } => PartContent::Call(CallPart {
            call: id,
            name,
            arguments: String::new(),
            echo: None,
            parent: None,
            output: None,
        }),
    }
}

fn grow(content: &mut PartContent, more: &str) {
    match content {
        PartContent::Text(text) => text.text.push_str(more),
        PartContent::Reasoning(reasoning) => reasoning.text.push_str(more),
        PartContent::Call(call) => call.arguments.push_str(more),
        _ => {}
    }
}

fn whole(part: copydesk_model::AssistantPart) -> PartContent {
    match part {
        copydesk_model::AssistantPart::Text(text) => PartContent::Text(text),
        copydesk_model::AssistantPart::Reasoning(reasoning) => PartContent::Reasoning(reasoning),
        copydesk_model::AssistantPart::Call(call) => PartContent::Call(CallPart {
            call: call.id,
            name: call.name,
            arguments: call.arguments,
            echo: call.echo,
            parent: None,
            output: None,
        }),
    }
}
