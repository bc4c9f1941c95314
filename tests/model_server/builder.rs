//! Turns written in Rust: `ScriptedTurn::new().reasoning("Hm.").signed("s").text("Hello").gate("g").call(…)`.
//!
//! An invalid script panics where it is written, not where it is played.

use serde_json::Value;

use super::failure::{ScriptedError, ScriptedErrorKind};
use super::turn::{
    BodyChunking, ReasoningField, ScriptedBody, ScriptedCall, ScriptedPiece, ScriptedReasoning,
    ScriptedResponse, ScriptedStop, ScriptedTurn, ScriptedUsage,
};

/// The content of the stream.
impl ScriptedTurn {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn piece(mut self, piece: ScriptedPiece) -> Self {
        self.pieces.push(piece);
        self
    }

    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Text(text.into()))
    }

    /// Text in exactly these chunks.
    pub(crate) fn chunks<T: Into<String>>(self, chunks: impl IntoIterator<Item = T>) -> Self {
        self.piece(ScriptedPiece::Chunks(chunks.into_iter().map(Into::into).collect()))
    }

    pub(crate) fn reasoning(self, text: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Reasoning(ScriptedReasoning {
            text: text.into(),
            ..ScriptedReasoning::default()
        }))
    }

    pub(crate) fn redacted(self, data: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Reasoning(ScriptedReasoning {
            redacted: Some(data.into()),
            ..ScriptedReasoning::default()
        }))
    }

    /// Signs the last reasoning or call.
    pub(crate) fn signed(mut self, signature: impl Into<String>) -> Self {
        match self.pieces.last_mut() {
            Some(ScriptedPiece::Reasoning(reasoning)) => reasoning.signature = Some(signature.into()),
            Some(ScriptedPiece::Call(call)) => call.signature = Some(signature.into()),
            other => panic!("only reasoning and calls are signed, not {other:?}"),
        }
        self
    }

    pub(crate) fn call(self, id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        self.piece(ScriptedPiece::Call(ScriptedCall {
            id: id.into(),
            name: name.into(),
            arguments,
            raw: None,
            signature: None,
        }))
    }

    /// A call with this text as arguments, JSON or not; `arguments` may continue it.
    pub(crate) fn raw_call(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        raw: impl Into<String>,
    ) -> Self {
        self.piece(ScriptedPiece::Call(ScriptedCall {
            id: id.into(),
            name: name.into(),
            arguments: Value::Null,
            raw: Some(raw.into()),
            signature: None,
        }))
    }

    /// More arguments for the last `raw_call`.
    pub(crate) fn arguments(self, text: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Arguments(text.into()))
    }

    pub(crate) fn split(self) -> Self {
        self.piece(ScriptedPiece::Split)
    }

    pub(crate) fn gate(self, name: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Gate(name.into()))
    }

    pub(crate) fn ping(self) -> Self {
        self.piece(ScriptedPiece::Ping)
    }

    pub(crate) fn raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.piece(ScriptedPiece::Raw(bytes.into()))
    }

    pub(crate) fn malformed(self) -> Self {
        self.piece(ScriptedPiece::Malformed)
    }

    pub(crate) fn error(self, kind: ScriptedErrorKind, message: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Error(ScriptedError::new(kind, message)))
    }

    pub(crate) fn reset(self) -> Self {
        self.piece(ScriptedPiece::Reset)
    }

    pub(crate) fn end(self) -> Self {
        self.piece(ScriptedPiece::End)
    }

    pub(crate) fn truncated(self) -> Self {
        self.piece(ScriptedPiece::Truncated)
    }

    pub(crate) fn stall(self, name: impl Into<String>) -> Self {
        self.piece(ScriptedPiece::Stall(name.into()))
    }

    /// Valid text deltas until the client hangs up.
    pub(crate) fn endless_text() -> Self {
        Self::new().piece(ScriptedPiece::Endless)
    }
}

/// How the stream is sent.
impl ScriptedTurn {
    pub(crate) fn chunk(mut self, characters: usize) -> Self {
        self.chunk = characters;
        self
    }

    pub(crate) fn interleave(mut self, interleave: bool) -> Self {
        self.interleave = interleave;
        self
    }

    pub(crate) fn reasoning_field(mut self, field: ReasoningField) -> Self {
        self.reasoning_field = field;
        self
    }

    pub(crate) fn stop(mut self, stop: ScriptedStop) -> Self {
        self.stop = Some(stop);
        self
    }

    pub(crate) fn usage(mut self, usage: ScriptedUsage) -> Self {
        self.usage = Some(usage);
        self
    }

    pub(crate) fn one_write_per_event(mut self, each: bool) -> Self {
        self.writes = if each { BodyChunking::Event } else { BodyChunking::Large };
        self
    }

    /// Splits the body every `count` bytes, through events and characters.
    pub(crate) fn bytes_per_write(mut self, count: usize) -> Self {
        self.writes = BodyChunking::Bytes(count);
        self
    }

    /// A gate before the status line.
    pub(crate) fn gate_before_response(mut self, gate: impl Into<String>) -> Self {
        self.hold = Some(gate.into());
        self
    }

    pub(crate) fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// Responses other than a stream.
impl ScriptedTurn {
    fn answer(answer: ScriptedResponse) -> Self {
        Self { answer: Some(answer), ..Self::default() }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::answer(ScriptedResponse::Status { status, body: ScriptedBody::default() })
    }

    pub(crate) fn body(mut self, new: impl Into<ScriptedBody>) -> Self {
        match &mut self.answer {
            Some(ScriptedResponse::Status { body, .. }) => *body = new.into(),
            other => panic!("only Turn::status has a body to set, not {other:?}"),
        }
        self
    }

    /// An error in the form of the current wire.
    pub(crate) fn failure(kind: ScriptedErrorKind, message: impl Into<String>) -> Self {
        Self::answer(ScriptedResponse::Failure(ScriptedError::new(kind, message)))
    }

    pub(crate) fn rate_limited(retry_after: impl Into<String>) -> Self {
        Self::failure(ScriptedErrorKind::RateLimit, "Too many requests.").header("retry-after", retry_after)
    }

    pub(crate) fn server_error() -> Self {
        Self::failure(ScriptedErrorKind::Server, "Internal server error")
    }

    /// 529 from Anthropic, 503 from the others.
    pub(crate) fn overloaded() -> Self {
        Self::failure(ScriptedErrorKind::Overloaded, "Overloaded")
    }

    /// What a proxy or a sign-in page sends with status 200.
    pub(crate) fn html() -> Self {
        Self::status(200)
            .body(ScriptedBody::Html("<!doctype html><title>Sign in</title><p>Sign in.\n".to_owned()))
    }

    pub(crate) fn json_error(status: u16, body: Value) -> Self {
        Self::status(status).body(body)
    }

    pub(crate) fn redirect(status: u16, location: impl Into<String>) -> Self {
        Self::status(status).header("location", location)
    }

    pub(crate) fn hang_up() -> Self {
        Self::answer(ScriptedResponse::HangUp)
    }

    /// One endless event line, for as long as the client reads.
    pub(crate) fn endless_body() -> Self {
        Self::answer(ScriptedResponse::EndlessBody)
    }
}

impl ScriptedTurn {
    /// Panics with the reason if the turn cannot be played as written.
    pub(crate) fn check(&self) {
        assert!(self.chunk > 0, "a chunk has at least one character");
        let usage = self.usage.unwrap_or_default();
        assert!(usage.reasoning <= usage.output, "output includes reasoning: {usage:?}");
        assert!(!matches!(self.writes, BodyChunking::Bytes(0)), "a write has at least one byte");
        assert!(
            self.answer.is_none() || self.pieces.is_empty(),
            "a turn is an answer or a stream, not both: {:?}",
            self.pieces
        );
        if let Some(at) = self.pieces.iter().position(ScriptedPiece::is_last) {
            let rest = self.pieces.get(at + 1..).unwrap_or_default();
            assert!(rest.is_empty(), "nothing can follow {:?}: {rest:?}", self.pieces.get(at));
        }
        let mut before: Option<&ScriptedPiece> = None;
        for piece in
            self.pieces.iter().filter(|piece| piece.is_content() || matches!(piece, ScriptedPiece::Split))
        {
            if matches!(piece, ScriptedPiece::Arguments(_)) {
                let continues = matches!(before, Some(ScriptedPiece::Call(_) | ScriptedPiece::Arguments(_)));
                assert!(continues, "arguments continue a call, not {before:?}");
            }
            before = Some(piece);
        }
    }
}

impl From<&str> for ScriptedBody {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for ScriptedBody {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Value> for ScriptedBody {
    fn from(json: Value) -> Self {
        Self::Json(json)
    }
}
