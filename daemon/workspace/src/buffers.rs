//! What the attached editors have open: the texts that people see, saved or not.
//!
//! A document belongs to a client: two editors may hold different texts of one file. Clients tell of theirs in order
//! ([`Buffers::undecided`], [`change`](Buffers::change), [`close`](Buffers::close)): these neither wait nor fail silently, so that
//! whoever reads a client's messages can apply each before looking at the next. A text that a client has told wrongly is
//! *lost*: nobody reads it or edits it until it is opened anew, since a guess could cost what a person typed.
//!
//! Invariant: nothing here changes a text except a client's own word. An edit is proposed to the client
//! ([`EditPlan`]); that it was made is known from the text that comes back.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};

use crate::files::real_path;

mod edit_plan;
mod error;
mod expected_echo;
#[cfg(test)]
pub(crate) mod tests;

pub use edit_plan::{EditPlan, EditPlanError, EditPlanOutcome, PlannedEdit, RequestedEdit};
pub use error::{EditorError, SyncError};
use expected_echo::ExpectedEcho;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(u64);

/// Edits to one buffer at one version, as the client counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferEdit {
    pub uri: String,
    pub version: i32,
    pub edits: Vec<(Position, Position, String)>,
}

pub type EditorFuture<'a> = Pin<Box<dyn Future<Output = Result<(), EditorError>> + Send + 'a>>;

/// The way to a client.
pub trait EditorHandle: Send + Sync {
    /// Proposes edits, to be made in one step that one undo takes back. A yes is the client's word and no proof.
    fn apply_edits(&self, label: &str, edits: Vec<BufferEdit>) -> EditorFuture<'_>;

    fn save(&self, uri: &str) -> EditorFuture<'_>;

    /// A file that the client may have open was changed on the disk.
    fn notify_disk_change(&self, path: &Path, what: DiskChange);
}

/// Whoever follows the texts as they change. Called while they are locked: it neither waits nor calls back.
pub trait BufferObserver: Send + Sync {
    fn buffer_opened(&self, client: ClientId, name: &Path, now: &Document);

    /// Pieces, each made to what the one before it left; `now` is what came of all of them.
    fn buffer_edited(&self, client: ClientId, name: &Path, typed: &[ByteRangeChange<'_>], now: &Document);

    fn buffer_closed(&self, client: ClientId, name: &Path);
}

/// One piece of a change; without a range the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteRangeChange<'a> {
    /// In bytes.
    pub range: Option<Range<usize>>,
    pub text: &'a str,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskChange {
    Created,
    Written,
    Deleted,
}

/// A client as it introduced itself.
#[derive(Clone)]
pub struct EditorClient {
    pub name: String,
    pub encoding: PositionEncoding,
    pub editor: Arc<dyn EditorHandle>,
    /// It says yes to an edit for an old version, and does not make it. Neovim does so.
    pub refuses_silently: bool,
}

impl fmt::Debug for EditorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorClient").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A buffer at a moment.
#[derive(Debug, Clone)]
pub struct OpenBuffer {
    pub client: ClientId,
    pub uri: String,
    pub version: i32,
    /// Another one after every change and every opening, whatever the versions are.
    pub revision: u64,
    pub document: Document,
}

/// One piece of what a client says has changed; without a range the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferContentChange {
    pub range: Option<(Position, Position)>,
    pub text: String,
}

/// The buffers of all clients. A cheap clone.
#[derive(Clone, Default)]
pub struct Buffers {
    state: Arc<Mutex<BuffersState>>,
    observer: Option<Arc<dyn BufferObserver>>,
}

impl fmt::Debug for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffers").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct BuffersState {
    /// Counts everything that happens, to know what was touched last.
    clock: u64,
    clients: BTreeMap<ClientId, ClientBuffers>,
}

#[derive(Debug)]
struct ClientBuffers {
    client: EditorClient,
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
    /// Edits of ours that are on their way.
    expected: Vec<ExpectedEcho>,
}

impl Buffers {
    /// Buffers that somebody follows.
    pub fn with_observer(follower: Arc<dyn BufferObserver>) -> Self {
        Self { state: Arc::default(), observer: Some(follower) }
    }

    pub fn attach(&self, client: EditorClient) -> ClientId {
        let mut state = self.lock();
        state.clock += 1;
        let id = ClientId(state.clock);
        state.clients.insert(id, ClientBuffers { client, buffers: HashMap::new(), names: HashMap::new() });
        id
    }

    /// This moment: another one when anything was opened, changed or closed since.
    pub fn revision(&self) -> u64 {
        self.lock().clock
    }

    /// The client is gone, and its buffers with it.
    pub fn detach(&self, client: ClientId) {
        let mut state = self.lock();
        state.clock += 1;
        let gone = state.clients.remove(&client);
        let names = gone.iter().flat_map(|attached| attached.names.keys());
        if let Some(follower) = &self.observer {
            names.for_each(|name| follower.buffer_closed(client, name));
        }
    }

    /// `path` is where the document's file is or would be; one that has none is known by its URI.
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
        let mut state = self.lock();
        state.clock += 1;
        let touched = state.clock;
        let Some(attached) = state.clients.get_mut(&client) else { return };
        attached.names.insert(name.clone(), uri.to_owned());
        if let Some(follower) = &self.observer {
            follower.buffer_opened(client, &name, &document);
        }
        let buffer =
            Buffer { name, version, document, sync_error: None, revision: touched, expected: Vec::new() };
        attached.buffers.insert(uri.to_owned(), buffer);
    }

    /// What the client says has changed, in its order. After an error the text is lost until it is opened anew.
    pub fn change(
        &self,
        client: ClientId,
        uri: &str,
        version: i32,
        changes: &[BufferContentChange],
    ) -> Result<(), SyncError> {
        let mut state = self.lock();
        state.clock += 1;
        let touched = state.clock;
        let attached = state.clients.get_mut(&client).ok_or(SyncError::NotOpen)?;
        let encoding = attached.client.encoding;
        let buffer = attached.buffers.get_mut(uri).ok_or(SyncError::NotOpen)?;
        buffer.revision = touched;
        let mut typed = Vec::new();
        let result = buffer.change(version, changes, encoding, &mut typed);
        if let Err(error) = &result {
            buffer.mark_out_of_sync(*error);
        } else if let Some(follower) = &self.observer {
            follower.buffer_edited(client, &buffer.name, &typed, &buffer.document);
        }
        result
    }

    /// The client said something of a document that cannot be understood.
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
        // The file may be open under another name too, through a link.
        let mut others = attached.buffers.iter().filter(|(_, buffer)| buffer.name == closed.name);
        match others.next().map(|(uri, _)| uri.clone()) {
            Some(other) => attached.names.insert(closed.name, other),
            None => {
                if let Some(follower) = &self.observer {
                    follower.buffer_closed(client, &closed.name);
                }
                attached.names.remove(&closed.name)
            }
        };
        Ok(())
    }

    /// The text that counts for a session whose home is `home`: that client's, else the one touched last.
    pub fn find(&self, name: &Path, home: Option<ClientId>) -> Option<Result<OpenBuffer, SyncError>> {
        let state = self.lock();
        let holds = |id: &ClientId, attached: &ClientBuffers| {
            let (uri, buffer) = attached.find(name)?;
            Some((Some(*id) == home, buffer.revision, buffer.snapshot(*id, uri)))
        };
        let found = state.clients.iter().filter_map(|(id, attached)| holds(id, attached));
        found.max_by_key(|(is_home, touched, _)| (*is_home, *touched)).map(|(.., open)| open)
    }

    /// Shows the text of a client's buffer while nothing can be told of it; false where there is none.
    pub(crate) fn with_document(&self, client: ClientId, name: &Path, look: impl FnOnce(&Document)) -> bool {
        let state = self.lock();
        let found = state.clients.get(&client).and_then(|attached| attached.find(name));
        let buffer = found.map(|(_, buffer)| buffer).filter(|buffer| buffer.sync_error.is_none());
        buffer.map(|buffer| look(&buffer.document)).is_some()
    }

    /// Every text that counts for such a session, by name. Those that are lost are left out.
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

    /// How many there are, of all clients.
    pub fn buffer_count(&self) -> usize {
        self.lock().clients.values().map(|attached| attached.buffers.len()).sum()
    }

    /// How a client counts characters.
    pub fn encoding(&self, client: ClientId) -> Option<PositionEncoding> {
        self.lock().clients.get(&client).map(|attached| attached.client.encoding)
    }

    /// The way to a client, while it is there.
    pub fn editor(&self, client: ClientId) -> Option<Arc<dyn EditorHandle>> {
        self.lock().clients.get(&client).map(|attached| Arc::clone(&attached.client.editor))
    }

    /// Tells every client but one that a file is another on the disk.
    pub fn notify_disk_change(&self, path: &Path, what: DiskChange, except: Option<ClientId>) {
        let state = self.lock();
        let others = state.clients.iter().filter(|(id, _)| Some(**id) != except);
        let editors: Vec<_> = others.map(|(_, attached)| Arc::clone(&attached.client.editor)).collect();
        drop(state);
        editors.iter().for_each(|editor| editor.notify_disk_change(path, what));
    }

    /// A panic while the lock was held leaves nothing half done: texts are replaced as a whole.
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
        changes: &'a [BufferContentChange],
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
        for change in changes {
            let range = self.document.apply_content_change(change.range, &change.text, encoding);
            let range = range.map_err(SyncError::Backwards)?;
            let is_whole = change.range.is_none();
            typed.push(ByteRangeChange { range: (!is_whole).then_some(range), text: &change.text });
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
                Ok(OpenBuffer { client, uri: uri.to_owned(), version, revision: touched, document })
            }
        }
    }
}

/// Two names of one file are one file.
fn buffer_name(uri: &str, path: Option<&Path>) -> PathBuf {
    match path {
        Some(path) => real_path(path).unwrap_or_else(|_| path.to_owned()),
        None => PathBuf::from(uri),
    }
}
