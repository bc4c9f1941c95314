//! `copydesk auth` and what goes wrong: whatever is no key is refused, and what is stored already stays as it is.

use std::os::unix::fs::symlink;

use expect_test::{Expect, expect};

use super::desk::{Desk, KEYS};

const KEY: &str = "gsk_Zy8Xw6Vu4Ts2Rq0P";
const STORED: &str =
    r#"{"groq": {"type": "api", "key": "gsk_Zy8Xw6Vu4Ts2Rq0P"}, "me": {"type": "oauth", "token": "t"}}"#;

fn add(stdin: impl AsRef<[u8]>, expected: &Expect) {
    let desk = Desk::new().quiet().with(&[(KEYS, STORED)]);
    std::fs::set_permissions(desk.path(KEYS), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    desk.run_with(&["auth", "add", "groq"], stdin).hides("Hidden-0123456789").shows(expected);
    assert_eq!(desk.read(KEYS), STORED, "what was there stays");
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
        ! error: this is no key: it has spaces or control characters in it; nothing was changed
        exit code 1
    "#]],
    );
    add(
        "Hidden-0123456789\u{7}\n",
        &expect![[r#"
        ! error: this is no key: it has spaces or control characters in it; nothing was changed
        exit code 1
    "#]],
    );
    add(
        "Hidden-0123456789\0\n",
        &expect![[r#"
        ! error: this is no key: it has spaces or control characters in it; nothing was changed
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
        ! error: this is no key: it is longer than 16384 bytes; nothing was changed
        exit code 1
    "#]],
    );
}

#[test]
fn around_a_key_there_may_be_white_space_and_after_it_other_lines() {
    for stdin in ["  gsk_Zy8Xw6Vu4Ts2Rq0P  ", "gsk_Zy8Xw6Vu4Ts2Rq0P\r\n", "gsk_Zy8Xw6Vu4Ts2Rq0P\nmore\n"] {
        let desk = Desk::new().quiet();
        assert_eq!(desk.run_with(&["auth", "add", "groq"], stdin).code, Some(0), "{stdin:?}");
        assert!(desk.read(KEYS).contains(r#""gsk_Zy8Xw6Vu4Ts2Rq0P""#), "{stdin:?}");
    }
    let longest = "k".repeat(16 * 1024);
    let desk = Desk::new().quiet();
    assert_eq!(desk.run_with(&["auth", "add", "groq"], &longest).code, Some(0));
    assert!(desk.read(KEYS).contains(&longest), "not a character is lost");
}

#[test]
fn a_provider_that_is_not_there_gets_no_key() {
    let desk = Desk::new().quiet();
    desk.run_with(&["auth", "add", "gorq"], KEY).hides(KEY).shows(&expect![[r#"
        ! error: There is no provider `gorq`. Did you mean `groq`?
        ! `copydesk models` lists them; provider.gorq in copydesk.jsonc makes one of your own (wire, options.baseURL).
        exit code 1
    "#]]);
    desk.run(&["auth", "remove", "gorq"]).shows(&expect![[r#"
        ! error: there is no key for gorq in ~/.local/share/copydesk/auth.json
        exit code 1
    "#]]);
    assert!(!desk.exists(KEYS), "nothing was written");
}

#[test]
fn other_entries_of_the_file_are_kept() {
    let desk = Desk::new().quiet().with(&[(KEYS, STORED)]);
    desk.run_with(&["auth", "add", "xai"], "xai-Zy8Xw6Vu4Ts2Rq0P");
    desk.run(&["auth", "remove", "groq"]);
    let kept: serde_json::Value = serde_json::from_str(&desk.read(KEYS)).unwrap();
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
        let desk = Desk::new().quiet().with(&[(KEYS, damaged)]);
        for args in [&["auth", "list"][..], &["auth", "add", "xai"], &["auth", "remove", "groq"], &["models"]]
        {
            let ran = desk.run_with(args, "xai-0123456789");
            assert!(
                ran.hides(KEY)
                    .stderr
                    .starts_with("error: ~/.local/share/copydesk/auth.json: is damaged in line 1"),
                "{ran:?}"
            );
            assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(1)));
            assert_eq!(desk.read(KEYS), damaged);
        }
    }
    let desk = Desk::new().quiet().with(&[(KEYS, "{")]);
    desk.run(&["auth", "list"]).shows(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: is damaged in line 1, column 1; mend it, or remove it and add the keys again with `copydesk auth add`
        exit code 1
    "#]]);
}

#[test]
fn entries_that_are_no_keys_are_passed_over() {
    let odd = r#"{"groq": "gsk_Zy8Xw6Vu4Ts2Rq0P", "xai": {"type": "api", "key": 5}, "openai": {"type": "api", "key": ""}, "zai": null}"#;
    let desk = Desk::new().only(&["groq", "xai", "openai", "zai"]).with(&[(KEYS, odd)]);
    let ran = desk.run(&["models"]);
    assert_eq!(ran.hides(KEY).code, Some(0));
    assert!(!ran.stdout.contains("key from"), "{ran:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    // A file in the folder's place stops even root.
    let desk = Desk::new().quiet().with(&[("~/.local/share", "a file")]);
    desk.run_with(&["auth", "add", "groq"], KEY).hides(KEY).shows(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: cannot be read: Not a directory (os error 20)
        exit code 1
    "#]]);
    desk.run(&["auth", "list"]).shows(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: cannot be read: Not a directory (os error 20)
        exit code 1
    "#]]);
    let folder = Desk::new().quiet().with(&[("~/.local/share/copydesk/auth.json/x", "")]);
    folder.run_with(&["auth", "add", "groq"], KEY).hides(KEY).shows(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: is a folder; expected a file
        exit code 1
    "#]]);
    let device = Desk::new().quiet().with(&[("~/.local/share/copydesk/x", "")]);
    symlink("/dev/zero", device.path(KEYS)).unwrap();
    device.run_with(&["auth", "add", "groq"], KEY).hides(KEY).shows(&expect![[r#"
        ! error: ~/.local/share/copydesk/auth.json: is a device, pipe or socket; expected a file
        exit code 1
    "#]]);
}
