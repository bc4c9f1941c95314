//! A model on each wire, connected to the scripted server, and answers as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use copydesk_model::catalogue::{ModelPrices, ReasoningControl, TokenPrices};
use copydesk_model::retry::RetryPolicy;
use copydesk_model::settings::{ModelSettings, ProviderSettings, ReasoningSetting, SettingValue};
use copydesk_model::{
    AssistantPart, Model, ModelError, ModelEvent, ModelMessage, ModelRegistry, ModelRequest, ModelStream,
    PartKind, RegistrySettings, SecretString, StreamLimits, UserPart, WireProtocol,
};
use serde_json::{Map, Value};

use crate::model_server::{self, ScriptedModelServer, ScriptedTurn};

/// Retries without a wait: the delays are tested where they are computed.
const QUICK: RetryPolicy =
    RetryPolicy { max_retries: 2, first: Duration::from_millis(1), cap: Duration::from_millis(1) };

/// How a test's model differs from the default.
#[derive(Debug, Clone)]
pub(crate) struct TestModelOptions {
    pub(crate) wire: WireProtocol,
    pub(crate) base_url: String,
    pub(crate) policy: RetryPolicy,
    pub(crate) idle: Option<Duration>,
    pub(crate) first_byte: Option<Duration>,
    pub(crate) limits: StreamLimits,
    pub(crate) dialect: Map<String, Value>,
    pub(crate) model: ModelSettings,
    pub(crate) key: Option<&'static str>,
}

impl TestModelOptions {
    pub(crate) fn new(wire: WireProtocol, server: &ScriptedModelServer) -> Self {
        Self::with_base_url(wire, server.base_url(of_server(wire)))
    }

    pub(crate) fn with_base_url(wire: WireProtocol, base_url: String) -> Self {
        let control = match wire {
            WireProtocol::Anthropic => ReasoningControl::Adaptive,
            WireProtocol::OpenaiChat | WireProtocol::OpenaiResponses => ReasoningControl::Effort,
            WireProtocol::Gemini => ReasoningControl::Level,
        };
        let base = TokenPrices { input: 1.0, output: 10.0, cache_read: Some(0.1), cache_write: Some(2.0) };
        let model = ModelSettings {
            context: Some(100_000),
            output: Some(20_000),
            cost: Some(ModelPrices { base, above: None }),
            images: Some(true),
            pdf: Some(true),
            caching: Some(true),
            reasoning: Some(ReasoningSetting::Control(control)),
            ..ModelSettings::default()
        };
        Self {
            wire,
            base_url,
            policy: QUICK,
            idle: None,
            first_byte: None,
            limits: StreamLimits::default(),
            dialect: Map::new(),
            model,
            key: Some("sk-test"),
        }
    }

    pub(crate) fn dialect(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.dialect.insert(key.to_owned(), value.into());
        self
    }

    pub(crate) fn model(&self) -> Result<Model, ModelError> {
        let provider = ProviderSettings {
            name: Some("Script".into()),
            wire: Some(self.wire),
            base_url: Some(SettingValue { value: self.base_url.clone(), is_trusted: true }),
            key: self.key.map(|key| SettingValue { value: SecretString::new(key), is_trusted: true }),
            idle: self.idle,
            first_byte: self.first_byte.map(Some),
            dialect: self.dialect.clone(),
            models: vec![("m-1".into(), self.model.clone())],
            ..ProviderSettings::default()
        };
        let providers = BTreeMap::from([("script".to_owned(), provider)]);
        let settings = RegistrySettings { providers, policy: self.policy, ..RegistrySettings::default() };
        ModelRegistry::new(settings, BTreeMap::new(), Box::new(|_| None))
            .model("script/m-1")
            .map(|model| model.with_limits(self.limits))
    }

    pub(crate) async fn collect_answer(&self, request: &ModelRequest) -> CollectedStream {
        match self.model().and_then(|model| model.stream(request)) {
            Ok(events) => CollectedStream::collect(events).await,
            Err(error) => CollectedStream { events: Vec::new(), error: Some(error) },
        }
    }
}

pub(crate) fn of_server(wire: WireProtocol) -> model_server::ScriptedWire {
    match wire {
        WireProtocol::Anthropic => model_server::ScriptedWire::Anthropic,
        WireProtocol::OpenaiChat => model_server::ScriptedWire::Chat,
        WireProtocol::OpenaiResponses => model_server::ScriptedWire::Responses,
        WireProtocol::Gemini => model_server::ScriptedWire::Gemini,
    }
}

pub(crate) fn hello() -> ModelRequest {
    ModelRequest {
        messages: vec![ModelMessage::User(vec![UserPart::Text("Hello".into())])],
        ..ModelRequest::default()
    }
}

/// Everything that arrived, to the end.
#[derive(Debug)]
pub(crate) struct CollectedStream {
    pub(crate) events: Vec<ModelEvent>,
    pub(crate) error: Option<ModelError>,
}

impl CollectedStream {
    pub(crate) async fn collect(mut stream: ModelStream) -> Self {
        let mut answer = Self { events: Vec::new(), error: None };
        while let Some(event) = stream.next().await {
            match event {
                Ok(event) => answer.events.push(event),
                Err(error) => answer.error = Some(error),
            }
        }
        answer
    }

    /// The complete parts, by number.
    pub(crate) fn parts(&self) -> Vec<AssistantPart> {
        let ended = self.events.iter().filter_map(|event| match event {
            ModelEvent::PartEnded { part, content } => Some((*part, content.clone())),
            _ => None,
        });
        let mut parts: Vec<_> = ended.collect();
        parts.sort_by_key(|(part, _)| *part);
        parts.into_iter().map(|(_, content)| content).collect()
    }

    /// One line per event, without what differs between wires: how text was split, ids that we made up, the
    /// provider's own signatures.
    pub(crate) fn transcript(&self) -> String {
        let mut lines = String::new();
        let mut pieces: BTreeMap<usize, String> = BTreeMap::new();
        let mut kinds: BTreeMap<usize, &'static str> = BTreeMap::new();
        for event in &self.events {
            match event {
                ModelEvent::PartStarted { part, kind } => {
                    let word = match kind {
                        PartKind::Text => "text",
                        PartKind::Reasoning => "reasoning",
                        PartKind::Call { .. } => "call",
                    };
                    assert!(kinds.insert(*part, word).is_none(), "part {part} starts once");
                    pieces.insert(*part, String::new());
                }
                ModelEvent::PartDelta { part, text } => {
                    pieces.get_mut(part).expect("a piece belongs to a part that has started").push_str(text);
                }
                ModelEvent::PartEnded { part, content } => {
                    let streamed = pieces.remove(part).expect("a part ends once, after it has started");
                    let line = match content {
                        AssistantPart::Text(text) => same(&streamed, &text.text, "text", ""),
                        AssistantPart::Reasoning(reasoning) => {
                            same(&streamed, &reasoning.text, "reasoning", "")
                        }
                        AssistantPart::Call(call) => {
                            let id = if call.id.starts_with("call") && call.id.len() == 24 {
                                "(new)"
                            } else {
                                &call.id
                            };
                            let streamed = if streamed.is_empty() { "{}".to_owned() } else { streamed };
                            same(&streamed, &call.arguments, "call", &format!("{id} {} ", call.name))
                        }
                    };
                    writeln!(lines, "{line}").expect("a string takes text");
                }
                ModelEvent::Retry(retry) => {
                    pieces.clear();
                    writeln!(lines, "retry {} {:?}", retry.attempt, retry.error.kind)
                        .expect("a string takes text");
                }
                ModelEvent::Finished(finish) => {
                    writeln!(lines, "finished {:?}", finish.reason).expect("a string takes text");
                }
            }
        }
        for (part, text) in pieces {
            writeln!(lines, "unfinished {} {text:?}", kinds[&part]).expect("a string takes text");
        }
        if let Some(error) = &self.error {
            writeln!(lines, "error {:?}", error.kind).expect("a string takes text");
        }
        lines
    }
}

fn same(streamed: &str, whole: &str, kind: &str, prefix: &str) -> String {
    assert_eq!(streamed, whole, "the pieces are the whole");
    format!("{kind} {prefix}{whole:?}")
}

/// Plays the turns on every wire and compares each transcript.
pub(crate) async fn on_every_wire(turns: impl Fn() -> Vec<ScriptedTurn>, expected: &str) {
    for wire in WireProtocol::ALL {
        on_wire(wire, turns(), expected).await;
    }
}

pub(crate) async fn on_wire(wire: WireProtocol, turns: Vec<ScriptedTurn>, expected: &str) {
    let server = ScriptedModelServer::start_with(turns);
    let answer = TestModelOptions::new(wire, &server).collect_answer(&hello()).await;
    let lines = expected.lines().map(str::trim).filter(|line| !line.is_empty());
    let expected: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert_eq!(answer.transcript(), expected, "{}: {:?}", wire.name(), answer.error);
}
