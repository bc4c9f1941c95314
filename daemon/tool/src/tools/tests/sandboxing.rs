//! Commands in the sandbox and outside of it: what is asked, and what the model and views are told. Where bubblewrap does not work, the tests
//! that need it say that they are skipped.

use std::fs;
use std::path::Path;

use copydesk_metadata::CallMetadata;
use copydesk_workspace::process::sandbox::{CommandSandbox, SandboxMode};
use serde_json::{Value, json};

use super::fixture::{ToolFixture, fixture};
use crate::PermissionRequest;

async fn sandboxed(mode: SandboxMode) -> Option<ToolFixture> {
    let mut fixture = fixture(&[]);
    fixture.set_sandbox(mode, Path::new("/nonexistent/home"));
    let options = &fixture.options;
    let checked =
        CommandSandbox::check(&options.sandbox, fixture.path("").as_path(), &options.processes).await;
    if let Err(error) = &checked {
        eprintln!("skipped: {error}");
    }
    checked.ok().map(|_| fixture)
}

/// What was asked: key, whether it runs sandboxed, title.
fn asked(fixture: &ToolFixture) -> Vec<(String, bool, String)> {
    let is_sandboxed = |ask: &PermissionRequest| ask.metadata.to_value()["sandboxed"] == json!(true);
    fixture.asked().into_iter().map(|ask| (ask.key.clone(), is_sandboxed(&ask), ask.title)).collect()
}

fn ask(key: &str, is_sandboxed: bool, title: &str) -> (String, bool, String) {
    (key.to_owned(), is_sandboxed, title.to_owned())
}

fn sandbox_of(metadata: &CallMetadata) -> (Option<Value>, Option<Value>) {
    let value = metadata.to_value();
    (value.get("sandboxed").cloned(), value.get("sandboxNote").cloned())
}

#[tokio::test]
async fn a_command_runs_inside_and_says_so() {
    let Some(fixture) = sandboxed(SandboxMode::Auto).await else { return };
    let outcome = fixture.call("bash", json!({ "command": "echo hi > made && cat made" })).await;
    assert_eq!(asked(&fixture), [ask("bash", true, "echo hi > made && cat made")]);
    assert!(outcome.output.starts_with("hi\n\n(exit code 0 after "), "{}", outcome.output);
    assert!(outcome.output.ends_with("; in the sandbox, without network)"), "{}", outcome.output);
    assert_eq!(sandbox_of(&outcome.metadata), (Some(json!(true)), None));
    assert_eq!(fixture.bytes("made"), "hi\n");
}

#[tokio::test]
async fn what_the_sandbox_stopped_is_told() {
    let Some(fixture) = sandboxed(SandboxMode::Auto).await else { return };
    let outcome = fixture.call("bash", json!({ "command": "touch /etc/copydesk-test" })).await;
    let advice =
        "If the command needs that, run it again with `unsandboxed` and the reason; the user is asked.)";
    assert!(
        outcome.output.contains("(Probably stopped by the sandbox: only the workspace"),
        "{}",
        outcome.output
    );
    assert!(outcome.output.ends_with(advice), "{}", outcome.output);
    let (_, note) = sandbox_of(&outcome.metadata);
    assert!(note.unwrap().as_str().unwrap().starts_with("probably stopped by the sandbox: "));
    let planted = fixture.call("bash", json!({ "command": "mkdir -p new/.git" })).await;
    assert!(planted.output.contains("(New git repositories: "), "{}", planted.output);
}

#[tokio::test]
async fn a_background_job_runs_inside_too() {
    let Some(fixture) = sandboxed(SandboxMode::Auto).await else { return };
    let command = "echo x > /etc/copydesk-test || echo stopped > made";
    let outcome = fixture.call("bash", json!({ "command": command, "background": true })).await;
    assert_eq!(sandbox_of(&outcome.metadata), (Some(json!(true)), None));
    let job = outcome.metadata.to_value().get("job").cloned();
    let ended = fixture.call("job", json!({ "id": job, "wait": 60000 })).await;
    assert_eq!(fixture.bytes("made"), "stopped\n");
    assert!(!ended.output.contains("by the sandbox"), "it did not fail: {}", ended.output);
}

/// As for a command in the foreground, and also in the note about a job that nobody waited for.
#[tokio::test]
async fn what_the_sandbox_stopped_of_a_background_job_is_told() {
    let Some(fixture) = sandboxed(SandboxMode::Auto).await else { return };
    let command = "mkdir -p new/.git; touch /etc/copydesk-test";
    let outcome = fixture.call("bash", json!({ "command": command, "background": true })).await;
    let id = outcome.metadata.to_value()["job"].clone();
    let ended = fixture.call("job", json!({ "id": id, "wait": 60000 })).await;
    let stopped = "robably stopped by the sandbox: only the workspace and /tmp are writable";
    let jobs = fixture.options.processes.jobs();
    let note = crate::job_notes::ended_jobs_note(&jobs).await.unwrap();
    for told in [&ended.output, &note] {
        assert!(told.contains(stopped) && told.contains("run it again with `unsandboxed`"), "{told}");
        assert!(told.contains("(New git repositories: "), "{told}");
    }
    assert!(ended.title.contains(stopped), "{}", ended.title);
}

#[tokio::test]
async fn outside_runs_only_what_was_asked_as_such() {
    let Some(fixture) = sandboxed(SandboxMode::Auto).await else { return };
    let wanted = json!({ "command": "true", "unsandboxed": "it needs a device" });
    let outcome = fixture.call("bash", wanted).await;
    let title = "true (outside of the sandbox: it needs a device)";
    assert_eq!(asked(&fixture), [ask("bash", false, title), ask("unsandboxed", false, title)]);
    assert!(outcome.output.ends_with("; outside of the sandbox: it needs a device)"), "{}", outcome.output);
    assert_eq!(sandbox_of(&outcome.metadata), (Some(json!(false)), Some(json!("it needs a device"))));
    fixture.call("bash", json!({ "command": "git push --dry-run nowhere" })).await;
    let title = "git push --dry-run nowhere (outside of the sandbox: it needs the network)";
    assert_eq!(asked(&fixture), [ask("bash", false, title)]);
}

#[tokio::test]
async fn a_workspace_with_too_much_to_protect_asks_to_run_outside() {
    let Some(mut fixture) = sandboxed(SandboxMode::Auto).await else { return };
    for number in 0..700 {
        let folder = fixture.path(&format!("r{number}/.git"));
        fs::create_dir_all(folder.join("hooks")).unwrap();
        fs::write(folder.join("config"), "").unwrap();
    }
    let outcome = fixture.call("bash", json!({ "command": "echo ran" })).await;
    let asked_for = asked(&fixture);
    assert_eq!(asked_for.len(), 2, "{asked_for:?}");
    assert_eq!(asked_for[0], ask("bash", true, "echo ran"));
    assert!(!asked_for[1].1 && asked_for[1].2.contains("places would have to be protected"), "{asked_for:?}");
    assert!(outcome.output.starts_with("ran\n") && outcome.output.contains("outside of the sandbox"));
    fixture.set_sandbox(SandboxMode::Require, Path::new("/nonexistent/home"));
    let outcome = fixture.call("bash", json!({ "command": "echo ran" })).await;
    assert!(outcome.output.contains("the sandbox cannot be set up"), "{}", outcome.output);
}

#[tokio::test]
async fn without_a_sandbox_auto_says_why_and_require_refuses() {
    let mut fixture = fixture(&[]);
    let inside = fixture.path("home");
    fixture.set_sandbox(SandboxMode::Auto, &inside);
    let outcome = fixture.call("bash", json!({ "command": "true" })).await;
    assert!(outcome.output.contains("; outside of the sandbox: the workspace `"), "{}", outcome.output);
    assert!(asked(&fixture).iter().all(|(_, is_sandboxed, _)| !is_sandboxed));
    let again = fixture.call("bash", json!({ "command": "true" })).await;
    assert!(again.output.ends_with("; not in a sandbox)"), "it was said once: {}", again.output);
    assert_eq!(sandbox_of(&again.metadata), (Some(json!(false)), None));
    assert_eq!(asked(&fixture), [ask("bash", false, "true")]);
    fixture.set_sandbox(SandboxMode::Require, &inside);
    for arguments in [json!({ "command": "true" }), json!({ "command": "true", "unsandboxed": "please" })] {
        let outcome = fixture.call("bash", arguments).await;
        assert!(
            outcome.error_kind.is_some() && outcome.output.contains("`sandbox` is `require`"),
            "{}",
            outcome.output
        );
        assert_eq!(asked(&fixture), []);
    }
}

#[test]
fn the_model_is_told_of_the_sandbox_only_if_it_is_on() {
    let mut fixture = fixture(&[]);
    let prompt = |fixture: &ToolFixture| {
        let tools = fixture.registry().definitions(|_| true);
        tools.into_iter().find(|tool| tool.name == "bash").unwrap().prompt
    };
    assert!(!prompt(&fixture).contains("sandbox"));
    fixture.set_sandbox(SandboxMode::Auto, Path::new("/nonexistent/home"));
    assert!(prompt(&fixture).contains("Commands run in a sandbox"));
}
