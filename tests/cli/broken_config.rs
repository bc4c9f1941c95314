//! Unusable configurations: the error names the place, shows no secret, leaves standard output empty, and the exit code
//! is 1.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use expect_test::{Expect, expect};

use super::environment::{CliOutput, TestEnvironment, USER_CONFIG};

#[track_caller]
fn refused(env: &TestEnvironment, expected: &Expect) -> CliOutput {
    let ran = env.run(&["config"]);
    ran.assert_output(expected);
    for args in [&["config", "--json"][..], &["models"], &["models", "--json"], &["auth", "list"]] {
        let other = env.run(args);
        assert_eq!(
            (&other.stdout, &other.stderr, other.code),
            (&String::new(), &ran.stderr, Some(1)),
            "{args:?}"
        );
    }
    ran
}

#[test]
fn what_cannot_be_parsed() {
    let user = |text: &str| TestEnvironment::new().with_files(&[(USER_CONFIG, text)]);
    refused(
        &user("{\n  \"model\": \"groq/x\"\n  \"shell\": oops\n}"),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:2:20: expected `,` or the closing bracket
        !   "model": "groq/x"
        !                    ^
        exit code 1
    "#]],
    );
    refused(
        &user("{ \"model\": \"groq/x\", "),
        &expect![[r#"
            ! error: ~/.config/copydesk/copydesk.jsonc:1:1: this `{` is never closed; expected `}`
            ! { "model": "groq/x",
            ! ^
            exit code 1
        "#]],
    );
    refused(
        &user("[]"),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:1: expected an object: a configuration begins with `{`
        ! []
        ! ^
        exit code 1
    "#]],
    );
    refused(
        &user("\u{feff}{ \"model\": }"),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:12: expected a value
        ! { "model": }
        !            ^
        exit code 1
    "#]],
    );
    refused(
        &user(&"[".repeat(100_000)),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:513: is nested too deeply; expected at most 64 levels
        exit code 1
    "#]],
    );
}

#[test]
fn what_is_of_the_wrong_kind() {
    let user = |text: &str| TestEnvironment::new().with_files(&[(USER_CONFIG, text)]);
    refused(
        &user(r#"{ "model": 5 }"#),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:12: `model`: expected a string in double quotes, found 5
        ! { "model": 5 }
        !            ^
        exit code 1
    "#]],
    );
    refused(
        &user("{\n  \"retry\": { \"max\": -1 }\n}"),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:2:21: `retry.max`: expected a whole number, 0 or more, found -1
        !   "retry": { "max": -1 }
        !                     ^
        exit code 1
    "#]],
    );
    refused(
        &user(r#"{ "provider": { "x": { "wire": "telegraph" } } }"#),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:32: `provider.x.wire`: expected `anthropic`, `openai-chat`, `openai-responses` or `gemini`, found "telegraph"
        ! { "provider": { "x": { "wire": "telegraph" } } }
        !                                ^
        exit code 1
    "#]],
    );
    refused(
        &user(r#"{ "provider": [] }"#),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:15: `provider`: expected an object, found an array
        ! { "provider": [] }
        !               ^
        exit code 1
    "#]],
    );
}

#[test]
fn a_broken_line_with_a_secret_is_not_shown() {
    for text in [
        r#"{ "provider": { "x": { "options": { "apiKey": "Zy8Xw6Vu4Ts2Rq0P" oops } } } }"#,
        r#"{ "provider": { "x": { "options": { "apiKey": ["Zy8Xw6Vu4Ts2Rq0P"] } } } }"#,
        r#"{ "provider": { "x": { "options": { "apiKey": { "a": "Zy8Xw6Vu4Ts2Rq0P" } } } } }"#,
        r#"{ "provider": { "x": { "options": { "headers": "Zy8Xw6Vu4Ts2Rq0P" } } } }"#,
        // The key's name is on another line.
        "{ \"provider\": { \"x\": { \"options\": { \"apiKey\":\n\n  \"Zy8Xw6Vu4Ts2Rq0P\" oops } } } }",
        "{ \"mcp\": { \"x\": { \"environment\": {\n  \"A\": \"{env:A}\",\n  \"B\": \"Zy8Xw6Vu4Ts2Rq0P\" oops\n} } } }",
    ] {
        let ran = TestEnvironment::new().with_files(&[(USER_CONFIG, text)]).run(&["config"]);
        assert_eq!(ran.code, Some(1), "{text}");
        ran.assert_hides("Zy8Xw6Vu4Ts2Rq0P");
    }
    let named = r#"{ "model": { "a": 1 }, "shell": "{env:SECRET}" }"#;
    let ran = TestEnvironment::new()
        .with_files(&[(USER_CONFIG, named)])
        .env("SECRET", "Zy8Xw6Vu4Ts2Rq0P")
        .run(&["config"]);
    assert_eq!(ran.assert_hides("Zy8Xw6Vu4Ts2Rq0P").code, Some(1));
}

#[test]
fn what_is_no_text() {
    let env = TestEnvironment::new();
    env.write(USER_CONFIG, b"{\n  \"model\": \"\xff\" }");
    refused(
        &env,
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:2:13: byte 14 is not UTF-8; save the file as UTF-8
        exit code 1
    "#]],
    );
    env.write(USER_CONFIG, b"\xff\xfe{\0}\0");
    refused(
        &env,
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:1: byte 0 is not UTF-8; save the file as UTF-8
        exit code 1
    "#]],
    );
}

#[test]
fn what_is_no_file() {
    // A folder stands for anything that even root cannot read.
    refused(
        &TestEnvironment::new().cwd("copydesk.jsonc/inner").cwd("."),
        &expect![[r#"
        ! error: PROJECT/copydesk.jsonc: is a folder; expected a file
        exit code 1
    "#]],
    );
    let link = TestEnvironment::new();
    symlink("/nowhere/at/all", link.path("copydesk.jsonc")).unwrap();
    refused(
        &link,
        &expect![[r#"
        ! error: PROJECT/copydesk.jsonc: cannot be read: No such file or directory (os error 2)
        exit code 1
    "#]],
    );
    let device = TestEnvironment::new();
    symlink("/dev/zero", device.path("copydesk.jsonc")).unwrap();
    refused(
        &device,
        &expect![[r#"
        ! error: PROJECT/copydesk.jsonc: is a device, pipe or socket; expected a file
        exit code 1
    "#]],
    );
    refused(
        &TestEnvironment::new().with_files(&[(USER_CONFIG, &" ".repeat((1 << 20) + 1))]),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc: is larger than the limit of 1048576 bytes
        exit code 1
    "#]],
    );
}

#[test]
fn what_a_variable_brings() {
    refused(
        &TestEnvironment::new().env("COPYDESK_CONFIG", "gone.jsonc"),
        &expect![[r#"
        ! error: COPYDESK_CONFIG names PROJECT/gone.jsonc, which does not exist; correct or unset the variable
        exit code 1
    "#]],
    );
    refused(
        &TestEnvironment::new().env("COPYDESK_CONFIG", "."),
        &expect![[r#"
        ! error: PROJECT/.: is a folder; expected a file
        exit code 1
    "#]],
    );
    refused(
        &TestEnvironment::new().env("COPYDESK_CONFIG_CONTENT", "{ \"model\": \n}"),
        &expect![[r#"
        ! error: COPYDESK_CONFIG_CONTENT:2:1: expected a value
        ! }
        ! ^
        exit code 1
    "#]],
    );
    let bytes = OsStr::from_bytes(b"\xff");
    refused(
        &TestEnvironment::new().env("COPYDESK_CONFIG_CONTENT", bytes),
        &expect![[r#"
        ! error: the variable COPYDESK_CONFIG_CONTENT is not UTF-8; expected text
        exit code 1
    "#]],
    );
    // An empty variable counts as unset.
    let env = TestEnvironment::new().env("COPYDESK_CONFIG", "").env("COPYDESK_CONFIG_CONTENT", "");
    assert_eq!(env.run(&["config"]).code, Some(0));
}

#[test]
fn what_a_file_refers_to() {
    let user = |text: &str| TestEnvironment::new().with_files(&[(USER_CONFIG, text)]);
    refused(
        &user(r#"{ "shell": "{file:gone.txt}" }"#),
        &expect![[r#"
        ! error: ~/.config/copydesk/copydesk.jsonc:1:12: `{file:gone.txt}`: ~/.config/copydesk/gone.txt does not exist
        ! { "shell": "{file:gone.txt}" }
        !            ^
        exit code 1
    "#]],
    );
    user(r#"{ "shell": "{env:NOT_SET}" }"#).run(&["config"]).assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc

        Values
          shell = ""  ~/.config/copydesk/copydesk.jsonc:1:12
        ! warning: ~/.config/copydesk/copydesk.jsonc:1:12: the variable `NOT_SET` is not set; it counts as empty
    "#]]);
}
