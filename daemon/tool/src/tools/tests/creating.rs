//! `write`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{check, check_on, fixture, fixture_with_asker, link};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write", json!({ "filePath": path, "content": content }))
}

fn read(path: &str) -> (&'static str, Value) {
    ("read", json!({ "filePath": path }))
}

#[tokio::test]
async fn a_new_file_is_written_as_it_is() {
    let calls =
        [write("new/deep/ä.txt", "one\r\ntwo"), write("empty", ""), write("new/deep/ä.txt", "changed\n")];
    check(
        &[],
        &calls,
        expect![[r#"
        write
        ? edit: new/deep/ä.txt (always: *)
        Created new/deep/ä.txt (2 lines).
        write
        ? edit: empty (always: *)
        Created empty (0 lines).
        write
        ? edit: new/deep/ä.txt (always: *)
        Wrote new/deep/ä.txt (+1 -2).
        = empty: ""
        = new/deep/ä.txt: "changed\r\n"
    "#]],
    )
    .await;
}

#[tokio::test]
async fn an_existing_file_must_be_known() {
    let files = [("a", "one\n"), ("b", "\u{feff}one\r\ntwo\r\n")];
    let calls = [
        write("a", "two\n"),
        read("a"),
        write("a", "two\n"),
        write("a", "two\n"),
        read("b"),
        write("b", "eins\nzwei\ndrei\n"),
    ];
    check(&files, &calls, expect![[r#"
        write
        ! Target
        `a` exists, and you have not read it in this session; nothing was written. Read it first, or change only a part of it with `edit`.
        read
        ? read: a (always: a)
        1: one

        (The file ends here: 1 line.)
        write
        ? edit: a (always: *)
        Wrote a (+1 -1).
        write
        `a` has exactly this content already; nothing was written.
        read
        ? read: b (always: b)
        1: one
        2: two

        (The file ends here: 2 lines.)
        write
        ? edit: b (always: *)
        Wrote b (+3 -2).
        = a: "two\n"
        = b: "\u{feff}eins\r\nzwei\r\ndrei\r\n"
    "#]]).await;
}

#[tokio::test]
async fn all_lines_must_be_shown_before_a_file_is_written_over() {
    let page = |offset: usize| ("read", json!({ "filePath": "a", "offset": offset, "limit": 2 }));
    let long = format!("one\n{}\n", "x".repeat(5000));
    let files = [("a", "1\n2\n3\n4\n"), ("b", "1\n2\n"), ("long", long.as_str())];
    let fixture = fixture(&files);
    let outcome = async |(name, arguments): (&'static str, Value)| fixture.call(name, arguments).await.output;
    outcome(page(1)).await;
    let refused = outcome(write("a", "x\n")).await;
    assert!(refused.starts_with("`a` has lines that you were not shown, from line 3 on;"), "{refused}");
    outcome(("edit", json!({ "filePath": "a", "oldString": "1\n", "newString": "0\n1\n" }))).await;
    let refused = outcome(write("a", "x\n")).await;
    assert!(refused.starts_with("`a` has lines that you were not shown, from line 1 on;"), "{refused}");
    for offset in [4, 1, 3] {
        outcome(page(offset)).await;
    }
    assert_eq!(outcome(write("a", "x\n")).await, "Wrote a (+1 -5).");
    // An edit shows only its surroundings.
    outcome(("edit", json!({ "filePath": "b", "oldString": "2", "newString": "3" }))).await;
    assert!(outcome(write("b", "x\n")).await.contains("not shown"));
    outcome(("read", json!({ "filePath": "long" }))).await;
    let refused = outcome(write("long", "x\n")).await;
    assert_eq!(
        refused,
        "Line 2 of `long` is too long to be shown whole; nothing was written. Change the file with `edit`."
    );
}

/// The model wrote the call before it saw what the other call of the same step shows.
#[tokio::test]
async fn a_read_in_the_same_step_does_not_show_a_file_in_time() {
    let fixture = fixture(&[("a", "one\n")]);
    fixture.call("read", json!({ "filePath": "a" })).await;
    let arguments = json!({ "filePath": "a", "content": "two\n" }).to_string();
    let refused = fixture.registry().run_raw_call("write", &arguments, fixture.context()).await.output;
    assert!(refused.starts_with("`a` has lines that you were not shown, from line 1 on;"), "{refused}");
    assert_eq!(fs::read_to_string(fixture.path("a")).unwrap(), "one\n");
    let (name, arguments) = write("a", "two\n");
    assert_eq!(fixture.call(name, arguments).await.output, "Wrote a (+1 -1).");
}

/// A patch that deletes a file and adds it again writes over it, and a moved file is known as well as before.
#[tokio::test]
async fn a_patch_does_not_write_over_what_was_not_shown() {
    let fixture = fixture(&[("a", "one\n"), ("b", "two\n")]);
    let patch = |body: &str| json!({ "patchText": format!("*** Begin Patch\n{body}\n*** End Patch") });
    let rewrite = patch("*** Delete File: a\n*** Add File: a\n+new");
    let refused = fixture.call("apply_patch", rewrite.clone()).await.output;
    assert!(refused.starts_with("`a` exists, and you have not read it in this session;"), "{refused}");
    fixture.call("read", json!({ "filePath": "a" })).await;
    assert_eq!(fixture.call("apply_patch", rewrite).await.error_kind, None);
    fixture.call("apply_patch", patch("*** Update File: a\n*** Move to: c")).await;
    fixture.call("apply_patch", patch("*** Update File: b\n*** Move to: d")).await;
    for (path, expected) in
        [("c", "Wrote c (+1 -1)."), ("d", "`d` exists, and you have not read it in this session;")]
    {
        let (name, arguments) = write(path, "x\n");
        let output = fixture.call(name, arguments).await.output;
        assert!(output.starts_with(expected), "{output}");
    }
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_left_alone() {
    let fixture = fixture(&[("a", "one\n")]);
    fixture.tell("read", json!({ "filePath": "a" })).await;
    fixture.put("a", b"mine\n");
    check_on(
        &fixture,
        &[write("a", "two\n"), write("a", "two\n")],
        expect![[r#"
        write
        ! Target
        `a` has changed since it was read; nothing was written. Read it again and repeat the change.
        write
        ! Target
        `a` has changed since it was read; nothing was written. Read it again and repeat the change.
    "#]],
    )
    .await;
    fs::remove_file(fixture.path("a")).unwrap();
    let (name, arguments) = write("a", "two\n");
    assert_eq!(fixture.call(name, arguments).await.error_kind, None, "what is gone can be written anew");
}

#[tokio::test]
async fn what_cannot_be_written_is_explained_and_unchanged() {
    let fixture = fixture(&[("folder/x", ""), ("file", "")]);
    fixture.put("binary", b"\xff\0\xff");
    link("loop", &fixture.path("loop"));
    let calls = [
        write("folder", "x"),
        write("file/below", "x"),
        read("binary"),
        write("binary", "x"),
        write("loop", "x"),
        ("write", json!({ "filePath": "a" })),
        ("write", json!({ "filePath": "a", "content": { "a": 1 } })),
    ];
    check_on(&fixture, &calls, expect![[r#"
        write
        ! Target
        `folder` is a folder, not a file.
        write
        ? edit: file/below (always: *)
        ! Target
        The folder of `file/below` does not exist; nothing was written. Create it, or check the path.
        read
        ? read: binary (always: binary)
        ! Target
        `binary` cannot be shown as text: it is binary: there is a NUL byte at offset 1.
        write
        ! Target
        `binary` is no text that may be written over: it is not UTF-8: the first wrong byte is 0xff in line 1, at offset 0.
        write
        ? external_directory: TMP/work/* (always: TMP/work/*)
        ! Failed
        `TMP/work/loop` cannot be followed: its links lead in a circle.
        write
        ! Arguments
        The arguments of `write` do not fit: missing field `content`. It takes: filePath (string), content (string). Make the call again.
        write
        ! Arguments
        The arguments of `write` do not fit: `content`: invalid type: map, expected a string. It takes: filePath (string), content (string). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn mode_bits_and_links_stay() {
    let fixture = fixture(&[("run.sh", "one\n")]);
    fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    link("run.sh", &fixture.path("link"));
    fixture.tell("read", json!({ "filePath": "run.sh" })).await;
    let (name, arguments) = write("link", "two\n");
    assert_eq!(fixture.call(name, arguments).await.error_kind, None);
    assert!(fixture.path("link").is_symlink());
    assert_eq!(fixture.bytes("run.sh"), "two\n");
    assert_eq!(fs::metadata(fixture.path("run.sh")).unwrap().permissions().mode() & 0o7777, 0o750);
}

#[tokio::test]
async fn a_file_that_appears_while_the_user_is_asked_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let at = path.clone();
    let fixture = fixture_with_asker(&[], move |ask| {
        if ask.key == "edit" {
            fs::write(&at, "mine\n").unwrap();
        }
        Ok(())
    });
    let (name, arguments) = write(path.to_str().unwrap(), "two\n");
    let outcome = fixture.call(name, arguments).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Target));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
}

#[tokio::test]
async fn outside_of_the_workspace_is_asked_for_first() {
    check(
        &[],
        &[write("../beside/x", "one\n")],
        expect![[r#"
        write
        ? external_directory: TMP/beside/* (always: TMP/beside/*)
        ? edit: TMP/beside/x (always: *)
        Created TMP/beside/x (1 line).
    "#]],
    )
    .await;
    for refused in ["external_directory", "edit"] {
        let fixture = fixture_with_asker(&[], move |ask| {
            if ask.key == refused { Err(PermissionDenial::ByRule { why: "no".into() }) } else { Ok(()) }
        });
        let (name, arguments) = write("../x", "one\n");
        assert_eq!(fixture.call(name, arguments).await.error_kind, Some(ToolErrorKind::Denied));
        assert!(!fixture.path("../x").exists());
    }
}

#[tokio::test]
async fn nothing_is_written_after_a_cancel() {
    let token = tokio_util::sync::CancellationToken::new();
    let cancel = token.clone();
    let mut fixture = fixture_with_asker(&[], move |_| {
        cancel.cancel();
        Ok(())
    });
    fixture.cancel = token;
    let (name, arguments) = write("a", "one\n");
    assert_eq!(fixture.call(name, arguments).await.error_kind, Some(ToolErrorKind::Cancelled));
    assert!(fixture.tree().is_empty());
}
