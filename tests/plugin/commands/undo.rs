//! `undo` and `redo`.

use serde_json::json;

use super::NeovimUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, edit, for_each_neovim};

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn undo_takes_back_turn_after_turn_and_redo_brings_them_back() {
    for_each_neovim(|program| {
        let turns = [edit("a.txt", "one", "1"), edit("b.txt", "two", "2")].concat();
        let scripted =
            allow_edits_environment(turns.into_iter().chain([ScriptedTurn::new().text("Just talk.")]));
        scripted.env.write("a.txt", "one\n");
        scripted.env.write("b.txt", "two\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        let says = |user: &mut NeovimUser, command: &str| {
            user.run_command(command, json!([]));
            user.next_notification()
        };
        let none = "no session is open, so there is nothing to";
        assert!(says(&mut user, "edit a.txt | Copydesk undo").starts_with(none));
        assert!(says(&mut user, "Copydesk redo").starts_with(none));
        for prompt in ["First", "Second", "Third"] {
            user.run_turn(prompt);
        }
        assert_eq!(user.window.lines("a.txt"), "1");
        assert_eq!(says(&mut user, "Copydesk undo"), "undone: b.txt");
        assert_eq!(scripted.env.read("b.txt"), "two\n");
        assert_eq!(says(&mut user, "Copydesk undo"), "undone: a.txt");
        assert_eq!(user.window.lines("a.txt"), "one");
        assert_eq!(says(&mut user, "Copydesk undo"), "there is nothing to undo");
        assert_eq!(says(&mut user, "Copydesk redo"), "redone: a.txt");
        assert_eq!(says(&mut user, "Copydesk redo"), "redone: b.txt");
        assert_eq!(says(&mut user, "Copydesk redo"), "there is nothing to redo");
        assert_eq!(says(&mut user, "Copydesk undo call"), "undone: b.txt");
        assert_eq!(says(&mut user, "Copydesk redo"), "redone: b.txt");
        assert_eq!(says(&mut user, "Copydesk undo all"), "undone: b.txt, a.txt");
        assert_eq!(says(&mut user, "Copydesk redo"), "redone: a.txt, b.txt");
        assert_eq!(says(&mut user, "Copydesk undo turn 1"), "undone: a.txt");
        assert_eq!(says(&mut user, "Copydesk undo turn 9"), "the session has no turn 9");
        let takes = "`undo` takes `turn`, `turn NUMBER`, `call` or `all`, not `the last one`";
        assert_eq!(says(&mut user, "Copydesk undo the last one"), takes);
        assert_eq!(says(&mut user, "Copydesk undo turn 1.5"), takes.replace("the last one", "turn 1.5"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lines_that_the_user_changed_too_are_told_and_left() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment(edit("a.txt", "one", "1"));
        scripted.env.write("a.txt", "one\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        user.run_turn("Work");
        user.window.command("call setline(1, 'mine')");
        user.run_command("Copydesk undo", json!([]));
        let said = user.next_notification();
        assert!(said.starts_with("left as it is, because you changed the same lines: a.txt ("), "{said}");
        assert_eq!(user.window.lines("a.txt"), "mine");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nothing_is_taken_back_while_a_turn_runs() {
    for_each_neovim(|program| {
        let turns =
            [edit("a.txt", "one", "1").to_vec(), vec![ScriptedTurn::new().text("I begin").stall("begun")]]
                .concat();
        let scripted = allow_edits_environment(turns);
        scripted.env.write("a.txt", "one\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("Work");
        user.run_command("Copydesk! ask More", json!([]));
        user.wait_for_text("I begin");
        user.run_command("Copydesk undo", json!([]));
        assert_eq!(user.next_notification(), "a turn is running; `:Copydesk stop` stops it, then try again");
        user.run_command("Copydesk stop", json!([]));
        user.window.wait_for_turn_end();
    });
}
