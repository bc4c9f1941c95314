//! The buffers of the attached editors: the texts that users see, saved or not.
//!
//! A document belongs to a client: two editors may have different texts of one file. Clients report theirs in
//! order ([`Buffers::open`], [`change`](Buffers::change), [`close`](Buffers::close)). These calls neither
//! wait nor fail silently, so the reader of a client's messages can apply each one before it reads the next.
//! If a client reports an impossible change, the buffer is *out of sync*: the daemon neither reads nor edits
//! it until the client opens it again, because a guess could cost what the user typed.
//!
//! Invariant: only a client's own message changes a text. The daemon proposes an edit to the client
//! ([`EditPlan`]); the text that comes back shows whether the client made it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::real_path::real_path;

mod edit_plan;
mod error;
mod expected_echo;
mod openings;
mod saved_files;
#[cfg(test)]
pub(crate) mod tests;
mod text_digest;

pub use edit_plan::{EditPlan, EditPlanError, EditPlanOutcome, PlannedEdit, RequestedEdit};
pub use error::{EditorError, SyncError};
use expected_echo::ExpectedEcho;
pub use saved_files::{MAX_SMALL_FILE_BYTES, is_deleted, read_small_file};
pub use text_digest::TextDigest;

use saved_files::SavedFileCache;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(u64);

/// Edits to one buffer at one version of the client's.
#[derive(Debug, Clone)]
pub struct BufferEdit {
    pub uri: String,
    pub version: i32,
    /// The text that the edits are for.
    pub before: Document,
    pub edits: Vec<(Position, Position, String)>,
}

pub type EditorFuture<'a> = Pin<Box<dyn Future<Output = Result<(), EditorError>> + Send + 'a>>;

/// Sends requests to a client.
pub trait EditorHandle: Send + Sync {
    /// Proposes edits, to be made as one undo step and not after `until`. The client's yes is no proof.
    fn apply_edits(&self, label: &str, edits: Vec<BufferEdit>, until: Instant) -> EditorFuture<'_>;

    fn save(&self, uri: &str) -> EditorFuture<'_>;

    /// Proposes that the client moves the file of a buffer to a path where there is none, and the buffer with it.
    fn move_file(&self, _label: &str, _uri: &str, _to: &Path) -> EditorFuture<'_> {
        let why = "it is open in an editor that cannot move it; close it there first";
        Box::pin(std::future::ready(Err(EditorError::Declined(why.to_owned()))))
    }

    /// Asks the client to close the buffer of a file that will be deleted. The client declines if the text is another.
    fn close_deleted(&self, _label: &str, _uri: &str, _text: &Document) -> EditorFuture<'_> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Reports that a file which the client may have open changed on disk.
    fn notify_disk_change(&self, path: &Path, what: DiskChange);
}

/// Follows the texts as they change. Called under the lock: it must neither wait nor call back.
pub trait BufferObserver: Send + Sync {
    fn buffer_opened(&self, client: ClientId, name: &Path, now: &Document);

    /// Each change applies to the result of the one before it; `now` is the text after all of them.
    fn buffer_edited(&self, client: ClientId, name: &Path, typed: &[ByteRangeChange<'_>], now: &Document);

    fn buffer_closed(&self, client: ClientId, name: &Path);

    /// The user has renamed a file or a folder.
    fn path_renamed(&self, from: &Path, to: &Path);
}

/// One piece of a change; without a range, the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteRangeChange<'a> {
    /// In bytes.
    pub range: Option<Range<usize>>,
    pub text: &'a str,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskChange {
    Created,
    Written,
    Deleted,
}

/// A client as it introduced itself.
#[derive(Clone)]
pub struct BufferClient {
    pub name: String,
    pub encoding: PositionEncoding,
    pub editor: Arc<dyn EditorHandle>,
    /// It accepts an edit for an old version and does not make it. Neovim does so.
    pub refuses_silently: bool,
}

impl fmt::Debug for BufferClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferClient").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A snapshot of a buffer.
#[derive(Debug, Clone)]
pub struct OpenBuffer {
    pub client: ClientId,
    pub uri: String,
    pub version: i32,
    /// Changes with every change and every opening, whatever the versions are.
    pub revision: u64,
    /// When the text last changed, or was opened.
    pub changed_at: SystemTime,
    /// Its file was on the disk when it was opened.
    pub was_on_disk: bool,
    pub document: Document,
}

/// One piece of a change that a client reports; without a range, the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferContentChange {
    pub range: Option<(Position, Position)>,
    pub text: String,
}

/// What a piece of a change replaces.
enum ChangedText {
    /// All of it, by this text.
    Whole(Document),
    Range(Position, Position),
}

/// The buffers of all clients. Cheap to clone.
#[derive(Clone, Default)]
pub struct Buffers {
    state: Arc<Mutex<BuffersState>>,
    observer: Option<Arc<dyn BufferObserver>>,
    saved_files: Arc<SavedFileCache>,
}

impl fmt::Debug for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffers").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct BuffersState {
    /// Counts all events, to know which buffer changed last.
    clock: u64,
    clients: BTreeMap<ClientId, ClientBuffers>,
    /// Counts the openings of buffers and the departures of clients.
    openings: watch::Sender<u64>,
}

#[derive(Debug)]
struct ClientBuffers {
    client: BufferClient,
    /// By URI, and by name: the real path of a file, the URI of anything else.
    buffers: HashMap<String, Buffer>,
    names: HashMap<PathBuf, String>,
}

#[derive(Debug)]
struct Buffer {
    name: PathBuf,
    version: i32,
    document: Document,
    sync_error: Option<SyncError>,
    revision: u64,
    changed_at: SystemTime,
    was_on_disk: bool,
    /// Our edits that have no echo yet.
    expected: Vec<ExpectedEcho>,
}

impl Buffers {
    /// Buffers with an observer.
    pub fn with_observer(observer: Arc<dyn BufferObserver>) -> Self {
        Self { observer: Some(observer), ..Self::default() }
    }

    pub fn attach(&self, client: BufferClient) -> ClientId {
        let mut state = self.lock();
        state.clock += 1;
        let id = ClientId(state.clock);
        state.clients.insert(id, ClientBuffers { client, buffers: HashMap::new(), names: HashMap::new() });
        id
    }

    /// A number that changes whenever a buffer is opened, changed or closed.
    pub fn revision(&self) -> u64 {
        self.lock().clock
    }

    /// Removes the client and its buffers.
    pub fn detach(&self, client: ClientId) {
        let mut state = self.lock();
        state.clock += 1;
        let gone = state.clients.remove(&client);
        state.openings.send_modify(|count| *count += 1);
        let names = gone.iter().flat_map(|attached| attached.names.keys());
        if let Some(observer) = &self.observer {
            names.for_each(|name| observer.buffer_closed(client, name));
        }
    }

    /// `path` is where the document's file is or would be. A document without one is known by its URI.
    pub fn open(
        &self,
        client: ClientId,
        uri: &str,
        path: Option<&Path>,
        version: i32,
        text: &str,
        lines: LineBreaks,
    ) {
        let name = buffer_name(uri, path);
        let document = Document::new(text, lines);
        let was_on_disk = path.is_some_and(Path::exists);
        let mut state = self.lock();
        state.clock += 1;
        let touched = state.clock;
        let Some(attached) = state.clients.get_mut(&client) else { return };
        attached.names.insert(name.clone(), uri.to_owned());
        if let Some(observer) = &self.observer {
            observer.buffer_opened(client, &name, &document);
        }
        let buffer = Buffer {
            name,
            version,
            document,
            sync_error: None,
            revision: touched,
            changed_at: SystemTime::now(),
            was_on_disk,
            expected: Vec::new(),
        };
        attached.buffers.insert(uri.to_owned(), buffer);
        state.openings.send_modify(|count| *count += 1);
    }

    /// Applies the changes that the client reports, in its order. After an error the buffer is out of sync
    /// until the client opens it again.
    pub fn change(
        &self,
        client: ClientId,
        uri: &str,
        version: i32,
        changes: &[BufferContentChange],
    ) -> Result<(), SyncError> {
        // Built before the lock is taken: other clients do not wait for a long text.
        let texts = changes.iter().map(|change| match change.range {
            None => ChangedText::Whole(Document::new(&change.text, LineBreaks::Any)),
            Some((start, end)) => ChangedText::Range(start, end),
        });
        let texts: Vec<_> = texts.collect();
        let mut state = self.lock();
        state.clock += 1;
        let touched = state.clock;
        let attached = state.clients.get_mut(&client).ok_or(SyncError::NotOpen)?;
        let encoding = attached.client.encoding;
        let buffer = attached.buffers.get_mut(uri).ok_or(SyncError::NotOpen)?;
        (buffer.revision, buffer.changed_at) = (touched, SystemTime::now());
        let mut typed = Vec::new();
        let result = buffer.change(version, changes.iter().zip(texts), encoding, &mut typed);
        if let Err(error) = &result {
            buffer.mark_out_of_sync(*error);
        } else if let Some(observer) = &self.observer {
            observer.buffer_edited(client, &buffer.name, &typed, &buffer.document);
        }
        result
    }

    /// Marks a buffer out of sync: the client sent a message about it that could not be parsed.
    pub fn mark_out_of_sync(&self, client: ClientId, uri: &str) {
        let mut state = self.lock();
        let buffer = state.clients.get_mut(&client).and_then(|attached| attached.buffers.get_mut(uri));
        if let Some(buffer) = buffer {
            buffer.mark_out_of_sync(SyncError::Unreadable);
        }
    }

    pub fn close(&self, client: ClientId, uri: &str) -> Result<(), SyncError> {
        let mut state = self.lock();
        state.clock += 1;
        let attached = state.clients.get_mut(&client).ok_or(SyncError::NotOpen)?;
        let closed = attached.buffers.remove(uri).ok_or(SyncError::NotOpen)?;
        // A symlink may have the file open under another name too.
        let mut others = attached.buffers.iter().filter(|(_, buffer)| buffer.name == closed.name);
        match others.next().map(|(uri, _)| uri.clone()) {
            Some(other) => attached.names.insert(closed.name, other),
            None => {
                if let Some(observer) = &self.observer {
                    observer.buffer_closed(client, &closed.name);
                }
                attached.names.remove(&closed.name)
            }
        };
        Ok(())
    }

    /// The user has renamed a file or a folder in this client, which has opened its documents under their new names
    /// before.
    pub fn rename(&self, client: ClientId, from: &Path, to: &Path) {
        let [from, to] = [from, to].map(|path| buffer_name("", Some(path)));
        let state = self.lock();
        let Some(observer) = &self.observer else { return };
        observer.path_renamed(&from, &to);
        let buffers = state.clients.get(&client).into_iter().flat_map(|attached| attached.buffers.values());
        for buffer in buffers.filter(|buffer| buffer.name.starts_with(&to)) {
            observer.buffer_opened(client, &buffer.name, &buffer.document);
        }
    }

    /// The buffer that counts for a session with the home client `home`: that client's, else the one changed
    /// last.
    pub fn find(&self, name: &Path, home: Option<ClientId>) -> Option<Result<OpenBuffer, SyncError>> {
        let state = self.lock();
        let holds = |id: &ClientId, attached: &ClientBuffers| {
            let (uri, buffer) = attached.find(name)?;
            Some((Some(*id) == home, buffer.revision, buffer.snapshot(*id, uri)))
        };
        let found = state.clients.iter().filter_map(|(id, attached)| holds(id, attached));
        found.max_by_key(|(is_home, touched, _)| (*is_home, *touched)).map(|(.., open)| open)
    }

    /// Shows the text of a client's buffer under the lock. Returns false if there is no such buffer.
    pub(crate) fn with_document(&self, client: ClientId, name: &Path, look: impl FnOnce(&Document)) -> bool {
        let state = self.lock();
        let found = state.clients.get(&client).and_then(|attached| attached.find(name));
        let buffer = found.map(|(_, buffer)| buffer).filter(|buffer| buffer.sync_error.is_none());
        buffer.map(|buffer| look(&buffer.document)).is_some()
    }

    /// Whether a client's document has this text. The client has sent all changes up to this version before; if the
    /// daemon has a later one by now, it is taken to be right.
    pub fn has_text(&self, client: ClientId, uri: &str, version: i32, text: &TextDigest) -> bool {
        let document = {
            let state = self.lock();
            let buffer = state.clients.get(&client).and_then(|attached| attached.buffers.get(uri));
            match buffer.filter(|buffer| buffer.version >= version && buffer.sync_error.is_none()) {
                None => return false,
                Some(later) if later.version > version => return true,
                Some(buffer) => buffer.document.clone(),
            }
        };
        TextDigest::new(&document).matches(text)
    }

    /// Every text that counts for such a session, by name, without buffers that are out of sync.
    pub fn documents(&self, home: Option<ClientId>) -> HashMap<PathBuf, Document> {
        let state = self.lock();
        let mut found: HashMap<PathBuf, ((bool, u64), Document)> = HashMap::new();
        for (id, attached) in &state.clients {
            for buffer in attached.buffers.values().filter(|buffer| buffer.sync_error.is_none()) {
                let rank = (Some(*id) == home, buffer.revision);
                if found.get(&buffer.name).is_none_or(|(known, _)| *known < rank) {
                    found.insert(buffer.name.clone(), (rank, buffer.document.clone()));
                }
            }
        }
        found.into_iter().map(|(name, (_, document))| (name, document)).collect()
    }

    /// The number of buffers of all clients.
    pub fn buffer_count(&self) -> usize {
        self.lock().clients.values().map(|attached| attached.buffers.len()).sum()
    }

    /// How a client counts characters.
    pub fn encoding(&self, client: ClientId) -> Option<PositionEncoding> {
        self.lock().clients.get(&client).map(|attached| attached.client.encoding)
    }

    /// The name of a client.
    pub fn client_name(&self, client: ClientId) -> Option<String> {
        self.lock().clients.get(&client).map(|attached| attached.client.name.clone())
    }

    /// The handle of a client while it is attached.
    pub fn editor(&self, client: ClientId) -> Option<Arc<dyn EditorHandle>> {
        self.lock().clients.get(&client).map(|attached| Arc::clone(&attached.client.editor))
    }

    /// Tells every client except one that a file changed on disk.
    pub fn notify_disk_change(&self, path: &Path, what: DiskChange, except: Option<ClientId>) {
        let state = self.lock();
        let others = state.clients.iter().filter(|(id, _)| Some(**id) != except);
        let editors: Vec<_> = others.map(|(_, attached)| Arc::clone(&attached.client.editor)).collect();
        drop(state);
        editors.iter().for_each(|editor| editor.notify_disk_change(path, what));
    }

    /// A panic under the lock leaves nothing half done: texts are replaced as a whole.
    fn lock(&self) -> MutexGuard<'_, BuffersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientBuffers {
    fn find(&self, name: &Path) -> Option<(&String, &Buffer)> {
        self.buffers.get_key_value(self.names.get(name)?)
    }
}

impl Buffer {
    fn change<'a>(
        &mut self,
        version: i32,
        changes: impl Iterator<Item = (&'a BufferContentChange, ChangedText)>,
        encoding: PositionEncoding,
        typed: &mut Vec<ByteRangeChange<'a>>,
    ) -> Result<(), SyncError> {
        if let Some(lost) = &self.sync_error {
            return Err(*lost);
        }
        if version <= self.version {
            return Err(SyncError::Stale { known: self.version, told: version });
        }
        self.expected.retain(ExpectedEcho::is_awaited);
        for (BufferContentChange { text, .. }, changed) in changes {
            let range = match changed {
                ChangedText::Whole(document) => {
                    self.document = document.with_line_breaks(self.document.line_breaks());
                    None
                }
                ChangedText::Range(start, end) => {
                    let range = self.document.apply_content_change(Some((start, end)), text, encoding);
                    Some(range.map_err(SyncError::Backwards)?)
                }
            };
            let is_whole = range.is_none();
            typed.push(ByteRangeChange { range, text });
            self.expected.iter_mut().for_each(|expected| expected.observe_change(&self.document, is_whole));
        }
        self.version = version;
        self.expected.iter().for_each(|expected| expected.observe_text(&self.document));
        Ok(())
    }

    fn mark_out_of_sync(&mut self, why: SyncError) {
        self.sync_error = Some(why);
        self.expected.clear();
    }

    fn snapshot(&self, client: ClientId, uri: &str) -> Result<OpenBuffer, SyncError> {
        match &self.sync_error {
            Some(lost) => Err(*lost),
            None => {
                let (version, touched, document) = (self.version, self.revision, self.document.clone());
                let (uri, changed_at) = (uri.to_owned(), self.changed_at);
                let was_on_disk = self.was_on_disk;
                Ok(OpenBuffer { client, uri, version, revision: touched, changed_at, was_on_disk, document })
            }
        }
    }
}

/// Two names of one file give one name.
fn buffer_name(uri: &str, path: Option<&Path>) -> PathBuf {
    match path {
        Some(path) => real_path(path).unwrap_or_else(|_| path.to_owned()),
        None => PathBuf::from(uri),
    }
}
