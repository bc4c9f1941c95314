//! A case in OpenCode, with its language servers enabled, against the same scripted model.
//!
//! It is judged like the daemon, and in its favour where they differ: it lists all errors that it knows and never distinguishes
//! old from new, so old compiler errors do not count against it, and an error that it no longer lists counts as reported fixed.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use super::{PlayedStep, name, states, states_between, turns, warm_turns};
use crate::model_server::{ScriptedModelServer, ScriptedWire};
use crate::sessions::harness::ScriptedEnvironment;
use crate::truth::case::{TruthCall, TruthCase, TruthCaseKind, TruthProject};
use crate::truth::judge::CompiledSnapshot;
use crate::truth::problem::TruthProblem;
use crate::truth::reported_problems::{ReportedProblems, ReportedSource};
use crate::truth::servers::InstalledServers;

/// The whole configuration of a user who wants this server.
fn config(model: &ScriptedModelServer, servers: &InstalledServers, server: &str, case: &TruthCase) -> Value {
    let (name, extensions): (_, &[&str]) = match server {
        "rust-analyzer" => ("rust", &[".rs"]),
        "typescript-language-server" | "typescript-7" => ("typescript", &[".ts"]),
        "pyright" => ("pyright", &[".py"]),
        "ruff" => ("ruff", &[".py"]),
        "clangd" => ("clangd", &[".c", ".h"]),
        "gopls" => ("gopls", &[".go"]),
        _ => panic!("which files does {server} serve?"),
    };
    let mut lsp = json!({ name: { "command": servers.command(server), "extensions": extensions } });
    if server == "ruff" {
        lsp["pyright"] = json!({ "disabled": true });
    }
    let model_name = if case.uses_patches() { "gpt-5" } else { "m-1" };
    json!({
        "model": format!("script/{model_name}"),
        "small_model": format!("script/{model_name}"),
        "provider": { "script": {
            "npm": "@ai-sdk/anthropic",
            "options": { "baseURL": model.base_url(ScriptedWire::Anthropic), "apiKey": "sk-0987654321" },
            "models": { model_name: {} },
        } },
        "lsp": lsp,
        "permission": "allow",
        "share": "disabled",
        "autoupdate": false,
        "snapshot": false,
    })
}

/// The limit for its start, and for its exit at the end.
const LIMIT: Duration = Duration::from_secs(120);

/// Ends it with all its children, also if a test fails.
struct OpenCodeProcess(Child);

impl Drop for OpenCodeProcess {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

pub(super) fn in_opencode(
    program: &Path,
    scripted: &ScriptedEnvironment,
    (servers, server): (&InstalledServers, &str),
    (project, case): (&TruthProject, &TruthCase),
) -> Vec<PlayedStep> {
    let config = config(&scripted.server, servers, server, case);
    scripted.env.write("~/.config/opencode/opencode.json", config.to_string());
    // One run, so that its servers are the ones that were warmed up.
    if case.kind != TruthCaseKind::Cold {
        let warm = warm_turns(scripted, project, case);
        let last = warm.len() - 1;
        warm.into_iter().take(last).for_each(|turn| scripted.server.queue_turn(turn));
    }
    let first = if case.kind == TruthCaseKind::Cold { 0 } else { 3 };
    for (number, turn) in turns(case).enumerate() {
        scripted.server.queue_turn(turn.gate_before_response(format!("step {number}")));
    }
    let mut command = Command::new(program);
    scripted.env.prepare(&mut command);
    command.args(["run", "--format", "json", "--title", "Work", "--auto", "Work"]);
    for (variable, value) in [
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ] {
        command.env(variable, value);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut run = OpenCodeProcess(command.process_group(0).spawn().unwrap());
    let mut said = BufReader::new(run.0.stdout.take().unwrap());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = said.read_line(&mut String::new());
        let _ = tell.send(());
        let _ = std::io::copy(&mut said, &mut std::io::sink());
    });
    // It starts slowly: once it prints anything, it has asked the model.
    told.recv_timeout(LIMIT).expect("OpenCode says something");
    let states = states(scripted, case);
    assert_eq!(told.recv_timeout(LIMIT), Err(mpsc::RecvTimeoutError::Disconnected), "OpenCode ends");
    drop(run);
    let root = scripted.env.path("");
    let steps = case.steps.iter().enumerate().filter(|(_, calls)| calls.iter().any(TruthCall::is_change));
    let step = |(number, calls): (usize, &Vec<TruthCall>)| {
        let read = last_model_input(&scripted.request_body(first + number + 1));
        let requests = scripted.server.requests();
        let asked = requests[first + number + 1].begun;
        let waited =
            scripted.server.answer_time(first + number + 1).map(|at| asked.saturating_duration_since(at));
        let told = ReportedProblems {
            reports: reports(calls),
            failed: failed(&scripted.request_body(first + number + 1), number, calls),
            waited_ms: waited.unwrap_or(Duration::ZERO).as_millis().try_into().unwrap_or(u64::MAX),
            ..ReportedProblems::default()
        };
        let states = states_between(&states[number], &states[number + 1], calls);
        PlayedStep { states, told, listed: Some(parse_diagnostics(&read, &root)), read }
    };
    steps.map(step).collect()
}

/// The last message to the model.
fn last_model_input(request: &Value) -> String {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let contents = messages.last().and_then(|last| last["content"].as_array()).into_iter().flatten();
    contents.filter_map(|part| part["content"].as_str()).fold(String::new(), |read, text| read + text + "\n")
}

/// It always lists its servers' last report; nothing for commands.
fn reports(calls: &[TruthCall]) -> Vec<ReportedSource> {
    let is_edit = |call: &&TruthCall| call.is_change() && !matches!(call, TruthCall::Bash { .. });
    let report =
        |_| ReportedSource { source: "OpenCode".to_owned(), proof: "likely".to_owned(), why: String::new() };
    calls.iter().filter(is_edit).map(report).collect()
}

/// The errors of failed calls.
fn failed(request: &Value, step: usize, calls: &[TruthCall]) -> Vec<String> {
    let names: Vec<_> = (0..calls.len()).map(|call| name(step, call)).collect();
    let messages = request["messages"].as_array().into_iter().flatten();
    let results = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let is_failed = |result: &&Value| {
        result["is_error"] == true && names.iter().any(|name| result["tool_use_id"] == name.as_str())
    };
    results.filter(is_failed).map(|result| result["content"].to_string()).collect()
}

/// `<diagnostics file="…">`, and `ERROR [line:column] message` for each.
fn parse_diagnostics(read: &str, root: &Path) -> Vec<TruthProblem> {
    let (mut path, mut all) = (None, Vec::new());
    for line in read.lines() {
        if let Some((_, rest)) = line.split_once("<diagnostics file=\"") {
            let file = Path::new(rest.split('"').next().unwrap_or_default());
            path = Some(file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned());
        } else if line.contains("</diagnostics>") {
            path = None;
        } else if let (Some(path), Some((place, message))) =
            (&path, line.strip_prefix("ERROR [").and_then(|rest| rest.split_once("] ")))
        {
            let line = place.split(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
            all.push(TruthProblem {
                path: path.clone(),
                line,
                is_error: true,
                code: String::new(),
                message: message.to_owned(),
                source: "OpenCode".to_owned(),
            });
        }
    }
    all
}

/// Its report for the judge: listed errors that did not exist before are new.
pub(crate) fn report_new_problems(
    mut told: ReportedProblems,
    listed: &[TruthProblem],
    moments: &[CompiledSnapshot],
) -> ReportedProblems {
    let (before, after) = (&moments[0], &moments[moments.len() - 1]);
    let delta = super::super::judge::delta(before, after);
    let is_old = |one: &TruthProblem| {
        let remains = |known: &TruthProblem| {
            known.matches_compiler(one) && !delta.new.iter().any(|new| new.matches_compiler(one))
        };
        after.truth.iter().any(remains)
    };
    told.new = listed.iter().filter(|one| !is_old(one)).cloned().collect();
    let is_edited = |path: &str| before.state.get(path) != after.state.get(path);
    let is_told = |fixed: &&TruthProblem| {
        fixed.is_error && is_edited(&fixed.path) && !listed.iter().any(|one| fixed.matches_compiler(one))
    };
    told.fixed = delta.fixed.iter().filter(is_told).count() as u64;
    told
}
