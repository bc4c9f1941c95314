//! One attempt: send, read to the end, feed the answer.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::time::{Instant, timeout};

use super::send::Call;
use super::{Inner, Outlet};
use crate::answer::{Answer, Fault};
use crate::classify::{from_response, from_stream, from_transport, tidy};
use crate::error::{Error, ErrorKind};
use crate::sse::{Message, Reader, SseError};
use crate::wire::Decoder;

/// How long we wait for what follows at once where anything follows: the usage after the last word, the text of an error.
const FORMALITY: Duration = Duration::from_secs(15);

pub(super) struct Attempt<'a> {
    pub(super) inner: &'a Inner,
    pub(super) call: &'a Call,
}

/// Why an attempt ended without an answer.
pub(super) enum Broken {
    By(Error),
    /// Nobody listens any more.
    Unheard,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::By(error)
    }
}

impl Attempt<'_> {
    /// Returns when the answer is complete; its events leave after every chunk.
    pub(super) async fn run(&self, answer: &mut Answer, outlet: &Outlet) -> Result<(), Broken> {
        let mut body = self.open().await?;
        let provider = &self.inner.provider;
        let mut reader = Reader::new(self.inner.limits.event);
        let mut decoder = provider.wire.decoder();
        let mut messages = Vec::new();
        let mut heard = Instant::now();
        loop {
            let chunk = match self.chunk(&mut body, self.patience(answer)).await {
                Ok(chunk) => chunk,
                // The answer has said that it is at its end: what is missing is a formality.
                Err(_) if answer.stop.is_some() => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let ended = chunk.is_none();
            let read = match &chunk {
                Some(chunk) => reader.push(chunk, &mut messages),
                None => reader.finish().map(|last| messages.extend(last)),
            };
            let fed = self.feed(&mut *decoder, &mut messages, answer, ended);
            let events = answer.take_events();
            if !events.is_empty() {
                heard = Instant::now();
                if !outlet.events(events).await {
                    return Err(Broken::Unheard);
                }
            }
            let read = fed.and(read.map_err(|error| self.unreadable(&error)));
            if answer.complete || ((ended || read.is_err()) && answer.stop.is_some()) {
                return Ok(());
            }
            read?;
            if ended {
                return Err(self.error(ErrorKind::EndedEarly, "ended its answer in the middle").into());
            }
            if heard.elapsed() > provider.timeouts.silence {
                return Err(self.stalled(provider.timeouts.silence).into());
            }
        }
    }

    /// Sends the request and looks at how the answer begins.
    async fn open(&self) -> Result<Response, Error> {
        let provider = &self.inner.provider;
        let sent = match provider.timeouts.first_byte {
            Some(limit) => timeout(limit, self.call.send()).await.map_err(|_| self.stalled(limit))?,
            None => self.call.send().await,
        };
        let mut response = sent.map_err(|error| from_transport(provider, &error))?;
        let status = response.status().as_u16();
        if status == 200 && is_stream(&response) {
            return Ok(response);
        }
        let mut body = Vec::new();
        let limit = self.inner.limits.error_body;
        let until = Instant::now() + FORMALITY;
        while body.len() < limit {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(Some(chunk)) = self.chunk(&mut response, left).await else { break };
            body.extend_from_slice(chunk.get(..limit - body.len()).unwrap_or(&chunk));
        }
        Err(from_response(provider, &self.inner.info.id, status, response.headers(), &body))
    }

    /// How long the next chunk may take.
    fn patience(&self, answer: &Answer) -> Duration {
        let idle = self.inner.provider.timeouts.idle;
        if answer.stop.is_some() { idle.min(FORMALITY) } else { idle }
    }

    async fn chunk(&self, response: &mut Response, limit: Duration) -> Result<Option<bytes::Bytes>, Error> {
        let provider = &self.inner.provider;
        match timeout(limit, response.chunk()).await {
            Err(_) => Err(self.stalled(limit)),
            Ok(Err(error)) => Err(from_transport(provider, &error)),
            Ok(Ok(chunk)) => Ok(chunk),
        }
    }

    fn feed(
        &self,
        decoder: &mut dyn Decoder,
        messages: &mut Vec<Message>,
        answer: &mut Answer,
        ended: bool,
    ) -> Result<(), Error> {
        for message in messages.drain(..) {
            if answer.complete {
                break;
            }
            // Kept alive by an event with nothing in it.
            if message.data.trim().is_empty() {
                continue;
            }
            match decoder.read(&message, answer) {
                // Cut in the middle of an event: the body ended early, and that is all there is to say.
                Err(Fault::Malformed(_)) if ended => break,
                result => result.map_err(|fault| self.fault(fault))?,
            }
        }
        Ok(())
    }

    fn fault(&self, fault: Fault) -> Error {
        match fault {
            Fault::Malformed(what) => {
                let what = tidy(&what, &self.inner.provider);
                self.error(ErrorKind::Malformed, &format!("sent an event that cannot be read: {what}"))
            }
            Fault::Told { code, message } => {
                from_stream(&self.inner.provider, &self.inner.info.id, &code, &message)
            }
            Fault::TooLarge => {
                let limit = self.inner.limits.answer;
                self.error(
                    ErrorKind::TooLarge,
                    &format!("does not stop: its answer is longer than {limit} bytes"),
                )
            }
        }
    }

    fn unreadable(&self, error: &SseError) -> Error {
        let kind = match error {
            SseError::InvalidUtf8 => ErrorKind::Malformed,
            SseError::TooLarge { .. } => ErrorKind::TooLarge,
        };
        self.error(kind, &format!("cannot be read: {error}"))
    }

    fn stalled(&self, limit: Duration) -> Error {
        self.error(ErrorKind::Stalled, &format!("sent nothing for {} s", limit.as_secs_f64()))
    }

    fn error(&self, kind: ErrorKind, what: &str) -> Error {
        Error::new(kind, format!("{} {what}", self.inner.provider.name))
    }
}

/// A server that says nothing of the type is believed; one that says JSON or HTML is not streaming.
fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    !(kind.starts_with("text/html") || kind.starts_with("application/json"))
}
