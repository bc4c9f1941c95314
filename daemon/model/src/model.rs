//! A model that takes requests.
//!
//! [`Model::stream`] encodes the request once, synchronously, and leaves the network to its own task.
//! Dropping the [`ModelStream`] cancels that task at once. Memory is bounded: the channel, one wire event and
//! the whole response have caps. [`crate::offline`], the one model without a server, has the same interface.

mod attempt;
mod http_call;
mod stream_thread;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::catalogue::ModelSpec;
use crate::error::ModelError;
use crate::event::{FinishReason, ModelEvent, RetryNotice, StreamFinish, TokenUsage};
use crate::offline;
use crate::provider::Provider;
use crate::request::{AssistantPart, ModelRequest, ReasoningEffort, ToolSpec};
use crate::response_builder::ResponseBuilder;
use crate::retry::RetryPolicy;
use crate::schema;
use crate::wire::{EncodedRequest, RequestTarget};
use attempt::{AttemptError, StreamAttempt};

/// Caps on what is kept of a server's output, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct StreamLimits {
    pub event: usize,
    /// All parts of a response together. The longest responses of current models have some hundred thousand
    /// bytes.
    pub answer: usize,
    pub error_body: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self { event: 16 * 1024 * 1024, answer: 16 * 1024 * 1024, error_body: 64 * 1024 }
    }
}

#[derive(Debug, Clone)]
pub struct Model {
    inner: Arc<ModelInner>,
}

#[derive(Debug)]
struct ModelInner {
    provider: Provider,
    spec: ModelSpec,
    transport: ModelTransport,
    policy: RetryPolicy,
    limits: StreamLimits,
    defaults: RequestDefaults,
}

#[derive(Debug)]
enum ModelTransport {
    Http(reqwest::Client),
    /// Part of this program; no network.
    Offline,
}

/// Settings for every request to this model that does not set them itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestDefaults {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub effort: Option<ReasoningEffort>,
    /// Merged into the body as they are; they override our own keys.
    pub body: Map<String, Value>,
}

impl RequestDefaults {
    /// Returns these defaults overridden by `later`.
    #[must_use]
    pub fn merge(mut self, later: Self) -> Self {
        self.body.extend(later.body);
        Self {
            temperature: later.temperature.or(self.temperature),
            top_p: later.top_p.or(self.top_p),
            effort: later.effort.or(self.effort),
            body: self.body,
        }
    }

    fn apply_to<'a>(&self, request: &'a ModelRequest) -> Cow<'a, ModelRequest> {
        let (temperature, top_p) = (request.temperature.or(self.temperature), request.top_p.or(self.top_p));
        let effort = request.effort.or(self.effort);
        if (temperature, top_p, effort) == (request.temperature, request.top_p, request.effort) {
            return Cow::Borrowed(request);
        }
        Cow::Owned(ModelRequest { temperature, top_p, effort, ..request.clone() })
    }
}

/// The events of one response, in order.
#[derive(Debug)]
pub struct ModelStream {
    receiver: mpsc::Receiver<Result<ModelEvent, ModelError>>,
    /// Arrived after a delta that was just returned.
    held: Option<Result<ModelEvent, ModelError>>,
    task: JoinHandle<()>,
}

/// Deltas are joined up to about this size.
const MAX_JOINED_BYTES: usize = 16 * 1024;

impl ModelStream {
    fn new(receiver: mpsc::Receiver<Result<ModelEvent, ModelError>>, task: JoinHandle<()>) -> Self {
        Self { receiver, held: None, task }
    }

    /// `None` after the last event, which is one `Finished` or one error. Deltas of one part that have arrived by now are one
    /// event: nothing is delayed, and a reader that is slower than the server has less to do.
    pub async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        let mut event = match self.held.take() {
            Some(event) => event,
            None => self.receiver.recv().await?,
        };
        if let Ok(ModelEvent::PartDelta { part, text }) = &mut event {
            while text.len() < MAX_JOINED_BYTES {
                match self.receiver.try_recv() {
                    Ok(Ok(ModelEvent::PartDelta { part: other, text: more })) if other == *part => {
                        text.push_str(&more);
                    }
                    Ok(other) => {
                        self.held = Some(other);
                        break;
                    }
                    Err(_) => break,
                }
            }
        }
        Some(event)
    }
}

impl Drop for ModelStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Model {
    pub fn new(provider: Provider, info: ModelSpec, http: reqwest::Client, policy: RetryPolicy) -> Self {
        Self::with_transport(ModelTransport::Http(http), provider, info, policy)
    }

    /// The model that needs no server and no key.
    pub fn offline() -> Self {
        Self::with_transport(
            ModelTransport::Offline,
            offline::provider(),
            offline::info(),
            RetryPolicy::default(),
        )
    }

    fn with_transport(
        transport: ModelTransport,
        provider: Provider,
        info: ModelSpec,
        policy: RetryPolicy,
    ) -> Self {
        let (limits, defaults) = (StreamLimits::default(), RequestDefaults::default());
        Self { inner: Arc::new(ModelInner { provider, spec: info, transport, policy, limits, defaults }) }
    }

    pub fn with_defaults(mut self, defaults: RequestDefaults) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.defaults = defaults;
        }
        self
    }

    /// Merges `more` over the present defaults.
    pub fn with_extra_defaults(mut self, more: RequestDefaults) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.defaults = std::mem::take(&mut inner.defaults).merge(more);
        }
        self
    }

    pub fn with_limits(mut self, limits: StreamLimits) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.limits = limits;
        }
        self
    }

    /// With the context that its server tells.
    #[must_use]
    pub fn with_context(mut self, context: u64) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.spec.context = context;
            inner.spec.output = inner.spec.output.min(context);
            inner.spec.is_context_assumed = false;
        }
        self
    }

    pub fn spec(&self) -> &ModelSpec {
        &self.inner.spec
    }

    pub fn provider(&self) -> &Provider {
        &self.inner.provider
    }

    /// The body that `stream` would send, for measuring and debugging.
    pub fn encode_body(&self, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
        Ok(self.inner.encode(request)?.body)
    }

    /// Starts the request. Must be called within a tokio runtime.
    pub fn stream(&self, request: &ModelRequest) -> Result<ModelStream, ModelError> {
        let inner = Arc::clone(&self.inner);
        let ModelTransport::Http(http) = &inner.transport else { return Ok(offline_events(request)) };
        let call = http_call::prepare(http, &inner.provider, inner.encode(request)?)?;
        let dialect = &inner.provider.dialect;
        let is_strict = |tool: &&ToolSpec| dialect.strict && schema::for_dialect(dialect, &tool.parameters).1;
        let strict_tools = request.tools.iter().filter(is_strict).cloned().collect();
        let (sender, receiver) = mpsc::channel(64);
        // Of the highest level, so that a line of any level says whom it is about.
        let span = tracing::error_span!("request", provider = inner.provider.id, model = inner.spec.id);
        let run = RequestTask { inner, call, sender: EventSender { sender, strict_tools } };
        Ok(ModelStream::new(receiver, stream_thread::handle().spawn(run.run().instrument(span))))
    }
}

fn offline_events(request: &ModelRequest) -> ModelStream {
    let (sender, receiver) = mpsc::channel(64);
    let events = offline::stream_events(request);
    tracing::debug!("the offline model answers");
    let task = tokio::spawn(async move {
        for event in events {
            if sender.send(Ok(event)).await.is_err() {
                return;
            }
        }
    });
    ModelStream::new(receiver, task)
}

impl ModelInner {
    fn encode(&self, request: &ModelRequest) -> Result<EncodedRequest, ModelError> {
        let target = RequestTarget { provider: &self.provider, info: &self.spec };
        let mut encoded = self.provider.wire.encode(target, &self.defaults.apply_to(request))?;
        let additions = self.provider.dialect.body.iter().chain(&self.defaults.body);
        let additions: Vec<(&str, Box<RawValue>)> =
            additions.filter_map(|(key, value)| Some((key.as_str(), to_raw_value(value).ok()?))).collect();
        // The members of a body are not parsed: a conversation may have ten megabytes.
        if !additions.is_empty()
            && let Ok(mut body) = serde_json::from_slice::<BTreeMap<&str, &RawValue>>(&encoded.body)
        {
            body.extend(additions.iter().map(|(key, value)| (*key, &**value)));
            encoded.body = serde_json::to_vec(&body).unwrap_or(encoded.body);
        }
        Ok(encoded)
    }
}

/// One request with all its attempts.
struct RequestTask {
    inner: Arc<ModelInner>,
    call: http_call::HttpCall,
    sender: EventSender,
}

impl RequestTask {
    async fn run(self) {
        let mut first_part = 0;
        let mut retries = 0;
        loop {
            let ModelInner { provider, spec: info, limits, policy, .. } = &*self.inner;
            let mut answer = ResponseBuilder::new(&provider.id, &info.id, first_part, limits.answer);
            let attempt = StreamAttempt { inner: &self.inner, call: &self.call };
            let started = Instant::now();
            tracing::debug!(attempt = retries + 1, body_bytes = self.call.body_bytes(), "request sent");
            let result = attempt.run(&mut answer, &self.sender).await;
            if !self.sender.send_events(answer.take_events()).await {
                return;
            }
            let error = match result {
                Ok(()) => {
                    let stop = answer.finish();
                    let TokenUsage { input, output, cache_read, .. } = answer.usage;
                    let ms = elapsed_ms(started);
                    tracing::debug!(stop = ?stop, input, cache_read, output, ms, "response complete");
                    if self.sender.send_events(answer.take_events()).await {
                        self.finish(stop, &answer).await;
                    }
                    return;
                }
                Err(AttemptError::ReceiverDropped) => return,
                Err(AttemptError::Failed(error)) => error,
            };
            // Not its message, which may quote the request.
            let (kind, status, ms) = (error.kind, error.status.unwrap_or_default(), elapsed_ms(started));
            if answer.has_complete_call() {
                tracing::warn!(?kind, ms, "the stream broke; the calls that are complete stand");
                // Incomplete parts get no end: they are lost, the calls stand.
                return self.finish(FinishReason::Broken, &answer).await;
            }
            if !error.kind.is_retryable() || retries >= policy.max_retries {
                tracing::warn!(?kind, status, ms, attempts = retries + 1, "request failed");
                self.sender.send(Err(error)).await;
                return;
            }
            retries += 1;
            first_part = answer.next_part();
            if !self.announce_retry(retries, error, answer.usage).await {
                return;
            }
        }
    }

    /// Announces the next attempt and waits for its time. False if the receiver is gone.
    async fn announce_retry(&self, attempt: u32, error: ModelError, usage: TokenUsage) -> bool {
        let delay = self.inner.policy.delay(attempt, error.retry_after, fastrand::f64());
        let (kind, status) = (error.kind, error.status.unwrap_or_default());
        tracing::warn!(retry = attempt, ?kind, status, delay_ms = delay.as_millis(), "request is retried");
        let retry = RetryNotice { attempt, delay, retry_at: SystemTime::now() + delay, error, usage };
        let delivered = self.sender.send(Ok(ModelEvent::Retry(retry))).await;
        if delivered {
            tokio::time::sleep(delay).await;
        }
        delivered
    }

    /// A cost reported by the server wins over the catalogue's prices.
    async fn finish(&self, stop: FinishReason, answer: &ResponseBuilder) {
        let listed = || self.inner.spec.cost.as_ref().map(|prices| prices.cost(&answer.usage));
        let cost = answer.cost.or_else(listed);
        self.sender
            .send(Ok(ModelEvent::Finished(StreamFinish { reason: stop, usage: answer.usage, cost })))
            .await;
    }
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Methods return false once the receiver is gone.
struct EventSender {
    sender: mpsc::Sender<Result<ModelEvent, ModelError>>,
    /// Tools whose strict schema makes the model send nulls for omitted arguments.
    strict_tools: Vec<ToolSpec>,
}

impl EventSender {
    async fn send(&self, event: Result<ModelEvent, ModelError>) -> bool {
        self.sender.send(event).await.is_ok()
    }

    async fn send_events(&self, events: Vec<ModelEvent>) -> bool {
        for mut event in events {
            if let ModelEvent::PartEnded { content: AssistantPart::Call(call), .. } = &mut event
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn deltas_of_one_part_that_have_arrived_are_one_event() {
        let (sender, receiver) = mpsc::channel(64);
        let delta = |part, text: &str| ModelEvent::PartDelta { part, text: text.to_owned() };
        for event in [
            delta(0, "a"),
            delta(0, "b"),
            delta(1, "c"),
            delta(0, "d"),
            delta(0, &"e".repeat(MAX_JOINED_BYTES)),
            delta(0, "f"),
        ] {
            sender.send(Ok(event)).await.unwrap();
        }
        drop(sender);
        let mut stream = ModelStream::new(receiver, tokio::spawn(async {}));
        let long = format!("d{}", "e".repeat(MAX_JOINED_BYTES));
        for (part, text) in [(0, "ab"), (1, "c"), (0, long.as_str()), (0, "f")] {
            let ModelEvent::PartDelta { part: at, text: joined } = stream.next().await.unwrap().unwrap()
            else {
                panic!("not a delta")
            };
            assert_eq!((at, joined.as_str()), (part, text));
        }
        assert!(stream.next().await.is_none());
    }
}
