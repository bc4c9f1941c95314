//! The user types in the lines that a waiting call would replace, and then says yes.

use copydesk_text::review::LineSelection;

use super::super::ReviewProposal;
use super::*;

/// Proposes `new` for `a`, types `typed` over it, and returns the proposal with its review as the user sees it.
async fn propose_and_type(
    fixture: &ReviewsFixture,
    (old, new, typed): (&str, &str, &str),
) -> (ReviewProposal, ReviewSnapshot) {
    fixture.write("a", old);
    let (place, kind) = (fixture.files.resolve("a"), fixture.kind("a", new).await);
    let proposal = fixture.files.reviews().propose(SESSION, "call", &place, &kind).unwrap();
    fixture.write("a", typed);
    fixture.files.refresh_reviews(SESSION).await;
    let view = fixture.only();
    (proposal, view)
}

const TYPED: &str = "1\n2 typed\n3\n4\n5\n6\n7\n";

#[tokio::test]
async fn an_accepted_hunk_never_discards_what_was_typed_in_it() {
    let fixture = ReviewsFixture::new();
    let (proposal, view) = propose_and_type(&fixture, (OLD, NEW, TYPED)).await;
    assert!(proposal.has_typing());
    let accepted = fixture.decide(&[hunk(&view, 0, HunkVerdict::Accept)]).await;
    assert_eq!(accepted, [Err(DecisionError::TypedInLines)]);
    let some = LineSelection { old: vec![0], new: vec![0] };
    let lines = UserDecision { lines: Some(some), ..hunk(&view, 0, HunkVerdict::Accept) };
    assert_eq!(fixture.decide(&[lines]).await, [Err(DecisionError::TypedInLines)]);
    assert_eq!(fixture.read("a"), TYPED);
    assert_eq!(proposal.decisions().items, [], "nothing is decided, and the call waits");
    let own = UserDecision { text: Some("B typed\n".into()), ..hunk(&view, 0, HunkVerdict::Accept) };
    let rest = [own, hunk(&view, 1, HunkVerdict::Accept), hunk(&view, 2, HunkVerdict::Reject)];
    assert_eq!(fixture.decide(&rest).await, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(fixture.read("a"), "1\nB typed\n3\nD\n5\n6\n7\n");
}

#[tokio::test]
async fn a_rejected_hunk_leaves_what_was_typed_in_it() {
    let fixture = ReviewsFixture::new();
    let (_proposal, view) = propose_and_type(&fixture, (OLD, NEW, TYPED)).await;
    assert_eq!(fixture.decide(&[hunk(&view, 0, HunkVerdict::Reject)]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), TYPED);
}

#[tokio::test]
async fn accepting_everything_makes_what_it_can_and_says_what_it_cannot() {
    let fixture = ReviewsFixture::new();
    let (proposal, view) = propose_and_type(&fixture, (OLD, NEW, TYPED)).await;
    let accepted = fixture.decide(&[everything(&view, HunkVerdict::Accept)]).await;
    assert_eq!(accepted, [Err(DecisionError::TypedInLines)]);
    assert_eq!(fixture.read("a"), "1\n2 typed\n3\nD\n5\nF\n7\n");
    assert_eq!(proposal.decisions().undecided, 1);
}

/// Lines that the user typed at the border of a hunk are not in it.
#[tokio::test]
async fn what_is_typed_beside_a_hunk_stays_when_it_is_accepted() {
    for typed in
        ["1\nabove\n2\n3\n4\n5\n6\n7\n", "1\n2\nbelow\n3\n4\n5\n6\n7\n", "1 typed\n2\n3 typed\n4\n5\n6\n7\n"]
    {
        let fixture = ReviewsFixture::new();
        let (_proposal, view) = propose_and_type(&fixture, (OLD, NEW, typed)).await;
        assert_eq!(fixture.decide(&[everything(&view, HunkVerdict::Accept)]).await, [Ok(())], "{typed}");
        let expected = typed.replace("2\n", "B\n").replace("4\n", "D\n").replace("6\n", "F\n");
        assert_eq!(fixture.read("a"), expected);
    }
}
