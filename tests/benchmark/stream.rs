//! 20,000 deltas of four characters, read to the end on each wire.

use std::collections::BTreeMap;
use std::time::Duration;

use copydesk_model::settings::{ProviderSettings, SettingValue};
use copydesk_model::{
    Model, ModelEvent, ModelMessage, ModelRegistry, ModelRequest, RegistrySettings, UserPart, WireProtocol,
};

use super::clock::CpuClock;
use super::table::BenchmarkTable;
use crate::shared::model_server::{self, ScriptedModelServer, ScriptedTurn};

pub(crate) const PIECES: usize = 20_000;
const RUNS: usize = 7;
const BUDGET: Duration = Duration::from_millis(200);

pub(crate) fn measure(table: &mut BenchmarkTable) {
    for wire in WireProtocol::ALL {
        for (how, per_event) in [("in large writes", false), ("one write each", true)] {
            let name = format!("stream {} {how} (CPU)", wire.name());
            if table.includes_row(&name) {
                let samples = (0..RUNS).map(|_| once(wire, per_event)).collect();
                table.row(&name, samples, Some(BUDGET), format!("{PIECES} pieces of 4 bytes"));
            }
        }
    }
}

fn once(wire: WireProtocol, per_event: bool) -> Duration {
    let server = ScriptedModelServer::start_with([turn(per_event)]);
    // All of the client's work is on this thread.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut events = model(wire, &server).stream(&hello()).unwrap();
        server.wait_for_gate("start").await;
        let clock = CpuClock::start();
        server.open_gate("start");
        let mut bytes = 0;
        while let Some(event) = events.next().await {
            if let ModelEvent::PartDelta { text, .. } = event.unwrap() {
                bytes += text.len();
            }
        }
        assert_eq!(bytes, PIECES * 4);
        clock.elapsed()
    })
}

/// Prepared before the gate, so that only the streaming is measured.
pub(crate) fn turn(per_event: bool) -> ScriptedTurn {
    ScriptedTurn::new().gate("start").text("abcd".repeat(PIECES)).chunk(4).one_write_per_event(per_event)
}

pub(crate) fn hello() -> ModelRequest {
    ModelRequest {
        messages: vec![ModelMessage::User(vec![UserPart::Text("Hello".into())])],
        ..ModelRequest::default()
    }
}

pub(crate) fn model(wire: WireProtocol, server: &ScriptedModelServer) -> Model {
    model_at(wire, server.base_url(path_of(wire)))
}

pub(crate) fn path_of(wire: WireProtocol) -> model_server::ScriptedWire {
    match wire {
        WireProtocol::Anthropic => model_server::ScriptedWire::Anthropic,
        WireProtocol::OpenaiChat => model_server::ScriptedWire::Chat,
        WireProtocol::OpenaiResponses => model_server::ScriptedWire::Responses,
        WireProtocol::Gemini => model_server::ScriptedWire::Gemini,
    }
}

pub(crate) fn model_at(wire: WireProtocol, base_url: String) -> Model {
    let provider = ProviderSettings {
        wire: Some(wire),
        base_url: Some(SettingValue { value: base_url, is_trusted: true }),
        ..ProviderSettings::default()
    };
    let settings = RegistrySettings {
        providers: BTreeMap::from([("script".to_owned(), provider)]),
        ..RegistrySettings::default()
    };
    ModelRegistry::new(settings, BTreeMap::new(), Box::new(|_| None)).model("script/m-1").unwrap()
}
