//! Decisions that make no sense, come twice, or come at the wrong moment.

use copydesk_text::review::LineSelection;
use copydesk_text::{Change, Edit};

use super::editor_window::{Window, temporary_workspace};
use super::*;
use crate::files::ResolvedPath;

pub(super) fn cause(session: &str) -> ChangeCause {
    ChangeCause {
        session: session.into(),
        call: "call".into(),
        label: "Edit".into(),
        is_accepted: false,
        author: Author::Agent,
        group: None,
    }
}

pub(super) async fn agent(files: &WorkspaceFiles, session: &str, name: &str, new: &str) {
    let place = files.resolve(name);
    let content = files.peek(&place, READ_LIMIT).await.unwrap();
    let file = FileText::decode(content.bytes).unwrap();
    let change = Change::between(file.text(), new);
    let kind = FileChangeKind::Edit { file, stamp: content.stamp, change };
    files.apply_changes(&[FileChange { path: place, kind }], &cause(session)).await.unwrap();
}

fn only(files: &WorkspaceFiles, session: &str) -> ReviewSnapshot {
    let mut list = files.reviews().list_reviews(session, None, 0);
    assert_eq!(list.len(), 1, "{list:#?}");
    list.remove(0)
}

#[tokio::test]
async fn of_two_decisions_on_one_hunk_the_first_counts_and_each_has_its_own_answer() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let view = fixture.only();
    let stale = UserDecision { expected: "x".to_owned().into(), ..hunk(&view, 0, HunkVerdict::Accept) };
    let results = fixture.decide(&[stale, hunk(&view, 0, HunkVerdict::Accept)]).await;
    assert!(
        matches!(&results[0], Err(DecisionError::Rejected(why)) if why.contains("has changed")),
        "{results:?}"
    );
    assert!(results[1].is_err(), "{results:?}");
    assert_eq!(fixture.only().hunks.len(), 3);
}

#[tokio::test]
async fn a_text_of_ones_own_decides_the_whole_hunk_even_if_it_has_old_lines_in_it() {
    for is_before in [false, true] {
        let fixture = ReviewsFixture::new();
        fixture.write("a", "0\n1\n2\n3\n4\n");
        let new = "0\nA\nB\nC\n4\n";
        let proposal = if is_before {
            let (place, kind) = (fixture.files.resolve("a"), fixture.kind("a", new).await);
            fixture.files.reviews().propose(SESSION, "call", &place, &kind)
        } else {
            fixture.agent("a", new).await;
            None
        };
        let own =
            UserDecision { text: Some("a\n2\nc\n".into()), ..hunk(&fixture.only(), 0, HunkVerdict::Accept) };
        assert_eq!(fixture.decide(&[own]).await, [Ok(())]);
        assert_eq!(fixture.read("a"), "0\na\n2\nc\n4\n");
        assert_eq!(fixture.list(), [], "before: {is_before}");
        drop(proposal);
    }
}

#[tokio::test]
async fn a_text_of_ones_own_may_be_the_old_one_the_new_one_or_none() {
    for (own, text) in [("2\n", OLD), ("B\n", "1\nB\n3\n4\n5\n6\n7\n"), ("", "1\n3\n4\n5\n6\n7\n")] {
        let fixture = ReviewsFixture::new();
        fixture.write("a", OLD);
        fixture.agent("a", "1\nB\n3\n4\n5\n6\n7\n").await;
        let own = UserDecision { text: Some(own.into()), ..hunk(&fixture.only(), 0, HunkVerdict::Accept) };
        assert_eq!(fixture.decide(&[own]).await, [Ok(())]);
        assert_eq!((fixture.read("a"), fixture.list()), (text.to_owned(), vec![]));
    }
}

#[tokio::test]
async fn a_text_of_ones_own_ends_its_lines_as_the_file_does() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", "1\r\n2\r\n3\r\n");
    fixture.agent("a", "1\r\nB\r\n3\r\n").await;
    let own = UserDecision { text: Some("b\nbb\n".into()), ..hunk(&fixture.only(), 0, HunkVerdict::Accept) };
    assert_eq!(fixture.decide(&[own]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), "1\r\nb\r\nbb\r\n3\r\n");
}

#[tokio::test]
async fn lines_and_texts_are_not_passed_over_where_they_cannot_be_meant() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let lines = Some(LineSelection { old: vec![0], new: vec![] });
    let text = Some("x\n".to_owned());
    let view = fixture.only();
    for decision in [
        UserDecision { lines: lines.clone(), ..everything(&view, HunkVerdict::Accept) },
        UserDecision { text: text.clone(), ..everything(&view, HunkVerdict::Accept) },
        UserDecision { text: text.clone(), ..hunk(&view, 0, HunkVerdict::Reject) },
        UserDecision { lines: lines.clone(), text: text.clone(), ..hunk(&view, 0, HunkVerdict::Accept) },
    ] {
        let results = fixture.decide(&[decision]).await;
        assert!(results[0].is_err(), "{results:?}");
    }
    assert_eq!(fixture.only(), view);
    let (place, kind) = (fixture.files.resolve("new"), fixture.kind("new", "1\n2\n").await);
    let proposal = fixture.files.reviews().propose(SESSION, "call", &place, &kind).unwrap();
    let view = fixture.list().remove(1);
    let some = Some(LineSelection { old: vec![], new: vec![0] });
    let reject = UserDecision { lines: some.clone(), ..hunk(&view, 0, HunkVerdict::Reject) };
    assert!(fixture.decide(&[reject]).await[0].is_err(), "the other line was not spoken of");
    assert_eq!(
        fixture.decide(&[UserDecision { lines: some, ..hunk(&view, 0, HunkVerdict::Accept) }]).await,
        [Ok(())]
    );
    assert_eq!(fixture.read("new"), "1\n");
    drop(proposal);
}

#[tokio::test]
async fn a_file_that_is_to_be_created_is_what_the_call_says_whatever_an_editor_has_there() {
    let (folder, files) = temporary_workspace();
    let place = files.resolve("new");
    let kind = FileChangeKind::Create { text: "1\n2\n".into(), mode: None };
    let proposal = files.reviews().propose(SESSION, "call", &place, &kind).unwrap();
    // An editor opens a missing file as an empty one.
    let window = Window::open(&files, "new", false);
    window.types("", "mine\n");
    files.refresh_reviews(SESSION).await;
    assert_eq!(only(&files, SESSION).hunks[0].new, ["1", "2"]);
    window.close();
    let all = everything(&only(&files, SESSION), HunkVerdict::Accept);
    assert_eq!(files.decide(SESSION, &[all]).await, [Ok(())]);
    assert_eq!(std::fs::read_to_string(folder.path().join("new")).unwrap(), "1\n2\n");
    drop(proposal);
}

#[tokio::test]
async fn two_editors_with_two_texts_are_two_reviews() {
    let (folder, files) = temporary_workspace();
    std::fs::write(folder.path().join("a"), OLD).unwrap();
    let (one, other) = (Window::open(&files, "a", false), Window::open(&files, "a", false));
    let texts = || [one.text(), other.text()];
    for (session, window, new) in [("one", &one, NEW), ("other", &other, "1\n2\n3\n4\n5\n6\nG\n")] {
        files.set_home_client(Some(window.id()));
        agent(&files, session, "a", new).await;
    }
    assert_eq!(texts(), [NEW, "1\n2\n3\n4\n5\n6\nG\n"]);
    for (session, window) in [("one", &one), ("other", &other), ("one", &one)] {
        files.set_home_client(Some(window.id()));
        files.refresh_reviews(session).await;
        window.types("1", "1!");
    }
    assert_eq!(shown(&only(&files, "one")), lines(&["1 2 B", "3 4 D", "5 6 F"]));
    assert_eq!(shown(&only(&files, "other")), lines(&["6 7 G"]));
}

/// Runs `meanwhile` while an edit is on its way into a buffer.
async fn while_it_travels<T>(
    window: &Window,
    edit: impl Future<Output = T>,
    meanwhile: impl AsyncFnOnce(),
) -> T {
    let closed = window.gate.acquire_many(1000).await.unwrap();
    let act = async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        meanwhile().await;
        drop(closed);
    };
    tokio::join!(edit, act).0
}

fn is_deciding(files: &WorkspaceFiles) -> bool {
    let state = files.reviews().lock();
    let mut reviews = state.sessions.values().flat_map(|of| of.reviews.values());
    reviews.any(|tracked| {
        tracked.decisions_in_progress > 0 || tracked.review.hunks().iter().any(|hunk| hunk.rejecting)
    }) || !state.edits_in_flight.is_empty()
}

pub(super) async fn opened(is_neovim: bool) -> (TempDir, WorkspaceFiles, std::sync::Arc<Window>) {
    let (folder, files) = temporary_workspace();
    std::fs::write(folder.path().join("a"), OLD).unwrap();
    let window = Window::open(&files, "a", is_neovim);
    agent(&files, SESSION, "a", NEW).await;
    (folder, files, window)
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_goes_while_a_hunk_is_being_rejected_leaves_it_undecided() {
    type Leave = fn(&Window);
    let ways: [Leave; 3] = [Window::close, Window::detach, |window| {
        window.save();
        window.close();
        window.reopen();
    }];
    for leave in ways {
        let (_folder, files, window) = opened(false).await;
        let decision = [hunk(&only(&files, SESSION), 0, HunkVerdict::Reject)];
        let deciding = files.decide(SESSION, &decision);
        let results = while_it_travels(&window, deciding, async || leave(&window)).await;
        files.refresh_reviews(SESSION).await;
        assert!(!is_deciding(&files), "{results:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_nobody_waits_for_any_more_is_still_brought_to_its_end() {
    let (_folder, files, window) = opened(false).await;
    let decision = [hunk(&only(&files, SESSION), 0, HunkVerdict::Reject)];
    let closed = window.gate.acquire_many(1000).await.unwrap();
    {
        let mut deciding = std::pin::pin!(files.decide(SESSION, &decision));
        tokio::select! {
            biased;
            _ = &mut deciding => panic!("it was not held up"),
            () = async { for _ in 0..20 { tokio::task::yield_now().await } } => {}
        }
        assert!(is_deciding(&files));
    }
    drop(closed);
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert!(!is_deciding(&files));
    assert_eq!(window.text(), "1\n2\n3\nD\n5\nF\n7\n");
    assert_eq!(shown(&only(&files, SESSION)), lines(&["3 4 D", "5 6 F"]));
}

#[tokio::test(start_paused = true)]
async fn the_second_of_two_who_decide_at_once_is_told() {
    for is_text in [false, true] {
        let (_folder, files, window) = opened(true).await;
        let view = only(&files, SESSION);
        let own =
            |text: &str| UserDecision { text: Some(text.into()), ..hunk(&view, 0, HunkVerdict::Accept) };
        let [one, other] = match is_text {
            true => [own("one\n"), own("other\n")],
            false => [hunk(&view, 0, HunkVerdict::Reject), hunk(&view, 0, HunkVerdict::Accept)],
        };
        let first = [one];
        let deciding = files.decide(SESSION, &first);
        let result = while_it_travels(&window, deciding, async || {
            let second = files.decide(SESSION, &[other]).await;
            assert!(
                matches!(&second[0], Err(DecisionError::Rejected(why)) if why.contains("already")),
                "{second:?}"
            );
        });
        assert_eq!(result.await, [Ok(())]);
        let text = if is_text { "1\none\n3\nD\n5\nF\n7\n" } else { "1\n2\n3\nD\n5\nF\n7\n" };
        assert_eq!(window.text(), text);
        assert!(!is_deciding(&files));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_answered_only_when_what_was_accepted_has_arrived() {
    let (folder, files) = temporary_workspace();
    std::fs::write(folder.path().join("a"), OLD).unwrap();
    let window = Window::open(&files, "a", false);
    let place: ResolvedPath = files.resolve("a");
    let content = files.peek(&place, READ_LIMIT).await.unwrap();
    let file = FileText::decode(content.bytes).unwrap();
    let change = Change::between(OLD, "1\nB\n3\nD\n5\n6\n7\n");
    let kind = FileChangeKind::Edit { file, stamp: content.stamp, change };
    for is_cut in [false, true] {
        window.becomes(OLD);
        let proposal = files.reviews().propose(SESSION, "call", &place, &kind).unwrap();
        files.reviews().set_ask(SESSION, &[proposal.id()], "ask");
        files.refresh_reviews(SESSION).await;
        let view = only(&files, SESSION);
        let first = [hunk(&view, 0, HunkVerdict::Accept)];
        let accepting = files.decide(SESSION, &first);
        let mut proposal = Some(proposal);
        let accepted = while_it_travels(&window, accepting, async || {
            let rejected = files.decide(SESSION, &[hunk(&view, 1, HunkVerdict::Reject)]).await;
            assert_eq!(rejected, [Ok(())]);
            assert_eq!(files.reviews().settled_asks(SESSION), Vec::<String>::new(), "one is on its way");
            if is_cut {
                // The turn was cancelled.
                drop(proposal.take());
            }
        });
        assert_eq!(accepted.await, [Ok(())]);
        assert_eq!(window.text(), "1\nB\n3\n4\n5\n6\n7\n");
        if let Some(proposal) = proposal {
            assert_eq!(files.reviews().settled_asks(SESSION), ["ask"]);
            let happened: Vec<_> = proposal.decisions().items.iter().map(|item| item.happened).collect();
            assert_eq!(happened, [FeedbackKind::Rejected, FeedbackKind::Accepted]);
        } else {
            let news = files.reviews().take_feedback(SESSION).items;
            assert!(
                news.iter().any(|item| item.happened == FeedbackKind::Accepted),
                "the model is told: {news:?}"
            );
        }
        assert_eq!(
            files.reviews().list_reviews(SESSION, None, 0),
            [],
            "it was decided, and is not asked again"
        );
        files.reviews().take_updates(SESSION);
        assert!(files.reviews().lock().sessions[SESSION].reviews.is_empty());
    }
}

#[tokio::test]
async fn a_file_that_the_agent_deletes_and_creates_again_is_an_edited_one() {
    let mut fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    let FileChangeKind::Edit { file, stamp, .. } = fixture.kind("a", NEW).await else { panic!("no file") };
    fixture.change("a", FileChangeKind::Delete { file, stamp }).await;
    fixture.change("a", FileChangeKind::Create { text: NEW.into(), mode: None }).await;
    fixture.files.journal().unwrap().usage().await.unwrap();
    for _ in 0..2 {
        assert_eq!(shown(&fixture.only()), lines(&["1 2 B", "3 4 D", "5 6 F"]));
        fixture.files = ReviewsFixture::open(fixture.folder.path());
        fixture.files.refresh_reviews(SESSION).await;
    }
    assert_eq!(fixture.decide(&[everything(&fixture.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), OLD);
}

#[tokio::test]
async fn a_created_file_that_is_gone_can_be_rejected() {
    let fixture = ReviewsFixture::new();
    fixture.agent("new", "1\n").await;
    std::fs::remove_file(fixture.folder.path().join("new")).unwrap();
    assert_eq!(fixture.decide(&[file(&fixture.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    assert_eq!(fixture.list(), []);
}

#[tokio::test]
async fn a_created_file_does_not_go_with_what_only_the_disk_has() {
    let (folder, files) = temporary_workspace();
    let place = files.resolve("new");
    let kind = FileChangeKind::Create { text: "1\n".into(), mode: None };
    files.apply_changes(&[FileChange { path: place, kind }], &cause(SESSION)).await.unwrap();
    let _window = Window::open(&files, "new", false);
    // Another program writes the file, and the editor does not know it yet.
    std::fs::write(folder.path().join("new"), "1\nmine\n").unwrap();
    let reject = file(&only(&files, SESSION), HunkVerdict::Reject);
    let results = files.decide(SESSION, &[reject]).await;
    assert!(results[0].is_err(), "{results:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("new")).unwrap(), "1\nmine\n");
    assert!(!is_deciding(&files));
}

#[tokio::test]
async fn a_review_of_very_many_hunks_stays_usable() {
    const MANY: usize = 12_500;
    let fixture = ReviewsFixture::new();
    let text = |odd: &str| -> String { (0..MANY).map(|line| format!("{odd}{line}\nsame\n")).collect() };
    fixture.write("a", &text("old "));
    let FileChangeKind::Edit { file, stamp, .. } = fixture.kind("a", &text("old ")).await else {
        panic!("no file")
    };
    let begins = file.text().match_indices("old ").map(|(at, old)| at..at + old.len());
    let edits = begins.map(|range| Edit { range, text: "new ".to_owned() });
    let change = Change::from_unchecked_edits(file.text(), edits.collect()).unwrap();
    fixture.change("a", FileChangeKind::Edit { file, stamp, change }).await;
    let view = fixture.only();
    assert_eq!((view.total, view.hunks.len()), (MANY, 1000));
    let ids: Vec<_> = {
        let state = fixture.files.reviews().lock();
        state.sessions[SESSION].reviews[&view.id].review.all_decisions()
    };
    let one = hunk(&view, 0, HunkVerdict::Accept);
    let decision = |of: copydesk_text::review::HunkDecision, verdict| UserDecision {
        target: DecisionTarget::Hunk(of.hunk),
        expected: of.expected,
        verdict,
        ..one.clone()
    };
    let half = ids.iter().take(MANY / 2).map(|of| decision(of.clone(), HunkVerdict::Accept));
    let other = ids.iter().skip(MANY / 2).map(|of| decision(of.clone(), HunkVerdict::Reject));
    let all: Vec<_> = half.chain(other).collect();
    let start = std::time::Instant::now();
    let results = fixture.decide(&all).await;
    println!("{MANY} decisions took {:?}", start.elapsed());
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(fixture.list(), []);
    assert_eq!(fixture.files.reviews().take_feedback(SESSION).left_out, MANY - 200);
}
