//! A repository that tries to control the terminal: whatever its names contain, only our own colours get through.

use expect_test::expect;

use super::environment::{PROJECT_CONFIG, TestEnvironment};

const HOSTILE: &str = r#"{
  "provider": {
    "e\u001b[31mvil": {
      "name": "\u001b[2J\u001b]0;title\u0007Evil\u009b5m",
      "options": { "baseURL": "http://evil.test/\u202ev1" },
      "models": { "m\u001b[8m": { "name": "\r" } }
    }
  },
  "\u001b[1Aunknown": 1,
  "model": "\u001b[8mnowhere"
}"#;

/// Every escape sequence, and every other control character but line ends.
fn controls(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, character) in text.char_indices().filter(|(_, character)| *character != '\n') {
        if character == '\u{1b}' {
            let end = text[at..].find('m').map_or(text.len(), |end| at + end + 1);
            found.push(text[at..end].replace('\u{1b}', "ESC"));
        } else if character.is_control() || "\u{202e}\u{2066}".contains(character) {
            found.push(format!("{character:?}"));
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn it_cannot_steer_a_terminal() {
    for force in [false, true] {
        let mut env =
            TestEnvironment::new().with_files(&[(PROJECT_CONFIG, HOSTILE)]).without_local_providers();
        if force {
            env = env.env("CLICOLOR_FORCE", "1");
        }
        let allowed: &[&str] =
            if force { &["ESC[0m", "ESC[1m", "ESC[2m", "ESC[31m", "ESC[32m", "ESC[33m"] } else { &[] };
        for args in [
            &["models"][..],
            &["models", "--json"],
            &["config"],
            &["config", "--json"],
            &["trust"],
            &["trust", "--list"],
        ] {
            let ran = env.run(args);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            for control in controls(&ran.stdout).iter().chain(&controls(&ran.stderr)) {
                assert!(allowed.contains(&control.as_str()), "{args:?} lets {control} through: {ran:?}");
            }
        }
    }
}

#[test]
fn json_still_says_what_was_written() {
    let env = TestEnvironment::new().with_files(&[(PROJECT_CONFIG, HOSTILE)]).without_local_providers();
    let report = env.run(&["models", "--json"]).json();
    let evil =
        report["providers"].as_array().unwrap().iter().find(|one| one["id"] == "e\u{1b}[31mvil").unwrap();
    assert_eq!(evil["name"], "\u{1b}[2J\u{1b}]0;title\u{7}Evil\u{9b}5m");
}

#[test]
fn an_argument_cannot_either() {
    let env = TestEnvironment::new().without_local_providers().env("CLICOLOR_FORCE", "1");
    for args in
        [&["models", "x\u{1b}[2Jx"][..], &["auth", "add", "\u{9b}2J"], &["auth", "remove", "\u{1b}[8m"]]
    {
        let ran = env.run(args);
        assert_eq!(controls(&ran.stderr), ["ESC[0m", "ESC[1m", "ESC[31m"], "{ran:?}");
    }
    env.without_env("CLICOLOR_FORCE").run(&["models", "x\u{1b}[2Jx"]).assert_output(&expect![[r#"
        ! error: There is no provider `x�[2Jx`.
        ! `copydesk models` lists them; provider.x�[2Jx in copydesk.jsonc defines your own (wire, options.baseURL).
        exit code 1
    "#]]);
}
