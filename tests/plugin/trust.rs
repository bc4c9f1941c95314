//! The question about a folder in Neovim.

use serde_json::json;

use super::commands::NeovimUser;
use crate::cli::environment::TRUST_FILE;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{environment_with_config, for_each_neovim};
use crate::sessions::harness::ScriptedEnvironment;

/// A clone that the user was never asked about, and a model that answers so many prompts.
fn new_folder(prompts: usize) -> ScriptedEnvironment {
    let turns = (0..prompts).map(|_| ScriptedTurn::new().text("Done."));
    let scripted = environment_with_config(turns, json!({}));
    scripted.env.forget_trust();
    scripted.env.write("clones/a/.git/x", "");
    ScriptedEnvironment { env: scripted.env.cwd("clones/a"), server: scripted.server }
}

#[track_caller]
fn prompt(user: &mut NeovimUser, answers: serde_json::Value) {
    user.run_command("Copydesk! ask Go", answers);
    assert_eq!(user.window.wait_for_turn_end()["end"]["kind"], "done");
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_first_prompt_asks_and_the_choice_can_be_changed() {
    for_each_neovim(|program| {
        let scripted = new_folder(3);
        let mut user = NeovimUser::start(program, &scripted.env);
        prompt(&mut user, json!(["No: "]));
        let labels = user.next_choices();
        let kinds: Vec<_> = labels.iter().map(|label| label.split([':', ',']).next().unwrap()).collect();
        assert_eq!(kinds, ["Yes", "Yes", "No"], "{labels:?}");
        assert!(user.next_notification().ends_with(" is not trusted"));
        assert_eq!(scripted.env.run(&["trust", "--list"]).stdout, "not trusted  PROJECT/clones/a\n");
        // It is not asked again, and the session says once what is missing.
        let told = user.next_notification();
        assert!(told.contains("no language server") && told.contains(":Copydesk trust"), "{told}");
        prompt(&mut user, json!([]));

        // Also the parent, although the folder itself was not trusted.
        user.run_command("Copydesk trust", json!(["Yes, and everything else in "]));
        user.next_choices();
        assert!(user.next_notification().ends_with(" is trusted, from the next prompt on"));
        let listed = scripted.env.run(&["trust", "--list"]).stdout;
        assert!(
            listed.lines().count() == 2 && listed.lines().all(|line| line.starts_with("trusted ")),
            "{listed}"
        );
        prompt(&mut user, json!([]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_dismissed_question_changes_nothing_and_the_prompt_is_sent() {
    for_each_neovim(|program| {
        let scripted = new_folder(2);
        let mut user = NeovimUser::start(program, &scripted.env);
        prompt(&mut user, json!([false]));
        assert_eq!(user.next_choices().len(), 3);
        assert!(!scripted.env.exists(TRUST_FILE));
        // Not asked twice in one Neovim.
        prompt(&mut user, json!([]));
        assert!(!scripted.env.exists(TRUST_FILE));
    });
}

/// Some pickers only close.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_picker_that_never_answers_does_not_keep_the_prompt() {
    for_each_neovim(|program| {
        let scripted = new_folder(1);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk! ask Go", json!([]));
        assert_eq!(user.next_choices().len(), 3);
        user.window.command("new");
        user.window.command("quit");
        assert_eq!(user.window.wait_for_turn_end()["end"]["kind"], "done");
        assert!(!scripted.env.exists(TRUST_FILE));
    });
}
