//! The sandbox in whole sessions: what runs unasked, what is stopped and told, and how a command comes to run outside. Where the sandbox does
//! not work, the tests say that they are skipped.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::harness::{ScriptedEnvironment, events};
use crate::cli::environment::TestEnvironment;
use crate::editors::scripted_daemon::ScriptedDaemon;
use crate::model_server::ScriptedTurn;

/// A project with scripts that do what their names say.
pub(crate) struct SandboxProject {
    /// Not in `/tmp`, which a sandboxed command has for itself.
    outside: TempDir,
    listener: TcpListener,
}

impl SandboxProject {
    pub(crate) fn new() -> Self {
        let beside = std::env::current_exe().unwrap();
        Self {
            outside: tempfile::tempdir_in(beside.parent().unwrap()).unwrap(),
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
        }
    }

    /// Writes the scripts. Returns whether the sandbox works here.
    pub(crate) fn set_up(&self, env: &TestEnvironment) -> bool {
        let outside = self.outside.path().display();
        let port = self.listener.local_addr().unwrap().port();
        env.write("build.sh", "mkdir -p target && echo built > target/out && cat target/out");
        env.write("outside.sh", format!("echo made > {outside}/made"));
        env.write("hook.sh", "mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit");
        env.write("settings.sh", "echo evil > .envrc");
        env.write(
            "network.sh",
            format!("exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected'"),
        );
        let finding = env.run(&["doctor", "--json"]).json();
        let finding = finding["findings"].as_array().unwrap().iter().find(|one| one["about"] == "sandbox");
        let what = finding.unwrap()["what"].as_str().unwrap();
        let works = what.starts_with("auto, for commands, ");
        if !works {
            println!("skipped: {what}");
        }
        works
    }
}

pub(crate) fn script(call: &str, name: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "bash", json!({ "command": format!("sh {name}.sh") }))
}

pub(crate) fn outside(call: &str, name: &str) -> ScriptedTurn {
    let arguments =
        json!({ "command": format!("sh {name}.sh"), "unsandboxed": "it writes beside the workspace" });
    ScriptedTurn::new().call(call, "bash", arguments)
}

#[test]
fn a_build_runs_unasked_and_what_is_stopped_is_told() {
    // Each with what is told to the user, and to the model.
    let settings =
        "git's configuration and hooks, editor settings and agents' configuration cannot be made or replaced";
    let cases = [
        ("build", None),
        ("outside", Some("only the workspace and /tmp are writable")),
        ("hook", Some("only the workspace and /tmp are writable")),
        ("settings", Some(settings)),
        ("network", Some("it has no network")),
    ];
    let turns = cases.iter().map(|(name, _)| script(name, name)).chain([ScriptedTurn::new().text("Done.")]);
    let scripted = ScriptedEnvironment::with_config(turns, json!({ "sandbox": "auto" }));
    let project = SandboxProject::new();
    if !project.set_up(&scripted.env) {
        return;
    }
    // git makes the folder in every repository.
    scripted.env.write(".git/hooks/README", "");
    let ran = scripted.run(&["--json", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let events = events(&ran);
    let output = |name: &str| {
        let mut outputs = events.iter().map(|event| &event["part"]["content"]).filter(|call| {
            call["output"].is_object() && call["arguments"].as_str().unwrap().contains(&format!("{name}.sh"))
        });
        outputs.next().unwrap_or_else(|| panic!("{name}: {ran:?}"))["output"]["metadata"].clone()
    };
    for (number, (name, stopped)) in cases.iter().enumerate() {
        let (shown, told) = (output(name), scripted.last_model_input(number + 1));
        assert_eq!(shown["sandboxed"], true, "{name}: {shown}");
        let note = shown["sandboxNote"].as_str();
        let Some(stopped) = stopped else {
            assert_eq!((note, shown["exit"].as_i64()), (None, Some(0)), "{name}: {told}");
            continue;
        };
        let words = format!("robably stopped by the sandbox: {stopped}");
        assert!(note.is_some_and(|note| note.contains(&words)), "{name}: {shown} {told}");
        assert!(told.contains(&words) && told.contains("run it again with `unsandboxed`"), "{name}: {told}");
    }
    assert_eq!(scripted.env.read("target/out"), "built\n");
    assert!(!project.outside.path().join("made").exists());
    assert!(!scripted.env.exists(".git/hooks/pre-commit") && !scripted.env.exists(".envrc"));
}

/// The ask says that the command would run outside and why, and offers no "always". Rejected, nothing happens; accepted, it runs outside.
#[test]
fn what_was_stopped_can_be_asked_to_run_outside() {
    let turns = [
        script("c1", "outside"),
        outside("c2", "outside"),
        outside("c3", "outside"),
        ScriptedTurn::new().text("Done."),
    ];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "sandbox": "auto" }));
    let project = SandboxProject::new();
    if !project.set_up(&daemon.scripted.env) {
        return;
    }
    let made = project.outside.path().join("made");
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    for answer in [json!({ "reply": "reject", "reason": "not there" }), json!({ "reply": "once" })] {
        let ask = client.wait_for_method("copydesk/permission/ask");
        let shown = &ask["params"];
        assert!(!made.exists(), "nothing ran yet");
        assert_eq!(
            shown["title"], "sh outside.sh (outside of the sandbox: it writes beside the workspace)",
            "{shown}"
        );
        assert_eq!((&shown["key"], &shown["always"]), (&json!("bash"), &json!([])), "{shown}");
        assert_eq!(shown["metadata"]["sandboxed"], false, "{shown}");
        assert_eq!(shown["metadata"]["sandboxNote"], "it writes beside the workspace", "{shown}");
        client.answer(&ask, answer);
    }
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(made.exists());
    assert!(daemon.last_model_input(1).contains("Probably stopped by the sandbox"));
    assert!(daemon.last_model_input(2).contains("not there"));
    let told = daemon.last_model_input(3);
    assert!(told.contains("; outside of the sandbox: it writes beside the workspace)"), "{told}");
}

/// With `careful` a sandboxed command asks as well, and the ask says what the sandbox would enforce.
#[test]
fn an_ask_says_what_the_sandbox_would_enforce() {
    let turns = [script("c1", "build"), ScriptedTurn::new().text("Done.")];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "sandbox": "auto", "preset": "careful" }));
    if !SandboxProject::new().set_up(&daemon.scripted.env) {
        return;
    }
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let ask = client.wait_for_method("copydesk/permission/ask");
    let shown: &Value = &ask["params"]["metadata"];
    assert_eq!(shown["sandboxed"], true, "{shown}");
    assert_eq!(shown["sandboxNote"], "writable: the workspace, a /tmp of its own; no network", "{shown}");
    client.answer(&ask, json!({ "reply": "once" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert_eq!(daemon.scripted.env.read("target/out"), "built\n");
}

/// In the sandbox, too.
#[test]
fn what_changes_files_by_its_own_words_asks() {
    let remove = ScriptedTurn::new().call("c2", "bash", json!({ "command": "rm build.sh" }));
    let turns = [script("c1", "build"), remove, ScriptedTurn::new().text("Done.")];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "sandbox": "auto" }));
    if !SandboxProject::new().set_up(&daemon.scripted.env) {
        return;
    }
    let mut client = daemon.client("vscode");
    let session = client.new_session();
    client.prompt(&session, "Go");
    let ask = client.wait_for_method("copydesk/permission/ask");
    assert_eq!(daemon.scripted.env.read("target/out"), "built\n");
    let shown = &ask["params"];
    assert_eq!((&shown["title"], &shown["metadata"]["sandboxed"]), (&json!("rm build.sh"), &json!(true)));
    client.answer(&ask, json!({ "reply": "reject", "reason": "mine" }));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    assert!(daemon.scripted.env.exists("build.sh"));
}

/// A server that answers every request. It ends with the test's process.
fn http_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut bytes = [0; 4096];
            let length = client.read(&mut bytes).unwrap_or_default();
            let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let line = request.lines().next().unwrap_or_default();
            let _ = write!(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nserved {line}");
        }
    });
    port
}

#[test]
fn only_listed_hosts_are_reached() {
    let (listed, other) = (http_server(), http_server());
    let names = ["listed", "tunnel", "unlisted", "network"];
    let turns = names.map(|name| script(name, name)).into_iter().chain([ScriptedTurn::new().text("Done.")]);
    let hosts = json!({ "sandbox": { "hosts": [format!("127.0.0.1:{listed}")] } });
    let scripted = ScriptedEnvironment::with_config(turns, hosts);
    if !SandboxProject::new().set_up(&scripted.env) {
        return;
    }
    // As any HTTP client does: the proxy's address is in the environment.
    let client = |requests: &str| {
        format!(
            "exec bash -c 'proxy=${{https_proxy#http://}}; exec 3<>/dev/tcp/${{proxy%:*}}/${{proxy#*:}} && {requests} && cat <&3 | tee out && ! grep -q sandbox out'"
        )
    };
    let get =
        |port: u16| client(&format!("printf \"GET http://127.0.0.1:{port}/a HTTP/1.1\\r\\n\\r\\n\" >&3"));
    let tunnel = format!(
        "printf \"CONNECT 127.0.0.1:{listed} HTTP/1.1\\r\\n\\r\\n\" >&3 && read -r answer <&3 && printf \"GET /b HTTP/1.1\\r\\n\\r\\n\" >&3"
    );
    scripted.env.write("listed.sh", get(listed));
    scripted.env.write("tunnel.sh", client(&tunnel));
    scripted.env.write("unlisted.sh", get(other));
    let ran = scripted.run(&["--json", "Go"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told: Vec<_> = (1..=names.len()).map(|number| scripted.last_model_input(number)).collect();
    assert!(told[0].contains("served GET /a HTTP/1.1"), "{}", told[0]);
    assert!(told[1].contains("served GET /b HTTP/1.1"), "{}", told[1]);
    assert!(told[0].contains("in the sandbox, with listed hosts only"), "{}", told[0]);
    let stopped = "robably stopped by the sandbox: it reaches only the hosts that `sandbox.hosts` lists";
    for told in &told[2..] {
        assert!(!told.contains("served") && told.contains(stopped), "{told}");
    }
    assert!(told[2].contains("is not among the hosts"), "{}", told[2]);
}

/// Each tries what it must not do, and then does its work.
#[test]
fn what_a_project_brings_along_runs_in_the_sandbox_too() {
    let attempts = |name: &str, then: &str| {
        let script = format!(
            "cp .git/config seen/{name} 2>/dev/null; (echo evil > .git/config) 2>/dev/null; (echo evil > ../evil) 2>/dev/null; \
             [ -e /proc/1/comm ] && cat /proc/1/comm >> seen/{name}; {then}"
        );
        json!(["sh", "-c", script])
    };
    let server = std::path::Path::new(crate::cli::environment::BINARY).parent().unwrap();
    let serve = format!("exec {}/examples/language_server seen/script.json", server.display());
    let edit = json!({ "filePath": "a.toy", "oldString": "two", "newString": "three" });
    let turns = [ScriptedTurn::new().call("c1", "edit", edit), ScriptedTurn::new().text("Done.")];
    let scripted = ScriptedEnvironment::with_config(
        turns,
        json!({
            "permission": "allow",
            "sandbox": "auto",
            "lsp": { "toy": { "command": attempts("server", &serve), "extensions": [".toy"] } },
            "checkers": { "c": { "command": attempts("checker", "true"), "extensions": [".toy"], "format": "lines" } },
            "formatter": { "f": { "command": attempts("formatter", "cat"), "extensions": [".toy"] } },
        }),
    );
    if !SandboxProject::new().set_up(&scripted.env) {
        return;
    }
    let rule = json!([{ "find": "three", "message": "this is bad", "code": 7, "source": "scripted" }]);
    let script = json!({ "pull": true, "push": "never", "rules": rule });
    scripted.env.write("seen/script.json", script.to_string());
    scripted.env.write(".git/config", "[core]\n");
    scripted.env.write("a.toy", "one\ntwo\n");
    let ran = scripted.run(&["Edit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for program in ["server", "checker", "formatter"] {
        assert_eq!(scripted.env.read(&format!("seen/{program}")), "[core]\nbwrap\n", "{program}");
    }
    assert_eq!(scripted.env.read(".git/config"), "[core]\n");
    assert!(!scripted.env.exists("../evil"));
    assert!(scripted.last_model_input(1).contains("this is bad"), "{}", scripted.last_model_input(1));
    assert!(!scripted.env.exists(".envrc") && !scripted.env.exists(".vscode"), "nothing stays");
}
