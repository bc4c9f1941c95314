//! Skills of the user and of the repository, from the folders of this program and of others.

use serde_json::{Value, json};

use super::harness::{ScriptedEnvironment, strip_durations};
use super::tasks::{requests, script_session, task};
use crate::model_server::ScriptedTurn;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nHow {name} is done: {description}.\n")
}

fn load(name: &str) -> ScriptedTurn {
    ScriptedTurn::new().call("c1", "skill", json!({ "name": name }))
}

fn prompt(scripted: &ScriptedEnvironment, request: usize) -> Option<String> {
    let sent = scripted.request_body(request);
    let tools = sent["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "skill").cloned();
    tools.map(|tool| tool["description"].as_str().unwrap().to_owned())
}

#[test]
fn the_nearest_of_a_name_is_offered_and_loaded() {
    let scripted = ScriptedEnvironment::new([load("commit"), ScriptedTurn::new().text("ok")]);
    for (path, name, description) in [
        ("~/.claude/skills/review/SKILL.md", "review", "of the user"),
        (".copydesk/skills/review/SKILL.md", "review", "of the repository"),
        ("~/.config/copydesk/skills/own/SKILL.md", "own", "of the user"),
        ("~/.config/opencode/skill/other/SKILL.md", "other", "of the user"),
        (".agents/skills/commit/SKILL.md", "commit", "of another program"),
        (".copydesk/skill/commit/SKILL.md", "commit", "of the repository"),
        (".opencode/skills/deep/er/SKILL.md", "deep", "of the repository"),
    ] {
        scripted.env.write(path, skill(name, description));
    }
    let ran = scripted.run(&["Go"]);
    assert_eq!(
        (ran.code, strip_durations(&ran.stdout).contains("✓ skill commit\n")),
        (Some(0), true),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("your own skill `review` wins"), "{ran:?}");
    let list = "\n- commit: of the repository\n- deep: of the repository\n- other: of the user\n- own: of the user\n- review: of the user\n";
    assert!(prompt(&scripted, 0).unwrap().ends_with(list), "{:?}", prompt(&scripted, 0));
    let told = scripted.last_model_input(1);
    let begins = "The skill `commit` (written by this repository):\n\nHow commit is done: of the repository.";
    assert!(told.starts_with(begins), "{told}");
    assert!(told.contains(".copydesk/skill/commit; paths"), "{told}");
}

#[test]
fn what_a_skill_brings_along_is_read_without_asking() {
    let scripted = ScriptedEnvironment::new([]);
    scripted.env.write("~/.claude/skills/commit/SKILL.md", skill("commit", "mine"));
    scripted.env.write("~/.claude/skills/commit/more/words.md", "the words\n");
    scripted.env.write("~/.claude/other.md", "not a skill's\n");
    let read = |turn: ScriptedTurn, call: &str, path: &str| {
        let path = scripted.env.path(path);
        turn.call(call, "read", json!({ "filePath": path }))
    };
    let turn = read(ScriptedTurn::new(), "c1", "~/.claude/skills/commit/more/words.md");
    scripted.server.queue_turn(read(turn, "c2", "~/.claude/other.md"));
    scripted.server.queue_turn(ScriptedTurn::new().text("ok"));
    assert_eq!(scripted.run(&["Go"]).code, Some(1));
    let told = scripted.last_model_input(1);
    assert!(told.contains("1: the words") && told.contains("Nobody is there to approve this"), "{told}");
}

#[test]
fn what_may_be_read_without_asking_is_not_written_without_asking() {
    let text = skill("commit", "mine");
    let run = |rules: Value, name: &str, arguments: Value| {
        let scripted = ScriptedEnvironment::with_config([], json!({ "permission": rules }));
        scripted.env.write("~/.claude/skills/commit/SKILL.md", &text);
        let folder = scripted.env.path("~/.claude/skills/commit");
        let arguments = arguments.to_string().replace("FOLDER", folder.to_str().unwrap());
        scripted.server.queue_turn(ScriptedTurn::new().call(
            "c1",
            name,
            serde_json::from_str(&arguments).unwrap(),
        ));
        scripted.server.queue_turn(ScriptedTurn::new().text("ok"));
        let ran = scripted.run(&["Go"]);
        assert_eq!(ran.code, Some(i32::from(ran.stdout.contains("nobody could be asked"))), "{ran:?}");
        assert_eq!(std::fs::read_to_string(folder.join("SKILL.md")).unwrap(), text);
        scripted.last_model_input(1)
    };
    let allowed = json!({ "edit": "allow", "bash": "allow" });
    let edit = json!({ "filePath": "FOLDER/SKILL.md", "oldString": "mine", "newString": "yours" });
    for (name, arguments) in [
        ("edit", edit),
        ("write", json!({ "filePath": "FOLDER/new.md", "content": "x" })),
        ("bash", json!({ "command": "rm SKILL.md", "workdir": "FOLDER" })),
    ] {
        let told = run(allowed.clone(), name, arguments);
        assert!(told.contains("Nobody is there to approve this"), "{name}: {told}");
    }
    let read = json!({ "filePath": "FOLDER/SKILL.md" });
    assert!(run(json!({}), "read", read.clone()).contains("1: ---"));
    let denied = run(json!({ "external_directory": "deny" }), "read", read);
    assert!(denied.contains("A rule forbids this"), "a rule counts: {denied}");
}

#[test]
fn a_skill_may_be_denied_asked_for_or_switched_off() {
    let rules = json!({ "permission": { "skill": { "secret": "deny", "shown": "ask" } } });
    let scripted = ScriptedEnvironment::with_config(
        [load("secret"), ScriptedTurn::new().text("ok"), load("shown"), ScriptedTurn::new().text("ok")],
        rules,
    );
    for name in ["secret", "shown"] {
        scripted.env.write(&format!(".copydesk/skills/{name}/SKILL.md"), skill(name, "d"));
    }
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    assert!(prompt(&scripted, 0).unwrap().ends_with("\n- shown: d\n"));
    assert!(
        scripted.last_model_input(1).contains("There is no skill `secret`. There are: `shown`."),
        "{}",
        scripted.last_model_input(1)
    );
    let ran = scripted.run(&["--auto", "Go"]);
    assert!(ran.stdout.contains("? Load the skill shown from "), "{ran:?}");
    let off = ScriptedEnvironment::with_config(
        [ScriptedTurn::new().text("ok")],
        json!({ "tools": { "skill": false } }),
    );
    off.env.write(".copydesk/skills/a/SKILL.md", skill("a", "d"));
    assert_eq!((off.run(&["Go"]).code, prompt(&off, 0)), (Some(0), None));
}

#[test]
fn a_broken_skill_is_told_with_its_file_and_line() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    scripted.env.write(".copydesk/skills/bad/SKILL.md", "---\nname: bad\nnonsense\n---\n");
    scripted.env.write(".copydesk/skills/good/SKILL.md", skill("good", "d"));
    let told = ".copydesk/skills/bad/SKILL.md:3: `nonsense` is no `key: value`";
    let ran = scripted.run(&["Go"]);
    assert!(ran.code == Some(0) && ran.stderr.contains(told), "{ran:?}");
    assert!(prompt(&scripted, 0).unwrap().ends_with("\n- good: d\n"));
    scripted.env.write(".copydesk/agents/odd.md", "---\nmode: primary\nnonsense\n---\nYou are.");
    let doctor = scripted.env.run(&["doctor", "--json"]).json();
    let agents = doctor["findings"].as_array().unwrap().iter().find(|finding| finding["about"] == "agents");
    assert!(agents.unwrap()["what"].as_str().unwrap().ends_with("odd.md:3: `nonsense` is no `key: value`"));
    let findings =
        doctor["findings"].as_array().unwrap().iter().filter(|finding| finding["about"] == "skills");
    let findings: Vec<_> =
        findings.map(|finding| (&finding["level"], finding["what"].as_str().unwrap())).collect();
    assert_eq!(findings[0], (&json!("ok"), "1: good"));
    assert!(findings[1].0 == "warning" && findings[1].1.ends_with(told), "{findings:?}");
}

/// As with skills; a model named in another program's form is no error, and only reported on request.
#[test]
fn a_broken_agent_is_told_with_its_file_and_line() {
    let scripted = ScriptedEnvironment::new([]);
    script_session(
        &scripted.server,
        "Go",
        [task("c1", "general", "Look"), ScriptedTurn::new().text("Done.")],
    );
    script_session(&scripted.server, "Look", [ScriptedTurn::new().text("Nothing.")]);
    scripted.env.write(".copydesk/agents/odd.md", "---\nmode: primary\ndescription: [broken\n---\nYou are.");
    scripted.env.write(".claude/agents/other.md", "---\nmodel: sonnet\n---\nYou are.");
    scripted.env.write(".claude/agents/same.md", "---\nmodel: inherit\n---\nYou are.");
    let ran = scripted.run(&["--auto", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = "warning: PROJECT/.copydesk/agents/odd.md:3: the bracket after `description` is not closed\n";
    assert_eq!(ran.stderr.matches(told).count(), 1, "{ran:?}");
    assert!(!ran.stderr.contains("sonnet"), "{ran:?}");
    let doctor = scripted.env.run(&["doctor", "--json"]).json();
    let findings = doctor["findings"].as_array().unwrap().iter();
    let said: Vec<_> = findings
        .filter(|finding| finding["about"] == "agents")
        .map(|finding| finding["what"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
        .collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(doctor.to_string().contains("other.md:2: the model `sonnet` is ignored"), "{doctor:#}");
}

/// Not again for a task: the user may be typing.
#[test]
fn a_broken_skill_is_told_once() {
    let scripted = ScriptedEnvironment::new([]);
    script_session(
        &scripted.server,
        "Go",
        [task("c1", "general", "Look"), ScriptedTurn::new().text("Done.")],
    );
    script_session(&scripted.server, "Look", [ScriptedTurn::new().text("Nothing.")]);
    scripted.env.write(".copydesk/skills/bad/SKILL.md", "---\nname: bad\nnonsense\n---\n");
    let ran = scripted.run(&["--auto", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(requests(&scripted.server, "Look").len(), 1, "{ran:?}");
    assert_eq!(ran.stderr.matches("`nonsense` is no `key: value`").count(), 1, "{ran:?}");
}
