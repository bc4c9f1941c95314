//! Which editors the source asks and believes, with scripted editors.

use std::path::PathBuf;

use copydesk_text::{LineBreaks, PositionEncoding};
use copydesk_workspace::buffers::{BufferClient, BufferEdit, DiskChange, EditorFuture, EditorHandle};
use tokio::sync::watch;

use super::*;
use crate::editor_servers::EditorDocument;
use crate::editors::{
    EditorDiagnosticsFuture as Answering, EditorLeaseFuture, EditorProgressFuture, ProgressUpdate,
};
use copydesk_servers::{CodeQuery, LeasedServers};

/// Answers with these states; waits while a state is none.
struct AnsweringEditor {
    folders: Vec<PathBuf>,
    /// The answer about all files.
    all_files: watch::Sender<Option<AnswerState>>,
    /// The answer about one file.
    one_file: watch::Sender<Option<AnswerState>>,
    /// Files of which its servers report an error without being asked.
    broken_files: Vec<PathBuf>,
}

impl AttachedEditor for AnsweringEditor {
    fn name(&self) -> &str {
        "Vi"
    }

    fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn diagnostics(&self, params: DiagnosticsParams) -> Answering<'_> {
        Box::pin(async move {
            let state = if params.uri.is_some() { &self.one_file } else { &self.all_files };
            let state = *state.subscribe().wait_for(Option::is_some).await.unwrap();
            let file = |uri: String| {
                let (version, proof) = (params.version, ProofLevel::Proven);
                FileDiagnostics { uri, version, proof, why: None, items: Vec::new(), unseen: Vec::new() }
            };
            let is_answered = state == Some(AnswerState::Answered);
            let broken = |path: &PathBuf| {
                let message = "broken".to_owned();
                let start = position::WirePosition { line: 0, character: 0 };
                let (range, severity) =
                    (position::WireRange { start, end: start }, wire::SeverityInfo::Error);
                let item = wire::DiagnosticInfo {
                    range,
                    severity,
                    code: None,
                    source: None,
                    message,
                    echo_of: None,
                };
                FileDiagnostics { items: vec![item], ..file(Url::from_file_path(path).unwrap().into()) }
            };
            let files = match params.uri.clone() {
                _ if !is_answered => Vec::new(),
                Some(uri) => vec![file(uri)],
                None => self.broken_files.iter().map(broken).collect(),
            };
            Ok(DiagnosticsResult { state: state.unwrap(), files })
        })
    }

    fn lease_servers<'a>(
        &'a self,
        _document: EditorDocument<'a>,
        _query: CodeQuery,
        _ready_by: Instant,
    ) -> EditorLeaseFuture<'a> {
        Box::pin(std::future::ready(Ok(LeasedServers::default())))
    }

    fn loading(&self) -> Option<String> {
        None
    }

    fn report_progress<'a>(&'a self, _token: &'a str, _work: ProgressUpdate<'a>) -> EditorProgressFuture<'a> {
        Box::pin(std::future::ready(()))
    }
}

impl EditorHandle for AnsweringEditor {
    fn apply_edits(
        &self,
        _label: &str,
        _edits: Vec<BufferEdit>,
        _until: tokio::time::Instant,
    ) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn save(&self, _uri: &str) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn notify_disk_change(&self, _path: &Path, _what: DiskChange) {}
}

struct NoDocuments;

impl DocumentProvider for NoDocuments {
    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }

    fn document(&self, _path: &Path) -> Option<CheckedDocument> {
        None
    }
}

struct EditorSourceFixture {
    folder: tempfile::TempDir,
    source: EditorSource,
}

impl EditorSourceFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = WorkspaceFiles::new(&root, &root.join("home"));
        Self { folder, source: EditorSource::new(AttachedEditors::default(), files, Arc::new(NoDocuments)) }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn attach(
        &self,
        all_files: Option<AnswerState>,
        one_file: Option<AnswerState>,
    ) -> (ClientId, Arc<AnsweringEditor>) {
        self.attach_with_broken(all_files, one_file, Vec::new())
    }

    fn attach_with_broken(
        &self,
        all_files: Option<AnswerState>,
        one_file: Option<AnswerState>,
        broken_files: Vec<PathBuf>,
    ) -> (ClientId, Arc<AnsweringEditor>) {
        let (all_files, one_file) = (watch::Sender::new(all_files), watch::Sender::new(one_file));
        let editor =
            Arc::new(AnsweringEditor { folders: vec![self.root()], all_files, one_file, broken_files });
        let client = self.source.files.buffers().attach(BufferClient {
            name: "Vi".to_owned(),
            encoding: PositionEncoding::Utf16,
            editor: Arc::clone(&editor) as Arc<dyn EditorHandle>,
            refuses_silently: false,
        });
        self.source.editors.add(client, Arc::clone(&editor) as Arc<dyn AttachedEditor>);
        (client, editor)
    }

    /// The verdicts on an unsaved file that `client` has open.
    async fn check(&self, client: ClientId) -> Vec<Verdict> {
        let path = self.root().join("a.toy");
        let uri = Url::from_file_path(&path).unwrap();
        self.source.files.buffers().open(client, uri.as_str(), Some(&path), 1, "one", LineBreaks::Any);
        let subjects = [CheckedDocument { path, text: Arc::new("one".to_owned()), is_saved: false }];
        let reports = self.source.check(&subjects, Instant::now() + Duration::from_secs(3)).await;
        reports.into_iter().map(|report| report.verdict).collect()
    }

    /// The reports on a saved file, with file names.
    async fn check_saved(&self, name: &str) -> Vec<(String, Verdict)> {
        let path = self.root().join(name);
        let text = Arc::new(std::fs::read_to_string(&path).unwrap());
        let subjects = [CheckedDocument { path, text, is_saved: true }];
        let reports = self.source.check(&subjects, Instant::now() + Duration::from_secs(60)).await;
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        reports.into_iter().map(|report| (name(&report.path), report.verdict)).collect()
    }

    /// Whether any editor serves, and how long the answer took.
    async fn serves(&self) -> (bool, Duration) {
        let begun = Instant::now();
        (self.source.serves(begun + Duration::from_secs(3)).await, begun.elapsed())
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompting_terminal_reports_nothing_for_a_buffer_of_an_editor_without_servers() {
    let unsupported = Some(AnswerState::Unsupported);
    let scene = EditorSourceFixture::new();
    let (editor, _) = scene.attach(unsupported, unsupported);
    let (terminal, answers) = scene.attach(unsupported, unsupported);
    scene.source.files.set_home_client(Some(terminal));
    assert_eq!(scene.check(editor).await, []);
    // A prompting client that serves the file has another text than the checked one.
    answers.one_file.send_replace(Some(AnswerState::Answered));
    let why = "its text is another one in the editor by now".to_owned();
    assert_eq!(scene.check(editor).await, [Verdict::Unknown { why }]);
}

#[tokio::test(start_paused = true)]
async fn a_busy_editor_that_reported_servers_still_has_them() {
    let scene = EditorSourceFixture::new();
    let (client, editor) = scene.attach(Some(AnswerState::Answered), Some(AnswerState::Answered));
    assert_eq!(scene.serves().await, (true, Duration::ZERO));
    editor.all_files.send_replace(None);
    assert_eq!(scene.serves().await, (true, Duration::ZERO));
    // It has no server for one file. It still has servers until it reports otherwise.
    editor.one_file.send_replace(Some(AnswerState::Unsupported));
    assert_eq!(scene.check(client).await, []);
    assert!(scene.serves().await.0);
    editor.all_files.send_replace(Some(AnswerState::Unsupported));
    tokio::task::yield_now().await;
    assert!(!scene.serves().await.0);
}

#[tokio::test(start_paused = true)]
async fn concurrent_callers_wait_for_the_same_answer() {
    let scene = EditorSourceFixture::new();
    let (_, editor) = scene.attach(None, None);
    let answer = async {
        tokio::time::sleep(SHORT_TIMEOUT / 2).await;
        editor.all_files.send_replace(Some(AnswerState::Answered));
    };
    let (one, two, ()) = tokio::join!(scene.serves(), scene.serves(), answer);
    assert_eq!((one, two), ((true, SHORT_TIMEOUT / 2), (true, SHORT_TIMEOUT / 2)));
}

#[tokio::test(start_paused = true)]
async fn a_silent_editor_is_waited_for_once_and_its_late_answer_counts() {
    let scene = EditorSourceFixture::new();
    let (_, editor) = scene.attach(None, None);
    assert_eq!(scene.serves().await, (false, SHORT_TIMEOUT));
    assert_eq!(scene.serves().await, (false, Duration::ZERO));
    editor.all_files.send_replace(Some(AnswerState::Answered));
    while !scene.serves().await.0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_bystander_that_stops_answering_is_skipped_and_forgotten_when_it_detaches() {
    let scene = EditorSourceFixture::new();
    let (client, editor) = scene.attach(Some(AnswerState::Answered), None);
    assert!(scene.serves().await.0);
    let why = "the editor did not answer in time".to_owned();
    assert_eq!(scene.check(client).await, [Verdict::Unknown { why }]);
    editor.all_files.send_replace(None);
    assert_eq!(scene.serves().await, (false, SHORT_TIMEOUT));
    assert_eq!(scene.source.lock_unresponsive().len(), 1);
    scene.source.editors.remove(client);
    scene.source.check(&[], Instant::now()).await;
    assert_eq!(scene.source.lock_unresponsive().len(), 0);
}

#[tokio::test]
async fn a_file_that_is_gone_is_not_reported() {
    let scene = EditorSourceFixture::new();
    let answered = Some(AnswerState::Answered);
    let [there, gone, still_open] = ["there.toy", "gone.toy", "open.toy"].map(|name| scene.root().join(name));
    std::fs::write(scene.root().join("a.toy"), "one").unwrap();
    std::fs::write(&there, "two").unwrap();
    let broken = vec![there, gone, still_open.clone()];
    let (client, _) = scene.attach_with_broken(answered, answered, broken);
    scene.source.files.set_home_client(Some(client));
    let uri = Url::from_file_path(&still_open).unwrap();
    scene.source.files.buffers().open(client, uri.as_str(), Some(&still_open), 1, "three", LineBreaks::Any);
    let reports = scene.check_saved("a.toy").await;
    let names: Vec<_> = reports.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a.toy", "there.toy"]);
}

#[tokio::test]
async fn dependents_beyond_the_limit_are_reported_as_unchecked() {
    let scene = EditorSourceFixture::new();
    let answered = Some(AnswerState::Answered);
    let (client, _) = scene.attach(answered, answered);
    scene.source.files.set_home_client(Some(client));
    for number in 10..28 {
        std::fs::write(scene.root().join(format!("user{number}.py")), "import math_of_ours").unwrap();
        std::fs::write(scene.root().join(format!("user{number}.go")), "import \"area\"").unwrap();
    }
    std::fs::write(scene.root().join("math_of_ours.py"), "one = 1").unwrap();
    std::fs::write(scene.root().join("area.go"), "package area").unwrap();
    let reports = scene.check_saved("math_of_ours.py").await;
    assert_eq!(reports[0], ("math_of_ours.py".to_owned(), Verdict::Proven(Vec::new())));
    assert_eq!(
        reports[1..],
        [
            ("user26.py".to_owned(), Verdict::beyond_limit()),
            ("user27.py".to_owned(), Verdict::beyond_limit())
        ]
    );
    // gopls publishes for all dependents without a request.
    assert_eq!(scene.check_saved("area.go").await.len(), 1);
}

#[tokio::test]
async fn a_configuration_that_is_not_saved_makes_its_languages_unknown() {
    let scene = EditorSourceFixture::new();
    let (client, _) = scene.attach(None, None);
    scene.source.files.set_home_client(Some(client));
    let manifest = scene.root().join("Cargo.toml");
    let verdicts = || {
        let report = |name: &str| {
            DiagnosticsReport::new(scene.root().join(name), "a server", Verdict::Proven(Vec::new()))
        };
        let mut reports = ["a.rs", "a.py", "Cargo.toml", "without_a_language"].map(report);
        scene.source.doubt_configured(&mut reports);
        reports.map(|report| report.verdict)
    };
    let proven = [const { Verdict::Proven(Vec::new()) }; 4];
    std::fs::write(&manifest, "saved").unwrap();
    assert_eq!(verdicts(), proven, "nothing is open");
    let uri = Url::from_file_path(&manifest).unwrap();
    let open = |text| {
        scene.source.files.buffers().open(client, uri.as_str(), Some(&manifest), 1, text, LineBreaks::Any);
    };
    open("saved");
    assert_eq!(verdicts(), proven, "the server has read the same text");
    open("typed");
    let why = "it is configured by Cargo.toml, which is not saved".to_owned();
    let [rust, others @ ..] = verdicts();
    assert_eq!((rust, &others[..]), (Verdict::Unknown { why }, &proven[1..]));
    std::fs::write(&manifest, "typed").unwrap();
    assert_eq!(verdicts(), proven, "it is saved");
    open("typed again");
    std::fs::remove_file(&manifest).unwrap();
    assert_eq!(verdicts(), proven, "the server has no configuration any more");
}
