//! A user types at random in every mode, while the agent edits, moves and deletes files: no character typed is ever lost, the daemon has the
//! same texts, and the model is told the truth. `COPYDESK_TYPIST_SEED` is the first seed, `COPYDESK_TYPIST_COUNT` how many there are.

use std::path::Path;

use serde_json::{Value, json};

use super::plugin_neovim::PluginNeovim;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim, result_in};
use crate::sessions::harness::ScriptedEnvironment;

/// After so many seeds a new session begins, so that requests to the model stay small.
const SEEDS_PER_SESSION: usize = 5;

/// Of each program and each set of tools.
const SEEDS: usize = 100;

/// What happened in all seeds.
#[derive(Debug, Default)]
struct TypistTally {
    seeds: usize,
    /// Characters, each of them unique.
    typed: u64,
    edits: u64,
    operations: u64,
    decided: u64,
    sent_again: u64,
    /// Texts that differed from the daemon's until the user rested.
    noticed: u64,
    done: usize,
    refused: usize,
}

fn number_from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_typed_is_lost_in_any_mode_while_the_agent_edits() {
    for_each_neovim(|program| type_seeds(program, false));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_typed_is_lost_in_any_mode_while_the_agent_moves_and_deletes() {
    for_each_neovim(|program| type_seeds(program, true));
}

fn type_seeds(program: &Path, uses_patches: bool) {
    let permission = json!({ "edit": { "*": "allow", "ask_*": "ask" } });
    let mut config = json!({ "permission": permission, "agent": { "build": { "steps": 1000 } } });
    if uses_patches {
        config["model"] = json!("script/gpt-5");
    }
    let scripted = environment_with_config([], config);
    let mut window = PluginNeovim::open(program, &scripted.env);
    window.connect();
    window.lua(include_str!("typist.lua"));
    let first = number_from_environment("COPYDESK_TYPIST_SEED", 1);
    let count = number_from_environment("COPYDESK_TYPIST_COUNT", SEEDS);
    let mut tally = TypistTally::default();
    for round in 0..count {
        if round % SEEDS_PER_SESSION == 0 {
            window.lua("T.await(function(done) require('copydesk.session').new(function() done() end) end)");
        }
        play_seed(&scripted, &mut window, (first + round, round), uses_patches, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.done > 0 && tally.typed > 0, "the user typed too little: {tally:?}");
}

fn play_seed(
    scripted: &ScriptedEnvironment,
    window: &mut PluginNeovim,
    (seed, round): (usize, usize),
    uses_patches: bool,
    tally: &mut TypistTally,
) {
    let calls = window.nvim.lua("return Y.begin(...)", json!([seed, uses_patches]));
    let calls = calls.as_array().unwrap();
    let read = |step: ScriptedTurn, (at, call): (usize, &Value)| {
        step.call(format!("read_{seed}_{at}"), "read", json!({ "filePath": call["file"] }))
    };
    let work = |step: ScriptedTurn, (at, call): (usize, &Value)| {
        step.call(format!("work_{seed}_{at}"), call["name"].as_str().unwrap(), call["arguments"].clone())
    };
    scripted.server.queue_turn(calls.iter().enumerate().fold(ScriptedTurn::new(), read));
    scripted.server.queue_turn(calls.iter().enumerate().fold(ScriptedTurn::new(), work));
    scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    window.lua("Y.work()");
    let end = window.lua("return Y.finish()");
    let log = end["log"].as_str().unwrap();
    let wrong: Vec<_> = end["wrong"].as_array().map(|all| all.iter().collect()).unwrap_or_default();
    assert!(wrong.is_empty(), "COPYDESK_TYPIST_SEED={seed}: {}", wrong[0].as_str().unwrap());
    let told = block_on(scripted.server.request_arrived(round * 3 + 3)).body;
    for (at, call) in end["calls"].as_array().unwrap().iter().enumerate() {
        let (text, failed) = result_in(&told, &format!("work_{seed}_{at}"));
        let (made, marks) = (call["made"].as_u64().unwrap(), call["marks"].as_u64().unwrap());
        let is_asked = call["file"].as_str().unwrap().starts_with("ask_");
        // What the user decides hunk by hunk may be done in part.
        let is_true = if failed { made == 0 || is_asked } else { made == marks || is_asked };
        assert!(is_true, "COPYDESK_TYPIST_SEED={seed}: {call} was told: {text}\n{log}");
        tally.done += usize::from(!failed);
        tally.refused += usize::from(failed);
    }
    tally.seeds += 1;
    for (total, name) in [
        (&mut tally.typed, "typed"),
        (&mut tally.edits, "edits"),
        (&mut tally.operations, "operations"),
        (&mut tally.decided, "decided"),
        (&mut tally.sent_again, "sent_again"),
        (&mut tally.noticed, "noticed"),
    ] {
        *total = end[name].as_u64().unwrap();
    }
}
