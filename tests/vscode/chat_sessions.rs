//! Sessions from the chat: found, renamed, exported, deleted; switching loses nothing, and neither does a session or a daemon that is gone.

use serde_json::json;

use super::vscode_server::wait_for_file_with;
use super::vscode_user::VscodeUser;
use crate::daemon::stdio_editor::kill;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::neovim::neovim_session::environment_with_rules;

const ROW: &str = ".quick-input-widget .monaco-list-row";
const TOAST: &str = ".notification-toast";

pub(super) fn start() -> VscodeUser {
    let scripted = environment_with_rules([], json!({ "edit": "allow", "bash": "ask" }));
    scripted.env.write("a.txt", "one\n");
    let mut user = VscodeUser::start(scripted);
    user.window.open("a.txt");
    user.open_chat();
    user
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn sessions_are_managed_from_the_chat() {
    let mut user = start();
    let first = user.two_sessions();
    a_search_finds_a_conversation(&mut user);
    a_session_is_renamed(&mut user, &first);
    one_that_waits_is_marked_everywhere(&mut user, &first);
    a_session_is_exported(&mut user);
    a_session_is_deleted(&mut user);
}

impl VscodeUser {
    /// One session with an answer and a draft, then another one; returns the id of the first.
    pub(super) fn two_sessions(&mut self) -> String {
        self.scripted.server.queue_turn(ScriptedTurn::new().text("The answer is forty-two."));
        self.prompt_in_chat("First question");
        self.finish_prompt();
        let first = self.session.clone();
        self.name_session(&first, "Numbers");
        self.type_in_chat("draft of the first");
        self.command("chat.new", json!([]));
        self.in_chat("waitForValue", json!({ "selector": "textarea", "text": "" }));
        self.scripted.server.queue_turn(ScriptedTurn::new().text("Nothing special."));
        self.type_in_chat("Second question");
        self.window.press(&mut self.server, "Enter");
        self.wait_in_chat(".answer", "Nothing special.");
        let second = self.newest_session();
        self.name_session(&second, "Trifles");
        first
    }

    fn name_session(&mut self, session: &str, title: &str) {
        self.witness().request_ok("copydesk/session/rename", json!({ "session": session, "title": title }));
    }

    /// Opens the list, which waits for the user.
    pub(super) fn open_sessions(&mut self) {
        self.open_sessions_of("main.chat");
    }

    /// The same, by the button of one page.
    pub(super) fn open_sessions_of(&mut self, page: &str) {
        let order = json!({ "selector": "button[aria-label='Sessions…']", "within": page });
        self.window.user(&mut self.server, "click", order);
        self.window.wait_for(&mut self.server, ROW, "New session");
    }

    /// Chooses a row of the list.
    pub(super) fn choose_row(&mut self, row: &str) {
        self.window.user(&mut self.server, "click", json!({ "selector": ROW, "text": row }));
    }

    pub(super) fn press_row_button(&mut self, row: &str, button: &str) {
        let button = format!(".action-label[aria-label='{button}']");
        self.window.user(
            &mut self.server,
            "clickOnRow",
            json!({ "selector": ROW, "text": row, "button": button }),
        );
    }
}

fn a_search_finds_a_conversation(user: &mut VscodeUser) {
    user.open_sessions();
    user.window.wait_for(&mut user.server, ROW, "Trifles");
    user.type_in_chat("forty");
    user.window.wait_for(&mut user.server, ROW, "The answer is [forty]-two.");
    user.window.screenshot(&mut user.server, "chat-sessions");
    user.window.press(&mut user.server, "Enter");
    user.wait_in_chat(".answer", "forty-two");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "draft of the first" }));
}

fn a_session_is_renamed(user: &mut VscodeUser, first: &str) {
    user.open_sessions();
    // The witness shows it, too.
    user.window.wait_for(&mut user.server, &format!("{ROW}:has-text('Numbers')"), "open in witness");
    user.press_row_button("Numbers", "Rename");
    user.window.wait_for(&mut user.server, ".quick-input-widget", "The session's title");
    user.window.press(&mut user.server, "Control+a");
    user.type_in_chat("Arithmetic");
    user.window.press(&mut user.server, "Enter");
    // The list is there again.
    user.window.wait_for(&mut user.server, ROW, "Arithmetic");
    user.window.press(&mut user.server, "Escape");
    user.wait_in_chat(".session-title", "Arithmetic");
    assert_eq!(user.witness().load(first)["session"]["title"], "Arithmetic");
}

fn one_that_waits_is_marked_everywhere(user: &mut VscodeUser, first: &str) {
    user.queue_call("runs", "bash", json!({ "command": "echo 1", "description": "Prints" }));
    user.witness().request_ok("copydesk/turn/start", json!({ "session": first, "text": "Run it" }));
    user.wait_in_chat(".ask .subject", "echo 1");
    user.open_sessions();
    user.window.wait_for(&mut user.server, &format!("{ROW}:has-text('Arithmetic')"), "waits for you");
    user.type_in_chat("Trifles");
    user.window.press(&mut user.server, "Enter");
    user.wait_in_chat(".answer", "Nothing special.");
    // From another session, one click leads there.
    user.wait_in_chat(".facts", "Arithmetic: waits for you");
    user.has_no_barriers("while another session waits");
    user.window.screenshot(&mut user.server, "chat-other-waits");
    user.click_in_chat(".facts button", "Arithmetic");
    user.wait_in_chat(".ask .subject", "echo 1");
    user.click_in_chat("textarea", "");
    user.window.press(&mut user.server, "Alt+Digit1");
    user.wait_until_gone_in_chat(".ask");
    user.wait_in_chat(".answer", "Done.");
}

fn a_session_is_exported(user: &mut VscodeUser) {
    user.open_sessions();
    user.press_row_button("Trifles", "Export as Markdown");
    let shown = "vscode.window.activeTextEditor?.document.getText().includes('Nothing special.')";
    user.window.wait_until(shown, json!([]));
    user.window.command("workbench.action.revertAndCloseActiveEditor", json!([]));
}

fn a_session_is_deleted(user: &mut VscodeUser) {
    user.open_sessions();
    user.press_row_button("Trifles", "Delete");
    user.window.click(&mut user.server, ".monaco-dialog-box .monaco-button", "Delete");
    user.window.wait_for(&mut user.server, ROW, "Arithmetic");
    user.window.user(
        &mut user.server,
        "wait",
        json!({ "selector": ROW, "text": "Trifles", "state": "detached" }),
    );
    user.window.press(&mut user.server, "Escape");
    user.wait_in_chat(".answer", "forty-two");
}

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn faults_are_told_and_lose_nothing() {
    let mut user = start();
    a_daemon_that_is_killed_interrupts_the_answer(&mut user);
    a_huge_paste_is_refused(&mut user);
    a_session_that_is_deleted_elsewhere_leaves_the_draft(&mut user);
}

fn a_daemon_that_is_killed_interrupts_the_answer(user: &mut VscodeUser) {
    user.scripted
        .server
        .queue_turn(ScriptedTurn::new().text("The first half.\n\n").gate("half").text("Never said."));
    user.prompt_in_chat("Speak");
    user.wait_for_gate("half");
    user.wait_in_chat(".answer", "The first half.");
    // It is written down within a second.
    wait_for_file_with(&user.scripted.env.path("~/.local/share/copydesk"), "The first half.");
    let pid = user.witness().request_ok("copydesk/status", json!({}))["pid"].as_u64().unwrap();
    kill(pid, "-KILL");
    user.witness().read_to_the_end();
    block_on(user.scripted.server.wait_for_hangup("half"));
    user.wait_for_new_daemon(pid);
    user.wait_in_chat(".remedies .button", "Continue");
    user.wait_until_gone_in_chat(".working");
    user.wait_in_chat(".answer", "The first half.");
    user.wait_in_chat(".cut-off", "The answer was cut off here.");
    user.window.screenshot(&mut user.server, "chat-killed");
    user.scripted.server.queue_turn(ScriptedTurn::new().text("The second half."));
    user.click_in_chat(".remedies .button", "Continue");
    user.wait_in_chat(".answer", "The second half.");
}

fn a_huge_paste_is_refused(user: &mut VscodeUser) {
    user.click_in_chat("textarea", "");
    user.type_in_chat("kept");
    let paste = "{
        const data = new DataTransfer();
        data.setData('text/plain', 'x'.repeat(100_000_000));
        const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.querySelector('textarea').dispatchEvent(event);
    }";
    user.evaluate_in_chat(paste);
    user.wait_in_chat(".input-notice", "100,000,000 characters");
    assert_eq!(user.evaluate_in_chat("document.querySelector('textarea').value"), "kept");
    user.window.screenshot(&mut user.server, "chat-huge-paste");
    user.type_in_chat(" and more");
    user.wait_until_gone_in_chat(".input-notice");
}

fn a_session_that_is_deleted_elsewhere_leaves_the_draft(user: &mut VscodeUser) {
    let session = user.session.clone();
    user.witness().request_ok("copydesk/session/delete", json!({ "session": session }));
    user.wait_in_chat(".welcome", "answers.");
    user.window.wait_for(&mut user.server, TOAST, "was deleted");
    user.in_chat("waitForValue", json!({ "selector": "textarea", "text": "kept and more" }));
    user.scripted.server.queue_turn(ScriptedTurn::new().text("A new beginning."));
    user.click_in_chat("textarea", "");
    user.window.press(&mut user.server, "Enter");
    user.wait_in_chat(".answer", "A new beginning.");
}
