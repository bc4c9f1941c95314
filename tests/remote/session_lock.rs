//! Only one process works on a session at a time.

use crate::model_server::ScriptedTurn;
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};

fn busy() -> ScriptedEnvironment {
    ScriptedEnvironment::new([
        ScriptedTurn::new().text("Once").gate("here").text(" more."),
        ScriptedTurn::new().text("Next."),
    ])
}

#[tokio::test]
async fn a_second_process_is_told_who_works_on_the_session() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let scripted = busy();
        let run = scripted.start(&["--no-daemon", "Go"]);
        scripted.server.wait_for_gate("here").await;
        let _up = scripted.start_daemon(place);
        let second = scripted.run(&["--continue", "And?"]);
        let expected = format!("is being worked on by process {}", run.id());
        assert!(second.code == Some(1) && second.stderr.contains(&expected), "{place:?}: {second:?}");
        let undo = scripted.env.run(&["undo", "--redo"]);
        assert!(undo.code == Some(1) && undo.stderr.contains(&expected), "{place:?}: {undo:?}");
        let sessions = scripted.env.run(&["sessions", "list", "--json"]).json();
        let delete = scripted.env.run(&["sessions", "delete", sessions[0]["id"].as_str().unwrap()]);
        assert!(delete.code == Some(1) && delete.stderr.contains(&expected), "{place:?}: {delete:?}");
        scripted.server.open_gate("here");
        assert!(run.wait_with_output().unwrap().status.success());
        let third = scripted.run(&["--continue", "And?"]);
        assert_eq!((third.stdout.as_str(), third.code), ("Next.\n", Some(0)), "{place:?}: {third:?}");
    }
}

#[tokio::test]
async fn what_the_daemon_works_on_is_not_worked_on_here() {
    let scripted = busy();
    let up = scripted.start_daemon(RunLocation::Daemon).unwrap();
    let run = scripted.start(&["Go"]);
    scripted.server.wait_for_gate("here").await;
    let second = scripted.run(&["--no-daemon", "--continue", "And?"]);
    let expected = format!("is being worked on by process {}", up.pid());
    assert!(second.code == Some(1) && second.stderr.contains(&expected), "{second:?}");
    scripted.server.open_gate("here");
    assert!(run.wait_with_output().unwrap().status.success());
    assert_eq!(scripted.run(&["--no-daemon", "--continue", "And?"]).stdout, "Next.\n");
}

#[tokio::test]
async fn who_was_killed_is_in_nobodys_way() {
    let scripted = busy();
    let mut run = scripted.start(&["--no-daemon", "Go"]);
    scripted.server.wait_for_gate("here").await;
    run.kill().unwrap();
    run.wait().unwrap();
    scripted.server.wait_for_hangup("here").await;
    assert_eq!(scripted.run(&["--continue", "And?"]).stdout, "Next.\n");
}

#[test]
fn a_session_that_the_daemon_has_at_hand_is_deleted_there() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    let _up = scripted.start_daemon(RunLocation::Daemon);
    let mut editor = crate::editors::scripted_editor::ScriptedEditor::new(&scripted.env, "nvim");
    let session = editor.new_session();
    editor.run_turn(&session, "Go");
    let deleted = scripted.env.run(&["sessions", "delete", &session]);
    assert!(deleted.stdout.starts_with("Deleted"), "{deleted:?}");
    editor.take_message("deleted", |message| message["params"]["event"]["event"] == "deleted");
    assert_eq!(scripted.env.run(&["sessions", "list", "--json"]).json(), serde_json::json!([]));
}
