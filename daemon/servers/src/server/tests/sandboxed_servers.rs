//! Real servers in the sandbox: they work as outside, and what they run of a project gets nowhere.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::sandbox::{
    CommandSandbox, ProgramSandbox, SandboxMode, SandboxPlaces, SandboxSettings,
};
use tokio::time::{Instant, timeout};

use super::super::*;
use super::real_servers::{TRIALS, installed, run, start_in};

/// What the user hides stands for a key.
fn sandbox(root: &Path, hide: Vec<PathBuf>, caches: &Path) -> ProgramSandbox {
    let settings = SandboxSettings { mode: SandboxMode::Require, hide, ..SandboxSettings::default() };
    let places = SandboxPlaces {
        home: std::env::home_dir().unwrap(),
        search_path: std::env::var_os("PATH").unwrap_or_default(),
        caches: Some(caches.to_owned()),
        ..SandboxPlaces::default()
    };
    ProgramSandbox::new(CommandSandbox::new(settings, places), root.to_owned())
}

/// A folder that the sandbox does not have for itself, as it has /tmp.
fn visible_folder() -> tempfile::TempDir {
    tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs servers, by COPYDESK_TEST_SERVERS_FOLDER"]
async fn every_server_works_in_the_sandbox() {
    let folder = std::env::var_os("COPYDESK_TEST_SERVERS_FOLDER").expect("the folder with the servers");
    let only = std::env::var("COPYDESK_TEST_SERVER").unwrap_or_default();
    let caches = visible_folder();
    for trial in TRIALS.iter().filter(|trial| trial.name.contains(&only)) {
        run(trial, Path::new(&folder), |root| sandbox(root, Vec::new(), caches.path())).await;
    }
    let names: Vec<_> = fs::read_dir(caches.path())
        .unwrap()
        .flat_map(|workspace| fs::read_dir(workspace.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().file_name())
        .collect();
    println!("caches: {names:?}");
}

const BUILD_SCRIPT: &str = r#"
use std::{fs, io::Write, net::TcpStream, process::{Command, Stdio}};

fn main() {
    let mut log = fs::File::create("src/outcome.txt.new").unwrap();
    let mut tell = |what: &str, worked: bool| writeln!(log, "{what} {worked}").unwrap();
    tell("reads a key", fs::read("SECRET").is_ok_and(|text| !text.is_empty()));
    tell("writes outside", fs::write("OUTSIDE/evil", "").is_ok());
    tell("writes to the home", fs::write(std::env::var("HOME").unwrap() + "/.copydesk-evil", "").is_ok());
    tell("connects", TcpStream::connect("ADDRESS").is_ok());
    tell("plants a hook", fs::write(".git/hooks/pre-commit", "").is_ok());
    tell("changes git's configuration", fs::write(".git/config", "").is_ok());
    tell("makes editor settings", fs::create_dir(".vscode").is_ok());
    tell("makes a configuration", fs::write("copydesk.json", "").is_ok());
    tell("sees the daemon", fs::metadata("/proc/DAEMON").is_ok());
    // Cargo waits for the output of what it started.
    let mut left = Command::new("setsid");
    left.args(["-f", "sleep", "98764.DAEMON"]).stdout(Stdio::null()).stderr(Stdio::null());
    let left = left.status();
    tell("leaves a process", left.is_ok());
    tell("writes in the workspace", fs::write("src/written.txt", "").is_ok());
    fs::rename("src/outcome.txt.new", "src/outcome.txt").unwrap();
}
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs servers, by COPYDESK_TEST_SERVERS_FOLDER"]
async fn a_build_script_that_rust_analyzer_runs_gets_nowhere() {
    let folder = std::env::var_os("COPYDESK_TEST_SERVERS_FOLDER").expect("the folder with the servers");
    let (beside, listener) = (visible_folder(), TcpListener::bind("127.0.0.1:0").unwrap());
    let root = beside.path().canonicalize().unwrap().join("work");
    let secret = beside.path().canonicalize().unwrap().join("key");
    fs::write(&secret, "TOP-SECRET").unwrap();
    for made in ["src", ".git/hooks"] {
        fs::create_dir_all(root.join(made)).unwrap();
    }
    let script = BUILD_SCRIPT
        .replace("SECRET", secret.to_str().unwrap())
        .replace("OUTSIDE", beside.path().to_str().unwrap())
        .replace("ADDRESS", &listener.local_addr().unwrap().to_string())
        .replace("DAEMON", &std::process::id().to_string());
    let text = "pub fn f() -> u32 {\n    1\n}\n";
    for (path, text) in [
        ("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2021\"\n[workspace]\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[core]\n"),
        ("build.rs", &script),
        ("src/lib.rs", text),
    ] {
        fs::write(root.join(path), text).unwrap();
    }
    let caches = visible_folder();
    let sandbox = sandbox(&root, vec![secret], caches.path());
    let installed = installed(Path::new(&folder), "rust-analyzer-");
    let (server, _processes) = start_in("rust-analyzer", &installed, &root, sandbox).await;
    assert_eq!(server.is_sandboxed(), Some(true));
    let file = root.join("src/lib.rs");
    let sync = |text: &str, is_saved| {
        let text = Arc::new(text.to_owned());
        server.sync_document(&CheckedDocument { path: file.clone(), text, is_saved }, "rust");
    };
    sync(text, true);
    server.subscribe_state().wait_for(|state| *state == LanguageServerState::Ready).await.unwrap();
    // What only the compiler finds.
    let borrowed = "pub fn f() -> u32 {\n    let a = String::new();\n    drop(a);\n    a.len() as u32\n}\n";
    fs::write(&file, borrowed).unwrap();
    sync(borrowed, true);
    server.did_save(&file);
    let found = loop {
        let verdict = server.check_saved(&file, Instant::now() + Duration::from_secs(60)).await.unwrap();
        match verdict.diagnostics() {
            Some(all) if !all.is_empty() => break all.to_vec(),
            _ => {
                let mut states = server.subscribe_state();
                let _ = timeout(Duration::from_secs(1), states.changed()).await;
                server.did_save(&file);
            }
        }
    };
    assert!(found.iter().any(|one| one.message.contains("moved")), "{found:?}");
    assert!(!server.has_stale_sandbox());
    let outcome = fs::read_to_string(root.join("src/outcome.txt")).unwrap();
    let worked: Vec<_> = outcome.lines().filter_map(|line| line.strip_suffix(" true")).collect();
    assert_eq!(worked, ["leaves a process", "writes in the workspace"], "{outcome}");
    server.shut_down(Duration::from_secs(4)).await;
    let left = format!("98764.{}", std::process::id());
    let is_left = |process: fs::DirEntry| {
        let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == left.as_bytes())
    };
    assert!(!fs::read_dir("/proc").unwrap().flatten().any(is_left));
    assert!(![".vscode", "copydesk.json", ".envrc"].iter().any(|name| root.join(name).exists()));
}
