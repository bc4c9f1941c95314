mod affected_documents;
mod concurrent_events;
mod late_reports;
mod other_files;
mod unchecked_changes;
mod warm_up;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use copydesk_text::Position;
use tokio::sync::Notify;

use super::*;
use copydesk_servers::diagnostic::{Diagnostic, DiagnosticSpan};
use copydesk_servers::report::Verdict;
use copydesk_servers::source::{
    AffectedFiles, AffectedFilesFuture, ChangedFiles, ChangedFilesFuture, CheckFuture, CheckpointFuture,
    CommandWatcher, DiagnosticsSource, ReadyFuture,
};

/// A source to which every line with `bad` in it is an error.
#[derive(Default)]
struct Grumbler {
    is_indexing: AtomicBool,
    indexed: Notify,
    /// How many checks have waited until it was indexed.
    ready_count: AtomicU64,
    /// Added to its next answer.
    others: Mutex<Vec<DiagnosticsReport>>,
    /// What the user types during the next check.
    typed: Mutex<Option<(&'static str, &'static str)>>,
    disk: Arc<MemoryDisk>,
    /// What the watcher saw change.
    changed: Mutex<Vec<PathBuf>>,
    /// The watcher did not see everything in time.
    is_blind: AtomicBool,
    /// The files that any change affects.
    affected: Mutex<AffectedFiles>,
    /// It answers only at the deadline.
    is_slow: AtomicBool,
    /// Checks of files alone wait for this.
    gate: Option<Arc<Notify>>,
    /// The texts that it checked with their dependents.
    checked_texts: Mutex<Vec<String>>,
    /// The number of texts of each `check_when_ready`.
    when_ready_counts: Mutex<Vec<usize>>,
}

fn verdict_on(text: &str) -> Verdict {
    let lines = text.lines().enumerate().filter(|(_, line)| line.contains("bad"));
    let diagnostic = |(number, line): (usize, &str)| {
        let at = Position::new(u32::try_from(number).unwrap(), 0);
        let (span, message) = (DiagnosticSpan { start: at, end: at }, line.trim().into());
        Diagnostic {
            span,
            severity: Severity::Error,
            code: None,
            source: None,
            message,
            related: Vec::new(),
            data: None,
        }
    };
    Verdict::Proven(lines.map(diagnostic).collect())
}

fn report(subject: &CheckedDocument, verdict: Verdict) -> DiagnosticsReport {
    DiagnosticsReport::new(subject.path.clone(), "grumbler", verdict)
}

impl DiagnosticsSource for Grumbler {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        let is_indexing = self.is_indexing.load(Ordering::SeqCst);
        self.checked_texts.lock().unwrap().extend(subjects.iter().map(|subject| subject.text.to_string()));
        let answer = move |subject: &CheckedDocument| match is_indexing {
            true => report(subject, Verdict::Unknown { why: "still indexing".to_owned() }),
            false => report(subject, verdict_on(&subject.text)),
        };
        Box::pin(async move {
            if self.is_slow.load(Ordering::SeqCst) {
                tokio::time::sleep_until(until).await;
            }
            if let Some((name, text)) = self.typed.lock().unwrap().take() {
                self.disk.write(name, text);
            }
            let others = std::mem::take(&mut *self.others.lock().unwrap());
            subjects.iter().map(answer).chain(others).collect()
        })
    }

    fn check_file_only<'a>(&'a self, subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        Box::pin(async move {
            if let Some(gate) = &self.gate {
                gate.notified().await;
            }
            subjects.iter().map(|subject| report(subject, verdict_on(&subject.text))).collect()
        })
    }

    fn affected_files<'a>(&'a self, _changed: &'a [PathBuf], _until: Instant) -> AffectedFilesFuture<'a> {
        Box::pin(std::future::ready(self.affected.lock().unwrap().clone()))
    }

    fn wait_until_ready<'a>(&'a self, _subjects: &'a [CheckedDocument], _until: Instant) -> ReadyFuture<'a> {
        Box::pin(async move {
            self.indexed.notified().await;
            self.ready_count.fetch_add(1, Ordering::SeqCst);
        })
    }

    fn check_when_ready<'a>(&'a self, subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        self.when_ready_counts.lock().unwrap().push(subjects.len());
        Box::pin(async move {
            let has_waited = |count: u64| count.checked_sub(1);
            if self.ready_count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, has_waited).is_err() {
                self.indexed.notified().await;
            }
            if let Some((name, text)) = self.typed.lock().unwrap().take() {
                self.disk.write(name, text);
                self.disk.1.fetch_add(1, Ordering::SeqCst);
            }
            let others = std::mem::take(&mut *self.others.lock().unwrap());
            subjects.iter().map(|subject| report(subject, verdict_on(&subject.text))).chain(others).collect()
        })
    }

    fn check_proposed<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        self.check(subjects, until)
    }
}

impl CommandWatcher for Grumbler {
    fn checkpoint<'a>(&'a self, _below: &'a Path, _until: Instant) -> CheckpointFuture<'a> {
        Box::pin(std::future::ready(0))
    }

    fn changes_since<'a>(&'a self, _since: u64, _below: &'a Path, _until: Instant) -> ChangedFilesFuture<'a> {
        let paths = std::mem::take(&mut *self.changed.lock().unwrap());
        let is_incomplete = paths.len() > 200 || self.is_blind.load(Ordering::SeqCst);
        Box::pin(std::future::ready(ChangedFiles { paths, is_incomplete }))
    }
}

/// The files on the disk, and the edit epoch.
#[derive(Default)]
struct MemoryDisk(Mutex<HashMap<PathBuf, Arc<String>>>, AtomicU64);

impl MemoryDisk {
    fn write(&self, name: &str, text: &str) {
        self.0.lock().unwrap().insert(Path::new("/w").join(name), Arc::new(text.to_owned()));
    }
}

impl DocumentProvider for MemoryDisk {
    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }

    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        let text = Arc::clone(self.0.lock().unwrap().get(path)?);
        Some(CheckedDocument { path: path.to_owned(), text, is_saved: true })
    }

    fn edit_epoch(&self) -> u64 {
        self.1.load(Ordering::SeqCst)
    }
}

struct TrackerFixture {
    grumbler: Arc<Grumbler>,
    tracker: DiagnosticsTracker,
}

/// Lets every task run that can. Only with paused time.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

fn scene() -> TrackerFixture {
    scene_of(Grumbler::default())
}

fn scene_of(grumbler: Grumbler) -> TrackerFixture {
    let grumbler = Arc::new(grumbler);
    let sources = DiagnosticsSources {
        pool: Some(Arc::clone(&grumbler) as Arc<dyn DiagnosticsSource>),
        watcher: Some(Arc::clone(&grumbler) as Arc<dyn CommandWatcher>),
        ..DiagnosticsSources::default()
    };
    let options = TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error };
    let texts = Arc::clone(&grumbler.disk) as Arc<dyn DocumentProvider>;
    let tracker = DiagnosticsTracker::new(sources, texts, Path::new("/w"), options);
    TrackerFixture { grumbler, tracker }
}

fn edited(name: &str, before: Option<&str>, after: Option<&str>) -> EditedDocument {
    let text = |text: &str| Arc::new(text.to_owned());
    let (before, after) = (before.map(text), after.map(text));
    EditedDocument { path: Path::new("/w").join(name), before, after, is_saved: true }
}

fn subject(name: &str, text: &str) -> CheckedDocument {
    CheckedDocument { path: Path::new("/w").join(name), text: Arc::new(text.to_owned()), is_saved: true }
}

impl TrackerFixture {
    async fn baseline(&self, name: &str, text: &str) {
        self.tracker.record_baseline(&[subject(name, text)]).await;
    }

    /// Edits a file as a tool call does, and returns the metadata.
    async fn edit(&self, name: &str, before: &str, after: &str) -> DiagnosticsMetadata {
        let edited = edited(name, Some(before), Some(after));
        let text = edited.before.clone().unwrap();
        self.tracker
            .record_baseline(&[CheckedDocument { path: edited.path.clone(), text, is_saved: true }])
            .await;
        self.tracker.check_edits(&[edited]).await.unwrap().metadata
    }
}

/// The messages of new diagnostics, and the counts of fixed and remaining ones.
fn counts(metadata: &DiagnosticsMetadata) -> (Vec<&str>, u64, u64) {
    let messages = metadata.new.iter().map(|problem| problem.message.as_str()).collect();
    (messages, metadata.fixed, metadata.remaining)
}

#[tokio::test]
async fn a_diagnostic_that_moved_is_not_new() {
    let scene = scene();
    let metadata = scene.edit("a", "one\nbad old\n", "zero\none\nbad old\nbad new\n").await;
    assert_eq!(counts(&metadata), (vec!["bad new"], 0, 1));
    let metadata = scene.edit("a", "zero\none\nbad old\nbad new\n", "zero\nbad new\n").await;
    assert_eq!(counts(&metadata), (vec![], 1, 1));
}

#[tokio::test]
async fn a_created_file_has_an_empty_baseline() {
    let scene = scene();
    let summary = scene.tracker.check_edits(&[edited("new", None, Some("bad\n"))]).await.unwrap();
    assert_eq!(counts(&summary.metadata), (vec!["bad"], 0, 0));
}

#[tokio::test]
async fn a_users_edit_moves_the_baseline() {
    let scene = scene();
    scene.edit("a", "bad 1\n", "bad 1\nfine\n").await;
    // No check has seen these lines.
    let summary =
        scene.tracker.check_edits(&[edited("a", None, Some("typed\ntyped\nbad 1\nfine\n"))]).await.unwrap();
    assert_eq!(counts(&summary.metadata), (vec![], 0, 1));
}

#[tokio::test]
async fn a_late_report_makes_a_note() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    let summary = scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("bad\n"))]).await.unwrap();
    assert!(summary.output.contains("still indexing"), "{}", summary.output);
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
    let note = wait_for_note(&scene).await;
    assert!(note.contains("bad"), "{note}");
}

#[tokio::test]
async fn a_late_report_on_an_old_text_is_dropped() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("bad\n"))]).await.unwrap();
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    scene.tracker.check_edits(&[edited("a", Some("bad\n"), Some("mended\n"))]).await.unwrap();
    tokio::task::yield_now().await;
    scene.grumbler.indexed.notify_one();
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

async fn wait_for_note(scene: &TrackerFixture) -> String {
    for _ in 0..1000 {
        scene.grumbler.indexed.notify_one();
        tokio::task::yield_now().await;
        if let Some(note) = scene.tracker.take_late_notes().pop() {
            return note;
        }
    }
    panic!("nothing came");
}

#[tokio::test]
async fn a_turn_is_compared_as_a_whole() {
    let scene = scene();
    scene.tracker.begin_turn();
    scene.edit("a", "bad 1\nbad 2\n", "bad 1\nbad 2\nbad 3\n").await;
    scene.edit("a", "bad 1\nbad 2\nbad 3\n", "bad 2\nbad 3\nbad 4\n").await;
    scene.edit("a", "bad 2\nbad 3\nbad 4\n", "bad 2\nbad 4\n").await;
    let summary = scene.tracker.end_turn().unwrap();
    assert_eq!(counts(&summary.metadata), (vec!["bad 4"], 1, 1));
    scene.tracker.begin_turn();
    assert_eq!(scene.tracker.end_turn(), None);
}

#[tokio::test]
async fn checking_a_proposed_edit_changes_nothing() {
    let scene = scene();
    let edit = edited("a", Some("bad old\n"), Some("bad old\nbad new\n"));
    let text = edit.before.clone().unwrap();
    scene.tracker.record_baseline(&[CheckedDocument { path: edit.path.clone(), text, is_saved: true }]).await;
    let proposed = scene.tracker.check_proposed_edits(std::slice::from_ref(&edit)).await.unwrap();
    assert_eq!(counts(&proposed.metadata), (vec!["bad new"], 0, 1));
    let applied = scene.tracker.check_edits(&[edit]).await.unwrap();
    assert_eq!(counts(&applied.metadata), (vec!["bad new"], 0, 1));
}

/// The last diagnostics that the viewer was given, as line and message.
#[derive(Default)]
struct Seen(Mutex<Vec<(u32, String)>>);

impl DiagnosticsViewer for Seen {
    fn show_problems(&self, _path: &Path, _text: &str, problems: &[crate::delta::ReportedDiagnostic]) {
        let seen = |problem: &crate::delta::ReportedDiagnostic| {
            (problem.diagnostic.span.start.line, problem.diagnostic.message.to_string())
        };
        *self.0.lock().unwrap() = problems.iter().map(seen).collect();
    }
}

#[tokio::test]
async fn the_viewer_shows_what_the_session_caused() {
    let scene = scene();
    let seen = Arc::new(Seen::default());
    scene.tracker.set_viewer(Arc::clone(&seen) as Arc<dyn DiagnosticsViewer>);
    let texts = ["bad old\n", "bad old\nbad 1\n", "one\nbad old\nbad 1\nbad 2\n", "bad old\nbad 2\n"];
    let expected = [vec![(1, "bad 1")], vec![(2, "bad 1"), (3, "bad 2")], vec![(1, "bad 2")]];
    for (texts, expected) in texts.windows(2).zip(expected) {
        scene.edit("a", texts[0], texts[1]).await;
        let seen: Vec<_> = seen.0.lock().unwrap().clone();
        let seen: Vec<_> = seen.iter().map(|(line, message)| (*line, message.as_str())).collect();
        assert_eq!(seen, expected);
    }
}

/// A syntax source that finds nothing.
struct SilentGrammar;

impl DiagnosticsSource for SilentGrammar {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        let report = |subject: &CheckedDocument| {
            DiagnosticsReport::new(
                subject.path.clone(),
                copydesk_servers::source::TREE_SITTER,
                Verdict::Proven(Vec::new()),
            )
        };
        Box::pin(std::future::ready(subjects.iter().map(report).collect()))
    }
}

#[tokio::test]
async fn a_source_that_was_not_ready_is_asked_again_before_a_change() {
    let TrackerFixture { grumbler, .. } = scene();
    let sources = DiagnosticsSources {
        pool: Some(Arc::clone(&grumbler) as Arc<dyn DiagnosticsSource>),
        syntax: Some(Arc::new(SilentGrammar)),
        ..DiagnosticsSources::default()
    };
    let options = TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error };
    let texts = Arc::clone(&grumbler.disk) as Arc<dyn DocumentProvider>;
    let tracker = DiagnosticsTracker::new(sources, texts, Path::new("/w"), options);
    let scene = TrackerFixture { grumbler, tracker };
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    let (path, text) = (Path::new("/w/a").to_owned(), Arc::new("bad old\n".to_owned()));
    scene.tracker.record_baseline(&[CheckedDocument { path, text, is_saved: true }]).await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let metadata = scene.edit("a", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(counts(&metadata), (vec!["bad new"], 0, 1));
}
