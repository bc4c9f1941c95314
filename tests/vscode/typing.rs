//! The user types while the agent edits the same document: no character is lost or doubled, the daemon has the same text, and the model is
//! told the truth about every edit.
//!
//! An interleaving is one edit of the agent with the typing around it, by a seed. `COPYDESK_TYPIST_SEED` is the first seed,
//! `COPYDESK_TYPIST_COUNT` how many interleavings there are.

use serde_json::{Value, json};

use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{environment_with_config, result_in};
use crate::sessions::harness::ScriptedEnvironment;

const INTERLEAVINGS: usize = 500;
/// The edits of one turn, in each of its documents. The first one is the active one; edits in the others are rarely refused.
const EDITS: [usize; 3] = [2, 4, 4];
/// After so many turns a new window begins with a new session, so that requests to the model stay small.
const TURNS_PER_WINDOW: usize = 100;
/// Every so many turns the user types at the page, with real keys. The other turns are typed by commands in the extension host.
const REAL_KEYS_EVERY: usize = 10;
const KEY_DELAY_MS: u32 = 40;
/// Tabs are closed after so many turns.
const TURNS_PER_TABS: usize = 5;
/// Each once; none is in the document or in the agent's texts.
const KEYS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

#[derive(Debug, Default)]
struct TypingTally {
    turns: usize,
    typed: u64,
    applied: usize,
    refused: usize,
}

fn number_from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn nothing_typed_is_lost_while_the_agent_edits() {
    let first = number_from_environment("COPYDESK_TYPIST_SEED", 1);
    let turns = number_from_environment("COPYDESK_TYPIST_COUNT", INTERLEAVINGS).div_ceil(EDITS.iter().sum());
    let mut tally = TypingTally::default();
    for window in 0..turns.div_ceil(TURNS_PER_WINDOW) {
        let setup = VscodeSetup { settings: quiet_editor(), ..VscodeSetup::default() };
        let mut user = VscodeUser::start_with(environment(), &setup);
        user.window.js(include_str!("typist.js"), json!([]));
        let from = window * TURNS_PER_WINDOW;
        for turn in from..turns.min(from + TURNS_PER_WINDOW) {
            play_turn(&mut user, first + turn, turn - from, &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.applied > tally.turns && tally.typed > 0, "too little happened: {tally:?}");
}

/// Nothing but the user and the agent writes.
/// A compaction would need an answer of the model that no turn has.
fn environment() -> ScriptedEnvironment {
    environment_with_config([], json!({ "permission": { "edit": "allow" }, "compaction": { "auto": false } }))
}

fn quiet_editor() -> Value {
    json!({
        "editor.wordBasedSuggestions": "off", "editor.quickSuggestions": { "other": "off" },
        "editor.autoIndent": "none", "editor.autoClosingBrackets": "never",
        // Less to draw: most of the time goes there.
        "editor.minimap.enabled": false,
    })
}

fn play_turn(user: &mut VscodeUser, seed: usize, turn: usize, tally: &mut TypingTally) {
    let files = user.window.js("return T.state.typist.begin(...args)", json!([seed, EDITS]));
    let files = files.as_array().unwrap();
    let gate = format!("typed_{turn}");
    let planned = files.iter().flat_map(|file| file["planned"].as_array().unwrap()).enumerate();
    let edit = |step: ScriptedTurn, (at, edit): (usize, &Value)| {
        let arguments =
            json!({ "filePath": edit["file"], "oldString": edit["old"], "newString": edit["new"] });
        step.call(format!("edit_{turn}_{at}"), "edit", arguments)
    };
    let read = |step: ScriptedTurn, (at, file): (usize, &Value)| {
        step.call(format!("read_{turn}_{at}"), "read", json!({ "filePath": file["name"] }))
    };
    let server = &user.scripted.server;
    server.queue_turn(planned.fold(ScriptedTurn::new(), edit));
    server.queue_turn(files.iter().enumerate().fold(ScriptedTurn::new().gate(&gate), read));
    server.queue_turn(ScriptedTurn::new().text("Done."));
    let keys = if turn.is_multiple_of(REAL_KEYS_EVERY) { KEYS } else { "" };
    type_during_turn(user, keys, &gate);
    let texts = user.window.js("return T.state.typist.rest(args[0])", json!([keys]));
    user.open_gate(&gate);
    assert_eq!(user.wait_for_turn_end(), "done");
    let end = user.window.js("return T.state.typist.finish()", json!([]));
    assert_eq!(end["wrong"], json!([]), "seed {seed}: {:#}", end["files"]);
    let told = block_on(user.scripted.server.request_arrived(turn * 3 + 3)).body;
    let mut calls = 0;
    for (at, file) in end["files"].as_array().unwrap().iter().enumerate() {
        assert_eq!(file["text"], texts[at], "seed {seed}: the text changed after the last edit");
        for seen in file["edits"].as_array().unwrap() {
            let (said, failed) = result_in(&told, &format!("edit_{turn}_{calls}"));
            let expected = json!({ "old": u8::from(failed), "new": u8::from(!failed) });
            assert_eq!(
                *seen,
                expected,
                "seed {seed}, edit {calls}: {said}\n{}",
                file["text"].as_str().unwrap()
            );
            tally.applied += usize::from(!failed);
            tally.refused += usize::from(failed);
            calls += 1;
        }
        let lines = file["text"].as_str().unwrap().lines().enumerate();
        let lines: String = lines.map(|(index, line)| format!("{}: {line}\n", index + 1)).collect();
        let (read, _) = result_in(&told, &format!("read_{turn}_{at}"));
        let is_same = read.starts_with(lines.trim_end());
        assert!(is_same, "seed {seed}: the daemon has\n{read}\nand VS Code\n{lines}");
    }
    tally.turns += 1;
    tally.typed += end["typed"].as_u64().unwrap();
    if turn % TURNS_PER_TABS == TURNS_PER_TABS - 1 {
        user.window.js("await T.state.typist.close()", json!([]));
    }
}

/// Types from the prompt until the model has the results of all edits: `keys` at the page, or else as the seed says in the extension host.
fn type_during_turn(user: &mut VscodeUser, keys: &str, gate: &str) {
    if keys.is_empty() {
        let typing = user.window.begin_js("await T.state.typist.type()", json!([]));
        user.ask("Work");
        user.wait_for_gate(gate);
        user.window.js("T.state.typist.stop()", json!([]));
        user.window.finish_js(typing);
    } else {
        user.focus_editor();
        let order = json!({ "text": keys, "delay": KEY_DELAY_MS });
        let typing = user.window.begin_user(&mut user.server, "type", order);
        user.ask("Work");
        user.wait_for_gate(gate);
        user.server.finish(typing).unwrap();
    }
}
