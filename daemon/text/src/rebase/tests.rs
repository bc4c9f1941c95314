mod laws;

use expect_test::expect;

use super::*;

fn both(base: &str, agent: &str, user: &str) -> Result<String, RebaseError> {
    let change = change_by_lines(base, agent);
    rebase(base, &change, user).map(|change| change.apply(user).unwrap())
}

#[track_caller]
fn merges(base: &str, agent: &str, user: &str, expected: &str) {
    assert_eq!(both(base, agent, user).as_deref(), Ok(expected));
    assert_eq!(both(base, user, agent).as_deref(), Ok(expected), "the other way round");
}

#[track_caller]
fn clashes(base: &str, agent: &str, user: &str) {
    for (one, other) in [(agent, user), (user, agent)] {
        let result = both(base, one, other);
        assert!(matches!(result, Err(RebaseError::Conflict(_))), "{result:?}");
    }
}

#[test]
fn edits_in_different_lines_go_together() {
    merges("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n");
    merges("a\nb\n", "A\nb\n", "a\nB\n", "A\nB\n");
    merges("a\r\nb", "A\r\nb", "a\r\nB", "A\r\nB");
    merges("a\nb\nc\n", "c\n", "a\nb\nC\n", "C\n");
}

#[test]
fn a_line_typed_next_to_an_edited_one_is_no_conflict() {
    merges("a\nb\nc\n", "a\nB\nc\n", "a\nnew\nb\nc\n", "a\nnew\nB\nc\n");
    merges("a\nb\nc\n", "a\nB\nc\n", "a\nb\nnew\nc\n", "a\nB\nnew\nc\n");
    merges("a\r\nb\r\n", "a\r\nB\r\n", "a\r\nnew\r\nb\r\n", "a\r\nnew\r\nB\r\n");
    merges("a\nb\nc\n", "a\nc\n", "a\nb\nnew\nc\n", "a\nnew\nc\n");
    merges("a", "A", "new\na", "new\nA");
    merges("a", "A", "a\nnew", "A\nnew");
    merges("a", "A", "a\n", "A\n");
    merges("a\r\nb", "a\r\nB", "a\r\nb\r\nnew", "a\r\nB\r\nnew");
}

#[test]
fn lines_inserted_before_and_after_a_line_go_together() {
    merges("a\nb\n", "x\na\nb\n", "a\ny\nb\n", "x\na\ny\nb\n");
    merges("a", "x\na", "a\ny", "x\na\ny");
}

#[test]
fn what_is_done_already_is_left_out() {
    merges("a\nb\nc\n", "A\nb\nC\n", "A\nb\nc\n", "A\nb\nC\n");
    merges("a\nb\n", "a\nx\nb\n", "a\nx\nb\n", "a\nx\nb\n");
    // Both sides deleted, or inserted, one of several equal lines.
    merges("\n}\n}\nb\n", "P\n\n}\nb\n", "\n}\nb\n", "P\n\n}\nb\n");
    merges("x\n}\nb\n", "P\nx\n}\n}\nb\n", "x\n}\n}\nb\n", "P\nx\n}\n}\nb\n");
    let (base, wanted) = ("a\nb\nc\n", "A\nb\nc\n");
    let change = Change::between(base, wanted);
    assert_eq!(rebase(base, &change, "A\nb\nmine\n"), Ok(Change::default()));
}

/// The change may call one `}` new, the comparison another.
#[test]
fn what_is_done_already_is_known_where_equal_lines_leave_a_choice() {
    for at in [0, 2, 4] {
        let base = "}\n}\na\nb\n";
        let change =
            Change::from_unchecked_edits(base, vec![Edit { range: at..at, text: "}\n".into() }]).unwrap();
        assert_eq!(rebase(base, &change, "}\n}\n}\na\nmine\n"), Ok(Change::default()));
    }
}

#[test]
fn the_same_lines_touched_in_two_ways_are_a_conflict() {
    clashes("a\nb\n", "A\nb\n", "ä\nb\n");
    clashes("a\nb\n", "b\n", "ä\nb\n");
    clashes("one two\n", "ONE two\n", "one TWO\n");
    clashes("a\nb\n", "a\nx\nb\n", "a\ny\nb\n");
    clashes("a\nb\n", "a\nx\nb\n", "a\nx\ny\nb\n");
    clashes("", "a", "b");
    clashes("a", "a\nb", "a\nc");
    clashes("a\nb\nc\n", "XXX\n", "a\nb\nmine\nc\n");
    // Joining two lines touches both.
    clashes("ab\ncd\n", "acd\n", "ab\ncD\n");
    // The line that the insertion follows is gone.
    clashes("a\nb", "a\n", "a\nb\nc");
}

#[test]
fn all_edits_or_none() {
    let change = Change::between("a\nb\nc\n", "A\nb\nC\n");
    let error = rebase("a\nb\nc\n", &change, "a\nb\nmine\n").unwrap_err();
    let RebaseError::Conflict(conflict) = error else { panic!("{error}") };
    assert_eq!((conflict.count, conflict.overlaps[0].line), (1, 3));
}

/// As models write it: a known line, and the new one after it.
#[test]
fn an_insertion_from_within_a_line_is_one_of_whole_lines() {
    let base = "fn a() {\n    one();\n}\n";
    for new in ["one();\n    two();", "zero();\n    one();"] {
        let change = crate::replace(base, "one();", new, false).unwrap().change;
        let now = base.replace("one", "ONE");
        let text = rebase(base, &change, &now).unwrap().apply(&now).unwrap();
        assert_eq!(text, base.replace("one();", new).replace("one", "ONE"));
    }
    let base = "a();\nb();\nc();\n";
    let change = crate::replace(base, "a();\nb();", "a();", false).unwrap().change;
    let now = "A();\nb();\nc();\n";
    assert_eq!(rebase(base, &change, now).unwrap().apply(now).unwrap(), "A();\nc();\n");
}

/// This would be an insertion of whole lines if the change's other edit were not in between.
#[test]
fn edits_of_one_change_do_not_pass_each_other() {
    type Given = (Range<usize>, &'static str);
    let cases: [(&str, [Given; 2]); 4] = [
        ("aab\n", [(0..1, "X"), (2..2, "q\naa")]),
        ("ab\n", [(0..0, "Z"), (1..1, "q\na")]),
        ("ab\n", [(1..1, "b\nq"), (2..2, "Z")]),
        ("ab\nab\n", [(1..4, ""), (5..5, "Z")]),
    ];
    for (text, edits) in cases {
        let edits = edits.map(|(range, text)| Edit { range, text: text.into() });
        let change = Change::from_unchecked_edits(text, edits.into()).unwrap();
        let (base, now) = (format!("{text}end\n"), format!("{text}end\nmine\n"));
        let moved = rebase(&base, &change, &now).unwrap();
        assert_eq!(moved.apply(&now).unwrap(), change.apply(&base).unwrap() + "mine\n");
    }
}

/// The `a` before it is new, the one after it is old.
#[test]
fn what_both_texts_end_with_is_the_same() {
    merges("x\ny\na\n", "x\ny\npa\n", "a\nz\na\n", "a\nz\npa\n");
    merges("a\r\na2\r\na\n", "a\r\na2\r\npa\n", "a\n2\r\na\n", "a\n2\r\npa\n");
}

#[test]
fn a_change_for_another_base_is_refused() {
    let change = Change::between("a long text", "a long test");
    assert_eq!(rebase("short", &change, "other"), Err(RebaseError::Stale(StaleChangeError { range: 9..10 })));
}

#[test]
fn a_conflict_shows_all_versions() {
    let (base, agent, user) = ("a\nb\nc\n", "a\nB\nc\n", "new\na\nmine\nc\n");
    let expected = expect![[r#"
        the text was changed meanwhile where the change was to be made

        From line 3, as it is now:
          | mine
        as the change was to make it:
          | B
        as it was before both:
          | b"#]];
    expected.assert_eq(&both(base, agent, user).unwrap_err().to_string());
    let expected = expect![[r#"
        the text was changed meanwhile where the change was to be made

        From line 2, as it is now:
          (nothing)
        as the change was to make it:
          | B
          | c
        as it was before both:
          | b
          | c"#]];
    expected.assert_eq(&both(base, agent, "a\n").unwrap_err().to_string());
}

#[test]
fn a_conflict_has_bounds() {
    let error = both("", &"agent\n".repeat(100), &"é".repeat(5000)).unwrap_err();
    let RebaseError::Conflict(conflict) = error else { panic!("{error}") };
    let Overlap { line, base, agent, user } = &conflict.overlaps[0];
    assert_eq!((*line, base.as_str()), (1, ""));
    assert_eq!(*agent, "agent\n".repeat(40) + "[60 more lines]\n");
    assert_eq!(*user, "é".repeat(2000) + "\n[6000 more bytes]\n");
}

#[test]
fn many_conflicts_are_counted() {
    let lines = |word: &str| (0..20).map(|n| format!("{n}\n{word}{n}\n")).collect::<String>();
    let error = both(&lines("a"), &lines("b"), &lines("c")).unwrap_err();
    let RebaseError::Conflict(conflict) = error else { panic!("{error}") };
    assert_eq!((conflict.overlaps.len(), conflict.count), (5, 20));
    assert!(conflict.to_string().ends_with("There are 15 more such places."), "{conflict}");
}
