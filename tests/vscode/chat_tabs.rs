//! Several sessions side by side: a tab keeps its session, and what happens in one page changes no other.

use serde_json::{Value, json};

use super::chat_sessions::start;
use super::vscode_user::VscodeUser;
use crate::model_server::ScriptedTurn;

const TAB: &str = "body.in-tab main.chat";
const SIDE_BAR: &str = "body.in-side-bar main.chat";

#[test]
#[ignore = "needs VS Code, which tests/run installs"]
fn sessions_are_open_side_by_side() {
    let mut user = start();
    let first = user.two_sessions();
    a_session_opens_in_a_tab(&mut user);
    each_page_prompts_its_own_session(&mut user);
    both_are_there_again_after_a_reload(&mut user, &first);
    messages_that_are_not_the_pages_do_nothing(&mut user);
    a_new_session_begins_where_it_was_asked_for(&mut user);
    one_that_is_deleted_elsewhere_empties_its_tab_alone(&mut user, &first);
}

impl VscodeUser {
    fn in_page(&mut self, page: &str, action: &str, mut order: Value) -> Value {
        order["within"] = json!(page);
        self.window.user(&mut self.server, action, order)
    }

    #[track_caller]
    fn wait_in_page(&mut self, page: &str, selector: &str, text: &str) {
        self.in_page(page, "wait", json!({ "selector": selector, "text": text }));
    }

    #[track_caller]
    fn prompt_in_page(&mut self, page: &str, prompt: &str, answer: &str) {
        self.scripted.server.queue_turn(ScriptedTurn::new().text(answer));
        self.in_page(page, "click", json!({ "selector": "textarea" }));
        self.wait_in_page(page, "textarea:focus", "");
        self.type_in_chat(prompt);
        self.window.press(&mut self.server, "Enter");
        self.wait_in_page(page, ".answer", answer);
    }

    #[track_caller]
    fn shows_no(&mut self, page: &str, text: &str) {
        let answers = self.in_page(page, "texts", json!({ "selector": ".answer" }));
        assert!(!answers.to_string().contains(text), "{page} shows what is another session's: {answers}");
    }
}

fn a_session_opens_in_a_tab(user: &mut VscodeUser) {
    user.open_sessions();
    user.press_row_button("Numbers", "Open in a tab");
    user.wait_in_page(TAB, ".answer", "forty-two");
    user.wait_in_page(TAB, "textarea:focus", "");
    // What was written there before is there.
    user.in_page(TAB, "waitForValue", json!({ "selector": "textarea", "text": "draft of the first" }));
    user.window.press(&mut user.server, "Control+a");
    user.window.press(&mut user.server, "Delete");
    user.window.wait_for(&mut user.server, ".tab", "Numbers");
    user.wait_in_page(SIDE_BAR, ".answer", "Nothing special.");
    user.wait_in_page(SIDE_BAR, ".session-title", "Trifles");
}

fn each_page_prompts_its_own_session(user: &mut VscodeUser) {
    user.prompt_in_page(TAB, "Go on in the tab", "This is for the tab.");
    user.shows_no(SIDE_BAR, "for the tab");
    user.prompt_in_page(SIDE_BAR, "Go on here", "This is for the view.");
    user.shows_no(TAB, "for the view");
    user.window.screenshot(&mut user.server, "chat-side-by-side");
}

fn both_are_there_again_after_a_reload(user: &mut VscodeUser, first: &str) {
    user.window.user(&mut user.server, "waitUntilStored", json!({ "texts": ["copydesk.chatTab", first] }));
    user.window.reload(&mut user.server);
    user.wait_in_page(TAB, ".answer", "This is for the tab.");
    user.wait_in_page(SIDE_BAR, ".answer", "This is for the view.");
    user.shows_no(TAB, "for the view");
}

/// VS Code hands the extension whatever a page sends.
fn messages_that_are_not_the_pages_do_nothing(user: &mut VscodeUser) {
    let foreign = [
        json!({ "kind": "command", "command": "../../workbench.action.quit" }),
        json!({ "kind": "send", "text": 7, "isSteering": "yes" }),
        json!({ "kind": "openSession", "session": "../../etc/passwd".repeat(1_000) }),
        json!({ "kind": "drawn", "seq": -1.5 }),
        json!({ "kind": "decide", "hunks": "all", "verdict": "accept" }),
        json!([[[]]]),
        json!("ready"),
        Value::Null,
    ];
    for message in foreign {
        user.in_page(TAB, "sendToHost", json!({ "message": message }));
    }
    // A message that fits and is sent the same way does arrive, after them.
    user.in_page(TAB, "sendToHost", json!({ "message": { "kind": "copy", "text": "a message that fits" } }));
    user.window.wait_until(
        "vscode.env.clipboard.readText().then((text) => text === 'a message that fits')",
        json!([]),
    );
    user.prompt_in_page(TAB, "Still there?", "The tab still works.");
}

fn a_new_session_begins_where_it_was_asked_for(user: &mut VscodeUser) {
    user.in_page(TAB, "click", json!({ "selector": "button[aria-label='New session']" }));
    user.wait_in_page(TAB, ".welcome", "");
    user.wait_in_page(TAB, "textarea:focus", "");
    user.wait_in_page(SIDE_BAR, ".answer", "This is for the view.");
    user.open_sessions_of(TAB);
    user.choose_row("Numbers");
    user.wait_in_page(TAB, ".answer", "The tab still works.");
    user.wait_in_page(SIDE_BAR, ".answer", "This is for the view.");
}

fn one_that_is_deleted_elsewhere_empties_its_tab_alone(user: &mut VscodeUser, first: &str) {
    user.witness().request_ok("copydesk/session/delete", json!({ "session": first }));
    user.wait_in_page(TAB, ".welcome", "");
    user.wait_in_page(SIDE_BAR, ".answer", "This is for the view.");
    // A prompt there gets a session of its own.
    user.prompt_in_page(TAB, "A new beginning", "It begins.");
    user.shows_no(SIDE_BAR, "It begins.");
}
