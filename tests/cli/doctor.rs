//! `copydesk doctor`: its findings, its advice, and that it changes nothing.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::environment::{CliOutput, KEYS_FILE, PROJECT_CONFIG, TestEnvironment, USER_CONFIG};
use crate::daemon::stdio_editor::ForegroundDaemon;

const STORE: &str = "~/.local/share/copydesk/sessions.db";
const JOURNAL: &str = "~/.local/share/copydesk/journal.db";
const KEY: &str = "sk-ant-1234567890";

/// The level and text of each finding about a subject.
fn findings_about(ran: &CliOutput, what: &str) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let found = findings.filter(|finding| finding["about"] == what);
    found
        .map(|finding| {
            let words = format!("{} | {}", word(finding, "what"), word(finding, "advice"));
            (word(finding, "level"), words)
        })
        .collect()
}

/// Asserts one finding at this level that contains these words.
#[track_caller]
fn assert_finding(ran: &CliOutput, what: &str, level: &str, words: &str) {
    let found = findings_about(ran, what);
    assert!(found.iter().any(|(is, says)| is == level && says.contains(words)), "{what}: {found:#?}");
}

fn doctor(env: &TestEnvironment) -> CliOutput {
    env.run(&["doctor", "--json"])
}

fn keys(mode: u32) -> TestEnvironment {
    let env = TestEnvironment::new().without_local_providers();
    env.write(KEYS_FILE, format!(r#"{{ "anthropic": {{ "type": "api", "key": "{KEY}" }} }}"#));
    let set = |path: &str, mode| fs::set_permissions(env.path(path), Permissions::from_mode(mode)).unwrap();
    set(KEYS_FILE, mode);
    set("~/.local/share/copydesk", 0o700);
    env
}

fn all_below(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(all_below(&path));
            all.insert(path, None);
        } else {
            all.insert(path.clone(), Some(fs::read(path).unwrap()));
        }
    }
    all
}

#[test]
fn a_daemon_that_works() {
    let env = keys(0o600);
    let ran = doctor(&env);
    assert_eq!((ran.code, ran.json()["ok"].as_bool()), (Some(0), Some(true)), "{ran:?}");
    assert_finding(&ran, "data folder", "ok", "~/.local/share/copydesk");
    assert_finding(&ran, "cache folder", "ok", "created when needed");
    assert_finding(&ran, "keys", "ok", "1 in ~/.local/share/copydesk/auth.json");
    assert_finding(&ran, "providers", "ok", "1 set up: anthropic");
    assert_finding(&ran, "model", "ok", "anthropic/");
    assert_finding(&ran, "sessions", "ok", "none yet");
    assert_finding(&ran, "terminal", "ok", "no colours");
    let text = env.run(&["doctor"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text:?}");
    assert!(text.stdout.starts_with("copydesk ") && text.stdout.contains("✓ shell"), "{text:?}");
    ran.assert_hides(KEY);
    text.assert_hides(KEY);
}

#[test]
fn nothing_is_made_or_changed() {
    let env = keys(0o644).with_files(&[(USER_CONFIG, "{}"), (PROJECT_CONFIG, "{ \"nonsense\": 1 }")]);
    env.write(STORE, "no database");
    let before = all_below(&env.path("~/"));
    doctor(&env);
    assert_eq!(all_below(&env.path("~/")), before);
}

#[test]
fn a_new_daemon_is_told_how_to_begin() {
    let env = TestEnvironment::new().without_local_providers();
    let ran = doctor(&env);
    assert_finding(&ran, "providers", "warning", "copydesk auth add anthropic");
    assert_finding(&ran, "keys", "ok", "none stored");
    assert_finding(&ran, "configuration", "ok", "");
}

#[test]
fn a_broken_configuration_is_shown_with_its_place_and_the_rest_is_still_examined() {
    let env = TestEnvironment::new().with_files(&[(USER_CONFIG, "{\n  \"model\": 3\n}")]);
    let ran = doctor(&env);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    assert_finding(&ran, "configuration", "error", "copydesk.jsonc:2:");
    assert_finding(&ran, "shell", "ok", "/");
    assert_eq!(findings_about(&ran, "model"), []);
    let text = env.run(&["doctor"]);
    assert!(text.code == Some(1) && text.stdout.contains("✗ configuration"), "{text:?}");
}

#[test]
fn what_is_odd_is_no_failure() {
    let env = keys(0o644).with_files(&[(PROJECT_CONFIG, "{ \"nonsense\": 1 }")]);
    fs::set_permissions(env.path("~/.local/share/copydesk"), Permissions::from_mode(0o755)).unwrap();
    let ran = doctor(&env);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert_finding(&ran, "keys", "warning", "chmod 600");
    assert_finding(&ran, "data folder", "warning", "`chmod go= ~/.local/share/copydesk`");
    assert_finding(&ran, "configuration", "warning", "copydesk.jsonc is not trusted");
    assert_finding(&ran, "configuration", "warning", "1 warning | `copydesk config`");
    ran.assert_hides(KEY);
}

#[test]
fn a_model_that_cannot_be_used_is_a_failure() {
    let env = TestEnvironment::new()
        .without_local_providers()
        .with_files(&[(USER_CONFIG, "{ \"model\": \"openai/gpt-5\", \"shell\": \"fish\" }")]);
    let ran = doctor(&env);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_finding(&ran, "model", "error", "openai/gpt-5: ");
    assert_finding(&ran, "shell", "error", "`fish`");
}

#[test]
fn a_damaged_store_and_damaged_keys_are_failures() {
    let env = keys(0o600);
    env.write(STORE, "this is no database, however long one looks at it. ".repeat(40));
    let ran = doctor(&env);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_finding(&ran, "sessions", "error", "not a database");
    env.write(KEYS_FILE, format!("{{ \"anthropic\": \"{KEY}"));
    let ran = doctor(&env);
    assert_finding(&ran, "keys", "error", "is damaged in line 1");
    ran.assert_hides(KEY);
}

#[test]
fn sessions_are_counted_while_their_store_stays_as_it_is() {
    let env = keys(0o600);
    assert_eq!(env.run(&["sessions", "list"]).code, Some(0));
    // Any process may rebuild the index of a leftover log.
    let kept = || {
        let mut all = all_below(&env.path("~/"));
        all.retain(|path, _| !path.to_string_lossy().ends_with("-shm"));
        all
    };
    let before = kept();
    let ran = doctor(&env);
    assert_eq!(kept(), before);
    assert_finding(&ran, "sessions", "ok", "0, ");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn a_folder_that_cannot_be_made() {
    let env = keys(0o600);
    env.write("~/.cache", "a file");
    let ran = doctor(&env);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let found = findings_about(&ran, "cache folder");
    assert!(found.iter().all(|(level, _)| level == "error"), "{found:?}");
}

#[test]
fn the_daemon_and_the_journal_are_looked_at() {
    let env = keys(0o600);
    let ran = doctor(&env);
    let places = "socket ~/.run/copydesk/daemon.sock, log ~/.local/state/copydesk/log/daemon.log";
    assert_finding(&ran, "daemon", "ok", &format!("not running; {places}"));
    assert_finding(&ran, "journal", "ok", "none yet");
    let daemon = ForegroundDaemon::start(&env, &[]);
    let (version, pid) = (env!("CARGO_PKG_VERSION"), daemon.child.id());
    let ran = doctor(&env);
    assert_finding(&ran, "daemon", "ok", &format!("version {version} runs as process {pid}; {places}"));
    assert_finding(&ran, "journal", "ok", "0 edits, ");
    assert!(env.run(&["stop"]).code == Some(0) && daemon.wait_for_exit(&env).success());
    let env = keys(0o600);
    env.write(JOURNAL, "this is no journal, whatever else it may be".repeat(100));
    let before = env.read(JOURNAL);
    let ran = doctor(&env);
    assert_finding(&ran, "journal", "error", "file is not a database");
    assert_eq!((ran.code, env.read(JOURNAL)), (Some(1), before));
}

/// Creates executables in folders of the home or the project.
fn programs(env: &TestEnvironment, paths: &[&str]) {
    for path in paths {
        env.write(path, "#!/bin/sh\n");
        fs::set_permissions(env.path(path), Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn who_serves_the_languages_of_the_project_and_who_is_missing() {
    let env = TestEnvironment::new().without_local_providers();
    // A rustup proxy whose component is missing.
    programs(&env, &["~/.cargo/bin/rustup", "~/.rustup/toolchains/stable/bin/cargo"]);
    std::os::unix::fs::symlink("rustup", env.path("~/.cargo/bin/rust-analyzer")).unwrap();
    programs(&env, &["~/bin/pyright-langserver", "~/bin/cargo", ".venv/bin/ruff"]);
    let path = std::env::join_paths([env.path("~/.cargo/bin"), env.path("~/bin")]).unwrap();
    let env = env.env("PATH", path).with_files(&[
        (USER_CONFIG, "{ \"checkers\": { \"cargo\": {}, \"ruff\": {}, \"go\": {} } }"),
        (PROJECT_CONFIG, "{ \"lsp\": { \"gopls\": { \"command\": [\"./evil\"] } } }"),
        ("Cargo.toml", "[package]"),
        ("src/main.rs", ""),
        ("tool", "#!/usr/bin/env python3\n"),
        ("pyproject.toml", "[tool.ruff]"),
        (".venv/pyvenv.cfg", ""),
        ("data.json", "{}"),
        ("node_modules/x/index.js", ""),
    ]);
    let untrusted = doctor(&env);
    assert_finding(&untrusted, "trust", "warning", "PROJECT is not trusted: no language server");
    assert_eq!(findings_about(&untrusted, "language servers"), []);
    env.trust_project();
    let ran = doctor(&env);
    assert_finding(&ran, "trust", "ok", "PROJECT is trusted");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ok = |words: &str| ("ok".to_owned(), format!("{words} | "));
    let missing = "rust-analyzer for rust is missing | rustup component add rust-analyzer";
    assert_eq!(
        findings_about(&ran, "language servers"),
        [
            ok("pyright for python: ~/bin/pyright-langserver"),
            ok("ruff for python: PROJECT/.venv/bin/ruff, in the project"),
            ("warning".to_owned(), missing.to_owned()),
        ]
    );
    let go = "go is missing | `go` (from the configuration) is not in PATH";
    assert_eq!(
        findings_about(&ran, "checkers"),
        [ok("cargo: ~/bin/cargo"), ("warning".to_owned(), go.to_owned()), ok("ruff: PROJECT/.venv/bin/ruff"),]
    );
    assert_finding(&ran, "languages", "warning", "`lsp` is ignored: this project is not trusted");

    env.write(USER_CONFIG, "{ \"diagnostics\": { \"project_programs\": false } }");
    assert_finding(
        &doctor(&env),
        "language servers",
        "warning",
        "ruff for python is missing | pip install ruff",
    );
    env.write(USER_CONFIG, "{ \"lsp\": false }");
    assert_eq!(findings_about(&doctor(&env), "language servers"), [ok("switched off (`lsp`)")]);
}

/// The home itself has no sandbox, whatever is installed.
#[test]
fn the_sandbox_is_tried_and_what_is_missing_is_named() {
    let env = keys(0o600);
    assert_finding(&doctor(&env), "sandbox", "ok", "off; it would ");
    let at_home =
        |env: &TestEnvironment| env.run(&["--cwd", env.path("~/").to_str().unwrap(), "doctor", "--json"]);
    env.write(USER_CONFIG, "{ \"sandbox\": \"auto\" }");
    let ran = at_home(&env);
    let words = "auto, but commands run outside, and no language server, checker or formatter runs: the workspace `~` contains the home folder | work in a folder below it";
    assert_finding(&ran, "sandbox", "warning", words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    env.write(USER_CONFIG, "{ \"sandbox\": { \"mode\": \"require\", \"write\": [\"~/.cache\"] } }");
    let ran = at_home(&env);
    assert_finding(
        &ran,
        "sandbox",
        "error",
        "require, so no command, language server, checker or formatter runs: the workspace `~`",
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    if Path::new("/usr/bin/bwrap").exists() {
        let words = "; writable: the workspace, a /tmp of its own, ~/.cache; no network";
        let found = findings_about(&doctor(&env), "sandbox");
        assert!(found.iter().all(|(level, says)| level == "error" || says.contains(words)), "{found:?}");
    }
}

#[test]
fn replies_that_cannot_be_read_are_named() {
    let env = TestEnvironment::new().without_local_providers();
    assert_eq!(findings_about(&doctor(&env), "always allowed"), []);
    let root = env.path("").canonicalize().unwrap();
    let replies = json!({ "projects": { root.to_str().unwrap(): [{ "key": "bash", "pattern": "make *", "since": 1 }] } });
    env.write("~/.local/state/copydesk/replies.json", replies.to_string());
    assert_finding(&doctor(&env), "always allowed", "ok", "bash make *");
    env.write("~/.local/state/copydesk/replies.json", "{");
    let ran = doctor(&env);
    assert_finding(&ran, "always allowed", "error", "replies.json: is damaged");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}
