//! Merging, by example and by law.

use std::{path::PathBuf, sync::Arc};

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::ConfigTestFolder;
use crate::{
    error::FileWarnings,
    merge::{MergePosition, merge},
    parse::parse,
    source::{ConfigLayer, ConfigSource},
    tree::{ConfigNode, ConfigNodeKind, format_path},
};

/// The user's file, then the project's, then the one in `.copydesk`.
fn check_three(texts: [&str; 3], expected: &Expect) {
    let [user, project, dotted] = texts;
    ConfigTestFolder::new(&[
        ("~/.config/copydesk/copydesk.jsonc", user),
        ("ws/copydesk.jsonc", project),
        ("ws/.copydesk/copydesk.jsonc", dotted),
    ])
    .check(expected);
}

#[test]
fn objects_merge_and_arrays_are_replaced() {
    check_three(
        [
            r#"{ "mcp": { "x": { "type": "local", "command": ["a", "b"] } }, "retry": { "max": 3 } }"#,
            r#"{ "mcp": { "x": { "command": ["c"] } } }"#,
            r#"{ "mcp": { "x": { "enabled": false } } }"#,
        ],
        &expect![[r#"
            mcp.x.type = "local"  # ~/.config/copydesk/copydesk.jsonc:1:27
            mcp.x.command[0] = "c"  # ws/copydesk.jsonc:1:31 (not trusted)
            mcp.x.enabled = false  # ws/.copydesk/copydesk.jsonc:1:30 (not trusted)
            retry.max = 3  # ~/.config/copydesk/copydesk.jsonc:1:81
            warning: ~/.config/copydesk/copydesk.jsonc:1:3: `mcp` has no effect yet
                | { "mcp": { "x": { "type": "local", "command": ["a", "b"] } }, "retry": { "max": 3 } }
                |   ^
            warning: ws/copydesk.jsonc:1:3: `mcp` has no effect yet
                | { "mcp": { "x": { "command": ["c"] } } }
                |   ^
            warning: ws/.copydesk/copydesk.jsonc:1:3: `mcp` has no effect yet
                | { "mcp": { "x": { "enabled": false } } }
                |   ^
        "#]],
    );
}

#[test]
fn instructions_add_up() {
    check_three(
        [
            r#"{ "instructions": ["a", "b"] }"#,
            r#"{ "instructions": ["b", "c"] }"#,
            r#"{ "instructions": [] }"#,
        ],
        &expect![[r#"
            instructions[0] = "a"  # ~/.config/copydesk/copydesk.jsonc:1:20
            instructions[1] = "b"  # ~/.config/copydesk/copydesk.jsonc:1:25
            instructions[2] = "c"  # ws/copydesk.jsonc:1:25 (not trusted)
        "#]],
    );
}

#[test]
fn null_removes_and_leaves_a_trace() {
    check_three(
        [
            r#"{ "model": "a/b", "agent": { "x": { "prompt": "p" }, "y": { "prompt": "q" } }, "instructions": ["a"] }"#,
            r#"{ "model": null, "agent": { "x": null }, "instructions": null }"#,
            r#"{ "agent": { "x": { "hidden": true } }, "instructions": ["b"] }"#,
        ],
        &expect![[r#"
            model = null  # ws/copydesk.jsonc:1:12 (not trusted)
            agent.x.hidden = true  # ws/.copydesk/copydesk.jsonc:1:31 (not trusted)
            agent.y.prompt = "q"  # ~/.config/copydesk/copydesk.jsonc:1:71
            instructions[0] = "b"  # ws/.copydesk/copydesk.jsonc:1:58 (not trusted)
        "#]],
    );
}

#[test]
fn an_exception_does_not_drop_the_rule() {
    check_three(
        [
            r#"{ "permission": "deny", "agent": { "a": { "permission": { "bash": "ask" } } } }"#,
            r#"{ "permission": { "edit": "ask" }, "agent": { "a": { "permission": { "bash": { "git *": "allow" } } } } }"#,
            r#"{ "permission": { "edit": { "*.md": "allow" } } }"#,
        ],
        &expect![[r#"
            permission.* = "deny"  # ~/.config/copydesk/copydesk.jsonc:1:17
            permission.edit.* = "ask"  # ws/copydesk.jsonc:1:27 (not trusted)
            permission.edit["*.md"] = "allow"  # ws/.copydesk/copydesk.jsonc:1:37 (not trusted)
            agent.a.permission.bash.* = "ask"  # ~/.config/copydesk/copydesk.jsonc:1:67
            agent.a.permission.bash["git *"] = "allow"  # ws/copydesk.jsonc:1:89 (not trusted)
        "#]],
    );
}

#[test]
fn one_action_replaces_the_rules() {
    check_three(
        [r#"{ "permission": { "bash": { "rm *": "deny" } } }"#, "{}", r#"{ "permission": "ask" }"#],
        &expect![[r#"
            permission = "ask"  # ws/.copydesk/copydesk.jsonc:1:17 (not trusted)
        "#]],
    );
}

#[test]
fn the_order_of_permissions_is_kept() {
    let world = ConfigTestFolder::new(&[
        (
            "~/.config/copydesk/copydesk.jsonc",
            r#"{ "permission": { "z": "ask", "*": "deny", "a": "allow" } }"#,
        ),
        ("ws/copydesk.jsonc", r#"{ "permission": { "b": "ask", "a": { "x": "ask", "*": "deny" } } }"#),
    ]);
    expect![[r#"
        Some(Each([("z", All(Ask)), ("*", All(Deny)), ("a", Each([("*", Deny), ("x", Ask)])), ("b", All(Ask))]))
    "#]].assert_eq(&format!("{:?}\n", world.load().unwrap().config.permission));
}

#[test]
fn older_spellings_are_the_same_value() {
    check_three(
        [
            r#"{ "mode": { "a": { "maxSteps": 3, "prompt": "p" } } }"#,
            r#"{ "agent": { "a": { "steps": 4 } } }"#,
            r#"{ "mode": { "a": { "maxSteps": 5, "steps": 6 }, "b": {} }, "agent": { "a": { "hidden": true } } }"#,
        ],
        &expect![[r#"
            agent.a.steps = 6  # ws/.copydesk/copydesk.jsonc:1:44 (not trusted)
            agent.a.prompt = "p"  # ~/.config/copydesk/copydesk.jsonc:1:45
            agent.a.hidden = true  # ws/.copydesk/copydesk.jsonc:1:88 (not trusted)
            agent.b = {}  # ws/.copydesk/copydesk.jsonc:1:54 (not trusted)
        "#]],
    );
}

/// Random JSON over few keys, so that they collide, including those with their own merge rules.
fn json(depth: u32) -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        "[ab]".prop_map(Into::into),
        prop::collection::vec("[ab]", 0..3).prop_map(Into::into),
    ];
    leaf.prop_recursive(depth, 32, 4, |inner| object(inner).boxed())
}

fn object(value: impl Strategy<Value = serde_json::Value>) -> impl Strategy<Value = serde_json::Value> {
    let key = prop::sample::select(vec!["permission", "instructions", "agent", "x", "*"]);
    prop::collection::vec((key, value), 0..4)
        .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        .prop_map(serde_json::Value::Object)
}

fn tree(name: &str, value: &serde_json::Value) -> ConfigNode {
    let path = PathBuf::from(name);
    let source = ConfigSource { layer: ConfigLayer::Project, path, is_opencode: false, is_trusted: false };
    parse(&format!("{value:#}"), &Arc::new(source), &mut FileWarnings::default()).unwrap()
}

proptest! {
    #[test]
    fn merging_is_associative(a in object(json(4)), b in object(json(4)), c in object(json(4))) {
        let (a, b, c) = (tree("a", &a), tree("b", &b), tree("c", &c));
        let left = merge(merge(a.clone(), b.clone(), MergePosition::Root), c.clone(), MergePosition::Root);
        let right = merge(a, merge(b, c, MergePosition::Root), MergePosition::Root);
        prop_assert_eq!(left, right);
    }

    #[test]
    fn the_empty_object_changes_nothing(a in object(json(4))) {
        let (a, empty) = (tree("a", &a), tree("empty", &serde_json::json!({})));
        prop_assert_eq!(&merge(a.clone(), empty.clone(), MergePosition::Root).kind, &a.kind);
        prop_assert_eq!(&merge(empty, a.clone(), MergePosition::Root).kind, &a.kind);
    }

    /// Merging invents nothing: each leaf of the result stands in the file and at the position that its
    /// origin names.
    #[test]
    fn origins_are_true(a in object(json(4)), b in object(json(4))) {
        let (a, b) = (tree("a", &a), tree("b", &b));
        let mut written = Vec::new();
        for file in [&a, &b] {
            file.visit_leaves(&mut |_, leaf| written.push((leaf.origin.clone(), leaf.kind.clone())));
        }
        let merged = merge(a, b, MergePosition::Root);
        let mut invented = Vec::new();
        merged.visit_leaves(&mut |path, leaf| {
            // The root of two empty files is the only leaf without a value.
            let empty = matches!(&leaf.kind, ConfigNodeKind::Object(entries) if entries.is_empty());
            if !empty && !written.contains(&(leaf.origin.clone(), leaf.kind.clone())) {
                invented.push(format_path(path.iter().copied()));
            }
        });
        prop_assert_eq!(invented, Vec::<String>::new());
    }
}
