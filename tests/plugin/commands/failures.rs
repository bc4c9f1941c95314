//! Every error is one line with what to do: the binary missing, of another version, exited, hung; a killed daemon.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::NeovimUser;
use crate::cli::environment::TestEnvironment;
use crate::daemon::fake_daemon::FakeDaemon;
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

/// The daemon's process id.
pub(super) const PID: &str = "return T.await(function(done)
    require('copydesk.client').request('copydesk/status', {}, function(_, result) done(result.pid) end)
end)";

/// Creates a program in place of the binary; returns its path.
fn program_that(env: &TestEnvironment, does: &str) -> String {
    env.write("~/bin/copydesk", format!("#!/bin/sh\n{does}\n"));
    let path = env.path("~/bin/copydesk");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_program_that_is_missing_is_told_with_what_to_do() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let setup = json!({ "cmd": "copydesk-nowhere" });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        let missing = "cannot find the program `copydesk-nowhere`: build it in a clone of Copydesk with \
            `cargo install --path daemon/cli`, or set `cmd` in setup{} to its path";
        for (command, said) in [
            ("Copydesk! ask Hello", format!("the prompt was not sent: {missing}")),
            ("Copydesk new", format!("cannot create a session: {missing}")),
            ("Copydesk model", missing.to_owned()),
            ("Copydesk agent build", format!("the agent was not changed: {missing}")),
            ("Copydesk sessions", missing.to_owned()),
            ("Copydesk doctor", missing.to_owned()),
            ("Copydesk log", missing.to_owned()),
            ("Copydesk restart", missing.to_owned()),
        ] {
            user.run_command(command, json!([]));
            assert_eq!(user.next_notification(), said, "{command}");
            user.window.lua("T.said = {}");
        }
        user.run_command("Copydesk status", json!([]));
        user.window.wait_until("vim.bo.buftype == 'nofile'");
        assert!(user.window.lines("copydesk://status").contains("failed: cannot find the program"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_program_of_another_version_is_told() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let does = "[ \"$1\" = --version ] && { echo 'copydesk 0.0.9'; exit; }; exit 2";
        let setup = json!({ "cmd": program_that(&scripted.env, does) });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        user.run_command("Copydesk! ask Hello", json!([]));
        assert_eq!(
            user.next_notification(),
            "the prompt was not sent: the program is version 0.0.9, this plugin is 0.1.0: update the older one"
        );
        user.window.command("checkhealth copydesk");
        let text = user.window.lines("%");
        assert!(text.contains("is version 0.0.9, this plugin is 0.1.0"), "{text}");
    });
}

/// Another version may report other fields.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_another_version_tells_is_read_with_care() {
    for_each_neovim(|program| {
        for (status, doctor) in [
            (r#"{"running":true,"version":"0.0.9"}"#, r#"{"things":[]}"#),
            (
                r#"{"running":true,"pid":null,"protocol":"x"}"#,
                r#"{"findings":[{"about":"daemon"},{"what":1}]}"#,
            ),
            ("[]", "7"),
        ] {
            let scripted = allow_edits_environment([]);
            let does = format!(
                "case $1 in --version) echo 'copydesk 0.0.9';; status) echo '{status}';; doctor) echo '{doctor}';; esac"
            );
            let setup = json!({ "cmd": program_that(&scripted.env, &does) });
            let mut user = NeovimUser::start_with(program, &scripted.env, setup);
            user.window.command("checkhealth copydesk");
            let text = user.window.lines("%");
            assert!(!text.contains("Exception") && text.contains("What `copydesk doctor` finds"), "{text}");
            user.window.command("enew!");
            user.run_command("Copydesk log", json!([]));
            assert_eq!(user.next_notification(), "`copydesk doctor` does not name the daemon's log file");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_program_is_found_whatever_names_a_user_leaves_out() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let path = program_that(&scripted.env, "exit 0");
        let mut user = NeovimUser::start_with(program, &scripted.env, json!({ "cmd": path }));
        let find = "vim.o.wildignore = '*/bin/*' return (require('copydesk.binary').find())";
        assert_eq!(user.window.lua(find), json!(path));
        let empty =
            "require('copydesk').setup({ cmd = '' }) return select(2, require('copydesk.binary').find())";
        let problem = user.window.lua(empty);
        assert!(problem.as_str().unwrap().starts_with("cannot find the program ``"), "{problem}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_program_that_does_something_else_is_told() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let setup = json!({ "cmd": program_that(&scripted.env, "echo 'What?' >&2; exit 3") });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        user.run_command("Copydesk doctor", json!([]));
        assert_eq!(user.next_notification(), "`copydesk doctor` failed: What?");
        user.run_command("Copydesk log", json!([]));
        assert_eq!(user.next_notification(), "`copydesk doctor` failed: What?");
        user.run_command("Copydesk new", json!([]));
        let said = user.next_notification();
        assert!(said.contains("--version` printed no version (exit code 3)"), "{said}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_program_that_hangs_holds_nothing_up() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let setup = json!({ "cmd": program_that(&scripted.env, "exec cat > /dev/null") });
        let mut user = NeovimUser::start_with(program, &scripted.env, setup);
        user.run_command("Copydesk! ask Hello", json!([]));
        user.run_command("Copydesk sessions", json!([]));
        user.run_command("Copydesk status", json!([]));
        user.window.wait_until("vim.bo.buftype == 'nofile'");
        assert!(user.window.lines("copydesk://status").starts_with("Connection   connecting"));
        assert_eq!(user.window.lua("return require('copydesk').status().connection"), "starting");
        user.run_command("Copydesk stop", json!([]));
        assert_eq!(user.next_notification(), "no turn is running");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn commands_work_again_after_the_daemon_was_killed() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("One."), ScriptedTurn::new().text("Two.")]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("First");
        let pid = user.window.lua(PID).as_u64().unwrap();
        // Once when it was created, and again under the next daemon.
        user.window.nvim.wait_for_message("CopydeskSession", |told| told["what"] == "loaded");
        kill(pid, "-KILL");
        user.window.nvim.wait_for_message("CopydeskSession", |told| told["what"] == "loaded");
        user.run_turn("Second");
        assert!(scripted.request_body(1)["messages"].to_string().contains("First"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_daemon_that_speaks_another_protocol_is_told_and_not_asked_twice() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let by_hand = FakeDaemon::listen(&scripted.env);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk new", json!([]));
        let mut hand = by_hand.accept();
        let greeting = hand.expect_method("initialize");
        let message =
            "The Copydesk daemon speaks protocol 9, this editor's extension speaks 1. Update the plugin.";
        let data = json!({ "desk": 9, "client": 1, "update": "client", "retry": false });
        let error = json!({ "code": -31005, "message": message, "data": data });
        hand.send(&json!({ "jsonrpc": "2.0", "id": greeting["id"], "error": error }));
        assert_eq!(user.next_notification(), format!("cannot create a session: {message}"));
        user.run_command("Copydesk sessions", json!([]));
        assert_eq!(user.next_notification(), message);
        user.window.command("checkhealth copydesk");
        assert!(user.window.lines("%").contains("`:Copydesk restart` tries again"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn names_of_files_are_never_orders() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Done.")]);
        let names =
            ["a|b.txt", "%.txt", "#1.txt", "$HOME.txt", "`touch x`.txt", "-q.txt", "<cfile>.txt", "a'b.txt"];
        for name in names {
            scripted.env.write(name, format!("in {name}\n"));
        }
        let mut user = NeovimUser::start(program, &scripted.env);
        let mentions: Vec<_> = names.iter().map(|name| format!("@\"{name}\"")).collect();
        user.window.nvim.lua("require('copydesk').ask(...)", json!([mentions.join(" ")]));
        user.window.wait_for_turn_end();
        for name in names {
            let line = format!(r"[{name}]\nin {name}\n");
            assert!(scripted.last_message(0).contains(&line), "{name}: {}", scripted.last_message(0));
        }
        assert!(!scripted.env.exists("x"));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_daemon_that_hangs_is_told_by_status() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.connect();
        let pid = user.window.lua(PID).as_u64().unwrap();
        kill(pid, "-STOP");
        user.run_command("Copydesk sessions", json!([]));
        user.run_command("Copydesk status", json!([]));
        user.window.wait_until("vim.bo.buftype == 'nofile'");
        let text = user.window.lines("copydesk://status");
        kill(pid, "-CONT");
        assert!(
            text.contains("Daemon       does not answer; `copydesk stop` in a terminal ends it"),
            "{text}"
        );
        // The pending request is answered now.
        assert_eq!(user.next_notification(), "there are no sessions yet");
    });
}
