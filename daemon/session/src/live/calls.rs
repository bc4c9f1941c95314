//! The calls of a step: side by side, except where they touch the same thing; then in the order in which they were made.

use std::sync::Arc;
use std::time::Duration;

use copydesk_model::{Media, Stop};
use copydesk_tool::{Context, FailureKind, Outcome, Touches};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::understood::{MOST, Work};
use super::{Worker, asker};
use crate::data::{CallOutput, Content, Part, State};
use crate::event::Event;
use crate::id::now;
use crate::store::StoreError;

/// Calls at work at one time. A model that makes five hundred waits for them in turn.
const AT_ONCE: usize = 16;

/// Calls that end within so much time are stored with one write to the disk, which takes longer than that; nobody sees a call end
/// before it is stored.
const TOGETHER: Duration = Duration::from_millis(1);

enum News {
    Started(usize),
    Ended(usize, Box<Outcome>),
}

impl Worker {
    pub(super) async fn run_calls(&mut self, calls: Vec<Part>, stop: &Stop) -> Result<(), StoreError> {
        let (mut calls, surplus) = self.understand(calls, stop);
        self.refuse(surplus).await?;
        // The others are there already.
        let inner = calls.iter().filter(|work| work.of.is_some()).map(|work| work.part.clone());
        self.keep_all(inner.collect()).await?;
        let (tell, mut told) = mpsc::channel(64);
        let mut running = self.begin(&calls, &tell);
        drop(tell);
        let mut left = calls.len();
        // Those that ended and are not stored yet, and when they have to be.
        let (mut ended, mut due) = (Vec::new(), Instant::now());
        while left > 0 {
            let news = tokio::select! {
                Some(command) = self.commands.recv() => {
                    let before = self.cancel.is_cancelled();
                    self.command(command).await;
                    if self.cancel.is_cancelled() && !before {
                        self.close_asks().await;
                    }
                    continue;
                }
                Some(wanted) = self.wanted.recv() => {
                    self.wanted(wanted).await;
                    continue;
                }
                Some(progress) = self.progress.recv() => {
                    let of_call = |work: &&Work| work.part.id.as_str() == progress.call;
                    if let Some(part) = calls.iter().find(of_call).map(|work| work.part.id.clone()) {
                        self.emit(Event::Progress { part, metadata: progress.metadata }).await;
                    }
                    continue;
                }
                () = tokio::time::sleep_until(due), if !ended.is_empty() => {
                    left -= ended.len();
                    self.keep_all(std::mem::take(&mut ended)).await?;
                    continue;
                }
                news = told.recv() => news,
            };
            let Some(news) = news else {
                // All tasks are gone, some without a word.
                break;
            };
            if ended.is_empty() {
                due = Instant::now() + TOGETHER;
            }
            let more = std::iter::from_fn(|| told.try_recv().ok());
            for news in std::iter::once(news).chain(more) {
                match news {
                    News::Started(index) => self.started(&mut calls, index).await,
                    News::Ended(index, outcome) => {
                        ended.extend(self.ended(&mut calls, index, *outcome).await);
                    }
                }
            }
            if ended.len() == left {
                break;
            }
        }
        self.keep_all(ended).await?;
        running.abort_all();
        self.tell_nearby(&calls).await?;
        let lost = calls.into_iter().map(|work| work.part).filter(|part| !part.state.is_settled());
        self.interrupt(lost.collect()).await
    }

    /// Not stored: for the store a call is under way from the moment it stands there.
    async fn started(&self, calls: &mut [Work], index: usize) {
        let of = calls.get(index).and_then(|work| work.of);
        for index in of.into_iter().chain([index]) {
            if let Some(Work { part, .. }) = calls.get_mut(index)
                && part.state == State::Pending
            {
                part.state = State::Running;
                part.updated = now();
                self.emit(Event::Part { part: Arc::new(part.clone()) }).await;
            }
        }
    }

    /// The parts that are settled with it: its own, and that of the call that stands for it if it was the last.
    async fn ended(&mut self, calls: &mut [Work], index: usize, outcome: Outcome) -> Vec<Part> {
        let Some(work) = calls.get_mut(index) else { return Vec::new() };
        let (of, call) = (work.of, work.part.id.to_string());
        self.withdraw(&work.part.id).await;
        settle(&mut work.part, outcome.clone());
        let mut settled = vec![work.part.clone()];
        if let Some(Work { part, together: Some(together), .. }) = of.and_then(|of| calls.get_mut(of))
            && let Some((name, all)) = together.add(index, call, outcome)
        {
            settle(part, self.setting.tools.together(&name, all, together.surplus).await);
            settled.push(part.clone());
        }
        settled
    }

    fn begin(&self, calls: &[Work], tell: &mpsc::Sender<News>) -> JoinSet<()> {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        let mut tasks = JoinSet::new();
        let mut before: Vec<(&Touches, watch::Receiver<bool>)> = Vec::new();
        for (index, work) in calls.iter().enumerate() {
            let Some(call) = work.call.clone() else { continue };
            let context = self.context(&work.part);
            let in_the_way: Vec<_> = before
                .iter()
                .filter(|(other, _)| meet(other, &work.touches))
                .map(|(_, done)| done.clone())
                .collect();
            let (done, is_done) = watch::channel(false);
            before.push((&work.touches, is_done));
            let tools = self.setting.tools.clone();
            let (room, tell) = (Arc::clone(&room), tell.clone());
            tasks.spawn(async move {
                for mut other in in_the_way {
                    let _ = other.wait_for(|done| *done).await;
                }
                let _place = room.acquire().await;
                let _ = tell.send(News::Started(index)).await;
                let outcome = tools.carry_out(call, context).await;
                let _ = tell.send(News::Ended(index, Box::new(outcome))).await;
                let _ = done.send(true);
            });
        }
        tasks
    }

    pub(super) fn context(&self, part: &Part) -> Context {
        self.setting.rules.set(self.asks.layers());
        Context {
            session: self.setting.session.id.to_string(),
            call: part.id.to_string(),
            above: self.setting.above.as_ref().map(|above| above.owner.clone()),
            agent: self.setting.agent.name.clone(),
            cancel: self.cancel.child_token(),
            files: self.setting.files.clone(),
            checks: self.setting.checks.clone(),
            formatters: self.setting.formatters.clone(),
            asker: asker(self.wanted_in.clone(), part.id.clone()),
            todos: self.todos.clone(),
            progress: self.progress_in.clone(),
            waited: Arc::default(),
        }
    }

    async fn refuse(&mut self, calls: Vec<Part>) -> Result<(), StoreError> {
        let message =
            format!("Too many calls in one step: at most {MOST} are carried out. Make this one again.");
        let refused = calls.into_iter().map(|part| Part {
            state: State::Error { message: message.clone() },
            updated: now(),
            ..part
        });
        self.keep_all(refused.collect()).await
    }
}

fn meet(one: &Touches, other: &Touches) -> bool {
    match (one, other) {
        (Touches::Everything, _) | (_, Touches::Everything) => true,
        (Touches::Files(one), Touches::Files(other)) => one.iter().any(|path| other.contains(path)),
        (Touches::Nothing, _) | (_, Touches::Nothing) => false,
    }
}

fn settle(part: &mut Part, outcome: Outcome) {
    let Content::Call(call) = &mut part.content else { return };
    let media = outcome.media.into_iter().map(|media| Media {
        mime: media.mime,
        base64: media.base64,
        name: media.name,
    });
    part.updated = now();
    part.state = match outcome.failure {
        None => State::Completed,
        Some(FailureKind::Cancelled) => State::Interrupted,
        Some(_) => State::Error { message: outcome.title.clone() },
    };
    call.name = outcome.name;
    call.output = Some(Box::new(CallOutput {
        title: outcome.title,
        output: outcome.output,
        is_error: outcome.failure.is_some(),
        metadata: outcome.metadata,
        media: media.collect(),
        milliseconds: outcome.milliseconds,
    }));
}
