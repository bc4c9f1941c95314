//! Bad input of every kind gives a message that tells how to fix it, never a panic.

use std::{
    ffi::OsString, fs, os::unix::ffi::OsStringExt, os::unix::fs::symlink, os::unix::net::UnixListener,
};

use expect_test::expect;
use proptest::prelude::*;

use super::{ConfigTestFolder, check};

const USER: &str = "~/.config/copydesk/copydesk.jsonc";

#[test]
fn broken_syntax() {
    check(
        "{ \"model\": }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: expected a value
            | { "model": }
            |            ^
    "#]],
    );
    check(
        "{ \"model\" \"x\" }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:11: expected `:` after the key
            | { "model" "x" }
            |           ^
    "#]],
    );
    check(
        "{\n  \"model\": \"a/b\"\n  \"shell\": \"sh\"\n}",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:2:17: expected `,` or the closing bracket
            |   "model": "a/b"
            |                 ^
    "#]],
    );
    check(
        "{ \"model\": \"a/b",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: this string is never closed; expected `"`
            | { "model": "a/b
            |            ^
    "#]],
    );
    check(
        "{ \"model\": \"a/b\",",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:1: this `{` is never closed; expected `}`
            | { "model": "a/b",
            | ^
    "#]],
    );
    check(
        "{ \"instructions\": [\"a\" }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:24: expected a value
            | { "instructions": ["a" }
            |                        ^
    "#]],
    );
    check(
        "{ \"instructions\": [",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:19: this `[` is never closed; expected `]`
            | { "instructions": [
            |                   ^
    "#]],
    );
    check(
        "{ /* never closed",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:3: this comment is never closed; expected `*/`
            | { /* never closed
            |   ^
    "#]],
    );
    check(
        "{ 'model': 1 }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:3: expected double quotes, found single ones
            | { 'model': 1 }
            |   ^
    "#]],
    );
    check(
        "{ model: 1 }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:3: expected a key in double quotes
            | { model: 1 }
            |   ^
    "#]],
    );
    check(
        "{ \"model\": yes }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: expected a value: a string in double quotes, a number, `true`, `false`, `null`, `{` or `[`
            | { "model": yes }
            |            ^
    "#]],
    );
    check(
        "{ \"shell\": \"C:\\windows\" }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:15: invalid escape; a backslash itself is written `\\`
            | { "shell": "C:\windows" }
            |               ^
    "#]],
    );
    check(
        "{} {}",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:4: expected the end of the file, found more after the configuration
            | {} {}
            |    ^
    "#]],
    );
    check(
        "[]",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:1: expected an object: a configuration begins with `{`
            | []
            | ^
    "#]],
    );
    check(
        "}",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:1: expected a value
            | }
            | ^
    "#]],
    );
    check(
        "{ \"subagent_depth\": 0x10 }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:21: hexadecimal numbers are not allowed
            | { "subagent_depth": 0x10 }
            |                     ^
    "#]],
    );
    check(
        "{ \"subagent_depth\": 1e999 }",
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:21: the number is out of range
                | { "subagent_depth": 1e999 }
                |                     ^
        "#]],
    );
    check(
        "{ \"subagent_depth\": NaN }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:21: expected a value: a string in double quotes, a number, `true`, `false`, `null`, `{` or `[`
            | { "subagent_depth": NaN }
            |                     ^
    "#]],
    );
}

#[test]
fn columns_count_characters() {
    check(
        "{ \"sh\u{e9}ll\": \"\u{1f600}\", \"shell\": 1 }",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:26: `shell`: expected a string in double quotes, found 1
            | { "shéll": "😀", "shell": 1 }
            |                          ^
    "#]],
    );
    check(
        "{\r\n\t\"shell\":\t1\r\n}",
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:2:11: `shell`: expected a string in double quotes, found 1
            | 	"shell":	1
            | 	        	^
    "#]],
    );
    check(
        "\u{feff}{ \"shell\": 1 }",
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:12: `shell`: expected a string in double quotes, found 1
                | { "shell": 1 }
                |            ^
        "#]],
    );
}

#[test]
fn a_secret_is_not_shown() {
    check(
        r#"{ "provider": { "x": { "options": { "headers": "hush" } } } }"#,
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:48: `provider.x.options.headers`: expected an object, found a string
        "#]],
    );
    check(
        r#"{ "provider": { "x": { "options": { "apiKey": ["hush"] } } } }"#,
        &expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:47: `provider.x.options.apiKey`: expected a string in double quotes, found an array
    "#]],
    );
    check(
        "{ \"provider\": { \"x\": { \"options\": { \"apiKey\": \"sk-1\" \"baseURL\": \"\" } } } }",
        &expect![[r#"
            error: ~/.config/copydesk/copydesk.jsonc:1:53: expected `,` or the closing bracket
        "#]],
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for depth in [65, 600, 100_000] {
        let arrays = "[".repeat(depth);
        let objects = "{\"a\":".repeat(depth);
        for text in
            [format!("{{ \"x\": {arrays}"), objects.clone(), format!("{objects}1{}", "}".repeat(depth))]
        {
            let rendered = ConfigTestFolder::new(&[(USER, &text)]).render();
            let known = rendered.contains("is nested too deeply; expected at most 64 levels");
            assert!(known || (depth == 65 && rendered.starts_with("error: ")), "{rendered}");
        }
    }
    let objects = "{\"a\":".repeat(60) + "1" + &"}".repeat(60);
    check(
        &format!("{{ \"provider\": {{ \"x\": {{ \"dialect\": {objects} }} }} }}"),
        &expect![[r#"
        provider.x.dialect.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1  # ~/.config/copydesk/copydesk.jsonc:1:335
    "#]],
    );
}

#[test]
fn a_large_file_on_one_line_takes_no_time() {
    let keys: Vec<_> = (0..60_000).map(|at| format!("\"k{at}\":true")).collect();
    let text = format!("{{\"tools\":{{{}}}}}", keys.join(","));
    let world = ConfigTestFolder::new(&[(USER, &text), ("ws/copydesk.jsonc", &text)]);
    assert_eq!(world.load().unwrap().config.tools.len(), 60_000);
}

#[test]
fn much_that_is_wrong_takes_no_time_either() {
    let keys: Vec<_> = (0..60_000).map(|at| format!("\"k{at}\":true")).collect();
    let loaded = ConfigTestFolder::new(&[(USER, &format!("{{{}}}", keys.join(",")))]).load().unwrap();
    assert_eq!(loaded.warnings.len(), 51);
    let long = "x".repeat(1_000_000);
    let loaded = ConfigTestFolder::new(&[(USER, &format!("{{\"{long}\": 1}}"))]).load().unwrap();
    assert_eq!(loaded.warnings[0].message.chars().count(), 1001);
    let same = vec!["\"a\""; 200_000].join(",");
    let text = format!("{{ \"instructions\": [{same}] }}");
    ConfigTestFolder::new(&[(USER, &text), ("ws/copydesk.jsonc", &text)]).load().unwrap();
    for open in ["{", "{env:", "{file:{"] {
        let text = format!("{{ \"model\": \"{}}}\" }}", open.repeat(1_000_000 / open.len()));
        ConfigTestFolder::new(&[(USER, &text)]).load().unwrap();
    }
}

#[test]
fn what_is_brought_in_is_limited_in_all() {
    let world = ConfigTestFolder::new(&[(
        "ws/copydesk.jsonc",
        &format!("{{ \"model\": \"{}\" }}", "{file:big}".repeat(50_000)),
    )]);
    world.write("ws/big", &vec![b'x'; 1024 * 1024]);
    world.check(&expect![[r#"
        error: ws/copydesk.jsonc:1:12: `{env:…}` and `{file:…}` bring in more than 8388608 bytes in all
    "#]]);
}

#[test]
fn a_file_over_the_limit() {
    let text = format!("{{}}{}", " ".repeat(1024 * 1024));
    ConfigTestFolder::new(&[(USER, &text)]).check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc: is larger than the limit of 1048576 bytes
    "#]]);
    ConfigTestFolder::new(&[]).env("COPYDESK_CONFIG_CONTENT", text).check(&expect![[r#"
        error: COPYDESK_CONFIG_CONTENT: is larger than the limit of 1048576 bytes
    "#]]);
}

#[test]
fn what_is_not_text() {
    let world = ConfigTestFolder::new(&[]);
    world.write(USER, b"{\n  \"shell\": \"\xff\"\n}");
    world.check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:2:13: byte 14 is not UTF-8; save the file as UTF-8
    "#]]);
    let text = OsString::from_vec(b"{\xff}".to_vec());
    ConfigTestFolder::new(&[]).env("COPYDESK_CONFIG_CONTENT", text).check(&expect![[r#"
        error: the variable COPYDESK_CONFIG_CONTENT is not UTF-8; expected text
    "#]]);
}

#[test]
fn what_is_not_a_file() {
    let world = ConfigTestFolder::new(&[]);
    fs::create_dir_all(world.path("ws/copydesk.jsonc")).unwrap();
    fs::create_dir_all(world.path("ws/copydesk.json/inner")).unwrap();
    world.check(&expect![[r#"
        error: ws/copydesk.json: is a folder; expected a file
    "#]]);

    let world = ConfigTestFolder::new(&[]);
    symlink("nowhere", world.path("ws/copydesk.jsonc")).unwrap();
    world.check(&expect![[r#"
        error: ws/copydesk.jsonc: cannot be read: No such file or directory (os error 2)
    "#]]);

    let world = ConfigTestFolder::new(&[]);
    let _socket = UnixListener::bind(world.path("ws/copydesk.json")).unwrap();
    world.check(&expect![[r#"
        error: ws/copydesk.json: is a device, pipe or socket; expected a file
    "#]]);

    // A file in the place of a folder is no configuration.
    ConfigTestFolder::new(&[("ws/.copydesk", "")]).check(&expect![[""]]);
}

#[test]
fn the_named_file_must_be_there() {
    ConfigTestFolder::new(&[]).env("COPYDESK_CONFIG", "gone.jsonc").check(&expect![[r#"
        error: COPYDESK_CONFIG names ws/gone.jsonc, which does not exist; correct or unset the variable
    "#]]);
}

#[test]
fn an_empty_file_is_an_empty_configuration() {
    for text in ["", " \n", "// nothing yet\n", "\u{feff}", "{}"] {
        check(text, &expect![[""]]);
    }
}

#[test]
fn a_broken_file_of_opencode_stops_too() {
    ConfigTestFolder::new(&[("ws/opencode.json", "{ \"lsp\": 1 }")]).check(&expect![[r#"
        error: ws/opencode.json:1:10: `lsp`: expected true, false or an object with one entry for each, found 1
            | { "lsp": 1 }
            |          ^
    "#]]);
}

proptest! {
    /// Random pieces of the language reach every branch of the parser.
    #[test]
    fn nothing_panics(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u12", "\\ud800", "//", "/*", "*/", "\n", "\r", " ", "null", "true", "1",
        "-", ".5", "1e5", "\"model\"", "\"permission\"", "\"provider\"", "\"agent\"", "\"mode\"", "\"mcp\"", "\"options\"",
        "\"{env:A}\"", "\"{file:b}\"", "{env:", "\u{feff}", "\u{e9}", "\u{1f600}", "'", "\0",
    ]), 0..40)) {
        let text: String = pieces.concat();
        ConfigTestFolder::new(&[(USER, &text)]).render();
    }
}
