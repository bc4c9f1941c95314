//! The user types while edits are on their way: no keystroke is ever lost, and daemon and editor agree in the end.
//!
//! In every round the model edits ten buffers at once. The user types before the edits arrive, between their arrival and
//! the stock handler, right after it, and at random moments. Then the model reads the daemon's texts.

use std::path::Path;

use serde_json::{Value, json};

use super::crashes::block_on;
use super::neovim_session::{
    DEFAULT_DEBOUNCE_MS, NeovimSession, allow_edits_environment, for_each_neovim, result_in,
};
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

pub(crate) const BUFFERS: usize = 10;
/// After so many rounds a new session begins with new texts, so that requests to the model stay small.
pub(crate) const ROUNDS: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct EditTally {
    pub(crate) applied: u64,
    pub(crate) failed: u64,
    /// Applied at a later attempt than the first.
    pub(crate) retried: u64,
}

impl EditTally {
    /// Counts a round, and compares what Neovim did with what the model was told: `wrong` lists the errors that the user
    /// saw, `now` the final text of each buffer.
    pub(crate) fn record_round(
        &mut self,
        scripted: &ScriptedEnvironment,
        round: usize,
        wrong: &Value,
        now: &Value,
    ) {
        let is_good = wrong.as_array().is_none_or(Vec::is_empty);
        assert!(is_good, "round {round}: {}", wrong[0].as_str().unwrap());
        let sent = |number| block_on(scripted.server.request_arrived(round * 3 + number)).body;
        let (edited, seen) = (sent(2), sent(3));
        for (number, now) in now.as_array().unwrap().iter().enumerate() {
            let (told, failed) = result_in(&edited, &format!("edit_{round}_{number}"));
            assert_eq!(now["made"], u64::from(!failed), "round {round}, {number}: {now:#} {told}");
            self.applied += u64::from(!failed);
            self.failed += u64::from(failed);
            self.retried += u64::from(!failed && now["tried"].as_u64() > Some(1));
            let lines = now["lines"].as_array().unwrap().iter().enumerate();
            let lines = lines.map(|(index, line)| format!("{}: {}\n", index + 1, line.as_str().unwrap()));
            let lines: String = lines.collect();
            let (read, _) = result_in(&seen, &format!("read_{round}_{number}"));
            assert!(
                read.starts_with(&lines),
                "round {round}, {number}: the daemon has\n{read}\nand Neovim\n{lines}"
            );
        }
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_keystroke_is_lost_in_two_thousand_interleavings() {
    for_each_neovim(|program| {
        let tally = rounds(program, 200, 0);
        assert!(
            tally.applied > 1_200 && tally.failed > 20 && tally.retried > 100,
            "the user typed too little: {tally:?}"
        );
    });
}

/// Here an edit and the typing after it arrive in one message.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_keystroke_is_lost_where_changes_are_gathered() {
    for_each_neovim(|program| {
        let tally = rounds(program, 30, DEFAULT_DEBOUNCE_MS);
        assert!(
            tally.applied > 180 && tally.failed > 2 && tally.retried > 10,
            "the user typed too little: {tally:?}"
        );
    });
}

fn rounds(program: &Path, rounds: usize, debounce: u32) -> EditTally {
    let scripted = allow_edits_environment([]);
    let files: Vec<_> = (0..BUFFERS).map(|number| format!("f{number}.txt")).collect();
    let mut window = NeovimSession::with_debounce(program, &scripted.env, &[], debounce);
    window.run_lua(include_str!("person.lua"));
    window.nvim.lua("P.seed(...)", json!([rounds]));
    window.nvim.lua("P.open(...)", json!([files]));
    let mut tally = EditTally::default();
    for round in 0..rounds {
        if round % ROUNDS == 0 {
            window.start_new_session();
            window.run_lua("P.begin()");
        }
        window.flush_changes();
        self::round(&scripted, &mut window, round, &files, &mut tally);
    }
    println!("{tally:?}");
    tally
}

/// Makes the model edit each file in one step, and read each in the next, which waits at the gate.
pub(crate) fn play(scripted: &ScriptedEnvironment, round: usize, files: &[String], edits: &Value) -> String {
    let gate = format!("read {round}");
    let edit = |step: ScriptedTurn, (number, edit): (usize, &Value)| {
        let arguments =
            json!({ "filePath": files[number], "oldString": edit["old"], "newString": edit["new"] });
        step.call(format!("edit_{round}_{number}"), "edit", arguments)
    };
    let read = |step: ScriptedTurn, (number, file): (usize, &String)| {
        step.call(format!("read_{round}_{number}"), "read", json!({ "filePath": file }))
    };
    let edits = edits.as_array().unwrap();
    scripted.server.queue_turn(edits.iter().enumerate().fold(ScriptedTurn::new(), edit));
    scripted.server.queue_turn(files.iter().enumerate().fold(ScriptedTurn::new().gate(&gate), read));
    scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    gate
}

fn round(
    scripted: &ScriptedEnvironment,
    window: &mut NeovimSession,
    round: usize,
    files: &[String],
    tally: &mut EditTally,
) {
    let edits = window.run_lua("return P.round()");
    let gate = play(scripted, round, files, &edits);
    window.prompt();
    for _ in 0..3 {
        window.run_lua("P.anywhere()");
    }
    block_on(scripted.server.wait_for_gate(&gate));
    window.flush_changes();
    let now = window.run_lua("return P.result()");
    scripted.server.open_gate(&gate);
    window.wait_for_turn_end();
    let wrong = window.run_lua("return P.wrong");
    tally.record_round(scripted, round, &wrong, &now);
}
