//! A daemon whose model is scripted, and what a test wants to know of it.

use serde_json::{Value, json};

use super::client::{self, Client};
use crate::daemon::editor::Daemon;
use crate::model_server::Turn;
use crate::sessions::harness::Scripted;

pub(crate) struct Running {
    pub(crate) scripted: Scripted,
    daemon: Option<Daemon>,
}

impl Running {
    /// Everything is allowed without asking.
    pub(crate) fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(turns, json!({ "permission": "allow" }))
    }

    /// Edits are asked about.
    pub(crate) fn asking(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(turns, json!({}))
    }

    pub(crate) fn with(turns: impl IntoIterator<Item = Turn>, config: Value) -> Self {
        let Scripted { desk, server } = Scripted::with(turns, config);
        let scripted = Scripted { desk: desk.env("COPYDESK_IDLE_EXIT", "60"), server };
        let daemon = Some(Daemon::start(&scripted.desk, &[]));
        Self { scripted, daemon }
    }

    pub(crate) fn client(&self, name: &str) -> Client {
        Client::new(&self.scripted.desk, name)
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        client::uri(&self.scripted.desk, path)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.daemon.as_ref().unwrap().child.id()
    }

    /// As a crash would end it.
    pub(crate) fn crash(&mut self) {
        let mut daemon = self.daemon.take().unwrap();
        daemon.child.kill().unwrap();
        daemon.child.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.crash();
        self.daemon = Some(Daemon::start(&self.scripted.desk, &[]));
    }

    pub(crate) fn reached(&self, gate: &str) {
        wait(self.scripted.server.reached(gate));
    }

    pub(crate) fn hung_up(&self, gate: &str) {
        wait(self.scripted.server.closed(gate));
    }

    pub(crate) fn open(&self, gate: &str) {
        self.scripted.server.open(gate);
    }

    /// What the model was told last with its request of this number, from 0: the results of its calls and what came after
    /// them, as text.
    pub(crate) fn told(&self, number: usize) -> String {
        self.scripted.told(number)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            let _ = daemon.child.kill();
            let _ = daemon.child.wait();
        }
    }
}

fn wait(what: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(what);
}

pub(crate) fn edit(call: &str, path: &str, old: &str, new: &str) -> Turn {
    Turn::new().call(call, "edit", json!({ "filePath": path, "oldString": old, "newString": new }))
}

pub(crate) fn read(call: &str, path: &str) -> Turn {
    Turn::new().call(call, "read", json!({ "filePath": path }))
}

pub(crate) fn says(text: &str) -> Turn {
    Turn::new().text(text)
}
