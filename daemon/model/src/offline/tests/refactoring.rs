//! Renames and fixes by language servers, step by step.

use expect_test::expect;
use serde_json::json;

use super::conversation::Conversation;

#[test]
fn a_symbol_is_renamed_by_its_server() {
    let asked = Conversation::new("rename count to tally in src/a.rs").with("refactor");
    expect![[r#"
        refactor {"operation":"rename","symbol":"count","newName":"tally","filePath":"src/a.rs"}
    "#]]
    .assert_eq(&asked.next());
    let rename = |output: &'static str| [("refactor", json!({ "operation": "rename" }), output)];
    expect![[r#"
        `count` is `tally` now.

        Changed 2 files (+3 -3).
    "#]]
    .assert_eq(&asked.did(&rename("Changed 2 files (+3 -3).")).next());
}

#[test]
fn without_a_server_a_symbol_is_renamed_word_by_word_but_not_if_its_name_is_taken() {
    let rename = |output: &'static str| [("refactor", json!({ "operation": "rename" }), output)];
    let asked = || Conversation::new("rename count to tally").with("refactor");
    let unserved = asked().failed(&rename("No language server serves a.rs. Nothing was changed."));
    expect![[r#"
        grep {"pattern":"\\bcount\\b"}
    "#]]
    .assert_eq(&unserved.next());
    let none = [("grep", json!({ "pattern": r"\bcount\b" }), "No line in `.` matches")];
    expect![[r#"
        `count` is nowhere. (Files that git ignores are passed over.)
    "#]]
    .assert_eq(&unserved.did(&none).next());
    let taken = asked().failed(&rename("`tally` is already defined in a.rs:1. Nothing was changed."));
    expect![[r#"
        I have stopped: `tally` is already defined in a.rs:1. Nothing was changed.
    "#]]
    .assert_eq(&taken.next());
}

#[test]
fn a_name_with_several_definitions_is_shown_with_all_of_them() {
    let several = "`count` is defined 2 times. Name one by filePath and line, or by more of its path (`Type.method`):\n  a.rs:1 fn count()\n  b.rs:2 fn count()";
    let rename = Conversation::new("rename count to tally").with("refactor").failed(&[(
        "refactor",
        json!({ "operation": "rename" }),
        several,
    )]);
    expect![[r#"
        `count` is defined 2 times:
          a.rs:1 fn count()
          b.rs:2 fn count()
        Say which one: `rename count in FILE to tally`.
    "#]]
    .assert_eq(&rename.next());
    let ask =
        |sentence| Conversation::new(sentence).with("lsp").failed(&[("lsp", json!({}), several)]).next();
    expect![[r#"
        `count` is defined 2 times:
          a.rs:1 fn count()
          b.rs:2 fn count()
    "#]]
    .assert_eq(&ask("where is count defined?"));
    expect![[r#"
        `count` is defined 2 times:
          a.rs:1 fn count()
          b.rs:2 fn count()
        Say which one: add `in FILE`.
    "#]]
    .assert_eq(&ask("who calls count?"));
}

#[test]
fn the_path_of_a_symbol_is_not_taken_for_text() {
    let rename =
        [("refactor", json!({ "operation": "rename" }), "No file of the workspace defines `a::count`.")];
    let asked = Conversation::new("rename a::count to tally").with("refactor").failed(&rename);
    expect![[r#"
        I have stopped: No file of the workspace defines `a::count`.
    "#]]
    .assert_eq(&asked.next());
}

#[test]
fn the_fixes_that_a_server_prefers_are_made_one_by_one() {
    let asked = Conversation::new("apply the quick fixes in a.py").with("refactor");
    let list = json!({ "operation": "codeAction", "filePath": "a.py" });
    assert_eq!(asked.next(), format!("refactor {list}\n"));
    let offered = "2 code actions. Apply one by its `title`.\n- Remove it (quickfix, preferred, by ruff)\n    line 1: `os` is unused\n- Other (refactor, by ruff)";
    let listed = asked.did(&[("refactor", list.clone(), offered)]);
    expect![[r#"
        refactor {"operation":"codeAction","filePath":"a.py","title":"Remove it","problem":"`os` is unused"}
    "#]]
    .assert_eq(&listed.next());
    let fix = json!({ "operation": "codeAction", "filePath": "a.py", "title": "Remove it", "problem": "`os` is unused" });
    let fixed = listed.did(&[("refactor", fix, "Edited a.py (+0 -1).")]);
    assert_eq!(fixed.next(), format!("refactor {list}\n"));
    // The same fix is not made twice.
    expect![[r#"
        1 fix is made. No other one is preferred.
    "#]]
    .assert_eq(&fixed.did(&[("refactor", list, offered)]).next());
}

#[test]
fn a_file_is_formatted_and_its_imports_are_organized() {
    let next = |prompt: &str| Conversation::new(prompt).with("refactor").next();
    expect![[r#"
        refactor {"operation":"organizeImports","filePath":"src/a.ts"}
    "#]]
    .assert_eq(&next("Please organize the imports of src/a.ts"));
    expect![[r#"
        refactor {"operation":"format","filePath":"a.go"}
    "#]]
    .assert_eq(&next("format a.go"));
}

/// What an editor's "Fix" sends.
#[test]
fn of_the_problems_that_an_editor_lists_only_those_are_fixed() {
    let prompt = "Fix these problems:\n- my src/a.ts:3:5 error: Cannot find name 'x'. Did you mean 'y'? (ts)";
    let asked = Conversation::new(prompt).with("refactor");
    let list = json!({ "operation": "codeAction", "filePath": "my src/a.ts" });
    assert_eq!(asked.next(), format!("refactor {list}\n"));
    let offered = "2 code actions. Apply one by its `title`.\n- Remove it (quickfix, preferred, by ts)\n    line 1: `os` is unused\n- Change spelling to 'y' (quickfix, preferred, by ts)\n    line 3: Cannot find name 'x'. Did you mean 'y'?";
    let listed = asked.did(&[("refactor", list.clone(), offered)]);
    expect![[r#"
        refactor {"operation":"codeAction","filePath":"my src/a.ts","title":"Change spelling to 'y'","problem":"Cannot find name 'x'. Did you mean 'y'?"}
    "#]]
    .assert_eq(&listed.next());
    // Of a Rust file the compiler is asked.
    let rust =
        Conversation::new("Fix these problems:\n- a.rs:3:5 error: cannot find `x` (rustc)").with("refactor");
    assert!(rust.next().contains("cargo check"), "{}", rust.next());
    // However many problems are listed.
    let many = format!("Fix these problems:{}", "\n- a.ts:3:5 warning: 'x' is never read. (ts)".repeat(100));
    assert!(Conversation::new(&many).with("refactor").next().starts_with("refactor "));
}
