use expect_test::{Expect, expect};

use super::*;
use crate::{MatchTier, patch};

fn apply(text: &str, body: &str) -> Result<String, String> {
    let source = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    let patch = parse(&source).map_err(|error| error.to_string())?;
    let steps = plan(&patch, |path| (path == "f").then_some(text)).map_err(|error| error.to_string())?;
    match steps.as_slice() {
        [PatchStep::Edit { change, .. }] => Ok(change.apply(text).unwrap()),
        steps => panic!("{steps:?}"),
    }
}

#[track_caller]
fn check(text: &str, body: &str, expected: &str) {
    assert_eq!(apply(text, body).as_deref(), Ok(expected));
}

#[track_caller]
fn refused(text: &str, body: &str, expected: Expect) {
    expected.assert_eq(&apply(text, body).unwrap_err());
}

#[track_caller]
fn steps(source: &str, files: &[(&str, &str)], expected: Expect) {
    let read = |path: &str| files.iter().find(|file| file.0 == path).map(|file| file.1);
    match parse(source).and_then(|patch| plan(&patch, read)) {
        Ok(steps) => expected.assert_eq(&steps.iter().map(|step| format!("{step:?}\n")).collect::<String>()),
        Err(error) => expected.assert_eq(&error.to_string()),
    }
}

#[test]
fn lines_that_are_added_stand_where_their_context_is() {
    check("a\nb\nc\n", "@@\n b\n+x", "a\nb\nx\nc\n");
    check("a\nb\nc\n", "@@\n+x\n b", "a\nx\nb\nc\n");
    check("fn a\n  1\nfn b\n  1\n", "@@ fn b\n+  0", "fn a\n  1\nfn b\n  0\n  1\n");
    check("a\n", "@@\n+x\n*** End of File", "a\nx\n");
    check("", "@@\n+x", "x\n");
    refused(
        "a\n",
        "@@\n+x",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch only adds lines and does not say where: give the line before or after them, behind a ` `; or `*** End of File` below them, to add them at the end."#]],
    );
}

#[test]
fn a_place_that_is_not_certain_is_no_place() {
    refused(
        "x\n1\nx\n1\n",
        "@@\n-1\n+2",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits in 2 places (at lines 2, 4 of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in."#]],
    );
    refused(
        "  1\n\t1\n",
        "@@\n-1\n+2",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits in 2 places (at lines 1, 2 of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in."#]],
    );
    // The blank line between the sections is no context: it does not select the second `}`.
    refused(
        "}\nx\n}\n\ny\n",
        "@@\n-}\n+};\n",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits in 2 places (at lines 1, 3 of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in."#]],
    );
    check("x\n1\nx\n1\n", "@@\n-1\n+2\n@@\n-1\n+3", "x\n2\nx\n3\n");
    check("1\na\n1\n", "@@\n-a\n+b\n@@\n-1\n+2", "1\nb\n2\n");
}

#[test]
fn headers_decide_between_places() {
    let text = "fn a() {\n    x\n}\n\nfn b() {\n    x\n}\n\nfn c() {\n    x\n}\n";
    let expected = "fn a() {\n    x\n}\n\nfn b() {\n    y\n}\n\nfn c() {\n    x\n}\n";
    check(text, "@@ fn b() {\n-    x\n+    y", expected);
    check(text, "@@ fn b\n-    x\n+    y", expected);
    check(text, "@@ b()\n-    x\n+    y", expected);
    check(text, "@@ -5,3 +5,3 @@ fn b() {\n-    x\n+    y", expected);
    check(text, "@@ fn b() {\n fn b() {\n-    x\n+    y", expected);
    let nested = "class A:\n  def f():\n    z\n    x\nclass B:\n  def f():\n    z\n    x\n";
    let expected = "class A:\n  def f():\n    z\n    x\nclass B:\n  def f():\n    z\n    y\n";
    check(nested, "@@ class B:\n@@   def f():\n-    x\n+    y", expected);
    check("## a\n1\n## b\n1\n2\n1\n", "@@ ## b\n-1\n+3", "## a\n1\n## b\n3\n2\n1\n");
    let twice = "fn a() {\n    x\n    x\n}\n";
    refused(
        twice,
        "@@ fn a() {\n-    x\n+    y",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits in 2 places (at lines 2, 3 of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in."#]],
    );
    refused(
        text,
        "@@ fn d() {\n-    x\n+    y",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch has a header that is no line of the file: `@@ fn d() {`. Leave it out or give the line as it is."#]],
    );
}

#[test]
fn a_place_outside_of_what_the_header_begins_is_not_meant() {
    let text = "fn a() {\n    x = 12\n}\nfn b() {\n    x = 10\n}\n";
    refused(
        text,
        "@@ fn a() {\n-    x = 10\n+    x = 11",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits at line 5 of the file, which is not in what `@@ fn a() {` begins: give the right header, or the lines as they are there."#]],
    );
    refused(
        text,
        "@@ fn b() {\n-    x = 12\n+    x = 13",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits at line 2 of the file, which is not in what `@@ fn b() {` begins: give the right header, or the lines as they are there."#]],
    );
}

#[test]
fn hunks_that_share_context_or_come_out_of_order_are_applied() {
    check("a\nb\nc\nd\n", "@@\n a\n-b\n+B\n c\n@@\n c\n-d\n+D", "a\nB\nc\nD\n");
    check("a\nb\nc\nd\n", "@@\n-c\n+C\n@@\n-a\n+A", "A\nb\nC\nd\n");
    refused(
        "a\nb\n",
        "@@\n-a\n-b\n+1\n@@\n-b\n+2",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 7 of the patch changes line 2 of the file, as the hunk at line 3 of the patch does: make them one."#]],
    );
    // In order, the first `a` would match loosely; its exact match is before.
    refused(
        "a\nc\na \n",
        "@@\n-c\n+C\n@@\n-a\n+A",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 6 of the patch fits in 2 places (at lines 1, 3 of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in."#]],
    );
}

#[test]
fn endings_are_kept() {
    check("a\r\nb\r\nc\r\n", "@@\n-b\n+x\n+y", "a\r\nx\r\ny\r\nc\r\n");
    check("a\nb\r\nc\n", "@@\n-a\n-b\n-c\n+A\n+B\n+C", "A\nB\r\nC\n");
    check("a\r\nb", "@@\n b\n+c", "a\r\nb\r\nc");
    check("a\nb", "@@\n-b", "a");
    check("a\n\nb", "@@\n-b", "a\n\n");
    check("a", "@@\n a\n+", "a\n\n");
    check("a", "@@\n-a\n+b\n+c", "b\nc");
    check("a\n", "@@\n-a", "");
    check("a\nb\n\n", "@@\n-a\n+A", "A\nb\n\n");
    check("a\nb", "@@\n-b\n-\n+c", "a\nc");
    check("a\nb\n", "@@\n b\n+c\n ", "a\nb\nc\n");
}

#[test]
fn loose_matches_keep_the_lines_that_stay() {
    check("a \n“b”\nc\n", "@@\n a\n \"b\"\n-c\n+d", "a \n“b”\nd\n");
    check("a\t\nb\n", "@@\n-a\n-b\n+a\n+c", "a\t\nc\n");
    check("\tif x {\n\t\ty\n\t}\n", "@@\n if x {\n-    y\n+    z\n }", "\tif x {\n\t\tz\n\t}\n");
    check("    a\n    b\n", "@@\n a\n-b\n+  c\n+\n+d", "    a\n      c\n\n    d\n");
    refused(
        "\ta\n",
        "@@\n-  a\n+      b\n+   c",
        expect![[r#"
            The patch does not fit; no file was changed.
            1. f (line 2 of the patch): The hunk at line 3 of the patch is at line 1 of the file, a difference in indentation aside, but then its new lines can be read in two ways: give all lines as the file has them."#]],
    );
}

#[test]
fn place_and_tier_are_reported() {
    let source = "*** Begin Patch\n*** Update File: f\n@@\n-b\n+B\n@@\n-“c”\n+C\n*** End Patch";
    let patch = parse(source).unwrap();
    let patch::PatchAction::Update { hunks, .. } = &patch.sections[0].action else { panic!() };
    let updated = update("a\nb\n \"c\"\n", hunks).unwrap();
    let places =
        [HunkPlace { line: 2, tier: MatchTier::Exact }, HunkPlace { line: 3, tier: MatchTier::Typography }];
    assert_eq!((updated.places.as_slice(), updated.tier()), (&places[..], MatchTier::Typography));
}

#[test]
fn a_miss_shows_what_is_there() {
    refused(
        "one\ntwo\nthree\n",
        "@@\n one\n-tvo\n+2\n three",
        expect![[r#"
            The patch does not fit; no file was changed.
            1. f (line 2 of the patch): The hunk at line 3 of the patch does not fit: its lines are not in the file. The nearest place is:
            1: one
            2: two
            3: three
            The hunk has `tvo` for line 2."#]],
    );
    refused(
        "marker\nend\nmiddle\n",
        "@@\n-marker\n-end\n+x\n*** End of File",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch fits at line 1 of the file, but the file does not end there: leave out `*** End of File`, or give its last lines."#]],
    );
    refused(
        "a\n",
        "@@\n-zzz\n+x\n@@\n+y",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch does not fit: its lines are not in the file. Nothing in the file is like them: read it again.
        The hunk at line 6 of the patch only adds lines and does not say where: give the line before or after them, behind a ` `; or `*** End of File` below them, to add them at the end."#]],
    );
    refused(
        "a\n",
        "@@\n-a\n+a",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): the hunks change nothing."#]],
    );
}

/// What `replace` accepts is a match for a hunk, too, as long as it is whole lines.
#[test]
fn a_hunk_is_found_like_the_old_text_of_an_edit() {
    let file = "fn sum(a: u32, b: u32) -> u32 {\n    let total = a + b;\n    log(total);\n    total\n}\n";
    check(
        file,
        "@@\n-    let totl = a + b;\n-    log(total);\n-    total\n+    a + b",
        "fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    );
    check(
        file,
        "@@\n-2:     let total = a + b;\n-3:     log(total);\n+    let total = b + a;",
        "fn sum(a: u32, b: u32) -> u32 {\n    let total = b + a;\n    total\n}\n",
    );
    check("x = \"é\"\n", "@@\n-x = 'e\u{301}'\n+y = 'e\u{301}'", "y = \"é\"\n");
    // The lines that stay are indented otherwise; the new one is right, as the steps of the file show.
    let blocks = "if a {\n    b();\n}\n".repeat(3);
    check(
        &format!("{blocks}if d {{\n    e();\n    c();\n}}\n"),
        "@@\n       e();\n+    x();\n       c();",
        &format!("{blocks}if d {{\n    e();\n    x();\n    c();\n}}\n"),
    );
    refused(
        file,
        "@@\n-total = a + b;\n+total = b + a;",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch does not fit: its lines are not in the file. The nearest place is:
        2:     let total = a + b;
        The hunk has `total = a + b;` for line 2."#]],
    );
    refused(
        file,
        "@@\n-\n-\n+x",
        expect![[r#"
        The patch does not fit; no file was changed.
        1. f (line 2 of the patch): The hunk at line 3 of the patch does not fit: its lines are not in the file. Nothing in the file is like them: read it again."#]],
    );
}

#[test]
fn a_line_that_is_wrong_is_named_with_what_was_expected() {
    let check = |source: &str, expected: Expect| expected.assert_eq(&parse(source).unwrap_err().to_string());
    check("", expect!["Line 1 of the patch: expected `*** Begin Patch`; found an empty line."]);
    check(
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
        expect!["Line 1 of the patch: expected `*** Begin Patch`; found `--- a/f`."],
    );
    check(
        "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b",
        expect![
            "Line 5 of the patch: expected `*** End Patch` as the last line (without it the patch may have been cut short); found `+b`."
        ],
    );
    check(
        "*** Begin Patch\n*** Update File: f\n@@\n-a\nb\n*** End Patch",
        expect![
            "Line 5 of the patch: expected a line that begins with ` ` (stays), `-` (is deleted) or `+` (is added), or the next `@@` or section; found `b`."
        ],
    );
    check(
        "*** Begin Patch\n*** Add File: f\nb\n*** End Patch",
        expect![
            "Line 3 of the patch: expected a line of the new file, which begins with `+`, or the next section (`*** …`); found `b`."
        ],
    );
    check(
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\nand then\n",
        expect![
            "Line 4 of the patch: expected nothing behind `*** End Patch`: what is to be done stands in one patch; found `and then`."
        ],
    );
    check(
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Begin Patch\n*** End Patch",
        expect![
            "Line 4 of the patch: expected nothing behind `*** End Patch`: what is to be done stands in one patch; found `*** Begin Patch`."
        ],
    );
    check(
        "*** Begin Patch\n*** Add File: a\0\n*** End Patch",
        expect!["Line 2 of the patch has a NUL character, which no text file has."],
    );
    check(
        &format!("*** Begin Patch\n*** Delete File: {}\n*** End Patch", "a/".repeat(5000)),
        expect![
            "Line 2 of the patch: expected a path of a sensible length; found `*** Delete File: a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…`."
        ],
    );
    check(&"+".repeat(9 << 20), expect!["The patch is too large: it has more than 8388608 bytes. Split it."]);
}

#[test]
fn wrappers_are_seen_through() {
    let body = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
    let plain = parse(body).unwrap();
    for (before, after) in [
        ("```\n", "\n```\n"),
        ("Here it is:\n\n```patch\n", "\n```"),
        ("apply_patch <<'EOF'\n", "\nEOF\n"),
        ("bash -lc \"apply_patch <<'PATCH'\n", "\nPATCH\n\""),
        ("```sh\ncat <<EOF\n", "\nEOF\n```"),
        ("\n\n", "\n\n"),
    ] {
        let wrapped = format!("{before}{body}{after}");
        let sections = parse(&wrapped).unwrap().sections;
        let paths: Vec<_> = sections.iter().map(|section| (section.path, &section.action)).collect();
        assert_eq!(paths, [(plain.sections[0].path, &plain.sections[0].action)], "{wrapped}");
    }
}

#[test]
fn a_plan_has_one_step_for_each_file() {
    let source = "*** Begin Patch
*** Add File: new
+x

+y

*** Update File: a
@@
-1
+2
*** Update File: ./a
@@
-2
+3
*** Update File: b
*** Move to: c
*** Delete File: d
*** Delete File: e
*** Add File: e
+anew
*** Update File: g
*** Move to: g
@@
-1
+2
*** End Patch";
    let files = [("a", "1\n"), ("b", "1\n"), ("d", ""), ("e", "old\r\n"), ("g", "1")];
    steps(
        source,
        &files,
        expect![[r#"
            Create { path: "new", text: "x\n\ny\n" }
            Edit { path: "a", change: Change { edits: [Edit { range: 0..1, text: "3" }] }, tier: Exact, is_rewrite: false }
            Move { path: "b", to: "c", change: Change { edits: [] }, tier: Exact }
            Delete { path: "d" }
            Edit { path: "e", change: Change { edits: [Edit { range: 0..3, text: "anew" }] }, tier: Exact, is_rewrite: true }
            Edit { path: "g", change: Change { edits: [Edit { range: 0..1, text: "2" }] }, tier: Exact, is_rewrite: false }
        "#]],
    );
}

#[test]
fn every_file_that_does_not_fit_is_named() {
    let source = "*** Begin Patch
*** Add File: there
+x
*** Delete File: gone
*** Update File: also gone
@@
-1
+2
*** Update File: a
*** Move to: there
@@
-1
+2
*** Update File: b
@@
-2
+3
*** Update File: b
@@
-1
+2
*** Delete File: c
*** Update File: c
@@
-1
+2
*** Update File: d
*** Move to: e
*** Add File: e
+1
*** Update File: d
@@
-1
+2
*** End Patch";
    steps(
        source,
        &[("there", ""), ("a", "1\n"), ("b", "1\n"), ("c", "1\n"), ("d", "1\n")],
        expect![[r#"
            The patch does not fit; no file was changed.
            1. there (line 2 of the patch): the file exists already. Update it; or, to write it anew, delete it before it is added.
            2. gone (line 4 of the patch): there is no such file to update or delete.
            3. also gone (line 5 of the patch): there is no such file to update or delete.
            4. there (line 9 of the patch): there is a file already, which the move would overwrite.
            5. b (line 14 of the patch): The hunk at line 15 of the patch does not fit: its lines are not in the file. Nothing in the file is like them: read it again.
            6. c (line 23 of the patch): line 22 of the patch has done something else with this path already. Say once what becomes of it.
            7. e (line 29 of the patch): line 27 of the patch has done something else with this path already. Say once what becomes of it.
            8. d (line 31 of the patch): line 27 of the patch has done something else with this path already. Say once what becomes of it."#]],
    );
    steps(
        "*** Begin Patch\n*** End Patch",
        &[],
        expect!["The patch is empty: there is no section between `*** Begin Patch` and `*** End Patch`."],
    );
    steps(
        "*** Begin Patch\n*** Update File: a\n@@\n 1\n*** End Patch",
        &[("a", "1\n")],
        expect![[r#"
        The patch does not fit; no file was changed.
        1. a (line 2 of the patch): the hunks change nothing."#]],
    );
}

/// Not timed: quadratic code would take hours here.
#[test]
fn hostile_patches_come_to_an_end() {
    let text = "}\n".repeat(100_000);
    let hunk = format!("@@\n{}+x\n", " }\n".repeat(50_000));
    refused(
        &text,
        &hunk,
        expect![[r#"
            The patch does not fit; no file was changed.
            1. f (line 2 of the patch): The hunk at line 3 of the patch fits in very many places (at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … of the file): give more of the lines around the one that is meant, or behind `@@` the line that begins what it is in."#]],
    );
    let many = "@@ }\n@@ }\n-}\n-{\n+x\n".repeat(3_000);
    assert!(apply(&text, &many).is_err());
    assert!(parse(&format!("*** Begin Patch\n{}", "*** Update File: a\n@@\n-x\n".repeat(100_000))).is_err());
}
