//! A person types while edits are on their way: no keystroke is ever lost, and desk and editor agree in the end.
//!
//! In every round the model edits ten buffers at once. The person types before the edits come, between their arrival and
//! the stock handler, right behind it, and at moments that nobody decides. Then the model reads what the desk has.

use std::path::Path;

use serde_json::{Value, json};

use super::lives::wait;
use super::window::{USUAL, Window, desk, on_each, result_in};
use crate::model_server::Turn;
use crate::sessions::harness::Scripted;

pub(crate) const BUFFERS: usize = 10;
/// After so many rounds a new session begins, with new texts: what the model is sent does not grow without end.
pub(crate) const ROUNDS: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) made: u64,
    pub(crate) failed: u64,
    /// Made at another attempt than the first.
    pub(crate) again: u64,
}

impl Tally {
    /// Counts a round, and compares what Neovim did with what the model was told: `wrong` is what the person saw go wrong,
    /// `now` each buffer as it was in the end.
    pub(crate) fn count(&mut self, scripted: &Scripted, round: usize, wrong: &Value, now: &Value) {
        let is_good = wrong.as_array().is_none_or(Vec::is_empty);
        assert!(is_good, "round {round}: {}", wrong[0].as_str().unwrap());
        let sent = |number| wait(scripted.server.request_arrived(round * 3 + number)).body;
        let (edited, seen) = (sent(2), sent(3));
        for (number, now) in now.as_array().unwrap().iter().enumerate() {
            let (told, failed) = result_in(&edited, &format!("edit_{round}_{number}"));
            assert_eq!(now["made"], u64::from(!failed), "round {round}, {number}: {now:#} {told}");
            self.made += u64::from(!failed);
            self.failed += u64::from(failed);
            self.again += u64::from(!failed && now["tried"].as_u64() > Some(1));
            let lines = now["lines"].as_array().unwrap().iter().enumerate();
            let lines = lines.map(|(index, line)| format!("{}: {}\n", index + 1, line.as_str().unwrap()));
            let lines: String = lines.collect();
            let (read, _) = result_in(&seen, &format!("read_{round}_{number}"));
            assert!(
                read.starts_with(&lines),
                "round {round}, {number}: the desk has\n{read}\nand Neovim\n{lines}"
            );
        }
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_keystroke_is_lost_in_two_thousand_interleavings() {
    on_each(|program| {
        let tally = rounds(program, 200, 0);
        assert!(tally.made > 1_200 && tally.failed > 20 && tally.again > 100, "a tame person: {tally:?}");
    });
}

/// Here an edit and the typing behind it come in one message.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn no_keystroke_is_lost_where_changes_are_gathered() {
    on_each(|program| {
        let tally = rounds(program, 30, USUAL);
        assert!(tally.made > 180 && tally.failed > 2 && tally.again > 10, "a tame person: {tally:?}");
    });
}

fn rounds(program: &Path, rounds: usize, debounce: u32) -> Tally {
    let scripted = desk([]);
    let files: Vec<_> = (0..BUFFERS).map(|number| format!("f{number}.txt")).collect();
    let mut window = Window::with_debounce(program, &scripted.desk, &[], debounce);
    window.does(include_str!("person.lua"));
    window.nvim.lua("P.seed(...)", json!([rounds]));
    window.nvim.lua("P.open(...)", json!([files]));
    let mut tally = Tally::default();
    for round in 0..rounds {
        if round % ROUNDS == 0 {
            window.renew();
            window.does("P.begin()");
        }
        window.told();
        self::round(&scripted, &mut window, round, &files, &mut tally);
    }
    println!("{tally:?}");
    tally
}

/// Has the model edit each file in one step, and read each in the next, which waits at the gate.
pub(crate) fn play(scripted: &Scripted, round: usize, files: &[String], edits: &Value) -> String {
    let gate = format!("read {round}");
    let edit = |step: Turn, (number, edit): (usize, &Value)| {
        let arguments =
            json!({ "filePath": files[number], "oldString": edit["old"], "newString": edit["new"] });
        step.call(format!("edit_{round}_{number}"), "edit", arguments)
    };
    let read = |step: Turn, (number, file): (usize, &String)| {
        step.call(format!("read_{round}_{number}"), "read", json!({ "filePath": file }))
    };
    let edits = edits.as_array().unwrap();
    scripted.server.play(edits.iter().enumerate().fold(Turn::new(), edit));
    scripted.server.play(files.iter().enumerate().fold(Turn::new().gate(&gate), read));
    scripted.server.play(Turn::new().text("Done."));
    gate
}

fn round(scripted: &Scripted, window: &mut Window, round: usize, files: &[String], tally: &mut Tally) {
    let edits = window.does("return P.round()");
    let gate = play(scripted, round, files, &edits);
    window.prompt();
    for _ in 0..3 {
        window.does("P.anywhere()");
    }
    wait(scripted.server.reached(&gate));
    window.told();
    let now = window.does("return P.result()");
    scripted.server.open(&gate);
    window.ended();
    let wrong = window.does("return P.wrong");
    tally.count(scripted, round, &wrong, &now);
}
