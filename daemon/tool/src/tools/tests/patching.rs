//! `apply_patch`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, check, check_on, fixture, fixture_with_asker, link};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;
use crate::tool::TouchedFiles;

fn patch(body: &str) -> (&'static str, Value) {
    ("apply_patch", json!({ "patchText": text(body) }))
}

fn text(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch\n")
}

async fn apply(fixture: &ToolFixture, body: &str) -> crate::outcome::CallOutcome {
    let (name, arguments) = patch(body);
    fixture.call(name, arguments).await
}

#[tokio::test]
async fn files_are_added_updated_deleted_and_moved_at_once() {
    let files = [
        ("src/a.rs", "fn a() {\n    one();\n}\n"),
        ("src/b.rs", "fn b() {\n    two();\n}\n"),
        ("old.txt", "gone\nsoon\n"),
    ];
    let calls = [patch(
        "*** Add File: new/deep.txt\n+first\n+second\n*** Update File: src/a.rs\n@@ fn a() {\n-    one();\n+    eins();\n\
         *** Update File: src/b.rs\n*** Move to: lib/b.rs\n@@\n-    two();\n+    zwei();\n*** Delete File: old.txt",
    )];
    check(
        &files,
        &calls,
        expect![[r#"
        apply_patch
        ? read: src/a.rs (always: src/a.rs)
        ? read: src/b.rs (always: src/b.rs)
        ? read: old.txt (always: old.txt)
        ? edit: new/deep.txt, src/a.rs, lib/b.rs, src/b.rs, old.txt (always: *)
        Patched 4 files (+4 -4).
        Created new/deep.txt (+2 -0).
        Edited src/a.rs (+1 -1). The changed places now read:
        1: fn a() {
        2:     eins();
        3: }
        Moved src/b.rs to lib/b.rs (+1 -1). The changed places now read:
        1: fn b() {
        2:     zwei();
        3: }
        Deleted old.txt (+0 -2).
        = lib/b.rs: "fn b() {\n    zwei();\n}\n"
        = new/deep.txt: "first\nsecond\n"
        = src/a.rs: "fn a() {\n    eins();\n}\n"
        = old.txt is gone
        = src/b.rs is gone
    "#]],
    )
    .await;
}

#[tokio::test]
async fn one_file_is_told_like_an_edit() {
    let fixture = fixture(&[("a", "one\ntwo\n")]);
    let outcome = apply(&fixture, "*** Update File: ./a\n@@\n-two\n+zwei").await;
    assert_eq!((outcome.error_kind, outcome.title.as_str()), (None, "Edited a (+1 -1)"));
    let diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n";
    let expected = json!({
        "filepath": fixture.path("a"), "diff": diff, "additions": 1, "deletions": 1, "tiers": { "exact": 1 },
    });
    assert_eq!(outcome.metadata.to_value(), expected);
}

#[tokio::test]
async fn a_user_is_asked_once_about_every_path() {
    let fixture = fixture_with_asker(&[("a", "one\n"), ("b", "two\n"), ("c", "three\n")], |ask| {
        match ask.key.as_str() {
            "edit" => Err(PermissionDenial::ByUser { reason: None }),
            _ => Ok(()),
        }
    });
    link("a", &fixture.path("link"));
    let before = fixture.tree();
    let body = "*** Update File: link\n@@\n-one\n+eins\n*** Update File: b\n*** Move to: sub/b\n*** Delete File: c\n\
                *** Add File: d\n+four";
    let outcome = apply(&fixture, body).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    assert_eq!(fixture.tree(), before);
    let asked: Vec<_> = fixture.asked().into_iter().filter(|ask| ask.key == "edit").collect();
    let [ask] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
    assert_eq!(ask.patterns, ["link", "a", "sub/b", "b", "c", "d"]);
    assert_eq!(ask.title, "Edit 4 files (+2 -2): link, sub/b, c, d");
    let metadata = ask.metadata.to_value();
    let files = metadata["files"].as_array().unwrap();
    let told = |file: &Value| {
        let number = |key: &str| file[key].as_u64().unwrap();
        (file["path"].as_str().unwrap().to_owned(), number("additions"), number("deletions"))
    };
    let expected = [("link", 1, 1), ("sub/b", 0, 0), ("c", 0, 1), ("d", 1, 0)];
    assert_eq!(
        files.iter().map(told).collect::<Vec<_>>(),
        expected.map(|(path, added, gone)| (path.to_owned(), added, gone))
    );
    assert_eq!(files[1]["from"], json!(fixture.path("b")));
}

#[tokio::test]
async fn what_does_not_fit_is_explained_and_nothing_is_changed() {
    let fixture = fixture(&[("a.txt", "one\ntwo\n"), ("b.txt", "x\nx\n"), ("folder/x", "x\n")]);
    fixture.put("latin1", b"caf\xe9\n");
    fixture.put("locked", b"one\n");
    fs::set_permissions(fixture.path("locked"), fs::Permissions::from_mode(0o444)).unwrap();
    link("a.txt", &fixture.path("link"));
    let add = "*** Add File: new\n+new\n";
    let with = |rest: &str| patch(&format!("{add}{rest}"));
    let calls = [
        with("*** Update File: a.txt\n@@\n-three\n+drei\n*** Update File: b.txt\n@@\n-x\n+y"),
        with("*** Update File: a.tx\n@@\n-one\n+eins"),
        with("*** Add File: a.txt\n+x"),
        with("*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+eins"),
        with("*** Delete File: folder"),
        with("*** Update File: latin1\n@@\n-caf\n+tea"),
        with("*** Update File: locked\n@@\n-one\n+eins"),
        with("*** Delete File: link"),
        with("*** Update File: a.txt\n@@\n-one\n+eins\n*** Delete File: ./folder/../a.txt"),
        ("apply_patch", json!({ "patchText": "--- a\n+++ b\n" })),
        ("apply_patch", json!({ "patchText": text("") })),
        ("apply_patch", json!({ "patchText": "*** Begin Patch\n*** Add File: \0\n*** End Patch" })),
        ("apply_patch", json!({})),
    ];
    check_on(&fixture, &calls, expect![[r#"
        apply_patch
        ? read: a.txt (always: a.txt)
        ? read: b.txt (always: b.txt)
        ! Target
        The patch does not fit; no file was changed.
        1. a.txt (line 4 of the patch): The hunk at line 5 of the patch does not fit: its lines are not in the file. Nothing in the file is like them: read it again.
        2. b.txt (line 8 of the patch): The hunk at line 9 of the patch fits in 2 places (at lines 1, 2 of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in.
        apply_patch
        ! Target
        The patch does not fit; no file was changed.
        1. a.tx (line 4 of the patch): there is no such file to update or delete.
        `a.tx` does not exist. Did you mean `a.txt` or `b.txt`?
        apply_patch
        ! Target
        The patch does not fit; no file was changed.
        1. a.txt (line 4 of the patch): the file exists already. Update it; or, to write it anew, delete it before it is added.
        apply_patch
        ? read: a.txt (always: a.txt)
        ! Target
        The patch does not fit; no file was changed.
        1. b.txt (line 4 of the patch): there is a file already, which the move would overwrite.
        apply_patch
        ! Target
        `folder` is a folder, not a file.
        apply_patch
        ? read: latin1 (always: latin1)
        ! Target
        `latin1` cannot be patched: it is not UTF-8: the first wrong byte is 0xe9 in line 1, at offset 3.
        apply_patch
        ? read: locked (always: locked)
        ? edit: new, locked (always: *)
        ! Failed
        `locked` is read-only; nothing was changed. If it is meant to change, run `chmod u+w` on it first.
        apply_patch
        ? read: link, a.txt (always: link, a.txt)
        ! Target
        `link` is a link, which a patch cannot move or delete; nothing was changed. Use a command.
        apply_patch
        ? read: a.txt (always: a.txt)
        ! Target
        The patch does not fit; no file was changed.
        1. a.txt (line 8 of the patch): line 4 of the patch has done something else with this path already. Say once what becomes of it.
        apply_patch
        ! Arguments
        Line 1 of the patch: expected `*** Begin Patch`; found `--- a`.
        apply_patch
        ! Arguments
        The patch is empty: there is no section between `*** Begin Patch` and `*** End Patch`.
        apply_patch
        ! Arguments
        Line 2 of the patch has a NUL character, which no text file has.
        apply_patch
        ! Arguments
        The arguments of `apply_patch` do not fit: missing field `patchText`. It takes: patchText (string). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn paths_that_lead_to_one_file_are_one_file() {
    let fixture = fixture(&[("a", "one\ntwo\n")]);
    link("a", &fixture.path("link"));
    let body = format!(
        "*** Update File: link\n@@\n-one\n+eins\n*** Update File: {}\n@@\n eins\n-two\n+zwei",
        fixture.path("a").display()
    );
    let outcome = apply(&fixture, &body).await;
    assert_eq!(outcome.error_kind, None, "{}", outcome.output);
    assert_eq!(fixture.bytes("a"), "eins\nzwei\n");
    assert!(fixture.path("link").is_symlink());
}

#[tokio::test]
async fn endings_and_marks_stay_also_of_a_file_that_moves() {
    let fixture = fixture(&[("crlf", "one\r\ntwo\r\n"), ("bom", "\u{feff}one\r\ntwo")]);
    let body = "*** Update File: crlf\n@@\n-two\n+zwei\n+drei\n*** Update File: bom\n*** Move to: moved\n@@\n-one\n+eins";
    let outcome = apply(&fixture, body).await;
    assert_eq!(outcome.error_kind, None, "{}", outcome.output);
    assert_eq!(fixture.bytes("crlf"), "one\r\nzwei\r\ndrei\r\n");
    assert_eq!(fixture.bytes("moved"), "\u{feff}eins\r\ntwo");
    assert!(!fixture.path("bom").exists());
}

#[tokio::test]
async fn what_runs_still_runs_after_a_move() {
    let fixture = fixture(&[("run.sh", "echo one\n")]);
    fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    let outcome =
        apply(&fixture, "*** Update File: run.sh\n*** Move to: bin/run.sh\n@@\n-echo one\n+echo two").await;
    assert_eq!(outcome.error_kind, None, "{}", outcome.output);
    assert_eq!(fs::metadata(fixture.path("bin/run.sh")).unwrap().permissions().mode() & 0o7777, 0o751);
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_left_alone() {
    let fixture = fixture(&[("a", "one\n"), ("b", "one\n")]);
    fixture.call("read", json!({ "filePath": "a" })).await;
    fixture.put("a", b"one\nand mine\n");
    let body = "*** Update File: b\n@@\n-one\n+eins\n*** Update File: a\n@@\n-one\n+eins";
    let outcome = apply(&fixture, body).await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Target));
    assert!(
        outcome.output.contains("`a` has changed since it was read; nothing was written"),
        "{}",
        outcome.output
    );
    assert_eq!((fixture.bytes("a").as_str(), fixture.bytes("b").as_str()), ("one\nand mine\n", "one\n"));
}

#[tokio::test]
async fn what_may_not_be_read_tells_nothing_and_what_is_outside_is_asked_about() {
    let fixture =
        fixture_with_asker(&[(".env", "KEY=secret\n"), ("../out", "out\n")], |ask| match ask.key.as_str() {
            "read" | "external_directory" => Err(PermissionDenial::ByRule { why: "no".into() }),
            _ => Ok(()),
        });
    let outcome = apply(&fixture, "*** Update File: .env\n@@\n-KEY=secre\n+KEY=x").await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    assert!(!outcome.output.contains("secret"));
    let outcome = apply(&fixture, "*** Update File: .env\n*** Move to: ../moved").await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    let outcome = apply(&fixture, "*** Add File: ../new\n+x").await;
    assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
    assert!(!fixture.path("../new").exists());
}

#[tokio::test]
async fn other_names_of_the_parameter_and_lenient_places_are_taken() {
    let fixture = fixture(&[("a", "\tone();  \n\ttwo();\n")]);
    let body = text("*** Update File: a\n@@\n-\tone();\n+\teins();");
    let outcome = fixture.call("apply_patch", json!({ "input": body })).await;
    assert_eq!(
        (outcome.error_kind, &outcome.metadata.to_value()["tiers"]),
        (None, &json!({ "trailing-blanks": 1 }))
    );
    assert!(
        outcome.output.contains("a difference in the blanks at line ends was overlooked"),
        "{}",
        outcome.output
    );
    let body = text("*** Update File: a\n@@\n-\ttwo();\n+\tzwei();");
    assert_eq!(fixture.call("apply_patch", json!({ "patch": body })).await.error_kind, None);
}

#[tokio::test]
async fn calls_that_touch_the_same_file_are_known() {
    let fixture = fixture(&[("a", ""), ("b", "")]);
    let (name, arguments) = patch("*** Update File: a\n*** Move to: c\n*** Delete File: b");
    let touches = fixture.registry().touched_files(name, &arguments.to_string(), &fixture.context());
    let TouchedFiles::Files(mut files) = touches else { panic!("{touches:?}") };
    files.sort();
    let root = fixture.path("a").canonicalize().unwrap().parent().unwrap().to_owned();
    assert_eq!(files, ["a", "b", "c"].map(|name| root.join(name)));
}

#[tokio::test]
async fn hostile_patches_end_in_words_and_change_nothing() {
    let fixture = fixture(&[("a.txt", "one\n")]);
    let fifo = std::process::Command::new("mkfifo").arg(fixture.path("fifo")).status().unwrap();
    assert!(fifo.success());
    link("loop", &fixture.path("loop"));
    let names = || {
        let entries = fs::read_dir(fixture.path(".")).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<std::collections::BTreeSet<_>>()
    };
    let before = names();
    let many: String = (0..501).map(|number| format!("*** Add File: new/{number}\n+x\n")).collect();
    for (body, kind, said) in [
        ("*** Update File: fifo\n@@\n-a\n+b".to_owned(), ToolErrorKind::Target, "only regular files"),
        ("*** Delete File: /dev/zero".to_owned(), ToolErrorKind::Target, "only regular files"),
        ("*** Update File: loop\n@@\n-a\n+b".to_owned(), ToolErrorKind::Failed, "loop"),
        ("*** Add File: a.txt/below\n+x".to_owned(), ToolErrorKind::Target, "a.txt/below"),
        (format!("*** Add File: {}\n+x", "x".repeat(1 << 20)), ToolErrorKind::Arguments, "path"),
        (format!("*** Add File: {}\n+x", "x".repeat(300)), ToolErrorKind::Failed, "xxx"),
        (many, ToolErrorKind::Arguments, "up to 500 files"),
    ] {
        let outcome = apply(&fixture, &body).await;
        assert_eq!(outcome.error_kind, Some(kind), "{said}: {:.300}", outcome.output);
        assert!(outcome.output.contains(said), "{said}: {:.300}", outcome.output);
    }
    assert_eq!((names(), fixture.bytes("a.txt").as_str()), (before, "one\n"));
}

#[tokio::test]
async fn of_many_files_the_first_ones_are_named() {
    let fixture = fixture(&[]);
    let files: String = (0..60).map(|number| format!("*** Add File: f{number:02}\n+x\n")).collect();
    let patch = format!("*** Begin Patch\n{files}*** End Patch");
    let outcome = fixture.call("apply_patch", json!({ "patchText": patch })).await;
    let last: Vec<_> = outcome.output.trim_end().lines().rev().take(2).collect();
    assert_eq!(last, ["… and 10 more files.", "Created f49 (+1 -0)."], "{}", outcome.output);
}
