//! A user of VS Code at work: one window, the real daemon with the scripted model, and a witness.
//!
//! The witness is a second client of the daemon, attached to the session of the window. It sees what happens there without asking the
//! extension, which must not be the judge of itself.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::vscode_server::{VscodeHome, VscodeServer, VscodeSetup};
use super::vscode_window::VscodeWindow;
use crate::cli::environment::TestEnvironment;
use crate::daemon::stdio_editor::{LOG, SOCKET};
use crate::editors::scripted_editor::ScriptedEditor;
use crate::model_server::ScriptedTurn;
use crate::neovim::crashes::block_on;
use crate::sessions::harness::ScriptedEnvironment;

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(40);

impl VscodeHome for TestEnvironment {
    fn prepare_program(&self, command: &mut Command) {
        self.prepare(command);
    }

    fn project_folder(&self) -> PathBuf {
        self.path("")
    }

    fn runtime_folder(&self) -> PathBuf {
        self.path("~/.run")
    }

    fn daemon_log(&self) -> PathBuf {
        self.path(LOG)
    }
}

pub(crate) struct VscodeUser {
    // Dropped in this order: the window first, the model's script last.
    pub(crate) window: VscodeWindow,
    witness: Option<ScriptedEditor>,
    pub(crate) server: VscodeServer,
    pub(crate) scripted: ScriptedEnvironment,
    pub(crate) session: String,
    /// How many turns of the session the test has asked for.
    asked: u64,
    /// The last turn that has ended, and how.
    ended: (u64, Value),
}

impl VscodeUser {
    pub(crate) fn start(scripted: ScriptedEnvironment) -> Self {
        Self::start_with(scripted, &VscodeSetup::default())
    }

    pub(crate) fn start_with(scripted: ScriptedEnvironment, setup: &VscodeSetup) -> Self {
        let mut server = VscodeServer::start(&scripted.env, setup);
        let window = server.open_window("main");
        Self {
            window,
            witness: None,
            server,
            scripted,
            session: String::new(),
            asked: 0,
            ended: (0, Value::Null),
        }
    }

    /// Runs a command of the extension.
    #[track_caller]
    pub(crate) fn command(&mut self, command: &str, args: Value) -> Value {
        self.window.command(&format!("copydesk.{command}"), args)
    }

    /// Asks in the window. The model may answer while the test goes on.
    #[track_caller]
    pub(crate) fn ask(&mut self, text: &str) {
        self.asked += 1;
        self.command("ask", json!([{ "text": text }]));
        if self.session.is_empty() {
            self.attach_witness();
        }
    }

    /// Runs a command that sends a prompt, and waits for the end of its turn, which must succeed.
    #[track_caller]
    pub(crate) fn prompt_by(&mut self, command: &str, args: Value) {
        self.begin_prompt();
        self.command(command, args);
        self.finish_prompt();
    }

    /// The user is about to send a prompt in another way than by `ask`.
    pub(crate) fn begin_prompt(&mut self) {
        self.asked += 1;
    }

    /// Waits for the end of its turn, which must succeed.
    #[track_caller]
    pub(crate) fn finish_prompt(&mut self) {
        assert_eq!(self.wait_for_turn_end(), "done");
    }

    /// Attaches the witness to the session of the window, which must be the only one that was used last.
    #[track_caller]
    pub(crate) fn attach_witness(&mut self) {
        assert!(self.scripted.env.exists(SOCKET), "the window has started no daemon");
        let mut witness = ScriptedEditor::new(&self.scripted.env, "witness");
        let listed = witness.request_ok("copydesk/session/list", json!({}));
        let session = listed["sessions"][0]["id"].as_str();
        self.session = session.unwrap_or_else(|| panic!("there is no session: {listed}")).to_owned();
        let session = self.session.clone();
        self.note_turn_end(&witness.load(&session)["lastTurn"]);
        self.witness = Some(witness);
    }

    pub(crate) fn witness(&mut self) -> &mut ScriptedEditor {
        self.witness.as_mut().unwrap()
    }

    /// Waits for the end of the turn that was asked for last; returns how it ended.
    #[track_caller]
    pub(crate) fn wait_for_turn_end(&mut self) -> Value {
        let session = self.session.clone();
        while self.ended.0 < self.asked {
            let event = self.witness().wait_for_event(&session, "turnEnded");
            self.note_turn_end(&event);
        }
        self.ended.1.clone()
    }

    fn note_turn_end(&mut self, turn: &Value) {
        if let (Some(number), false) = (turn["turn"].as_u64(), turn["end"].is_null()) {
            self.ended = (number, turn["end"]["kind"].clone());
        }
    }

    /// Asks and waits for the end of the turn, which must succeed.
    #[track_caller]
    pub(crate) fn run_turn(&mut self, text: &str) {
        self.ask(text);
        assert_eq!(self.wait_for_turn_end(), "done");
    }

    /// One call and a closing answer are the model's next turn.
    pub(crate) fn queue_call(&self, id: &str, tool: &str, arguments: Value) {
        self.scripted.server.queue_turn(ScriptedTurn::new().call(id, tool, arguments));
        self.scripted.server.queue_turn(ScriptedTurn::new().text("Done."));
    }

    /// The model replaces one text of a file by another, in a whole turn. Returns what it was told, and whether that is a failure.
    #[track_caller]
    pub(crate) fn edit(&mut self, file: &str, old: &str, new: &str) -> (String, bool) {
        self.run_call("edit", json!({ "filePath": file, "oldString": old, "newString": new }))
    }

    /// Runs a turn with one call. Returns what the model was told.
    #[track_caller]
    pub(crate) fn run_call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let id = format!("call_{}", self.scripted.server.requests().len());
        self.queue_call(&id, tool, arguments);
        self.run_turn("Work");
        self.result(&id)
    }

    /// The last result of a call that the model was sent.
    #[track_caller]
    pub(crate) fn result(&self, call: &str) -> (String, bool) {
        let sent = self.scripted.server.requests().pop().unwrap();
        crate::neovim::neovim_session::result_in(&sent.body, call)
    }

    #[track_caller]
    pub(crate) fn wait_for_gate(&self, gate: &str) {
        block_on(self.scripted.server.wait_for_gate(gate));
    }

    pub(crate) fn open_gate(&self, gate: &str) {
        self.scripted.server.open_gate(gate);
    }

    /// Puts the focus into the active editor, and waits until the page has it there.
    #[track_caller]
    pub(crate) fn focus_page(&mut self) {
        self.window.command("workbench.action.focusActiveEditorGroup", json!([]));
        let focused = json!({ "selector": ".editor-instance .monaco-editor.focused", "state": "attached" });
        self.window.user(&mut self.server, "wait", focused);
    }

    /// Puts the focus into the active editor, and waits until a key arrives there. Keys before that would be lost.
    #[track_caller]
    pub(crate) fn focus_editor(&mut self) {
        self.window.command("workbench.action.focusActiveEditorGroup", json!([]));
        let changed = "const { document } = vscode.window.activeTextEditor;
            await new Promise((resolve) => {
                const listening = vscode.workspace.onDidChangeTextDocument((event) => {
                    if (event.document === document) { listening.dispose(); resolve(); }
                });
                T.emit('listens');
            })";
        let changed = self.window.begin_js(changed, json!([]));
        self.window.wait_for_event("listens");
        self.window.press(&mut self.server, "Enter");
        self.window.finish_js(changed);
    }

    /// The session that was used last.
    #[track_caller]
    pub(crate) fn newest_session(&mut self) -> String {
        let listed = self.witness().request_ok("copydesk/session/list", json!({}));
        listed["sessions"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Asks the daemon until the answer is as wanted: for what it sends no event.
    #[track_caller]
    pub(super) fn poll(&mut self, method: &str, params: &Value, wanted: impl Fn(&Value) -> bool) {
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.witness().request_ok(method, params.clone());
            if wanted(&answer) {
                return;
            }
            assert!(Instant::now() < end, "{method}: {answer:#}");
        }
    }

    /// Waits until so many editors are connected, besides the witness, and have told of so many documents.
    #[track_caller]
    pub(crate) fn wait_for_editors(&mut self, editors: u64, documents: u64) {
        self.poll("copydesk/status", &json!({}), |status| {
            status["clients"] == editors + 1 && status["documents"] == documents
        });
    }

    /// Waits until a new daemon serves the windows after the one with this process id was killed.
    #[track_caller]
    pub(crate) fn wait_for_new_daemon(&mut self, killed: u64) {
        let end = Instant::now() + PATIENCE;
        // Until its last thread has ended, a connection may still reach its socket. Its first one stays as a zombie if nobody waits for it.
        let is_running = || {
            let threads = std::fs::read_dir(format!("/proc/{killed}/task")).into_iter().flatten().flatten();
            let mut states =
                threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
            states.any(|stat| !stat.contains(") Z "))
        };
        while is_running() {
            assert!(Instant::now() < end, "the killed daemon does not end");
            std::thread::yield_now();
        }
        // The shim of the window starts it.
        while std::os::unix::net::UnixStream::connect(self.scripted.env.path(SOCKET)).is_err() {
            assert!(Instant::now() < end, "no daemon replaces the killed one");
            std::thread::yield_now();
        }
        let session = self.session.clone();
        self.attach_witness();
        assert_eq!(self.session, session);
        let pid = self.witness().request_ok("copydesk/status", json!({}))["pid"].as_u64();
        assert_ne!(pid, Some(killed));
    }
}
