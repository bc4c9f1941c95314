//! A model on each wire, pointed at the scripted server, and answers written down as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use copydesk_model::catalogue::{Prices, ReasoningControl, Tier};
use copydesk_model::retry::Policy;
use copydesk_model::settings::{Given, ModelSettings, ProviderSettings, Reasons};
use copydesk_model::{
    Error, Event, Events, Input, Limits, Message, Model, Part, PartKind, Registry, Request, Secret, Settings,
    Wire,
};
use serde_json::{Map, Value};

use crate::model_server::{self, ModelServer, Turn};

/// Retries without a wait: the times themselves are tested where they are computed.
const QUICK: Policy =
    Policy { max_retries: 2, first: Duration::from_millis(1), cap: Duration::from_millis(1) };

/// How a test's model differs from the ordinary.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) wire: Wire,
    pub(crate) base_url: String,
    pub(crate) policy: Policy,
    pub(crate) idle: Option<Duration>,
    pub(crate) first_byte: Option<Duration>,
    pub(crate) limits: Limits,
    pub(crate) dialect: Map<String, Value>,
    pub(crate) model: ModelSettings,
    pub(crate) key: Option<&'static str>,
}

impl Peer {
    pub(crate) fn new(wire: Wire, server: &ModelServer) -> Self {
        Self::at(wire, server.base_url(of_server(wire)))
    }

    pub(crate) fn at(wire: Wire, base_url: String) -> Self {
        let control = match wire {
            Wire::Anthropic => ReasoningControl::Adaptive,
            Wire::OpenaiChat | Wire::OpenaiResponses => ReasoningControl::Effort,
            Wire::Gemini => ReasoningControl::Level,
        };
        let base = Tier { input: 1.0, output: 10.0, cache_read: Some(0.1), cache_write: Some(2.0) };
        let model = ModelSettings {
            context: Some(100_000),
            output: Some(20_000),
            cost: Some(Prices { base, above: None }),
            images: Some(true),
            pdf: Some(true),
            caching: Some(true),
            reasoning: Some(Reasons::By(control)),
            ..ModelSettings::default()
        };
        Self {
            wire,
            base_url,
            policy: QUICK,
            idle: None,
            first_byte: None,
            limits: Limits::default(),
            dialect: Map::new(),
            model,
            key: Some("sk-test"),
        }
    }

    pub(crate) fn dialect(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.dialect.insert(key.to_owned(), value.into());
        self
    }

    pub(crate) fn model(&self) -> Result<Model, Error> {
        let provider = ProviderSettings {
            name: Some("Script".into()),
            wire: Some(self.wire),
            base_url: Some(Given { value: self.base_url.clone(), trusted: true }),
            key: self.key.map(|key| Given { value: Secret::new(key), trusted: true }),
            idle: self.idle,
            first_byte: self.first_byte.map(Some),
            dialect: self.dialect.clone(),
            models: vec![("m-1".into(), self.model.clone())],
            ..ProviderSettings::default()
        };
        let providers = BTreeMap::from([("script".to_owned(), provider)]);
        let settings = Settings { providers, policy: self.policy, ..Settings::default() };
        Registry::new(settings, BTreeMap::new(), Box::new(|_| None))
            .model("script/m-1")
            .map(|model| model.with_limits(self.limits))
    }

    pub(crate) async fn ask(&self, request: &Request) -> Answer {
        match self.model().and_then(|model| model.stream(request)) {
            Ok(events) => Answer::collect(events).await,
            Err(error) => Answer { events: Vec::new(), error: Some(error) },
        }
    }
}

pub(crate) fn of_server(wire: Wire) -> model_server::Wire {
    match wire {
        Wire::Anthropic => model_server::Wire::Anthropic,
        Wire::OpenaiChat => model_server::Wire::Chat,
        Wire::OpenaiResponses => model_server::Wire::Responses,
        Wire::Gemini => model_server::Wire::Gemini,
    }
}

pub(crate) fn hello() -> Request {
    Request { messages: vec![Message::User(vec![Input::Text("Hello".into())])], ..Request::default() }
}

/// Everything that came, to the end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) events: Vec<Event>,
    pub(crate) error: Option<Error>,
}

impl Answer {
    pub(crate) async fn collect(mut stream: Events) -> Self {
        let mut answer = Self { events: Vec::new(), error: None };
        while let Some(event) = stream.next().await {
            match event {
                Ok(event) => answer.events.push(event),
                Err(error) => answer.error = Some(error),
            }
        }
        answer
    }

    /// The complete parts, in the order of their numbers.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let ended = self.events.iter().filter_map(|event| match event {
            Event::Ended { part, content } => Some((*part, content.clone())),
            _ => None,
        });
        let mut parts: Vec<_> = ended.collect();
        parts.sort_by_key(|(part, _)| *part);
        parts.into_iter().map(|(_, content)| content).collect()
    }

    /// One line per thing that happened, less what differs between wires: how text was cut, ids that we made up, the
    /// provider's own marks.
    pub(crate) fn transcript(&self) -> String {
        let mut lines = String::new();
        let mut pieces: BTreeMap<usize, String> = BTreeMap::new();
        let mut kinds: BTreeMap<usize, &'static str> = BTreeMap::new();
        for event in &self.events {
            match event {
                Event::Started { part, kind } => {
                    let word = match kind {
                        PartKind::Text => "text",
                        PartKind::Reasoning => "reasoning",
                        PartKind::Call { .. } => "call",
                    };
                    assert!(kinds.insert(*part, word).is_none(), "part {part} starts once");
                    pieces.insert(*part, String::new());
                }
                Event::Delta { part, text } => {
                    pieces.get_mut(part).expect("a piece belongs to a part that has started").push_str(text);
                }
                Event::Ended { part, content } => {
                    let streamed = pieces.remove(part).expect("a part ends once, after it has started");
                    let line = match content {
                        Part::Text(text) => same(&streamed, &text.text, "text", ""),
                        Part::Reasoning(reasoning) => same(&streamed, &reasoning.text, "reasoning", ""),
                        Part::Call(call) => {
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
                Event::Retry(retry) => {
                    pieces.clear();
                    writeln!(lines, "retry {} {:?}", retry.attempt, retry.error.kind)
                        .expect("a string takes text");
                }
                Event::Finished(finish) => {
                    writeln!(lines, "finished {:?}", finish.stop).expect("a string takes text");
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
pub(crate) async fn on_every_wire(turns: impl Fn() -> Vec<Turn>, expected: &str) {
    for wire in Wire::ALL {
        on_wire(wire, turns(), expected).await;
    }
}

pub(crate) async fn on_wire(wire: Wire, turns: Vec<Turn>, expected: &str) {
    let server = ModelServer::playing(turns);
    let answer = Peer::new(wire, &server).ask(&hello()).await;
    let lines = expected.lines().map(str::trim).filter(|line| !line.is_empty());
    let expected: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert_eq!(answer.transcript(), expected, "{}: {:?}", wire.name(), answer.error);
}
