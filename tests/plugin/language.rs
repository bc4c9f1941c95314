//! What the desk asks of a person's language servers: scripted ones in the person's Neovim, of every temper.

use serde_json::{Value, json};

use super::window::Window;
use crate::neovim::window::{desk, on_each};
use crate::sessions::harness::Scripted;

mod diagnostics;
mod freshness;
mod navigate;
mod proof;
mod unloaded;

/// A Neovim that is connected, with `a.py` in its folder; the desk is there as long as the test holds it.
fn connected(program: &std::path::Path) -> (Scripted, Window) {
    let (scripted, mut window) = opened(program);
    window.connect();
    (scripted, window)
}

/// One that is not connected yet.
fn opened(program: &std::path::Path) -> (Scripted, Window) {
    let scripted = desk([]);
    scripted.desk.write("a.py", "one\ntwo\n");
    let mut window = Window::open(program, &scripted.desk);
    window.lua(include_str!("server.lua"));
    (scripted, window)
}

/// Runs a script, and compares what it returns.
#[track_caller]
fn check(script: &str, expected: Value) {
    on_each(|program| {
        let (_desk, mut window) = connected(program);
        assert_eq!(window.lua(script), expected);
    });
}

/// Waits for the answer to a question that was begun.
#[track_caller]
fn answer(window: &mut Window) -> Value {
    window.nvim.wait("answer", |_| true)
}

/// Waits until a server was asked something.
#[track_caller]
fn asked(window: &mut Window, method: &str) -> Value {
    window.nvim.wait("asked", |asked| asked["method"] == method)
}

/// An answer about `a.py` with these messages, each on the first character.
fn said(proof: &str, messages: &[&str]) -> Value {
    let items: Vec<_> = messages
        .iter()
        .map(|message| json!({ "range": "0:0-0:1", "severity": "error", "message": message }))
        .collect();
    let file = json!({ "uri": "a.py", "version": "present", "proof": proof, "items": items });
    json!({ "state": "answered", "files": [file] })
}
