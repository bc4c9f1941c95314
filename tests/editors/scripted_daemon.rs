//! A daemon with a scripted model, and queries about it.

use serde_json::{Value, json};

use super::scripted_editor::{self, ScriptedEditor};
use crate::daemon::stdio_editor::ForegroundDaemon;
use crate::model_server::ScriptedTurn;
use crate::sessions::harness::ScriptedEnvironment;

pub(crate) struct ScriptedDaemon {
    pub(crate) scripted: ScriptedEnvironment,
    daemon: Option<ForegroundDaemon>,
}

impl ScriptedDaemon {
    /// Allows everything without asking.
    pub(crate) fn new(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        Self::with_config(turns, json!({ "permission": "allow" }))
    }

    /// Asks about edits.
    pub(crate) fn with_asked_edits(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        Self::with_config(turns, json!({}))
    }

    pub(crate) fn with_config(turns: impl IntoIterator<Item = ScriptedTurn>, config: Value) -> Self {
        let ScriptedEnvironment { env, server } = ScriptedEnvironment::with_config(turns, config);
        let scripted = ScriptedEnvironment { env: env.env("COPYDESK_IDLE_EXIT", "60"), server };
        let daemon = Some(ForegroundDaemon::start(&scripted.env, &[]));
        Self { scripted, daemon }
    }

    pub(crate) fn client(&self, name: &str) -> ScriptedEditor {
        ScriptedEditor::new(&self.scripted.env, name)
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        scripted_editor::uri(&self.scripted.env, path)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.daemon.as_ref().unwrap().child.id()
    }

    /// Kills it, as a crash would.
    pub(crate) fn crash(&mut self) {
        let mut daemon = self.daemon.take().unwrap();
        daemon.child.kill().unwrap();
        daemon.child.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.crash();
        self.daemon = Some(ForegroundDaemon::start(&self.scripted.env, &[]));
    }

    pub(crate) fn wait_for_gate(&self, gate: &str) {
        block_on(self.scripted.server.wait_for_gate(gate));
    }

    pub(crate) fn wait_for_hangup(&self, gate: &str) {
        block_on(self.scripted.server.wait_for_hangup(gate));
    }

    pub(crate) fn open_gate(&self, gate: &str) {
        self.scripted.server.open_gate(gate);
    }

    /// The end of the model's request of this number, from 0: the results of its calls and what follows them, as text.
    pub(crate) fn last_model_input(&self, number: usize) -> String {
        self.scripted.last_model_input(number)
    }
}

impl Drop for ScriptedDaemon {
    fn drop(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            let _ = daemon.child.kill();
            let _ = daemon.child.wait();
        }
    }
}

fn block_on(what: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(what);
}

pub(crate) fn edit(call: &str, path: &str, old: &str, new: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "edit", json!({ "filePath": path, "oldString": old, "newString": new }))
}

pub(crate) fn read(call: &str, path: &str) -> ScriptedTurn {
    ScriptedTurn::new().call(call, "read", json!({ "filePath": path }))
}

pub(crate) fn text_turn(text: &str) -> ScriptedTurn {
    ScriptedTurn::new().text(text)
}
