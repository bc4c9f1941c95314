//! `glob` and `grep`.

use expect_test::expect;
use serde_json::json;

use super::fixture::{check, check_on, fixture, fixture_with_asker, link};
use crate::denial::PermissionDenial;
use crate::outcome::ToolErrorKind;

#[tokio::test]
async fn files_are_found_by_name() {
    let fixture =
        fixture(&[("src/a.rs", ""), (".gitignore", "target\n"), ("target/c.rs", ""), (".github/ci.yml", "")]);
    let whole = fixture.path("src/*.rs");
    let calls = [
        ("glob", json!({ "pattern": "*.rs" })),
        ("glob", json!({ "pattern": "*.rs", "path": "src" })),
        ("glob", json!({ "pattern": whole })),
        ("glob", json!({ "pattern": "target/*.rs" })),
        ("glob", json!({ "pattern": ".github/*" })),
        ("glob", json!({ "pattern": "*.py", "path": null })),
    ];
    check_on(
        &fixture,
        &calls,
        expect![[r#"
        glob
        ? glob: *.rs (always: *)
        src/a.rs
        glob
        ? glob: *.rs (always: *)
        src/a.rs
        glob
        ? glob: TMP/work/src/*.rs (always: *)
        src/a.rs
        glob
        ? glob: target/*.rs (always: *)
        target/c.rs
        glob
        ? glob: .github/* (always: *)
        .github/ci.yml
        glob
        ? glob: *.py (always: *)
        No file in `.` matches `*.py`. Files that git ignores are passed over.
    "#]],
    )
    .await;
}

#[tokio::test]
async fn lines_are_found_by_content() {
    let files = [
        ("src/a.rs", "fn one() {}\r\nfn two() {}\n"),
        ("src/b.ts", "let one = 1;\n"),
        ("src/c.tsx", "one\n"),
        (".hidden", "one more\n"),
        (".gitignore", "out\n"),
        ("out/x", "one\n"),
        ("binary", "one\0"),
        ("ü.txt", "  größe: one\n"),
    ];
    let calls = [
        ("grep", json!({ "pattern": "one" })),
        ("grep", json!({ "pattern": r"fn \w+\(\) \{\}$", "include": "*.rs" })),
        ("grep", json!({ "pattern": "one", "include": "*.ts, *.{tsx,jsx}" })),
        ("grep", json!({ "pattern": "one", "path": "src/b.ts" })),
        ("grep", json!({ "pattern": "one", "path": "out" })),
        ("grep", json!({ "pattern": "(?i)TWO", "path": "src", "include": "!*.ts" })),
        ("grep", json!({ "pattern": "nowhere" })),
    ];
    check(&files, &calls, expect![[r#"
        grep
        ? grep: one (always: *)
        ? read: .hidden, src/a.rs, src/b.ts, src/c.tsx, ü.txt (always: .hidden, src/a.rs, src/b.ts, src/c.tsx, ü.txt)
        .hidden
          1: one more

        src/a.rs
          1: fn one() {}

        src/b.ts
          1: let one = 1;

        src/c.tsx
          1: one

        ü.txt
          1:   größe: one

        (5 lines in 5 files.)
        grep
        ? grep: fn \w+\(\) \{\}$ (always: *)
        ? read: src/a.rs (always: src/a.rs)
        src/a.rs
          1: fn one() {}
          2: fn two() {}

        (2 lines in 1 file.)
        grep
        ? grep: one (always: *)
        ? read: src/b.ts, src/c.tsx (always: src/b.ts, src/c.tsx)
        src/b.ts
          1: let one = 1;

        src/c.tsx
          1: one

        (2 lines in 2 files.)
        grep
        ? grep: one (always: *)
        ? read: src/b.ts (always: src/b.ts)
        src/b.ts
          1: let one = 1;

        (1 line in 1 file.)
        grep
        ? grep: one (always: *)
        ? read: out/x (always: out/x)
        out/x
          1: one

        (1 line in 1 file.)
        grep
        ? grep: (?i)TWO (always: *)
        ? read: src/a.rs (always: src/a.rs)
        src/a.rs
          2: fn two() {}

        (1 line in 1 file.)
        grep
        ? grep: nowhere (always: *)
        No line in `.` matches `nowhere`. Files that git ignores, binary files, those that look like a secret and those that a rule forbids to read are passed over.
    "#]]).await;
}

#[tokio::test]
async fn that_there_is_more_is_said() {
    let fixture = fixture(&[("lines", &"x\n".repeat(101)), ("few", &"y\n".repeat(100))]);
    for number in 0..101 {
        fixture.put(&format!("many/{number:03}.c"), b"");
    }
    let end = |text: &str| text.lines().last().unwrap().to_owned();
    let calls = [
        (
            "glob",
            json!({ "pattern": "*.c" }),
            "(These are the first 100; there are more. Give a narrower pattern or a folder.)",
        ),
        ("glob", json!({ "pattern": "0*.c" }), "many/"),
        (
            "grep",
            json!({ "pattern": "x" }),
            "(These are the first 100 lines; there are more. Give a narrower pattern, `path` or `include`.)",
        ),
        ("grep", json!({ "pattern": "y" }), "(100 lines in 1 file.)"),
    ];
    for (name, arguments, expected) in calls {
        let outcome = fixture.call(name, arguments).await;
        assert!(end(&outcome.output).starts_with(expected), "{}", outcome.output);
    }
}

#[tokio::test]
async fn what_cannot_be_searched_is_explained() {
    let calls = [
        ("glob", json!({ "pattern": "a{b" })),
        ("glob", json!({ "pattern": "../*" })),
        ("glob", json!({ "pattern": "*", "path": "nowhere" })),
        ("glob", json!({ "pattern": "*", "path": "a" })),
        ("glob", json!({ "path": "." })),
        ("grep", json!({ "pattern": "a(" })),
        ("grep", json!({ "pattern": "a", "include": "[" })),
        ("grep", json!({ "pattern": "a", "path": "nowhere" })),
        ("grep", json!({ "pattern": ["a"] })),
    ];
    check(&[("a", "")], &calls, expect![[r#"
        glob
        ? glob: a{b (always: *)
        ! Arguments
        The pattern `a{b` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?).
        glob
        ? glob: ../* (always: *)
        ! Arguments
        The pattern `../*` leads out of the folder it is looked for in; give the other folder instead.
        glob
        ? glob: * (always: *)
        ! Target
        `nowhere` does not exist. Look for it with `glob`, or list its folder.
        glob
        ? glob: * (always: *)
        ! Target
        `TMP/work/a` is not a folder; give the folder to look in, and the name as the pattern.
        glob
        ! Arguments
        The arguments of `glob` do not fit: missing field `pattern`. It takes: pattern (string), path (string, optional). Make the call again.
        grep
        ? grep: a( (always: *)
        ! Arguments
        The regular expression is not valid: regex parse error:
            a(
             ^
        error: unclosed group.
        grep
        ? grep: a (always: *)
        ! Arguments
        The pattern `[` is not a valid glob: unclosed character class; missing ']'.
        grep
        ? grep: a (always: *)
        ! Target
        `nowhere` does not exist. Look for it with `glob`, or list its folder.
        grep
        ! Arguments
        The arguments of `grep` do not fit: `pattern`: invalid type: sequence, expected a string. It takes: pattern (string), path (string, optional), include (string, optional). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn outside_of_the_workspace_is_asked_for_first() {
    let files = [("../beside/x.rs", "secret\n")];
    let calls = [
        ("glob", json!({ "pattern": "*.rs", "path": "../beside" })),
        ("grep", json!({ "pattern": "secret", "path": "../beside" })),
    ];
    check(
        &files,
        &calls,
        expect![[r#"
        glob
        ? external_directory: TMP/beside/* (always: TMP/beside/*)
        ? glob: *.rs (always: *)
        TMP/beside/x.rs
        grep
        ? external_directory: TMP/beside/* (always: TMP/beside/*)
        ? grep: secret (always: *)
        ? read: TMP/beside/x.rs (always: TMP/beside/x.rs)
        TMP/beside/x.rs
          1: secret

        (1 line in 1 file.)
    "#]],
    )
    .await;
    let no = fixture_with_asker(&files, |ask| {
        if ask.key == "external_directory" {
            Err(PermissionDenial::ByRule { why: "no".into() })
        } else {
            Ok(())
        }
    });
    link("../beside", &no.path("link"));
    for (name, mut arguments) in calls {
        assert_eq!(no.call(name, arguments.clone()).await.error_kind, Some(ToolErrorKind::Denied));
        arguments["path"] = json!("link");
        assert_eq!(no.call(name, arguments).await.error_kind, Some(ToolErrorKind::Denied));
    }
    let inside = no.call("grep", json!({ "pattern": "secret" })).await;
    assert!(inside.output.starts_with("No line"), "links are not followed");
}

#[tokio::test]
async fn lines_of_files_that_may_not_be_read_are_not_shown() {
    let says = |ask: &crate::context::PermissionRequest| {
        let secret = ask.key == "read" && ask.patterns.iter().any(|pattern| pattern == ".env");
        if secret { Err(PermissionDenial::ByRule { why: "no".into() }) } else { Ok(()) }
    };
    let fixture = fixture_with_asker(&[(".env", "KEY=secret\n"), ("a", "KEY\n")], says);
    check_on(
        &fixture,
        &[("grep", json!({ "pattern": "KEY" })), ("grep", json!({ "pattern": "KEY", "include": "!.env" }))],
        expect![[r#"
            grep
            ? grep: KEY (always: *)
            ? read: .env (always: .env)
            ? read: a (always: a)
            ? read: a (always: a)
            a
              1: KEY

            (1 line in 1 file.)
            grep
            ? grep: KEY (always: *)
            ? read: a (always: a)
            a
              1: KEY

            (1 line in 1 file.)
        "#]],
    )
    .await;
}

/// How many lines of them match says what is in them, too.
#[tokio::test]
async fn lines_of_files_that_may_not_be_read_do_not_count() {
    let says = |ask: &crate::context::PermissionRequest| {
        let secret = ask.key == "read" && ask.patterns.iter().any(|pattern| pattern.starts_with("a-secret"));
        if secret { Err(PermissionDenial::ByRule { why: "no".into() }) } else { Ok(()) }
    };
    let many = "KEY\n".repeat(70);
    for count in [1, 3, 60] {
        let fixture = fixture_with_asker(&[("z", "KEY\nKEY\n")], says);
        for number in 0..count {
            fixture
                .put(&format!("a-secret-{number}"), if number % 2 == 0 { many.as_bytes() } else { b"KEY\n" });
        }
        let outcome = fixture.call("grep", json!({ "pattern": "KEY" })).await;
        assert_eq!(outcome.output, "z\n  1: KEY\n  2: KEY\n\n(2 lines in 1 file.)", "{count}");
        assert_eq!(outcome.metadata.to_value(), json!({ "matches": 2, "truncated": false }));
    }
    // What may be read has its whole hundred, and is told to be more.
    let fixture =
        fixture_with_asker(&[("a-secret", &many), ("b", &"KEY\n".repeat(99)), ("z", "KEY\nKEY\n")], says);
    let outcome = fixture.call("grep", json!({ "pattern": "KEY" })).await;
    assert!(outcome.output.contains("z\n  1: KEY\n\n(These are the first 100 lines;"), "{}", outcome.output);
    assert!(!outcome.output.contains("secret"));
}

#[tokio::test]
async fn a_link_leads_past_no_rule_and_a_refusal_tells_nothing_of_the_content() {
    let says = |ask: &crate::context::PermissionRequest| {
        let secret = ask.key == "read" && ask.patterns.iter().any(|pattern| pattern == "keys/.env");
        if secret { Err(PermissionDenial::ByRule { why: "no".into() }) } else { Ok(()) }
    };
    let fixture = fixture_with_asker(&[("keys/.env", "KEY=secret\n")], says);
    link("keys/.env", &fixture.path("file"));
    link("keys", &fixture.path("folder"));
    for path in ["file", "folder", "folder/.env", "keys"] {
        let told = |pattern: &str| {
            let (call, pattern) = (json!({ "pattern": pattern, "path": path }), pattern.to_owned());
            let fixture = &fixture;
            async move {
                let outcome = fixture.call("grep", call).await;
                (outcome.error_kind, outcome.output.replace(&pattern, "PATTERN"), outcome.metadata)
            }
        };
        assert_eq!(told("^KEY=s").await, told("^KEY=x").await, "{path}");
    }
    let no = fixture_with_asker(&[("a", "KEY\n")], |ask| match ask.key.as_str() {
        "read" => Err(PermissionDenial::ByUser { reason: None }),
        _ => Ok(()),
    });
    let outcome = no.call("grep", json!({ "pattern": "KEY" })).await;
    assert!(
        outcome.output.ends_with("There are matches in a; leave out what may not be read with `include`.")
    );
}

#[tokio::test]
async fn a_cancelled_search_ends() {
    for (name, arguments) in [("glob", json!({ "pattern": "*" })), ("grep", json!({ "pattern": "x" }))] {
        let token = tokio_util::sync::CancellationToken::new();
        let cancel = token.clone();
        let mut fixture = fixture_with_asker(&[("a", "x")], move |_| {
            cancel.cancel();
            Ok(())
        });
        fixture.cancel = token;
        assert_eq!(fixture.call(name, arguments).await.error_kind, Some(ToolErrorKind::Cancelled));
    }
}
