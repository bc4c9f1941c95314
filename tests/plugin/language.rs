//! The daemon's requests about the user's language servers: scripted ones in the user's Neovim, well-behaved or not.

use serde_json::{Value, json};

use super::plugin_neovim::PluginNeovim;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};
use crate::sessions::harness::ScriptedEnvironment;

mod code_edits;
mod code_questions;
mod diagnostics;
mod freshness;
mod proof;
mod reports;
mod unloaded;

/// A connected Neovim with `a.py` in its folder; the daemon lives as long as the test holds it.
fn start_connected(program: &std::path::Path) -> (ScriptedEnvironment, PluginNeovim) {
    let (scripted, mut window) = start_disconnected(program);
    window.connect();
    (scripted, window)
}

/// One that is not connected yet.
fn start_disconnected(program: &std::path::Path) -> (ScriptedEnvironment, PluginNeovim) {
    let scripted = allow_edits_environment([]);
    scripted.env.write("a.py", "one\ntwo\n");
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.lua(include_str!("server.lua"));
    (scripted, window)
}

/// Runs a script, and compares its result.
#[track_caller]
fn check(script: &str, expected: Value) {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        assert_eq!(window.lua(script), expected);
    });
}

/// Waits for the response to a pending request.
#[track_caller]
fn wait_for_answer(window: &mut PluginNeovim) -> Value {
    window.nvim.wait_for_message("answer", |_| true)
}

/// Waits until a server got a request.
#[track_caller]
fn wait_for_server_request(window: &mut PluginNeovim, method: &str) -> Value {
    window.nvim.wait_for_message("asked", |asked| asked["method"] == method)
}

/// A result about `a.py` with these messages, each on the first character.
fn answered_result(proof: &str, messages: &[&str]) -> Value {
    let items: Vec<_> = messages
        .iter()
        .map(|message| json!({ "range": "0:0-0:1", "severity": "error", "message": message }))
        .collect();
    let file = json!({ "uri": "a.py", "version": "present", "proof": proof, "items": items });
    json!({ "state": "answered", "files": [file] })
}
