//! A subagent's work belongs to the session that called it, and its leftovers end with its task.

use serde_json::json;

use super::{
    BOTH, arguments, edit, parts, read, requests, results, script_session, scripted, task, task_id, text_turn,
};
use crate::model_server::ScriptedTurn;

#[test]
fn what_an_agent_did_is_taken_back_with_the_turn_that_called_it() {
    for place in BOTH {
        let scripted = scripted(json!({}));
        let _up = scripted.start_daemon(place);
        // One after the other: an edit of a file that changed since it was read is refused.
        let steps = [edit("c0", "one", "1"), task("c1", "general", "Change"), text_turn("Done.")];
        script_session(&scripted.server, "Go", steps);
        script_session(
            &scripted.server,
            "Change",
            [read("r1"), edit("e1", "two", "2"), edit("e2", "three", "3"), text_turn("Changed.")],
        );
        assert_eq!(scripted.run(&["--auto", "Go"]).code, Some(0));
        assert_eq!(scripted.env.read("a.txt"), "1\n2\n3\n");
        let session =
            scripted.env.run(&["sessions", "list", "--json"]).json()[0]["id"].as_str().unwrap().to_owned();
        let call =
            parts(&scripted, &session).into_iter().find(|part| part["content"]["call"] == "c1").unwrap();
        let files = &call["content"]["output"]["metadata"]["files"];
        let (name, sums) =
            (files[0]["filepath"].as_str().unwrap(), (&files[0]["additions"], &files[0]["deletions"]));
        assert!(name.ends_with("/a.txt") && sums == (&json!(2), &json!(2)), "{files}");
        let undo = |args: &[&str]| {
            let ran = scripted.env.run(&[&["undo"], args].concat());
            assert_eq!(ran.code, Some(0), "{place:?}: {ran:?}");
            scripted.env.read("a.txt")
        };
        assert_eq!(undo(&["--call", call["id"].as_str().unwrap()]), "1\ntwo\nthree\n");
        assert_eq!(undo(&["--redo"]), "1\n2\n3\n");
        assert_eq!(undo(&[]), "one\ntwo\nthree\n");
        // It is deleted with the session that it belongs to.
        let below = task_id(&results(&requests(&scripted.server, "Go")[2]).remove(1));
        assert_eq!(scripted.env.run(&["sessions", "delete", &session]).code, Some(0));
        let gone = scripted.env.run(&["sessions", "export", &below]);
        assert_eq!(gone.code, Some(1), "{gone:?}");
    }
}

/// Eight subagents edit one file at the same time: an edit that is reported as made is there.
#[test]
fn of_edits_at_the_same_time_none_is_lost_unsaid() {
    const WORDS: [&str; 8] = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
    for place in BOTH {
        let scripted = scripted(json!({ "permission": { "edit": "allow" } }));
        let _up = scripted.start_daemon(place);
        let lines: String = WORDS.iter().map(|word| format!("{word} old\n")).collect();
        scripted.env.write("a.txt", &lines);
        let mut all = ScriptedTurn::new();
        for word in WORDS {
            all = all.call(word, "task", arguments("general", word));
            let (old, new) = (format!("{word} old"), format!("{word} new"));
            script_session(&scripted.server, word, [read("r"), edit("e", &old, &new), text_turn("Done.")]);
        }
        script_session(&scripted.server, "Go", [all, text_turn("Done.")]);
        assert_eq!(scripted.run(&["Go"]).code, Some(0));
        let text = scripted.env.read("a.txt");
        let made = |word: &&str| {
            let result = results(&requests(&scripted.server, word)[2]).pop().unwrap();
            let is_made = result.contains("Edited a.txt");
            assert_eq!(text.contains(&format!("{word} new\n")), is_made, "{word}: {result}\n{text}");
            is_made
        };
        let made = WORDS.iter().filter(|word| made(word)).count();
        assert!(made > 0 && text.lines().count() == WORDS.len(), "{text}");
        assert_eq!(scripted.env.run(&["undo"]).code, Some(0));
        assert_eq!(scripted.env.read("a.txt"), lines);
    }
}

#[test]
fn what_an_agent_leaves_running_ends_with_its_task() {
    for place in BOTH {
        let scripted = scripted(json!({ "permission": { "bash": "allow" } }));
        let _up = scripted.start_daemon(place);
        let run =
            |call: &str, command: &str| ScriptedTurn::new().call(call, "bash", json!({ "command": command }));
        // An exited process may still wait to be reaped.
        let look = run("c2", "ps -o stat= -p $(cat pid) | grep -qv Z && echo still there || echo all gone");
        script_session(&scripted.server, "Go", [task("c1", "general", "Serve"), look, text_turn("Done.")]);
        let leave = run("b1", "sleep 600 >/dev/null 2>&1 & echo $! > pid");
        let alive = run("b2", "kill -0 $(cat pid) && echo still there");
        script_session(&scripted.server, "Serve", [leave, alive, text_turn("It runs.")]);
        assert_eq!(scripted.run(&["Go"]).code, Some(0));
        assert!(results(&requests(&scripted.server, "Serve")[2])[1].contains("still there"));
        let told = results(&requests(&scripted.server, "Go")[2]);
        assert!(told[1].contains("all gone"), "{place:?}: {told:?}");
    }
}

#[test]
fn the_parent_is_told_which_files_are_others_now() {
    let scripted = scripted(json!({ "permission": { "edit": "allow" } }));
    script_session(
        &scripted.server,
        "Go",
        [read("c0"), task("c1", "general", "Change"), text_turn("I see.")],
    );
    script_session(&scripted.server, "Change", [read("r1"), edit("e1", "two", "2"), text_turn("Changed.")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let told = requests(&scripted.server, "Go")[2].to_string();
    assert!(told.contains("Changed since you last read them, but not by you: `a.txt`"), "{told}");
}
