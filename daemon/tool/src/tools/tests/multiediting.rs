//! `multiedit`.

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{check, fixture, fixture_with_asker};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;

fn multiedit(path: &str, edits: &[(&str, &str)]) -> (&'static str, Value) {
    let edits: Vec<_> =
        edits.iter().map(|(old, new)| json!({ "oldString": old, "newString": new })).collect();
    ("multiedit", json!({ "filePath": path, "edits": edits }))
}

#[tokio::test]
async fn edits_are_made_in_their_order_as_one_change() {
    let files = [("a.rs", "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    one();\n}\n")];
    let all = json!({ "oldString": "one", "newString": "eins", "replaceAll": true });
    let then = json!({ "oldString": "    eins();\n    two();", "newString": "    uno();\n    zwei();" });
    let calls = [("multiedit", json!({ "filePath": "a.rs", "edits": [all, then] }))];
    check(
        &files,
        &calls,
        expect![[r#"
        multiedit
        ? read: a.rs (always: a.rs)
        ? edit: a.rs (always: *)
        Edited a.rs (+3 -3). The changed places now read:
        1: fn a() {
        2:     uno();
        3:     zwei();
        4: }
        5: 
        6: fn b() {
        7:     eins();
        8: }
        = a.rs: "fn a() {\n    uno();\n    zwei();\n}\n\nfn b() {\n    eins();\n}\n"
    "#]],
    )
    .await;
}

#[tokio::test]
async fn one_that_cannot_be_made_leaves_all_undone_and_is_named() {
    let files = [("a", "one\ntwo\nthree\none\n")];
    let calls = [
        multiedit("a", &[("two", "zwei"), ("four", "vier"), ("three", "drei")]),
        multiedit("a", &[("one", "eins"), ("two", "zwei")]),
        multiedit("a", &[("two", "zwei\nzwei"), ("one", "eins")]),
        multiedit("a", &[("two", "zwei"), ("zwei", "zwei")]),
        multiedit("a", &[("two", "zwei"), ("", "x")]),
        multiedit("a", &[("two", "zwei"), ("zwei", "two")]),
        multiedit("b", &[("two", "zwei")]),
        multiedit("a", &[]),
        ("multiedit", json!({ "filePath": "a", "edits": [{ "oldString": "two" }] })),
    ];
    check(&files, &calls, expect![[r#"
        multiedit
        ? read: a (always: a)
        ! Target
        Edit 2 of 3 cannot be made, so none was (lines are counted as the edits before it would leave them). The old text is not in the file, which is unchanged. Nothing in the file is like it: read the file again.
        multiedit
        ? read: a (always: a)
        ! Target
        Edit 1 of 2 cannot be made, so none was. The old text is in 2 places (at lines 1, 4). Nothing was changed: give more of the lines around the one that is meant, or replace all.
        multiedit
        ? read: a (always: a)
        ! Target
        Edit 2 of 2 cannot be made, so none was (lines are counted as the edits before it would leave them). The old text is in 2 places (at lines 1, 5). Nothing was changed: give more of the lines around the one that is meant, or replace all.
        multiedit
        ? read: a (always: a)
        ! Arguments
        Edit 2 of 2 cannot be made, so none was (lines are counted as the edits before it would leave them). Nothing to change: the old and the new text are the same (line endings stay as the file has them).
        multiedit
        ? read: a (always: a)
        ! Arguments
        Edit 2 of 2 cannot be made, so none was (lines are counted as the edits before it would leave them). The old text is empty or blank. Give the text to be replaced; to replace or create a whole file, write it.
        multiedit
        ? read: a (always: a)
        ! Arguments
        Nothing to change: what the edits do, later ones undo.
        multiedit
        ! Target
        `b` does not exist. Look for it with `glob`, or list its folder.
        multiedit
        ! Arguments
        There are no edits to make: give at least one in `edits`.
        multiedit
        ! Arguments
        The arguments of `multiedit` do not fit: `edits[0]`: missing field `newString`. It takes: filePath (string), edits (array). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn a_new_file_may_be_edited_by_the_same_call() {
    let calls = [
        multiedit("new/a", &[("", "one\ntwo\n"), ("two", "zwei")]),
        multiedit("b", &[("", ""), ("x", "y")]),
        multiedit("b", &[("", "x"), ("x", "")]),
        multiedit("new/a", &[("", "x")]),
    ];
    check(&[], &calls, expect![[r#"
        multiedit
        ? edit: new/a (always: *)
        Created new/a (+2 -0). The changed places now read:
        1: one
        2: zwei
        multiedit
        ! Target
        Edit 2 of 2 cannot be made, so none was (lines are counted as the edits before it would leave them). The old text is not in the file, which is unchanged. Nothing in the file is like it: read the file again.
        multiedit
        ! Arguments
        `b` does not exist, and nothing would be in it: there is nothing to do.
        multiedit
        ! Arguments
        Edit 1 of 1 cannot be made, so none was. The old text is empty or blank. Give the text to be replaced; to replace or create a whole file, write it.
        = new/a: "one\nzwei\n"
    "#]]).await;
}

#[tokio::test]
async fn what_was_not_there_exactly_is_counted_and_named() {
    let fixture = fixture(&[("a.rs", "fn a() {\n\tone();  \n\ttwo();\n}\nx\n")]);
    let edits = [("x", "y"), ("\tone();\n\ttwo();", "\tone();\n\tzwei();"), ("y", "z")];
    let (name, arguments) = multiedit("a.rs", &edits);
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(
        (outcome.error_kind, &outcome.metadata.to_value()["tiers"]),
        (None, &json!({ "exact": 2, "trailing-blanks": 1 }))
    );
    let said = "(The old text of edit 2 was not there exactly: a difference in the blanks at line ends was overlooked.";
    assert!(outcome.output.contains(said), "{}", outcome.output);
    assert_eq!(fixture.bytes("a.rs"), "fn a() {\n\tone();  \n\tzwei();\n}\nz\n");
}

#[tokio::test]
async fn the_user_is_asked_once_with_one_difference() {
    let fixture = fixture_with_asker(&[("a", "one\ntwo\nthree\n")], |ask| match ask.key.as_str() {
        "edit" => Err(PermissionDenial::ByUser { reason: Some("not now".into()) }),
        _ => Ok(()),
    });
    let (name, arguments) = multiedit("a", &[("one", "eins"), ("eins", "uno"), ("three", "tre")]);
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    let asked: Vec<_> = fixture.asked().into_iter().filter(|ask| ask.key == "edit").collect();
    let [ask] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
    assert_eq!(ask.title, "Edit a (+2 -2)");
    let diff = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n-one\n+uno\n two\n-three\n+tre\n";
    assert_eq!(ask.metadata.to_value()["diff"], diff);
    assert_eq!(fixture.bytes("a"), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn too_many_edits_are_refused() {
    let fixture = fixture(&[("a", "one\n")]);
    let edits = vec![("one", "two"); 251];
    let (name, arguments) = multiedit("a", &edits);
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Arguments));
    assert!(outcome.output.starts_with("251 edits are too many for one call"), "{}", outcome.output);
}
