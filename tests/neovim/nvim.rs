//! A Neovim driven by a test: headless, with its stock LSP client, at the other end of a socket.
//!
//! It waits for lines of that socket, until Neovim exits or the timeout is over.

// The benchmark uses a part of it.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct NeovimInstance {
    child: Child,
    lines: BufReader<UnixStream>,
    /// The daemon's messages, in order, that no test has waited for yet.
    unread_messages: VecDeque<Value>,
    next: u64,
    _socket: TempDir,
}

/// The Neovims to test with: paths separated by `:` in `COPYDESK_TEST_NVIM`; `tests/run` sets it to those it has
/// installed.
pub(crate) fn installed_neovims() -> Vec<PathBuf> {
    let named = std::env::var_os("COPYDESK_TEST_NVIM").unwrap_or_default();
    let found: Vec<_> = std::env::split_paths(&named).filter(|path| path.is_file()).collect();
    assert!(
        !found.is_empty(),
        "COPYDESK_TEST_NVIM names no Neovim; tests/install/neovim prints which there are"
    );
    found
}

impl NeovimInstance {
    /// `setup` is Lua that runs at the start; `prepare` sets the folders and variables of the process.
    pub(crate) fn start(program: &Path, setup: &str, prepare: impl FnOnce(&mut Command)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (socket, init) = (folder.path().join("line"), folder.path().join("init.lua"));
        std::fs::write(&init, [include_str!("line.lua"), setup].concat()).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        let mut command = Command::new(program);
        prepare(&mut command);
        command.args(["--headless", "--clean", "-u"]).arg(&init).env("TEST_SOCKET", &socket);
        // Neovim exits when its standard input closes, and so with the test.
        let child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let stream = listener.accept().unwrap().0;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            child,
            lines: BufReader::new(stream),
            unread_messages: VecDeque::new(),
            next: 0,
            _socket: folder,
        }
    }

    /// Runs Lua with `...` as its arguments; returns its result.
    #[track_caller]
    pub(crate) fn lua(&mut self, code: &str, args: Value) -> Value {
        self.next += 1;
        let order = json!({ "id": self.next, "lua": code, "args": args });
        writeln!(self.lines.get_mut(), "{order}").unwrap();
        loop {
            let mut line = self.read_message();
            if line["id"] == self.next {
                assert_eq!(line["ok"], true, "{code}\n{}", line["result"].as_str().unwrap_or_default());
                return line["result"].take();
            }
            self.unread_messages.push_back(line);
        }
    }

    /// Waits for a matching message of this kind.
    #[track_caller]
    pub(crate) fn wait_for_message(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let is_it = |line: &Value| line["event"] == kind && wanted(&line["value"]);
        if let Some(at) = self.unread_messages.iter().position(is_it) {
            return self.unread_messages.remove(at).unwrap()["value"].take();
        }
        loop {
            let mut line = self.read_message();
            if is_it(&line) {
                return line["value"].take();
            }
            self.unread_messages.push_back(line);
        }
    }

    /// Whether a message of this kind was received and not waited for.
    pub(crate) fn has_message(&self, kind: &str) -> bool {
        self.unread_messages.iter().any(|line| line["event"] == kind)
    }

    /// Drops the messages received so far.
    pub(crate) fn discard_messages(&mut self) {
        self.lua("", json!([]));
        self.unread_messages.clear();
    }

    #[track_caller]
    fn read_message(&mut self) -> Value {
        let mut line = Vec::new();
        match self.lines.read_until(b'\n', &mut line) {
            Ok(0) => panic!("Neovim has ended: {:?}", self.child.try_wait()),
            Ok(_) => serde_json::from_slice(&line)
                .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&line))),
            Err(error) => panic!("{error}; told and not waited for: {:#?}", self.unread_messages),
        }
    }

    /// Runs Lua that ends Neovim, and waits for the exit.
    #[track_caller]
    pub(crate) fn run_until_exit(&mut self, code: &str, args: Value) {
        let order = json!({ "id": 0, "lua": code, "args": args });
        writeln!(self.lines.get_mut(), "{order}").unwrap();
        let mut rest = String::new();
        while self.lines.read_line(&mut rest).unwrap() > 0 {}
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {rest}");
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for NeovimInstance {
    fn drop(&mut self) {
        let _ = self.lines.get_ref().shutdown(std::net::Shutdown::Both);
        drop(self.child.stdin.take());
        if std::thread::panicking() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
