//! Commands that only read: what they ask for although the rules let them run, and that git starts nothing of the
//! repository. The asks are decided by the real default rules.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use copydesk_permission::{Ask, PermissionDecision, RuleLayers, default_rules};
use serde_json::json;

use super::fixture::{ToolFixture, fixture_with_rules, link};

fn rules() -> RuleLayers {
    RuleLayers::new([default_rules()])
}

/// What the user is asked for a command: keys and patterns.
async fn asked(fixture: &ToolFixture, command: &str) -> Vec<String> {
    fixture.asked();
    fixture.call("bash", json!({ "command": command })).await;
    let open = fixture.asked().into_iter().filter_map(|ask| {
        let request = Ask { key: ask.key, patterns: ask.patterns, commands: ask.commands, ..Ask::default() };
        match rules().decide(&request) {
            PermissionDecision::Ask(open) => Some(format!("{}: {}", open.key, open.patterns.join(", "))),
            _ => None,
        }
    });
    open.collect()
}

#[tokio::test]
async fn a_command_is_no_way_past_a_rule_about_a_file() {
    let files = [(".env", "KEY=1\n"), ("a", "KEY\n"), ("certs/x.pem", "KEY\n"), ("src/b", "KEY\n")];
    let fixture = fixture_with_rules(&files, rules());
    link(".env", &fixture.path("link"));
    fs::hard_link(fixture.path(".env"), fixture.path("src/hard")).unwrap();
    let cases: [(&str, &[&str]); 14] = [
        ("cat a", &[]),
        ("cat missing.pem", &[]),
        ("ls", &[]),
        ("cat .env", &["read: .env"]),
        ("cat link", &["read: .env"]),
        ("cat src/hard", &["read: .env"]),
        ("cat < link", &["read: .env"]),
        ("cd src && cat hard", &["read: .env"]),
        ("rg KEY src/b", &[]),
        ("grep KEY a src/b", &[]),
        // What a search would show.
        ("rg KEY", &["read: certs/x.pem"]),
        ("rg KEY src", &[]),
        ("diff certs src", &["read: certs/x.pem"]),
        ("rm a", &["bash: rm a"]),
    ];
    for (command, expected) in cases {
        assert_eq!(asked(&fixture, command).await, expected, "{command}");
    }
}

#[tokio::test]
async fn a_private_key_is_a_secret_under_any_name() {
    let key = "A deploy key.\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n";
    let fixture = fixture_with_rules(&[("deploy", key), ("a", "b3Bl\n")], rules());
    link("deploy", &fixture.path("link"));
    for command in ["cat deploy", "cat link", "head -n 3 deploy"] {
        assert_eq!(asked(&fixture, command).await, ["read: deploy (private key)"], "{command}");
    }
    fixture.call("read", json!({ "filePath": "deploy" })).await;
    let asked: Vec<_> = fixture.asked().into_iter().map(|ask| ask.patterns.join(", ")).collect();
    assert_eq!(asked, ["deploy, deploy (private key)"]);
    let found = fixture.call("grep", json!({ "pattern": "b3Bl" })).await;
    assert!(found.output.starts_with("a\n") && !found.output.contains("deploy"), "{}", found.output);
}

fn git(fixture: &ToolFixture, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let done = Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(fixture.path(""))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

const READS: [&str; 5] = ["git status", "git diff", "git log -p -n 2", "git show --stat", "git blame a"];

#[tokio::test]
async fn git_is_free_in_a_plain_repository() {
    let fixture = fixture_with_rules(&[("a", "one\n")], rules());
    git(&fixture, &["init", "-q"]);
    git(&fixture, &["add", "a"]);
    git(&fixture, &["commit", "-q", "-m", "first"]);
    fixture.put("a", b"two\n");
    // A hook is no key of the configuration.
    let hook = fixture.path(".git/hooks/post-index-change");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ntouch ../ran ran\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    for command in READS {
        assert_eq!(asked(&fixture, command).await, [""; 0], "{command}");
    }
    let outcome = fixture.call("bash", json!({ "command": "git diff" })).await;
    assert!(outcome.output.contains("+two"), "{}", outcome.output);
    assert!(!fixture.path("ran").exists(), "the hook ran");
    assert_eq!(asked(&fixture, "git status; touch b").await, ["bash: git status, touch b"]);
    fixture.put("key.pem", b"KEY\n");
    assert_eq!(asked(&fixture, "git diff").await, ["read: key.pem"]);
    assert_eq!(asked(&fixture, "git status").await, [""; 0]);
}

/// Each setting makes git run a program. The first of `READS` that does so has run it before the guard was there.
#[tokio::test]
async fn git_asks_where_the_repository_names_a_program() {
    let settings = [
        ("core.fsmonitor", "touch ran; false"),
        ("core.hooksPath", "hooks"),
        ("core.pager", "touch ran; cat"),
        ("diff.external", "touch ran; true"),
        ("diff.evil.textconv", "touch ran; cat"),
        ("filter.evil.clean", "touch ran; cat"),
        ("gpg.program", "./evil"),
        ("log.showSignature", "true"),
        ("include.path", "../other"),
        ("alias.status", "!touch ran"),
        ("core.worktree", "/"),
    ];
    for (key, value) in settings {
        let fixture =
            fixture_with_rules(&[("a", "one\n"), (".gitattributes", "* diff=evil filter=evil\n")], rules());
        git(&fixture, &["init", "-q"]);
        git(&fixture, &["add", "a"]);
        git(&fixture, &["commit", "-q", "-m", "first"]);
        fixture.put("a", b"two\n");
        git(&fixture, &["config", key, value]);
        for command in READS {
            let open = asked(&fixture, command).await;
            assert_eq!(open, [format!("bash: {command}")], "{key}");
        }
        assert!(!fixture.path("ran").exists(), "{key} ran");
    }
}

#[tokio::test]
async fn git_asks_where_there_are_submodules() {
    let fixture = fixture_with_rules(&[("a", "one\n"), (".gitmodules", "[submodule \"x\"]\n")], rules());
    assert_eq!(asked(&fixture, "git status").await, ["bash: git status"], "there is no repository");
    git(&fixture, &["init", "-q"]);
    assert_eq!(asked(&fixture, "git status").await, ["bash: git status"]);
    git(&fixture, &["add", ".gitmodules"]);
    fs::remove_file(fixture.path(".gitmodules")).unwrap();
    assert_eq!(asked(&fixture, "git status").await, ["bash: git status"], "git reads it from the index");
}
