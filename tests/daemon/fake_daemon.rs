//! A fake daemon: it listens on the daemon's socket; the test writes its responses and sees its input.

use std::io::{BufReader, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};

use serde_json::{Value, json};

use super::stdio_editor::{StdioEditor, frame_message, read_message, socket};
use crate::cli::environment::TestEnvironment;

pub(crate) struct FakeDaemon {
    listener: UnixListener,
}

pub(crate) struct FakeDaemonConnection {
    stream: BufReader<UnixStream>,
}

/// An editor whose shim has connected to this fake daemon of the given version, both initialized.
pub(crate) fn connect_shim(
    env: &TestEnvironment,
    version: &str,
) -> (FakeDaemon, StdioEditor, FakeDaemonConnection) {
    let by_hand = FakeDaemon::listen(env);
    let mut editor = StdioEditor::start(env);
    editor.send(&json!({ "id": 0, "method": "initialize", "params": {} }));
    editor.notify("initialized", json!({}));
    let mut hand = by_hand.accept();
    hand.answer_initialize(version);
    assert_eq!(editor.next()["id"], 0);
    (by_hand, editor, hand)
}

impl FakeDaemon {
    pub(crate) fn listen(env: &TestEnvironment) -> Self {
        let socket = socket(env);
        let folder = socket.parent().unwrap();
        std::fs::create_dir_all(folder).unwrap();
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { listener: UnixListener::bind(socket).unwrap() }
    }

    pub(crate) fn accept(&self) -> FakeDaemonConnection {
        FakeDaemonConnection { stream: BufReader::new(self.listener.accept().unwrap().0) }
    }
}

impl FakeDaemonConnection {
    pub(crate) fn next(&mut self) -> Value {
        read_message(&mut self.stream).expect("a message")
    }

    /// The next message must be this method.
    pub(crate) fn expect_method(&mut self, method: &str) -> Value {
        let message = self.next();
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(&frame_message(message));
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    pub(crate) fn answer(&mut self, to: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": to["id"], "result": result }));
    }

    /// Answers `initialize` as a daemon of this version.
    pub(crate) fn answer_initialize(&mut self, version: &str) -> Value {
        let greeting = self.expect_method("initialize");
        let hello = json!({ "protocol": 1, "version": version, "pid": 1 });
        let capabilities = json!({ "positionEncoding": "utf-8", "experimental": { "copydesk": hello } });
        self.answer(&greeting, json!({ "capabilities": capabilities }));
        self.expect_method("initialized");
        greeting
    }

    /// Asserts that nothing more arrives.
    pub(crate) fn assert_closed(mut self) {
        let more = read_message(&mut self.stream);
        assert!(more.is_none(), "{more:?}");
    }
}
