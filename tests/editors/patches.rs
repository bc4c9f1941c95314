//! A patch of several files, some of them open: applied as a whole, reviewed by file, undone at once.

use expect_test::expect;
use serde_json::{Value, json};

use super::reviews::{decide, decision_on, list};
use super::scripted_daemon::{ScriptedDaemon, text_turn};
use super::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;

const A: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const B: &str = "alpha\nbeta\n";

/// Two hunks in `a.txt`, one in `b.txt`, a new file, a moved one and a deleted one.
const PATCH: &str = "*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
 three
@@
-six
+SIX
 seven
*** Update File: b.txt
@@
-beta
+BETA
*** Add File: new.txt
+made
*** Update File: old.sh
*** Move to: bin/new.sh
@@
-echo old
+echo new
*** Delete File: gone.txt
*** End Patch
";

fn patch() -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "apply_patch", json!({ "patchText": PATCH }))
}

/// A daemon with the files, and a model of the family that uses patches.
fn scripted_daemon(turns: impl IntoIterator<Item = ScriptedTurn>, permission: Value) -> ScriptedDaemon {
    let daemon =
        ScriptedDaemon::with_config(turns, json!({ "model": "script/gpt-5", "permission": permission }));
    let files = [("a.txt", A), ("b.txt", B), ("old.sh", "echo old\n"), ("gone.txt", "bye\n")];
    files.iter().for_each(|(name, text)| daemon.scripted.env.write(name, text));
    daemon
}

/// An editor with two of the files open.
fn editor(daemon: &ScriptedDaemon) -> (ScriptedEditor, String) {
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.open(&daemon.uri("a.txt"), A);
    client.open(&daemon.uri("b.txt"), B);
    (client, session)
}

/// The texts in the editor and on disk.
fn describe_texts(daemon: &ScriptedDaemon, client: &ScriptedEditor) -> String {
    let mut all = String::new();
    for name in ["a.txt", "b.txt"] {
        all += &format!("{name} = {:?}\n", client.text(&daemon.uri(name)));
    }
    for name in ["new.txt", "old.sh", "bin/new.sh", "gone.txt"] {
        let text = daemon.scripted.env.exists(name).then(|| daemon.scripted.env.read(name));
        all += &text.map(|text| format!("{name}: {text:?}\n")).unwrap_or_default();
    }
    all
}

const BEFORE: &str = "a.txt = \"one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\n\"
b.txt = \"alpha\\nbeta\\n\"
old.sh: \"echo old\\n\"
gone.txt: \"bye\\n\"
";
const AFTER: &str = "a.txt = \"one\\nTWO\\nthree\\nfour\\nfive\\nSIX\\nseven\\n\"
b.txt = \"alpha\\nBETA\\n\"
new.txt: \"made\\n\"
bin/new.sh: \"echo new\\n\"
";

fn paths(reviews: &[Value]) -> Vec<&str> {
    reviews.iter().map(|review| review["path"].as_str().unwrap()).collect()
}

#[test]
fn a_patch_is_made_at_once_reviewed_after_and_taken_back_as_one() {
    let daemon = scripted_daemon([patch(), text_turn("Done.")], json!("allow"));
    let (mut client, session) = editor(&daemon);
    client.run_turn(&session, "Patch");
    assert_eq!(describe_texts(&daemon, &client), AFTER);
    expect![[r#"
        Patched 5 files (+5 -5).
        Edited a.txt (+2 -2). The changed places now read:
        1: one
        2: TWO
        3: three
        4: four
        5: five
        6: SIX
        7: seven
        Edited b.txt (+1 -1). The changed places now read:
        1: alpha
        2: BETA
        Created new.txt (+1 -0).
        Moved old.sh to bin/new.sh (+1 -1). The changed places now read:
        1: echo new
        Deleted gone.txt (+0 -1).

        tree-sitter, syntax only: no new errors
    "#]]
    .assert_eq(&daemon.last_model_input(1));
    let reviews = list(&mut client, &session);
    assert_eq!(paths(&reviews), ["a.txt", "b.txt", "bin/new.sh", "gone.txt", "new.txt"]);
    assert!(reviews.iter().all(|review| review["when"] == "after"));
    let call = client.calls(&session).remove(0);
    let undone = client.request_ok("copydesk/undo", json!({ "session": session, "what": { "call": call } }));
    assert_eq!(undone["files"].as_array().unwrap().len(), 6, "{undone}");
    assert_eq!(describe_texts(&daemon, &client), BEFORE);
    assert_eq!(list(&mut client, &session), [] as [Value; 0], "what is taken back is not to be decided");
    client.request_ok("copydesk/redo", json!({ "session": session }));
    assert_eq!(describe_texts(&daemon, &client), AFTER);
}

#[test]
fn before_a_patch_one_ask_waits_until_every_file_is_decided() {
    let daemon = scripted_daemon([patch(), text_turn("Done.")], json!({ "edit": "ask" }));
    let (mut client, session) = editor(&daemon);
    client.prompt(&session, "Patch");
    let ask = client.wait_for_method("copydesk/permission/ask");
    let patterns = json!(["a.txt", "b.txt", "new.txt", "bin/new.sh", "old.sh", "gone.txt"]);
    assert_eq!((&ask["params"]["key"], &ask["params"]["patterns"]), (&json!("edit"), &patterns));
    assert_eq!(describe_texts(&daemon, &client), BEFORE, "nothing changes before approval");
    let reviews = list(&mut client, &session);
    assert_eq!(paths(&reviews), ["a.txt", "b.txt", "bin/new.sh", "gone.txt", "new.txt", "old.sh"]);
    for review in &reviews {
        assert_eq!((&review["when"], &review["ask"]), (&json!("before"), &ask["params"]["ask"]), "{review}");
    }
    let review = |path: &str| reviews.iter().find(|review| review["path"] == path).unwrap();
    let mut small = decision_on(&review("a.txt")["hunks"][1], "reject");
    small["comment"] = json!("Six is a good number.");
    let first =
        [decision_on(&review("a.txt")["hunks"][0], "accept"), small, decision_on(review("b.txt"), "reject")];
    assert_eq!(decide(&mut client, &session, &first), ["done"; 3]);
    let files = ["bin/new.sh", "old.sh", "gone.txt"].map(|path| decision_on(review(path), "accept"));
    assert_eq!(decide(&mut client, &session, &files), ["done"; 3]);
    let is_settled = |message: &Value| message["method"] == "copydesk/permission/settled";
    assert!(!client.has_message(is_settled), "one file is not decided yet");
    assert_eq!(decide(&mut client, &session, &[decision_on(&review("new.txt")["file"], "reject")]), ["done"]);
    client.wait_for_event(&session, "settled");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    expect![[r#"
        The user decided hunk by hunk:
        - `a.txt` line 2: accepted.
        - `a.txt` line 6: rejected; the lines are as they were before. They say: Six is a good number.
        - `b.txt` line 2: rejected; the lines are as they were before.
        - `new.txt`: rejected; the file is as it was before.
        - `bin/new.sh`: accepted.
        - `bin/new.sh` line 1: accepted.
        - `gone.txt`: accepted.

        tree-sitter, syntax only: no new errors
    "#]]
    .assert_eq(&daemon.last_model_input(1));
    expect![[r#"
        a.txt = "one\nTWO\nthree\nfour\nfive\nsix\nseven\n"
        b.txt = "alpha\nbeta\n"
        bin/new.sh: "echo new\n"
    "#]]
    .assert_eq(&describe_texts(&daemon, &client));
    assert_eq!(list(&mut client, &session), [] as [Value; 0], "what was decided is not asked again");
}

#[test]
fn a_yes_to_all_of_it_makes_it_as_a_whole_and_a_no_nothing() {
    for (reply, expected) in [(json!({ "reply": "once" }), AFTER), (json!({ "reply": "reject" }), BEFORE)] {
        let turns = [patch(), text_turn("Done.")];
        let daemon = scripted_daemon(
            turns.into_iter().take(if expected == AFTER { 2 } else { 1 }),
            json!({ "edit": "ask" }),
        );
        let (mut client, session) = editor(&daemon);
        client.prompt(&session, "Patch");
        let ask = client.wait_for_method("copydesk/permission/ask");
        client.answer(&ask, reply);
        client.wait_for_turn_end(&session);
        assert_eq!(describe_texts(&daemon, &client), expected);
        assert_eq!(list(&mut client, &session), [] as [Value; 0], "who said yes or no is not asked again");
    }
}

#[test]
fn who_says_yes_after_deciding_one_file_accepts_the_others() {
    let daemon = scripted_daemon([patch(), text_turn("Done.")], json!({ "edit": "ask" }));
    let (mut client, session) = editor(&daemon);
    client.prompt(&session, "Patch");
    let ask = client.wait_for_method("copydesk/permission/ask");
    let reviews = list(&mut client, &session);
    let b = reviews.iter().find(|review| review["path"] == "b.txt").unwrap();
    assert_eq!(decide(&mut client, &session, &[decision_on(b, "reject")]), ["done"]);
    client.answer(&ask, json!({ "reply": "once" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(describe_texts(&daemon, &client), AFTER.replace("BETA", "beta"));
}

/// One of the files cannot be written: the changes of the others are reverted.
#[test]
fn where_one_file_cannot_be_changed_none_is() {
    let daemon = scripted_daemon([patch(), text_turn("I see.")], json!("allow"));
    // No folder can be created where a file is.
    daemon.scripted.env.write("bin", "in the way\n");
    let (mut client, session) = editor(&daemon);
    client.run_turn(&session, "Patch");
    assert_eq!(describe_texts(&daemon, &client), BEFORE);
    assert!(daemon.last_model_input(1).contains("bin/new.sh"), "{}", daemon.last_model_input(1));
    assert_eq!(list(&mut client, &session), [] as [Value; 0]);
}

/// What the user types while the model works stays, in every file.
#[test]
fn typing_in_a_file_of_the_patch_is_kept() {
    let patch = patch().gate("written");
    let daemon = scripted_daemon([patch, text_turn("Done.")], json!("allow"));
    let (mut client, session) = editor(&daemon);
    client.prompt(&session, "Patch");
    daemon.wait_for_gate("written");
    client.type_text(&daemon.uri("a.txt"), "four", "FOUR!");
    client.type_text(&daemon.uri("b.txt"), "alpha", "ALPHA!");
    daemon.open_gate("written");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let expected = AFTER.replace("four", "FOUR!").replace("alpha", "ALPHA!");
    assert_eq!(describe_texts(&daemon, &client), expected);
}
