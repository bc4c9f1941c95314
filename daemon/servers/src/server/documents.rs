//! The documents that a server has open, and the messages that sync them.
//!
//! The daemon counts versions over all documents of a server, and they never repeat. So a publish for a document before
//! it was closed cannot pass for one after it was opened again.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::{Change, Document, LineBreaks, Position, PositionEncoding};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::initialize::TextSyncKind;
use super::preamble::PreambleCheck;
use super::sent_versions::SentVersions;
use super::uri;
use crate::source::CheckedDocument;

/// Of how many closed documents the daemon remembers the numbers that an editor gave.
const MAX_CLOSED: usize = 256;

#[derive(Debug, Default)]
pub(super) struct ServerDocuments {
    open: BTreeMap<PathBuf, ServerDocument>,
    /// The last version given to any document.
    version: i32,
    /// An editor's documents that were closed, with the greatest number of each.
    closed: VecDeque<(PathBuf, i32)>,
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
    pub(super) sent: SentVersions,
}

/// A version that an editor sent to its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObservedVersion {
    /// The editor's number of it for this server.
    pub(super) number: i32,
    /// The editor's version for the daemon; `None` if the daemon does not see the buffer, and knows only the file.
    pub(super) document: Option<i32>,
    /// When the editor sent it to the server.
    pub(super) told_at: Instant,
    /// `ServerDocument::text` is the text of this version. The editor's message to the daemon may still be on its way.
    pub(super) has_text: bool,
}

impl ServerDocument {
    /// Whether its text is on the disk.
    pub(super) fn is_clean(&self) -> bool {
        self.disk_version == Some(self.version)
    }

    /// Whether the daemon has the text: an editor's text may still be on its way.
    pub(super) fn has_text(&self) -> bool {
        self.observed.is_none_or(|observed| observed.has_text)
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
                document.sent.change(self.version, &document.text);
                messages.push(document.change(self.version, self.version, edits, mode.1, now));
                document.disk_version = subject.is_saved.then_some(document.version);
                return messages;
            }
            Some(_) => messages.extend(self.close(&subject.path)),
            None => {}
        }
        let Some(uri) = uri::from_path(&subject.path) else { return messages };
        self.version += 1;
        let document = ServerDocument {
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
            sent: SentVersions::new(self.version, &subject.text),
        };
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
        let number = document.sent.resend(self.version, document.observed.is_some());
        let message = document.change(self.version, number, edits, mode.1, now);
        document.disk_version = if is_clean { Some(document.version) } else { document.disk_version };
        document.last_save = saved.map(|(_, at)| (document.version, at)).or(document.last_save);
        Some(message)
    }

    pub(super) fn close(&mut self, path: &Path) -> Option<OutgoingNotification> {
        let document = self.open.remove(path)?;
        if let Some(number) = document.sent.greatest_number().filter(|_| document.observed.is_some()) {
            self.closed.retain(|(closed, _)| closed != path);
            if self.closed.len() >= MAX_CLOSED {
                self.closed.pop_front();
            }
            self.closed.push_back((path.to_owned(), number));
        }
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
        self.close(path);
        let repeated = self.closed.iter().find(|(closed, _)| closed == path).map(|(_, number)| *number);
        self.version += 1;
        let document = ServerDocument {
            uri: uri.to_owned(),
            language: language.to_owned(),
            text: Arc::default(),
            version: self.version,
            sent_at: now,
            edited: None,
            disk_version: is_saved.then_some(self.version),
            last_save: None,
            preamble_check: None,
            pull_refused: None,
            observed: Some(observed),
            sent: SentVersions::observed(self.version, observed.number, !is_first, repeated),
        };
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
        self.version += 1;
        document.version = self.version;
        document.sent_at = now;
        document.edited = Some((now, tick));
        document.disk_version = if is_saved { Some(self.version) } else { document.disk_version };
        document.observed = Some(observed);
        document.sent.observe_change(self.version, observed.number);
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
        let is_current = document.sent.is_current_text(version);
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
        number: i32,
        edits: Vec<Value>,
        extra: &Map<String, Value>,
        now: Instant,
    ) -> OutgoingNotification {
        self.version = version;
        self.sent_at = now;
        let mut params = Map::new();
        params.insert("textDocument".to_owned(), json!({ "uri": self.uri, "version": number }));
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
