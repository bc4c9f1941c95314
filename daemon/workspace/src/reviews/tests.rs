//! Reviews and their documents: on disk, in buffers, across restarts.

use std::path::Path;
use std::sync::Arc;

use copydesk_text::review::HunkView;
use copydesk_text::{Change, FileText};
use tempfile::TempDir;

use super::{
    DecisionError, DecisionTarget, FeedbackKind, HunkVerdict, LineComment, ReviewFeedback, ReviewSnapshot,
    ReviewTiming, ReviewTracker, UserDecision,
};
use crate::buffers::Buffers;
use crate::files::{
    Author, ChangeCause, FileChange, FileChangeKind, READ_LIMIT, UndoDirection, WorkspaceFiles,
};
use crate::journal::{Journal, JournalLimits};
use crate::process::Processes;
use copydesk_config::SaveMode;

mod diagnostics;
mod editor_window;
mod fast_typing;
mod interleaved;
mod invalid_decisions;
mod lifecycle;
mod reverted_hunks;
mod typed_hunks;
mod undo_and_redo;

const SESSION: &str = "s";

struct ReviewsFixture {
    folder: TempDir,
    files: WorkspaceFiles,
}

impl ReviewsFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let processes = Processes::new(vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]);
        let files = WorkspaceFiles::new(folder.path(), folder.path()).with_processes(&processes);
        Self { folder, files }
    }

    fn lasting() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Self::open(folder.path());
        Self { folder, files }
    }

    fn open(folder: &Path) -> WorkspaceFiles {
        let (journal, _) = Journal::open(&folder.join("data"), JournalLimits::default()).unwrap();
        let reviews = ReviewTracker::new(Some(journal.clone()));
        let buffers = Buffers::with_observer(Arc::new(reviews.clone()));
        WorkspaceFiles::with_buffers(folder, folder, buffers, Some(journal), reviews, SaveMode::Never)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    async fn kind(&self, name: &str, new: &str) -> FileChangeKind {
        let place = self.files.resolve(name);
        match self.files.peek(&place, READ_LIMIT).await {
            Ok(content) => {
                let file = FileText::decode(content.bytes).unwrap();
                let change = Change::between(file.text(), new);
                FileChangeKind::Edit { file, stamp: content.stamp, change }
            }
            Err(_) => FileChangeKind::Create { text: new.to_owned(), mode: None },
        }
    }

    async fn agent(&self, name: &str, new: &str) {
        let kind = self.kind(name, new).await;
        self.change(name, kind).await;
    }

    async fn change(&self, name: &str, kind: FileChangeKind) {
        let cause = ChangeCause {
            session: SESSION.into(),
            call: "call".into(),
            label: "Edit".into(),
            is_accepted: false,
            author: Author::Agent,
            group: None,
        };
        let place = self.files.resolve(name);
        self.files.apply_changes(&[FileChange { path: place, kind }], &cause).await.unwrap();
    }

    fn list(&self) -> Vec<ReviewSnapshot> {
        self.files.reviews().list_reviews(SESSION, None, 0)
    }

    fn only(&self) -> ReviewSnapshot {
        let mut list = self.list();
        assert_eq!(list.len(), 1, "{list:#?}");
        list.remove(0)
    }

    async fn decide(&self, decisions: &[UserDecision]) -> Vec<Result<(), DecisionError>> {
        self.files.decide(SESSION, decisions).await
    }

    fn news(&self) -> Vec<(usize, FeedbackKind, Option<String>)> {
        let ReviewFeedback { items, .. } = self.files.reviews().take_feedback(SESSION);
        items.into_iter().map(|item| (item.line, item.happened, item.text)).collect()
    }
}

fn hunk(view: &ReviewSnapshot, at: usize, verdict: HunkVerdict) -> UserDecision {
    let hunk: &HunkView = &view.hunks[at];
    UserDecision {
        target: DecisionTarget::Hunk(hunk.id),
        expected: hunk.fingerprint.clone(),
        ..everything(view, verdict)
    }
}

fn everything(view: &ReviewSnapshot, verdict: HunkVerdict) -> UserDecision {
    UserDecision {
        review: view.id,
        target: DecisionTarget::Everything,
        expected: view.print.clone(),
        verdict,
        lines: None,
        text: None,
        comment: None,
        is_confirmed: false,
    }
}

fn file(view: &ReviewSnapshot, verdict: HunkVerdict) -> UserDecision {
    let (whole, print) = view.whole.clone().unwrap();
    UserDecision { target: DecisionTarget::Hunk(whole.id), expected: print, ..everything(view, verdict) }
}

fn shown(view: &ReviewSnapshot) -> Vec<(usize, String, String)> {
    let line = |hunk: &HunkView| (hunk.line, hunk.old.join("|"), hunk.new.join("|"));
    view.hunks.iter().map(line).collect()
}

fn lines(lines: &[&str]) -> Vec<(usize, String, String)> {
    let parse = |line: &&str| {
        let mut words = line.split(' ');
        let number = words.next().unwrap().parse().unwrap();
        (number, words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned())
    };
    lines.iter().map(parse).collect()
}

const OLD: &str = "1\n2\n3\n4\n5\n6\n7\n";
const NEW: &str = "1\nB\n3\nD\n5\nF\n7\n";

#[tokio::test]
async fn after_an_edit_its_hunks_are_decided_one_by_one_and_the_model_hears_of_it() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let view = fixture.only();
    assert_eq!((view.timing.clone(), view.additions, view.deletions), (ReviewTiming::After, 3, 3));
    assert_eq!(shown(&view), lines(&["1 2 B", "3 4 D", "5 6 F"]));
    let comment = Some("no".to_owned());
    let decisions = [
        hunk(&view, 0, HunkVerdict::Accept),
        UserDecision { comment, ..hunk(&view, 1, HunkVerdict::Reject) },
    ];
    assert_eq!(fixture.decide(&decisions).await, [Ok(()), Ok(())]);
    assert_eq!(fixture.read("a"), "1\nB\n3\n4\n5\nF\n7\n");
    assert_eq!(shown(&fixture.only()), lines(&["5 6 F"]));
    let news = fixture.files.reviews().take_feedback(SESSION).items;
    let told: Vec<_> = news.iter().map(|item| (item.line, item.happened, item.comment.as_deref())).collect();
    assert_eq!(
        told,
        [
            (2, FeedbackKind::Accepted, None),
            (4, FeedbackKind::Rejected, Some("no")),
            (6, FeedbackKind::Open, None)
        ]
    );
    assert_eq!(fixture.news(), [], "it is told once");
    let again = fixture.decide(&decisions).await;
    assert!(again.iter().all(Result::is_err), "{again:?}");
}

#[tokio::test]
async fn everything_is_decided_at_once_if_it_is_what_was_seen() {
    for (verdict, text) in [(HunkVerdict::Accept, NEW), (HunkVerdict::Reject, OLD)] {
        let fixture = ReviewsFixture::new();
        fixture.write("a", OLD);
        fixture.agent("a", "1\nB\n3\n4\n5\n6\n7\n").await;
        let stale = everything(&fixture.only(), verdict);
        fixture.agent("a", NEW).await;
        assert!(fixture.decide(&[stale]).await[0].is_err());
        assert_eq!(fixture.decide(&[everything(&fixture.only(), verdict)]).await, [Ok(())]);
        assert_eq!(fixture.read("a"), text);
        assert_eq!(fixture.list(), []);
    }
}

#[tokio::test]
async fn what_a_user_writes_meanwhile_on_the_disk_is_theirs() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let view = fixture.only();
    // Before the first hunk, and inside the second.
    fixture.write("a", "0\n1\nB\n3\nD!\n5\nF\n7\n");
    let results =
        fixture.decide(&[hunk(&view, 0, HunkVerdict::Reject), hunk(&view, 1, HunkVerdict::Reject)]).await;
    assert_eq!(results[0], Ok(()));
    assert!(
        matches!(&results[1], Err(DecisionError::Rejected(why)) if why.contains("has changed")),
        "{results:?}"
    );
    assert_eq!(fixture.read("a"), "0\n1\n2\n3\nD!\n5\nF\n7\n");
    assert_eq!(shown(&fixture.only()), lines(&["4 4 D!", "6 6 F"]));
    let news = fixture.news();
    assert!(news.contains(&(5, FeedbackKind::Edited, Some("D!\n".into()))), "{news:?}");
    assert_eq!(fixture.decide(&[hunk(&fixture.only(), 0, HunkVerdict::Accept)]).await, [Ok(())]);
    let news = fixture.news();
    assert_eq!(news[0], (5, FeedbackKind::AcceptedEdited, Some("D!\n".into())));
}

#[tokio::test]
async fn a_user_puts_their_own_text_there() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let own = UserDecision { text: Some("b\nbb".into()), ..hunk(&fixture.only(), 0, HunkVerdict::Accept) };
    assert_eq!(fixture.decide(&[own]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), "1\nb\nbb\n3\nD\n5\nF\n7\n");
    assert_eq!(shown(&fixture.only()), lines(&["4 4 D", "6 6 F"]));
    assert_eq!(fixture.news()[0], (2, FeedbackKind::AcceptedEdited, Some("b\nbb\n".into())));
}

#[tokio::test]
async fn a_created_file_goes_when_it_is_rejected_and_not_with_what_a_user_wrote() {
    let fixture = ReviewsFixture::new();
    fixture.agent("new", "1\n2\n").await;
    assert_eq!(fixture.decide(&[file(&fixture.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    assert!(!fixture.folder.path().join("new").exists());
    assert_eq!(fixture.list(), []);

    fixture.agent("new", "1\n2\n").await;
    fixture.write("new", "1\n2\nmine\n");
    fixture.files.refresh_reviews(SESSION).await;
    let reject = file(&fixture.only(), HunkVerdict::Reject);
    assert_eq!(
        fixture.decide(std::slice::from_ref(&reject)).await,
        [Err(DecisionError::NeedsConfirmation("new".into()))]
    );
    assert_eq!(fixture.read("new"), "1\n2\nmine\n");
    assert_eq!(fixture.decide(&[UserDecision { is_confirmed: true, ..reject }]).await, [Ok(())]);
    assert!(!fixture.folder.path().join("new").exists());
}

#[tokio::test]
async fn a_deleted_file_comes_back_when_that_is_rejected() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    let FileChangeKind::Edit { file: text, stamp, .. } = fixture.kind("a", NEW).await else {
        panic!("no file")
    };
    fixture.change("a", FileChangeKind::Delete { file: text, stamp }).await;
    assert!(!fixture.folder.path().join("a").exists());
    assert_eq!(fixture.decide(&[everything(&fixture.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), OLD);
    assert_eq!(fixture.list(), []);
}

#[tokio::test]
async fn before_an_edit_nothing_is_changed_but_what_was_accepted() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    let (place, kind) = (fixture.files.resolve("a"), fixture.kind("a", NEW).await);
    let proposal = fixture.files.reviews().propose(SESSION, "call", &place, &kind).unwrap();
    fixture.files.reviews().set_ask(SESSION, &[proposal.id()], "ask");
    let view = fixture.only();
    assert_eq!(view.timing, ReviewTiming::Before { ask: Some("ask".into()) });
    assert_eq!(shown(&view), lines(&["1 2 B", "3 4 D", "5 6 F"]), "old is what is there");
    assert_eq!(fixture.read("a"), OLD);
    let own = UserDecision { text: Some("d\n".into()), ..hunk(&view, 1, HunkVerdict::Accept) };
    let decisions = [hunk(&view, 0, HunkVerdict::Accept), own, hunk(&view, 2, HunkVerdict::Reject)];
    assert_eq!(fixture.decide(&decisions[..1]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), "1\nB\n3\n4\n5\n6\n7\n");
    assert_eq!(fixture.files.reviews().settled_asks(SESSION), Vec::<String>::new());
    assert_eq!(fixture.decide(&decisions[1..]).await, [Ok(()), Ok(())]);
    assert_eq!(fixture.read("a"), "1\nB\n3\nd\n5\n6\n7\n");
    assert_eq!(fixture.files.reviews().settled_asks(SESSION), ["ask"]);
    let happened: Vec<_> = proposal.decisions().items.iter().map(|item| item.happened).collect();
    assert_eq!(happened, [FeedbackKind::Accepted, FeedbackKind::AcceptedEdited, FeedbackKind::Rejected]);
    drop(proposal);
    assert_eq!(fixture.list(), []);
    assert_eq!(fixture.news(), [], "the call says it");
}

#[tokio::test]
async fn a_file_that_a_call_wants_to_create_is_created_when_it_is_accepted() {
    for (verdict, is_there) in [(HunkVerdict::Accept, true), (HunkVerdict::Reject, false)] {
        let fixture = ReviewsFixture::new();
        let (place, kind) = (fixture.files.resolve("new"), fixture.kind("new", "1\n2\n").await);
        let proposal = fixture.files.reviews().propose(SESSION, "call", &place, &kind).unwrap();
        let view = fixture.only();
        assert_eq!(shown(&view), [(0, String::new(), "1|2".into())]);
        assert_eq!(fixture.decide(&[everything(&view, verdict)]).await, [Ok(())]);
        assert_eq!(fixture.folder.path().join("new").exists(), is_there);
        assert_eq!(proposal.decisions().undecided, 0);
        assert_eq!(proposal.decisions().items.len(), 1);
        assert_eq!(fixture.list(), [], "who has decided is not asked again");
    }
}

#[tokio::test]
async fn a_review_is_there_the_day_after_and_finds_its_lines_again() {
    let mut fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    fixture.write("b", OLD);
    fixture.agent("a", NEW).await;
    fixture.agent("b", NEW).await;
    fixture.agent("new", "1\n").await;
    assert_eq!(fixture.decide(&[hunk(&fixture.list()[0], 1, HunkVerdict::Accept)]).await, [Ok(())]);
    let journal = fixture.files.journal().unwrap().clone();
    // The journal runs one job after the other, so earlier ones are done.
    journal.usage().await.unwrap();
    // Meanwhile lines are added before the hunks of one file, and a hunk of the other disappears.
    fixture.write("a", "0\n0\n1\nB\n3\nD\n5\nF\n7\n");
    fixture.write("b", "1\nB\n3\nelse\n7\n");
    fixture.files = ReviewsFixture::open(fixture.folder.path());
    fixture.files.refresh_reviews(SESSION).await;
    let list = fixture.list();
    assert_eq!(list.iter().map(|view| view.display_path.as_str()).collect::<Vec<_>>(), ["a", "b", "new"]);
    assert_eq!(shown(&list[0]), lines(&["3 2 B", "7 6 F"]));
    assert_eq!(shown(&list[1])[0], (1, "2".into(), "B".into()));
    assert!(list[2].whole.is_some());
    assert_eq!(fixture.decide(&[everything(&list[0], HunkVerdict::Reject)]).await, [Ok(())]);
    assert_eq!(fixture.read("a"), "0\n0\n1\n2\n3\nD\n5\n6\n7\n");
}

#[tokio::test]
async fn comments_go_together_and_decide_nothing() {
    let fixture = ReviewsFixture::new();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let comment = |line| LineComment {
        display_path: "a".into(),
        line,
        lines: 1,
        text: "why?".into(),
        commented_lines: None,
    };
    assert_eq!(fixture.files.reviews().add_comment(SESSION, comment(1)), 1);
    assert_eq!(fixture.files.reviews().add_comment(SESSION, comment(3)), 2);
    let news = fixture.news();
    let happened: Vec<_> = news.iter().map(|(line, happened, _)| (*line, *happened)).collect();
    assert_eq!(happened[..2], [(2, FeedbackKind::Commented), (4, FeedbackKind::Commented)]);
    assert_eq!(fixture.only().hunks.len(), 3);
    assert_eq!(fixture.files.reviews().comment_count(SESSION), 0);
}
