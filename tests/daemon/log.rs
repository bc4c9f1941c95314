//! The daemon's log: what a turn leaves in it and what it never holds, its level while the daemon runs, and `copydesk log`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use expect_test::expect;
use serde_json::json;

use super::stdio_editor::{LOG, daemon_environment, kill};
use crate::cli::environment::{BINARY, TestEnvironment};
use crate::editors::scripted_daemon::{ScriptedDaemon, edit, read, text_turn};
use crate::model_server::{ScriptedErrorKind, ScriptedTurn};
use crate::sessions::harness::{RunLocation, ScriptedEnvironment};
use crate::terminal::screen::TestTerminal;

/// Only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// The log, as soon as it has this in it.
#[track_caller]
fn wait_for_log(env: &TestEnvironment, text: &str) -> String {
    let started = Instant::now();
    loop {
        let log = env.read(LOG);
        if log.contains(text) {
            return log;
        }
        assert!(started.elapsed() < PATIENCE, "no `{text}` in the log:\n{log}");
        std::thread::yield_now();
    }
}

/// Everything that a turn handles has a marker in it, and none of them is logged at any level.
#[test]
fn a_turn_is_seen_at_every_level_and_nothing_of_what_it_is_about() {
    let overloaded = ScriptedTurn::failure(ScriptedErrorKind::Overloaded, "marker-failure");
    let bash = json!({ "command": "echo marker-$((40 + 2))-output; echo marker-error >&2", "description": "marker-title" });
    let edit = json!({ "filePath": "marker-a.txt", "oldString": "marker-file", "newString": "marker-edit" });
    let turns = [
        overloaded.header("retry-after-ms", "1"),
        ScriptedTurn::new().reasoning("marker-thought").text("marker-text").call(
            "c1",
            "read",
            json!({ "filePath": "marker-a.txt" }),
        ),
        ScriptedTurn::new().call("c2", "bash", bash).call("c3", "marker_tool", json!({ "marker-key": 1 })),
        ScriptedTurn::new().call("c4", "edit", edit).call("c5", "edit", json!({ "filePath": "marker-none" })),
        ScriptedTurn::new().text("marker-end"),
    ];
    let ScriptedEnvironment { env, server } =
        ScriptedEnvironment::with_config(turns, json!({ "permission": "allow" }));
    let env = env.env("COPYDESK_LOG", "trace").with_files(&[("marker-a.txt", "marker-file\n")]);
    let scripted = ScriptedEnvironment { env, server };
    let daemon = scripted.start_daemon(RunLocation::Daemon);
    let ran = scripted.run(&["marker-prompt"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("marker-end"), "{ran:?}");
    assert_eq!(scripted.env.read("marker-a.txt"), "marker-edit\n");
    scripted.env.run(&["stop"]);
    drop(daemon);
    let log = scripted.env.read(LOG);
    assert!(!log.contains("marker") && !log.contains("sk-0987654321"), "{log}");
    for line in [
        "session opened agent=\"build\" model=\"script/m-1\"",
        ":turn{number=1}: copydesk_session::actor::turn: turn began",
        "step began step=1",
        ":turn{number=1}:request{provider=\"script\" model=\"m-1\"}: copydesk_model::model: request sent attempt=1",
        "request is retried retry=1 kind=Overloaded status=529 delay_ms=1",
        "response began status=200",
        "step ended step=1 end=\"calls\" calls=1",
        "tool=\"read\"}: copydesk_session::actor::calls: call ended outcome=\"completed\"",
        "tool=\"bash\"}: copydesk_workspace::process::run: command ended group=",
        "tool=\"invalid\"}: copydesk_session::actor::calls: call ended outcome=",
        "parts stored parts=",
        "turn ended end=\"done\" steps=4 calls=5",
        "session closed",
    ] {
        assert!(log.contains(line), "no `{line}` in\n{log}");
    }
}

#[test]
fn the_level_changes_while_the_daemon_runs() {
    let read = |call: &str| [read(call, "a.txt"), text_turn("Done.")];
    let daemon = ScriptedDaemon::new([read("c1"), read("c2"), read("c3")].concat());
    let environment = &daemon.scripted.env;
    environment.write("a.txt", "one\n");
    let mut editor = daemon.client("nvim");
    let session = editor.new_session();
    editor.run_turn(&session, "Read it");
    let log = environment.read(LOG);
    assert!(log.contains("turn ended") && !log.contains("DEBUG"), "{log}");

    // Until the daemon ends.
    environment.run(&["log", "--level", "session=debug", "--lines", "0"]).assert_output(&expect![[r#"
        ! log level info,session=debug, until the daemon ends
    "#]]);
    editor.run_turn(&session, "Read it again");
    let log = environment.read(LOG);
    assert!(log.contains("now=info,session=debug") && log.contains("call ended"), "{log}");
    // What was opened before is told with its session.
    assert!(
        log.lines().filter(|line| line.contains("call ended")).all(|line| line.contains(&session)),
        "{log}"
    );
    let is_of_model = |line: &str| line.contains("DEBUG") && line.contains("copydesk_model");
    assert!(!log.lines().any(is_of_model), "{log}");

    // As long as one client is there.
    let mut other = daemon.client("vscode");
    let params = json!({ "level": "off", "until": "detach" });
    assert_eq!(other.request_ok("copydesk/log/set", params), json!({ "level": "off" }));
    let before = environment.read(LOG);
    editor.run_turn(&session, "Read it in silence");
    assert_eq!(environment.read(LOG), before);
    drop(other);
    wait_for_log(environment, "the log level has changed before=off now=info,session=debug");

    let (code, message) = editor.request_error("copydesk/log/set", json!({ "level": "reqwest=trace" }));
    assert_eq!(code, -32602);
    assert!(message.starts_with("the daemon has no crate `reqwest`; there are: cli, "), "{message}");
    assert_eq!(editor.request_ok("copydesk/log/set", json!({})), json!({ "level": "info" }));
}

struct FollowingCommand(Child);

impl Drop for FollowingCommand {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn whoever_follows_sees_more_while_they_do() {
    let daemon = ScriptedDaemon::new([read("c1", "a.txt"), text_turn("Done.")]);
    let environment = &daemon.scripted.env;
    environment.write("a.txt", "one\n");
    let mut editor = daemon.client("nvim");
    let session = editor.new_session();
    let mut command = Command::new(BINARY);
    environment.prepare(&mut command);
    command.args(["log", "-f", "--level", "debug", "--session", &session]);
    let mut follow = FollowingCommand(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    wait_for_log(environment, "now=debug");
    editor.run_turn(&session, "Read it");
    let mut lines = BufReader::new(follow.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let seen: Vec<_> = lines.by_ref().take_while(|line| !line.contains("turn ended")).collect();
    assert!(seen.iter().any(|line| line.contains("call ended")), "{seen:#?}");
    assert!(seen.iter().all(|line| line.contains(&session) && !line.contains('\u{1b}')), "{seen:#?}");
    // However it ends.
    kill(follow.0.id().into(), "-KILL");
    wait_for_log(environment, "the log level has changed before=debug now=info");
    assert!(lines.all(|line| line.contains(&session)));
}

#[test]
fn a_level_that_is_refused_is_all_that_is_said() {
    let env = daemon_environment();
    env.run(&["log", "--level", "debug"]).assert_output(&expect![[r#"
        ! error: the daemon is not running, so there is no level to set; `COPYDESK_LOG=debug copydesk daemon` starts one with it
        exit code 1
    "#]]);
    let daemon = ScriptedDaemon::new([]);
    daemon.scripted.env.run(&["log", "--level", "loud"]).assert_output(&expect![[r#"
        ! error: `loud` is not a log level; expected off, error, warn, info, debug or trace, or CRATE=LEVEL
        exit code 1
    "#]]);
}

#[test]
fn without_a_daemon_there_is_the_file() {
    let env = daemon_environment();
    env.run(&["log"]).assert_output(&expect![[r#"
        ! nothing to show in ~/.local/state/copydesk/log/daemon.log
    "#]]);
    let line = |second: u32, rest: &str| format!("2026-11-16T11:36:0{second}.123456Z  INFO {rest}\n");
    let older =
        line(1, "copydesk: listening") + &line(2, "session{id=0abcdefghjkmnpqrstvw}: copydesk_session: one");
    let newer = line(3, "session{id=0zzzzzzzzzzzzzzzzzzz}: copydesk_session: \u{1b}[2Jtwo")
        + &line(4, "copydesk: ending");
    env.write(&format!("{LOG}.1"), older);
    env.write(LOG, newer);
    env.run(&["log", "-n", "3"]).assert_output(&expect![[r#"
        2026-11-16T11:36:02.123456Z  INFO session{id=0abcdefghjkmnpqrstvw}: copydesk_session: one
        2026-11-16T11:36:03.123456Z  INFO session{id=0zzzzzzzzzzzzzzzzzzz}: copydesk_session: �[2Jtwo
        2026-11-16T11:36:04.123456Z  INFO copydesk: ending
    "#]]);
    env.run(&["log", "--session", "stvw"]).assert_output(&expect![[r#"
        2026-11-16T11:36:02.123456Z  INFO session{id=0abcdefghjkmnpqrstvw}: copydesk_session: one
    "#]]);
    // A reader that has seen enough ends it.
    let head = env.shell("$COPYDESK log -f | head -n 1");
    assert_eq!((head.stdout.lines().count(), head.code), (1, Some(0)), "{head:?}");
    for (env, is_coloured) in
        [(env.env("TERM", "xterm"), true), (daemon_environment().env("NO_COLOR", "1"), false)]
    {
        env.write(LOG, line(1, "copydesk: listening"));
        let mut terminal = TestTerminal::start(&env, &["log"]);
        assert_eq!(terminal.wait_for_exit(), Some(0));
        assert!(terminal.text().contains("INFO copydesk: listening"), "{}", terminal.text());
        assert_eq!(terminal.raw().contains("\u{1b}[32m"), is_coloured, "{:?}", terminal.raw());
    }
}

#[test]
fn the_life_of_a_language_server_is_seen_and_nothing_of_what_it_says() {
    let program = Path::new(BINARY).parent().unwrap().join("examples/language_server");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    let rules =
        json!([{ "find": "marker", "message": "marker-message", "severity": 1, "code": "marker-code" }]);
    std::fs::write(&script, json!({ "pull": true, "push": "never", "rules": rules }).to_string()).unwrap();
    let lsp = json!({ "toy": { "command": [program, script], "extensions": [".toy"] } });
    let change = |call, old, new| edit(call, "a.toy", old, new);
    let turns = [change("c1", "one", "marker two"), change("c2", "two", "marker three"), text_turn("Done.")];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "permission": "allow", "lsp": lsp }));
    let environment = &daemon.scripted.env;
    environment.write("a.toy", "one\n");
    let mut editor = daemon.client("nvim");
    editor.request_ok("copydesk/log/set", json!({ "level": "trace" }));
    let session = editor.new_session();
    editor.run_turn(&session, "Change it");
    let log = wait_for_log(environment, "server is ready");
    for line in ["server is starting", "program started group=", "server started group="] {
        let is_there = |seen: &str| seen.contains("server{name=\"toy\" root=") && seen.contains(line);
        assert!(log.lines().any(is_there), "no `{line}` in\n{log}");
    }
    let servers = editor.request_ok("copydesk/status", json!({}))["servers"].clone();
    kill(servers[0]["pid"].as_u64().unwrap(), "-KILL");
    wait_for_log(environment, "server crashed failures=1");
    wait_for_log(environment, "server is restarted after a pause");
    editor.request_ok("copydesk/servers/restart", json!({ "name": "toy" }));
    editor.request_ok("copydesk/stop", json!({ "when": "now" }));
    let log = wait_for_log(environment, "ending");
    assert!(!log.contains("marker"), "{log}");
}

#[test]
fn an_unknown_verdict_is_logged_with_its_reason_and_nothing_of_what_the_server_printed() {
    let program = Path::new(BINARY).parent().unwrap().join("examples/language_server");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, json!({ "complains": "marker-error", "exitsAtStart": 3 }).to_string()).unwrap();
    let lsp = json!({ "toy": { "command": [program, script], "extensions": [".toy"] } });
    let turns = [edit("c1", "a.toy", "one", "two"), text_turn("Done.")];
    let daemon = ScriptedDaemon::with_config(turns, json!({ "permission": "allow", "lsp": lsp }));
    let environment = &daemon.scripted.env;
    environment.write("a.toy", "one\n");
    let mut editor = daemon.client("nvim");
    editor.request_ok("copydesk/log/set", json!({ "level": "servers=debug" }));
    let session = editor.new_session();
    editor.run_turn(&session, "Change it");
    let log = wait_for_log(environment, "reported as unknown");
    let lines: Vec<_> = log.lines().filter(|line| line.contains("reported as unknown")).collect();
    for line in &lines {
        assert!(line.contains("server=\"toy\" file=") && line.contains("a.toy why=\""), "{line}");
    }
    assert!(!log.contains("marker"), "{log}");
}
