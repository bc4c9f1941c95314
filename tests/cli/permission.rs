//! `copydesk permission`: what is always allowed, which rule decides, where it stands, and how a command is read.

use expect_test::expect;
use serde_json::{Value, json};

use super::environment::{TestEnvironment, USER_CONFIG};

fn environment() -> TestEnvironment {
    let config = "{\n  \"permission\": { \"bash\": { \"cargo *\": \"allow\", \"git push*\": \"deny\" } },\n  \"sandbox\": \"off\"\n}\n";
    let env = TestEnvironment::new();
    env.trust_project();
    env.with_files(&[(USER_CONFIG, config), (".env", "KEY=1\n"), ("a.txt", "a\n")])
}

#[test]
fn the_rule_and_its_place_are_shown() {
    let env = environment();
    env.run(&["permission", "explain", "bash", "cat .env; cargo test && ls | xargs rm"]).assert_output(
        &expect![[r#"
            It asks (agent build, preset normal)
              allow bash cat .env
                    `"bash": { "@reads": "allow" }` (preset normal)
              allow bash cargo test
                    `"bash": { "cargo *": "allow" }` (~/.config/copydesk/copydesk.jsonc:2:40)
              allow bash ls
                    `"bash": { "@reads": "allow" }` (preset normal)
              ask   bash xargs rm
                    `"bash": { "*": "ask" }` (built in)
              ask   bash rm {}
                    `"bash": { "@changes": "ask" }` (preset normal)
              ask   read .env
                    `"read": { "@secrets": "ask" }` (built in)
        "#]],
    );
    env.run(&["permission", "explain", "bash", "git  'push' --force"]).assert_output(&expect![[r#"
        It is denied (agent build, preset normal)
          deny  bash git push --force
                `"bash": { "git push*": "deny" }` (~/.config/copydesk/copydesk.jsonc:2:62)
    "#]]);
    env.run(&["permission", "explain", "git", "status"]).assert_output(&expect![[r#"
        It runs without asking (agent build, preset normal)
          allow bash git status
                `"bash": { "@reads": "allow" }` (preset normal)
          In a repository with submodules, or whose configuration may name a program, git asks.
    "#]]);
    env.run(&["permission", "explain", "read", ".env"]).assert_output(&expect![[r#"
        It asks (agent build, preset normal)
          ask   read .env
                `"read": { "@secrets": "ask" }` (built in)
    "#]]);
    env.write("deploy", "-----BEGIN OPENSSH PRIVATE KEY-----\n");
    env.run(&["permission", "explain", "read", "deploy"]).assert_output(&expect![[r#"
        It asks (agent build, preset normal)
          allow read deploy
                `"read": { "*": "allow" }` (built in)
          ask   read deploy (private key)
                `"read": { "@secrets": "ask" }` (built in)
    "#]]);
    env.run(&["permission", "explain", "--preset", "trusting", "edit", "a.txt"]).assert_output(&expect![[
        r#"
            It runs without asking (agent build, preset trusting)
              allow edit a.txt
                    `"edit": { "*": "allow" }` (preset trusting)
        "#
    ]]);
}

#[test]
fn it_is_also_json() {
    let ran = environment().run(&["permission", "explain", "--json", "bash", "cargo test"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let decision = json!({
        "key": "bash",
        "pattern": "cargo test",
        "action": "allow",
        "why": report["decisions"][0]["why"],
    });
    assert_eq!(report["action"], "allow");
    assert_eq!(report["preset"], "normal");
    assert_eq!(report["decisions"], json!([decision]));
    let why = decision["why"].as_str().unwrap();
    assert!(
        why.starts_with("`\"bash\": { \"cargo *\": \"allow\" }` (") && why.contains("copydesk.jsonc:2:"),
        "{why}"
    );
    assert_eq!(report["always"], json!(["cargo test *"]));
}

#[test]
fn an_unknown_agent_is_an_error() {
    let ran = environment().run(&["permission", "explain", "--agent", "nobody", "read", "a"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("nobody"), "{ran:?}");
}

/// A build or a test runs what lies in the folder.
#[test]
fn in_an_untrusted_folder_the_users_own_rules_allow_no_command() {
    let env = environment();
    env.forget_trust();
    let action = |command: &str| {
        let ran = env.run(&["permission", "explain", "--json", "bash", command]);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["action"].clone()
    };
    assert_eq!(["ls", "cargo test", "git push"].map(action), ["allow", "ask", "deny"]);
}

const REPLIES: &str = "~/.local/state/copydesk/replies.json";

/// An environment whose user always allows something in the project, and in another one.
fn with_replies() -> TestEnvironment {
    let env = TestEnvironment::new().with_files(&[("other/.git/x", "")]);
    let reply =
        |key: &str, pattern: &str| json!({ "key": key, "pattern": pattern, "since": 1_763_000_000_000_u64 });
    let root = |folder: &str| env.path(folder).canonicalize().unwrap().to_str().unwrap().to_owned();
    let (project, other) = (root(""), root("other"));
    let own = [reply("bash", "git push *"), reply("webfetch", "https://e.org/*")];
    env.write(REPLIES, json!({ "projects": { project: own, other: [reply("bash", "ls *")] } }).to_string());
    env.trust_project();
    env
}

#[test]
fn what_is_always_allowed_is_listed_and_taken_back() {
    let env = with_replies();
    env.run(&["permission", "list"]).assert_output(&expect![[r#"
        Always allowed in PROJECT
          bash git push *           in every session, since 13 Nov 2025 02:13
          webfetch https://e.org/*  in every session, since 13 Nov 2025 02:13
    "#]]);
    let explained = env.run(&["permission", "explain", "bash", "git push origin"]);
    assert!(
        explained
            .stdout
            .contains("allow bash git push origin\n        your reply \"always\" for this project"),
        "{explained:?}"
    );
    env.run(&["permission", "revoke", "--key", "bash", "https://e.org/*"]).assert_output(&expect![[r#"
        There is no such reply `https://e.org/*` here; `copydesk permission list` shows what there is.
        exit code 1
    "#]]);
    env.run(&["permission", "revoke", "git push *"]).assert_output(&expect![[r#"
        No longer allowed: bash git push *  in every session, since 13 Nov 2025 02:13
    "#]]);
    let listed = env.run(&["permission", "list", "--json"]).json();
    assert_eq!((&listed["replies"][0]["key"], &listed["trusted"]), (&json!("webfetch"), &json!(true)));
    env.run(&["permission", "revoke", "--all"]);
    env.run(&["permission", "list"]).assert_output(&expect![[r#"
        Nothing is always allowed in PROJECT.
    "#]]);
    let kept: Value = serde_json::from_str(&env.read(REPLIES)).unwrap();
    assert_eq!(kept["projects"].as_object().unwrap().len(), 1, "the other project's stay: {kept}");
}

#[test]
fn in_an_untrusted_folder_what_is_always_allowed_does_not_count() {
    let env = with_replies();
    env.forget_trust();
    let listed = env.run(&["permission", "list"]).stdout;
    assert!(listed.contains("You do not trust this folder"), "{listed}");
    let explained = env.run(&["permission", "explain", "--json", "bash", "git push origin"]).json();
    assert_eq!(explained["action"], "ask");
}

#[test]
fn revoking_needs_a_pattern_or_all() {
    for args in [&["permission", "revoke"][..], &["permission", "revoke", "--all", "ls *"]] {
        assert_eq!(TestEnvironment::new().run(args).code, Some(2), "{args:?}");
    }
}

#[test]
fn the_sandbox_is_part_of_the_explanation() {
    let explain = |env: &TestEnvironment, args: &[&str]| {
        let args: Vec<_> = args.iter().copied().chain(["permission", "explain", "--json", "bash"]).collect();
        let report = |command: &str| {
            let ran = env.run(&args.iter().copied().chain([command]).collect::<Vec<_>>());
            serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
        };
        ["make", "git push"].map(report)
    };
    let env = environment().with_files(&[(USER_CONFIG, "{ \"sandbox\": \"off\" }")]);
    assert!(explain(&env, &[])[0]["sandbox"].is_null(), "it is off");
    env.write(USER_CONFIG, "{ \"sandbox\": \"auto\" }");
    let [make, push] = explain(&env, &[]);
    let outside =
        json!({ "sandboxed": false, "what": "It runs outside of the sandbox: it needs the network." });
    assert_eq!(push["action"], "ask");
    if make["sandbox"]["sandboxed"] == true {
        assert_eq!(push["sandbox"], outside);
        let what = "It runs in the sandbox (writable: the workspace, a /tmp of its own; no network).";
        assert_eq!((&make["action"], &make["sandbox"]["what"]), (&json!("allow"), &json!(what)));
        let why = "`\"bash\": { \"@sandboxed\": \"allow\" }` (preset normal)";
        assert_eq!(make["decisions"][0]["why"], why);
    } else {
        assert_eq!(make["action"], "ask", "{make}");
    }
    // The home itself has no sandbox.
    let home = env.path("~/");
    let at_home = ["--cwd", home.to_str().unwrap()];
    env.trust_folder("~/");
    let what = "It runs outside of the sandbox: the workspace `~` contains the home folder; work in a folder below it.";
    assert_eq!(explain(&env, &at_home)[0]["sandbox"]["what"], what);
    env.write(USER_CONFIG, "{ \"sandbox\": \"require\" }");
    let [make, _] = explain(&env, &at_home);
    assert_eq!(make["action"], "deny");
    let what = "`sandbox` is `require`, but it cannot run in the sandbox: the workspace `~` contains the home folder";
    assert!(make["sandbox"]["what"].as_str().unwrap().starts_with(what), "{make}");
}
