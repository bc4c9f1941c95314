//! Which files the loader reads, and which one wins.

use std::os::unix::fs::symlink;

use expect_test::expect;

use super::ConfigTestFolder;

const USER: &str = "~/.config/copydesk/copydesk.jsonc";

#[test]
fn no_files_make_an_empty_configuration() {
    let world = ConfigTestFolder::new(&[]);
    world.check(&expect![[""]]);
    assert_eq!(world.load().unwrap().config, crate::Config::default());
}

#[test]
fn every_layer_wins_over_those_before_it() {
    let at = |layer: &str| format!(r#"{{ "model": "{layer}", "tools": {{ "{layer}": true }} }}"#);
    ConfigTestFolder::new(&[
        (USER, &at("user")),
        ("named.jsonc", &at("named")),
        ("ws/copydesk.jsonc", &at("root")),
        ("ws/.copydesk/copydesk.jsonc", &at("root-dot")),
        ("ws/a/copydesk.json", &at("a")),
        ("ws/a/b/.copydesk/copydesk.json", &at("b-dot")),
        ("ws/other/copydesk.jsonc", &at("not read")),
        ("copydesk.jsonc", &at("above the root: not read")),
    ])
    .env("COPYDESK_CONFIG", "../../../named.jsonc")
    .env("COPYDESK_CONFIG_CONTENT", at("inline"))
    .cwd("ws/a/b")
    .check(&expect![[r#"
        model = "inline"  # COPYDESK_CONFIG_CONTENT:1:12
        tools.user = true  # ~/.config/copydesk/copydesk.jsonc:1:39
        tools.named = true  # ws/a/b/../../../named.jsonc:1:41
        tools.root = true  # ws/copydesk.jsonc:1:39 (not trusted)
        tools.root-dot = true  # ws/.copydesk/copydesk.jsonc:1:47 (not trusted)
        tools.a = true  # ws/a/copydesk.json:1:33 (not trusted)
        tools.b-dot = true  # ws/a/b/.copydesk/copydesk.json:1:41 (not trusted)
        tools.inline = true  # COPYDESK_CONFIG_CONTENT:1:43
    "#]]);
}

#[test]
fn opencode_is_read_where_there_is_nothing_of_ours() {
    let at = |place: &str| format!(r#"{{ "tools": {{ "{place}": true }} }}"#);
    let mut files = vec![
        ("~/.config/opencode/opencode.jsonc", at("user")),
        ("ws/opencode.json", at("root")),
        ("ws/.opencode/opencode.jsonc", at("root-dot")),
        ("ws/a/opencode.jsonc", at("a")),
        ("ws/a/.copydesk/copydesk.jsonc", at("a-dot, ours")),
        ("ws/a/.opencode/opencode.json", at("a-dot, not read")),
        ("ws/a/b/opencode.json", at("b, not read")),
        ("ws/a/b/copydesk.jsonc", at("b, ours")),
        ("ws/a/b/.opencode/opencode.json", at("b-dot, not read")),
    ];
    let render = |files: &[(&str, String)]| {
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        ConfigTestFolder::new(&files).cwd("ws/a/b").render()
    };
    expect![[r#"
        tools.user = true  # ~/.config/opencode/opencode.jsonc:1:22
        tools.root = true  # ws/opencode.json:1:22 (not trusted)
        tools.root-dot = true  # ws/.opencode/opencode.jsonc:1:26 (not trusted)
        tools.a = true  # ws/a/opencode.jsonc:1:19 (not trusted)
        tools["a-dot, ours"] = true  # ws/a/.copydesk/copydesk.jsonc:1:29 (not trusted)
        tools["b, ours"] = true  # ws/a/b/copydesk.jsonc:1:25 (not trusted)
    "#]]
    .assert_eq(&render(&files));
    // A user file of ours replaces OpenCode's user file, and nothing else.
    files.push((USER, at("user, ours")));
    expect![[r#"
        tools["user, ours"] = true  # ~/.config/copydesk/copydesk.jsonc:1:28
        tools.root = true  # ws/opencode.json:1:22 (not trusted)
        tools.root-dot = true  # ws/.opencode/opencode.jsonc:1:26 (not trusted)
        tools.a = true  # ws/a/opencode.jsonc:1:19 (not trusted)
        tools["a-dot, ours"] = true  # ws/a/.copydesk/copydesk.jsonc:1:29 (not trusted)
        tools["b, ours"] = true  # ws/a/b/copydesk.jsonc:1:25 (not trusted)
    "#]]
    .assert_eq(&render(&files));
}

#[test]
fn all_of_opencodes_names_in_the_users_folder() {
    let text = r#"{ "model": "a/b" }"#;
    ConfigTestFolder::new(&[("~/.config/opencode/config.json", text)]).check(&expect![[r#"
        model = "a/b"  # ~/.config/opencode/config.json:1:12
    "#]]);
    ConfigTestFolder::new(&[("~/.config/opencode/config.json", text), ("~/.config/opencode/opencode.json", text)])
        .check(&expect![[r#"
            model = "a/b"  # ~/.config/opencode/opencode.json:1:12
            warning: ~/.config/opencode/config.json: is ignored because the same folder contains `opencode.json`; keep one of them
        "#]]);
}

#[test]
fn of_two_files_in_one_place_one_is_read() {
    ConfigTestFolder::new(&[
        ("ws/copydesk.json", r#"{ "model": "json" }"#),
        ("ws/copydesk.jsonc", r#"{ "model": "jsonc" }"#),
    ])
    .check(&expect![[r#"
        model = "jsonc"  # ws/copydesk.jsonc:1:12 (not trusted)
        warning: ws/copydesk.json: is ignored because the same folder contains `copydesk.jsonc`; keep one of them
    "#]]);
}

#[test]
fn a_file_met_twice_is_read_once() {
    let world = ConfigTestFolder::new(&[(USER, r#"{ "instructions": ["a"] }"#)]);
    symlink(world.path(USER), world.path("ws/copydesk.jsonc")).unwrap();
    world.check(&expect![[r#"
        instructions[0] = "a"  # ~/.config/copydesk/copydesk.jsonc:1:20
    "#]]);
}

#[test]
fn a_link_is_followed() {
    let world = ConfigTestFolder::new(&[("shared.jsonc", r#"{ "model": "a/b" }"#)]);
    symlink(world.path("shared.jsonc"), world.path("ws/copydesk.jsonc")).unwrap();
    world.check(&expect![[r#"
        model = "a/b"  # ws/copydesk.jsonc:1:12 (not trusted)
    "#]]);
}

#[test]
fn a_named_file_of_opencode_is_read_as_one() {
    ConfigTestFolder::new(&[("x/opencode.json", r#"{ "theme": "dark", "model": "a/b" }"#)])
        .env("COPYDESK_CONFIG", "../x/opencode.json")
        .check(&expect![[r#"
            model = "a/b"  # ws/../x/opencode.json:1:29
        "#]]);
}

#[test]
fn empty_variables_are_not_set() {
    ConfigTestFolder::new(&[])
        .env("COPYDESK_CONFIG", "")
        .env("COPYDESK_CONFIG_CONTENT", "")
        .check(&expect![[""]]);
}

#[test]
fn without_a_repository_only_the_current_folder_counts() {
    let world = ConfigTestFolder::new(&[
        ("plain/copydesk.jsonc", r#"{ "model": "not read" }"#),
        ("plain/sub/copydesk.jsonc", r#"{ "model": "read" }"#),
    ]);
    world.cwd("plain/sub").check(&expect![[r#"
        model = "read"  # plain/sub/copydesk.jsonc:1:12 (not trusted)
    "#]]);
}
