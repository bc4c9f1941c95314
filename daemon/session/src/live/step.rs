//! A step: one request to the model, read to its end.

use std::collections::BTreeMap;
use std::sync::Arc;

use copydesk_model::{Event as ModelEvent, Events, Finish, PartKind, Request, Stop, ToolSpec};

use super::Worker;
use crate::data::{Call, CallOutput, Content, Part, State, StepFinish};
use crate::event::Event;
use crate::id::{Id, now};
use crate::store::StoreError;

pub(super) struct Step {
    /// The parts of the calls to be made.
    pub(super) calls: Vec<Part>,
    pub(super) end: StepEnd,
}

pub(super) enum StepEnd {
    Stopped(Stop),
    Cancelled,
    Failed(String),
}

/// What of a step is not in the store yet.
#[derive(Default)]
struct Draft {
    /// Parts the model is writing, by its number for them.
    open: BTreeMap<usize, Part>,
    /// Whole parts that wait for the next write: the start of the step for the first that ends, and from the first call on
    /// everything for the end of the step. A call is not carried out before it is stored, so nothing is lost by that, and
    /// a step of many calls costs one write to the disk instead of many.
    held: Vec<Part>,
    has_call: bool,
}

impl Worker {
    pub(super) async fn ask_model(&mut self) -> Result<Step, StoreError> {
        if self.cancel.is_cancelled() {
            return Ok(Step { calls: Vec::new(), end: StepEnd::Cancelled });
        }
        let start = Content::StepStart { model: self.setting.model_name.clone() };
        let mut said = self.history.lend(&self.parts);
        let mut request = self.request();
        std::mem::swap(&mut request.messages, &mut said.messages);
        let events = self.setting.model.stream(&request);
        std::mem::swap(&mut request.messages, &mut said.messages);
        self.history.give_back(said);
        let mut events = match events {
            Ok(events) => events,
            Err(error) => return Ok(Step { calls: Vec::new(), end: StepEnd::Failed(error.message) }),
        };
        // Told before whatever the model says, and as complete when it is stored with the first of that.
        let start = self.new_part(State::Running, start);
        self.emit(Event::Part { part: Arc::new(start.clone()) }).await;
        let start = Part { state: State::Completed, ..start };
        let mut draft = Draft { held: vec![start], ..Draft::default() };
        let end = self.listen(&mut events, &mut draft).await?;
        drop(events);
        let calls = self.close(draft, &end).await?;
        Ok(Step { calls, end })
    }

    fn request(&self) -> Request {
        let layers = self.asks.layers();
        let specs = self.setting.tools.specs(|key| !layers.denies_all(key));
        let tool = |spec: copydesk_tool::Spec| ToolSpec {
            name: spec.name,
            description: spec.prompt,
            parameters: spec.parameters,
        };
        Request {
            system: self.setting.system.clone(),
            tools: specs.into_iter().map(tool).collect(),
            cache_key: Some(self.setting.session.id.to_string()),
            ..Request::default()
        }
    }

    async fn listen(&mut self, events: &mut Events, draft: &mut Draft) -> Result<StepEnd, StoreError> {
        loop {
            let cancel = self.cancel.clone();
            let event = tokio::select! {
                biased;
                () = cancel.cancelled() => return Ok(StepEnd::Cancelled),
                Some(command) = self.commands.recv() => {
                    self.command(command).await;
                    continue;
                }
                event = events.next() => event,
            };
            match event {
                None => return Ok(StepEnd::Failed("The model's answer ended without a word.".to_owned())),
                Some(Err(error)) => return Ok(StepEnd::Failed(error.message)),
                Some(Ok(ModelEvent::Finished(Finish { stop, usage, cost }))) => {
                    let finish = StepFinish { stop: stop.clone(), usage, cost };
                    draft.held.push(self.new_part(State::Completed, Content::StepFinish(finish)));
                    return Ok(StepEnd::Stopped(stop));
                }
                Some(Ok(event)) => self.hear_model(event, draft).await?,
            }
        }
    }

    async fn hear_model(&mut self, event: ModelEvent, draft: &mut Draft) -> Result<(), StoreError> {
        match event {
            ModelEvent::Started { part: number, kind } => {
                let part = self.new_part(State::Running, empty(kind));
                self.emit(Event::Part { part: Arc::new(part.clone()) }).await;
                draft.open.insert(number, part);
            }
            ModelEvent::Delta { part: number, text } => {
                if let Some(part) = draft.open.get_mut(&number) {
                    grow(&mut part.content, &text);
                    let part = part.id.clone();
                    self.emit(Event::Delta { part, text }).await;
                }
            }
            ModelEvent::Ended { part: number, content } => {
                let Some(mut part) = draft.open.remove(&number) else { return Ok(()) };
                part.content = whole(content);
                part.updated = now();
                let is_call = matches!(part.content, Content::Call(_));
                part.state = if is_call { State::Pending } else { State::Completed };
                draft.has_call |= is_call;
                draft.held.push(part);
                if !draft.has_call {
                    self.keep_all(std::mem::take(&mut draft.held)).await?;
                }
            }
            ModelEvent::Retry(retry) => {
                let void: Vec<Id> =
                    std::mem::take(&mut draft.open).into_values().map(|part| part.id).collect();
                for part in void {
                    self.emit(Event::Void { part }).await;
                }
                self.void_step().await?;
                let at = now().saturating_add(u64::try_from(retry.delay.as_millis()).unwrap_or(u64::MAX));
                let content = Content::Retry { attempt: retry.attempt, message: retry.error.message, at };
                draft.held.push(self.new_part(State::Completed, content));
                self.keep_all(std::mem::take(&mut draft.held)).await?;
            }
            ModelEvent::Finished(_) => {}
        }
        Ok(())
    }

    /// Texts that were complete when the attempt failed will be written again: they go, too.
    async fn void_step(&mut self) -> Result<(), StoreError> {
        let (turn, step) = (self.turn, self.step);
        let said = |part: &&Arc<Part>| {
            let of_model = matches!(part.content, Content::Text(_) | Content::Reasoning(_));
            (part.turn, part.step) == (turn, step) && of_model
        };
        let void: Vec<Id> = self.parts.iter().filter(said).map(|part| part.id.clone()).collect();
        if void.is_empty() {
            return Ok(());
        }
        self.setting.store.remove_parts(void.clone()).await?;
        self.parts.retain(|part| !void.contains(&part.id));
        for part in void {
            self.emit(Event::Void { part }).await;
        }
        Ok(())
    }

    /// Stores the rest of the step and gives its calls. Of what the model had begun and did not finish, text is kept as far
    /// as it came; a call never was one.
    async fn close(&mut self, draft: Draft, end: &StepEnd) -> Result<Vec<Part>, StoreError> {
        let stopped = matches!(end, StepEnd::Stopped(_));
        let mut rest = draft.held;
        for part in draft.open.into_values() {
            if stopped || matches!(part.content, Content::Call(_)) {
                self.emit(Event::Void { part: part.id }).await;
            } else {
                rest.push(Part { state: State::Interrupted, updated: now(), ..part });
            }
        }
        if !stopped {
            rest.iter_mut().filter(|part| part.state == State::Pending).for_each(not_begun);
        }
        let calls = rest.iter().filter(|part| part.state == State::Pending).cloned().collect();
        self.keep_all(rest).await?;
        Ok(calls)
    }

    pub(super) async fn interrupt(&mut self, calls: Vec<Part>) -> Result<(), StoreError> {
        let marked = calls.into_iter().map(|mut part| {
            match part.state {
                State::Pending => not_begun(&mut part),
                _ => part.state = State::Interrupted,
            }
            Part { updated: now(), ..part }
        });
        self.keep_all(marked.collect()).await
    }
}

/// A call that was written and that nobody will make: whoever wrote it need not look what came of it.
fn not_begun(part: &mut Part) {
    part.state = State::Interrupted;
    if let Content::Call(call) = &mut part.content {
        let output =
            "[This call was not begun: the turn ended before. Nothing of it was carried out.]".to_owned();
        let title = "not begun".to_owned();
        call.output = Some(Box::new(CallOutput { title, output, is_error: true, ..CallOutput::default() }));
    }
}

fn empty(kind: PartKind) -> Content {
    match kind {
        PartKind::Text => Content::Text(copydesk_model::Text::default()),
        PartKind::Reasoning => Content::Reasoning(copydesk_model::Reasoning::default()),
        PartKind::Call { id, name } => Content::Call(Call {
            call: id,
            name,
            arguments: String::new(),
            echo: None,
            parent: None,
            output: None,
        }),
    }
}

fn grow(content: &mut Content, more: &str) {
    match content {
        Content::Text(text) => text.text.push_str(more),
        Content::Reasoning(reasoning) => reasoning.text.push_str(more),
        Content::Call(call) => call.arguments.push_str(more),
        _ => {}
    }
}

fn whole(part: copydesk_model::Part) -> Content {
    match part {
        copydesk_model::Part::Text(text) => Content::Text(text),
        copydesk_model::Part::Reasoning(reasoning) => Content::Reasoning(reasoning),
        copydesk_model::Part::Call(call) => Content::Call(Call {
            call: call.id,
            name: call.name,
            arguments: call.arguments,
            echo: call.echo,
            parent: None,
            output: None,
        }),
    }
}
