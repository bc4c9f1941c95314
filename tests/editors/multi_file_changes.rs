//! One change of several files: all or none. The test calls `Files` directly, with in-process editors that reject
//! edits on request.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use copydesk_config::SaveMode;
use copydesk_text::{Change, Edit, FileText, LineBreaks, PositionEncoding};
use copydesk_workspace::buffers::{
    BufferClient, BufferContentChange, BufferEdit, Buffers, ClientId, DiskChange, EditorError, EditorFuture,
    EditorHandle,
};
use copydesk_workspace::files::{
    Author, ChangeCause, FileChange, FileChangeKind, READ_LIMIT, WorkspaceFiles,
};
use copydesk_workspace::reviews::ReviewTracker;
use serde_json::json;
use tempfile::TempDir;

use super::encoding::{EditorEncoding, offset};

/// Runs in an editor before it responds.
type EditorHook = Box<dyn Fn() + Send + Sync>;

/// An editor with one document.
struct InProcessEditor {
    buffers: Buffers,
    id: OnceLock<ClientId>,
    uri: String,
    text: Mutex<(i32, String)>,
    refuses: bool,
    meanwhile: Option<EditorHook>,
}

impl InProcessEditor {
    fn open(
        buffers: &Buffers,
        path: &Path,
        text: &str,
        refuses: bool,
        meanwhile: Option<EditorHook>,
    ) -> Arc<Self> {
        let window = Arc::new(Self {
            buffers: buffers.clone(),
            id: OnceLock::new(),
            uri: format!("file://{}", path.display()),
            text: Mutex::new((1, text.to_owned())),
            refuses,
            meanwhile,
        });
        let editor: Arc<dyn EditorHandle> = Arc::clone(&window) as _;
        let client = BufferClient {
            name: "window".into(),
            encoding: PositionEncoding::Utf8,
            editor,
            refuses_silently: false,
        };
        let id = *window.id.get_or_init(|| buffers.attach(client));
        buffers.open(id, &window.uri, Some(path), 1, text, LineBreaks::Any);
        window
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().1.clone()
    }

    /// Changes its own text, and reports it.
    fn put(&self, change: impl FnOnce(&mut String)) {
        let mut text = self.text.lock().unwrap();
        change(&mut text.1);
        text.0 += 1;
        let whole = BufferContentChange { range: None, text: text.1.clone() };
        self.buffers.change(*self.id.get().unwrap(), &self.uri, text.0, &[whole]).unwrap();
    }
}

impl EditorHandle for InProcessEditor {
    fn apply_edits(&self, _: &str, edits: Vec<BufferEdit>, _: tokio::time::Instant) -> EditorFuture<'_> {
        self.meanwhile.iter().for_each(|meanwhile| meanwhile());
        let [edit] = edits.as_slice() else { panic!("{edits:?}") };
        let fits = edit.version == self.text.lock().unwrap().0;
        let answer = if self.refuses || !fits { Err(EditorError::Declined("no".to_owned())) } else { Ok(()) };
        if answer.is_ok() {
            self.put(|text| {
                for (start, end, new) in edit.edits.iter().rev() {
                    let at = |position: &copydesk_text::Position| {
                        let position = json!({ "line": position.line, "character": position.character });
                        offset(text, &position, EditorEncoding::Utf8)
                    };
                    let range = at(start)..at(end);
                    text.replace_range(range, new);
                }
            });
        }
        Box::pin(std::future::ready(answer))
    }

    fn save(&self, _: &str) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn notify_disk_change(&self, _: &Path, _: DiskChange) {}
}

struct InProcessWorkspace {
    dir: TempDir,
    buffers: Buffers,
    files: WorkspaceFiles,
}

impl InProcessWorkspace {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let buffers = Buffers::default();
        let files = WorkspaceFiles::with_buffers(
            dir.path(),
            dir.path(),
            buffers.clone(),
            None,
            ReviewTracker::default(),
            SaveMode::Never,
        );
        let env = Self { dir, buffers, files };
        ["a", "b", "c"].iter().for_each(|name| env.write(name, "on disk: old\n"));
        env
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap()
    }

    fn window(&self, name: &str, refuses: bool, meanwhile: Option<EditorHook>) -> Arc<InProcessEditor> {
        let path = self.dir.path().join(name);
        InProcessEditor::open(&self.buffers, &path, "first\nold\nlast\n", refuses, meanwhile)
    }

    /// A change of `old` to `new` in the current text of the file.
    async fn replace_old(&self, name: &str) -> FileChange {
        let place = self.files.resolve(name);
        let content = self.files.peek(&place, READ_LIMIT).await.unwrap();
        let file = FileText::decode(content.bytes).unwrap();
        let at = file.text().find("old").unwrap();
        let edit = Edit { range: at..at + 3, text: "new".to_owned() };
        let change = Change::from_unchecked_edits(file.text(), vec![edit]).unwrap();
        FileChange { path: place, kind: FileChangeKind::Edit { file, stamp: content.stamp, change } }
    }

    async fn change(&self, changes: &[FileChange]) -> Result<usize, String> {
        let (session, call, label) = ("s".to_owned(), "c".to_owned(), "Edit".to_owned());
        let cause =
            ChangeCause { session, call, label, is_accepted: true, author: Author::Agent, group: None };
        self.files
            .apply_changes(changes, &cause)
            .await
            .map(|made| made.len())
            .map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn files_here_and_there_are_changed_together() {
    let env = InProcessWorkspace::new();
    let (one, other) = (env.window("a", false, None), env.window("b", false, None));
    let changes = [env.replace_old("c").await, env.replace_old("b").await, env.replace_old("a").await];
    assert_eq!(env.change(&changes).await, Ok(3));
    assert_eq!((one.text().as_str(), other.text().as_str()), ("first\nnew\nlast\n", "first\nnew\nlast\n"));
    assert_eq!(
        ["a", "b", "c"].map(|name| env.read(name)),
        ["on disk: old\n", "on disk: old\n", "on disk: new\n"]
    );
}

#[tokio::test]
async fn where_one_refuses_the_others_go_back_and_keep_what_was_typed() {
    let env = InProcessWorkspace::new();
    let one = env.window("a", false, None);
    // While the second editor is asked, the user types in the first.
    let typing = Arc::clone(&one);
    let typed = move || typing.put(|text| text.insert_str(0, "typed\n"));
    let other = env.window("b", true, Some(Box::new(typed)));
    let changes = [env.replace_old("c").await, env.replace_old("b").await, env.replace_old("a").await];
    let refused = env.change(&changes).await.unwrap_err();
    assert!(refused.contains("the editor did not change `b`: no"), "{refused}");
    assert_eq!(one.text(), "typed\nfirst\nold\nlast\n");
    assert_eq!(other.text(), "first\nold\nlast\n");
    assert_eq!(env.read("c"), "on disk: old\n");
}

#[tokio::test]
async fn a_file_that_is_another_by_now_stops_all_before_anything_is_asked() {
    let env = InProcessWorkspace::new();
    let one = env.window("a", false, Some(Box::new(|| panic!("it is not asked"))));
    let changes = [env.replace_old("a").await, env.replace_old("c").await];
    env.write("c", "somebody else's: old\n");
    let refused = env.change(&changes).await.unwrap_err();
    assert!(refused.contains("`c` has changed since it was read"), "{refused}");
    assert_eq!(one.text(), "first\nold\nlast\n");
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_named() {
    let env = InProcessWorkspace::new();
    let one = env.window("a", false, None);
    let typing = Arc::clone(&one);
    // On the very line that was changed.
    let typed = move || typing.put(|text| *text = text.replace("new", "new, and mine"));
    env.window("b", true, Some(Box::new(typed)));
    let changes = [env.replace_old("a").await, env.replace_old("b").await];
    let refused = env.change(&changes).await.unwrap_err();
    assert!(refused.contains("could not be taken back in: ") && refused.contains("/a"), "{refused}");
    assert_eq!(one.text(), "first\nnew, and mine\nlast\n");
}
