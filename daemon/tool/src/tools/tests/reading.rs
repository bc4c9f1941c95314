//! `read` and `list`.

use std::fs::File;

use expect_test::expect;
use serde_json::json;

use super::fixture::{check, check_on, fixture, fixture_with_asker, link};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;

#[tokio::test]
async fn lines_have_numbers_and_the_end_is_told() {
    let files = [("a.txt", "one\r\nzwei ✓\n"), ("b.txt", "no\nbreak"), ("empty", ""), ("bom", "\u{feff}x\n")];
    let calls = [
        ("read", json!({ "filePath": "a.txt" })),
        ("read", json!({ "filePath": "./b.txt", "offset": null, "limit": null, "unknown": 1 })),
        ("read", json!({ "filePath": "empty" })),
        ("read", json!({ "filePath": "bom" })),
        ("read", json!({ "filePath": "a.txt", "offset": "2" })),
        ("read", json!({ "filePath": "a.txt", "limit": 1 })),
    ];
    check(
        &files,
        &calls,
        expect![[r#"
        read
        ? read: a.txt (always: a.txt)
        1: one
        2: zwei ✓

        (The file ends here: 2 lines.)
        read
        ? read: b.txt (always: b.txt)
        1: no
        2: break

        (The file ends here: 2 lines; the last one has no line break.)
        read
        ? read: empty (always: empty)
        `empty` is empty.
        read
        ? read: bom (always: bom)
        1: x

        (The file ends here: 1 line.)
        read
        ? read: a.txt (always: a.txt)
        2: zwei ✓

        (The file ends here: 2 lines.)
        read
        ? read: a.txt (always: a.txt)
        1: one

        (Lines 1 to 1 of 2. Go on with offset 2.)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn what_cannot_be_read_is_explained() {
    let fixture = fixture(&[("src/main.rs", ""), ("a.txt", "x\n"), ("latin1", "")]);
    fixture.put("latin1", b"caf\xe9\n");
    fixture.put("binary", b"ab\0\x01");
    fixture.put("utf16.txt", b"\xff\xfea\0");
    File::create(fixture.path("huge.log")).unwrap().set_len(200 << 20).unwrap();
    fixture.put("large.png", b"\x89PNG\r\n\x1a\n");
    File::options().write(true).open(fixture.path("large.png")).unwrap().set_len(4 << 20).unwrap();
    let calls = [
        "src/mian.rs",
        "nothing/like/it",
        "latin1",
        "binary",
        "utf16.txt",
        "huge.log",
        "large.png",
        "/dev/null",
    ];
    let mut calls: Vec<_> = calls.iter().map(|path| ("read", json!({ "filePath": path }))).collect();
    calls.push(("read", json!({ "filePath": "a.txt", "offset": 9 })));
    calls.push(("read", json!({ "filePath": 7 })));
    calls.push(("read", json!({ "name": "a.txt" })));
    check_on(&fixture, &calls, expect![[r#"
        read
        ? read: src/mian.rs (always: src/mian.rs)
        ! Target
        `src/mian.rs` does not exist. Did you mean `src/main.rs`?
        read
        ? read: nothing/like/it (always: nothing/like/it)
        ! Target
        `nothing/like/it` does not exist. Look for it with `glob`, or list its folder.
        read
        ? read: latin1 (always: latin1)
        ! Target
        `latin1` cannot be shown as text: it is not UTF-8: the first wrong byte is 0xe9 in line 1, at offset 3.
        read
        ? read: binary (always: binary)
        ! Target
        `binary` cannot be shown as text: it is binary: there is a NUL byte at offset 2.
        read
        ? read: utf16.txt (always: utf16.txt)
        ! Target
        `utf16.txt` cannot be shown as text: it is UTF-16 (little-endian) text; only UTF-8 can be read and edited: convert it first (for instance with iconv).
        read
        ? read: huge.log (always: huge.log)
        ! Target
        `huge.log` has 209715200 bytes, and at most 67108864 are read; search in it, or cut it with a command.
        read
        ? read: large.png (always: large.png)
        ! Target
        `large.png` (image/png) has 4194304 bytes, and at most 3932160 can be shown; make it smaller.
        read
        ? external_directory: /dev/* (always: /dev/*)
        ? read: /dev/null (always: /dev/null)
        ! Target
        `/dev/null` is a device; only regular files can be read and written.
        read
        ? read: a.txt (always: a.txt)
        ! Target
        `a.txt`: line 9 is past the end: there is 1 line.
        read
        ! Arguments
        The arguments of `read` do not fit: `filePath`: invalid type: integer `7`, expected a string. It takes: filePath (string), offset (integer, optional), limit (integer, optional). Make the call again.
        read
        ! Arguments
        The arguments of `read` do not fit: missing field `filePath`. It takes: filePath (string), offset (integer, optional), limit (integer, optional). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn a_long_file_comes_in_pages_that_fit() {
    let many: String = (1..=5000).map(|number| format!("line {number}\n")).collect();
    let long = "ä".repeat(3000) + "\nshort\n";
    let wide: String = (1..=100).map(|_| "x".repeat(1500) + "\n").collect();
    let fixture = fixture(&[("many", &many), ("long", &long), ("wide", &wide)]);
    let end = |text: &str| text.lines().last().unwrap().to_owned();
    for (path, offset, expected) in [
        ("many", 1, "(Lines 1 to 1996 of 5000. Go on with offset 1997.)"),
        ("many", 4000, "(The file ends here: 5000 lines.)"),
        ("long", 1, "(The file ends here: 2 lines.)"),
        ("wide", 1, "(Lines 1 to 33 of 100. More would be too long. Go on with offset 34.)"),
    ] {
        let outcome =
            fixture.call("read", json!({ "filePath": path, "offset": offset, "limit": 100_000 })).await;
        assert_eq!(end(&outcome.output), expected, "{path}");
        assert!(!outcome.output.contains("left out"), "the registry cuts no page");
    }
    let outcome = fixture.call("read", json!({ "filePath": "long" })).await;
    assert!(outcome.output.contains("ä… (1000 more characters in this line)\n2: short\n"));
}

#[tokio::test]
async fn images_and_pdfs_are_shown_as_they_are() {
    let fixture = fixture(&[]);
    let cases: [(&str, &[u8], &str); 5] = [
        ("a.png", b"\x89PNG\r\n\x1a\nrest", "image/png"),
        ("b.txt", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        ("c.gif", b"GIF89arest", "image/gif"),
        ("d.webp", b"RIFF\x01\x02\x03\x04WEBPrest", "image/webp"),
        ("e.pdf", b"%PDF-1.7\nrest", "application/pdf"),
    ];
    for (name, bytes, mime) in cases {
        fixture.put(name, bytes);
        let outcome = fixture.call("read", json!({ "filePath": name })).await;
        let media = outcome.media.first().unwrap();
        assert_eq!((media.mime.as_str(), media.name.as_deref()), (mime, Some(name)));
        assert_eq!(outcome.output, format!("`{name}` is shown with this ({mime}, {} bytes).", bytes.len()));
    }
    let outcome = fixture.call("read", json!({ "filePath": "c.gif" })).await;
    assert_eq!(&*outcome.media[0].base64, "R0lGODlhcmVzdA==");
}

#[tokio::test]
async fn folders_are_listed() {
    let fixture = fixture(&[("src/b.rs", ""), ("src/deep/c", ""), ("src/.hidden", ""), ("a", "")]);
    std::fs::create_dir(fixture.path("void")).unwrap();
    link("src", &fixture.path("link"));
    for number in 0..250 {
        fixture.put(&format!("many/{number:03}"), b"");
    }
    let calls = [
        ("list", json!({})),
        ("list", json!({ "path": "src" })),
        ("read", json!({ "filePath": "link" })),
        ("list", json!({ "path": "void", "ignore": ["x"] })),
        ("list", json!({ "path": "a" })),
        ("list", json!({ "path": "srcs" })),
        ("read", json!({ "filePath": "many", "offset": 249 })),
        ("read", json!({ "filePath": "many", "offset": 251 })),
        ("list", json!({ "path": ["a"] })),
    ];
    check_on(&fixture, &calls, expect![[r#"
        list
        ? list: . (always: .)
        a
        link/
        many/
        src/
        void/

        (5 entries.)
        list
        ? list: src (always: src)
        src/.hidden
        src/b.rs
        src/deep/

        (3 entries.)
        read
        ? read: link, src (always: link, src)
        link/.hidden
        link/b.rs
        link/deep/

        (3 entries.)
        list
        ? list: void (always: void)
        The folder `void` is empty.
        list
        ? list: a (always: a)
        ! Target
        `a` is a file, not a folder.
        list
        ? list: srcs (always: srcs)
        ! Target
        `srcs` does not exist. Did you mean `src`?
        read
        ? read: many (always: many)
        many/248
        many/249

        (250 entries.)
        read
        ? read: many (always: many)
        ! Target
        `many` has only 250 entries; there is no entry 251.
        list
        ! Arguments
        The arguments of `list` do not fit: `path`: invalid type: sequence, expected a string. It takes: path (string, optional). Make the call again.
    "#]]).await;
    let text = fixture.tell("list", json!({ "path": "many" })).await;
    assert_eq!(text.lines().filter(|line| line.starts_with("many/")).count(), 100);
    assert!(
        text.ends_with(
            "many/099\n\n(Entries 1 to 100 of 250. Go on with `read` at offset 101, or use `glob`.)\n"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn outside_of_the_workspace_is_asked_for_first() {
    let yes = fixture(&[("../beside/x", "secret\n")]);
    link("../beside", &yes.path("link"));
    let calls = [
        ("read", json!({ "filePath": "../beside/x" })),
        ("read", json!({ "filePath": "link/x" })),
        ("list", json!({ "path": "../beside" })),
    ];
    check_on(
        &yes,
        &calls,
        expect![[r#"
            read
            ? external_directory: TMP/beside/* (always: TMP/beside/*)
            ? read: TMP/beside/x (always: TMP/beside/x)
            1: secret

            (The file ends here: 1 line.)
            read
            ? external_directory: TMP/beside/* (always: TMP/beside/*)
            ? read: TMP/work/link/x, TMP/beside/x (always: TMP/work/link/x, TMP/beside/x)
            1: secret

            (The file ends here: 1 line.)
            list
            ? external_directory: TMP/beside/* (always: TMP/beside/*)
            ? list: TMP/beside (always: TMP/beside)
            TMP/beside/x

            (1 entry.)
        "#]],
    )
    .await;
    let no = fixture_with_asker(&[("../beside/x", "secret\n")], |ask| match ask.key.as_str() {
        "external_directory" => Err(PermissionDenial::ByRule { why: "no".into() }),
        _ => Ok(()),
    });
    for (name, arguments) in calls.into_iter().filter(|(_, arguments)| arguments["filePath"] != "link/x") {
        let outcome = no.call(name, arguments).await;
        assert_eq!(outcome.error_kind, Some(ToolErrorKind::Denied));
        assert!(!outcome.output.contains("secret"));
        assert_eq!(no.asked().len(), 1, "nothing more is asked");
    }
}
