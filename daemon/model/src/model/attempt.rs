//! One attempt: send the request, read the stream, feed the response.

use std::pin::pin;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until, timeout};

use super::http_call::HttpCall;
use super::{EventSender, ModelInner, elapsed_ms};
use crate::classify::{from_response, from_stream, from_transport, sanitize_message};
use crate::error::{ModelError, ModelErrorKind};
use crate::response_builder::{ResponseBuilder, StreamFault};
use crate::sse::{SseError, SseMessage, SseReader};
use crate::time_limits::{DELTA_INTERVAL, TRAILER_TIMEOUT};
use crate::wire::StreamDecoder;

pub(super) struct StreamAttempt<'a> {
    pub(super) inner: &'a ModelInner,
    pub(super) call: &'a HttpCall,
}

pub(super) enum AttemptError {
    Failed(ModelError),
    ReceiverDropped,
}

impl From<ModelError> for AttemptError {
    fn from(error: ModelError) -> Self {
        Self::Failed(error)
    }
}

impl StreamAttempt<'_> {
    /// Returns when the response is complete. Sends its events as they come, deltas at most every `DELTA_INTERVAL`; what is
    /// left in `answer` at the end is the caller's to send.
    pub(super) async fn run(
        &self,
        answer: &mut ResponseBuilder,
        outlet: &EventSender,
    ) -> Result<(), AttemptError> {
        let mut body = self.open().await?;
        let provider = &self.inner.provider;
        let mut reader = SseReader::new(self.inner.limits.event);
        let mut decoder = provider.wire.decoder();
        let mut messages = Vec::new();
        let mut last_event = Instant::now();
        let mut send_at = Instant::now();
        loop {
            let chunk = match self.next_chunk(&mut body, answer, outlet, &mut send_at).await {
                Ok(chunk) => chunk,
                // The response has reported its end, so anything missing is a formality.
                Err(AttemptError::Failed(_)) if answer.stop.is_some() => return Ok(()),
                Err(error) => return Err(error),
            };
            let ended = chunk.is_none();
            let read = match &chunk {
                Some(chunk) => reader.push(chunk, &mut messages),
                None => reader.finish().map(|last| messages.extend(last)),
            };
            let fed = self.decode_messages(&mut *decoder, &mut messages, answer, ended);
            if answer.has_events() {
                last_event = Instant::now();
            }
            let read = fed.and(read.map_err(|error| self.sse_to_error(&error)));
            if answer.is_complete || ((ended || read.is_err()) && answer.stop.is_some()) {
                return Ok(());
            }
            read?;
            if ended {
                return Err(self.error(ModelErrorKind::EndedEarly, "ended the response early").into());
            }
            if last_event.elapsed() > provider.timeouts.silence {
                return Err(self.stall_error(provider.timeouts.silence).into());
            }
        }
    }

    /// Sends the request and checks the head of the response.
    async fn open(&self) -> Result<Response, ModelError> {
        let provider = &self.inner.provider;
        let started = std::time::Instant::now();
        let sent = match provider.timeouts.first_byte {
            Some(limit) => timeout(limit, self.call.send()).await.map_err(|_| self.stall_error(limit))?,
            None => self.call.send().await,
        };
        let mut response = sent.map_err(|error| from_transport(provider, &error))?;
        let status = response.status().as_u16();
        let ms = elapsed_ms(started);
        tracing::debug!(status, ms, "response began");
        if status == 200 && is_stream(&response) {
            return Ok(response);
        }
        let mut body = Vec::new();
        let limit = self.inner.limits.error_body;
        let until = Instant::now() + TRAILER_TIMEOUT;
        while body.len() < limit {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(Some(chunk)) = self.chunk(&mut response, left).await else { break };
            body.extend_from_slice(chunk.get(..limit - body.len()).unwrap_or(&chunk));
        }
        Err(from_response(provider, &self.inner.spec.id, status, response.headers(), &body))
    }

    /// Waits for the next chunk. Events of `answer` wait for `send_at`; then what has arrived meanwhile is read first, and they are
    /// sent. So nothing is read in between, and the runtime is not woken for each piece.
    async fn next_chunk(
        &self,
        body: &mut Response,
        answer: &mut ResponseBuilder,
        outlet: &EventSender,
        send_at: &mut Instant,
    ) -> Result<Option<bytes::Bytes>, AttemptError> {
        let mut chunk = pin!(self.chunk(body, self.chunk_timeout(answer)));
        if answer.has_events() {
            sleep_until(*send_at).await;
            if Instant::now() < *send_at + DELTA_INTERVAL {
                // The task of the connection runs once more: it hands over one piece at a time.
                tokio::select! {
                    biased;
                    arrived = &mut chunk => return Ok(arrived?),
                    () = yield_now() => {}
                }
            }
            if !outlet.send_events(answer.take_events()).await {
                return Err(AttemptError::ReceiverDropped);
            }
            *send_at = Instant::now() + DELTA_INTERVAL;
        }
        Ok(chunk.await?)
    }

    fn chunk_timeout(&self, answer: &ResponseBuilder) -> Duration {
        let idle = self.inner.provider.timeouts.idle;
        if answer.stop.is_some() { idle.min(TRAILER_TIMEOUT) } else { idle }
    }

    async fn chunk(
        &self,
        response: &mut Response,
        limit: Duration,
    ) -> Result<Option<bytes::Bytes>, ModelError> {
        let provider = &self.inner.provider;
        match timeout(limit, response.chunk()).await {
            Err(_) => Err(self.stall_error(limit)),
            Ok(Err(error)) => Err(from_transport(provider, &error)),
            Ok(Ok(chunk)) => Ok(chunk),
        }
    }

    fn decode_messages(
        &self,
        decoder: &mut dyn StreamDecoder,
        messages: &mut Vec<SseMessage>,
        answer: &mut ResponseBuilder,
        ended: bool,
    ) -> Result<(), ModelError> {
        for message in messages.drain(..) {
            if answer.is_complete {
                break;
            }
            // A keep-alive event without data.
            if message.data.trim().is_empty() {
                continue;
            }
            match decoder.read_message(&message, answer) {
                // Cut inside an event: report only that the body ended early.
                Err(StreamFault::Malformed(_)) if ended => break,
                result => result.map_err(|fault| self.fault(fault))?,
            }
        }
        Ok(())
    }

    fn fault(&self, fault: StreamFault) -> ModelError {
        match fault {
            StreamFault::Malformed(what) => {
                let what = sanitize_message(&what, &self.inner.provider);
                self.error(ModelErrorKind::Malformed, &format!("sent an unreadable event: {what}"))
            }
            StreamFault::ServerError { code, message } => {
                from_stream(&self.inner.provider, &self.inner.spec.id, &code, &message)
            }
            StreamFault::TooLarge => {
                let limit = self.inner.limits.answer;
                self.error(ModelErrorKind::TooLarge, &format!("exceeded the response limit of {limit} bytes"))
            }
        }
    }

    fn sse_to_error(&self, error: &SseError) -> ModelError {
        let kind = match error {
            SseError::InvalidUtf8 => ModelErrorKind::Malformed,
            SseError::TooLarge { .. } => ModelErrorKind::TooLarge,
        };
        self.error(kind, &format!("sent an unreadable stream: {error}"))
    }

    fn stall_error(&self, limit: Duration) -> ModelError {
        self.error(ModelErrorKind::Stalled, &format!("sent nothing for {} s", limit.as_secs_f64()))
    }

    fn error(&self, kind: ModelErrorKind, what: &str) -> ModelError {
        ModelError::new(kind, format!("{} {what}", self.inner.provider.name))
    }
}

/// A missing content type counts as a stream; JSON and HTML do not.
fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    !(kind.starts_with("text/html") || kind.starts_with("application/json"))
}
