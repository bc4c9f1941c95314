//! A case in a real Neovim that has our plugin and its own language server, as a person has it: the files that the model reads first
//! are open in it, and nothing is saved.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::{PATIENCE, Played, calls, on_disk, turns, wait, warm_turns};
use crate::plugin::window::Window;
use crate::sessions::harness::Scripted;
use crate::truth::case::{Call, Case, Project, State};
use crate::truth::servers::Servers;
use crate::truth::told::Told;

pub(super) fn in_neovim(
    program: &Path,
    scripted: &Scripted,
    (servers, server): (&Servers, &str),
    (project, case): (&Project, &Case),
) -> Played {
    let mut window = Window::open(program, &scripted.desk);
    window.nvim.lua(include_str!("neovim.lua"), json!([servers.command(server), server]));
    let first_read = case.steps[0].iter().filter_map(|call| match call {
        Call::Read { read } => Some(read.clone()),
        _ => None,
    });
    // What is open in an editor is not taken away there.
    let gone = gone(case);
    let mut open: Vec<String> = first_read.filter(|path| !gone.contains(path)).collect();
    window.connect();
    if !open.contains(&project.warm.path) {
        open.insert(0, project.warm.path.clone());
    }
    for path in &open {
        window.nvim.lua("T.opens(...)", json!([path]));
    }
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        warm_turns(scripted, project, case).into_iter().for_each(|turn| scripted.server.play(turn));
        window.command("Copydesk ask Warm up");
        window.ended();
        let told = Told::collect(&made(&mut window).remove("w2").into_iter().collect::<Vec<_>>(), "");
        assert!(told.failed.is_empty(), "{:?}", told.failed);
        if told.is_known() || told.reports.iter().all(|report| !report.is_of_a_server()) {
            break;
        }
    }
    for (path, text) in case.buffers() {
        window.nvim.lua("T.types(...)", json!([path, text]));
    }
    let first = scripted.server.requests().len();
    for (number, turn) in turns(case).enumerate() {
        scripted.server.play(turn.hold(format!("step {number}")));
    }
    window.command("Copydesk ask Work");
    let mut states = Vec::new();
    for number in 0..=case.steps.len() {
        let gate = format!("step {number}");
        wait(scripted.server.reached(&gate));
        states.push(shown(&mut window, on_disk(&scripted.desk)));
        scripted.server.open(&gate);
    }
    window.ended();
    Played { states, calls: made(&mut window), first }
}

/// Files that a patch takes away or moves.
fn gone(case: &Case) -> Vec<String> {
    let mut gone = Vec::new();
    for call in case.steps.iter().flatten() {
        let Call::Patch { patch } = call else { continue };
        let file =
            |line: &str, word: &str| line.strip_prefix(&format!("*** {word} File: ")).map(str::to_owned);
        gone.extend(patch.iter().filter_map(|line| file(line, "Delete")));
        let moved = patch.windows(2).filter(|pair| pair[1].starts_with("*** Move to: "));
        gone.extend(moved.filter_map(|pair| file(&pair[0], "Update")));
    }
    gone
}

/// The calls, as the plugin knows them.
fn made(window: &mut Window) -> std::collections::BTreeMap<String, Value> {
    let parts = window.lua("return vim.json.encode(require('copydesk.session').current().parts)");
    let parts: Vec<Value> = serde_json::from_str(parts.as_str().unwrap()).unwrap();
    let parts: Vec<Value> = parts.into_iter().map(|part| json!({ "part": part })).collect();
    calls(parts.iter())
}

/// The texts of the project: those of buffers where there are any.
fn shown(window: &mut Window, mut state: State) -> State {
    let buffers = window.lua("return T.shown()");
    for (path, text) in buffers.as_object().into_iter().flatten() {
        state.insert(path.clone(), text.as_str().unwrap().to_owned());
    }
    state
}
