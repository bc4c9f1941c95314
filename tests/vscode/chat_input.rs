//! What goes into the chat's input besides text: mentions of what VS Code shows, prompts into a running turn and after it; and what the page
//! refuses.

use serde_json::{Value, json};

use super::vscode_server::VscodeSetup;
use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::environment_with_rules;

const TOAST: &str = ".notification-toast";

fn start() -> VscodeUser {
    let scripted = environment_with_rules([], json!({ "edit": "allow" }));
    scripted.env.write("a.txt", "one\ntwo\nthree\nfour\n");
    let made = scripted.env.shell(
        "git init -q && git add . && git -c user.name=T -c user.email=t@example.invalid commit -qm first && echo five >> a.txt",
    );
    assert_eq!(made.code, Some(0), "{made:?}");
    let settings = json!({
        "git.enabled": true, "git.autofetch": false, "git.openRepositoryInParentFolders": "never",
        // A terminal's text is then on the page.
        "terminal.integrated.gpuAcceleration": "off",
    });
    let mut user = VscodeUser::start_with(scripted, &VscodeSetup { settings, ..VscodeSetup::default() });
    user.window.open("a.txt");
    user.open_chat();
    user
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn the_input_takes_along_what_is_mentioned() {
    let mut user = start();
    an_empty_source_is_told(&mut user);
    problems_are_mentioned(&mut user);
    a_terminal_selection_is_mentioned(&mut user);
    a_git_diff_is_mentioned(&mut user);
    a_symbol_is_mentioned(&mut user);
    a_running_turn_is_told_and_followed(&mut user);
    a_todo_list_shows(&mut user);
    messages_that_do_not_fit_change_nothing(&mut user);
}

impl VscodeUser {
    /// Writes a prompt that ends with a mention, takes the first completion, and sends it. Then the chip tells what went along. Returns what
    /// the model was asked.
    fn mention(&mut self, begin: &str, mention: &str, choice: &str, chip: &str) -> String {
        self.scripted.server.queue_turn(ScriptedTurn::new().text("Seen."));
        self.begin_prompt();
        self.type_in_chat(&format!("{begin} {mention}"));
        self.wait_in_chat("[role=option][aria-selected=true]", choice);
        self.window.press(&mut self.server, "Enter");
        self.in_chat(
            "waitForValue",
            json!({ "selector": "textarea", "text": format!("{begin} @{choice} ") }),
        );
        self.window.press(&mut self.server, "Enter");
        self.wait_in_chat(".prompt .chip", chip);
        if self.session.is_empty() {
            self.attach_witness();
        }
        self.finish_prompt();
        let sent = self.scripted.server.requests().pop().unwrap();
        sent.body["messages"].as_array().unwrap().last().unwrap().to_string()
    }
}

/// The user would think that it went along, so nothing is sent.
fn an_empty_source_is_told(user: &mut VscodeUser) {
    user.type_in_chat("See @terminal ");
    user.window.press(&mut user.server, "Enter");
    user.window.wait_for(&mut user.server, TOAST, "nothing is selected in the terminal");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "See @terminal " }));
    assert_eq!(user.scripted.server.requests().len(), 0);
    user.window.command("notifications.clearAll", json!([]));
    user.click_in_chat("textarea", "");
    user.window.press(&mut user.server, "Control+a");
    user.window.press(&mut user.server, "Delete");
}

fn problems_are_mentioned(user: &mut VscodeUser) {
    let report = "T.state.problems = vscode.languages.createDiagnosticCollection('checker');
        T.state.problems.set(T.uri('a.txt'), [new vscode.Diagnostic(new vscode.Range(1, 0, 1, 3), 'wrong number', 0)])";
    user.window.js(report, json!([]));
    let asked = user.mention("Fix", "@prob", "problems", "@problems");
    assert!(asked.contains("a.txt:2:1 error: wrong number"), "{asked}");
}

fn a_terminal_selection_is_mentioned(user: &mut VscodeUser) {
    let open = "const wrote = new vscode.EventEmitter();
        await vscode.env.clipboard.writeText('kept');
        T.state.terminal = vscode.window.createTerminal({ name: 'shell', pty: {
            onDidWrite: wrote.event, open: () => wrote.fire('12 tests failed\\r\\n'), close: () => undefined,
        } });
        T.state.terminal.show()";
    user.window.js(open, json!([]));
    user.window.wait_for(&mut user.server, ".xterm-rows", "12 tests failed");
    user.window.command("workbench.action.terminal.selectAll", json!([]));
    user.open_chat();
    let asked = user.mention("Explain", "@term", "terminal", "@terminal");
    assert!(asked.contains("12 tests failed"), "{asked}");
    assert_eq!(user.window.js("return vscode.env.clipboard.readText()", json!([])), "kept");
    user.window.js("T.state.terminal.dispose()", json!([]));
    user.open_chat();
}

fn a_git_diff_is_mentioned(user: &mut VscodeUser) {
    let is_open = "vscode.extensions.getExtension('vscode.git').exports?.getAPI(1).repositories.length === 1";
    user.window.wait_until(is_open, json!([]));
    let asked = user.mention("Describe", "@di", "diff", "@diff");
    assert!(asked.contains("+five"), "{asked}");
}

fn a_symbol_is_mentioned(user: &mut VscodeUser) {
    let provide = "const range = (from, to) => new vscode.Range(from, 0, to, 0);
        const part = (name, from, to) => new vscode.DocumentSymbol(name, '', vscode.SymbolKind.Function, range(from, to), range(from, from));
        const whole = part('numbers', 0, 4);
        whole.children.push(part('middle()', 1, 2));
        vscode.languages.registerDocumentSymbolProvider('plaintext', { provideDocumentSymbols: () => [whole] })";
    user.window.js(provide, json!([]));
    let asked = user.mention("Rename", "@a.txt#mid", "a.txt#middle", "a.txt, lines 2 to 3");
    assert!(asked.contains("two") && asked.contains("three") && !asked.contains("four"), "{asked}");
}

fn a_running_turn_is_told_and_followed(user: &mut VscodeUser) {
    let first = ScriptedTurn::new().text("I read.\n\n").gate("reading").call(
        "reads",
        "read",
        json!({ "filePath": "a.txt" }),
    );
    user.scripted.server.queue_turn(first);
    user.scripted.server.queue_turn(ScriptedTurn::new().text("I know both."));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("That came after."));
    user.prompt_in_chat("Read it");
    user.wait_for_gate("reading");
    user.type_in_chat("And tell me more");
    user.window.press(&mut user.server, "Enter");
    user.wait_in_chat(".prompt.queued", "You, at the next step");
    user.begin_prompt();
    user.type_in_chat("Afterwards this");
    user.window.press(&mut user.server, "Control+Enter");
    user.wait_in_chat(".prompt.queued", "You, after this turn");
    user.window.screenshot(&mut user.server, "chat-queued");
    user.open_gate("reading");
    user.finish_prompt();
    user.wait_in_chat(".answer", "I know both.");
    user.wait_in_chat(".answer", "That came after.");
    user.wait_until_gone_in_chat(".prompt.queued");
}

fn a_todo_list_shows(user: &mut VscodeUser) {
    let todo = |content: &str, status: &str| json!({ "content": content, "status": status, "priority": "high", "id": content });
    let todos = json!({ "todos": [todo("Look", "completed"), todo("Change", "in_progress"), todo("Test", "pending")] });
    user.queue_call("plans", "todowrite", todos);
    user.prompt_in_chat("Plan it");
    user.finish_prompt();
    user.wait_in_chat(".todos .in_progress", "Change");
    user.wait_in_chat(".facts", "1 of 3");
    user.has_no_barriers("with a to-do list");
}

/// What another script would post into the page.
fn messages_that_do_not_fit_change_nothing(user: &mut VscodeUser) {
    let rows = "Number(document.querySelector('article').ariaSetSize)";
    let before = user.evaluate_in_chat(rows);
    let post = |message: Value| format!("window.postMessage({message}, '*')");
    for message in [
        json!({ "kind": "snapshot", "rows": [] }),
        json!({ "kind": "changes", "seq": 1_000_000, "changes": [{ "kind": "splice", "at": 0, "remove": 1_000, "rows": [] }] }),
        json!({ "kind": "changes", "seq": "next", "changes": "<img src=x>" }),
        json!({ "kind": "run", "code": "window.hacked = 1" }),
        json!(["draft"]),
    ] {
        user.evaluate_in_chat(&post(message));
    }
    // The page asks for everything again, and goes on.
    user.scripted.server.queue_turn(ScriptedTurn::new().text("Still here."));
    user.prompt_in_chat("Go on");
    user.finish_prompt();
    user.wait_in_chat(".answer", "Still here.");
    let after = user.evaluate_in_chat(&format!("[{rows} > {before}, window.hacked ?? 0]"));
    assert_eq!(after, json!([true, 0]));
}
