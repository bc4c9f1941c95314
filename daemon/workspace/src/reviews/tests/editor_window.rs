//! An editor window on one file, over buffers with an observer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use copydesk_text::{Change, Document, Edit, LineBreaks, Position, PositionEncoding};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::super::ReviewTracker;
use crate::buffers::{
    BufferClient, BufferContentChange, BufferEdit, Buffers, ClientId, DiskChange, EditorError, EditorFuture,
    EditorHandle,
};
use crate::files::WorkspaceFiles;
use copydesk_config::SaveMode;

/// Offsets in the current text, and the letters typed there.
pub(super) type Keys = Vec<(usize, String)>;

pub(super) struct Window {
    buffers: Buffers,
    id: Mutex<Option<ClientId>>,
    path: PathBuf,
    uri: String,
    /// Its version and text; the daemon learns them only from its messages.
    text: Mutex<(i32, String)>,
    /// It applies hunks one by one, reports each, and says yes to edits that it does not make.
    is_neovim: bool,
    /// An edit waits here before it is made.
    pub(super) gate: Semaphore,
    /// What the user types when an edit arrives, before and after it is made. The last first.
    pub(super) typed: Mutex<Vec<[Keys; 2]>>,
    /// The deadline of each attempt to edit.
    pub(super) deadlines: Mutex<Vec<Instant>>,
}

/// Files under buffers that reviews follow.
pub(super) fn temporary_workspace() -> (TempDir, WorkspaceFiles) {
    let folder = tempfile::tempdir().unwrap();
    let reviews = ReviewTracker::default();
    let buffers = Buffers::with_observer(Arc::new(reviews.clone()));
    let files =
        WorkspaceFiles::with_buffers(folder.path(), folder.path(), buffers, None, reviews, SaveMode::Never);
    (folder, files)
}

impl Window {
    /// Opens the file as it is on disk.
    pub(super) fn open(files: &WorkspaceFiles, name: &str, is_neovim: bool) -> Arc<Self> {
        let path = files.resolve(name).real_path().to_owned();
        let buffers = files.buffers().clone();
        let window = Arc::new(Self {
            buffers: buffers.clone(),
            id: Mutex::default(),
            uri: format!("file://{}", path.display()),
            path,
            text: Mutex::new((0, String::new())),
            is_neovim,
            gate: Semaphore::new(1000),
            typed: Mutex::default(),
            deadlines: Mutex::default(),
        });
        let editor: Arc<dyn EditorHandle> = Arc::clone(&window) as _;
        let client = BufferClient {
            name: "window".into(),
            encoding: PositionEncoding::Utf16,
            editor,
            refuses_silently: is_neovim,
        };
        *window.id.lock().unwrap() = Some(buffers.attach(client));
        window.reopen();
        window
    }

    pub(super) fn id(&self) -> ClientId {
        self.id.lock().unwrap().unwrap()
    }

    pub(super) fn text(&self) -> String {
        self.text.lock().unwrap().1.clone()
    }

    pub(super) fn reopen(&self) {
        let mut text = self.text.lock().unwrap();
        *text = (text.0 + 1, std::fs::read_to_string(&self.path).unwrap_or_default());
        self.buffers.open(self.id(), &self.uri, Some(&self.path), text.0, &text.1, LineBreaks::Any);
    }

    pub(super) fn save(&self) {
        std::fs::write(&self.path, self.text()).unwrap();
    }

    pub(super) fn close(&self) {
        self.buffers.close(self.id(), &self.uri).unwrap();
    }

    pub(super) fn detach(&self) {
        self.buffers.detach(self.id());
    }

    /// Changes the text to this one, as a user would.
    pub(super) fn becomes(&self, new: &str) {
        let change = Change::between(&self.text(), new);
        self.edit(change.edits());
    }

    pub(super) fn types(&self, from: &str, to: &str) {
        let text = self.text();
        assert!(text.contains(from), "{text:?} has no {from:?}");
        self.becomes(&text.replacen(from, to, 1));
    }

    fn press(&self, keys: &Keys) {
        for (at, letters) in keys {
            let text = self.text();
            let at = place(&text, *at);
            self.edit(&[Edit { range: at..at, text: letters.clone() }]);
        }
    }

    /// Each edit is one change of the message, the last first.
    fn edit(&self, edits: &[Edit]) {
        if edits.is_empty() {
            return;
        }
        let mut text = self.text.lock().unwrap();
        let before = Document::new(&text.1, LineBreaks::Any);
        let at = |offset| before.position(offset, PositionEncoding::Utf16);
        let piece = |edit: &Edit| BufferContentChange {
            range: Some((at(edit.range.start), at(edit.range.end))),
            text: edit.text.clone(),
        };
        let pieces: Vec<_> = edits.iter().rev().map(piece).collect();
        let new = Change::from_unchecked_edits(&text.1, edits.to_vec()).unwrap().apply(&text.1).unwrap();
        *text = (text.0 + 1, new);
        let version = text.0;
        drop(text);
        // A closed window has no one to report to.
        let _ = self.buffers.change(self.id(), &self.uri, version, &pieces);
    }
}

/// An offset between two characters.
pub(super) fn place(text: &str, at: usize) -> usize {
    let at = at % (text.chars().count() + 1);
    text.char_indices().nth(at).map_or(text.len(), |(at, _)| at)
}

impl EditorHandle for Window {
    fn apply_edits(&self, _: &str, edits: Vec<BufferEdit>, until: Instant) -> EditorFuture<'_> {
        Box::pin(async move {
            self.deadlines.lock().unwrap().push(until);
            let _open = self.gate.acquire().await;
            let [before, after] = self.typed.lock().unwrap().pop().unwrap_or_default();
            self.press(&before);
            let (version, text) = self.text.lock().unwrap().clone();
            let edit = edits.first().unwrap();
            if edit.version == version {
                let document = Document::new(&text, LineBreaks::Any);
                let at = |position: Position| document.offset(position, PositionEncoding::Utf16);
                let one = |(start, end, new): &(Position, Position, String)| Edit {
                    range: at(*start)..at(*end),
                    text: new.clone(),
                };
                self.edit(&edit.edits.iter().map(one).collect::<Vec<_>>());
            }
            self.press(&after);
            let is_said = self.is_neovim || edit.version == version;
            is_said.then_some(()).ok_or_else(|| EditorError::Declined("another version".to_owned()))
        })
    }

    fn save(&self, _: &str) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn notify_disk_change(&self, _: &Path, _: DiskChange) {}
}
