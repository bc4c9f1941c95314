//! 20,000 pieces of four characters, read to the end on each wire.

use std::collections::BTreeMap;
use std::time::Duration;

use copydesk_model::settings::{Given, ProviderSettings};
use copydesk_model::{Event, Input, Message, Model, Registry, Request, Settings, Wire};

use super::clock::Clock;
use super::table::Table;
use crate::shared::model_server::{self, ModelServer, Turn};

pub(crate) const PIECES: usize = 20_000;
const RUNS: usize = 7;
const BUDGET: Duration = Duration::from_millis(200);

pub(crate) fn measure(table: &mut Table) {
    for wire in Wire::ALL {
        for (how, per_event) in [("in large writes", false), ("one write each", true)] {
            let name = format!("stream {} {how} (CPU)", wire.name());
            if table.wants(&name) {
                let samples = (0..RUNS).map(|_| once(wire, per_event)).collect();
                table.row(&name, samples, Some(BUDGET), format!("{PIECES} pieces of 4 bytes"));
            }
        }
    }
}

fn once(wire: Wire, per_event: bool) -> Duration {
    let server = ModelServer::playing([turn(per_event)]);
    // All of the client's work is on this thread.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut events = model(wire, &server).stream(&hello()).unwrap();
        server.reached("start").await;
        let clock = Clock::start();
        server.open("start");
        let mut bytes = 0;
        while let Some(event) = events.next().await {
            if let Event::Delta { text, .. } = event.unwrap() {
                bytes += text.len();
            }
        }
        assert_eq!(bytes, PIECES * 4);
        clock.elapsed()
    })
}

/// Made ready before the gate, so that only the way from there on is measured.
pub(crate) fn turn(per_event: bool) -> Turn {
    Turn::new().gate("start").text("abcd".repeat(PIECES)).chunk(4).one_write_per_event(per_event)
}

pub(crate) fn hello() -> Request {
    Request { messages: vec![Message::User(vec![Input::Text("Hello".into())])], ..Request::default() }
}

pub(crate) fn model(wire: Wire, server: &ModelServer) -> Model {
    at(wire, server.base_url(path_of(wire)))
}

pub(crate) fn path_of(wire: Wire) -> model_server::Wire {
    match wire {
        Wire::Anthropic => model_server::Wire::Anthropic,
        Wire::OpenaiChat => model_server::Wire::Chat,
        Wire::OpenaiResponses => model_server::Wire::Responses,
        Wire::Gemini => model_server::Wire::Gemini,
    }
}

pub(crate) fn at(wire: Wire, base_url: String) -> Model {
    let provider = ProviderSettings {
        wire: Some(wire),
        base_url: Some(Given { value: base_url, trusted: true }),
        ..ProviderSettings::default()
    };
    let settings =
        Settings { providers: BTreeMap::from([("script".to_owned(), provider)]), ..Settings::default() };
    Registry::new(settings, BTreeMap::new(), Box::new(|_| None)).model("script/m-1").unwrap()
}
