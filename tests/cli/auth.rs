//! `copydesk auth`: adding, listing (masked), precedence and removal of keys.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use expect_test::expect;
use serde_json::{Value, json};

use super::environment::{KEYS_FILE, PROJECT_CONFIG, TestEnvironment, USER_CONFIG};

const KEY: &str = "gsk_Zy8Xw6Vu4Ts2Rq0P";
const OTHER: &str = "gsk_Second-Mn1Lk3Ji5";

fn stored(env: &TestEnvironment) -> Value {
    serde_json::from_str(&env.read(KEYS_FILE)).unwrap()
}

#[test]
fn a_key_comes_is_replaced_and_goes() {
    let env = TestEnvironment::new().without_local_providers();
    env.run(&["auth", "list"]).assert_output(&expect![[r#"
        No keys. `copydesk auth add PROVIDER` adds one; `copydesk models` lists the providers.
    "#]]);
    env.run_with(&["auth", "add", "groq"], format!("{KEY}\n")).assert_hides(KEY).assert_output(&expect![[
        r#"
        Added the key for groq. `copydesk models groq` lists its models.
    "#
    ]]);
    assert_eq!(stored(&env), json!({ "groq": { "type": "api", "key": KEY } }));
    env.run(&["auth", "list"]).assert_hides(KEY).assert_output(&expect![[r#"
        groq  gsk_…(20 characters)  from `copydesk auth`
    "#]]);
    env.run_with(&["auth", "add", "groq"], OTHER).assert_hides(OTHER).assert_output(&expect![[r#"
        Replaced the key for groq. `copydesk models groq` lists its models.
    "#]]);
    assert_eq!(stored(&env), json!({ "groq": { "type": "api", "key": OTHER } }));
    env.run(&["auth", "remove", "groq"]).assert_hides(OTHER).assert_output(&expect![[r#"
        Removed the key for groq.
    "#]]);
    assert_eq!(stored(&env), json!({}));
    env.run(&["auth", "remove", "groq"]).assert_output(&expect![[r#"
        ! error: there is no key for groq in ~/.local/share/copydesk/auth.json
        exit code 1
    "#]]);
}

#[test]
fn the_file_is_the_users_alone() {
    // Regardless of the shell's umask.
    let env = TestEnvironment::new().without_local_providers();
    let ran = env.shell("umask 000; echo gsk_Zy8Xw6Vu4Ts2Rq0P | \"$COPYDESK\" auth add groq");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!((env.mode(KEYS_FILE), env.mode("~/.local/share/copydesk")), (0o600, 0o700));
    let left: Vec<_> = fs::read_dir(env.path("~/.local/share/copydesk"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(left.iter().all(|name| name == "auth.json" || name == "auth.lock"), "{left:?}");
}

#[test]
fn a_file_that_others_can_read_is_warned_of_and_closed_by_the_next_change() {
    let env = TestEnvironment::new().without_local_providers();
    env.run_with(&["auth", "add", "groq"], KEY);
    fs::set_permissions(env.path(KEYS_FILE), fs::Permissions::from_mode(0o644)).unwrap();
    env.run(&["auth", "list"]).assert_hides(KEY).assert_output(&expect![[r#"
        groq  gsk_…(20 characters)  from `copydesk auth`
        ! warning: ~/.local/share/copydesk/auth.json: others can read your keys; run `chmod 600 ~/.local/share/copydesk/auth.json`
    "#]]);
    env.run_with(&["auth", "add", "xai"], OTHER);
    assert_eq!((env.mode(KEYS_FILE), env.run(&["auth", "list"]).stderr), (0o600, String::new()));
}

#[test]
fn the_list_says_where_each_key_in_use_is() {
    let config = format!(r#"{{ "provider": {{ "openai": {{ "options": {{ "apiKey": "{OTHER}" }} }} }} }}"#);
    let env = TestEnvironment::new()
        .without_local_providers()
        .with_files(&[(USER_CONFIG, &config)])
        .env("ANTHROPIC_API_KEY", "short")
        .env("OPENAI_API_KEY", "loses");
    env.run_with(&["auth", "add", "groq"], KEY);
    let ran = env.run(&["auth", "list"]);
    ran.assert_hides(KEY).assert_hides(OTHER).assert_hides("short").assert_hides("loses").assert_output(
        &expect![[r#"
        anthropic  (set)  from $ANTHROPIC_API_KEY
        groq       gsk_…(20 characters)  from `copydesk auth`
        openai     gsk_…(20 characters)  from the configuration
    "#]],
    );
    let json = env.run(&["auth", "list", "--json"]);
    json.assert_hides(KEY).assert_hides(OTHER);
    assert_eq!(
        json.json()[1],
        json!({ "provider": "groq", "key": "gsk_…(20 characters)", "origin": "`copydesk auth`" })
    );
}

#[test]
fn a_key_that_loses_is_warned_of() {
    let env = TestEnvironment::new().without_local_providers().env("GROQ_API_KEY", "from-the-environment");
    env.run_with(&["auth", "add", "groq"], KEY).assert_output(&expect![[r#"
        Added the key for groq. `copydesk models groq` lists its models.
        ! warning: the key from $GROQ_API_KEY takes precedence over this one
    "#]]);
    let config = r#"{ "provider": { "groq": { "options": { "apiKey": "from-the-configuration" } } } }"#;
    let env = TestEnvironment::new().without_local_providers().with_files(&[(USER_CONFIG, config)]);
    env.run_with(&["auth", "add", "groq"], KEY).assert_output(&expect![[r#"
        Added the key for groq. `copydesk models groq` lists its models.
        ! warning: the key from the configuration takes precedence over this one
    "#]]);
    // An empty variable overrides nothing.
    let env = TestEnvironment::new().without_local_providers().env("GROQ_API_KEY", "");
    assert_eq!(env.run_with(&["auth", "add", "groq"], KEY).stderr, "");
}

#[test]
fn a_providers_other_id_leads_to_the_same_key() {
    let env = TestEnvironment::new().without_local_providers();
    env.run_with(&["auth", "add", "fireworks-ai"], KEY).assert_output(&expect![[r#"
        Added the key for fireworks. `copydesk models fireworks` lists its models.
    "#]]);
    assert_eq!(env.run(&["auth", "list", "--json"]).json()[0]["provider"], "fireworks");
    assert!(env.run(&["models", "fireworks"]).stdout.contains("key from `copydesk auth`"));
    env.run(&["auth", "remove", "fireworks-ai"]).assert_output(&expect![[r#"
        Removed the key for fireworks-ai.
    "#]]);
}

#[test]
fn a_provider_of_ones_own_has_a_key_too() {
    let config = r#"{ "provider": { "acme": { "options": { "baseURL": "https://acme.test/v1" } } } }"#;
    let env = TestEnvironment::new().without_local_providers().with_files(&[(USER_CONFIG, config)]);
    env.run_with(&["auth", "add", "acme"], KEY).assert_output(&expect![[r#"
        Added the key for acme. `copydesk models acme` lists its models.
    "#]]);
    // Without its provider the key is unused, but can still be removed.
    fs::remove_file(env.path(USER_CONFIG)).unwrap();
    assert_eq!(env.run(&["auth", "list", "--json"]).json(), json!([]));
    assert_eq!(env.run(&["auth", "remove", "acme"]).code, Some(0));
}

#[test]
fn a_broken_configuration_keeps_nobody_from_removing_a_key() {
    let env = TestEnvironment::new().without_local_providers();
    env.run_with(&["auth", "add", "groq"], KEY);
    env.write(PROJECT_CONFIG, "{ oops");
    assert_eq!(env.run(&["auth", "remove", "groq"]).code, Some(0));
    assert_eq!(stored(&env), json!({}));
}
