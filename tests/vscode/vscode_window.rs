//! One window of VS Code: JavaScript in its extension host, and a user at its page.

// The benchmark uses a part of it.
#![allow(dead_code)]

use serde_json::{Value, json};

use super::json_peer::JsonPeer;
use super::vscode_server::{VscodeServer, kept_folder};

pub(crate) struct VscodeWindow {
    name: String,
    driver: JsonPeer,
}

/// The text of an open document, and whether it is saved.
#[derive(Debug, PartialEq)]
pub(crate) struct DocumentState {
    pub(crate) text: String,
    pub(crate) is_dirty: bool,
}

impl VscodeWindow {
    pub(super) fn new(name: &str, driver: JsonPeer) -> Self {
        Self { name: name.to_owned(), driver }
    }

    /// Runs the body of an async function in the extension host, with `vscode`, `args` and `T` (see the driver) in scope.
    #[track_caller]
    pub(crate) fn js(&mut self, code: &str, args: Value) -> Value {
        let id = self.begin_js(code, args);
        self.finish_js(id)
    }

    /// Begins it without waiting for its end.
    pub(crate) fn begin_js(&mut self, code: &str, args: Value) -> u64 {
        self.driver.send(json!({ "code": code, "args": args }))
    }

    #[track_caller]
    pub(crate) fn finish_js(&mut self, id: u64) -> Value {
        match self.driver.wait_for_answer(id) {
            Ok(result) => result,
            Err(problem) => panic!("{}: {problem}", self.name),
        }
    }

    /// Waits until a JavaScript expression is truthy; returns its value.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, expression: &str, args: Value) -> Value {
        self.js(&format!("return T.until(async () => ({expression}))"), args)
    }

    /// Waits for an event that a test's JavaScript emits.
    #[track_caller]
    pub(crate) fn wait_for_event(&mut self, kind: &str) -> Value {
        match self.driver.wait_for_event(kind) {
            Ok(value) => value,
            Err(problem) => panic!("{}: {problem}", self.name),
        }
    }

    #[track_caller]
    pub(crate) fn command(&mut self, command: &str, args: Value) -> Value {
        self.js("return vscode.commands.executeCommand(...args)", concat(json!([command]), args))
    }

    /// Opens a file in a tab.
    #[track_caller]
    pub(crate) fn open(&mut self, file: &str) {
        self.js("await T.open(args[0])", json!([file]));
    }

    /// The open document of this name.
    #[track_caller]
    pub(crate) fn document(&mut self, file: &str) -> Option<DocumentState> {
        let seen = self.js("return T.look(args[0])", json!([file]));
        let text = seen["text"].as_str()?.to_owned();
        Some(DocumentState { text, is_dirty: seen["dirty"] == true })
    }

    /// Waits until the open document has exactly this text.
    #[track_caller]
    pub(crate) fn wait_for_text(&mut self, file: &str, text: &str) {
        let wait = "const [file, text] = args;
            try {
                await T.until(() => T.look(file)?.text === text);
            } catch {
                throw new Error(`${file} has the text\\n${T.look(file)?.text}\\ninstead of\\n${text}`);
            }";
        self.js(wait, json!([file, text]));
    }

    /// The labels of all tabs, sorted.
    #[track_caller]
    pub(crate) fn tabs(&mut self) -> Vec<String> {
        serde_json::from_value(self.js("return T.tabs()", json!([]))).unwrap()
    }

    /// Changes one setting of the user.
    #[track_caller]
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        let set = "await vscode.workspace.getConfiguration().update(args[0], args[1] ?? undefined, true)";
        self.js(set, json!([key, value]));
    }

    /// Loads the window again, as after "Developer: Reload Window".
    #[track_caller]
    pub(crate) fn reload(&mut self, server: &mut VscodeServer) {
        server.user("reload", json!({ "window": self.name }));
        self.driver = server.wait_for_driver();
    }

    /// The window opens another folder, which ends its extension host.
    #[track_caller]
    pub(crate) fn wait_for_next_folder(&mut self, server: &VscodeServer) {
        self.driver = server.wait_for_driver();
    }

    /// Does something on this window's page, as a user: see `browser.mjs`.
    #[track_caller]
    pub(crate) fn user(&self, server: &mut VscodeServer, action: &str, mut order: Value) -> Value {
        order["window"] = json!(self.name);
        server.user(action, order)
    }

    /// Begins it without waiting for its end: `VscodeServer::finish` does.
    pub(crate) fn begin_user(&self, server: &mut VscodeServer, action: &str, mut order: Value) -> u64 {
        order["window"] = json!(self.name);
        server.begin(action, order)
    }

    #[track_caller]
    pub(crate) fn press(&self, server: &mut VscodeServer, keys: &str) {
        self.user(server, "press", json!({ "keys": keys }));
    }

    #[track_caller]
    pub(crate) fn click(&self, server: &mut VscodeServer, selector: &str, text: &str) {
        self.user(server, "click", json!({ "selector": selector, "text": text }));
    }

    /// Waits until an element with this text is there.
    #[track_caller]
    pub(crate) fn wait_for(&self, server: &mut VscodeServer, selector: &str, text: &str) {
        self.user(server, "wait", json!({ "selector": selector, "text": text }));
    }

    /// Takes a screenshot for people to look at.
    #[track_caller]
    pub(crate) fn screenshot(&self, server: &mut VscodeServer, name: &str) {
        let path = kept_folder("vscode-screenshots").join(format!("{name}.png"));
        self.user(server, "screenshot", json!({ "path": path }));
    }
}

fn concat(first: Value, second: Value) -> Value {
    let lists = [first, second];
    Value::Array(lists.into_iter().flat_map(|list| list.as_array().cloned().unwrap_or_default()).collect())
}
