use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: &str) {
    assert_eq!(replace(text, old, new, false).unwrap().change.apply(text).unwrap(), expected);
}

#[track_caller]
fn check_error(text: &str, old: &str, expected: Expect) {
    expected.assert_eq(&replace(text, old, "new", false).unwrap_err().to_string());
}

/// Lines that a new block takes in have the file's indentation by chance.
#[test]
fn lines_that_are_put_into_a_block_are_shifted_with_it() {
    let wrapped = |text: &str, old: &str, new: &str| {
        replace(text, old, new, false).ok().map(|found| found.change.apply(text).unwrap())
    };
    let file = "def f():\n    a()\n    b()\n";
    assert_eq!(
        wrapped(file, "a()\nb()", "if x:\n    a()\n    b()").as_deref(),
        Some("def f():\n    if x:\n        a()\n        b()\n"),
    );
    let file = "    alpha(1);\n    beta(2);\n    gamma(3);\n";
    let old = "alpha(1);\nbetta(2);\ngamma(3);";
    let changed = wrapped(file, old, "    alpha(1);\n    betta(2);\n    gamma(4);");
    assert!(!changed.unwrap_or_default().contains("betta"), "a kept line stays as it is");
    let (old, new) = (r#"say(\"a\")"#, r#"say(\"b\n\")"#);
    assert_eq!(wrapped("say(\"a\")\n", old, new), None, "its break may be program text");
}

#[test]
fn the_last_lines_of_a_file_without_a_last_break_go_together() {
    for (text, result) in [
        ("  let sum \n  let sum", ""),
        ("x\n  let sum \n  let sum", "x"),
        ("x\r\n  let sum \r\n  let sum", "x"),
        ("  let sum \nx\n  let sum", "x"),
    ] {
        let replaced = replace(text, "let sum\n", "", true).unwrap();
        assert_eq!(replaced.change.apply(text).unwrap(), result, "{text:?}");
    }
}

#[test]
fn only_what_differs_is_edited() {
    let text = "fn a() {\n    one();\n    two();\n    three();\n}\n";
    let new = "fn a() {\n    One();\n    two();\n    three(3);\n}";
    let change = replace(text, text.trim_end(), new, false).unwrap().change;
    let edits: Vec<_> = change.edits().iter().map(|e| (&text[e.range.clone()], e.text.as_str())).collect();
    assert_eq!(edits, [("o", "O"), ("", "3")]);
    assert_eq!(change.apply(text).unwrap(), format!("{new}\n"));
}

#[test]
fn lines_end_as_in_the_place_they_are_written_to() {
    check("a\r\nb\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\n");
    check("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n");
    check("a\r\nb\nc\n", "b\nc", "B\nC", "a\r\nB\nC\n");
    check("a\r\nb\nc\n", "a\nb\nc", "a\nB\nC", "a\r\nB\r\nC\n");
    check("a\nb\r\nc", "c", "c\nd", "a\nb\r\nc\r\nd");
    check("one line", "line", "line\r\nand another", "one line\r\nand another");
    check("a\r\nb", "\nb", "b", "ab");
    check("a\r\nb", "a\n", "a", "ab");
}

#[test]
fn every_place_or_the_only_one() {
    let all = |text: &str, old, new| replace(text, old, new, true).unwrap().change.apply(text).unwrap();
    assert_eq!(all("foo bar foo", "foo", "$&"), "$& bar $&");
    assert_eq!(all("aaaa", "aa", "b"), "bb");
    assert_eq!(all("a\r\nb\r\na\nb", "a\nb", "x\ny"), "x\r\ny\r\nx\ny");
    assert_eq!(
        replace("aaa", "aa", "b", false),
        Err(ReplaceError::Ambiguous { lines: vec![1, 1], count: 2, tier: MatchTier::Exact }),
        "places that overlap are two as well"
    );
}

#[test]
fn errors_tell_a_model_what_to_do_next() {
    check_error(
        "same",
        "new",
        expect![
            "Nothing to change: the old and the new text are the same (line endings stay as the file has them)."
        ],
    );
    check_error(
        "same",
        "",
        expect![
            "The old text is empty or blank. Give the text to be replaced; to replace or create a whole file, write it."
        ],
    );
    check_error(
        &"x\n".repeat(12),
        "x",
        expect![
            "The old text is in 12 places (at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …). Nothing was changed: give more of the lines around the one that is meant, or replace all."
        ],
    );
    check_error(
        "  x();\n\n\tx();\n",
        "    x();",
        expect![
            "The old text is not in the file as given, and a difference in indentation aside it is in 2 places (at lines 1, 3). Nothing was changed: give the text exactly, or give more of the lines around the one that is meant, or replace all."
        ],
    );
    check_error(
        "a\n  new\n",
        "new  ",
        expect!["Nothing to change: at line 2 the file already reads like the new text."],
    );
    check_error(
        "something else\n",
        "zzz qqq",
        expect![
            "The old text is not in the file, which is unchanged. Nothing in the file is like it: read the file again."
        ],
    );
    check_error(
        "fn main() {\n\tlet total = compute(items);\n\tprint(total);\n}\n",
        "let total = compute(items); print(total);",
        expect![[r#"
            The old text is not in the file, which is unchanged. At line 2 only white space differs: indentation, spaces or line breaks.
            The nearest place is:
            2: 	let total = compute(items);"#]],
    );
}

#[test]
fn a_difference_that_has_a_name_is_named() {
    // With `all`, these differences are not tolerated, so the search fails with a hint.
    let hint = |text, old| match replace(text, old, "", true) {
        Err(ReplaceError::NotFound { hint: Some(hint), .. }) => (hint.reason, hint.line),
        other => panic!("{old:?}: {other:?}"),
    };
    assert_eq!(hint("foo(a,\n    b)\n", "foo(a, b)"), (MismatchReason::Whitespace, 1));
    assert_eq!(hint("a\rb\rc", "a\nb"), (MismatchReason::LineEndings, 1));
    assert_eq!(hint("x\nLet It Be\n", "let it be"), (MismatchReason::Case, 2));
    assert_eq!(hint("say “hi” — ok\n", "say \"hi\" - ok"), (MismatchReason::Typography, 1));
    assert_eq!(hint("a\u{a0}b", "a b"), (MismatchReason::Whitespace, 1));
    assert_eq!(hint("foo\nbar\n", "1: foo\n2: bar"), (MismatchReason::LineNumbers, 1));
    assert_eq!(hint("x\nlog(\"a\nb\")\n", "log(\"a\\nb\")"), (MismatchReason::Escapes, 2));
}

#[test]
fn the_nearest_place_is_found_by_its_lines_or_by_one_like_them() {
    let nearest = |text: &str, old| match replace(text, old, "", false) {
        Err(ReplaceError::NotFound { nearest, .. }) => nearest.map(|nearest| (nearest.line, nearest.lines)),
        other => panic!("{old:?}: {other:?}"),
    };
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let text = "fn a() {\n    alpha(1);\n    beta(2);\n}\n\nfn b() {\n    gamma(3);\n    delta(4);\n}\n";
    let found = nearest(text, "fn b() {\n    gamma(33);\n    delta(4);\n}");
    assert_eq!(found, Some((6, lines(&["fn b() {", "    gamma(3);", "    delta(4);", "}"]))));
    let found = nearest(text, "delta(4, 5);");
    assert_eq!(found, Some((8, lines(&["    delta(4);"]))));
    assert_eq!(nearest(text, "nothing like this anywhere"), None);
    assert_eq!(nearest("", "x"), None);
}

#[test]
fn a_large_file_without_the_text_is_searched_and_shown_in_bounds() {
    let text: String = (0..100_000).map(|n| format!("    let value_{n} = compute({n});\n")).collect();
    let Err(ReplaceError::NotFound { nearest: Some(nearest), hint: None }) =
        replace(&text, "let value_99998 = compute(99_998);\n".repeat(100).as_str(), "", false)
    else {
        panic!("nothing near")
    };
    assert_eq!(nearest.line, 99_999);
    let long = "x".repeat(300);
    let Err(ReplaceError::NotFound { nearest: Some(nearest), .. }) =
        replace(&format!("a\n{long}\n"), &format!("{long}y"), "", false)
    else {
        panic!("nothing near")
    };
    assert_eq!((nearest.line, nearest.lines[0].chars().count()), (2, 161));
}

#[test]
fn what_the_new_text_keeps_stays_as_the_file_has_it() {
    let tier = |text: &str, old: &str, new: &str, tier, expected: &str| {
        let replaced = replace(text, old, new, false).unwrap();
        assert_eq!((replaced.tier, replaced.change.apply(text).unwrap().as_str()), (tier, expected));
    };
    tier("a  \nb\t\nc\n", "a\nb\nc", "a\nB\nc", MatchTier::TrailingBlanks, "a  \nB\nc\n");
    tier(
        "\tif x {\n\t\ty();\n\t}\n",
        "if x {\n  y();\n}",
        "if x {\n  y();\n  z();\n}",
        MatchTier::Indentation,
        "\tif x {\n\t\ty();\n\t\tz();\n\t}\n",
    );
    tier("“a”\nb\n", "\"a\"\nb", "\"a\"\nc", MatchTier::Typography, "“a”\nc\n");
    tier("f(a,  b)\r\ng()\r\n", "f(a, b)\ng()", "f(a, b)\nh()", MatchTier::Blanks, "f(a,  b)\r\nh()\r\n");
    tier("a\n  b\n", "1: a\n2:   b", "1: a\n2:   c", MatchTier::Copied, "a\n  c\n");
    tier(
        "say(\"a\");\r\nb();\r\n",
        "say(\\\"a\\\");\\nb();",
        "say(\\\"a\\\");\\nc();",
        MatchTier::Escapes,
        "say(\"a\");\r\nc();\r\n",
    );
    tier(
        "fn total() {\n    let sum = count(items);\n    show(sum);\n}\n",
        "fn total() {\n    let sum = counts(items);\n    show(sum);\n}",
        "fn total() {\n    let sum = counts(items);\n    print(sum);\n}",
        MatchTier::Anchors,
        "fn total() {\n    let sum = count(items);\n    print(sum);\n}\n",
    );
    tier(
        "fn total_of(items) {\n    let sum = count(items);\n    show(sum);\n",
        "fn total_off(items) {\n    let sum = count(items);\n    show(sum);",
        "fn total_off(items) {\n    let sum = count(items);\n    print(sum);",
        MatchTier::Near,
        "fn total_of(items) {\n    let sum = count(items);\n    print(sum);\n",
    );
}

#[test]
fn what_may_mean_something_else_is_refused() {
    let refused = |text: &str, old: &str, new: &str| {
        let seen = replace(text, old, new, false);
        assert!(seen.is_err(), "{old:?}: {seen:?}");
    };
    let text = "fn total() {\n    let sum = count(items);\n    show(sum);\n}\n";
    refused(
        text,
        "fn total() {\n    let sum = counts(items);\n    show(sum);\n}",
        "fn total() {\n    let sum = counts(items, 3);\n    show(sum);\n}",
    );
    refused(text, "fn total() {\n    show(sum);\n}", "fn total() {\n}");
    refused(
        text,
        "fn total() {\n    show(sum);\n    let sum = count(items);\n}",
        "fn total() {\n    show(sum);\n}",
    );
    refused("a {\n    x = 11;\n    y();\n}\n", "a {\n    x = 12;\n    y();\n}", "a {\n    y();\n}");
    refused("}\n", "    }", "    x\n    }");
    refused("if x:\n    a()\nb()\n", "if x:\na()\nb()", "if x:\na()\nc()\nb()");
    refused("foo bar", "  ", "x");
}

/// Not timed: code that grows with the product of both sizes would take hours.
#[test]
fn large_texts_come_to_an_end() {
    let file: String =
        (0..20_000).map(|n| format!("    let value_{} = compute({n});\n}}\n", n % 7)).collect();
    let old: String = (0..4_000).map(|n| format!("let value_{} = compute({n});\n}}\n", n % 5)).collect();
    assert!(replace(&file, &old, "x", false).is_err());
    let braces = "}\n".repeat(30_000);
    assert!(
        replace(&format!("a\n{braces}"), &format!("{braces}wrong\n{}", "}\n".repeat(15_000)), "x", false)
            .is_err()
    );
    let same = " a\n".repeat(30_000);
    assert!(matches!(
        replace(&same, &"a\n".repeat(9_000), "x", false),
        Err(ReplaceError::Ambiguous { tier: MatchTier::Indentation, .. })
    ));
}
