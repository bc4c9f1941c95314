//! A case in a real VS Code with our extension, as a user has it: TypeScript is the one that is built in, other servers run by
//! vscode-languageclient. The files that the model reads first are open in it, and nothing is saved.

use std::time::Instant;

use serde_json::{Value, json};

use super::neovim::removed_files;
use super::{PATIENCE, PlayedCase, calls, on_disk, turns, wait, warm_turns};
use crate::sessions::harness::ScriptedEnvironment;
use crate::truth::case::{ProjectTexts, TruthCall, TruthCase, TruthProject};
use crate::truth::reported_problems::ReportedProblems;
use crate::truth::servers::InstalledServers;
use crate::vscode::vscode_server::VscodeSetup;
use crate::vscode::vscode_user::VscodeUser;

/// The texts of the files in tabs, by path. A deleted file does not count.
const SHOWN: &str = "const fs = require('fs'), shown = {};
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => tab.input.uri.toString());
    for (const document of vscode.workspace.textDocuments) {
        if (tabs.includes(document.uri.toString()) && fs.existsSync(document.uri.fsPath)) {
            shown[vscode.workspace.asRelativePath(document.uri)] = document.getText();
        }
    }
    return shown";

/// Replaces the text of a file, as typed and not saved.
const TYPE: &str = "const { document } = await T.open(args[0]);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), args[1]);
    await vscode.workspace.applyEdit(edit)";

/// Returns the environment, too: the window must end before it does.
pub(super) fn in_vscode(
    scripted: ScriptedEnvironment,
    (servers, server): (&InstalledServers, &str),
    (project, case): (&TruthProject, &TruthCase),
) -> (PlayedCase, ScriptedEnvironment) {
    let setup = VscodeSetup { settings: settings(servers, server), ..VscodeSetup::default() };
    let mut user = VscodeUser::start_with(scripted, &setup);
    let first_read = case.steps[0].iter().filter_map(|call| match call {
        TruthCall::Read { read } => Some(read.clone()),
        _ => None,
    });
    // A file that is open in an editor is not deleted there.
    let gone = removed_files(case);
    let mut open: Vec<String> = first_read.filter(|path| !gone.contains(path)).collect();
    if !open.contains(&project.warm.path) {
        open.insert(0, project.warm.path.clone());
    }
    for path in &open {
        user.window.open(path);
    }
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        warm_turns(&user.scripted, project, case)
            .into_iter()
            .for_each(|turn| user.scripted.server.queue_turn(turn));
        user.run_turn("Warm up");
        let warm: Vec<_> = completed_calls(&mut user).remove("w2").into_iter().collect();
        let told = ReportedProblems::collect(&warm, "");
        assert!(told.failed.is_empty(), "{:?}", told.failed);
        if told.is_known() {
            break;
        }
    }
    for (path, text) in case.buffers() {
        user.window.js(TYPE, json!([path, text]));
    }
    let first = user.scripted.server.requests().len();
    for (number, turn) in turns(case).enumerate() {
        user.scripted.server.queue_turn(turn.gate_before_response(format!("step {number}")));
    }
    user.ask("Work");
    let mut states = Vec::new();
    for number in 0..=case.steps.len() {
        let gate = format!("step {number}");
        wait(user.scripted.server.wait_for_gate(&gate));
        states.push(visible_texts(&mut user));
        user.scripted.server.open_gate(&gate);
    }
    user.wait_for_turn_end();
    let calls = completed_calls(&mut user);
    (PlayedCase { states, calls, first }, user.scripted)
}

/// What the user's VS Code runs beside what is built in.
fn settings(servers: &InstalledServers, server: &str) -> Value {
    let languages: &[&str] = match server {
        "rust-analyzer" => &["rust"],
        "pyright" | "ruff" => &["python"],
        "clangd" => &["c", "cpp"],
        "gopls" => &["go"],
        _ => return json!({}),
    };
    let command = servers.command(server);
    // One program serves all languages of a server.
    json!({ "copydeskTests.servers": { (languages.join(",")): command } })
}

/// The calls, as the daemon tells them to a second client.
fn completed_calls(user: &mut VscodeUser) -> std::collections::BTreeMap<String, Value> {
    let session = user.session.clone();
    let loaded = user.witness().request_ok("copydesk/session/load", json!({ "session": session }));
    let parts = loaded["parts"].as_array().unwrap();
    let parts: Vec<Value> = parts.iter().map(|part| json!({ "part": part })).collect();
    calls(parts.iter())
}

/// The texts of the project, from the tabs if they are there.
fn visible_texts(user: &mut VscodeUser) -> ProjectTexts {
    let mut state = on_disk(&user.scripted.env);
    let shown = user.window.js(SHOWN, json!([]));
    for (path, text) in shown.as_object().into_iter().flatten() {
        state.insert(path.clone(), text.as_str().unwrap().to_owned());
    }
    state
}
