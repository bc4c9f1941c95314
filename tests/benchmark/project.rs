//! A project for one row of the benchmark: the built binary in its own folder, with the scripted server as model.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::shared::model_server::{ScriptedModelServer, ScriptedTurn, ScriptedWire};

pub(crate) type ScriptedCalls = Vec<(&'static str, Value)>;

/// The user of this home trusts every project in it, so that language servers run.
pub(crate) fn trust_all_below(home: &Path) {
    let folder = home.join(".local/state/copydesk");
    fs::create_dir_all(&folder).unwrap();
    let trust = json!({ "folders": { home.canonicalize().unwrap().to_str().unwrap(): true } });
    fs::write(folder.join("trust.json"), trust.to_string()).unwrap();
}

/// A model in whose context everything fits, so that nothing is compacted.
pub(crate) fn roomy() -> Value {
    json!({ "limit": { "context": 100_000_000, "output": 100_000 } })
}

pub(crate) struct BenchmarkProject<'a> {
    pub(crate) folder: &'a Path,
    /// Additional configuration.
    pub(crate) also: Value,
}

impl BenchmarkProject<'_> {
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join("project").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs `copydesk` in `cwd` with the server as model.
    pub(crate) fn spawn(&self, server: &ScriptedModelServer, cwd: &Path) -> Child {
        let mut config = json!({
            "model": "script/m-1", "enabled_providers": ["script"], "agent": { "build": { "steps": 1000 } },
            "provider": { "script": {
                "wire": "anthropic",
                "options": { "baseURL": server.base_url(ScriptedWire::Anthropic), "apiKey": "sk-0987654321" },
                "models": { "m-1": roomy() } } },
        });
        for (key, value) in self.also.as_object().into_iter().flatten() {
            config[key] = value.clone();
        }
        fs::create_dir_all(cwd).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_copydesk"));
        command.args(["run", "--auto", "Work"]).current_dir(cwd).env_clear();
        command.env("HOME", self.folder).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("COPYDESK_CONFIG_CONTENT", config.to_string());
        trust_all_below(self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The tool turns of one process, in order: each from the end of an answer to the next request.
    pub(crate) fn turns(
        &self,
        cwd: &Path,
        count: usize,
        calls: impl Fn(usize) -> ScriptedCalls,
    ) -> Vec<TurnTiming> {
        let server = ScriptedModelServer::start_with(script(count, calls));
        assert!(self.spawn(&server, cwd).wait().unwrap().success(), "the run fails");
        let requests = server.requests();
        assert_eq!(requests.len(), count + 1);
        let messages = requests.last().unwrap().body["messages"].to_string();
        assert!(!messages.contains("\"is_error\":true"), "a call failed: {messages}");
        let pairs = requests.iter().skip(1).enumerate();
        pairs
            .map(|(index, next)| {
                let answered = server.answer_time(index + 1).unwrap();
                TurnTiming {
                    to_head: next.begun.duration_since(answered),
                    to_end: next.arrived.duration_since(answered),
                    bytes: next.body.to_string().len(),
                }
            })
            .collect()
    }

    /// Resident megabytes, current and peak, while it waits for the model after so many steps; `None` if the system does not
    /// report it.
    pub(crate) fn resident(
        &self,
        count: usize,
        calls: impl Fn(usize) -> ScriptedCalls,
    ) -> Option<(f64, f64)> {
        let mut turns = script(count, calls);
        turns.pop();
        turns.push(ScriptedTurn::new().gate("waits").text("Done."));
        let server = ScriptedModelServer::start_with(turns);
        let mut child = self.spawn(&server, &self.folder.join("project"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(server.wait_for_gate("waits"));
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok();
        server.open_gate("waits");
        assert!(child.wait().unwrap().success());
        let status = status?;
        let of = |key: &str| {
            let line = status.lines().find(|line| line.starts_with(key)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
        };
        Some((of("VmRSS"), of("VmHWM")))
    }
}

/// The time of a tool turn to the head of the next request, and to its last byte.
pub(crate) struct TurnTiming {
    pub(crate) to_head: Duration,
    pub(crate) to_end: Duration,
    /// The size of that request.
    pub(crate) bytes: usize,
}

pub(crate) fn to_end(turns: &[TurnTiming]) -> Vec<Duration> {
    turns.iter().map(|turn| turn.to_end).collect()
}

/// Steps with calls, and a final answer.
fn script(count: usize, calls: impl Fn(usize) -> ScriptedCalls) -> Vec<ScriptedTurn> {
    let step = |turn: usize| {
        let calls = calls(turn).into_iter().enumerate();
        calls.fold(ScriptedTurn::new(), |step, (index, (name, arguments))| {
            step.call(format!("c{turn}_{index}"), name, arguments)
        })
    };
    (0..count).map(step).chain([ScriptedTurn::new().text("Done.")]).collect()
}
