//! The documents that a server has open, and the messages that sync them.
//!
//! The daemon counts versions over all documents of a server, and they never repeat. So a publish for a document before
//! it was closed cannot pass for one after it was opened again. An editor counts the versions of its own documents.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::{Change, Document, LineBreaks, Position, PositionEncoding};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::initialize::TextSyncKind;
use super::preamble::PreambleCheck;
use super::uri;
use crate::source::CheckedDocument;

/// How many versions of a document keep a fingerprint of their text.
const MAX_VERSIONS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct ServerDocuments {
    open: BTreeMap<PathBuf, ServerDocument>,
    /// The last version given to any document.
    version: i32,
}

#[derive(Debug)]
pub(super) struct ServerDocument {
    pub(super) uri: String,
    pub(super) language: String,
    pub(super) text: Arc<String>,
    pub(super) version: i32,
    /// When the server got this version.
    pub(super) sent_at: Instant,
    /// When the text last changed, or was opened with unsaved changes; with its position in the order of all events.
    pub(super) edited: Option<(Instant, u64)>,
    /// The version whose text is on the disk.
    pub(super) disk_version: Option<i32>,
    /// The last saved version, and when it was saved.
    pub(super) last_save: Option<(i32, Instant)>,
    pub(super) preamble_check: Option<PreambleCheck>,
    /// The version for which the server rejected a pull: its publishes count instead.
    pub(super) pull_refused: Option<i32>,
    /// Set if an editor owns the document, and not the daemon.
    pub(super) observed: Option<ObservedVersion>,
    /// The last versions, with fingerprints of their texts, or, for an editor's document, of the version.
    texts: VecDeque<(i32, u64)>,
}

/// A version that an editor sent to its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObservedVersion {
    /// The editor's version for this server.
    pub(super) version: i32,
    /// The editor's version for the daemon; `None` if the daemon does not see the buffer, and knows only the file.
    pub(super) document: Option<i32>,
    /// When the editor sent it to the server.
    pub(super) told_at: Instant,
    /// `ServerDocument::text` is the text of this version. The editor's message to the daemon may still be on its way.
    pub(super) has_text: bool,
}

/// The daemon's own versions start here if an editor counts the others.
pub(super) const OWN_VERSIONS: i32 = 1_000_000_000;

impl ServerDocument {
    /// Whether its text is on the disk.
    pub(super) fn is_clean(&self) -> bool {
        self.disk_version == Some(self.version)
    }

    /// Whether the server got this version of it.
    pub(super) fn has_version(&self, version: i32) -> bool {
        self.texts.iter().any(|(known, _)| *known == version)
    }

    /// Whether a version is from before it was opened, or so old that it was dropped.
    pub(super) fn predates_open(&self, version: i32) -> bool {
        (1..self.texts.front().map_or(0, |(oldest, _)| *oldest)).contains(&version)
    }

    /// Whether that version had the current text.
    pub(super) fn has_same_text_as(&self, version: i32) -> bool {
        let text = |version| self.texts.iter().find(|(known, _)| *known == version).map(|(_, text)| *text);
        text(version).is_some() && text(version) == text(self.version)
    }

    /// Whether the current version is the one that it was opened with.
    pub(super) fn is_just_opened(&self) -> bool {
        self.texts.len() == 1
    }

    /// The position of a version in the order in which the server got them; `None` for one that it never got.
    pub(super) fn rank(&self, version: i32) -> Option<usize> {
        self.texts.iter().position(|(known, _)| *known == version)
    }

    /// Whether the daemon has the text: an editor's text may still be on its way.
    pub(super) fn has_text(&self) -> bool {
        self.observed.is_none_or(|observed| observed.has_text)
    }

    /// Whether the version before had the same text.
    pub(super) fn is_resent(&self) -> bool {
        let mut last = self.texts.iter().rev().map(|(_, text)| text);
        last.next() == last.next()
    }

    fn remember(&mut self, fingerprint: u64) {
        if self.texts.len() >= MAX_VERSIONS {
            self.texts.pop_front();
        }
        self.texts.push_back((self.version, fingerprint));
    }
}

/// A method and its params.
pub(super) type OutgoingNotification = (&'static str, Value);

impl ServerDocuments {
    pub(super) fn get(&self, path: &Path) -> Option<&ServerDocument> {
        self.open.get(path)
    }

    pub(super) fn get_mut(&mut self, path: &Path) -> Option<&mut ServerDocument> {
        self.open.get_mut(path)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&PathBuf, &ServerDocument)> {
        self.open.iter()
    }

    /// Opens the document, or changes it if the text differs. Returns the messages to send; none if the text is the
    /// same.
    pub(super) fn sync(
        &mut self,
        subject: &CheckedDocument,
        language: &str,
        mode: (TextSyncKind, &Map<String, Value>),
        (now, tick): (Instant, u64),
    ) -> Vec<OutgoingNotification> {
        let mut messages = Vec::new();
        match self.open.get_mut(&subject.path) {
            Some(document) if document.language == language && *document.text == *subject.text => {
                document.disk_version =
                    if subject.is_saved { Some(document.version) } else { document.disk_version };
                return messages;
            }
            Some(document) if document.language == language && mode.0 != TextSyncKind::None => {
                self.version += 1;
                let edits = edits(&document.text, &subject.text, mode.0);
                document.text = Arc::clone(&subject.text);
                document.edited = Some((now, tick));
                let text = fingerprint(&document.text);
                messages.push(document.change(self.version, text, edits, mode.1, now));
                document.disk_version = subject.is_saved.then_some(document.version);
                return messages;
            }
            Some(_) => messages.extend(self.close(&subject.path)),
            None => {}
        }
        let Some(uri) = uri::from_path(&subject.path) else { return messages };
        self.version += 1;
        let mut document = ServerDocument {
            uri,
            language: language.to_owned(),
            text: Arc::clone(&subject.text),
            version: self.version,
            sent_at: now,
            edited: (!subject.is_saved).then_some((now, tick)),
            disk_version: subject.is_saved.then_some(self.version),
            last_save: None,
            preamble_check: None,
            pull_refused: None,
            observed: None,
            texts: VecDeque::new(),
        };
        document.remember(fingerprint(&subject.text));
        messages.push((
            "textDocument/didOpen",
            json!({ "textDocument": {
                "uri": document.uri, "languageId": language, "version": document.version, "text": *document.text,
            } }),
        ));
        self.open.insert(subject.path.clone(), document);
        messages
    }

    /// Sends the same text once more, under a new version.
    pub(super) fn resend_text(
        &mut self,
        path: &Path,
        mode: (TextSyncKind, &Map<String, Value>),
        now: Instant,
    ) -> Option<OutgoingNotification> {
        let document = self.open.get_mut(path).filter(|_| mode.0 != TextSyncKind::None)?;
        self.version += 1;
        let (is_clean, saved) =
            (document.is_clean(), document.last_save.filter(|saved| saved.0 == document.version));
        // An editor's server has the editor's text: the message only makes it look again.
        let edits =
            if document.observed.is_some() { Vec::new() } else { vec![replace_all(&document.text, mode.0)] };
        let text = document.texts.back().map_or(0, |(_, text)| *text);
        let message = document.change(self.version, text, edits, mode.1, now);
        document.disk_version = if is_clean { Some(document.version) } else { document.disk_version };
        document.last_save = saved.map(|(_, at)| (document.version, at)).or(document.last_save);
        Some(message)
    }

    pub(super) fn close(&mut self, path: &Path) -> Option<OutgoingNotification> {
        let document = self.open.remove(path)?;
        Some(("textDocument/didClose", json!({ "textDocument": { "uri": document.uri } })))
    }

    /// An editor opened a document for its server. `is_first`: the daemon saw the first didOpen. Otherwise the server
    /// may have got other texts before.
    pub(super) fn observe_open(
        &mut self,
        path: &Path,
        (uri, language): (&str, &str),
        (observed, is_saved, is_first): (ObservedVersion, bool, bool),
        now: Instant,
    ) -> &mut ServerDocument {
        self.version = self.version.max(OWN_VERSIONS);
        let mut document = ServerDocument {
            uri: uri.to_owned(),
            language: language.to_owned(),
            text: Arc::default(),
            version: observed.version,
            sent_at: now,
            edited: None,
            disk_version: is_saved.then_some(observed.version),
            last_save: None,
            preamble_check: None,
            pull_refused: None,
            observed: Some(observed),
            texts: VecDeque::new(),
        };
        if !is_first {
            document.texts.push_back((i32::MIN, 0));
        }
        document.remember(fingerprint(&observed.version));
        self.open.entry(path.to_owned()).insert_entry(document).into_mut()
    }

    /// An editor sent another text to its server.
    pub(super) fn observe_change(
        &mut self,
        path: &Path,
        observed: ObservedVersion,
        is_saved: bool,
        (now, tick): (Instant, u64),
    ) {
        let Some(document) = self.open.get_mut(path) else { return };
        document.version = observed.version;
        document.sent_at = now;
        document.edited = Some((now, tick));
        document.disk_version = if is_saved { Some(observed.version) } else { document.disk_version };
        document.observed = Some(observed);
        document.remember(fingerprint(&observed.version));
    }

    /// This version was saved. `None` if the document is not open.
    pub(super) fn did_save(
        &mut self,
        path: &Path,
        version: i32,
        with_text: bool,
        now: Instant,
    ) -> Option<OutgoingNotification> {
        let document = self.open.get_mut(path)?;
        // It may have changed since: then the current text is not the saved one.
        let is_current = document.has_same_text_as(version);
        if is_current {
            document.disk_version = Some(document.version);
            document.last_save = Some((document.version, now));
        }
        let mut params = json!({ "textDocument": { "uri": document.uri } });
        if let Some(params) = params.as_object_mut().filter(|_| with_text && is_current) {
            params.insert("text".to_owned(), Value::from(document.text.as_str()));
        }
        Some(("textDocument/didSave", params))
    }
}

impl ServerDocument {
    fn change(
        &mut self,
        version: i32,
        text: u64,
        edits: Vec<Value>,
        extra: &Map<String, Value>,
        now: Instant,
    ) -> OutgoingNotification {
        self.version = version;
        self.sent_at = now;
        self.remember(text);
        let mut params = Map::new();
        params.insert("textDocument".to_owned(), json!({ "uri": self.uri, "version": version }));
        params.insert("contentChanges".to_owned(), edits.into());
        params.extend(extra.clone());
        ("textDocument/didChange", params.into())
    }
}

/// The last edit comes first, so that the ranges of those before it stay valid.
fn edits(old: &str, new: &str, sync: TextSyncKind) -> Vec<Value> {
    let ranges = match sync {
        TextSyncKind::Incremental => {
            let document = Document::new(old, LineBreaks::Any);
            document.change_ranges(&Change::between(old, new), PositionEncoding::Utf16).ok()
        }
        TextSyncKind::None | TextSyncKind::Full => None,
    };
    let Some(ranges) = ranges else { return vec![json!({ "text": new })] };
    ranges.into_iter().rev().map(|(start, end, text)| edit(start, end, &text)).collect()
}

/// Replaces the text by itself. Incremental sync gets a range: some servers break on a change without one.
fn replace_all(text: &str, sync: TextSyncKind) -> Value {
    match sync {
        TextSyncKind::Incremental => {
            let end = Document::new(text, LineBreaks::Any).position(text.len(), PositionEncoding::Utf16);
            edit(Position::new(0, 0), end, text)
        }
        TextSyncKind::None | TextSyncKind::Full => json!({ "text": text }),
    }
}

fn edit(start: Position, end: Position, text: &str) -> Value {
    let place = |position: Position| json!({ "line": position.line, "character": position.character });
    json!({ "range": { "start": place(start), "end": place(end) }, "text": text })
}

fn fingerprint(text: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
