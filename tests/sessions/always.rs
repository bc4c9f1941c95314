//! Replies of "always": for a session and for a project, edited, taken back, and what they never allow.

use serde_json::{Value, json};

use crate::editors::scripted_daemon::ScriptedDaemon;
use crate::editors::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;
use crate::sessions::tasks::script_session;

const ASK: &str = "copydesk/permission/ask";
const REPLIES: &str = "~/.local/state/copydesk/replies.json";

fn command(command: &str) -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "bash", json!({ "command": command }))
}

fn done() -> ScriptedTurn {
    ScriptedTurn::new().text("Done.")
}

/// A daemon whose model runs one command in each turn.
fn daemon(commands: &[&str]) -> ScriptedDaemon {
    ScriptedDaemon::with_asked_edits(commands.iter().flat_map(|text| [command(text), done()]))
}

fn always(scope: &str) -> Value {
    json!({ "reply": "always", "scope": scope })
}

/// The model is told, and ends its turn.
fn no() -> Value {
    json!({ "reply": "reject", "reason": "no" })
}

/// Prompts, and answers the ask that must come. Returns the ask.
#[track_caller]
fn run_asked(editor: &mut ScriptedEditor, session: &str, reply: Value) -> Value {
    editor.prompt(session, "Go");
    let asked = editor.wait_for_method(ASK);
    assert_eq!(asked["params"]["session"], session);
    editor.answer(&asked, reply);
    editor.wait_for_turn_end(session);
    asked["params"].clone()
}

/// Runs a turn in which nothing may be asked.
#[track_caller]
fn run_unasked(editor: &mut ScriptedEditor, session: &str) {
    editor.run_turn(session, "Go");
    assert!(!editor.has_message(|message| message["method"] == ASK));
}

fn listed(editor: &mut ScriptedEditor) -> Vec<(String, String)> {
    let listed = editor.request_ok("copydesk/permission/list", json!({}));
    let reply = |reply: &Value| {
        (reply["scope"].as_str().unwrap().to_owned(), reply["pattern"].as_str().unwrap().to_owned())
    };
    listed["replies"].as_array().unwrap().iter().map(reply).collect()
}

fn kept(scope: &str, pattern: &str) -> (String, String) {
    (scope.to_owned(), pattern.to_owned())
}

#[test]
fn a_reply_for_the_project_counts_in_all_its_sessions_and_in_no_other_project() {
    let daemon = daemon(&["touch a", "touch b", "touch c"]);
    let env = &daemon.scripted.env;
    env.write("other/.git/x", "");
    assert_eq!(env.run(&["trust", "other"]).code, Some(0));
    let mut editor = daemon.client("e");
    let first = editor.new_session();
    let asked = run_asked(&mut editor, &first, always("project"));
    assert_eq!((&asked["always"], &asked["projectAlways"]), (&json!(["touch *"]), &json!(true)));
    let second = editor.new_session();
    run_unasked(&mut editor, &second);
    assert_eq!(env.mode(REPLIES), 0o600);

    let other = editor.request_ok("copydesk/session/new", json!({ "folder": env.path("other") }));
    let other = other["session"]["id"].as_str().unwrap().to_owned();
    editor.load(&other);
    run_asked(&mut editor, &other, json!({ "reply": "once" }));
    assert!(["a", "b", "other/c"].iter().all(|file| env.exists(file)));
    let elsewhere = json!({ "folder": env.path("other") });
    let elsewhere = editor.request_ok("copydesk/permission/list", elsewhere);
    assert_eq!(elsewhere["replies"], json!([]));
}

#[test]
fn a_reply_for_the_session_counts_there_alone_and_is_listed_and_revoked() {
    let daemon = daemon(&["touch a", "touch b", "touch c", "touch d"]);
    let mut editor = daemon.client("e");
    let first = editor.new_session();
    // As clients from before scopes reply.
    run_asked(&mut editor, &first, json!({ "reply": "always" }));
    run_unasked(&mut editor, &first);
    assert_eq!(listed(&mut editor), [kept("session", "touch *")]);
    assert!(!daemon.scripted.env.exists(REPLIES));
    let second = editor.new_session();
    run_asked(&mut editor, &second, json!({ "reply": "once" }));
    let revoked = editor.request_ok("copydesk/permission/revoke", json!({ "pattern": "touch *" }));
    assert_eq!(revoked["revoked"][0]["session"], first);
    assert_eq!(listed(&mut editor), []);
    run_asked(&mut editor, &first, json!({ "reply": "once" }));
}

/// What the session works with is built anew for another model, agent or trust.
#[test]
fn a_reply_for_the_session_outlives_a_change_of_the_agent_but_not_of_trust() {
    let daemon = daemon(&["touch a", "touch b", "touch c", "touch d"]);
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    run_asked(&mut editor, &session, always("session"));
    editor.request_ok("copydesk/session/setAgent", json!({ "session": session, "agent": "plan" }));
    editor.request_ok("copydesk/session/setAgent", json!({ "session": session, "agent": "build" }));
    run_unasked(&mut editor, &session);
    assert_eq!(listed(&mut editor), [kept("session", "touch *")]);
    // It was given in a folder that was trusted.
    let env = &daemon.scripted.env;
    assert_eq!(env.run(&["trust", "--revoke"]).code, Some(0));
    run_asked(&mut editor, &session, json!({ "reply": "once" }));
    assert_eq!(listed(&mut editor), []);
    assert_eq!(env.run(&["trust"]).code, Some(0));
    run_asked(&mut editor, &session, no());
    assert!(["a", "b", "c"].iter().all(|file| env.exists(file)) && !env.exists("d"));
}

#[test]
fn a_reply_that_is_taken_back_during_a_turn_counts_no_more() {
    let turns = [
        command("touch a"),
        done(),
        command("touch b"),
        ScriptedTurn::new().gate("between").call("c2", "bash", json!({ "command": "touch c" })),
        done(),
    ];
    let daemon = ScriptedDaemon::with_asked_edits(turns);
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    run_asked(&mut editor, &session, always("project"));
    editor.prompt(&session, "Go");
    daemon.wait_for_gate("between");
    assert!(daemon.scripted.env.exists("b"));
    let ran = daemon.scripted.env.run(&["permission", "revoke", "touch *"]);
    assert_eq!(
        (ran.code, ran.stdout.contains("No longer allowed: bash touch *")),
        (Some(0), true),
        "{ran:?}"
    );
    daemon.open_gate("between");
    let asked = editor.wait_for_method(ASK);
    assert_eq!(asked["params"]["patterns"], json!(["touch c"]));
    editor.answer(&asked, no());
    editor.wait_for_turn_end(&session);
    assert!(!daemon.scripted.env.exists("c"));
}

/// Another session's call that waits for the same.
#[test]
fn a_reply_for_the_project_settles_what_waits_in_other_sessions() {
    let daemon = daemon(&[]);
    for words in ["one", "two"] {
        script_session(&daemon.scripted.server, words, [command(&format!("touch {words}")), done()]);
    }
    let mut editor = daemon.client("e");
    let sessions = ["one", "two"].map(|words| {
        let session = editor.new_session();
        editor.prompt(&session, words);
        let asked = editor.wait_for_method(ASK);
        (session, asked)
    });
    editor.answer(&sessions[0].1, always("project"));
    for (session, _) in &sessions {
        assert_eq!(editor.wait_for_turn_end(session), "done");
    }
    assert!(daemon.scripted.env.exists("two"));
}

#[test]
fn a_denied_call_stays_denied() {
    let turns = [command("touch a"), done(), command("touch secret"), done()];
    let rules = json!({ "permission": { "bash": { "*": "ask", "touch secret*": "deny" } } });
    let daemon = ScriptedDaemon::with_config(turns, rules);
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    run_asked(&mut editor, &session, always("project"));
    run_unasked(&mut editor, &session);
    assert!(daemon.scripted.env.exists("a") && !daemon.scripted.env.exists("secret"));
    assert!(daemon.last_model_input(3).contains("is denied by the rule"), "{}", daemon.last_model_input(3));
}

#[test]
fn an_edited_pattern_that_is_too_wide_is_refused_and_the_ask_stays_open() {
    let daemon = daemon(&["touch a", "touch sub/b", "touch c"]);
    daemon.scripted.env.write("sub/x", "");
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    editor.prompt(&session, "Go");
    let mut asked = editor.wait_for_method(ASK);
    let refusals = [
        (json!({ "patterns": ["*"] }), "would allow everything"),
        (json!({ "patterns": ["*ouch a"] }), "begins with a wildcard"),
        (json!({ "patterns": ["touch *", "sh *"] }), "what its arguments say"),
        (json!({ "patterns": ["make *"], "scope": "project" }), "what its arguments say"),
        (json!({ "patterns": [] }), "no pattern is left"),
    ];
    for (mut reply, expected) in refusals {
        reply["reply"] = json!("always");
        editor.answer(&asked, reply);
        let again = editor.wait_for_method(ASK);
        assert_eq!(again["params"]["ask"], asked["params"]["ask"]);
        let problem = again["params"]["problem"].as_str().unwrap();
        assert!(problem.contains(expected), "{problem}");
        asked = again;
    }
    assert!(!daemon.scripted.env.exists("a") && listed(&mut editor).is_empty());
    // It need not match the call, which the user saw and allows.
    editor.answer(&asked, json!({ "reply": "always", "patterns": ["touch sub/*"] }));
    editor.wait_for_turn_end(&session);
    assert!(daemon.scripted.env.exists("a"));
    assert_eq!(listed(&mut editor), [kept("session", "touch sub/*")]);
    run_unasked(&mut editor, &session);
    run_asked(&mut editor, &session, json!({ "reply": "once" }));
}

#[test]
fn in_an_untrusted_folder_nothing_counts_for_the_project() {
    let daemon = daemon(&["touch a", "touch b", "touch c"]);
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    run_asked(&mut editor, &session, always("project"));
    editor.request_ok("copydesk/trust/set", json!({ "trusted": false }));
    let asked = run_asked(&mut editor, &session, json!({ "reply": "once" }));
    assert_eq!(asked.get("projectAlways"), None);
    let list = editor.request_ok("copydesk/permission/list", json!({}));
    assert_eq!((&list["trusted"], list["replies"].as_array().unwrap().len()), (&json!(false), 1));
    editor.prompt(&session, "Go");
    let asked = editor.wait_for_method(ASK);
    editor.answer(&asked, always("project"));
    let again = editor.wait_for_method(ASK);
    assert!(again["params"]["problem"].as_str().unwrap().contains("trust"), "{again}");
    editor.answer(&again, no());
    editor.wait_for_turn_end(&session);
}

#[test]
fn a_damaged_file_allows_nothing_and_says_what_to_do() {
    let daemon = daemon(&["touch a", "touch b"]);
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    run_asked(&mut editor, &session, always("project"));
    let stored = daemon.scripted.env.read(REPLIES);
    daemon.scripted.env.write(REPLIES, &stored[..stored.len() / 2]);
    editor.prompt(&session, "Go");
    let asked = editor.wait_for_method(ASK);
    editor.answer(&asked, always("project"));
    let again = editor.wait_for_method(ASK);
    let problem = again["params"]["problem"].as_str().unwrap();
    assert!(problem.contains("replies.json: is damaged (") && problem.ends_with("; remove it"), "{problem}");
    editor.answer(&again, no());
    editor.wait_for_turn_end(&session);
    assert!(!daemon.scripted.env.exists("b"));
    let warnings = editor.load(&session)["warnings"].to_string();
    assert!(warnings.contains("does not count") && warnings.contains("remove it"), "{warnings}");
    let ran = daemon.scripted.env.run(&["permission", "list"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("is damaged ("), "{ran:?}");
}

/// Its session still has the rules and the tools of a trusted folder.
#[test]
fn a_prompt_that_waits_while_trust_is_taken_back_does_not_run() {
    let turns = [ScriptedTurn::new().gate("first").text("One."), ScriptedTurn::new().text("Two.")];
    let daemon = ScriptedDaemon::new(turns);
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    editor.prompt(&session, "One");
    daemon.wait_for_gate("first");
    assert_eq!(editor.prompt(&session, "Two")["queued"], true);
    editor.request_ok("copydesk/trust/set", json!({ "trusted": false }));
    daemon.open_gate("first");
    assert_eq!(editor.wait_for_turn_end(&session), "done");
    let ended = editor.wait_for_event(&session, "turnEnded");
    assert_eq!(ended["end"]["kind"], "failed");
    assert!(ended["end"]["message"].as_str().unwrap().contains("You took back your trust"), "{ended}");
    assert_eq!(daemon.scripted.server.requests().len(), 1);
    editor.run_turn(&session, "Two");
}

#[test]
fn the_preset_that_counts_is_told() {
    let daemon = ScriptedDaemon::with_config([], json!({ "preset": "trusting" }));
    let mut editor = daemon.client("e");
    let session = editor.new_session();
    let told = |editor: &mut ScriptedEditor| {
        let loaded = editor.load(&session)["session"].clone();
        (loaded["preset"].clone(), loaded["activePreset"].clone())
    };
    assert_eq!(told(&mut editor), (Value::Null, json!("trusting")));
    let set = json!({ "session": session, "preset": "careful" });
    let set = editor.request_ok("copydesk/session/setPreset", set);
    assert_eq!(set["session"]["activePreset"], "careful");
    assert_eq!(told(&mut editor), (json!("careful"), json!("careful")));
    editor.request_ok("copydesk/session/setPreset", json!({ "session": session }));
    editor.request_ok("copydesk/trust/set", json!({ "trusted": false }));
    assert_eq!(told(&mut editor), (Value::Null, json!("normal")), "an untrusted folder caps it");
}

#[test]
fn a_call_is_explained_to_an_editor() {
    let daemon = ScriptedDaemon::with_asked_edits([]);
    let mut editor = daemon.client("e");
    let call = json!({ "key": "bash", "target": "touch a; ls" });
    let told = editor.request_ok("copydesk/permission/explain", call);
    assert_eq!((&told["action"], &told["preset"]), (&json!("ask"), &json!("normal")));
    let decisions: Vec<_> =
        told["decisions"].as_array().unwrap().iter().map(|one| (&one["pattern"], &one["action"])).collect();
    assert_eq!(decisions, [(&json!("touch a"), &json!("ask")), (&json!("ls"), &json!("allow"))]);
    // As a user types it: a key and a call, or a command.
    for (typed, key, pattern) in
        [("read  a.txt", "read", "a.txt"), ("touch read", "bash", "touch read"), ("read", "bash", "read")]
    {
        let told = editor.request_ok("copydesk/permission/explain", json!({ "target": typed }));
        let decided = (&told["decisions"][0]["key"], &told["decisions"][0]["pattern"]);
        assert_eq!(decided, (&json!(key), &json!(pattern)), "{told}");
    }
    let unknown = json!({ "key": "bash", "target": "ls", "agent": "nobody" });
    let (_, error) = editor.request_error("copydesk/permission/explain", unknown);
    assert!(error.contains("nobody"), "{error}");
}
