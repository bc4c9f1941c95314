//! Several calls in one: each is a call of its own, and the model gets the results of all of them.

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, events};
use crate::model_server::ScriptedTurn;

fn batch(calls: &[(&str, Value)]) -> ScriptedTurn {
    let calls: Vec<_> =
        calls.iter().map(|(tool, parameters)| json!({ "tool": tool, "parameters": parameters })).collect();
    ScriptedTurn::new().call("c1", "batch", json!({ "tool_calls": calls }))
}

fn scripted_environment(turns: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedEnvironment {
    ScriptedEnvironment::with_config(turns, json!({ "tools": { "batch": true } }))
}

/// Each completed call: its name, whether it is part of a batch, whether it failed.
fn ended_calls(events: &[Value]) -> Vec<(String, bool, bool)> {
    let calls =
        events.iter().map(|event| &event["part"]["content"]).filter(|call| call["output"].is_object());
    let call = |call: &Value| {
        (
            call["name"].as_str().unwrap().to_owned(),
            call["parent"].is_string(),
            call["output"]["isError"] == true,
        )
    };
    calls.map(call).collect()
}

#[test]
fn each_call_is_made_and_all_results_reach_the_model() {
    let calls = [
        ("read", json!({ "filePath": "a.txt" })),
        ("Glob", json!({ "pattern": "*.txt" })),
        ("read", json!({ "filePath": "gone.txt" })),
        ("summon", json!({})),
        ("batch", json!({ "tool_calls": [{ "tool": "read", "parameters": { "filePath": "a.txt" } }] })),
    ];
    let scripted = scripted_environment([batch(&calls), ScriptedTurn::new().text("Done.")]);
    scripted.env.write("a.txt", "first\n");
    let ran = scripted.run(&["--json", "Look"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut ended = ended_calls(&events(&ran));
    let last = ended.pop().unwrap();
    assert_eq!(last, ("batch".to_owned(), false, false), "it ends with the last of its calls");
    ended.sort();
    let expected = [
        ("glob", true, false),
        ("invalid", true, true),
        ("invalid", true, true),
        ("read", true, false),
        ("read", true, true),
    ];
    assert_eq!(ended, expected.map(|(name, inner, failed)| (name.to_owned(), inner, failed)));
    let told = scripted.last_model_input(1);
    for words in [
        "5 calls, 3 failed.",
        "## 1. read\n",
        "1: first",
        "## 2. glob\n",
        "## 3. read (failed)\n",
        "There is no tool `summon`",
        "`batch` cannot be nested; put all calls in one list",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let sent = scripted.request_body(1)["messages"].to_string();
    assert_eq!(
        (sent.matches("\"tool_use\"").count(), sent.matches("\"tool_result\"").count()),
        (1, 1),
        "{sent}"
    );
    // Stored as it happened, and sent the same way when the session continues.
    let ran = scripted.env.run(&["sessions", "list", "--json"]).json();
    let archive = scripted.env.run(&["sessions", "export", ran[0]["id"].as_str().unwrap()]).json();
    let parts = archive["parts"].as_array().unwrap();
    let parent = parts.iter().find(|part| part["content"]["name"] == "batch").unwrap()["id"].clone();
    assert_eq!(parts.iter().filter(|part| part["content"]["parent"] == parent).count(), 5);
}

#[test]
fn each_call_is_asked_about_by_itself() {
    let calls = [
        ("bash", json!({ "command": "touch ran" })),
        ("write", json!({ "filePath": "secret.txt", "content": "x" })),
        ("write", json!({ "filePath": "b.txt", "content": "x" })),
    ];
    let config = json!({
        "tools": { "batch": true },
        "permission": { "bash": "deny", "edit": { "*": "allow", "secret.txt": "ask" } },
    });
    let scripted = ScriptedEnvironment::with_config([batch(&calls), ScriptedTurn::new().text("ok")], config);
    let ran = scripted.run(&["--json", "Go"]);
    assert!(
        !scripted.env.exists("ran") && !scripted.env.exists("secret.txt") && scripted.env.exists("b.txt")
    );
    let asked: Vec<_> = events(&ran).into_iter().filter(|event| event["event"] == "asked").collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    let told = scripted.last_model_input(1);
    assert!(told.contains("A rule forbids this") && told.contains("Nobody is there"), "{told}");
}

/// Changes of the same file keep their order, as with the calls of a step.
#[test]
fn what_touches_the_same_file_keeps_its_order() {
    let edit = |old: &str, new: &str| json!({ "filePath": "a.txt", "oldString": old, "newString": new });
    let calls = [
        ("edit", edit("one", "two")),
        ("edit", edit("two", "three")),
        ("bash", json!({ "command": "cat a.txt" })),
    ];
    let scripted = scripted_environment([batch(&calls), ScriptedTurn::new().text("ok")]);
    scripted.env.write("a.txt", "one\n");
    let ran = scripted.run(&["--auto", "Go"]);
    assert_eq!((scripted.env.read("a.txt").as_str(), ran.code), ("three\n", Some(0)), "{ran:?}");
    assert!(scripted.last_model_input(1).contains("## 3. bash\nthree\n"), "{}", scripted.last_model_input(1));
}

#[test]
fn too_many_too_few_and_off() {
    let read = ("read", json!({ "filePath": "a.txt" }));
    let scripted = scripted_environment([
        batch(&vec![read.clone(); 30]),
        ScriptedTurn::new().text("ok"),
        batch(&[]),
        ScriptedTurn::new().text("ok"),
    ]);
    scripted.env.write("a.txt", "text\n");
    scripted.run(&["Go"]);
    let told = scripted.last_model_input(1);
    assert!(told.contains("25 calls. 5 more were not made"), "{told}");
    assert_eq!(told.matches("1: text").count(), 25);
    scripted.run(&["Go"]);
    assert!(
        scripted.last_model_input(3).contains("There are no calls in `tool_calls`"),
        "{}",
        scripted.last_model_input(3)
    );
    let scripted = ScriptedEnvironment::new([batch(&[read]), ScriptedTurn::new().text("ok")]);
    scripted.run(&["Go"]);
    assert!(!scripted.request_body(0)["tools"].to_string().contains("\"batch\""), "off unless wanted");
    assert!(
        scripted.last_model_input(1).contains("The tool `batch` is switched off"),
        "{}",
        scripted.last_model_input(1)
    );
}

#[test]
fn a_step_has_its_limit_within_others_too() {
    let read = json!({ "tool": "read", "parameters": { "filePath": "a.txt" } });
    let mut turn = ScriptedTurn::new();
    for number in 0..12 {
        turn = turn.call(format!("c{number}"), "batch", json!({ "tool_calls": vec![read.clone(); 25] }));
    }
    let scripted = scripted_environment([turn, ScriptedTurn::new().text("ok")]);
    scripted.env.write("a.txt", "text\n");
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    let results = scripted.request_body(1)["messages"][2]["content"].as_array().unwrap().clone();
    assert_eq!(results.len(), 12);
    let refused = results.iter().filter(|result| result.to_string().contains("Too many calls")).count();
    assert_eq!(refused, 2, "ten times 25 are made");
}

#[tokio::test]
async fn a_batch_that_is_cancelled_is_told_as_a_whole() {
    let calls = [
        ("read", json!({ "filePath": "a.txt" })),
        ("bash", json!({ "command": "echo started > started; sleep 600" })),
    ];
    let scripted = scripted_environment([batch(&calls), ScriptedTurn::new().text("ok")]);
    scripted.env.write("a.txt", "text\n");
    let child = scripted.start(&["--auto", "Go"]);
    scripted.wait_for_file("started").await;
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    scripted.run(&["--continue", "What happened?"]);
    let history = scripted.request_body(1)["messages"].to_string();
    assert!(history.contains("1: text") && history.contains("The user cancelled the command"), "{history}");
    assert_eq!(history.matches("\"tool_result\"").count(), 1, "{history}");
}

/// One ask for all of it; and a batch that was not run still counts as a repetition.
#[test]
fn a_batch_that_goes_in_circles_is_asked_about_once() {
    let calls = [("read", json!({ "filePath": "a.txt" })), ("list", json!({}))];
    let turns: Vec<_> = (0..5).map(|_| batch(&calls)).collect();
    let scripted = scripted_environment(turns.into_iter().chain([ScriptedTurn::new().text("ok")]));
    scripted.env.write("a.txt", "text\n");
    let ran = scripted.run(&["--json", "Go"]);
    let events = events(&ran);
    let asked = events.iter().filter(|event| event["event"] == "asked");
    let keys: Vec<_> = asked.map(|event| event["key"].clone()).collect();
    assert_eq!(keys, ["doom_loop", "doom_loop"], "the fourth and the fifth time");
    assert!(scripted.last_model_input(3).contains("1: text"), "the third is made");
    for request in [4, 5] {
        let told = scripted.last_model_input(request);
        assert_eq!(told.matches("was not made again").count(), 2, "{told}");
        assert!(!told.contains("1: text"), "{told}");
    }
}
