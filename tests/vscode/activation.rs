//! What the extension does before it is used: nothing. And what it does where it must not: nothing.

use serde_json::json;

use super::vscode_server::{VscodeServer, VscodeSetup};
use super::vscode_user::VscodeUser;
use crate::cli::environment::{BINARY, TestEnvironment};
use crate::daemon::stdio_editor::SOCKET;
use crate::neovim::neovim_session::allow_edits_environment;

const EXTENSION: &str = "copydesk.copydesk";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn nothing_runs_before_the_first_use() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    // The driver runs before VS Code activates the extensions that wait for the end of its start.
    let took = user.window.js(
        "const extension = vscode.extensions.getExtension(args[0]);
         const isActive = extension.isActive;
         const [begun, used] = [performance.now(), process.cpuUsage()];
         await extension.activate();
         const { user, system } = process.cpuUsage(used);
         return isActive ? 'was over before' : `took ${performance.now() - begun} ms, ${(user + system) / 1000} of them at work`",
        json!([EXTENSION]),
    );
    println!("activation {took}");
    user.scripted.env.write("a.txt", "one\n");
    user.window.open("a.txt");
    // Everything that a user may do without asking.
    user.window.js(
        "await T.insert(T.document('a.txt'), () => 0, 'typed\\n');
         await T.document('a.txt').save();
         await vscode.commands.executeCommand('vscode.executeCodeLensProvider', T.uri('a.txt'));
         await T.closeAll()",
        json!([]),
    );
    let children = user.window.js(
        "const { execFileSync } = require('child_process');
         return execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\\n')
             .filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes(args[0]))",
        json!([BINARY]),
    );
    assert_eq!(children, json!([]));
    assert!(!user.scripted.env.exists(SOCKET), "a daemon has started");
}

/// VS Code has asked the user, so the daemon does not ask again.
#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_daemon_learns_that_the_folder_is_trusted() {
    let scripted = allow_edits_environment([]);
    scripted.env.forget_trust();
    let mut user = VscodeUser::start(scripted);
    user.scripted.env.write("a.txt", "one\n");
    user.window.open("a.txt");
    let (told, failed) = user.edit("a.txt", "one", "two");
    assert!(!failed, "{told}");
    assert_eq!(user.scripted.env.run(&["trust", "--list"]).stdout, "trusted      PROJECT\n");
    let session = user.session.clone();
    assert_eq!(user.witness().load(&session)["trust"]["trust"], "trusted");
}

/// In a folder that is not trusted no program starts, whatever the folder's settings say.
#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn nothing_runs_in_a_folder_that_is_not_trusted() {
    let env = TestEnvironment::new();
    let (program, trace) = (env.path("evil"), env.path("ran"));
    env.write("evil", format!("#!/bin/sh\ntouch {}\n", trace.display()));
    std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    env.write(".vscode/settings.json", json!({ "copydesk.path": program }).to_string());
    let settings = json!({ "security.workspace.trust.startupPrompt": "never" });
    let mut server =
        VscodeServer::start(&env, &VscodeSetup { settings, asks_for_trust: true, ..VscodeSetup::default() });
    let mut window = server.open_window("main");
    assert_eq!(window.js("return vscode.workspace.isTrusted", json!([])), false);
    window.js(
        "void vscode.commands.executeCommand('copydesk.ask', { text: 'Work' }).then(undefined, () => {})",
        json!([]),
    );
    window.user(
        &mut server,
        "wait",
        json!({ "selector": ".notification-toast, .monaco-dialog-box, .quick-input-widget" }),
    );
    window.screenshot(&mut server, "untrusted");
    assert!(!env.exists(SOCKET) && !trace.exists(), "a program ran in a folder that is not trusted");
}
