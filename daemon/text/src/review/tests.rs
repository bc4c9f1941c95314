use super::*;

fn change(text: &str, new: &str) -> Change {
    Change::between(text, new)
}

/// A review of `base` in which one call made `text`.
fn review(base: &str, text: &str) -> Review {
    let mut review = Review::new(base);
    review.record_agent_change(&change(base, text), "one").unwrap();
    review
}

fn edits(edits: &[(Range<usize>, &str)]) -> Change {
    Change::from_edits(
        edits.iter().map(|(range, text)| Edit { range: range.clone(), text: (*text).into() }).collect(),
    )
}

/// Each hunk as its old and new lines.
fn hunks(review: &Review) -> Vec<(String, String)> {
    review.hunks().iter().map(|hunk| (review.old_text(hunk), review.new_text(hunk))).collect()
}

#[track_caller]
fn check(review: &Review, base: &str, expected: &[(&str, &str)]) {
    assert_eq!(review.base(), base);
    let expected: Vec<_> = expected.iter().map(|(old, new)| ((*old).into(), (*new).into())).collect();
    assert_eq!(hunks(review), expected);
}

/// The user edits the text of a review.
#[track_caller]
fn user(base: &str, text: &str, edit: (Range<usize>, &str), expected_base: &str, expected: &[(&str, &str)]) {
    let mut review = review(base, text);
    review.record_user_change(&edits(&[edit])).unwrap();
    check(&review, expected_base, expected);
}

#[test]
fn the_agents_edits_are_hunks_that_go_on_living() {
    let mut review = review("1\n2\n3\n4\n5\n", "1\ntwo\n3\n4\nfive\n");
    check(&review, "1\n2\n3\n4\n5\n", &[("2\n", "two\n"), ("5\n", "five\n")]);
    let ids: Vec<_> = review.hunks().iter().map(|hunk| hunk.id).collect();
    review
        .record_agent_change(&change("1\ntwo\n3\n4\nfive\n", "1\ntwo\nthree\n4\nfive!\n"), "other")
        .unwrap();
    check(&review, "1\n2\n3\n4\n5\n", &[("2\n3\n", "two\nthree\n"), ("5\n", "five!\n")]);
    assert_eq!(review.hunks().iter().map(|hunk| hunk.id).collect::<Vec<_>>(), ids);
    let by = |at: usize| review.hunks()[at].calls.iter().map(|call| &**call).collect::<Vec<_>>();
    assert_eq!((by(0), by(1)), (vec!["one", "other"], vec!["one", "other"]));
}

#[test]
fn typing_outside_hunks_goes_into_the_base() {
    user("a\nb\nc\n", "a\nB\nc\n", (4..5, "see"), "a\nb\nsee\n", &[("b\n", "B\n")]);
    // Whole lines at the borders, before and after.
    user("a\nb\nc\n", "a\nB\nc\n", (2..2, "new\n"), "a\nnew\nb\nc\n", &[("b\n", "B\n")]);
    user("a\nb\nc\n", "a\nB\nc\n", (4..4, "new\n"), "a\nb\nnew\nc\n", &[("b\n", "B\n")]);
    // As an editor may send them.
    user("a\nb\nc\n", "a\nB\nc\n", (3..3, "\nnew"), "a\nb\nnew\nc\n", &[("b\n", "B\n")]);
    // The lines between two hunks.
    user("a\nb\nc\n", "A\nb\nC\n", (2..4, ""), "a\nc\n", &[("a\nc\n", "A\nC\n")]);
    // After a last line without a break.
    user("b", "B", (1..1, "\nnew"), "b\nnew", &[("b\n", "B\n")]);
}

#[test]
fn typing_inside_a_hunk_joins_it() {
    user("a\nb\nc\n", "a\nB\nc\n", (2..3, "bee"), "a\nb\nc\n", &[("b\n", "bee\n")]);
    user("a\nb\nc\n", "a\nB\nc\n", (3..4, ""), "a\nb\nc\n", &[("b\nc\n", "Bc\n")]);
    let mut review = review("a\nb\nc\n", "a\nB\nc\n");
    assert!(!review.hunks()[0].edited);
    review.record_user_change(&edits(&[(3..3, "!")])).unwrap();
    assert!(review.hunks()[0].edited);
}

#[test]
fn what_is_typed_across_a_border_outlives_the_hunk() {
    // From the middle of the line above into the hunk.
    user("above\nb\nc\n", "above\nB\nc\n", (2..7, "X"), "abX\nb\nc\n", &[("b\n", "")]);
    // From the hunk into the line below.
    user("a\nb\nbelow\n", "a\nB\nbelow\n", (2..6, "X\n"), "a\nb\nX\nlow\n", &[("b\n", "")]);
    // A line of the base runs into the hunk's line, which keeps its break.
    user("a\nb\n", "a\nB\n", (1..2, ";"), "a;\nb\n", &[("a;\nb\n", "a;B\n")]);
}

#[test]
fn undo_takes_a_hunk_away_and_redo_brings_it_back() {
    let (base, text) = ("a\nb\nc\nd\n", "a\nc\nD\n");
    let mut review = review(base, text);
    let before = review.hunks().to_vec();
    review.record_user_change(&change(text, base)).unwrap();
    check(&review, base, &[]);
    // Typing elsewhere in between belongs to the user.
    review.record_user_change(&edits(&[(0..0, "top\n")])).unwrap();
    review.record_user_change(&edits(&[(0..4, "")])).unwrap();
    review.record_user_change(&change(base, text)).unwrap();
    assert_eq!((review.base(), review.hunks()), (base.to_owned(), &*before));
}

#[test]
fn undoing_a_part_leaves_the_rest() {
    let mut review = review("a\nb\nc\nd\n", "a\nx\nd\n");
    review.record_user_change(&edits(&[(2..2, "b\n")])).unwrap();
    check(&review, "a\nb\nc\nd\n", &[("c\n", "x\n")]);
}

fn decision(review: &Review, at: usize) -> HunkDecision {
    review.all_decisions().swap_remove(at)
}

#[test]
fn keeping_patches_the_base_and_rejecting_the_text() {
    let mut review = review("1\n2\n3\n4\n5\n", "one\n2\nthree\n4\nfive\n");
    let (first, last) = (decision(&review, 0), decision(&review, 2));
    assert_eq!(review.keep(std::slice::from_ref(&first)).decided[0].new, "one\n");
    check(&review, "one\n2\n3\n4\n5\n", &[("3\n", "three\n"), ("5\n", "five\n")]);
    let rejection = review.reject(std::slice::from_ref(&last));
    assert_eq!(rejection.change.apply(&review.text()).unwrap(), "one\n2\nthree\n4\n5\n");
    // Nothing has happened yet, but it cannot be decided again.
    assert_eq!(hunks(&review).len(), 2);
    assert_eq!(
        review.keep(std::slice::from_ref(&last)).errors,
        [HunkDecisionError::InProgress { hunk: last.hunk }]
    );
    review.record_rejection(&rejection.change).unwrap();
    check(&review, "one\n2\n3\n4\n5\n", &[("3\n", "three\n")]);
    let refused = review.keep(&[first.clone(), last.clone()]).errors;
    assert_eq!(refused[0], HunkDecisionError::Gone { hunk: first.hunk, end: Some(HunkOutcome::Kept) });
    assert_eq!(refused[1], HunkDecisionError::Gone { hunk: last.hunk, end: Some(HunkOutcome::Rejected) });
    assert_eq!(refused[1].to_string(), "hunk 3 is no longer there: it was rejected");
}

#[test]
fn a_rejection_waits_for_typing_meanwhile() {
    let (base, text) = ("1\n2\n3\n4\n", "1\ntwo\n3\n4\n");
    let mut review = review(base, text);
    let rejection = review.reject(&review.all_decisions());
    review.record_user_change(&edits(&[(0..0, "top\n")])).unwrap();
    assert!(review.hunks()[0].rejecting);
    let moved = crate::rebase(text, &rejection.change, &review.text()).unwrap();
    review.record_rejection(&moved).unwrap();
    assert_eq!((review.text(), review.base()), ("top\n1\n2\n3\n4\n".into(), "top\n1\n2\n3\n4\n".into()));
    // Typing in the hunk itself changes it: the rejection is cancelled.
    let mut review = self::review(base, text);
    review.reject(&review.all_decisions());
    review.record_user_change(&edits(&[(2..2, "x")])).unwrap();
    assert!(!review.hunks()[0].rejecting);
}

#[test]
fn a_stale_screen_decides_nothing() {
    let mut review = review("a\nb\n", "a\n");
    let seen = decision(&review, 0);
    // The same id, the same new lines, other old lines.
    review.record_agent_change(&edits(&[(0..2, "")]), "two").unwrap();
    let refused = review.keep(std::slice::from_ref(&seen)).errors;
    assert_eq!(
        refused,
        [HunkDecisionError::Changed { hunk: seen.hunk, old: "a\nb\n".into(), new: String::new() }]
    );
    assert_eq!(refused[0].to_string(), "hunk 1 has changed since it was shown; it is now:\n-a\n-b\n");
    let now = decision(&review, 0);
    assert_eq!(review.keep(&[now.clone(), now]).errors, [HunkDecisionError::InProgress { hunk: seen.hunk }]);
}

#[track_caller]
fn partly(lines: (&[usize], &[usize]), kept: (&str, &[(&str, &str)]), rejected: (&str, &[(&str, &str)])) {
    let mut review = review("0\na\nb\n9\n", "0\nx\ny\nz\n9\n");
    let mut decision = decision(&review, 0);
    decision.lines = Some(LineSelection { old: lines.0.into(), new: lines.1.into() });
    let mut other = review.clone();
    assert_eq!(review.keep(std::slice::from_ref(&decision)).errors, []);
    check(&review, kept.0, kept.1);
    let change = other.reject(&[decision]).change;
    other.record_rejection(&change).unwrap();
    assert_eq!(other.text(), rejected.0);
    check(&other, "0\na\nb\n9\n", rejected.1);
}

#[test]
fn some_lines_of_a_hunk_are_decided() {
    partly((&[0], &[0]), ("0\nx\nb\n9\n", &[("b\n", "y\nz\n")]), ("0\na\ny\nz\n9\n", &[("b\n", "y\nz\n")]));
    partly(
        (&[], &[2]),
        ("0\na\nb\nz\n9\n", &[("a\nb\n", "x\ny\n")]),
        ("0\nx\ny\n9\n", &[("a\nb\n", "x\ny\n")]),
    );
    let mut review = review("a\n", "b\n");
    let mut decision = decision(&review, 0);
    let id = decision.hunk;
    for lines in [LineSelection::default(), LineSelection { old: vec![1], new: vec![] }] {
        decision.lines = Some(lines);
        let refused = review.keep(std::slice::from_ref(&decision)).errors;
        assert_eq!(refused, [HunkDecisionError::InvalidLines { hunk: id, old: 1, new: 1 }]);
    }
}

#[test]
fn what_is_committed_is_kept() {
    let text = "one\n2\nthree\n4\n";
    let mut review = review("1\n2\n3\n4\n5\n", text);
    // Git may have converted line endings; the commit does not contain the deletion of the last line.
    let kept = review.keep_committed("one\r\n2\r\nthree\r\n4\r\n5\r\n");
    assert_eq!(kept.len(), 2);
    check(&review, "one\n2\nthree\n4\n5\n", &[("5\n", "")]);
    assert_eq!(review.keep_committed("something else\n"), []);
    assert_eq!(review.keep_committed(text).len(), 1);
    assert!(review.is_empty());
}

#[test]
fn a_saved_review_finds_its_place_again_or_says_so() {
    let review = review("1\n2\n3\n4\n5\n6\n", "1\ntwo\n3\n4\nfive\n6\n");
    let (restored, lost) = Review::restore(review.to_saved(), "new\n1\ntwo\n3\n4\nfive!\n6\n").unwrap();
    check(&restored, "new\n1\n2\n3\n4\n5\n6\n", &[("2\n", "two\n"), ("5\n", "five!\n")]);
    assert_eq!((lost, restored.hunks()[1].edited), (vec![], true));
    let (restored, lost) = Review::restore(review.to_saved(), "1\ntwo\n3\n6\n").unwrap();
    check(&restored, "1\n2\n3\n6\n", &[("2\n", "two\n")]);
    let five = LostHunk { id: HunkId(2), calls: vec!["one".into()], old: "5\n".into(), new: "five\n".into() };
    assert_eq!(lost, [five]);
    assert_eq!(Review::restore(review.to_saved(), "").unwrap().1.len(), 2);
}

#[test]
fn a_damaged_save_is_refused() {
    let saved = serde_json::to_string(&review("1\n2\n3\n", "1\ntwo\n3\n").to_saved()).unwrap();
    let broken = |from: &str, to: &str| {
        assert!(saved.contains(from), "{saved}");
        Review::restore(serde_json::from_str(&saved.replace(from, to)).unwrap(), "").unwrap_err()
    };
    assert_eq!(broken(r#""end":4"#, r#""end":3"#), SavedReviewError::InvalidRange(HunkId(1)));
    assert_eq!(broken(r#""end":4"#, r#""end":99"#), SavedReviewError::InvalidRange(HunkId(1)));
    assert_eq!(broken(r#""start":2"#, r#""start":9"#), SavedReviewError::InvalidRange(HunkId(1)));
    assert_eq!(broken(r#""text":"two\n""#, r#""text":"two""#), SavedReviewError::InvalidRange(HunkId(1)));
    assert_eq!(broken(r#""text":"two\n""#, r#""text":"2\n""#), SavedReviewError::NoChange(HunkId(1)));
    assert_eq!(broken(r#""next":2"#, r#""next":1"#), SavedReviewError::InvalidId(HunkId(1)));
}

#[test]
fn a_view_has_lines_and_words() {
    let review = review("a\nlet x = 1;\nc\nd\n", "a\nlet x = 12;\nmore\nc\n");
    let view = review.view_hunks(0..9);
    let only = |range| std::iter::once(range).collect();
    let words = vec![WordDiff { line: 0, old: only(8..9), new: only(8..10) }];
    let seen = &view[0];
    assert_eq!((seen.line, seen.base_line, &seen.words, seen.bytes.clone()), (1, 1, &words, 2..19));
    assert_eq!(
        (&*seen.old, &*seen.new),
        (&["let x = 1;".to_owned()][..], &["let x = 12;".into(), "more".into()][..])
    );
    assert_eq!((view[1].line, view[1].base_line, view[1].new_lines), (4, 3, 0));
    assert_eq!(review.view_hunks(1..2), view[1..]);
    assert_eq!(review.view_hunks(Range { start: 7, end: 2 }), []);
}

#[test]
fn a_view_cuts_long_lines_and_says_how_long_they_are() {
    let long = |word: &str| format!("{}{word}\n", "é".repeat(4096));
    let review = review(&format!("a\n{}short 1\n", long("old")), &format!("a\n{}short 2\n", long("newer")));
    let view = &review.view_hunks(0..9)[0];
    // A character is not split.
    assert_eq!(view.old, ["é".repeat(4096), "short 1".to_owned()]);
    assert_eq!(view.new, ["é".repeat(4096), "short 2".to_owned()]);
    assert_eq!(view.old_cut, [CutLine { line: 0, bytes: 8195 }]);
    assert_eq!(view.new_cut, [CutLine { line: 0, bytes: 8197 }]);
    assert_eq!((view.old_lines, view.new_lines), (2, 2));
    // What is not sent is not marked.
    assert!(view.words.iter().all(|words| words.line == 1), "{:?}", view.words);
    let many = self::review("", &vec!["x".repeat(8000); 300].join("\n"));
    let view = &many.view_hunks(0..9)[0];
    assert_eq!((view.new.len(), view.new_lines), (131, 300), "a side has at most 1 MB");
}

fn whole(review: &Review) -> HunkDecision {
    let hunk = review.file_hunk().unwrap().id;
    HunkDecision { hunk, expected: review.file_fingerprint().unwrap(), lines: None }
}

#[test]
fn a_created_file_with_typing_needs_a_confirmation() {
    let mut review = Review::for_created_file("a\nb\n", "call");
    let seen = whole(&review);
    assert_eq!(review.clone().reject_file(&seen, false), Ok(WholeFileRejection::Delete));
    review.record_user_change(&edits(&[(4..4, "mine\n")])).unwrap();
    assert!(matches!(review.reject_file(&seen, false), Err(HunkDecisionError::Changed { .. })));
    let now = whole(&review);
    let text = "a\nb\nmine\n".to_owned();
    assert_eq!(review.reject_file(&now, false), Ok(WholeFileRejection::NeedsConfirmation(text)));
    assert_eq!(review.reject_file(&now, true), Ok(WholeFileRejection::Delete));
    assert_eq!(review.reject_file(&now, true), Err(HunkDecisionError::InProgress { hunk: now.hunk }));
    review.record_file_rejection();
    assert!(review.is_empty());
    assert_eq!(
        review.keep_file(&now),
        Err(HunkDecisionError::Gone { hunk: now.hunk, end: Some(HunkOutcome::Rejected) })
    );
}

#[test]
fn keeping_lines_of_a_created_file_keeps_the_file() {
    let mut review = Review::for_created_file("a\nb\n", "call");
    let lines = decision(&review, 0);
    assert_eq!(
        review.keep(&[whole(&review)]).errors,
        [HunkDecisionError::IsWholeFile { hunk: whole(&review).hunk }]
    );
    assert_eq!(review.keep(&[lines]).errors, []);
    assert!(review.is_empty());
    let mut review = Review::for_created_file("", "call");
    assert!(!review.is_empty());
    review.keep_file(&whole(&review)).unwrap();
    assert!(review.is_empty());
}

#[test]
fn a_deleted_file_comes_back_with_its_text() {
    let mut review = review("a\nb\n", "a\nB\n");
    review.record_deletion("rm");
    let lines = decision(&review, 0);
    assert_eq!(
        review.keep(std::slice::from_ref(&lines)).errors,
        [HunkDecisionError::FileDeleted { hunk: lines.hunk }]
    );
    let seen = whole(&review);
    assert_eq!(review.reject_file(&seen, false), Ok(WholeFileRejection::Restore("a\nb\n".into())));
    review.record_file_rejection();
    assert_eq!((review.text(), review.is_empty()), ("a\nb\n".into(), true));
    // Created and then deleted leaves nothing.
    let mut review = Review::for_created_file("a\n", "call");
    review.record_deletion("rm");
    assert!(review.is_empty());
}

#[test]
fn a_renamed_file_has_its_lines_decided_by_themselves() {
    let mut review = review("a\n", "b\n");
    review.record_rename("old.rs", "new.rs", "mv");
    review.record_rename("new.rs", "newer.rs", "mv");
    let seen = whole(&review);
    assert_eq!(review.reject_file(&seen, false), Ok(WholeFileRejection::Rename { to: "old.rs".into() }));
    review.unmark_deciding(&[seen.hunk]);
    review.keep_file(&seen).unwrap();
    check(&review, "a\n", &[("a\n", "b\n")]);
    review.record_rename("newer.rs", "old.rs", "mv");
    review.record_rename("old.rs", "newer.rs", "mv");
    assert_eq!(review.file_hunk(), None);
}

/// The first line of each hunk that the user reverted.
fn reverted(review: &Review) -> Vec<usize> {
    let mut lines: Vec<_> =
        review.reverted_ids().into_iter().map(|id| review.reverted_hunk(id).unwrap().line).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_hunk_that_is_the_base_again_is_reverted_until_it_returns() {
    let mut review = review("a\nb\nc\nd\n", "a\nB\nB\nc\nD\n");
    review.record_user_change(&edits(&[(2..6, "b\n")])).unwrap();
    check(&review, "a\nb\nc\nd\n", &[("d\n", "D\n")]);
    assert_eq!(reverted(&review), [1]);
    // A redo.
    review.record_user_change(&edits(&[(2..4, "B\nB\n")])).unwrap();
    check(&review, "a\nb\nc\nd\n", &[("b\n", "B\nB\n"), ("d\n", "D\n")]);
    assert!(reverted(&review).is_empty());
}

#[test]
fn a_rejected_hunk_is_not_reverted() {
    let mut review = review("a\nb\n", "a\nB\n");
    let rejected = review.reject(&[decision(&review, 0)]);
    review.record_rejection(&rejected.change).unwrap();
    assert_eq!((review.is_empty(), reverted(&review)), (true, vec![]));
}

/// VS Code changes only parts of lines.
#[test]
fn an_undo_within_lines_can_be_redone() {
    let (base, text) = ("f() {}\n\ng\nh()\n", "f() {\n  x\n}\n\nh(y)\n");
    let mut review = review(base, text);
    let before = hunks(&review);
    review.record_user_change(&edits(&[(5..10, ""), (13..13, "g\n"), (15..16, "")])).unwrap();
    check(&review, base, &[]);
    assert_eq!(reverted(&review).len(), before.len());
    review.record_user_change(&edits(&[(5..5, "\n  x\n"), (8..10, ""), (12..12, "y")])).unwrap();
    assert_eq!((review.text(), hunks(&review), reverted(&review)), (text.into(), before, vec![]));
}
