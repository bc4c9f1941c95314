//! A model that can be asked.
//!
//! [`Model::stream`] writes the request once, synchronously, and leaves the network to a task of its own. Dropping the
//! [`Events`] cancels at once, whatever the task is waiting for. Memory is bounded: the channel, one event of the wire,
//! and the answer itself all have caps. The one model without a server, [`crate::offline`], is asked in the same way.

mod attempt;
mod send;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::answer::Answer;
use crate::catalogue::ModelInfo;
use crate::error::Error;
use crate::event::{Event, Finish, Retry, Stop, Usage};
use crate::offline;
use crate::provider::Provider;
use crate::request::{Effort, Part, Request, ToolSpec};
use crate::retry::Policy;
use crate::schema;
use crate::wire::{Encoded, Target};
use attempt::{Attempt, Broken};

/// How much of a server's output is held.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// One event of the stream.
    pub event: usize,
    /// The answer, all parts together. The longest answers of today's models have some hundred thousand bytes.
    pub answer: usize,
    /// The body of an answer that is an error.
    pub error_body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { event: 16 * 1024 * 1024, answer: 16 * 1024 * 1024, error_body: 64 * 1024 }
    }
}

#[derive(Debug, Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    provider: Provider,
    info: ModelInfo,
    line: Line,
    policy: Policy,
    limits: Limits,
    defaults: Defaults,
}

/// How it is reached.
#[derive(Debug)]
enum Line {
    Http(reqwest::Client),
    /// Not at all: it is a part of this program.
    Offline,
}

/// What is added to every request for this model that does not say it itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Defaults {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub effort: Option<Effort>,
    /// Put into the body as they are, over what we would write.
    pub body: Map<String, Value>,
}

impl Defaults {
    /// These with others over them.
    #[must_use]
    pub fn then(mut self, later: Self) -> Self {
        self.body.extend(later.body);
        Self {
            temperature: later.temperature.or(self.temperature),
            top_p: later.top_p.or(self.top_p),
            effort: later.effort.or(self.effort),
            body: self.body,
        }
    }

    fn fill<'a>(&self, request: &'a Request) -> Cow<'a, Request> {
        let (temperature, top_p) = (request.temperature.or(self.temperature), request.top_p.or(self.top_p));
        let effort = request.effort.or(self.effort);
        if (temperature, top_p, effort) == (request.temperature, request.top_p, request.effort) {
            return Cow::Borrowed(request);
        }
        Cow::Owned(Request { temperature, top_p, effort, ..request.clone() })
    }
}

/// The events of one answer, in order.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Result<Event, Error>>,
    task: JoinHandle<()>,
}

impl Events {
    /// `None` after the last: one `Finished` or one error.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.receiver.recv().await
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Model {
    pub fn new(provider: Provider, info: ModelInfo, http: reqwest::Client, policy: Policy) -> Self {
        Self::over(Line::Http(http), provider, info, policy)
    }

    /// The one that needs no server and no key.
    pub fn offline() -> Self {
        Self::over(Line::Offline, offline::provider(), offline::info(), Policy::default())
    }

    fn over(line: Line, provider: Provider, info: ModelInfo, policy: Policy) -> Self {
        let (limits, defaults) = (Limits::default(), Defaults::default());
        Self { inner: Arc::new(Inner { provider, info, line, policy, limits, defaults }) }
    }

    pub fn with_defaults(mut self, defaults: Defaults) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.defaults = defaults;
        }
        self
    }

    /// With more of them, over those that it has.
    pub fn adding(mut self, more: Defaults) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.defaults = std::mem::take(&mut inner.defaults).then(more);
        }
        self
    }

    pub fn with_limits(mut self, limits: Limits) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.limits = limits;
        }
        self
    }

    pub fn info(&self) -> &ModelInfo {
        &self.inner.info
    }

    pub fn provider(&self) -> &Provider {
        &self.inner.provider
    }

    /// The body that would be sent, for measuring and for looking at.
    pub fn body(&self, request: &Request) -> Result<Vec<u8>, Error> {
        Ok(self.inner.encode(request)?.body)
    }

    /// Asks. Must be called within a tokio runtime.
    pub fn stream(&self, request: &Request) -> Result<Events, Error> {
        let inner = Arc::clone(&self.inner);
        let Line::Http(http) = &inner.line else { return Ok(offline_events(request)) };
        let call = send::prepare(http, &inner.provider, inner.encode(request)?)?;
        let dialect = &inner.provider.dialect;
        let is_strict = |tool: &&ToolSpec| dialect.strict && schema::for_dialect(dialect, &tool.parameters).1;
        let strict_tools = request.tools.iter().filter(is_strict).cloned().collect();
        let (sender, receiver) = mpsc::channel(64);
        let run = Run { inner, call, outlet: Outlet { sender, strict_tools } };
        Ok(Events { receiver, task: tokio::spawn(run.run()) })
    }
}

fn offline_events(request: &Request) -> Events {
    let (sender, receiver) = mpsc::channel(64);
    let events = offline::play(request);
    let task = tokio::spawn(async move {
        for event in events {
            if sender.send(Ok(event)).await.is_err() {
                return;
            }
        }
    });
    Events { receiver, task }
}

impl Inner {
    fn encode(&self, request: &Request) -> Result<Encoded, Error> {
        let target = Target { provider: &self.provider, info: &self.info };
        let mut encoded = self.provider.wire.encode(target, &self.defaults.fill(request))?;
        let additions: Vec<_> = self.provider.dialect.body.iter().chain(&self.defaults.body).collect();
        if !additions.is_empty()
            && let Ok(mut body) = serde_json::from_slice::<Map<String, Value>>(&encoded.body)
        {
            body.extend(additions.into_iter().map(|(key, value)| (key.clone(), value.clone())));
            encoded.body = serde_json::to_vec(&body).unwrap_or(encoded.body);
        }
        Ok(encoded)
    }
}

/// One request with all its attempts.
struct Run {
    inner: Arc<Inner>,
    call: send::Call,
    outlet: Outlet,
}

impl Run {
    async fn run(self) {
        let mut first_part = 0;
        let mut retries = 0;
        loop {
            let Inner { provider, info, limits, policy, .. } = &*self.inner;
            let mut answer = Answer::new(&provider.id, &info.id, first_part, limits.answer);
            let attempt = Attempt { inner: &self.inner, call: &self.call };
            let error = match attempt.run(&mut answer, &self.outlet).await {
                Ok(()) => {
                    let stop = answer.close();
                    if self.outlet.events(answer.take_events()).await {
                        self.finish(stop, &answer).await;
                    }
                    return;
                }
                Err(Broken::Unheard) => return,
                Err(Broken::By(error)) => error,
            };
            if answer.has_complete_call() {
                // Parts that were not complete stay without an end: they are lost, the calls stand.
                return self.finish(Stop::Broken, &answer).await;
            }
            if !error.kind.is_retryable() || retries >= policy.max_retries {
                self.outlet.send(Err(error)).await;
                return;
            }
            retries += 1;
            first_part = answer.next_part();
            if !self.wait(retries, error, answer.usage).await {
                return;
            }
        }
    }

    /// Announces the next attempt and waits for its time. False if nobody listens any more.
    async fn wait(&self, attempt: u32, error: Error, usage: Usage) -> bool {
        let delay = self.inner.policy.delay(attempt, error.retry_after, fastrand::f64());
        let retry = Retry { attempt, delay, at: SystemTime::now() + delay, error, usage };
        let heard = self.outlet.send(Ok(Event::Retry(retry))).await;
        if heard {
            tokio::time::sleep(delay).await;
        }
        heard
    }

    /// A price that came with the answer is truer than one from a list.
    async fn finish(&self, stop: Stop, answer: &Answer) {
        let listed = || self.inner.info.cost.as_ref().map(|prices| prices.cost(&answer.usage));
        let cost = answer.cost.or_else(listed);
        self.outlet.send(Ok(Event::Finished(Finish { stop, usage: answer.usage, cost }))).await;
    }
}

/// Where events go. False from its methods means that nobody listens any more.
struct Outlet {
    sender: mpsc::Sender<Result<Event, Error>>,
    /// The tools whose arguments come with nulls for what was left out.
    strict_tools: Vec<ToolSpec>,
}

impl Outlet {
    async fn send(&self, event: Result<Event, Error>) -> bool {
        self.sender.send(event).await.is_ok()
    }

    async fn events(&self, events: Vec<Event>) -> bool {
        for mut event in events {
            if let Event::Ended { content: Part::Call(call), .. } = &mut event
                && let Some(tool) = self.strict_tools.iter().find(|tool| tool.name == call.name)
                && let Some(arguments) = schema::drop_nulls(&call.arguments, &tool.parameters)
            {
                call.arguments = arguments;
            }
            if !self.send(Ok(event)).await {
                return false;
            }
        }
        true
    }
}
