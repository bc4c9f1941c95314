//! What an agent's definition changes: prompts, tools, sampling, titles.

use serde_json::{Value, json};

use super::harness::ScriptedEnvironment;
use crate::model_server::{ScriptedModelServer, ScriptedTurn, ScriptedWire};

fn tools(scripted: &ScriptedEnvironment, request: usize) -> Vec<String> {
    let sent = scripted.request_body(request);
    let tools = sent["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// A call of this tool, and the result that the model got.
fn refused(config: Value, files: &[(&str, &str)], args: &[&str]) -> (Vec<String>, String) {
    let call = ScriptedTurn::new().call("c1", "bash", json!({ "command": "touch ran" }));
    let scripted = ScriptedEnvironment::with_config([call, ScriptedTurn::new().text("ok")], config);
    files.iter().for_each(|(path, text)| scripted.env.write(path, text));
    let args: Vec<_> = args.iter().chain(&["--auto", "Go"]).copied().collect();
    assert_eq!(scripted.run(&args).code, Some(0));
    assert_eq!(scripted.env.exists("ran"), scripted.last_message(1).contains("exit code 0"));
    (tools(&scripted, 0), scripted.last_message(1))
}

const OFF: &str = "The tool `bash` is switched off for the agent";

#[test]
fn tools_can_be_switched_off_for_all_agents_and_for_one() {
    let (tools, told) = refused(json!({ "tools": { "ba*": false, "write": false } }), &[], &[]);
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    assert!(has("edit") && has("list") && !has("bash") && !has("batch") && !has("write"), "{tools:?}");
    assert!(told.contains(OFF), "{told}");
    let config =
        json!({ "tools": { "*": false, "read": true }, "agent": { "build": { "tools": { "bash": true } } } });
    let (tools, told) = refused(config, &[], &[]);
    assert_eq!(tools, ["bash", "read"]);
    assert!(told.contains("exit code 0"), "{told}");
    let config = json!({ "agent": { "plan": { "tools": { "bash": false } } } });
    assert!(refused(config, &[], &[]).1.contains("exit code 0"), "it holds for its agent alone");
}

#[test]
fn an_agents_file_says_which_tools_it_has() {
    let map = "---\nmode: primary\ntools:\n  \"*\": false\n  read: true\n---\nYou look.";
    let list = "---\ntools: Read\n---\nYou look.";
    for (path, text) in [(".opencode/agent/looker.md", map), (".claude/agents/looker.md", list)] {
        let (tools, told) = refused(json!({}), &[(path, text)], &["--agent", "looker"]);
        assert_eq!(tools, ["read"], "{path}");
        assert!(told.contains("switched off for the agent `looker`"), "{told}");
    }
}

#[test]
fn a_project_that_is_not_trusted_takes_no_denial_away() {
    let all = json!({ "permission": { "bash": "deny" } });
    let one = json!({ "agent": { "build": { "permission": { "bash": "deny" } } } });
    for (own, project) in [
        (&all, r#"{ "permission": null }"#),
        (&all, r#"{ "permission": "ask" }"#),
        (&all, r#"{ "permission": { "bash": null } }"#),
        (&all, r#"{ "permission": { "bash": { "touch *": "ask" } } }"#),
        (&all, r#"{ "agent": { "build": { "permission": { "bash": "ask" } } } }"#),
        (&one, r#"{ "agent": null }"#),
        (&one, r#"{ "agent": { "build": null } }"#),
        (&one, r#"{ "agent": { "build": { "permission": null } } }"#),
        (&one, r#"{ "agent": { "build": { "permission": { "bash": "ask" } } } }"#),
    ] {
        let (_, told) = refused(own.clone(), &[("copydesk.jsonc", project)], &[]);
        assert!(told.contains("denied by the rule"), "{own} {project}: {told}");
    }
    // What the user allows again stays allowed.
    let mut both = all;
    both["agent"] = json!({ "build": { "permission": { "bash": "allow" } } });
    let (_, told) = refused(both, &[("copydesk.jsonc", r#"{ "permission": { "edit": "ask" } }"#)], &[]);
    assert!(told.contains("exit code 0"), "{told}");
}

/// It would switch to `build` after the plan.
#[test]
fn no_other_agent_than_build_is_offered_a_plan() {
    for (agent, is_offered) in [("build", true), ("looker", false)] {
        let call = ScriptedTurn::new().call("c1", "plan_enter", json!({}));
        let config = json!({ "agent": { "looker": { "permission": { "edit": "deny" } } } });
        let scripted = ScriptedEnvironment::with_config([call, ScriptedTurn::new().text("ok")], config);
        assert_eq!(scripted.run(&["--agent", agent, "Go"]).code, Some(0));
        assert_eq!(tools(&scripted, 0).contains(&"plan_enter".to_owned()), is_offered, "{agent}");
        let told = scripted.last_model_input(1);
        assert_eq!(told.contains("is switched off for the agent"), !is_offered, "{told}");
    }
}

#[test]
fn an_agents_file_that_leads_out_of_the_repository_is_passed_over() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok"), ScriptedTurn::new().text("ok")]);
    scripted.env.write("~/secrets/key.md", "SECRET");
    scripted.env.write("docs/looker.md", "You look.");
    scripted.env.write(".copydesk/agents/other.md", "You are another.");
    for (to, at) in [("~/secrets/key.md", "build.md"), ("docs/looker.md", "looker.md")] {
        let at = scripted.env.path(&format!(".copydesk/agents/{at}"));
        std::os::unix::fs::symlink(scripted.env.path(to), at).unwrap();
    }
    std::fs::create_dir(scripted.env.path(".claude")).unwrap();
    std::os::unix::fs::symlink(scripted.env.path("~/secrets"), scripted.env.path(".claude/agents")).unwrap();
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    assert!(!scripted.request_body(0).to_string().contains("SECRET"), "{:#}", scripted.request_body(0));
    assert_eq!(scripted.run(&["--agent", "looker", "Go"]).code, Some(0));
    assert!(scripted.request_body(1)["system"].to_string().contains("You look."));
    let ran = scripted.run(&["--agent", "key", "Go"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("no agent `key`"), "{ran:?}");
}

#[test]
fn a_project_cannot_switch_on_what_the_user_switched_off() {
    let off = json!({ "tools": { "bash": false } });
    let project = r#"{ "tools": { "bash": true }, "agent": { "build": { "tools": { "bash": true } } } }"#;
    let (_, told) = refused(off.clone(), &[("copydesk.jsonc", project)], &[]);
    assert!(told.contains(OFF), "{told}");
    let file = [(".copydesk/agents/build.md", "---\ntools:\n  bash: true\n---\n")];
    assert!(refused(off.clone(), &file, &[]).1.contains(OFF));
    // The user's own file can enable it, and the project may disable it.
    let own = [("~/.config/copydesk/agents/build.md", "---\ntools:\n  bash: true\n---\n")];
    assert!(refused(off, &own, &[]).1.contains("exit code 0"));
    assert!(
        refused(json!({}), &[("copydesk.jsonc", r#"{ "tools": { "bash": false } }"#)], &[]).1.contains(OFF)
    );
}

#[test]
fn an_agents_sampling_and_options_go_into_its_requests() {
    let config = json!({ "agent": {
        "build": { "temperature": 0.1, "top_p": 0.5, "options": { "metadata": { "user_id": "me" }, "someThing": 1 } },
    } });
    let scripted = ScriptedEnvironment::with_config(
        [ScriptedTurn::new().text("ok"), ScriptedTurn::new().text("ok")],
        config,
    );
    scripted.run(&["Go"]);
    let sent = scripted.request_body(0);
    assert_eq!((&sent["temperature"], &sent["top_p"]), (&json!(0.1), &json!(0.5)), "{sent:#}");
    assert_eq!((&sent["metadata"]["user_id"], sent.get("someThing")), (&json!("me"), None));
    scripted.env.write(".opencode/agent/poet.md", "---\ntemperature: 0.9\nmode: primary\n---\nYou rhyme.");
    scripted.run(&["--agent", "poet", "Go"]);
    assert_eq!(scripted.request_body(1)["temperature"], json!(0.9));
}

#[test]
fn an_agent_may_use_a_variant_of_its_model_or_a_level_of_thinking() {
    let server = ScriptedModelServer::start_with((0..4).map(|_| ScriptedTurn::new().text("ok")));
    let config = json!({
        "model": "chat/m",
        "enabled_providers": ["chat"],
        "provider": { "chat": {
            "wire": "openai-chat",
            "options": { "baseURL": server.base_url(ScriptedWire::Chat), "apiKey": "k" },
            "models": { "m": {
                "reasoning": true,
                "options": { "reasoningEffort": "low", "seed": 1 },
                "variants": { "fast": { "reasoningEffort": "minimal", "seed": 2 } },
            } },
        } },
        "agent": {
            "quick": { "variant": "fast" },
            "deep": { "variant": "high", "options": { "seed": 3 } },
            "odd": { "variant": "nonsense" },
            "set": { "options": { "reasoningEffort": "medium" } },
        },
    });
    let env = crate::cli::environment::TestEnvironment::new()
        .with_files(&[(crate::cli::environment::USER_CONFIG, &config.to_string())]);
    for (agent, effort, seed) in
        [("quick", "minimal", 2), ("deep", "high", 3), ("odd", "low", 1), ("set", "medium", 1)]
    {
        let ran = env.run(&["run", "--agent", agent, "Go"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stderr.contains("has no variant `nonsense`"), agent == "odd", "{ran:?}");
        let sent = server.requests().last().unwrap().body.clone();
        assert_eq!(
            (&sent["reasoning_effort"], &sent["seed"]),
            (&json!(effort), &json!(seed)),
            "{agent}: {sent:#}"
        );
    }
}

/// Options go into the body as they are: a repository could request anything from the provider.
#[test]
fn options_of_a_project_are_not_sent_before_it_is_trusted() {
    for (agent, warning) in [
        ("build", "settings for the agent `build` are ignored, because this project is not trusted"),
        ("poet", "`agent.poet.options` is ignored: this project is not trusted"),
    ] {
        let scripted =
            ScriptedEnvironment::new([ScriptedTurn::new().text("ok"), ScriptedTurn::new().text("ok")]);
        let config = json!({ "agent": { agent: { "options": { "metadata": { "user_id": "evil" } } } } });
        scripted.env.write("copydesk.jsonc", config.to_string());
        let ran = scripted.run(&["--agent", agent, "Go"]);
        assert!(ran.stderr.contains(warning), "{ran:?}");
        assert_eq!(scripted.request_body(0).get("metadata"), None);
        assert_eq!(scripted.env.run(&["trust"]).code, Some(0));
        scripted.run(&["--agent", agent, "Go"]);
        assert_eq!(scripted.request_body(1)["metadata"]["user_id"], "evil", "{agent}");
    }
}

#[test]
fn a_wrong_level_of_thinking_is_told_with_its_place() {
    let scripted = ScriptedEnvironment::with_config(
        [],
        json!({ "agent": { "build": { "options": { "reasoningEffort": "hard" } } } }),
    );
    let ran = scripted.run(&["Go"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("`agent.build.options.reasoningEffort`"), "{ran:?}");
}

/// The order of the model's answers is unknown: titles are made beside the turn.
async fn titled(config: Value) -> (ScriptedEnvironment, Value) {
    let mut all = json!({ "small_model": "script/small" });
    for (key, value) in config.as_object().unwrap() {
        all[key] = value.clone();
    }
    let scripted = ScriptedEnvironment::with_config([ScriptedTurn::new().gate("turn").text("ok")], all);
    let is_title = |request: &crate::model_server::RecordedRequest| request.body["model"] != "m-1";
    scripted.server.on_request(is_title, ScriptedTurn::new().text("A title"));
    let child = scripted.start(&["Please"]);
    scripted.server.wait_for_gate("turn").await;
    scripted.server.request_arrived(2).await;
    scripted.server.open_gate("turn");
    assert!(child.wait_with_output().unwrap().status.success());
    let asked = scripted.server.requests().into_iter().find(|request| is_title(request)).unwrap().body;
    (scripted, asked)
}

#[tokio::test]
async fn titles_are_made_by_an_agent_that_can_be_changed() {
    let (_, asked) = titled(json!({})).await;
    assert_eq!(asked["model"], "small");
    assert!(asked["system"].to_string().contains("Give this conversation a title"), "{asked:#}");
    let title = json!({ "prompt": "One word.", "model": "script/tiny", "temperature": 0.3 });
    let (_, asked) = titled(json!({ "agent": { "title": title } })).await;
    assert_eq!((&asked["model"], &asked["temperature"]), (&json!("tiny"), &json!(0.3)), "{asked:#}");
    assert_eq!(asked["system"][0]["text"], "One word.");
}

#[test]
fn titles_can_be_switched_off_and_their_agent_cannot_be_chosen() {
    let config = json!({ "small_model": "script/small", "agent": { "title": { "disable": true } } });
    let scripted = ScriptedEnvironment::with_config([ScriptedTurn::new().text("ok")], config);
    assert_eq!(scripted.run(&["Please do"]).code, Some(0));
    assert_eq!(scripted.server.requests().len(), 1);
    let list = scripted.env.run(&["sessions", "list", "--json"]).json();
    assert_eq!(list[0]["title"], "Please do");

    let scripted = ScriptedEnvironment::new([]);
    let ran = scripted.run(&["--agent", "title", "Go"]);
    assert!(
        ran.code == Some(1) && ran.stderr.contains("no agent `title`; there are: build, plan"),
        "{ran:?}"
    );
}

#[test]
fn an_agent_that_is_hidden_is_not_listed_but_can_be_named() {
    let scripted = ScriptedEnvironment::with_config(
        [ScriptedTurn::new().text("ok")],
        json!({ "agent": { "quiet": { "hidden": true } } }),
    );
    scripted.env.write(".opencode/agent/shy.md", "---\nhidden: true\nmode: subagent\n---\nx");
    assert_eq!(scripted.run(&["--agent", "quiet", "Go"]).code, Some(0));
    let ran = scripted.run(&["--agent", "shy", "Go"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("there are: build, plan\n"), "{ran:?}");
}

#[test]
fn the_model_is_told_which_rule_denied_a_call() {
    let read = ScriptedTurn::new().call("c1", "read", json!({ "filePath": "secret.txt" }));
    let config = json!({ "permission": { "read": { "secret*": "deny" } } });
    let scripted = ScriptedEnvironment::with_config([read, ScriptedTurn::new().text("ok")], config);
    scripted.env.write("secret.txt", "hush");
    scripted.run(&["Go"]);
    let body = scripted.request_body(1);
    let told = body["messages"][2]["content"][0]["content"][0]["text"].as_str().unwrap();
    let rule = r#"`read` of `secret.txt` is denied by the rule `"read": { "secret*": "deny" }`"#;
    assert!(told.contains(rule), "{told}");
}
