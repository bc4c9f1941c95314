//! A model's turn as data, the same for all four wires: its content, where it waits, how it breaks.
//!
//! Built in Rust (`builder.rs`) or parsed from JSON, where a piece is `{"text": "Hello"}`, `{"gate": "g"}` or
//! `"ping"`:
//!
//! ```json
//! { "pieces": [{ "reasoning": { "text": "Hm.", "signature": "s" } },
//!              { "call": { "id": "c1", "name": "read", "arguments": { "filePath": "a" } } }],
//!   "chunk": 4, "usage": { "input": 10, "output": 5 } }
//! { "answer": { "status": { "status": 429, "body": { "json": {} } } }, "headers": [["retry-after", "2"]] }
//! ```

use serde::Deserialize;
use serde_json::{Map, Value};

use super::failure::ScriptedError;

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ScriptedTurn {
    pub(crate) pieces: Vec<ScriptedPiece>,
    /// Characters per delta of text, reasoning or arguments.
    pub(crate) chunk: usize,
    /// Chat only: adjacent calls stream their arguments in turns, as parallel calls may.
    pub(crate) interleave: bool,
    pub(crate) reasoning_field: ReasoningField,
    /// The default is `calls` if there is a call, else `end`.
    pub(crate) stop: Option<ScriptedStop>,
    /// Without it Chat and Gemini report nothing, and the two that must report send zero.
    pub(crate) usage: Option<ScriptedUsage>,
    pub(crate) writes: BodyChunking,
    /// A gate before the status line: the request has arrived, and no response comes.
    pub(crate) hold: Option<String>,
    /// Added to the response, whatever its kind.
    pub(crate) headers: Vec<(String, String)>,
    /// Replaces the stream; `pieces` is then empty.
    pub(crate) answer: Option<ScriptedResponse>,
}

impl Default for ScriptedTurn {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            chunk: 8,
            interleave: false,
            reasoning_field: ReasoningField::default(),
            stop: None,
            usage: None,
            writes: BodyChunking::default(),
            hold: None,
            headers: Vec::new(),
            answer: None,
        }
    }
}

/// Adjacent texts are one block on the wire, whatever gates are between them, and so are adjacent reasonings up to a
/// signed one. A fault cuts the block before it, also a call; a `Split` before it ends the block.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedPiece {
    Reasoning(ScriptedReasoning),
    Text(String),
    /// Text in given chunks.
    Chunks(Vec<String>),
    Call(ScriptedCall),
    /// More of the last call's arguments, as text: for gates and faults inside them.
    Arguments(String),
    /// Ends the open block: the next text begins its own, the next fault comes after a complete one.
    Split,
    /// Nothing after this is sent before the test opens it.
    Gate(String),
    Ping,
    /// Raw body bytes.
    #[serde(deserialize_with = "bytes_of_text")]
    Raw(Vec<u8>),
    /// An event whose data is not JSON. The stream continues.
    Malformed,
    /// An error in the wire's own form; it ends the stream.
    Error(ScriptedError),
    /// Resets the connection. Bytes sent before may be lost, as in reality: a test that needs them delivered puts a
    /// gate before the reset and opens it when the client has them.
    Reset,
    /// Ends the body properly, but not the message.
    End,
    /// Closes the connection in the middle of the body.
    Truncated,
    /// Sends nothing more until the client hangs up; named like a gate, but need not be opened.
    Stall(String),
    /// Endless text, until the client hangs up.
    Endless,
}

impl ScriptedPiece {
    /// Whether the stream cannot continue after it.
    pub(crate) fn is_last(&self) -> bool {
        matches!(
            self,
            Self::Error(_) | Self::Reset | Self::End | Self::Truncated | Self::Stall(_) | Self::Endless
        )
    }

    /// Whether it begins or continues a block.
    pub(crate) fn is_content(&self) -> bool {
        matches!(
            self,
            Self::Reasoning(_) | Self::Text(_) | Self::Chunks(_) | Self::Call(_) | Self::Arguments(_)
        )
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ScriptedReasoning {
    pub(crate) text: String,
    /// Anthropic's signature, Responses' encrypted content, Gemini's thought signature; Chat has none.
    pub(crate) signature: Option<String>,
    /// Reasoning that is not shown; `text` is then empty. Chat cannot express this.
    pub(crate) redacted: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptedCall {
    /// Gemini omits an empty id.
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default = "no_arguments")]
    pub(crate) arguments: Value,
    /// The arguments as text, instead of `arguments`: for invalid or incomplete JSON.
    #[serde(default)]
    pub(crate) raw: Option<String>,
    /// Gemini's thought signature on this call.
    #[serde(default)]
    pub(crate) signature: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedStop {
    End,
    Calls,
    Length,
    Refusal,
    /// Anthropic only; `End` on other wires.
    Pause,
}

/// Tokens, none counted twice on the input side: the prompt is `input + cache_read + cache_write`. `output` includes
/// `reasoning`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ScriptedUsage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    pub(crate) reasoning: u64,
}

impl ScriptedUsage {
    pub(crate) fn prompt(self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }

    pub(crate) fn total(self) -> u64 {
        self.prompt() + self.output
    }
}

/// Imitators of Chat disagree about the field for reasoning.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReasoningField {
    #[default]
    ReasoningContent,
    Reasoning,
}

/// How the body is split into writes; each is one HTTP chunk.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BodyChunking {
    /// As much as there is before the next gate.
    #[default]
    Large,
    Event,
    /// Splits at this count, even inside a character.
    Bytes(usize),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedResponse {
    Status {
        status: u16,
        #[serde(default)]
        body: ScriptedBody,
    },
    /// Status and body in the form of the wire.
    Failure(ScriptedError),
    /// Resets the connection before the status line.
    HangUp,
    /// A stream of one endless line.
    EndlessBody,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedBody {
    Text(String),
    Json(Value),
    Html(String),
}

impl Default for ScriptedBody {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

fn bytes_of_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    String::deserialize(deserializer).map(String::into_bytes)
}
