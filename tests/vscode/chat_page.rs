//! The chat view as a user sees it: its page is a webview, so everything is looked up within its frame.

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;

/// The element that only the page of the chat has.
const PAGE: &str = "main.chat";

impl VscodeUser {
    /// Opens the chat, with the focus in its input.
    #[track_caller]
    pub(super) fn open_chat(&mut self) {
        self.window.command("copydesk.chat.open", json!([]));
        self.wait_in_chat("textarea:focus", "");
    }

    /// Does something on the page of the chat: see `browser.mjs`.
    #[track_caller]
    pub(super) fn in_chat(&mut self, action: &str, mut order: Value) -> Value {
        order["within"] = json!(PAGE);
        self.window.user(&mut self.server, action, order)
    }

    #[track_caller]
    pub(super) fn wait_in_chat(&mut self, selector: &str, text: &str) {
        self.in_chat("wait", json!({ "selector": selector, "text": text }));
    }

    #[track_caller]
    pub(super) fn wait_until_gone_in_chat(&mut self, selector: &str) {
        self.in_chat("wait", json!({ "selector": selector, "state": "hidden" }));
    }

    #[track_caller]
    pub(super) fn click_in_chat(&mut self, selector: &str, text: &str) {
        self.in_chat("click", json!({ "selector": selector, "text": text }));
    }

    /// The value of a JavaScript expression in the page.
    #[track_caller]
    pub(super) fn evaluate_in_chat(&mut self, code: &str) -> Value {
        self.in_chat("evaluate", json!({ "code": code }))
    }

    /// Writes into the input by keys.
    #[track_caller]
    pub(super) fn type_in_chat(&mut self, text: &str) {
        self.window.user(&mut self.server, "type", json!({ "text": text }));
    }

    /// Sends a prompt by keys. The model may answer while the test goes on.
    #[track_caller]
    pub(super) fn prompt_in_chat(&mut self, text: &str) {
        self.begin_prompt();
        self.type_in_chat(text);
        self.window.press(&mut self.server, "Enter");
        self.wait_in_chat(".prompt-text", text);
        if self.session.is_empty() {
            self.attach_witness();
        }
    }

    /// Nothing in the page is a barrier.
    #[track_caller]
    pub(super) fn has_no_barriers(&mut self, when: &str) {
        assert_eq!(self.in_chat("barriers", json!({})), json!([]), "{when}");
    }
}
