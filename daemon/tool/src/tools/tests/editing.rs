//! `edit`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{check, check_on, fixture, fixture_with_asker, link};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;
use crate::tool::TouchedFiles;

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit", json!({ "filePath": path, "oldString": old, "newString": new }))
}

#[tokio::test]
async fn only_the_place_that_is_meant_changes() {
    let files = [("a.rs", "fn a() {\n    one();\n    two();\n}\n"), ("names", "x y x\nz\n")];
    let all = json!({ "filePath": "names", "oldString": "x", "newString": "$1", "replaceAll": true });
    let calls = [
        edit("a.rs", "    one();\n", "    eins();\n    uno();\n"),
        ("edit", all),
        edit("a.rs", "fn a() {\n    eins();\n    uno();\n    two();\n}\n", ""),
    ];
    check(
        &files,
        &calls,
        expect![[r#"
            edit
            ? read: a.rs (always: a.rs)
            ? edit: a.rs (always: *)
            Edited a.rs (+2 -1). The changed places now read:
            1: fn a() {
            2:     eins();
            3:     uno();
            4:     two();
            5: }
            edit
            ? read: names (always: names)
            ? edit: names (always: *)
            Edited names (+1 -1). The changed places now read:
            1: $1 y $1
            2: z
            edit
            ? edit: a.rs (always: *)
            Edited a.rs (+0 -5). It is empty now.
            = a.rs: ""
            = names: "$1 y $1\nz\n"
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_was_not_there_exactly_is_said() {
    let fixture = fixture(&[("a.rs", "fn a() {\n\tone();  \n\ttwo();\n}\n")]);
    let (name, arguments) = edit("a.rs", "\tone();\n\ttwo();", "\tone();\n\tzwei();");
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(
        (outcome.error_kind, &outcome.metadata.to_value()["tiers"]),
        (None, &json!({ "trailing-blanks": 1 }))
    );
    let said = "(The old text was not there exactly: a difference in the blanks at line ends was overlooked.";
    assert!(outcome.output.contains(said), "{}", outcome.output);
    assert_eq!(fixture.bytes("a.rs"), "fn a() {\n\tone();  \n\tzwei();\n}\n");
    let (name, arguments) = edit("a.rs", "zwei", "two");
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(outcome.metadata.to_value()["tiers"], json!({ "exact": 1 }));
    assert!(!outcome.output.contains("exactly"));
}

#[tokio::test]
async fn endings_marks_and_a_missing_last_break_stay() {
    let files = [
        ("crlf", "one\r\ntwo\r\nthree\r\n"),
        ("bom", "\u{feff}one\r\ntwo"),
        ("mixed", "one\r\ntwo\nthree\n"),
    ];
    let calls = [
        edit("crlf", "one\ntwo\n", "eins\nzwei\ndrei\n"),
        edit("bom", "two", "zwei"),
        edit("mixed", "two\nthree", "zwei\ndrei"),
    ];
    check(
        &files,
        &calls,
        expect![[r#"
            edit
            ? read: crlf (always: crlf)
            ? edit: crlf (always: *)
            Edited crlf (+3 -2). The changed places now read:
            1: eins
            2: zwei
            3: drei
            4: three
            edit
            ? read: bom (always: bom)
            ? edit: bom (always: *)
            Edited bom (+1 -1). The changed places now read:
            1: one
            2: zwei
            edit
            ? read: mixed (always: mixed)
            ? edit: mixed (always: *)
            Edited mixed (+2 -2). The changed places now read:
            1: one
            2: zwei
            3: drei
            = bom: "\u{feff}one\r\nzwei"
            = crlf: "eins\r\nzwei\r\ndrei\r\nthree\r\n"
            = mixed: "one\r\nzwei\ndrei\n"
        "#]],
    )
    .await;
}

#[tokio::test]
async fn mode_bits_and_links_stay() {
    let fixture = fixture(&[("run.sh", "echo one\n")]);
    fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    link("run.sh", &fixture.path("link.sh"));
    let (name, arguments) = edit("link.sh", "one", "two");
    assert_eq!(fixture.call(name, arguments).await.error_kind, None);
    let asked = fixture.asked().pop().unwrap();
    assert_eq!(asked.patterns, ["link.sh", "run.sh"], "no link leads past a rule");
    assert!(fixture.path("link.sh").is_symlink());
    assert_eq!(fixture.bytes("run.sh"), "echo two\n");
    assert_eq!(fs::metadata(fixture.path("run.sh")).unwrap().permissions().mode() & 0o7777, 0o751);
}

#[tokio::test]
async fn an_empty_old_text_creates_a_file() {
    let calls = [edit("new/deep/a.txt", "", "text"), edit("new/deep/a.txt", "", "other"), edit("b", "", "")];
    check(
        &[],
        &calls,
        expect![[r#"
            edit
            ? edit: new/deep/a.txt (always: *)
            Created new/deep/a.txt (+1 -0). The changed places now read:
            1: text
            edit
            ! Arguments
            The old text is empty or blank. Give the text to be replaced; to replace or create a whole file, write it.
            edit
            ! Arguments
            `b` does not exist, and nothing would be in it: there is nothing to do.
            = new/deep/a.txt: "text"
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_cannot_be_edited_is_explained_and_unchanged() {
    let fixture = fixture(&[("a.txt", "one\n  two\ntwo\none\n"), ("folder/x", "")]);
    fixture.put("latin1", b"caf\xe9\n");
    fs::File::create(fixture.path("huge")).unwrap().set_len(200 << 20).unwrap();
    fixture.put("locked", b"one\n");
    fs::set_permissions(fixture.path("locked"), fs::Permissions::from_mode(0o444)).unwrap();
    let calls = [
        edit("a.txt", "one", "one"),
        edit("a.txt", "one", "eins"),
        edit("a.txt", "one\ntwo", "eins"),
        edit("a.txt", "", "x"),
        edit("b.txt", "x", "y"),
        edit("folder", "x", "y"),
        edit("latin1", "caf", "x"),
        edit("huge", "x", "y"),
        edit("locked", "one", "two"),
        ("edit", json!({ "filePath": "a.txt", "oldString": "one" })),
        ("edit", json!({ "filePath": "a.txt", "oldString": 1, "newString": [] })),
    ];
    let before = fs::metadata(fixture.path("huge")).unwrap().len();
    check_on(&fixture, &calls, expect![[r#"
        edit
        ? read: a.txt (always: a.txt)
        ! Arguments
        Nothing to change: the old and the new text are the same (line endings stay as the file has them).
        edit
        ? read: a.txt (always: a.txt)
        ! Target
        The old text is in 2 places (at lines 1, 4). Nothing was changed: give more of the lines around the one that is meant, or replace all.
        edit
        ? read: a.txt (always: a.txt)
        ! Target
        The old text is not in the file as given. It is at line 1, a difference in indentation aside, but then the new text can be read in two ways. Nothing was changed: give the old and the new text as the file has them:
        1: one
        2:   two
        edit
        ? read: a.txt (always: a.txt)
        ! Arguments
        The old text is empty or blank. Give the text to be replaced; to replace or create a whole file, write it.
        edit
        ! Target
        `b.txt` does not exist. Did you mean `a.txt`?
        edit
        ! Target
        `folder` is a folder, not a file.
        edit
        ? read: latin1 (always: latin1)
        ! Target
        `latin1` cannot be edited: it is not UTF-8: the first wrong byte is 0xe9 in line 1, at offset 3.
        edit
        ! Target
        `huge` has 209715200 bytes, and at most 67108864 are read; search in it, or cut it with a command.
        edit
        ? read: locked (always: locked)
        ? edit: locked (always: *)
        ! Failed
        `locked` is read-only; nothing was changed. If it is meant to change, run `chmod u+w` on it first.
        edit
        ! Arguments
        The arguments of `edit` do not fit: missing field `newString`. It takes: filePath (string), oldString (string), newString (string), replaceAll (boolean, optional). Make the call again.
        edit
        ! Arguments
        The arguments of `edit` do not fit: `oldString`: invalid type: integer `1`, expected a string. It takes: filePath (string), oldString (string), newString (string), replaceAll (boolean, optional). Make the call again.
    "#]]).await;
    assert_eq!(fs::metadata(fixture.path("huge")).unwrap().len(), before);
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_left_alone_until_it_is_read_again() {
    let fixture = fixture(&[("a", "one\ntwo\n")]);
    fixture.call("read", json!({ "filePath": "a" })).await;
    fixture.put("a", b"one\ntwo\nand mine\n");
    let (name, arguments) = edit("a", "one", "eins");
    for _ in 0..2 {
        let outcome = fixture.call(name, arguments.clone()).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Target));
        assert_eq!(
            outcome.output,
            "`a` has changed since it was read; nothing was written. Read it again and repeat the change."
        );
    }
    assert_eq!(fixture.bytes("a"), "one\ntwo\nand mine\n");
    fixture.call("read", json!({ "filePath": "a" })).await;
    assert_eq!(fixture.call(name, arguments).await.error_kind, None);
    assert_eq!(fixture.bytes("a"), "eins\ntwo\nand mine\n");
    let (name, arguments) = edit("a", "two", "zwei");
    assert_eq!(fixture.call(name, arguments).await.error_kind, None, "what it wrote itself it knows");
}

#[tokio::test]
async fn a_change_while_the_user_is_asked_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "one\n").unwrap();
    let at = path.clone();
    let fixture = fixture_with_asker(&[], move |ask| {
        if ask.key == "edit" {
            fs::write(&at, "mine\n").unwrap();
        }
        Ok(())
    });
    let (name, arguments) = edit(path.to_str().unwrap(), "one", "two");
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Target));
    assert!(
        outcome.output.contains("has changed since it was read; nothing was written"),
        "{}",
        outcome.output
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left over");
}

#[tokio::test]
async fn the_user_is_asked_with_the_difference_and_may_say_no() {
    let fixture = fixture_with_asker(&[("a", "one\ntwo\n")], |ask| match ask.key.as_str() {
        "edit" => Err(PermissionDenial::ByUser { reason: Some("not now".into()) }),
        _ => Ok(()),
    });
    let (name, arguments) = edit("a", "two", "zwei\ndrei");
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(
        (outcome.error_kind, outcome.output.as_str()),
        (Some(ToolErrorKind::Denied), "The user said no: not now")
    );
    assert_eq!(fixture.bytes("a"), "one\ntwo\n");
    let ask = fixture.asked().pop().unwrap();
    assert_eq!((ask.title.as_str(), ask.patterns), ("Edit a (+2 -1)", vec!["a".to_owned()]));
    let diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n-two\n+zwei\n+drei\n";
    let path = fixture.path("a");
    assert_eq!(
        ask.metadata.to_value(),
        json!({ "filepath": path, "diff": diff, "additions": 2, "deletions": 1 })
    );
    // What was only looked at for the difference does not count as read.
    let outcome = fixture.call("write", json!({ "filePath": "a", "content": "all\n" })).await;
    assert!(outcome.output.contains("you have not read it"), "{}", outcome.output);
}

#[tokio::test]
async fn a_file_that_may_not_be_read_tells_nothing() {
    let fixture = fixture_with_asker(&[(".env", "KEY=secret\n")], |ask| match ask.key.as_str() {
        "read" => Err(PermissionDenial::ByRule { why: "no".into() }),
        _ => Ok(()),
    });
    let (name, arguments) = edit(".env", "KEY=secre", "");
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    assert!(!outcome.output.contains("secret"));
}

#[tokio::test]
async fn calls_that_touch_the_same_file_are_known() {
    let fixture = fixture(&[("a", "")]);
    link("a", &fixture.path("b"));
    let touches = |name: &str, arguments: Value| {
        fixture.registry().touched_files(name, &arguments.to_string(), &fixture.context())
    };
    let a = TouchedFiles::Files(vec![fixture.path("a").canonicalize().unwrap()]);
    let edit = json!({ "oldString": "x", "newString": "" });
    let of_a_file = [
        ("edit", json!({ "filePath": "b", "oldString": "", "newString": "" })),
        ("lsp", json!({ "filePath": "b", "operation": "hover" })),
        ("multiedit", json!({ "filePath": "b", "edits": [edit] })),
        ("read", json!({ "filePath": "x/../a" })),
        ("refactor", json!({ "filePath": "b", "operation": "format" })),
        ("write", json!({ "filePath": "a", "content": "" })),
    ];
    let definitions = fixture.registry().definitions(|_| true);
    let takes_a_file = definitions.iter().filter(|tool| !tool.parameters["properties"]["filePath"].is_null());
    assert_eq!(
        takes_a_file.map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        of_a_file.each_ref().map(|(name, _)| *name)
    );
    for (name, arguments) in of_a_file {
        assert_eq!(touches(name, arguments), a, "{name}");
    }
    assert_eq!(touches("bash", json!({ "command": "ls" })), TouchedFiles::Everything);
    let rename = json!({ "filePath": "b", "operation": "rename" });
    assert_eq!(touches("refactor", rename), TouchedFiles::Everything);
    assert_eq!(touches("grep", json!({ "pattern": "x" })), TouchedFiles::Nothing);
    assert_eq!(touches("glob", json!({ "pattern": "x" })), TouchedFiles::Nothing);
    assert_eq!(touches("list", json!({})), TouchedFiles::Nothing);
}
