//! `copydesk permission explain`: which rule decides, where it stands, and how a command is read.

use expect_test::expect;
use serde_json::{Value, json};

use super::environment::{TestEnvironment, USER_CONFIG};

fn environment() -> TestEnvironment {
    let config =
        "{\n  \"permission\": { \"bash\": { \"cargo *\": \"allow\", \"git push*\": \"deny\" } }\n}\n";
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
                    `"bash": { "*": "ask" }` (built in)
              ask   read .env
                    `"read": { "@secrets": "ask" }` (built in)
        "#]],
    );
    env.run(&["permission", "explain", "bash", "git  'push' --force"]).assert_output(&expect![[r#"
        It is denied (agent build, preset normal)
          deny  bash git push --force
                `"bash": { "git push*": "deny" }` (~/.config/copydesk/copydesk.jsonc:2:62)
    "#]]);
    env.run(&["permission", "explain", "bash", "git", "status"]).assert_output(&expect![[r#"
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
