//! What the attached editors have open: the texts that people see, saved or not.
//!
//! A document belongs to a client: two editors may hold different texts of one file. Clients tell of theirs in order
//! ([`Buffers::open`], [`change`](Buffers::change), [`close`](Buffers::close)): these neither wait nor fail silently, so that
//! whoever reads a client's messages can apply each before looking at the next. A text that a client has told wrongly is
//! *lost*: nobody reads it or edits it until it is opened anew, since a guess could cost what a person typed.
//!
//! Invariant: nothing here changes a text except a client's own word. An edit is proposed to the client
//! ([`Plan`]); that it was made is known from the text that comes back.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_text::{Document, Encoding, Lines, Position};

use crate::files::real_path;

mod error;
mod expected;
mod plan;
#[cfg(test)]
pub(crate) mod tests;

pub use error::{Refusal, SyncError};
use expected::Expected;
pub use plan::{Attempt, Plan, PlanError, Planned, Wanted};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(u64);

/// Edits to one buffer at one version, as the client counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferEdit {
    pub uri: String,
    pub version: i32,
    pub edits: Vec<(Position, Position, String)>,
}

pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send + 'a>>;

/// The way to a client.
pub trait Editor: Send + Sync {
    /// Proposes edits, to be made in one step that one undo takes back. A yes is the client's word and no proof.
    fn apply(&self, label: &str, edits: Vec<BufferEdit>) -> Answer<'_>;

    fn save(&self, uri: &str) -> Answer<'_>;

    /// A file that the client may have open was changed on the disk.
    fn changed_on_disk(&self, path: &Path, what: OnDisk);
}

/// Whoever follows the texts as they change. Called while they are locked: it neither waits nor calls back.
pub trait Follower: Send + Sync {
    fn opened(&self, client: ClientId, name: &Path, now: &Document);

    /// Pieces, each made to what the one before it left; `now` is what came of all of them.
    fn typed(&self, client: ClientId, name: &Path, typed: &[Typed<'_>], now: &Document);

    fn closed(&self, client: ClientId, name: &Path);
}

/// One piece of a change; without a range the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed<'a> {
    /// In bytes.
    pub range: Option<Range<usize>>,
    pub text: &'a str,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisk {
    Created,
    Written,
    Deleted,
}

/// A client as it introduced itself.
#[derive(Clone)]
pub struct Client {
    pub name: String,
    pub encoding: Encoding,
    pub editor: Arc<dyn Editor>,
    /// It says yes to an edit for an old version, and does not make it. Neovim does so.
    pub refuses_silently: bool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A buffer at a moment.
#[derive(Debug, Clone)]
pub struct Open {
    pub client: ClientId,
    pub uri: String,
    pub version: i32,
    /// Another one after every change and every opening, whatever the versions are.
    pub touched: u64,
    pub document: Document,
}

/// One piece of what a client says has changed; without a range the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentChange {
    pub range: Option<(Position, Position)>,
    pub text: String,
}

/// The buffers of all clients. A cheap clone.
#[derive(Clone, Default)]
pub struct Buffers {
    state: Arc<Mutex<State>>,
    follower: Option<Arc<dyn Follower>>,
}

impl fmt::Debug for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffers").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    /// Counts everything that happens, to know what was touched last.
    clock: u64,
    clients: BTreeMap<ClientId, Attached>,
}

#[derive(Debug)]
struct Attached {
    client: Client,
    /// By URI, and by name: the real path of a file, the URI of anything else.
    buffers: HashMap<String, Buffer>,
    names: HashMap<PathBuf, String>,
}

#[derive(Debug)]
struct Buffer {
    name: PathBuf,
    version: i32,
    document: Document,
    lost: Option<SyncError>,
    touched: u64,
    /// Edits of ours that are on their way.
    expected: Vec<Expected>,
}

impl Buffers {
    /// Buffers that somebody follows.
    pub fn followed_by(follower: Arc<dyn Follower>) -> Self {
        Self { state: Arc::default(), follower: Some(follower) }
    }

    pub fn attach(&self, client: Client) -> ClientId {
        let mut state = self.lock();
        state.clock += 1;
        let id = ClientId(state.clock);
        state.clients.insert(id, Attached { client, buffers: HashMap::new(), names: HashMap::new() });
        id
    }

    /// This moment: another one when anything was opened, changed or closed since.
    pub fn moment(&self) -> u64 {
        self.lock().clock
    }

    /// The client is gone, and its buffers with it.
    pub fn detach(&self, client: ClientId) {
        let mut state = self.lock();
        state.clock += 1;
        let gone = state.clients.remove(&client);
        let names = gone.iter().flat_map(|attached| attached.names.keys());
        if let Some(follower) = &self.follower {
            names.for_each(|name| follower.closed(client, name));
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
        lines: Lines,
    ) {
        let name = buffer_name(uri, path);
        let document = Document::new(text, lines);
        let mut state = self.lock();
        state.clock += 1;
        let touched = state.clock;
        let Some(attached) = state.clients.get_mut(&client) else { return };
        attached.names.insert(name.clone(), uri.to_owned());
        if let Some(follower) = &self.follower {
            follower.opened(client, &name, &document);
        }
        let buffer = Buffer { name, version, document, lost: None, touched, expected: Vec::new() };
        attached.buffers.insert(uri.to_owned(), buffer);
    }

    /// What the client says has changed, in its order. After an error the text is lost until it is opened anew.
    pub fn change(
        &self,
        client: ClientId,
        uri: &str,
        version: i32,
        changes: &[ContentChange],
    ) -> Result<(), SyncError> {
        let mut state = self.lock();
        state.clock += 1;
        let touched = state.clock;
        let attached = state.clients.get_mut(&client).ok_or(SyncError::NotOpen)?;
        let encoding = attached.client.encoding;
        let buffer = attached.buffers.get_mut(uri).ok_or(SyncError::NotOpen)?;
        buffer.touched = touched;
        let mut typed = Vec::new();
        let result = buffer.change(version, changes, encoding, &mut typed);
        if let Err(error) = &result {
            buffer.lose(*error);
        } else if let Some(follower) = &self.follower {
            follower.typed(client, &buffer.name, &typed, &buffer.document);
        }
        result
    }

    /// The client said something of a document that cannot be understood.
    pub fn lose(&self, client: ClientId, uri: &str) {
        let mut state = self.lock();
        let buffer = state.clients.get_mut(&client).and_then(|attached| attached.buffers.get_mut(uri));
        if let Some(buffer) = buffer {
            buffer.lose(SyncError::Unreadable);
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
                if let Some(follower) = &self.follower {
                    follower.closed(client, &closed.name);
                }
                attached.names.remove(&closed.name)
            }
        };
        Ok(())
    }

    /// The text that counts for a session whose home is `home`: that client's, else the one touched last.
    pub fn find(&self, name: &Path, home: Option<ClientId>) -> Option<Result<Open, SyncError>> {
        let state = self.lock();
        let holds = |id: &ClientId, attached: &Attached| {
            let (uri, buffer) = attached.find(name)?;
            Some((Some(*id) == home, buffer.touched, buffer.opened(*id, uri)))
        };
        let found = state.clients.iter().filter_map(|(id, attached)| holds(id, attached));
        found.max_by_key(|(is_home, touched, _)| (*is_home, *touched)).map(|(.., open)| open)
    }

    /// Shows the text of a client's buffer while nothing can be told of it; false where there is none.
    pub(crate) fn with(&self, client: ClientId, name: &Path, look: impl FnOnce(&Document)) -> bool {
        let state = self.lock();
        let found = state.clients.get(&client).and_then(|attached| attached.find(name));
        let buffer = found.map(|(_, buffer)| buffer).filter(|buffer| buffer.lost.is_none());
        buffer.map(|buffer| look(&buffer.document)).is_some()
    }

    /// Every text that counts for such a session, by name. Those that are lost are left out.
    pub fn all(&self, home: Option<ClientId>) -> HashMap<PathBuf, Document> {
        let state = self.lock();
        let mut found: HashMap<PathBuf, ((bool, u64), Document)> = HashMap::new();
        for (id, attached) in &state.clients {
            for buffer in attached.buffers.values().filter(|buffer| buffer.lost.is_none()) {
                let rank = (Some(*id) == home, buffer.touched);
                if found.get(&buffer.name).is_none_or(|(known, _)| *known < rank) {
                    found.insert(buffer.name.clone(), (rank, buffer.document.clone()));
                }
            }
        }
        found.into_iter().map(|(name, (_, document))| (name, document)).collect()
    }

    /// How many there are, of all clients.
    pub fn count(&self) -> usize {
        self.lock().clients.values().map(|attached| attached.buffers.len()).sum()
    }

    /// How a client counts characters.
    pub fn encoding(&self, client: ClientId) -> Option<Encoding> {
        self.lock().clients.get(&client).map(|attached| attached.client.encoding)
    }

    /// The way to a client, while it is there.
    pub fn editor(&self, client: ClientId) -> Option<Arc<dyn Editor>> {
        self.lock().clients.get(&client).map(|attached| Arc::clone(&attached.client.editor))
    }

    /// Tells every client but one that a file is another on the disk.
    pub fn changed_on_disk(&self, path: &Path, what: OnDisk, except: Option<ClientId>) {
        let state = self.lock();
        let others = state.clients.iter().filter(|(id, _)| Some(**id) != except);
        let editors: Vec<_> = others.map(|(_, attached)| Arc::clone(&attached.client.editor)).collect();
        drop(state);
        editors.iter().for_each(|editor| editor.changed_on_disk(path, what));
    }

    /// A panic while the lock was held leaves nothing half done: texts are replaced as a whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attached {
    fn find(&self, name: &Path) -> Option<(&String, &Buffer)> {
        self.buffers.get_key_value(self.names.get(name)?)
    }
}

impl Buffer {
    fn change<'a>(
        &mut self,
        version: i32,
        changes: &'a [ContentChange],
        encoding: Encoding,
        typed: &mut Vec<Typed<'a>>,
    ) -> Result<(), SyncError> {
        if let Some(lost) = &self.lost {
            return Err(*lost);
        }
        if version <= self.version {
            return Err(SyncError::Stale { known: self.version, told: version });
        }
        self.expected.retain(Expected::is_awaited);
        for change in changes {
            let range = self.document.apply(change.range, &change.text, encoding);
            let range = range.map_err(SyncError::Backwards)?;
            let is_whole = change.range.is_none();
            typed.push(Typed { range: (!is_whole).then_some(range), text: &change.text });
            self.expected.iter_mut().for_each(|expected| expected.follow(&self.document, is_whole));
        }
        self.version = version;
        self.expected.iter().for_each(|expected| expected.judge(&self.document));
        Ok(())
    }

    fn lose(&mut self, why: SyncError) {
        self.lost = Some(why);
        self.expected.clear();
    }

    fn opened(&self, client: ClientId, uri: &str) -> Result<Open, SyncError> {
        match &self.lost {
            Some(lost) => Err(*lost),
            None => {
                let (version, touched, document) = (self.version, self.touched, self.document.clone());
                Ok(Open { client, uri: uri.to_owned(), version, touched, document })
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
