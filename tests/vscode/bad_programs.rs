//! The program is missing, or is none of ours: the user is told what to do, keeps the prompt, and goes on once it is mended.

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;
use crate::cli::environment::BINARY;
use crate::daemon::stdio_editor::SOCKET;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::allow_edits_environment;

const TOAST: &str = ".notification-toast";
const INPUT: &str = ".quick-input-widget .quick-input-box input";

/// Each program with what the user is told, and the button that helps.
const PROGRAMS: [(&str, &str, &str); 4] = [
    (
        concat!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo copydesk ",
            env!("CARGO_PKG_VERSION"),
            " || echo this is no message\n"
        ),
        "did not start",
        "Show Log",
    ),
    ("#!/bin/sh\n[ \"$1\" = --version ] && echo copydesk 9.9.9\nexit 3\n", "is version 9.9.9", "Restart"),
    ("#!/bin/sh\necho this is no message\n", "printed no version", "Restart"),
    ("no program", "cannot be run", "Restart"),
];

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn a_program_that_cannot_work_is_told_and_the_prompt_is_kept() {
    let mut user = VscodeUser::start(allow_edits_environment([]));
    a_missing_program_is_told_before_the_prompt_is_typed(&mut user);
    for (number, (program, told, button)) in PROGRAMS.into_iter().enumerate() {
        let file = format!("program-{number}");
        user.scripted.env.write(&file, program);
        let path = user.scripted.env.path(&file);
        std::process::Command::new("chmod").arg("+x").arg(&path).status().unwrap();
        user.window.set("copydesk.path", json!(path));
        user.command("ask", json!([{ "text": "Work" }]));
        expect_toast(&mut user, told, button);
    }
    assert!(!user.scripted.env.exists(SOCKET), "no daemon runs");
    the_prompt_is_sent_by_the_right_program(&mut user);
}

fn expect_toast(user: &mut VscodeUser, told: &str, button: &str) {
    user.window.wait_for(&mut user.server, TOAST, told);
    user.window.wait_for(&mut user.server, &format!("{TOAST} .monaco-button"), button);
    user.window.screenshot(&mut user.server, "bad-program");
    user.window.command("notifications.clearAll", json!([]));
    user.window.user(&mut user.server, "wait", json!({ "selector": TOAST, "state": "detached" }));
}

fn begin_ask(user: &mut VscodeUser) {
    user.window.js("void vscode.commands.executeCommand('copydesk.ask')", json!([]));
}

fn a_missing_program_is_told_before_the_prompt_is_typed(user: &mut VscodeUser) {
    let nowhere = user.scripted.env.path("nowhere");
    user.window.set("copydesk.path", json!(nowhere));
    begin_ask(user);
    expect_toast(user, "nowhere", "Set the path…");
    let open = user.window.user(&mut user.server, "count", json!({ "selector": format!("{INPUT}:visible") }));
    assert_eq!(open, 0);
}

fn the_prompt_is_sent_by_the_right_program(user: &mut VscodeUser) {
    user.window.set("copydesk.path", json!(BINARY));
    user.scripted.server.queue_turn(ScriptedTurn::new().gate("asked").text("Done."));
    begin_ask(user);
    user.window.wait_for(&mut user.server, INPUT, "");
    let typed = "document.querySelector('.quick-input-widget .quick-input-box input').value";
    let typed: Value = user.window.user(&mut user.server, "evaluate", json!({ "code": typed }));
    assert_eq!(typed, "Work");
    user.begin_prompt();
    user.window.press(&mut user.server, "Enter");
    user.wait_for_gate("asked");
    user.attach_witness();
    user.open_gate("asked");
    user.finish_prompt();
    assert!(user.scripted.last_message(0).contains("Work"));
}
