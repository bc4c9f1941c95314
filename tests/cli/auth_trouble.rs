//! `copydesk auth` and its errors: it rejects everything that is not a key, and keeps what is stored.

use std::os::unix::fs::symlink;

use expect_test::{Expect, expect};

use super::environment::{KEYS_FILE, TestEnvironment};

const KEY: &str = "gsk_Zy8Xw6Vu4Ts2Rq0P";
const STORED: &str =
    r#"{"groq": {"type": "api", "key": "gsk_Zy8Xw6Vu4Ts2Rq0P"}, "me": {"type": "oauth", "token": "t"}}"#;

fn add(stdin: impl AsRef<[u8]>, expected: &Expect) {
    let env = TestEnvironment::new().without_local_providers().with_files(&[(KEYS_FILE, STORED)]);
    std::fs::set_permissions(env.path(KEYS_FILE), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .unwrap();
    env.run_with(&["auth", "add", "groq"], stdin).assert_hides("Hidden-0123456789").assert_output(expected);
    assert_eq!(env.read(KEYS_FILE), STORED, "what was there stays");
}

#[test]
fn what_is_no_key_is_refused() {
    add(
        "",
        &expect![[r#"
        ! error: no key was given; nothing was changed
        exit code 1
    "#]],
    );
    add(
        " \t\r\n",
        &expect![[r#"
        ! error: no key was given; nothing was changed
        exit code 1
    "#]],
    );
    add(
        "\nHidden-0123456789\n",
        &expect![[r#"
        ! error: no key was given; nothing was changed
        exit code 1
    "#]],
    );
    add(
        "Hidden-0123456789 two words\n",
        &expect![[r#"
        ! error: a key has no spaces or control characters; nothing was changed
        exit code 1
    "#]],
    );
    add(
        "Hidden-0123456789\u{7}\n",
        &expect![[r#"
        ! error: a key has no spaces or control characters; nothing was changed
        exit code 1
    "#]],
    );
    add(
        "Hidden-0123456789\0\n",
        &expect![[r#"
        ! error: a key has no spaces or control characters; nothing was changed
        exit code 1
    "#]],
    );
    add(
        b"Hidden-0123456789\xff\n",
        &expect![[r#"
        ! error: standard input could not be read as text: stream did not contain valid UTF-8
        exit code 1
    "#]],
    );
    add(
        "Hidden-0123456789".repeat(6000),
        &expect![[r#"
        ! error: a key has at most 16384 bytes; nothing was changed
        exit code 1
    "#]],
    );
}

#[test]
fn around_a_key_there_may_be_white_space_and_after_it_other_lines() {
    for stdin in ["  gsk_Zy8Xw6Vu4Ts2Rq0P  ", "gsk_Zy8Xw6Vu4Ts2Rq0P\r\n", "gsk_Zy8Xw6Vu4Ts2Rq0P\nmore\n"] {
        let env = TestEnvironment::new().without_local_providers();
        assert_eq!(env.run_with(&["auth", "add", "groq"], stdin).code, Some(0), "{stdin:?}");
        assert!(env.read(KEYS_FILE).contains(r#""gsk_Zy8Xw6Vu4Ts2Rq0P""#), "{stdin:?}");
    }
    let longest = "k".repeat(16 * 1024);
    let env = TestEnvironment::new().without_local_providers();
    assert_eq!(env.run_with(&["auth", "add", "groq"], &longest).code, Some(0));
    assert!(env.read(KEYS_FILE).contains(&longest), "not a character is lost");
}

#[test]
fn a_provider_that_is_not_there_gets_no_key() {
    let env = TestEnvironment::new().without_local_providers();
    env.run_with(&["auth", "add", "gorq"], KEY).assert_hides(KEY).assert_output(&expect![[r#"
        ! error: There is no provider `gorq`. Did you mean `groq`?
        ! `copydesk models` lists them; provider.gorq in copydesk.jsonc defines your own (wire, options.baseURL).
        exit code 1
    "#]]);
    env.run(&["auth", "remove", "gorq"]).assert_output(&expect![[r#"
        ! error: there is no key for gorq in ~/.local/share/copydesk/auth.json
        exit code 1
    "#]]);
    assert!(!env.exists(KEYS_FILE), "nothing was written");
}

#[test]
fn other_entries_of_the_file_are_kept() {
    let env = TestEnvironment::new().without_local_providers().with_files(&[(KEYS_FILE, STORED)]);
    env.run_with(&["auth", "add", "xai"], "xai-Zy8Xw6Vu4Ts2Rq0P");
    env.run(&["auth", "remove", "groq"]);
    let kept: serde_json::Value = serde_json::from_str(&env.read(KEYS_FILE)).unwrap();
    assert_eq!(kept["me"], serde_json::json!({ "type": "oauth", "token": "t" }));
    assert_eq!(kept["xai"]["key"], "xai-Zy8Xw6Vu4Ts2Rq0P");
    assert_eq!(kept["groq"], serde_json::Value::Null);
}

#[test]
fn a_damaged_file_is_told_without_its_content_and_left_alone() {
    for damaged in [
        r#"{"groq": {"type": "api", "key": "gsk_Zy8Xw6Vu4Ts2Rq0P}}"#,
        r#"["gsk_Zy8Xw6Vu4Ts2Rq0P"]"#,
        "gsk_Zy8Xw6Vu4Ts2Rq0P",
        "",
    ] {
        let env = TestEnvironment::new().without_local_providers().with_files(&[(KEYS_FILE, damaged)]);
        for args in [&["auth", "list"][..], &["auth", "add", "xai"], &["auth", "remove", "groq"], &["models"]]
        {
            let ran = env.run_with(args, "xai-0123456789");
            assert!(
                ran.assert_hides(KEY)
                    .stderr
                    .starts_with("error: ~/.local/share/copydesk/auth.json: is damaged in line 1"),
                "{ran:?}"
            );
            assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
            assert_eq!(env.read(KEYS_FILE), damaged);
        }
    }
    let env = TestEnvironment::new().without_local_providers().with_files(&[(KEYS_FILE, "{")]);
    env.run(&["auth", "list"]).assert_output(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: is damaged in line 1, column 1; repair it, or remove it and add the keys again with `copydesk auth add`
        exit code 1
    "#]]);
}

#[test]
fn entries_that_are_no_keys_are_passed_over() {
    let odd = r#"{"groq": "gsk_Zy8Xw6Vu4Ts2Rq0P", "xai": {"type": "api", "key": 5}, "openai": {"type": "api", "key": ""}, "zai": null}"#;
    let env = TestEnvironment::new()
        .with_providers(&["groq", "xai", "openai", "zai"])
        .with_files(&[(KEYS_FILE, odd)]);
    let ran = env.run(&["models"]);
    assert_eq!(ran.assert_hides(KEY).code, Some(0));
    assert!(!ran.stdout.contains("key from"), "{ran:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    // A file in place of the folder stops even root.
    let env = TestEnvironment::new().without_local_providers().with_files(&[("~/.local/share", "a file")]);
    env.run_with(&["auth", "add", "groq"], KEY).assert_hides(KEY).assert_output(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: cannot be read: Not a directory (os error 20)
        exit code 1
    "#]]);
    env.run(&["auth", "list"]).assert_output(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: cannot be read: Not a directory (os error 20)
        exit code 1
    "#]]);
    let folder = TestEnvironment::new()
        .without_local_providers()
        .with_files(&[("~/.local/share/copydesk/auth.json/x", "")]);
    folder.run_with(&["auth", "add", "groq"], KEY).assert_hides(KEY).assert_output(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: is a folder; expected a file
        exit code 1
    "#]]);
    let device =
        TestEnvironment::new().without_local_providers().with_files(&[("~/.local/share/copydesk/x", "")]);
    symlink("/dev/zero", device.path(KEYS_FILE)).unwrap();
    device.run_with(&["auth", "add", "groq"], KEY).assert_hides(KEY).assert_output(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: is a device, pipe or socket; expected a file
        exit code 1
    "#]]);
}
