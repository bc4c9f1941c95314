//! An editor's window on one file, over followed buffers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use copydesk_text::{Change, Document, Edit, Encoding, Lines, Position};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use super::super::Reviews;
use crate::buffers::{Answer, BufferEdit, Buffers, Client, ClientId, ContentChange, Editor, OnDisk, Refusal};
use crate::files::Files;
use copydesk_config::Save;

/// Places in the text as it is then, and the letters that are typed there.
pub(super) type Keys = Vec<(usize, String)>;

pub(super) struct Window {
    buffers: Buffers,
    id: Mutex<Option<ClientId>>,
    path: PathBuf,
    uri: String,
    /// Its version and text; the desk learns of them only by its word.
    text: Mutex<(i32, String)>,
    /// It makes hunks one by one, tells of each, and says yes to what it does not make.
    is_neovim: bool,
    /// An edit waits here before it is made.
    pub(super) gate: Semaphore,
    /// What the person types when an edit arrives, before and after it is made. The last first.
    pub(super) typed: Mutex<Vec<[Keys; 2]>>,
}

/// Files under buffers that reviews follow.
pub(super) fn desk() -> (TempDir, Files) {
    let folder = tempfile::tempdir().unwrap();
    let reviews = Reviews::default();
    let buffers = Buffers::followed_by(Arc::new(reviews.clone()));
    let files = Files::over(folder.path(), folder.path(), buffers, None, reviews, Save::Never);
    (folder, files)
}

impl Window {
    /// Has the file open as it is on the disk.
    pub(super) fn open(files: &Files, name: &str, is_neovim: bool) -> Arc<Self> {
        let path = files.resolve(name).real().to_owned();
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
        });
        let editor: Arc<dyn Editor> = Arc::clone(&window) as _;
        let client =
            Client { name: "window".into(), encoding: Encoding::Utf16, editor, refuses_silently: is_neovim };
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
        self.buffers.open(self.id(), &self.uri, Some(&self.path), text.0, &text.1, Lines::Any);
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

    /// Makes the text this one, as a person would.
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

    /// Each piece as one of the message, the last first.
    fn edit(&self, edits: &[Edit]) {
        if edits.is_empty() {
            return;
        }
        let mut text = self.text.lock().unwrap();
        let before = Document::new(&text.1, Lines::Any);
        let at = |offset| before.position(offset, Encoding::Utf16);
        let piece = |edit: &Edit| ContentChange {
            range: Some((at(edit.range.start), at(edit.range.end))),
            text: edit.text.clone(),
        };
        let pieces: Vec<_> = edits.iter().rev().map(piece).collect();
        let new = Change::checked(&text.1, edits.to_vec()).unwrap().apply(&text.1).unwrap();
        *text = (text.0 + 1, new);
        let version = text.0;
        drop(text);
        // One that is closed has nobody to tell.
        let _ = self.buffers.change(self.id(), &self.uri, version, &pieces);
    }
}

/// A place between letters.
pub(super) fn place(text: &str, at: usize) -> usize {
    let at = at % (text.chars().count() + 1);
    text.char_indices().nth(at).map_or(text.len(), |(at, _)| at)
}

impl Editor for Window {
    fn apply(&self, _: &str, edits: Vec<BufferEdit>) -> Answer<'_> {
        Box::pin(async move {
            let _open = self.gate.acquire().await;
            let [before, after] = self.typed.lock().unwrap().pop().unwrap_or_default();
            self.press(&before);
            let (version, text) = self.text.lock().unwrap().clone();
            let edit = edits.first().unwrap();
            if edit.version == version {
                let document = Document::new(&text, Lines::Any);
                let at = |position: Position| document.offset(position, Encoding::Utf16);
                let one = |(start, end, new): &(Position, Position, String)| Edit {
                    range: at(*start)..at(*end),
                    text: new.clone(),
                };
                self.edit(&edit.edits.iter().map(one).collect::<Vec<_>>());
            }
            self.press(&after);
            let is_said = self.is_neovim || edit.version == version;
            is_said.then_some(()).ok_or_else(|| Refusal::Said("another version".to_owned()))
        })
    }

    fn save(&self, _: &str) -> Answer<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn changed_on_disk(&self, _: &Path, _: OnDisk) {}
}
