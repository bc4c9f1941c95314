//! A case in a real Neovim with our plugin and its own language server, as a user has it: the files that the model reads first
//! are open in it, and nothing is saved.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::{PATIENCE, PlayedCase, calls, on_disk, turns, wait, warm_turns};
use crate::plugin::plugin_neovim::PluginNeovim;
use crate::sessions::harness::ScriptedEnvironment;
use crate::truth::case::{ProjectTexts, TruthCall, TruthCase, TruthProject};
use crate::truth::reported_problems::ReportedProblems;
use crate::truth::servers::InstalledServers;

pub(super) fn in_neovim(
    program: &Path,
    scripted: &ScriptedEnvironment,
    (servers, server): (&InstalledServers, &str),
    (project, case): (&TruthProject, &TruthCase),
) -> PlayedCase {
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.nvim.lua(include_str!("neovim.lua"), json!([servers.command(server), server]));
    let first_read = case.steps[0].iter().filter_map(|call| match call {
        TruthCall::Read { read } => Some(read.clone()),
        _ => None,
    });
    // A file that is open in an editor is not deleted there.
    let gone = removed_files(case);
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
        warm_turns(scripted, project, case).into_iter().for_each(|turn| scripted.server.queue_turn(turn));
        window.command("Copydesk ask Warm up");
        window.wait_for_turn_end();
        let told = ReportedProblems::collect(
            &completed_calls(&mut window).remove("w2").into_iter().collect::<Vec<_>>(),
            "",
        );
        assert!(told.failed.is_empty(), "{:?}", told.failed);
        if told.is_known() || told.reports.iter().all(|report| !report.is_from_server()) {
            break;
        }
    }
    for (path, text) in case.buffers() {
        window.nvim.lua("T.types(...)", json!([path, text]));
    }
    let first = scripted.server.requests().len();
    for (number, turn) in turns(case).enumerate() {
        scripted.server.queue_turn(turn.gate_before_response(format!("step {number}")));
    }
    window.command("Copydesk ask Work");
    let mut states = Vec::new();
    for number in 0..=case.steps.len() {
        let gate = format!("step {number}");
        wait(scripted.server.wait_for_gate(&gate));
        states.push(visible_texts(&mut window, on_disk(&scripted.env)));
        scripted.server.open_gate(&gate);
    }
    window.wait_for_turn_end();
    PlayedCase { states, calls: completed_calls(&mut window), first }
}

/// Files that a patch deletes or moves.
pub(super) fn removed_files(case: &TruthCase) -> Vec<String> {
    let mut gone = Vec::new();
    for call in case.steps.iter().flatten() {
        let TruthCall::Patch { patch } = call else { continue };
        let file =
            |line: &str, word: &str| line.strip_prefix(&format!("*** {word} File: ")).map(str::to_owned);
        gone.extend(patch.iter().filter_map(|line| file(line, "Delete")));
        let moved = patch.windows(2).filter(|pair| pair[1].starts_with("*** Move to: "));
        gone.extend(moved.filter_map(|pair| file(&pair[0], "Update")));
    }
    gone
}

/// The calls, as the plugin knows them.
fn completed_calls(window: &mut PluginNeovim) -> std::collections::BTreeMap<String, Value> {
    let parts = window.lua("return vim.json.encode(require('copydesk.session').current().parts)");
    let parts: Vec<Value> = serde_json::from_str(parts.as_str().unwrap()).unwrap();
    let parts: Vec<Value> = parts.into_iter().map(|part| json!({ "part": part })).collect();
    calls(parts.iter())
}

/// The texts of the project, from buffers if there are any.
fn visible_texts(window: &mut PluginNeovim, mut state: ProjectTexts) -> ProjectTexts {
    let buffers = window.lua("return T.shown()");
    for (path, text) in buffers.as_object().into_iter().flatten() {
        state.insert(path.clone(), text.as_str().unwrap().to_owned());
    }
    state
}
