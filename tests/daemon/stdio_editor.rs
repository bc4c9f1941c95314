//! A scripted editor: `copydesk lsp` at the other end of two pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use crate::cli::environment::{BINARY, TestEnvironment};

/// The daemon's socket and log, below the home.
pub(crate) const SOCKET: &str = "~/.run/copydesk/daemon.sock";
pub(crate) const LOG: &str = "~/.local/state/copydesk/log/daemon.log";

pub(crate) struct StdioEditor {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// An environment whose daemon exits soon after the test, whatever happens.
pub(crate) fn daemon_environment() -> TestEnvironment {
    TestEnvironment::new().env("COPYDESK_IDLE_EXIT", "60")
}

impl StdioEditor {
    pub(crate) fn start(env: &TestEnvironment) -> Self {
        let mut command = Command::new(BINARY);
        env.prepare(&mut command);
        command.args(["lsp", "--stdio", "--clientProcessId=1"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    /// Starts and initializes; returns the daemon's process id.
    pub(crate) fn start_initialized(env: &TestEnvironment) -> (Self, u64) {
        let mut editor = Self::start(env);
        let answer = editor.initialize();
        let pid = answer["result"]["capabilities"]["experimental"]["copydesk"]["pid"].as_u64();
        (editor, pid.unwrap_or_else(|| panic!("{answer}")))
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let capabilities = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
        let params = json!({ "clientInfo": { "name": "Neovim" }, "capabilities": capabilities });
        let answer = self.request("initialize", params);
        self.notify("initialized", json!({}));
        answer
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(&frame_message(message));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The response must be the next message. The id is the method's name.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }));
        let answer = self.next();
        assert_eq!(answer["id"], method, "{answer}");
        answer
    }

    pub(crate) fn next(&mut self) -> Value {
        read_message(&mut self.stdout).expect("a message")
    }

    /// Closes the connection and waits for the exit.
    pub(crate) fn leave(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A shim must not outlive the test: it would restart the stopped daemon.
impl Drop for StdioEditor {
    fn drop(&mut self) {
        drop(self.stdin.take());
        if std::thread::panicking() {
            // The test failed; its fake daemon may never answer, so the shim would not end by itself.
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

pub(crate) fn frame_message(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// The next message; `None` at the end of the stream.
pub(crate) fn read_message(from: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = Some(number.parse().unwrap()),
            None if line.trim_end().is_empty() => break,
            None => panic!("{line}"),
        }
    }
    let mut message = vec![0; length.unwrap()];
    from.read_exact(&mut message).unwrap();
    Some(serde_json::from_slice(&message).unwrap())
}

/// Returns when it has happened: each thread stops for itself, at its next return from the kernel.
pub(crate) fn kill(pid: u64, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
    while signal == "-STOP" && runs(pid) {
        std::thread::yield_now();
    }
}

/// Whether a thread of the process is neither stopped nor at its end.
fn runs(pid: u64) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let states = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok());
    // `pid (name) state …`
    states.into_iter().any(|stat| {
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['R', 'S', 'D']))
    })
}

/// A listening daemon in the foreground.
pub(crate) struct ForegroundDaemon {
    pub(crate) child: Child,
    pub(crate) stdout: BufReader<ChildStdout>,
}

impl ForegroundDaemon {
    pub(crate) fn start(env: &TestEnvironment, args: &[&str]) -> Self {
        let mut command = Command::new(BINARY);
        env.prepare(&mut command);
        let mut child = command.arg("daemon").args(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, format!("ready at {}\n", socket(env).display()));
        Self { child, stdout }
    }

    /// Waits for the exit, which must leave nothing behind.
    pub(crate) fn wait_for_exit(mut self, env: &TestEnvironment) -> ExitStatus {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "one line on standard output, and no more");
        let status = self.child.wait().unwrap();
        assert!(!env.exists(SOCKET));
        status
    }
}

pub(crate) fn socket(env: &TestEnvironment) -> PathBuf {
    env.path(SOCKET)
}
