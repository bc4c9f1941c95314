//! The question about a folder, before the first prompt in it.

use std::os::unix::fs::PermissionsExt as _;

use super::approval::scripted;
use super::screen::TestTerminal;
use crate::cli::environment::TRUST_FILE;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

/// The end of the question, where the answer is typed.
const CHOICES: &str = "[n] no  ›";
const QUESTION: &str = "Do you trust the authors of the files in";

/// A model that answers once, in a folder that the user was never asked about.
fn new_folder() -> ScriptedEnvironment {
    let scripted = scripted([ScriptedTurn::new().text("Done."), ScriptedTurn::new().text("Done.")]);
    scripted.env.forget_trust();
    scripted
}

/// Runs another prompt, in a folder that the user is not asked about again.
fn run_unasked(scripted: &ScriptedEnvironment) {
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    assert_eq!(terminal.wait_for_exit(), Some(0));
    assert!(!terminal.text().contains(QUESTION), "{}", terminal.text());
}

/// Runs a prompt, and answers the question.
fn answer(scripted: &ScriptedEnvironment, answer: &str) -> String {
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(CHOICES);
    terminal.line(answer);
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    terminal.text()
}

#[test]
fn the_first_prompt_in_a_folder_asks_for_trust_once() {
    let scripted = new_folder();
    let told = answer(&scripted, "y");
    assert!(told.contains("Trusted: ") && !told.contains("is not trusted"), "{told}");
    let listed = scripted.env.run(&["trust", "--list"]).stdout;
    assert_eq!(listed, "trusted      PROJECT\n");
    run_unasked(&scripted);
}

#[test]
fn the_parent_of_many_clones_can_be_trusted() {
    let ScriptedEnvironment { env, server } = new_folder();
    env.write("clones/a/.git/x", "");
    env.write("clones/b/.git/x", "");
    let mut scripted = ScriptedEnvironment { env: env.cwd("clones/a"), server };
    let told = answer(&scripted, "a");
    assert!(!told.contains("is not trusted"), "{told}");
    assert_eq!(scripted.env.run(&["trust", "--list"]).stdout, "trusted      PROJECT/clones\n");
    scripted.env = scripted.env.cwd("clones/b");
    run_unasked(&scripted);
}

#[test]
fn a_folder_that_the_user_does_not_trust_is_not_asked_about_again() {
    let scripted = new_folder();
    let told = answer(&scripted, "n");
    assert!(told.contains("is not trusted: no language server"), "{told}");
    assert_eq!(scripted.env.run(&["trust", "--list"]).stdout, "not trusted  PROJECT\n");
    run_unasked(&scripted);
}

#[test]
fn a_question_that_is_not_answered_stays_open() {
    let scripted = new_folder();
    let mut terminal = TestTerminal::start(&scripted.env, &["run", "Go"]);
    terminal.wait_for_text(CHOICES);
    // Neither is an answer.
    terminal.line("maybe");
    terminal.wait_for_text_times(CHOICES, 2);
    terminal.keys("\u{4}");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert!(!scripted.env.exists(TRUST_FILE));
    // It is asked again.
    answer(&scripted, "n");
}

/// An answer would count for all that lies in the home, and in folders that others write to.
#[test]
fn nothing_wide_is_offered() {
    let ScriptedEnvironment { env, server } = new_folder();
    for folder in ["Downloads/a", "shared/a"] {
        env.write(&format!("{folder}/.git/x"), "");
    }
    std::fs::set_permissions(env.path("shared"), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let mut scripted = ScriptedEnvironment { env: env.cwd("Downloads/a"), server };
    assert!(!answer(&scripted, "n").contains("[a]"));
    scripted.env = scripted.env.cwd("shared/a");
    assert!(!answer(&scripted, "n").contains("[a]"));

    let scripted = new_folder();
    let scripted = ScriptedEnvironment { env: scripted.env.cwd("~/."), server: scripted.server };
    run_unasked(&scripted);
    run_unasked(&scripted);
}
