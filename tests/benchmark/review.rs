//! Reviews of a large document: the cost of a keystroke and of a decision.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use copydesk_config::SaveMode;
use copydesk_text::{Change, FileText, LineBreaks, Position, PositionEncoding};
use copydesk_workspace::buffers::{
    BufferClient, BufferContentChange, BufferEdit, Buffers, ClientId, DiskChange, EditorFuture, EditorHandle,
};
use copydesk_workspace::files::{
    Author, ChangeCause, FileChange, FileChangeKind, READ_LIMIT, WorkspaceFiles,
};
use copydesk_workspace::reviews::{DecisionTarget, HunkVerdict, ReviewTracker, UserDecision};

use super::table::BenchmarkTable;

const SESSION: &str = "s";
const LINES: usize = 100_000;

/// An editor that only types.
struct TypingEditor;

impl EditorHandle for TypingEditor {
    fn apply_edits(&self, _: &str, _: Vec<BufferEdit>, _: tokio::time::Instant) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn save(&self, _: &str) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn notify_disk_change(&self, _: &Path, _: DiskChange) {}
}

struct BenchmarkReview {
    files: WorkspaceFiles,
    folder: tempfile::TempDir,
}

impl BenchmarkReview {
    /// A file in which the agent wrote every `every`th line.
    fn new(every: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let line = |number: usize| format!("line {number} of many\n");
        let old: String = (0..LINES).map(line).collect();
        let agent =
            |number: usize| if number % every == 1 { format!("agent {number}\n") } else { line(number) };
        let new: String = (0..LINES).map(agent).collect();
        std::fs::write(folder.path().join("a.txt"), &old).unwrap();
        let reviews = ReviewTracker::default();
        let buffers = Buffers::with_observer(Arc::new(reviews.clone()));
        let files = WorkspaceFiles::with_buffers(
            folder.path(),
            folder.path(),
            buffers,
            None,
            reviews,
            SaveMode::Never,
        );
        let place = files.resolve("a.txt");
        let cause = ChangeCause {
            session: SESSION.into(),
            call: "c".into(),
            label: "Edit".into(),
            is_accepted: false,
            author: Author::Agent,
            group: None,
        };
        wait(async {
            let content = files.peek(&place, READ_LIMIT).await.unwrap();
            let file = FileText::decode(content.bytes).unwrap();
            let change = Change::between(file.text(), &new);
            let kind = FileChangeKind::Edit { file, stamp: content.stamp, change };
            files.apply_changes(&[FileChange { path: place, kind }], &cause).await.unwrap();
        });
        files.reviews().take_updates(SESSION);
        Self { files, folder }
    }

    fn open(&self) -> ClientId {
        let client = BufferClient {
            name: "typist".into(),
            encoding: PositionEncoding::Utf8,
            editor: Arc::new(TypingEditor),
            refuses_silently: false,
        };
        let id = self.files.buffers().attach(client);
        let path = self.folder.path().join("a.txt");
        let text = std::fs::read_to_string(&path).unwrap();
        self.files.buffers().open(id, "file:///a.txt", Some(&path), 1, &text, LineBreaks::Lf);
        id
    }
}

pub(crate) fn measure(table: &mut BenchmarkTable) {
    for (name, line) in [
        ("review: a keystroke outside of 1,000 hunks, 100,000 lines", 50_050),
        ("review: a keystroke inside of one of 1,000 hunks, 100,000 lines", 50_001),
    ] {
        if table.includes_row(name) {
            let samples = keystrokes(line, 100);
            table.row(
                name,
                samples,
                Some(Duration::from_millis(2)),
                "followed, and told to viewers".to_owned(),
            );
        }
    }
    let name = "review: list of 50,000 hunks, 100,000 lines";
    if table.includes_row(name) {
        let reviewed = BenchmarkReview::new(2);
        let once = |_| {
            let start = Instant::now();
            let views = reviewed.files.reviews().list_reviews(SESSION, None, 0);
            assert_eq!((views[0].total, views[0].hunks.len()), (50_000, 1_000));
            start.elapsed()
        };
        table.row(name, (0..5).map(once).collect(), None, "the first 1,000 of them".to_owned());
    }
    let name = "review: reject all of 1,000 hunks, 100,000 lines";
    if table.includes_row(name) {
        let once = |_| {
            let reviewed = BenchmarkReview::new(100);
            let start = Instant::now();
            let view = reviewed.files.reviews().list_reviews(SESSION, None, 0).remove(0);
            let decision = UserDecision {
                review: view.id,
                target: DecisionTarget::Everything,
                expected: view.print,
                verdict: HunkVerdict::Reject,
                lines: None,
                text: None,
                comment: None,
                is_confirmed: false,
            };
            let done = wait(reviewed.files.decide(SESSION, &[decision]));
            assert_eq!(done, [Ok(())]);
            start.elapsed()
        };
        table.row(name, (0..3).map(once).collect(), None, "on the disk".to_owned());
    }
}

fn keystrokes(line: u32, every: usize) -> Vec<Duration> {
    let reviewed = BenchmarkReview::new(every);
    let id = reviewed.open();
    let mut version = 1;
    let mut once = |_| {
        version += 1;
        let at = Position::new(line, 3);
        let change = BufferContentChange { range: Some((at, at)), text: "x".to_owned() };
        let start = Instant::now();
        reviewed.files.buffers().change(id, "file:///a.txt", version, &[change]).unwrap();
        reviewed.files.reviews().take_updates(SESSION);
        start.elapsed()
    };
    (0..50).map(&mut once).collect()
}

fn wait<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(what)
}
