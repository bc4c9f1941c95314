//! OpenCode against the scripted model, with its language servers enabled: for benches that play the same calls through it.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::model_server::{ScriptedModelServer, ScriptedWire};
use crate::sessions::harness::ScriptedEnvironment;
use crate::truth::servers::InstalledServers;

/// The limit for its start, and for its exit at the end.
const LIMIT: Duration = Duration::from_secs(120);

/// The program, if `COPYDESK_TEST_OPENCODE` names it.
pub(crate) fn program() -> Option<PathBuf> {
    std::env::var_os("COPYDESK_TEST_OPENCODE").filter(|named| !named.is_empty()).map(PathBuf::from)
}

/// Ends it with all its children, also if a test fails.
struct OpenCodeProcess(Child);

impl Drop for OpenCodeProcess {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// The whole configuration of a user who wants this server.
fn config(model: &ScriptedModelServer, servers: &InstalledServers, server: &str, model_name: &str) -> Value {
    let (name, extensions): (_, &[&str]) = match server {
        "rust-analyzer" => ("rust", &[".rs"]),
        "typescript-language-server" | "typescript-7" => ("typescript", &[".ts"]),
        "pyright" => ("pyright", &[".py"]),
        "ruff" => ("ruff", &[".py"]),
        "clangd" => ("clangd", &[".c", ".h"]),
        "gopls" => ("gopls", &[".go"]),
        _ => panic!("which files does {server} serve?"),
    };
    let mut lsp = json!({ name: { "command": servers.command(server), "extensions": extensions } });
    if server == "ruff" {
        lsp["pyright"] = json!({ "disabled": true });
    }
    json!({
        "model": format!("script/{model_name}"),
        "small_model": format!("script/{model_name}"),
        "provider": { "script": {
            "npm": "@ai-sdk/anthropic",
            "options": { "baseURL": model.base_url(ScriptedWire::Anthropic), "apiKey": "sk-0987654321" },
            "models": { model_name: {} },
        } },
        "lsp": lsp,
        "permission": "allow",
        "share": "disabled",
        "autoupdate": false,
        "snapshot": false,
    })
}

/// Has it play the turns that are queued, from its start to its end, and does something meanwhile.
pub(crate) fn play<T>(
    program: &Path,
    scripted: &ScriptedEnvironment,
    (servers, server): (&InstalledServers, &str),
    model_name: &str,
    meanwhile: impl FnOnce() -> T,
) -> T {
    let config = config(&scripted.server, servers, server, model_name);
    scripted.env.write("~/.config/opencode/opencode.json", config.to_string());
    let mut command = Command::new(program);
    scripted.env.prepare(&mut command);
    command.args(["run", "--format", "json", "--title", "Work", "--auto", "Work"]);
    for (variable, value) in [
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        // Its tool `lsp` is off by default.
        ("OPENCODE_EXPERIMENTAL_LSP_TOOL", "1"),
    ] {
        command.env(variable, value);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut run = OpenCodeProcess(command.process_group(0).spawn().unwrap());
    let mut said = BufReader::new(run.0.stdout.take().unwrap());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = said.read_line(&mut String::new());
        let _ = tell.send(());
        let _ = std::io::copy(&mut said, &mut std::io::sink());
    });
    // It starts slowly: once it prints anything, it has asked the model.
    told.recv_timeout(LIMIT).expect("OpenCode says something");
    let made = meanwhile();
    assert_eq!(told.recv_timeout(LIMIT), Err(mpsc::RecvTimeoutError::Disconnected), "OpenCode ends");
    made
}
