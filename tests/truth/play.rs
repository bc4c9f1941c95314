//! Plays a case: the scripted model makes its calls with the real daemon, and the texts are read after each step.
//!
//! Each case has its own project. Unless it is about a cold start, a daemon runs, and an earlier run has warmed up the
//! server.

mod neovim;
pub(crate) mod opencode;
mod vscode;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::case::{ProjectTexts, TruthCall, TruthCase, TruthCaseKind, TruthProject};
use super::problem::TruthProblem;
use super::real_project::texts_in;
use super::reported_problems::ReportedProblems;
use super::servers::InstalledServers;
use crate::cli::environment::TestEnvironment;
use crate::editors::scripted_editor::{self, ScriptedEditor};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

/// How long a server may take to load a small project. On a busy machine it takes long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A step with a change.
pub(crate) struct PlayedStep {
    /// The texts before it, and after each of its calls.
    pub(crate) states: Vec<ProjectTexts>,
    pub(crate) told: ReportedProblems,
    /// What the model got.
    pub(crate) read: String,
    /// All listed errors, old and new, for a program that does not distinguish them.
    pub(crate) listed: Option<Vec<TruthProblem>>,
}

/// The client of the daemon.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TruthClient<'a> {
    /// None; for unsaved texts, an editor without a language server.
    Headless,
    /// The same with the longest configurable timeout, so that the result does not depend on the load of the machine.
    Patient,
    /// A user with this Neovim.
    Neovim(&'a Path),
    /// A user with VS Code.
    Vscode,
    /// Not our daemon, but this program.
    OpenCode(&'a Path),
}

pub(crate) fn play(
    client: TruthClient<'_>,
    servers: &InstalledServers,
    server: &str,
    project: &TruthProject,
    case: &TruthCase,
) -> Vec<PlayedStep> {
    let mut config = servers.config(server);
    config["permission"] = json!("allow");
    if config.get("lsp").is_none() {
        config["lsp"] = json!(true);
    }
    if matches!(client, TruthClient::Patient) {
        config["diagnostics"]["wait"] = json!(30_000);
    }
    if case.uses_patches() {
        config["model"] = json!("script/gpt-5");
    }
    let ScriptedEnvironment { env, server: model } = ScriptedEnvironment::with_config([], config);
    let env = env.env("COPYDESK_IDLE_EXIT", "60");
    let env = servers.environment(server).into_iter().fold(env, |env, (name, value)| env.env(name, value));
    let scripted = ScriptedEnvironment { env, server: model };
    for (path, text) in project.files(case) {
        scripted.env.write(&path, text);
    }
    let place = if case.kind == TruthCaseKind::Cold { RunLocation::OwnProcess } else { RunLocation::Daemon };
    if let TruthClient::OpenCode(program) = client {
        return opencode::in_opencode(program, &scripted, (servers, server), (project, case));
    }
    let _daemon = scripted.start_daemon(place);
    if let TruthClient::Vscode = client {
        let (played, scripted) = vscode::in_vscode(scripted, (servers, server), (project, case));
        return played.steps(&scripted, case);
    }
    let played = match client {
        TruthClient::Neovim(program) => {
            neovim::in_neovim(program, &scripted, (servers, server), (project, case))
        }
        TruthClient::Headless | TruthClient::Patient | TruthClient::Vscode | TruthClient::OpenCode(_) => {
            if place == RunLocation::Daemon {
                warm_up(&scripted, project, case);
            }
            if case.unsaved.is_empty() { headless(&scripted, case) } else { in_an_editor(&scripted, case) }
        }
    };
    played.steps(&scripted, case)
}

/// The raw result of a case.
struct PlayedCase {
    /// The texts before the first step, and after each.
    states: Vec<ProjectTexts>,
    /// The calls, by name.
    calls: BTreeMap<String, Value>,
    /// The number of the case's first request.
    first: usize,
}

impl PlayedCase {
    fn steps(&self, scripted: &ScriptedEnvironment, case: &TruthCase) -> Vec<PlayedStep> {
        let mut steps = Vec::new();
        for (number, calls) in case.steps.iter().enumerate() {
            if !calls.iter().any(TruthCall::is_change) {
                continue;
            }
            let made: Vec<_> =
                (0..calls.len()).filter_map(|call| self.calls.get(&name(number, call)).cloned()).collect();
            let read = scripted.last_model_input(self.first + number + 1);
            let states = states_between(&self.states[number], &self.states[number + 1], calls);
            steps.push(PlayedStep {
                states,
                told: ReportedProblems::collect(&made, &read),
                read,
                listed: None,
            });
        }
        steps
    }
}

/// The states of a step. Those between its calls are computed, because they cannot be observed.
fn states_between(before: &ProjectTexts, after: &ProjectTexts, calls: &[TruthCall]) -> Vec<ProjectTexts> {
    let changes: Vec<_> = calls.iter().filter(|call| call.is_change()).collect();
    let mut states = vec![before.clone()];
    for call in &changes[..changes.len() - 1] {
        let Some(made) = call.apply_call(&states[states.len() - 1]) else { break };
        states.push(made);
    }
    states.push(after.clone());
    states
}

fn name(step: usize, call: usize) -> String {
    format!("s{step}-{call}")
}

fn turns(case: &TruthCase) -> impl Iterator<Item = ScriptedTurn> {
    let steps = case.steps.iter().enumerate().map(|(number, calls)| {
        calls.iter().enumerate().fold(ScriptedTurn::new(), |turn, (at, call)| {
            let (tool, arguments) = call.tool();
            turn.call(name(number, at), tool, arguments)
        })
    });
    steps.chain([ScriptedTurn::new().text("Done.")])
}

/// Edits the project, and restores it.
fn warm_turns(scripted: &ScriptedEnvironment, project: &TruthProject, case: &TruthCase) -> Vec<ScriptedTurn> {
    let path = &project.warm.path;
    let text = scripted.env.read(path);
    let first = text.lines().next().unwrap();
    let touched = format!("{first} {}", project.warm.comment);
    let change = |old: &str, new: &str| {
        if case.uses_patches() {
            let patch =
                format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
            return ("apply_patch", json!({ "patchText": patch }));
        }
        ("edit", json!({ "filePath": path, "oldString": old, "newString": new }))
    };
    let calls = [
        ("w0", ("read", json!({ "filePath": path }))),
        ("w1", change(first, &touched)),
        ("w2", change(&touched, first)),
    ];
    let turns =
        calls.into_iter().map(|(call, (tool, arguments))| ScriptedTurn::new().call(call, tool, arguments));
    turns.chain([ScriptedTurn::new().text("Warm.")]).collect()
}

/// Edits the project until its server has reported everything.
fn warm_up(scripted: &ScriptedEnvironment, project: &TruthProject, case: &TruthCase) {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        warm_turns(scripted, project, case).into_iter().for_each(|turn| scripted.server.queue_turn(turn));
        let ran = scripted.run(&["--json", "--auto", "Warm up"]);
        let lines: Vec<Value> =
            ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let told =
            ReportedProblems::collect(&calls(lines.iter()).remove("w2").into_iter().collect::<Vec<_>>(), "");
        assert!(told.failed.is_empty(), "{:?}", told.failed);
        // A server with a compiler reports twice; the first report is not everything.
        let is_warm = told.is_known() && told.unknown_source().is_none();
        if is_warm || told.reports.iter().all(|report| !report.is_from_server()) {
            return;
        }
    }
}

/// The files on disk before each step and after the last; the model waits at each until they are read.
fn states(scripted: &ScriptedEnvironment, case: &TruthCase) -> Vec<ProjectTexts> {
    let state = |number: usize| {
        let gate = format!("step {number}");
        wait(scripted.server.wait_for_gate(&gate));
        let state = on_disk(&scripted.env);
        scripted.server.open_gate(&gate);
        state
    };
    (0..=case.steps.len()).map(state).collect()
}

/// By `copydesk run`, without other clients.
fn headless(scripted: &ScriptedEnvironment, case: &TruthCase) -> PlayedCase {
    let first = scripted.server.requests().len();
    for (number, turn) in turns(case).enumerate() {
        scripted.server.queue_turn(turn.gate_before_response(format!("step {number}")));
    }
    let mut run = scripted.start(&["--json", "--auto", "Work"]);
    let mut stdout = run.stdout.take().unwrap();
    let told = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let states = states(scripted, case);
    let told = told.join().unwrap().unwrap();
    run.wait().unwrap();
    let lines: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    PlayedCase { states, calls: calls(lines.iter()), first }
}

/// By an editor without a language server, with unsaved texts. Only its last step has a change.
fn in_an_editor(scripted: &ScriptedEnvironment, case: &TruthCase) -> PlayedCase {
    let first = scripted.server.requests().len();
    turns(case).for_each(|turn| scripted.server.queue_turn(turn));
    let mut before = on_disk(&scripted.env);
    let mut client = ScriptedEditor::new(&scripted.env, "vscode");
    let session = client.new_session();
    for (path, text) in case.buffers() {
        client.open(&scripted_editor::uri(&scripted.env, &path), &text);
        before.insert(path, text);
    }
    client.run_turn(&session, "Work");
    let mut after = before.clone();
    for path in case.unsaved.keys() {
        after.insert(path.clone(), client.text(&scripted_editor::uri(&scripted.env, path)).to_owned());
    }
    for (path, text) in on_disk(&scripted.env) {
        if !case.unsaved.contains_key(&path) {
            after.insert(path, text);
        }
    }
    let mut states = vec![before; case.steps.len()];
    states.push(after);
    let parts = client.parts(&session);
    let parts: Vec<Value> = parts.into_iter().map(|part| json!({ "part": part })).collect();
    PlayedCase { states, calls: calls(parts.iter()), first }
}

/// The completed calls, by name.
fn calls<'a>(events: impl Iterator<Item = &'a Value>) -> BTreeMap<String, Value> {
    let contents =
        events.map(|event| &event["part"]["content"]).filter(|content| content["output"].is_object());
    contents
        .map(|content| (content["call"].as_str().unwrap_or_default().to_owned(), content.clone()))
        .collect()
}

/// The texts of the project, without the tools' own files.
fn on_disk(env: &TestEnvironment) -> ProjectTexts {
    texts_in(&env.path(""))
}

fn wait(what: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(what);
}
