//! Reviews of a large document: what a keystroke costs, and a decision.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use copydesk_config::Save;
use copydesk_text::{Change, Encoding, FileText, Lines, Position};
use copydesk_workspace::buffers::{
    Answer, BufferEdit, Buffers, Client, ClientId, ContentChange, Editor, OnDisk,
};
use copydesk_workspace::files::{By, Cause, ChangeKind, FileChange, Files, READ_LIMIT};
use copydesk_workspace::reviews::{Decision, Reviews, Subject, Verdict};

use super::table::Table;

const SESSION: &str = "s";
const LINES: usize = 100_000;

/// An editor that only types.
struct Typist;

impl Editor for Typist {
    fn apply(&self, _: &str, _: Vec<BufferEdit>) -> Answer<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn save(&self, _: &str) -> Answer<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn changed_on_disk(&self, _: &Path, _: OnDisk) {}
}

struct Reviewed {
    files: Files,
    folder: tempfile::TempDir,
}

impl Reviewed {
    /// A file of which every so-manyth line is an agent's.
    fn new(every: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let line = |number: usize| format!("line {number} of many\n");
        let old: String = (0..LINES).map(line).collect();
        let agent =
            |number: usize| if number % every == 1 { format!("agent {number}\n") } else { line(number) };
        let new: String = (0..LINES).map(agent).collect();
        std::fs::write(folder.path().join("a.txt"), &old).unwrap();
        let reviews = Reviews::default();
        let buffers = Buffers::followed_by(Arc::new(reviews.clone()));
        let files = Files::over(folder.path(), folder.path(), buffers, None, reviews, Save::Never);
        let place = files.resolve("a.txt");
        let cause = Cause {
            session: SESSION.into(),
            call: "c".into(),
            label: "Edit".into(),
            accepted: false,
            by: By::Agent,
            group: None,
        };
        wait(async {
            let content = files.read(&place, READ_LIMIT).await.unwrap();
            let file = FileText::decode(content.bytes).unwrap();
            let change = Change::between(file.text(), &new);
            let kind = ChangeKind::Edit { file, stamp: content.stamp, change };
            files.change(&[FileChange { place, kind }], &cause).await.unwrap();
        });
        files.reviews().changes(SESSION);
        Self { files, folder }
    }

    fn open(&self) -> ClientId {
        let client = Client {
            name: "typist".into(),
            encoding: Encoding::Utf8,
            editor: Arc::new(Typist),
            refuses_silently: false,
        };
        let id = self.files.buffers().attach(client);
        let path = self.folder.path().join("a.txt");
        let text = std::fs::read_to_string(&path).unwrap();
        self.files.buffers().open(id, "file:///a.txt", Some(&path), 1, &text, Lines::Lf);
        id
    }
}

pub(crate) fn measure(table: &mut Table) {
    for (name, line) in [
        ("review: a keystroke outside of 1,000 hunks, 100,000 lines", 50_050),
        ("review: a keystroke inside of one of 1,000 hunks, 100,000 lines", 50_001),
    ] {
        if table.wants(name) {
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
    if table.wants(name) {
        let reviewed = Reviewed::new(2);
        let once = |_| {
            let start = Instant::now();
            let views = reviewed.files.reviews().list(SESSION, None, 0);
            assert_eq!((views[0].total, views[0].hunks.len()), (50_000, 1_000));
            start.elapsed()
        };
        table.row(name, (0..5).map(once).collect(), None, "the first 1,000 of them".to_owned());
    }
    let name = "review: reject all of 1,000 hunks, 100,000 lines";
    if table.wants(name) {
        let once = |_| {
            let reviewed = Reviewed::new(100);
            let start = Instant::now();
            let view = reviewed.files.reviews().list(SESSION, None, 0).remove(0);
            let decision = Decision {
                review: view.id,
                subject: Subject::Everything,
                expected: view.print,
                verdict: Verdict::Reject,
                lines: None,
                text: None,
                comment: None,
                confirmed: false,
            };
            let done = wait(reviewed.files.decide(SESSION, &[decision]));
            assert_eq!(done, [Ok(())]);
            start.elapsed()
        };
        table.row(name, (0..3).map(once).collect(), None, "on the disk".to_owned());
    }
}

fn keystrokes(line: u32, every: usize) -> Vec<Duration> {
    let reviewed = Reviewed::new(every);
    let id = reviewed.open();
    let mut version = 1;
    let mut once = |_| {
        version += 1;
        let at = Position::new(line, 3);
        let change = ContentChange { range: Some((at, at)), text: "x".to_owned() };
        let start = Instant::now();
        reviewed.files.buffers().change(id, "file:///a.txt", version, &[change]).unwrap();
        reviewed.files.reviews().changes(SESSION);
        start.elapsed()
    };
    (0..50).map(&mut once).collect()
}

fn wait<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(what)
}
