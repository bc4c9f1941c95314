//! Who is asked, and who is believed: editors that do as they are told.

use std::path::PathBuf;

use copydesk_text::{LineBreaks, PositionEncoding};
use copydesk_workspace::buffers::{BufferEdit, DiskChange, EditorClient, EditorFuture, EditorHandle};
use tokio::sync::watch;

use super::*;
use crate::editors::{EditorDiagnosticsFuture as Answering, EditorProgressFuture, ProgressUpdate};

/// Answers as is said here, or when something is said.
struct Scripted {
    folders: Vec<PathBuf>,
    /// Of all that it has.
    whole: watch::Sender<Option<AnswerState>>,
    /// Of one file.
    of_file: watch::Sender<Option<AnswerState>>,
}

impl AttachedEditor for Scripted {
    fn name(&self) -> &str {
        "Vi"
    }

    fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn diagnostics(&self, params: DiagnosticsParams) -> Answering<'_> {
        Box::pin(async move {
            let state = if params.uri.is_some() { &self.of_file } else { &self.whole };
            let state = *state.subscribe().wait_for(Option::is_some).await.unwrap();
            let file = |uri: String| {
                let (version, proof) = (params.version, ProofLevel::Proven);
                FileDiagnostics { uri, version, proof, why: None, items: Vec::new(), unseen: Vec::new() }
            };
            let is_answered = state == Some(AnswerState::Answered);
            let files = params.uri.into_iter().filter(|_| is_answered).map(file).collect();
            Ok(DiagnosticsResult { state: state.unwrap(), files })
        })
    }

    fn report_progress<'a>(&'a self, _token: &'a str, _work: ProgressUpdate<'a>) -> EditorProgressFuture<'a> {
        Box::pin(std::future::ready(()))
    }
}

impl EditorHandle for Scripted {
    fn apply_edits(&self, _label: &str, _edits: Vec<BufferEdit>) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn save(&self, _uri: &str) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn notify_disk_change(&self, _path: &Path, _what: DiskChange) {}
}

struct NoTexts;

impl DocumentProvider for NoTexts {
    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }

    fn document(&self, _path: &Path) -> Option<CheckedDocument> {
        None
    }
}

struct Scene {
    folder: tempfile::TempDir,
    source: EditorSource,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = WorkspaceFiles::new(&root, &root.join("home"));
        Self { folder, source: EditorSource::new(AttachedEditors::default(), files, Arc::new(NoTexts)) }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn attach(&self, whole: Option<AnswerState>, of_file: Option<AnswerState>) -> (ClientId, Arc<Scripted>) {
        let (whole, of_file) = (watch::Sender::new(whole), watch::Sender::new(of_file));
        let editor = Arc::new(Scripted { folders: vec![self.root()], whole, of_file });
        let client = self.source.files.buffers().attach(EditorClient {
            name: "Vi".to_owned(),
            encoding: PositionEncoding::Utf16,
            editor: Arc::clone(&editor) as Arc<dyn EditorHandle>,
            refuses_silently: false,
        });
        self.source.editors.add(client, Arc::clone(&editor) as Arc<dyn AttachedEditor>);
        (client, editor)
    }

    /// What is said of a file that somebody has open and that is not saved.
    async fn check(&self, by: ClientId) -> Vec<Verdict> {
        let path = self.root().join("a.toy");
        let uri = Url::from_file_path(&path).unwrap();
        self.source.files.buffers().open(by, uri.as_str(), Some(&path), 1, "one", LineBreaks::Any);
        let subjects = [CheckedDocument { path, text: Arc::new("one".to_owned()), is_saved: false }];
        let reports = self.source.check(&subjects, Instant::now() + Duration::from_secs(3)).await;
        reports.into_iter().map(|report| report.verdict).collect()
    }

    /// Each report on a file that is saved, by its name.
    async fn check_saved(&self, name: &str) -> Vec<(String, Verdict)> {
        let path = self.root().join(name);
        let text = Arc::new(std::fs::read_to_string(&path).unwrap());
        let subjects = [CheckedDocument { path, text, is_saved: true }];
        let reports = self.source.check(&subjects, Instant::now() + Duration::from_secs(60)).await;
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        reports.into_iter().map(|report| (name(&report.path), report.verdict)).collect()
    }

    /// Whether anybody serves, and how long it took to know.
    async fn serves(&self) -> (bool, Duration) {
        let begun = Instant::now();
        (self.source.serves(begun + Duration::from_secs(3)).await, begun.elapsed())
    }
}

#[tokio::test(start_paused = true)]
async fn a_terminal_that_prompts_does_not_speak_of_what_an_editor_without_servers_has_open() {
    let nobody = Some(AnswerState::Unsupported);
    let scene = Scene::new();
    let (editor, _) = scene.attach(nobody, nobody);
    let (terminal, answers) = scene.attach(nobody, nobody);
    scene.source.files.set_home_client(Some(terminal));
    assert_eq!(scene.check(editor).await, []);
    // One that serves it has another text than the one that is asked about.
    answers.of_file.send_replace(Some(AnswerState::Answered));
    let why = "its text is another one in the editor by now".to_owned();
    assert_eq!(scene.check(editor).await, [Verdict::Unknown { why }]);
}

#[tokio::test(start_paused = true)]
async fn who_said_that_it_has_servers_is_believed_while_it_is_busy() {
    let scene = Scene::new();
    let (client, editor) = scene.attach(Some(AnswerState::Answered), Some(AnswerState::Answered));
    assert_eq!(scene.serves().await, (true, Duration::ZERO));
    editor.whole.send_replace(None);
    assert_eq!(scene.serves().await, (true, Duration::ZERO));
    // It has none for some file, and maybe none any more: until it says that, it has.
    editor.of_file.send_replace(Some(AnswerState::Unsupported));
    assert_eq!(scene.check(client).await, []);
    assert!(scene.serves().await.0);
    editor.whole.send_replace(Some(AnswerState::Unsupported));
    tokio::task::yield_now().await;
    assert!(!scene.serves().await.0);
}

#[tokio::test(start_paused = true)]
async fn two_that_ask_at_once_wait_for_the_same_answer() {
    let scene = Scene::new();
    let (_, editor) = scene.attach(None, None);
    let answer = async {
        tokio::time::sleep(SHORT_TIMEOUT / 2).await;
        editor.whole.send_replace(Some(AnswerState::Answered));
    };
    let (one, two, ()) = tokio::join!(scene.serves(), scene.serves(), answer);
    assert_eq!((one, two), ((true, SHORT_TIMEOUT / 2), (true, SHORT_TIMEOUT / 2)));
}

#[tokio::test(start_paused = true)]
async fn who_does_not_answer_is_waited_for_once_and_heard_however_late() {
    let scene = Scene::new();
    let (_, editor) = scene.attach(None, None);
    assert_eq!(scene.serves().await, (false, SHORT_TIMEOUT));
    assert_eq!(scene.serves().await, (false, Duration::ZERO));
    editor.whole.send_replace(Some(AnswerState::Answered));
    while !scene.serves().await.0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_bystander_that_stops_answering_is_passed_over_and_forgotten_when_it_leaves() {
    let scene = Scene::new();
    let (client, editor) = scene.attach(Some(AnswerState::Answered), None);
    assert!(scene.serves().await.0);
    let why = "the editor did not answer in time".to_owned();
    assert_eq!(scene.check(client).await, [Verdict::Unknown { why }]);
    editor.whole.send_replace(None);
    assert_eq!(scene.serves().await, (false, SHORT_TIMEOUT));
    assert_eq!(scene.source.silent().len(), 1);
    scene.source.editors.remove(client);
    scene.source.check(&[], Instant::now()).await;
    assert_eq!(scene.source.silent().len(), 0);
}

#[tokio::test]
async fn where_more_files_use_a_changed_one_than_an_editor_is_made_to_open_that_is_told() {
    let scene = Scene::new();
    let answered = Some(AnswerState::Answered);
    let (client, _) = scene.attach(answered, answered);
    scene.source.files.set_home_client(Some(client));
    for number in 0..10 {
        std::fs::write(scene.root().join(format!("user{number}.py")), "import math_of_ours").unwrap();
        std::fs::write(scene.root().join(format!("user{number}.go")), "import \"area\"").unwrap();
    }
    std::fs::write(scene.root().join("math_of_ours.py"), "one = 1").unwrap();
    std::fs::write(scene.root().join("area.go"), "package area").unwrap();
    let told = scene.check_saved("math_of_ours.py").await;
    assert_eq!(told[0], ("math_of_ours.py".to_owned(), Verdict::Proven(Vec::new())));
    assert_eq!(
        told[1..],
        [("user8.py".to_owned(), Verdict::beyond_limit()), ("user9.py".to_owned(), Verdict::beyond_limit())]
    );
    // Of all those the server tells by itself.
    assert_eq!(scene.check_saved("area.go").await.len(), 1);
}
