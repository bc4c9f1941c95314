//! Plays a case: the scripted model makes its calls in a real desk, and after each step the texts are looked at.
//!
//! A case begins with a project of its own. Unless it is about a cold start, a daemon is there, and a run before the case has
//! touched the project until the server had said all that it has to say.

mod neovim;
pub(crate) mod opencode;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::case::{Call, Case, Kind, Project, State};
use super::problem::Problem;
use super::servers::Servers;
use super::told::Told;
use crate::cli::desk::Desk;
use crate::editors::client::{self, Client};
use crate::model_server::Turn;
use crate::sessions::harness::{Scripted, Where};

/// So long a server may take until it has seen a small project. On a machine with much else to do it takes long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A step with a change in it.
pub(crate) struct Step {
    /// The texts before it, and after each of its calls.
    pub(crate) states: Vec<State>,
    pub(crate) told: Told,
    /// What the model read of it.
    pub(crate) read: String,
    /// All errors that were listed, old and new, by whoever does not tell them apart.
    pub(crate) listed: Option<Vec<Problem>>,
}

/// Who is at the desk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Face<'a> {
    /// Nobody; or where a case is about texts that are not saved, an editor without a language server.
    Headless,
    /// The same with the longest time that can be configured, so that what is told does not hang on how busy the machine is.
    Patient,
    /// A person with this Neovim.
    Neovim(&'a Path),
    /// Not our desk at all, but this program.
    OpenCode(&'a Path),
}

pub(crate) fn play(
    face: Face<'_>,
    servers: &Servers,
    server: &str,
    project: &Project,
    case: &Case,
) -> Vec<Step> {
    let mut config = servers.config(server);
    config["permission"] = json!("allow");
    if config.get("lsp").is_none() {
        config["lsp"] = json!(true);
    }
    if matches!(face, Face::Patient) {
        config["diagnostics"]["wait"] = json!(30_000);
    }
    if case.patches() {
        config["model"] = json!("script/gpt-5");
    }
    let Scripted { desk, server: model } = Scripted::with([], config);
    let desk = desk.env("COPYDESK_IDLE_EXIT", "60");
    let desk =
        servers.environment(server).into_iter().fold(desk, |desk, (name, value)| desk.env(name, value));
    let scripted = Scripted { desk, server: model };
    for (path, text) in project.files(case) {
        scripted.desk.write(&path, text);
    }
    let place = if case.kind == Kind::Cold { Where::Here } else { Where::Daemon };
    if let Face::OpenCode(program) = face {
        return opencode::in_opencode(program, &scripted, (servers, server), (project, case));
    }
    let _daemon = scripted.up(place);
    let played = match face {
        Face::Neovim(program) => neovim::in_neovim(program, &scripted, (servers, server), (project, case)),
        Face::Headless | Face::Patient | Face::OpenCode(_) => {
            if place == Where::Daemon {
                warm_up(&scripted, project, case);
            }
            if case.unsaved.is_empty() { headless(&scripted, case) } else { in_an_editor(&scripted, case) }
        }
    };
    played.steps(&scripted, case)
}

/// What came of a case, before it is put together.
struct Played {
    /// The texts before the first step, and after each.
    states: Vec<State>,
    /// The calls, by their names.
    calls: BTreeMap<String, Value>,
    /// The number of the case's first request.
    first: usize,
}

impl Played {
    fn steps(&self, scripted: &Scripted, case: &Case) -> Vec<Step> {
        let mut steps = Vec::new();
        for (number, calls) in case.steps.iter().enumerate() {
            if !calls.iter().any(Call::changes) {
                continue;
            }
            let made: Vec<_> =
                (0..calls.len()).filter_map(|call| self.calls.get(&name(number, call)).cloned()).collect();
            let read = scripted.told(self.first + number + 1);
            let states = between(&self.states[number], &self.states[number + 1], calls);
            steps.push(Step { states, told: Told::collect(&made, &read), read, listed: None });
        }
        steps
    }
}

/// The states of a step. Those between its calls are made by hand: nobody can look at them.
fn between(before: &State, after: &State, calls: &[Call]) -> Vec<State> {
    let changes: Vec<_> = calls.iter().filter(|call| call.changes()).collect();
    let mut states = vec![before.clone()];
    for call in &changes[..changes.len() - 1] {
        let Some(made) = call.make(&states[states.len() - 1]) else { break };
        states.push(made);
    }
    states.push(after.clone());
    states
}

fn name(step: usize, call: usize) -> String {
    format!("s{step}-{call}")
}

fn turns(case: &Case) -> impl Iterator<Item = Turn> {
    let steps = case.steps.iter().enumerate().map(|(number, calls)| {
        calls.iter().enumerate().fold(Turn::new(), |turn, (at, call)| {
            let (tool, arguments) = call.tool();
            turn.call(name(number, at), tool, arguments)
        })
    });
    steps.chain([Turn::new().text("Done.")])
}

/// Touches the project, and leaves it as it was.
fn warm_turns(scripted: &Scripted, project: &Project, case: &Case) -> Vec<Turn> {
    let path = &project.warm.path;
    let text = scripted.desk.read(path);
    let first = text.lines().next().unwrap();
    let touched = format!("{first} {}", project.warm.comment);
    let change = |old: &str, new: &str| {
        if case.patches() {
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
    let turns = calls.into_iter().map(|(call, (tool, arguments))| Turn::new().call(call, tool, arguments));
    turns.chain([Turn::new().text("Warm.")]).collect()
}

/// Touches it until its server has said all that it has to say.
fn warm_up(scripted: &Scripted, project: &Project, case: &Case) {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        warm_turns(scripted, project, case).into_iter().for_each(|turn| scripted.server.play(turn));
        let ran = scripted.run(&["--json", "--auto", "Warm up"]);
        let lines: Vec<Value> =
            ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let told = Told::collect(&calls(lines.iter()).remove("w2").into_iter().collect::<Vec<_>>(), "");
        assert!(told.failed.is_empty(), "{:?}", told.failed);
        // One that runs a compiler has two things to say; the first is not yet all.
        let is_warm = told.is_known() && told.unknown().is_none();
        if is_warm || told.reports.iter().all(|report| !report.is_of_a_server()) {
            return;
        }
    }
}

/// What lies on the disk before each step and after the last, where the model holds each of them until that was looked at.
fn states(scripted: &Scripted, case: &Case) -> Vec<State> {
    let state = |number: usize| {
        let gate = format!("step {number}");
        wait(scripted.server.reached(&gate));
        let state = on_disk(&scripted.desk);
        scripted.server.open(&gate);
        state
    };
    (0..=case.steps.len()).map(state).collect()
}

/// By `copydesk run`, with nobody else there.
fn headless(scripted: &Scripted, case: &Case) -> Played {
    let first = scripted.server.requests().len();
    for (number, turn) in turns(case).enumerate() {
        scripted.server.play(turn.hold(format!("step {number}")));
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
    Played { states, calls: calls(lines.iter()), first }
}

/// By an editor that has no language server, and texts that are not saved. It has one step with a change, the last.
fn in_an_editor(scripted: &Scripted, case: &Case) -> Played {
    let first = scripted.server.requests().len();
    turns(case).for_each(|turn| scripted.server.play(turn));
    let mut before = on_disk(&scripted.desk);
    let mut client = Client::new(&scripted.desk, "vscode");
    let session = client.session();
    for (path, text) in case.buffers() {
        client.open(&client::uri(&scripted.desk, &path), &text);
        before.insert(path, text);
    }
    client.turn(&session, "Work");
    let mut after = before.clone();
    for path in case.unsaved.keys() {
        after.insert(path.clone(), client.text(&client::uri(&scripted.desk, path)).to_owned());
    }
    for (path, text) in on_disk(&scripted.desk) {
        if !case.unsaved.contains_key(&path) {
            after.insert(path, text);
        }
    }
    let mut states = vec![before; case.steps.len()];
    states.push(after);
    let parts = client.parts(&session);
    let parts: Vec<Value> = parts.into_iter().map(|part| json!({ "part": part })).collect();
    Played { states, calls: calls(parts.iter()), first }
}

/// The calls that ended, by their names.
fn calls<'a>(events: impl Iterator<Item = &'a Value>) -> BTreeMap<String, Value> {
    let contents =
        events.map(|event| &event["part"]["content"]).filter(|content| content["output"].is_object());
    contents
        .map(|content| (content["call"].as_str().unwrap_or_default().to_owned(), content.clone()))
        .collect()
}

/// The texts of the project, without what tools leave there.
fn on_disk(desk: &Desk) -> State {
    let root = desk.path("");
    let mut state = State::new();
    gather(&root, &root, &mut state);
    state
}

fn gather(root: &Path, folder: &Path, state: &mut State) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "node_modules", "__pycache__"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            gather(root, &path, state);
        } else if let Ok(text) = fs::read_to_string(&path) {
            state.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), text);
        }
    }
}

fn wait(what: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(what);
}
