//! `{env:…}` and `{file:…}`, and what an untrusted file gets of them.

use std::{ffi::OsString, fs, os::unix::ffi::OsStringExt, os::unix::fs::symlink};

use expect_test::expect;

use super::ConfigTestFolder;

const USER: &str = "~/.config/copydesk/copydesk.jsonc";

fn user(text: &str) -> ConfigTestFolder {
    ConfigTestFolder::new(&[(USER, text)])
}

#[test]
fn several_in_one_text() {
    user(
        r#"{ "model": "{env:A}/{env:B}-{env:A}", "{env:A}": 1, "shell": "{env:} {other:x} {env:A {env:B}" }"#,
    )
    .env("A", "a\"{env:B}\\")
    .env("B", "b")
    .check(&expect![[r#"
        model = "a\"{env:B}\\/b-a\"{env:B}\\"  # ~/.config/copydesk/copydesk.jsonc:1:12
        shell = "{env:} {other:x} {env:A b"  # ~/.config/copydesk/copydesk.jsonc:1:62
        warning: ~/.config/copydesk/copydesk.jsonc:1:39: unknown key `{env:A}` is ignored
            | { "model": "{env:A}/{env:B}-{env:A}", "{env:A}": 1, "shell": "{env:} {other:x} {env:A {env:B}" }
            |                                       ^
    "#]]);
}

#[test]
fn a_variable_that_is_not_set_or_no_text() {
    user("{\n  \"model\": \"x/{env:GONE}\"\n}").check(&expect![[r#"
        model = "x/"  # ~/.config/copydesk/copydesk.jsonc:2:12
        warning: ~/.config/copydesk/copydesk.jsonc:2:12: the variable `GONE` is not set; it counts as empty
            |   "model": "x/{env:GONE}"
            |            ^
    "#]]);
    user(r#"{ "model": "{env:A}" }"#).env("A", OsString::from_vec(vec![0xff])).check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: the value of the variable `A` is not UTF-8; expected text
            | { "model": "{env:A}" }
            |            ^
    "#]]);
}

#[test]
fn files_from_the_files_folder_or_home() {
    let world =
        user(r#"{ "instructions": ["{file:here.txt}", "{file:./sub/../here.txt}!", "{file:~/there.txt}"] }"#);
    world.write("~/.config/copydesk/here.txt", b"two\nlines\r\n\n");
    world.write("~/.config/copydesk/sub/x", b"");
    world.write("~/there.txt", "gr\u{fc}n".as_bytes());
    world.check(&expect![[r#"
        instructions[0] = "two\nlines"  # ~/.config/copydesk/copydesk.jsonc:1:20
        instructions[1] = "two\nlines!"  # ~/.config/copydesk/copydesk.jsonc:1:39
        instructions[2] = "grün"  # ~/.config/copydesk/copydesk.jsonc:1:68
    "#]]);
}

#[test]
fn inline_text_starts_from_the_current_folder() {
    ConfigTestFolder::new(&[("ws/a/x.txt", "found")])
        .cwd("ws/a")
        .env("COPYDESK_CONFIG_CONTENT", r#"{ "model": "{file:x.txt}" }"#)
        .check(&expect![[r#"
            model = "found"  # COPYDESK_CONFIG_CONTENT:1:12
        "#]]);
}

#[test]
fn files_that_cannot_be_used() {
    let text = r#"{ "model": "{file:x}" }"#;
    user(text).check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: `{file:x}`: ~/.config/copydesk/x does not exist
            | { "model": "{file:x}" }
            |            ^
    "#]]);
    let world = user(text);
    fs::create_dir(world.path("~/.config/copydesk/x")).unwrap();
    world.check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: `{file:x}`: ~/.config/copydesk/x: is a folder; expected a file
            | { "model": "{file:x}" }
            |            ^
    "#]]);
    let world = user(text);
    world.write("~/.config/copydesk/x", b"a\xff");
    world.check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: `{file:x}`: ~/.config/copydesk/x:1:2: byte 1 is not UTF-8; save the file as UTF-8
            | { "model": "{file:x}" }
            |            ^
    "#]]);
    let world = user(text);
    world.write("~/.config/copydesk/x", &vec![b' '; 1024 * 1024 + 1]);
    world.check(&expect![[r#"
        error: ~/.config/copydesk/copydesk.jsonc:1:12: `{file:x}`: ~/.config/copydesk/x: is larger than the limit of 1048576 bytes
            | { "model": "{file:x}" }
            |            ^
    "#]]);
}

fn project() -> ConfigTestFolder {
    let world = ConfigTestFolder::new(&[
        (
            "ws/copydesk.jsonc",
            r#"{
  "model": "{env:SECRET}",
  "small_model": "x/{file:name.txt}",
  "shell": "{file:../outside.txt}",
  "default_agent": "{file:~/.ssh/id}",
  "instructions": ["{file:link.txt}", "kept?"],
  "mcp": { "s": { "type": "local", "command": ["s", "{env:SECRET}"], "cwd": "sub" } },
  "subagent_depth": 2
}"#,
        ),
        (USER, r#"{ "model": "the user's" }"#),
        ("ws/name.txt", "inside"),
        ("outside.txt", "outside"),
        ("~/.ssh/id", "key"),
    ]);
    symlink(world.path("outside.txt"), world.path("ws/link.txt")).unwrap();
    world.env("SECRET", "hush")
}

#[test]
fn a_file_that_is_not_trusted_gets_nothing_from_outside() {
    project().check(&expect![[r#"
        model = "the user's"  # ~/.config/copydesk/copydesk.jsonc:1:12
        small_model = "x/inside"  # ws/copydesk.jsonc:3:18 (not trusted)
        mcp.s.type = "local"  # ws/copydesk.jsonc:7:27 (not trusted)
        mcp.s.cwd = "sub"  # ws/copydesk.jsonc:7:77 (not trusted)
        subagent_depth = 2  # ws/copydesk.jsonc:8:21 (not trusted)
        warning: ws/copydesk.jsonc:7:3: `mcp` has no effect yet
        warning: ws/copydesk.jsonc:2:12: the value with `{env:SECRET}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
        warning: ws/copydesk.jsonc:4:12: the value with `{file:../outside.txt}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            |   "shell": "{file:../outside.txt}",
            |            ^
        warning: ws/copydesk.jsonc:5:20: the value with `{file:~/.ssh/id}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            |   "default_agent": "{file:~/.ssh/id}",
            |                    ^
        warning: ws/copydesk.jsonc:6:20: the value with `{file:link.txt}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            |   "instructions": ["{file:link.txt}", "kept?"],
            |                    ^
        warning: ws/copydesk.jsonc:7:53: the value with `{env:SECRET}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
        warning: ws/copydesk.jsonc:7:17: `mcp.s` is not used: expected `command`, found none
    "#]]);
}

#[test]
fn a_file_that_is_not_trusted_names_no_variables_for_keys() {
    let text = r#"{ "provider": { "x": { "env": ["SECRET"], "name": "X" }, "y": { "env": null } } }"#;
    let world = ConfigTestFolder::new(&[
        ("ws/copydesk.jsonc", text),
        (USER, r#"{ "provider": { "x": { "env": ["X_KEY"] } } }"#),
    ]);
    world.check(&expect![[r#"
        provider.x.env[0] = "X_KEY"  # ~/.config/copydesk/copydesk.jsonc:1:32
        provider.x.name = "X"  # ws/copydesk.jsonc:1:51 (not trusted)
        provider.y.env = null  # ws/copydesk.jsonc:1:72 (not trusted)
        warning: ws/copydesk.jsonc:1:31: `provider.x.env` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
    "#]]);
    world.trust("ws").check(&expect![[r#"
        provider.x.env[0] = "SECRET"  # ws/copydesk.jsonc:1:32
        provider.x.name = "X"  # ws/copydesk.jsonc:1:51
        provider.y.env = null  # ws/copydesk.jsonc:1:72
    "#]]);
}

#[test]
fn a_trusted_file_gets_everything() {
    project().trust("ws").check(&expect![[r#"
        model = "hush"  # ws/copydesk.jsonc:2:12
        small_model = "x/inside"  # ws/copydesk.jsonc:3:18
        shell = "outside"  # ws/copydesk.jsonc:4:12
        default_agent = "key"  # ws/copydesk.jsonc:5:20
        instructions[0] = "outside"  # ws/copydesk.jsonc:6:20
        instructions[1] = "kept?"  # ws/copydesk.jsonc:6:39
        mcp.s.type = "local"  # ws/copydesk.jsonc:7:27
        mcp.s.command[0] = "s"  # ws/copydesk.jsonc:7:48
        mcp.s.command[1] = "(set)"  # ws/copydesk.jsonc:7:53
        mcp.s.cwd = "sub"  # ws/copydesk.jsonc:7:77
        subagent_depth = 2  # ws/copydesk.jsonc:8:21
        warning: ws/copydesk.jsonc:7:3: `mcp` has no effect yet
    "#]]);
}

#[test]
fn a_trusted_file_that_changed_is_not_trusted() {
    let world = ConfigTestFolder::new(&[("ws/copydesk.jsonc", r#"{ "model": "{env:A}" }"#)]).env("A", "a");
    let world = world.trust("ws");
    world.check(&expect![[r#"
        model = "a"  # ws/copydesk.jsonc:1:12
    "#]]);
    world.write("ws/copydesk.jsonc", br#"{ "model": "x{env:A}" }"#);
    world.check(&expect![[r#"
        warning: ws/copydesk.jsonc:1:12: the value with `{env:A}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            | { "model": "x{env:A}" }
            |            ^
    "#]]);
}

#[test]
fn missing_files_are_told_of_only_inside_the_workspace() {
    let text = |path: &str| format!(r#"{{ "model": "{{file:{path}}}" }}"#);
    ConfigTestFolder::new(&[("ws/copydesk.jsonc", &text("gone.txt"))]).check(&expect![[r#"
        error: ws/copydesk.jsonc:1:12: `{file:gone.txt}`: ws/gone.txt does not exist
            | { "model": "{file:gone.txt}" }
            |            ^
    "#]]);
    ConfigTestFolder::new(&[("ws/copydesk.jsonc", &text("../gone.txt"))]).check(&expect![[r#"
        warning: ws/copydesk.jsonc:1:12: the value with `{file:../gone.txt}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            | { "model": "{file:../gone.txt}" }
            |            ^
    "#]]);
    ConfigTestFolder::new(&[("ws/copydesk.jsonc", &text("/gone/gone.txt"))]).check(&expect![[r#"
        warning: ws/copydesk.jsonc:1:12: the value with `{file:/gone/gone.txt}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            | { "model": "{file:/gone/gone.txt}" }
            |            ^
    "#]]);
}

#[test]
fn damaged_trust_is_no_trust() {
    let world = ConfigTestFolder::new(&[
        ("ws/copydesk.jsonc", r#"{ "model": "{env:A}" }"#),
        ("~/.local/state/copydesk/trust.json", "{ nonsense"),
    ]);
    world.env("A", "a").check(&expect![[r#"
        warning: ~/.local/state/copydesk/trust.json: is damaged (key must be a string at line 1 column 3); remove it; no folder is trusted
        warning: ws/copydesk.jsonc:1:12: the value with `{env:A}` is withheld: this file came with the project and you have not trusted it; look at the file, then run `copydesk trust`
            | { "model": "{env:A}" }
            |            ^
    "#]]);
}

#[test]
fn untrusted_values_can_be_asked_for() {
    let world = ConfigTestFolder::new(&[
        (
            USER,
            r#"{ "provider": { "x": { "options": { "apiKey": "k", "baseURL": "https://mine" } } },
                 "mcp": { "s": { "type": "local", "command": ["s"] } }, "permission": { "bash": "deny" } }"#,
        ),
        (
            "ws/copydesk.jsonc",
            r#"{ "provider": { "x": { "options": { "baseURL": "https://theirs" } } },
                 "mcp": { "s": { "environment": { "LD_PRELOAD": "x.so" } } }, "permission": { "bash": null } }"#,
        ),
    ]);
    let merged = world.load().unwrap().merged;
    let trusted = |path: &[&str]| merged.origin(path).map(crate::ConfigOrigin::is_trusted);
    assert_eq!(trusted(&["provider", "x", "options", "apiKey"]), Some(true));
    assert_eq!(trusted(&["provider", "x", "options", "baseURL"]), Some(false));
    assert_eq!(trusted(&["mcp", "s", "command"]), Some(true));
    assert_eq!(trusted(&["permission", "bash"]), Some(false));
    assert_eq!(trusted(&["nothing"]), None);
    let untrusted = |path: &[&str]| merged.untrusted_origin(path).map(|origin| (origin.line, origin.column));
    assert_eq!(untrusted(&["mcp", "s"]), Some((2, 65)));
    assert_eq!(untrusted(&["mcp", "s", "command"]), None);
    assert_eq!(untrusted(&["permission"]), Some((2, 103)));
}
