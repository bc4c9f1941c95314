//! Calls that a turn leaves open, in every possible way: the model gets exactly one result for each when the session continues,
//! and nothing of a call that was only partly written.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use serde_json::{Value, json};

use super::harness::ScriptedEnvironment;
use crate::editors::scripted_daemon::ScriptedDaemon;
use crate::model_server::{ScriptedErrorKind, ScriptedTurn};

const INTERRUPTED: &str = "This call was interrupted";

/// The call has had no effect.
const NOT_BEGUN: &str = "This call was not begun";

/// Continues the session, and returns the results that the model gets, by call.
fn results(scripted: &ScriptedEnvironment) -> Vec<(String, String)> {
    let before = scripted.server.requests().len();
    let ran = scripted.run(&["--continue", "Go on"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    call_results(&scripted.request_body(before))
}

fn call_results(request: &Value) -> Vec<(String, String)> {
    let contents = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["content"].as_array().unwrap());
    let blocks: Vec<_> = contents.collect();
    let calls: Vec<_> =
        blocks.iter().filter(|block| block["type"] == "tool_use").map(|block| &block["id"]).collect();
    let results: Vec<_> = blocks.iter().filter(|block| block["type"] == "tool_result").collect();
    let answered: Vec<_> = results.iter().map(|block| &block["tool_use_id"]).collect();
    assert_eq!(answered, calls, "each call has its result, in its order");
    let result =
        |block: &&&Value| (block["tool_use_id"].as_str().unwrap().to_owned(), block["content"].to_string());
    results.iter().map(result).collect()
}

fn interrupt(child: Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
}

/// Reads the output of a run with `--json` until it contains this.
fn read_until_event(child: &mut Child, wanted: &str) {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains(wanted)), "{wanted} was not said");
}

#[tokio::test]
async fn a_call_that_was_only_begun_never_was_one() {
    let half = ScriptedTurn::new()
        .text("I look.")
        .split()
        .raw_call("c1", "read", r#"{"fileP"#)
        .gate("here")
        .arguments(r#"ath":"a"}"#);
    let scripted = ScriptedEnvironment::new([half, ScriptedTurn::new().text("ok")]);
    let mut child = scripted.start(&["--json", "Go"]);
    scripted.server.wait_for_gate("here").await;
    read_until_event(&mut child, "fileP");
    interrupt(child);
    scripted.server.wait_for_hangup("here").await;
    assert_eq!(results(&scripted), []);
    assert!(scripted.request_body(1)["messages"].to_string().contains("I look."));
}

#[tokio::test]
async fn a_call_that_was_written_and_not_made_is_told_to_be_not_begun() {
    let whole = ScriptedTurn::new()
        .call("c1", "bash", json!({ "command": "touch ran" }))
        .split()
        .text("And")
        .gate("here");
    let scripted = ScriptedEnvironment::new([whole, ScriptedTurn::new().text("ok")]);
    let mut child = scripted.start(&["--json", "--auto", "Go"]);
    scripted.server.wait_for_gate("here").await;
    read_until_event(&mut child, "And");
    interrupt(child);
    scripted.server.wait_for_hangup("here").await;
    let results = results(&scripted);
    assert!(results.len() == 1 && results[0].1.contains(NOT_BEGUN), "{results:?}");
    assert!(!scripted.env.exists("ran"));
}

#[tokio::test]
async fn a_call_that_waits_for_another_is_cancelled_with_it() {
    let both = ScriptedTurn::new().call("c1", "bash", json!({ "command": "touch started; sleep 600" })).call(
        "c2",
        "bash",
        json!({ "command": "touch ran" }),
    );
    let scripted = ScriptedEnvironment::new([both, ScriptedTurn::new().text("ok")]);
    let child = scripted.start(&["--auto", "Go"]);
    scripted.wait_for_file("started").await;
    interrupt(child);
    let results = results(&scripted);
    assert!(results[0].1.contains("cancelled the command"), "{results:?}");
    assert!(results[1].1.contains("The user cancelled this call before it began"), "{results:?}");
    assert!(!scripted.env.exists("ran"));
}

#[test]
fn a_call_that_waits_for_a_user_is_closed_by_a_cancel_and_by_a_crash() {
    for crash in [false, true] {
        let call = || ScriptedTurn::new().call("c1", "bash", json!({ "command": "touch ran" }));
        let mut daemon = ScriptedDaemon::with_asked_edits([call(), ScriptedTurn::new().text("ok")]);
        let mut client = daemon.client("Neovim");
        let session = client.new_session();
        client.prompt(&session, "Go");
        client.wait_for_event(&session, "asked");
        if crash {
            daemon.restart();
            client = daemon.client("Neovim");
            client.load(&session);
        } else {
            client.request_ok("copydesk/turn/cancel", json!({ "session": session }));
            assert_eq!(client.wait_for_turn_end(&session), "cancelled");
        }
        client.run_turn(&session, "And now?");
        let results = call_results(&daemon.scripted.request_body(1));
        let word = if crash { INTERRUPTED } else { "The user cancelled this call" };
        assert!(results.len() == 1 && results[0].1.contains(word), "{results:?}");
        assert!(!daemon.scripted.env.exists("ran"));
    }
}

#[test]
fn a_model_that_fails_behind_its_calls_leaves_none_open() {
    let scripted = ScriptedEnvironment::new([
        ScriptedTurn::new()
            .call("c1", "list", json!({}))
            .split()
            .error(ScriptedErrorKind::Unauthorized, "no more"),
        ScriptedTurn::new().text("ok"),
        ScriptedTurn::new().text("ok"),
    ]);
    scripted.run(&["Go"]);
    let results = results(&scripted);
    assert_eq!(results.len(), 1, "{results:?}");
}

/// A rejection without a reason stops the turn: the other calls are closed, too.
#[test]
fn calls_beside_one_that_was_refused_are_closed() {
    let both = ScriptedTurn::new()
        .call("c1", "bash", json!({ "command": "touch ran" }))
        .call("c2", "bash", json!({ "command": "touch ran" }))
        .call("c3", "list", json!({}));
    let daemon = ScriptedDaemon::with_asked_edits([both, ScriptedTurn::new().text("ok")]);
    let mut client = daemon.client("Neovim");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let asked = client.wait_for_method("copydesk/permission/ask");
    client.answer(&asked, json!({ "reply": "reject" }));
    assert_eq!(client.wait_for_turn_end(&session), "rejected");
    client.run_turn(&session, "And now?");
    let results = call_results(&daemon.scripted.request_body(1));
    assert_eq!(results.len(), 3, "{results:?}");
    assert!(results[0].1.contains("said no") && results[1].1.contains("said no"), "{results:?}");
    assert!(!daemon.scripted.env.exists("ran"));
}
