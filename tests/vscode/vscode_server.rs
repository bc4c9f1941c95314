//! A VS Code for a test: code-server with our extension, and a browser beside it that shows its windows.
//!
//! Contract: it runs in the test's environment only (home, daemon, keys), with a profile of its own; everything ends with it. If the
//! test fails, it keeps a screenshot of each window and the logs, and prints where.

// The benchmark uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::installed_parts::InstalledParts;
use super::json_peer::JsonPeer;
use super::vscode_window::VscodeWindow;

const BINARY: &str = env!("CARGO_BIN_EXE_copydesk");
const BROWSER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vscode/browser.mjs");

/// The extension of a window connects when the window is up. Only a failing test waits this long.
const MAX_WINDOW_START: Duration = Duration::from_secs(120);

pub(crate) struct VscodeServer {
    profile: TempDir,
    /// The folder, or the file of a workspace, that windows open.
    project: PathBuf,
    daemon_log: PathBuf,
    child: Child,
    browser: JsonPeer,
    /// The connections of the drivers, each from the start of a window.
    drivers: Receiver<UnixStream>,
    windows: Vec<String>,
}

/// The home of a user and the project in it: an environment for VS Code and all that it starts.
pub(crate) trait VscodeHome {
    /// Gives a command the environment of this home, and nothing else.
    fn prepare_program(&self, command: &mut Command);
    fn project_folder(&self) -> PathBuf;
    /// The folder of sockets.
    fn runtime_folder(&self) -> PathBuf;
    fn daemon_log(&self) -> PathBuf;
}

/// How a VS Code differs from the usual one of the tests.
#[derive(Default)]
pub(crate) struct VscodeSetup {
    /// The file of a workspace, in the project, which its windows open instead of the project's folder.
    pub(crate) workspace: Option<&'static str>,
    /// Its first window has no folder.
    pub(crate) is_empty: bool,
    /// Beside the usual settings, or instead of them.
    pub(crate) settings: Value,
    /// Whether VS Code asks if a folder is trusted.
    pub(crate) asks_for_trust: bool,
}

impl VscodeServer {
    pub(crate) fn start(home: &impl VscodeHome, setup: &VscodeSetup) -> Self {
        let parts = InstalledParts::from_environment();
        // Its sockets are in here, and the path of a socket has at most 107 bytes.
        let profile = TempDir::with_prefix_in("cd-vscode.", "/tmp").unwrap();
        let folder = |name: &str| profile.path().join(name);
        // A setting that names a program belongs to the machine, not to the user, who may have several.
        let of_machine = json!({ "copydesk.path": BINARY });
        for (kind, settings) in [("User", usual_settings(&setup.settings)), ("Machine", of_machine)] {
            let folder = folder("data").join(kind);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
        }
        let drivers = accept_all(UnixListener::bind(folder("driver")).unwrap());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let mut server = vec![text(&parts.code_server)];
        server.extend(["--bind-addr".to_owned(), format!("127.0.0.1:{port}")]);
        for option in [
            "--auth=none",
            "--disable-telemetry",
            "--disable-update-check",
            "--disable-getting-started-override",
        ] {
            server.push(option.to_owned());
        }
        if !setup.asks_for_trust {
            server.push("--disable-workspace-trust".to_owned());
        }
        for (option, folder) in
            [("--user-data-dir", &folder("data")), ("--extensions-dir", &parts.extensions)]
        {
            server.extend([option.to_owned(), text(folder)]);
        }
        let order = json!({
            "server": server, "port": port,
            "chromium": parts.chromium, "playwright": parts.playwright, "axe": parts.axe,
        });
        let mut command = Command::new(&parts.node);
        home.prepare_program(&mut command);
        let node_folder = parts.node.parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths([node_folder].into_iter().chain(std::env::split_paths(&path))).unwrap();
        command.arg(BROWSER).arg(order.to_string()).env("PATH", path);
        command.env("COPYDESK_TEST_SOCKET", folder("driver")).env("XDG_RUNTIME_DIR", home.runtime_folder());
        fs::create_dir_all(home.runtime_folder()).unwrap();
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let browser = JsonPeer::new("the browser", child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let folder = if setup.is_empty { PathBuf::new() } else { home.project_folder() };
        let project = setup.workspace.iter().fold(folder, |folder, file| folder.join(file));
        let daemon_log = home.daemon_log();
        let mut server = Self { profile, project, daemon_log, child, browser, drivers, windows: Vec::new() };
        server.user("start", json!({}));
        server
    }

    /// Opens a window on the project, and waits until extensions run in it.
    #[track_caller]
    pub(crate) fn open_window(&mut self, name: &str) -> VscodeWindow {
        let folder = self.project.clone();
        self.open_window_in(name, &folder)
    }

    #[track_caller]
    pub(crate) fn open_window_in(&mut self, name: &str, folder: &Path) -> VscodeWindow {
        self.windows.push(name.to_owned());
        self.user("open", json!({ "window": name, "folder": folder }));
        VscodeWindow::new(name, self.wait_for_driver())
    }

    /// The driver of the window that was opened or loaded again last.
    #[track_caller]
    pub(crate) fn wait_for_driver(&self) -> JsonPeer {
        let stream = match self.drivers.recv_timeout(MAX_WINDOW_START) {
            Ok(stream) => stream,
            Err(error) => panic!("no window connects: {error}"),
        };
        let mut driver = JsonPeer::new("the extension host", stream.try_clone().unwrap(), stream);
        match driver.wait_for_event("ready") {
            Ok(_) => driver,
            Err(problem) => panic!("{problem}"),
        }
    }

    /// Waits until VS Code has stored unsaved text that a window would get back. It does so some time after the last change.
    #[track_caller]
    pub(crate) fn wait_for_backup(&self, text: &str) {
        wait_for_file_with(&self.profile.path().join("data/User/Backups"), text);
    }

    /// Whether VS Code keeps this text anywhere on the disk: settings, state, logs.
    pub(crate) fn stores(&self, text: &str) -> bool {
        has_file_with(self.profile.path(), text)
    }

    /// Does something on the page, as a user.
    #[track_caller]
    pub(crate) fn user(&mut self, action: &str, order: Value) -> Value {
        let id = self.begin(action, order.clone());
        match self.finish(id) {
            Ok(result) => result,
            Err(problem) => panic!("{action} {order}: {problem}"),
        }
    }

    /// Begins something on the page without waiting for it.
    pub(crate) fn begin(&mut self, action: &str, mut order: Value) -> u64 {
        order["do"] = json!(action);
        self.browser.send(order)
    }

    pub(crate) fn finish(&mut self, id: u64) -> Result<Value, String> {
        self.browser.wait_for_answer(id)
    }

    /// Copies what explains a failure to a folder that stays; returns it.
    fn keep_evidence(&mut self) -> PathBuf {
        let test = std::thread::current().name().unwrap_or("test").replace("::", ".");
        let folder = kept_folder("vscode-failures").join(test);
        let _ = fs::remove_dir_all(&folder);
        let _ = fs::create_dir_all(&folder);
        for window in self.windows.clone() {
            let path = folder.join(format!("{window}.png"));
            let id = self.begin("screenshot", json!({ "window": window, "path": path }));
            let _ = self.finish(id);
            let id = self.begin("console", json!({ "window": window }));
            if let Ok(lines) = self.finish(id) {
                let lines: Vec<_> =
                    lines.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let _ = fs::write(folder.join(format!("{window}.console")), lines.join("\n"));
            }
        }
        let logs = [self.profile.path().join("data/logs"), self.daemon_log.clone()];
        let _ = Command::new("cp").arg("-r").args(logs).arg(&folder).stderr(Stdio::null()).status();
        folder
    }
}

impl Drop for VscodeServer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("screenshots and logs of this failure: {}", self.keep_evidence().display());
        }
        // It ends everything when its standard input closes.
        self.browser = JsonPeer::new("the browser", std::io::sink(), std::io::empty());
        let _ = self.child.wait();
    }
}

/// Accepts connections in a thread, so that waiting for one has a limit.
fn accept_all(listener: UnixListener) -> Receiver<UnixStream> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            if sender.send(stream).is_err() {
                return;
            }
        }
    });
    receiver
}

/// A folder beside the builds, which survives the run.
pub(super) fn kept_folder(name: &str) -> PathBuf {
    let builds = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "/tmp".into(), PathBuf::from);
    builds.join(name)
}

/// Waits until a file in this folder or below contains the text.
#[track_caller]
pub(crate) fn wait_for_file_with(folder: &Path, text: &str) {
    let end = Instant::now() + MAX_WINDOW_START;
    while !has_file_with(folder, text) {
        assert!(Instant::now() < end, "no file in {} gets {text:?}", folder.display());
        std::thread::yield_now();
    }
}

fn has_file_with(folder: &Path, text: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        // A database is no text.
        let has_text =
            || fs::read(&path).is_ok_and(|content| memchr::memmem::find(&content, text.as_bytes()).is_some());
        if path.is_dir() { has_file_with(&path, text) } else { has_text() }
    })
}

/// A VS Code that does nothing by itself, with the settings of the test on top.
fn usual_settings(more: &Value) -> Value {
    let mut settings = json!({
        "files.autoSave": "off",
        "telemetry.telemetryLevel": "off",
        "extensions.ignoreRecommendations": true,
        "workbench.startupEditor": "none",
        "workbench.secondarySideBar.defaultVisibility": "hidden",
        "git.enabled": false,
        // The chat would take the place and the announcements that most tests look at.
        "copydesk.showConversation": false,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        settings[key] = value.clone();
    }
    settings
}
