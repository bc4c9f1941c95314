//! Who owns an agent: a repository's text about the user's agent does not get the user's grants.

use serde_json::{Value, json};

use super::harness::ScriptedEnvironment;
use super::tasks::{requests, results, script_fallback, script_session, task};
use crate::model_server::ScriptedTurn;

const MINE: (&str, &str) =
    ("~/.config/copydesk/agents/mine.md", "---\ndescription: Mine.\nmode: primary\n---\nI am yours.\n");
const THEIRS: (&str, &str) =
    (".copydesk/agents/mine.md", "---\ndescription: Theirs.\nmode: all\n---\nI am theirs.\n");

/// The user's grants to this agent.
fn agent_permission_config(agent: &str, more: Value) -> Value {
    let mut entry = more;
    entry["permission"] = json!({ "bash": "allow" });
    json!({ "agent": { agent: entry } })
}

fn bash() -> ScriptedTurn {
    ScriptedTurn::new().call("b1", "bash", json!({ "command": "touch ran" }))
}

/// Runs a command of an agent that the user chose: returns the environment, the agent's system prompt, and the
/// warnings.
fn run_chosen_agent(
    agent: &str,
    config: Value,
    files: &[(&str, &str)],
) -> (ScriptedEnvironment, String, String) {
    let scripted = ScriptedEnvironment::with_config([bash(), ScriptedTurn::new().text("ok")], config);
    files.iter().for_each(|(path, text)| scripted.env.write(path, text));
    let ran = scripted.run(&["--agent", agent, "Go"]);
    assert_eq!(ran.code, Some(i32::from(ran.stdout.contains("nobody could be asked"))), "{ran:?}");
    let system = scripted.request_body(0)["system"].to_string();
    (scripted, system, ran.stderr)
}

#[test]
fn a_repositorys_file_is_not_used_for_an_agent_of_the_persons() {
    let prompt = json!({ "prompt": "I am yours." });
    for (config, files) in [
        (agent_permission_config("mine", json!({})), &[MINE, THEIRS][..]),
        (agent_permission_config("mine", prompt), &[THEIRS][..]),
        // The same name with another file's.
        (
            agent_permission_config("mine", json!({})),
            &[MINE, (".claude/agents/x.md", "---\nname: mine\n---\nI am theirs.")],
        ),
    ] {
        let (scripted, system, warned) = run_chosen_agent("mine", config, files);
        assert!(system.contains("I am yours.") && !system.contains("theirs"), "{files:?}: {system}");
        assert!(scripted.env.exists("ran"), "the user allowed it");
        let told = "this repository's settings for the agent `mine` are ignored";
        assert_eq!(warned.matches(told).count(), 1, "{warned}");
    }
}

#[test]
fn an_agent_in_words_of_a_repository_has_nothing_of_what_the_user_allows_it() {
    let configured = ("copydesk.jsonc", r#"{ "agent": { "mine": { "prompt": "I am theirs." } } }"#);
    for file in [THEIRS, configured] {
        let (scripted, system, warned) =
            run_chosen_agent("mine", agent_permission_config("mine", json!({})), &[file]);
        assert!(system.contains("I am theirs."), "{system}");
        assert!(!scripted.env.exists("ran"), "{file:?}: {}", scripted.last_model_input(1));
        assert!(
            scripted.last_model_input(1).contains("Nobody is there to approve this"),
            "{}",
            scripted.last_model_input(1)
        );
        assert_eq!(
            warned.matches("so Copydesk asks before it does what you allow it").count(),
            1,
            "{warned}"
        );
    }
}

#[test]
fn what_a_repository_configures_of_an_agent_of_the_persons_is_not_used() {
    let project = r#"{ "agent": { "mine": { "prompt": "I am theirs.", "mode": "all", "model": "no/such", "variant": "x",
        "temperature": 0.7, "steps": 1, "hidden": true } } }"#;
    let others = [r#"{ "agent": { "mine": { "disable": true } } }"#, r#"{ "agent": { "mine": null } }"#];
    for project in others.into_iter().chain([project]) {
        let files = [MINE, ("copydesk.jsonc", project)];
        let (scripted, system, warned) =
            run_chosen_agent("mine", agent_permission_config("mine", json!({})), &files);
        assert!(
            system.contains("I am yours.") && scripted.request_body(0).get("temperature").is_none(),
            "{system}"
        );
        assert!(scripted.env.exists("ran"), "{project}");
        assert!(warned.contains("the agent `mine` are ignored"), "{project}: {warned}");
    }
    // It may make it stricter.
    let project = r#"{ "agent": { "mine": { "permission": { "bash": "deny" } } } }"#;
    let files = [MINE, ("copydesk.jsonc", project)];
    assert!(
        !run_chosen_agent("mine", agent_permission_config("mine", json!({})), &files).0.env.exists("ran")
    );
}

#[test]
fn built_in_agents_are_the_users() {
    for file in [
        (".copydesk/agents/build.md", "I am theirs."),
        ("copydesk.jsonc", r#"{ "agent": { "build": { "prompt": "I am theirs." } } }"#),
    ] {
        let (scripted, system, _) =
            run_chosen_agent("build", agent_permission_config("build", json!({})), &[file]);
        assert!(!system.contains("I am theirs") && scripted.env.exists("ran"), "{system}");
        let (scripted, system, warned) = run_chosen_agent("build", json!({}), &[file]);
        assert!(!system.contains("I am theirs") && !scripted.env.exists("ran"), "{system}");
        assert!(warned.contains("this repository's settings for the agent `build` are ignored"), "{warned}");
    }
}

#[test]
fn a_repository_makes_no_agent_of_the_persons_callable() {
    let scripted = ScriptedEnvironment::with_config([], agent_permission_config("mine", json!({})));
    let configured = ("copydesk.jsonc", r#"{ "agent": { "mine": { "mode": "all" } } }"#);
    for (path, text) in [MINE, THEIRS, configured] {
        scripted.env.write(path, text);
    }
    script_session(&scripted.server, "Go", [task("c1", "mine", "Do"), ScriptedTurn::new().text("Done.")]);
    script_fallback(&scripted.server, "Do", bash());
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    assert!(!scripted.env.exists("ran"));
    let told = results(&requests(&scripted.server, "Go")[1]);
    assert!(told[0].contains("mine") && requests(&scripted.server, "Do").is_empty(), "{told:?}");
}

#[test]
fn a_repository_does_not_choose_an_agent_that_is_allowed_more() {
    let project = ("copydesk.jsonc", r#"{ "default_agent": "mine" }"#);
    for (config, is_used) in [(agent_permission_config("mine", json!({})), false), (json!({}), true)] {
        let scripted = ScriptedEnvironment::with_config([bash(), ScriptedTurn::new().text("ok")], config);
        for (path, text) in [MINE, project] {
            scripted.env.write(path, text);
        }
        let ran = scripted.run(&["Go"]);
        assert_eq!((ran.code, scripted.env.exists("ran")), (Some(1), false), "{ran:?}");
        let system = scripted.request_body(0)["system"].to_string();
        assert_eq!(system.contains("I am yours."), is_used, "{system}");
        assert_eq!(ran.stderr.contains("`default_agent`"), !is_used, "{ran:?}");
    }
}

#[test]
fn where_the_home_is_the_repository_agents_are_the_persons_own() {
    let ScriptedEnvironment { env, server } = ScriptedEnvironment::with_config(
        [bash(), ScriptedTurn::new().text("ok")],
        agent_permission_config("mine", json!({})),
    );
    let env = env.cwd("~/.");
    env.trust_folder("~/.");
    env.write("~/.copydesk/agents/mine.md", "I am yours.");
    let ran = env.run(&["run", "--agent", "mine", "Go"]);
    assert!(ran.code == Some(0) && !ran.stderr.contains("agent `mine`"), "{ran:?}");
    assert!(env.exists("~/ran") && server.requests().len() == 2);
}
