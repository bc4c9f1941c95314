//! `copydesk undo`: reverts the agent's changes, and nothing of the user's; in its own process and through the
//! daemon.

use expect_test::expect;
use serde_json::{Value, json};

use super::harness::{RunLocation, ScriptedEnvironment};
use crate::model_server::ScriptedTurn;

const BOTH: [RunLocation; 2] = [RunLocation::OwnProcess, RunLocation::Daemon];

fn edit(call: &str, old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "edit", json!({ "filePath": "a.txt", "oldString": old, "newString": new }))
}

/// An environment in which the model has made these steps and answered.
fn after_steps(steps: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedEnvironment {
    let scripted = ScriptedEnvironment::new(steps.into_iter().chain([ScriptedTurn::new().text("Done.")]));
    scripted.env.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    let ran = scripted.run(&["--auto", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    scripted
}

fn parts(scripted: &ScriptedEnvironment) -> Vec<Value> {
    let sessions = scripted.env.run(&["sessions", "list", "--json"]).json();
    let archive = scripted.env.run(&["sessions", "export", sessions[0]["id"].as_str().unwrap()]).json();
    archive["parts"].as_array().unwrap().clone()
}

#[test]
fn the_last_turn_that_changed_files_is_taken_back_and_done_again() {
    for place in BOTH {
        let scripted = after_steps([edit("c1", "two", "2"), edit("c2", "four", "4")]);
        let _up = scripted.start_daemon(place);
        // A turn without changes comes after it.
        scripted.server.queue_turn(ScriptedTurn::new().text("I only look."));
        assert_eq!(scripted.run(&["--continue", "Look"]).code, Some(0));
        scripted.env.run(&["undo"]).assert_output(&expect![[r#"
            ✓ a.txt undone
        "#]]);
        assert_eq!(scripted.env.read("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
        scripted.env.run(&["undo"]).assert_output(&expect![[r#"
            There is nothing to undo.
            exit code 1
        "#]]);
        scripted.env.run(&["undo", "--redo"]).assert_output(&expect![[r#"
            ✓ a.txt redone
        "#]]);
        assert_eq!(scripted.env.read("a.txt"), "one\n2\nthree\n4\nfive\n");
        scripted.env.run(&["undo", "--redo"]).assert_output(&expect![[r#"
            There is nothing to redo.
            exit code 1
        "#]]);
    }
}

#[test]
fn what_a_user_wrote_in_between_stays() {
    for place in BOTH {
        let scripted = after_steps([edit("c1", "two", "2")]);
        let _up = scripted.start_daemon(place);
        scripted.env.write("a.txt", "ONE\n2\nthree\nfour\nfive\nsix\n");
        assert_eq!(scripted.env.run(&["undo"]).code, Some(0));
        assert_eq!(scripted.env.read("a.txt"), "ONE\ntwo\nthree\nfour\nfive\nsix\n");
    }
}

#[test]
fn lines_that_a_user_changed_too_are_left_as_they_are() {
    for place in BOTH {
        let scripted = after_steps([edit("c1", "two", "2")]);
        let _up = scripted.start_daemon(place);
        scripted.env.write("a.txt", "one\n2, or two\nthree\nfour\nfive\n");
        let ran = scripted.env.run(&["undo"]);
        assert!(ran.code == Some(1) && ran.stdout.starts_with("✗ a.txt left as it is: "), "{ran:?}");
        assert_eq!(scripted.env.read("a.txt"), "one\n2, or two\nthree\nfour\nfive\n");
        let ran = scripted.env.run(&["undo", "--json"]);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.code, &report["files"][0]["outcome"]), (Some(1), &json!("conflict")));
    }
}

#[test]
fn a_file_that_was_made_goes_and_comes_back() {
    let write =
        || ScriptedTurn::new().call("c1", "write", json!({ "filePath": "new.txt", "content": "made\n" }));
    for place in BOTH {
        let scripted = after_steps([write()]);
        let _up = scripted.start_daemon(place);
        assert_eq!(scripted.env.run(&["undo"]).code, Some(0));
        assert!(!scripted.env.exists("new.txt"));
        assert_eq!(scripted.env.run(&["undo", "--redo"]).code, Some(0));
        assert_eq!(scripted.env.read("new.txt"), "made\n");
        scripted.env.write("new.txt", "made\nand worked on\n");
        let ran = scripted.env.run(&["undo"]);
        assert!(ran.code == Some(1) && ran.stdout.contains("changed since it was created"), "{ran:?}");
        assert!(scripted.env.exists("new.txt"));
    }
}

#[test]
fn one_call_one_turn_or_everything_after_a_part() {
    for place in BOTH {
        let scripted = after_steps([edit("c1", "two", "2"), edit("c2", "four", "4")]);
        let _up = scripted.start_daemon(place);
        let parts = parts(&scripted);
        let id = |call: &str| {
            let part = parts.iter().find(|part| part["content"]["call"] == call).unwrap();
            part["id"].as_str().unwrap().to_owned()
        };
        let undo = |args: &[&str]| {
            let args: Vec<_> = ["undo"].iter().chain(args).copied().collect();
            let ran = scripted.env.run(&args);
            assert_eq!(ran.code, Some(0), "{place:?}: {ran:?}");
            scripted.env.read("a.txt")
        };
        assert_eq!(undo(&["--call", &id("c1")]), "one\ntwo\nthree\n4\nfive\n");
        assert_eq!(undo(&["--redo"]), "one\n2\nthree\n4\nfive\n");
        assert_eq!(undo(&["--after", &id("c1")]), "one\n2\nthree\nfour\nfive\n");
        assert_eq!(undo(&["--turn", "1"]), "one\ntwo\nthree\nfour\nfive\n");
        let session = parts[0]["session"].as_str().unwrap();
        let unknown = scripted.env.run(&["undo", session, "--turn", "7"]);
        assert!(
            unknown.code == Some(1) && unknown.stderr.contains("the session has no turn 7"),
            "{unknown:?}"
        );
    }
}

#[test]
fn without_a_session_there_is_nothing_to_undo() {
    let scripted = ScriptedEnvironment::new([]);
    scripted.env.run(&["undo"]).assert_output(&expect![[r#"
        ! error: there is no session in PROJECT
        exit code 1
    "#]]);
    let both = scripted.env.run(&["undo", "--redo", "--turn", "1"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn what_was_deleted_cannot_be_undone() {
    let scripted = after_steps([edit("c1", "two", "2")]);
    let journal = || {
        let report = scripted.env.run(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&report.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().clone();
        let journal = findings.into_iter().find(|finding| finding["about"] == "journal").unwrap();
        journal["what"].as_str().unwrap().to_owned()
    };
    assert!(journal().starts_with("1 edits, ") && journal().contains(" of 268.4 MB in ~/"), "{}", journal());
    let session = parts(&scripted)[0]["session"].as_str().unwrap().to_owned();
    assert_eq!(scripted.env.run(&["sessions", "delete", &session]).code, Some(0));
    assert!(journal().starts_with("0 edits, "), "{}", journal());
}
