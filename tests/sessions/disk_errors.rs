//! Folders that cannot be read or written, and a full disk: a readable error, never a panic or a hang.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use super::harness::{RunLocation, ScriptedEnvironment};
use crate::cli::environment::BINARY;
use crate::model_server::ScriptedTurn;

const NOBODY: u32 = 65534;

/// Runs as a user to whom permissions apply: they do not apply to root.
fn as_nobody(scripted: &ScriptedEnvironment, args: &[&str]) -> Output {
    let root = scripted.env.path("~/x").ancestors().nth(2).unwrap().to_owned();
    let binary = root.join("copydesk");
    // Copied by another process: processes that are being started here would hold our file open for writing.
    if !binary.exists() {
        assert!(Command::new("cp").arg(BINARY).arg(&binary).status().unwrap().success());
    }
    let mut command = Command::new(&binary);
    scripted.env.prepare(&mut command);
    command.args(args).stdin(Stdio::null());
    if tempfile::tempfile().unwrap().metadata().unwrap().uid() == 0 {
        let given = Command::new("chown").args(["-R", "65534:65534"]).arg(&root).status().unwrap();
        assert!(given.success());
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().unwrap()
}

fn forbid(scripted: &ScriptedEnvironment, path: &str, mode: u32) {
    let path = scripted.env.path(path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn complaint(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

#[test]
fn a_folder_that_may_not_be_read_is_named() {
    let scripted = ScriptedEnvironment::new([]);
    forbid(&scripted, "closed/below", 0o755);
    forbid(&scripted, "closed", 0o000);
    for folder in ["closed/below", "closed"] {
        let output = as_nobody(&scripted, &["--cwd", folder, "run", "Go"]);
        let said = complaint(&output);
        assert!(said.contains("closed") && said.contains("Permission denied"), "{said}");
    }
    forbid(&scripted, "closed", 0o755);
}

#[test]
fn a_data_folder_that_cannot_be_written_is_named() {
    let scripted = ScriptedEnvironment::new([]);
    forbid(&scripted, "~/.local/share/copydesk", 0o500);
    let said = complaint(&as_nobody(&scripted, &["run", "Go"]));
    assert!(said.contains("sessions.db: cannot be created: Permission denied"), "{said}");

    // The file exists from before.
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    forbid(&scripted, "~/.local/share/copydesk", 0o500);
    let file = scripted.env.path("~/.local/share/copydesk/sessions.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).unwrap();
    let said = complaint(&as_nobody(&scripted, &["run", "Go"]));
    assert!(said.contains("sessions.db: cannot be written: Permission denied"), "{said}");
    assert!(said.contains("XDG_DATA_HOME"), "{said}");
}

/// Stored sessions can still be read, and stay as they are.
#[test]
fn sessions_that_cannot_be_written_are_read() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("The needle is here.")]);
    // The log stays when a process is killed; one that ends may remove it.
    let mut up = scripted.start_daemon(RunLocation::Daemon).unwrap();
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    up.kill();
    let folder = scripted.env.path("~/.local/share/copydesk");
    let file = folder.join("sessions.db");
    let bytes = std::fs::read(&file).unwrap();
    let read = |args: &[&str]| {
        let output = as_nobody(&scripted, args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{args:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (modes, folder_mode) in
        [([0o400, 0o400, 0o400], 0o500), ([0o400, 0o600, 0o600], 0o500), ([0o400, 0o600, 0o600], 0o700)]
    {
        for (suffix, mode) in ["", "-wal", "-shm"].iter().zip(modes) {
            let file = folder.join(format!("sessions.db{suffix}"));
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        forbid(&scripted, "~/.local/share/copydesk", folder_mode);
        let list: serde_json::Value = serde_json::from_str(&read(&["sessions", "list", "--json"])).unwrap();
        let id = list[0]["id"].as_str().unwrap();
        assert!(read(&["sessions", "show", id]).contains("The needle is here."));
        assert!(read(&["sessions", "export", id]).contains("The needle is here."));
        assert!(read(&["sessions", "search", "needle"]).contains(id));
        let said = complaint(&as_nobody(&scripted, &["sessions", "delete", id]));
        assert!(said.contains("cannot be") && said.contains("XDG_DATA_HOME"), "{said}");
    }
    forbid(&scripted, "~/.local/share/copydesk", 0o700);
    assert!(std::fs::read(&file).unwrap() == bytes, "it is as it was");
}

/// The log holds data that is nowhere else: a process that cannot read it gets an error instead of an older state.
#[test]
fn sessions_in_a_log_that_cannot_be_read_are_not_passed_over() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    let mut up = scripted.start_daemon(RunLocation::Daemon).unwrap();
    assert_eq!(scripted.run(&["Go"]).code, Some(0));
    up.kill();
    let folder = scripted.env.path("~/.local/share/copydesk");
    assert!(folder.join("sessions.db-wal").metadata().unwrap().len() > 0);
    let listed = || {
        let output = as_nobody(&scripted, &["sessions", "list", "--json"]);
        let sessions = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
        assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{output:?}");
    };
    forbid(&scripted, "~/.local/share/copydesk", 0o500);
    listed();
    forbid(&scripted, "~/.local/share/copydesk", 0o700);
    std::fs::remove_file(folder.join("sessions.db-shm")).unwrap();
    forbid(&scripted, "~/.local/share/copydesk", 0o500);
    let said = complaint(&as_nobody(&scripted, &["sessions", "list"]));
    assert!(said.contains("because of the log beside it") && said.contains("XDG_DATA_HOME"), "{said}");
    forbid(&scripted, "~/.local/share/copydesk", 0o700);
    listed();
}

/// A limit on file size, which looks like a full disk to the writer.
#[test]
fn a_disk_that_is_full_ends_the_turn_and_says_so() {
    let turns = [ScriptedTurn::new().text("long ".repeat(400_000)), ScriptedTurn::new().text("ok")];
    // The text would be summed up.
    let scripted = ScriptedEnvironment::with_config(turns, json!({ "compaction": { "auto": false } }));
    let ran = scripted.env.shell("trap '' XFSZ; ulimit -f 1000; \"$COPYDESK\" run Go");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("the session store failed"), "{}", ran.stderr);
    // With space again the session continues, with everything stored.
    let ran = scripted.run(&["--continue", "And now?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(scripted.request_body(1)["messages"].to_string().contains("Go"));
}

#[test]
fn what_means_nothing_is_wrong_usage() {
    let scripted = ScriptedEnvironment::new([]);
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let _up = scripted.start_daemon(place);
        for (options, told) in [
            (&["--model", "foo"][..], "`foo` names no provider: write PROVIDER/MODEL"),
            (&["--model", "script/"], "`script/` names no model: write PROVIDER/MODEL"),
            (&["--model", "/m-1"], "There is no provider ``"),
            (&["--model", ""], "--model <PROVIDER/MODEL>"),
            (&["--agent", ""], "--agent <AGENT>"),
            (&["--session", ""], "--session <ID>"),
        ] {
            let ran = scripted.run(&[options, &["Go"]].concat());
            assert!(ran.code == Some(2) && ran.stderr.contains(told), "{options:?}: {ran:?}");
        }
        // These are names of something that does not exist.
        for options in [["--agent", "none"], ["--session", "none"]] {
            let ran = scripted.run(&[&options[..], &["Go"]].concat());
            assert_eq!(ran.code, Some(1), "{options:?}: {ran:?}");
        }
    }
}

#[test]
fn an_empty_prompt_is_refused_before_anything_is_sent() {
    let scripted = ScriptedEnvironment::new([]);
    for prompt in ["", "  \n"] {
        let ran = scripted.run(&[prompt]);
        assert!(ran.code == Some(2) && ran.stderr.contains("the prompt is empty"), "{ran:?}");
    }
    assert!(scripted.server.requests().is_empty());
}

/// Nonsense from a confused model: each call gets an error, and the turn continues.
#[test]
fn nonsense_in_calls_is_answered_and_survived() {
    let turn = ScriptedTurn::new()
        .call("c1", "read", json!({ "filePath": 7 }))
        .call("c2", "read", json!([]))
        .call("c3", "no_such_tool", json!({}))
        .call("c4", "read", json!({ "filePath": "../../../../etc/shadow" }))
        .call("c5", "read", json!({ "filePath": "binary" }))
        .call("c6", "read", json!({ "filePath": "huge" }));
    let scripted = ScriptedEnvironment::new([turn, ScriptedTurn::new().text("Done.")]);
    scripted.env.write("binary", b"ab\0\x01");
    scripted.env.write("huge", "");
    std::fs::File::options().write(true).open(scripted.env.path("huge")).unwrap().set_len(200 << 20).unwrap();
    let ran = scripted.run(&["Go"]);
    assert_eq!(ran.code, Some(1), "nobody could be asked about the path outside: {ran:?}");
    let results = scripted.request_body(1)["messages"][2]["content"].as_array().unwrap().clone();
    let words = [
        "do not fit",
        "are no JSON object",
        "There is no tool",
        "Nobody is there to approve this",
        "it is binary",
        "209715200 bytes",
    ];
    assert_eq!(results.len(), words.len());
    for (result, word) in results.iter().zip(words) {
        assert!(result["is_error"] == true && result.to_string().contains(word), "{word}: {result:#}");
    }
}
