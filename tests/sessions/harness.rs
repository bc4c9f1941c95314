//! An environment with the scripted server as model, and runs that can be stopped in the middle.

use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::cli::environment::{BINARY, CliOutput, TestEnvironment, USER_CONFIG};
use crate::daemon::stdio_editor::ForegroundDaemon;
use crate::model_server::{ScriptedModelServer, ScriptedTurn, ScriptedWire};

pub(crate) struct ScriptedEnvironment {
    pub(crate) env: TestEnvironment,
    pub(crate) server: ScriptedModelServer,
}

/// Where the session of a run works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunLocation {
    OwnProcess,
    Daemon,
}

/// A daemon that does not outlive the test.
pub(crate) struct DaemonGuard(ForegroundDaemon);

impl DaemonGuard {
    pub(crate) fn pid(&self) -> u64 {
        self.0.child.id().into()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.0.child.kill();
        let _ = self.0.child.wait();
    }
}

impl Drop for DaemonGuard {
    fn drop(&mut self) {
        self.kill();
    }
}

impl ScriptedEnvironment {
    /// Starts the daemon of this environment, if one is wanted.
    pub(crate) fn start_daemon(&self, place: RunLocation) -> Option<DaemonGuard> {
        (place == RunLocation::Daemon).then(|| DaemonGuard(ForegroundDaemon::start(&self.env, &[])))
    }

    pub(crate) fn new(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        Self::with_config(turns, json!({}))
    }

    /// With more in the user's configuration.
    pub(crate) fn with_config(turns: impl IntoIterator<Item = ScriptedTurn>, more: Value) -> Self {
        let server = ScriptedModelServer::start_with(turns);
        let mut config = json!({
            "model": "script/m-1",
            "enabled_providers": ["script"],
            "retry": { "max": 1 },
            // Whatever is installed here: a test that wants a language server configures it.
            "lsp": false,
            "provider": { "script": {
                "wire": "anthropic",
                "options": { "baseURL": server.base_url(ScriptedWire::Anthropic), "apiKey": "sk-0987654321" },
                "models": { "m-1": { "cost": { "input": 1, "output": 10 } } },
            } },
        });
        for (key, value) in more.as_object().unwrap() {
            config[key] = value.clone();
        }
        let env = TestEnvironment::new().with_files(&[(USER_CONFIG, &config.to_string())]);
        env.trust_project();
        Self { env, server }
    }

    pub(crate) fn run(&self, args: &[&str]) -> CliOutput {
        let args: Vec<_> = ["run"].iter().chain(args).copied().collect();
        self.env.run(&args)
    }

    /// Starts a run without waiting for it.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut command = Command::new(BINARY);
        command.arg("run").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.env.prepare(&mut command);
        command.spawn().unwrap()
    }

    /// Waits until a command has created this file.
    pub(crate) async fn wait_for_file(&self, path: &str) {
        let path = self.env.path(path);
        let appeared = async {
            while !path.exists() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(30), appeared).await.expect("the command starts");
    }

    /// The body of the model request of this number, from 0.
    pub(crate) fn request_body(&self, number: usize) -> Value {
        self.server.requests()[number].body.clone()
    }

    /// The content of the last message of a request, as text.
    pub(crate) fn last_message(&self, number: usize) -> String {
        let body = self.request_body(number);
        body["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
    }

    /// The end of the model's request of this number, from 0: the results of its calls and what follows them, as text.
    pub(crate) fn last_model_input(&self, number: usize) -> String {
        let body = self.request_body(number);
        let messages = body["messages"].as_array().unwrap();
        let said = messages.iter().rposition(|message| message["role"] == "assistant");
        let mut told = String::new();
        let last = messages.iter().skip(said.map_or(0, |said| said + 1));
        for item in last.flat_map(|message| message["content"].as_array().unwrap()) {
            let texts = item["content"].as_array().into_iter().flatten().chain([item]);
            texts.filter_map(|text| text["text"].as_str()).for_each(|text| told.push_str(text));
        }
        told
    }
}

/// The events of a run with `--json`.
pub(crate) fn events(ran: &CliOutput) -> Vec<Value> {
    ran.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect()
}

/// The text of a terminal without the durations of calls, which are only shown for slow ones.
pub(crate) fn strip_durations(text: &str) -> String {
    let timeless = |line: &str| match line.rsplit_once("  ") {
        Some((rest, took))
            if took.ends_with('s') && took.bytes().all(|byte| b"0123456789. ms".contains(&byte)) =>
        {
            rest.to_owned()
        }
        _ => line.to_owned(),
    };
    text.split('\n').map(timeless).collect::<Vec<_>>().join("\n")
}
