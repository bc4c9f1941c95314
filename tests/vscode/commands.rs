//! The commands besides asking and deciding, as a user finds them: in menus, picks and documents.

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;
use crate::cli::environment::{BINARY, USER_CONFIG};
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::allow_edits_environment;

const PICK: &str = ".quick-input-widget .monaco-list-row";
const TITLE: &str = ".quick-input-widget .quick-input-title";
const TOAST: &str = ".notification-toast";
const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\nTWO\nthree\n";

/// With a second model to choose.
fn start() -> VscodeUser {
    let scripted = allow_edits_environment([]);
    let mut config: Value = serde_json::from_str(&scripted.env.read(USER_CONFIG)).unwrap();
    config["provider"]["script"]["models"]["m-2"] = json!({});
    scripted.env.write(USER_CONFIG, config.to_string());
    scripted.env.write("a.txt", OLD);
    scripted.env.write("b.txt", OLD);
    scripted.env.write("c.txt", "the text of c\n");
    VscodeUser::start(scripted)
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn every_command_does_what_its_title_says() {
    let mut user = start();
    every_command_of_the_manifest_is_there(&mut user);
    undo_and_redo_take_the_agents_edits_back_and_forth(&mut user);
    changes_shows_a_diff_of_each_file(&mut user);
    fix_sends_the_problems(&mut user);
    explain_sends_the_selection(&mut user);
    added_files_and_selections_go_with_the_next_prompt(&mut user);
    the_model_and_the_agent_are_chosen(&mut user);
    status_and_log_are_shown(&mut user);
    doctor_checks_the_setup(&mut user);
    a_restarted_connection_knows_unsaved_text(&mut user);
}

/// Runs a command that waits for the user.
fn begin(user: &mut VscodeUser, command: &str) {
    user.window.js("void vscode.commands.executeCommand(args[0])", json!([format!("copydesk.{command}")]));
}

/// Waits for a notification, and takes all of them away: only three are shown at a time.
fn expect_toast(user: &mut VscodeUser, text: &str) {
    user.window.wait_for(&mut user.server, TOAST, text);
    user.window.command("notifications.clearAll", json!([]));
    user.window.user(&mut user.server, "wait", json!({ "selector": TOAST, "state": "detached" }));
}

/// What the model was sent last.
fn last_prompt(user: &VscodeUser) -> String {
    let number = user.scripted.server.requests().len() - 1;
    user.scripted.last_message(number)
}

fn select(user: &mut VscodeUser, file: &str, lines: [u32; 2]) {
    let select = "const editor = await T.open(args[0]);
        editor.selection = new vscode.Selection(args[1], 0, args[2], 0)";
    user.window.js(select, json!([file, lines[0], lines[1]]));
}

fn every_command_of_the_manifest_is_there(user: &mut VscodeUser) {
    let missing = user.window.js(
        "const { contributes } = vscode.extensions.getExtension('copydesk.copydesk').packageJSON;
         await vscode.extensions.getExtension('copydesk.copydesk').activate();
         const known = new Set(await vscode.commands.getCommands(true));
         return contributes.commands.map((one) => one.command).filter((name) => !known.has(name))",
        json!([]),
    );
    assert_eq!(missing, json!([]));
}

/// One turn in an open document and in a closed file.
fn undo_and_redo_take_the_agents_edits_back_and_forth(user: &mut VscodeUser) {
    user.window.open("a.txt");
    let edit = |file: &str| json!({ "filePath": file, "oldString": "two", "newString": "TWO" });
    let both = ScriptedTurn::new().call("a", "edit", edit("a.txt")).call("b", "edit", edit("b.txt"));
    user.scripted.server.queue_turn(both);
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    user.run_turn("Work");
    // What the user typed stays.
    user.window.js("await T.insert(T.document('a.txt'), (text) => text.length, 'typed\\n')", json!([]));
    for (command, said, text) in [("undo", "Undone: ", OLD), ("redo", "Redone: ", NEW)] {
        user.command(command, json!([]));
        user.window.wait_for_text("a.txt", &format!("{text}typed\n"));
        assert_eq!(user.scripted.env.read("b.txt"), text, "{command}");
        expect_toast(user, said);
    }
    user.command("redo", json!([]));
    expect_toast(user, "There is nothing to redo.");
}

fn changes_shows_a_diff_of_each_file(user: &mut VscodeUser) {
    begin(user, "changes");
    user.window.wait_for(&mut user.server, TITLE, "Changed by the agent in this session");
    user.window.screenshot(&mut user.server, "changes");
    user.window.click(&mut user.server, PICK, "b.txt");
    let seen = "(({ document }) => document.uri.scheme === 'copydesk-text' && document.getText())(vscode.window.activeTextEditor)";
    let diff = user.window.wait_until(seen, json!([])).as_str().unwrap().to_owned();
    assert!(diff.contains("\n-two\n+TWO\n"), "{diff}");
}

/// As a quick fix on a problem, and as a command for the problems of the line or, if it has none, of the file.
fn fix_sends_the_problems(user: &mut VscodeUser) {
    let show =
        "const problem = (line, text) => new vscode.Diagnostic(new vscode.Range(line, 0, line, 3), text);
        T.state.problems = vscode.languages.createDiagnosticCollection('speller');
        const [here, there] = [problem(0, 'Not a\\nword'), problem(2, 'Not a number')];
        here.source = 'speller';
        T.state.problems.set(T.uri('a.txt'), [here, there])";
    user.window.js(show, json!([]));
    select(user, "a.txt", [0, 0]);
    user.focus_page();
    user.window.press(&mut user.server, "Control+.");
    user.window.wait_for(&mut user.server, ".action-widget", "Fix with Copydesk");
    user.window.screenshot(&mut user.server, "quick-fix");
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Fixed."));
    user.begin_prompt();
    user.window.click(&mut user.server, ".action-widget .monaco-list-row", "Fix with Copydesk");
    user.finish_prompt();
    let sent = last_prompt(user);
    assert!(sent.contains("Fix these problems:\\n- a.txt:1:1 error: Not a word (speller)"), "{sent}");
    assert!(!sent.contains("Not a number"), "{sent}");

    for (line, numbers) in [(2, 1), (1, 2)] {
        select(user, "a.txt", [line, line]);
        user.scripted.server.queue_turn(ScriptedTurn::new().text("Fixed."));
        user.prompt_by("fix", json!([]));
        let sent = last_prompt(user);
        assert!(sent.contains("- a.txt:3:1 error: Not a number"), "{sent}");
        assert_eq!(sent.matches("- a.txt:").count(), numbers, "{sent}");
    }
    user.window.js("T.state.problems.dispose()", json!([]));
    user.command("fix", json!([]));
    expect_toast(user, "VS Code reports no problems in this file.");
}

fn explain_sends_the_selection(user: &mut VscodeUser) {
    select(user, "a.txt", [1, 3]);
    user.scripted.server.queue_turn(ScriptedTurn::new().text("It counts."));
    user.prompt_by("explain", json!([]));
    let sent = last_prompt(user);
    assert!(sent.contains("Explain a.txt:2-3. Change nothing."), "{sent}");
    assert!(sent.contains("TWO\\nthree"), "{sent}");
}

/// A file from the explorer's menu, and a selection: both go with one prompt, and with no second one.
fn added_files_and_selections_go_with_the_next_prompt(user: &mut VscodeUser) {
    user.window.command("workbench.view.explorer", json!([]));
    let row =
        json!({ "selector": ".explorer-folders-view .monaco-list-row", "text": "c.txt", "button": "right" });
    user.window.user(&mut user.server, "click", row);
    user.window.click(&mut user.server, ".monaco-menu .action-item", "Add the File to the Next Prompt");
    expect_toast(user, "With your next prompt: c.txt");
    select(user, "a.txt", [1, 2]);
    user.command("addSelection", json!([]));
    expect_toast(user, "With your next prompt: c.txt, a.txt:2");
    select(user, "a.txt", [0, 0]);
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see."));
    user.run_turn("Look at this");
    let sent = last_prompt(user);
    assert!(sent.contains("the text of c") && sent.contains("TWO"), "{sent}");
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I see."));
    user.run_turn("And now");
    let sent = last_prompt(user);
    assert!(!sent.contains("the text of c") && !sent.contains("TWO"), "{sent}");
    user.command("addSelection", json!([]));
    expect_toast(user, "Select the lines");
}

fn the_model_and_the_agent_are_chosen(user: &mut VscodeUser) {
    begin(user, "model");
    user.window.wait_for(&mut user.server, TITLE, "Model of this session");
    user.window.screenshot(&mut user.server, "models");
    user.window.click(&mut user.server, PICK, "m-2");
    user.poll("copydesk/session/list", &json!({}), |listed| listed["sessions"][0]["model"] == "script/m-2");
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I am the second."));
    user.run_turn("Who are you?");
    assert_eq!(user.scripted.server.requests().pop().unwrap().body["model"], "m-2");
    begin(user, "agent");
    user.window.wait_for(&mut user.server, TITLE, "Agent of this session");
    user.window.click(&mut user.server, PICK, "plan");
    user.poll("copydesk/session/list", &json!({}), |listed| listed["sessions"][0]["agent"] == "plan");
    begin(user, "agent");
    user.window.wait_for(&mut user.server, PICK, "current");
    user.window.click(&mut user.server, PICK, "build");
    user.poll("copydesk/session/list", &json!({}), |listed| listed["sessions"][0]["agent"] == "build");
}

/// The panel shows the output channel of this name.
fn wait_for_channel(user: &mut VscodeUser, name: &str) {
    let shown = "vscode.window.visibleTextEditors.some(({ document: { uri } }) => uri.scheme === 'output' && uri.path.includes(args[0]))";
    user.window.wait_until(shown, json!([name]));
}

fn status_and_log_are_shown(user: &mut VscodeUser) {
    user.window.command("workbench.action.closePanel", json!([]));
    begin(user, "status");
    let pid = user.witness().request_ok("copydesk/status", json!({}))["pid"].as_u64().unwrap();
    user.window.wait_for(&mut user.server, PICK, &format!("process {pid}"));
    user.window.wait_for(&mut user.server, PICK, "idle, build, script/m-2");
    user.window.screenshot(&mut user.server, "status");
    user.window.click(&mut user.server, PICK, "Show the log");
    wait_for_channel(user, "Copydesk Log");
    user.window.command("workbench.action.closePanel", json!([]));
    user.command("showLog", json!([]));
    wait_for_channel(user, "Copydesk Log");
}

fn doctor_checks_the_setup(user: &mut VscodeUser) {
    user.command("doctor", json!([]));
    let seen = "(({ document }) => document.uri.path === '/copydesk doctor' && document.getText())(vscode.window.activeTextEditor)";
    let text = user.window.wait_until(seen, json!([])).as_str().unwrap().to_owned();
    assert!(text.starts_with("VS Code extension "), "{text}");
    assert!(text.contains(&format!("connection: ready, program: {BINARY}\n\n")), "{text}");
    assert!(text.contains("script"), "{text}");
}

/// The daemon and its sessions go on; the new connection sends what is not saved.
fn a_restarted_connection_knows_unsaved_text(user: &mut VscodeUser) {
    let pid = user.witness().request_ok("copydesk/status", json!({}))["pid"].clone();
    let before = user.session.clone();
    user.command("restart", json!([]));
    expect_toast(user, "Copydesk is connected again.");
    assert_eq!(user.witness().request_ok("copydesk/status", json!({}))["pid"], pid);
    let (told, failed) = user.edit("a.txt", "typed", "typed and edited");
    assert!(!failed, "{told}");
    user.window.wait_for_text("a.txt", &format!("{NEW}typed and edited\n"));
    assert_eq!(user.newest_session(), before);
}
