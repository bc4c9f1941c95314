//! The documents that a server holds open, and how it is told of them.
//!
//! Versions are counted over all documents of a server and never repeat, so that what was said of a document before it was closed
//! cannot be taken for what is said after it was opened again.

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

/// Versions whose texts can be told apart.
const REMEMBERED: usize = 64;

#[derive(Debug, Default)]
pub(super) struct ServerDocuments {
    open: BTreeMap<PathBuf, ServerDocument>,
    /// The last version that was given.
    version: i32,
}

#[derive(Debug)]
pub(super) struct ServerDocument {
    pub(super) uri: String,
    pub(super) language: String,
    pub(super) text: Arc<String>,
    pub(super) version: i32,
    /// When the server was told of this version.
    pub(super) sent_at: Instant,
    /// When the text became another than it was, or than the disk's, if ever; and that in the order of all that happened.
    pub(super) edited: Option<(Instant, u64)>,
    /// The version whose text lies on the disk.
    pub(super) disk_version: Option<i32>,
    /// The version that was last saved, and when.
    pub(super) last_save: Option<(i32, Instant)>,
    pub(super) preamble_check: Option<PreambleCheck>,
    /// The version for which the server refused a pull: what it publishes counts instead.
    pub(super) pull_refused: Option<i32>,
    /// Where an editor holds it, and not the daemon.
    pub(super) observed: Option<ObservedVersion>,
    /// The last versions, and what their texts were.
    texts: VecDeque<(i32, u64)>,
}

/// A text that an editor told its server of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObservedVersion {
    /// As the editor counts for this server.
    pub(super) version: i32,
    /// As the editor counts for the daemon; none where the daemon does not see the buffer, and knows only the file.
    pub(super) document: Option<i32>,
    /// When the editor told the server.
    pub(super) told_at: Instant,
    /// `ServerDocument::text` is the text of this version. The editor's message to the daemon may be still on its way.
    pub(super) has_text: bool,
}

/// The first of the versions that the daemon gives where an editor counts the others.
pub(super) const OWN_VERSIONS: i32 = 1_000_000_000;

impl ServerDocument {
    /// It is on the disk as it is here.
    pub(super) fn is_clean(&self) -> bool {
        self.disk_version == Some(self.version)
    }

    /// Whether the server was ever told of this version of it.
    pub(super) fn has_version(&self, version: i32) -> bool {
        self.texts.iter().any(|(known, _)| *known == version)
    }

    /// Whether a version is from before it was opened, or so old that it is forgotten.
    pub(super) fn predates_open(&self, version: i32) -> bool {
        (1..self.texts.front().map_or(0, |(oldest, _)| *oldest)).contains(&version)
    }

    /// Whether another version had the text that it has now.
    pub(super) fn has_same_text_as(&self, version: i32) -> bool {
        let text = |version| self.texts.iter().find(|(known, _)| *known == version).map(|(_, text)| *text);
        text(version).is_some() && text(version) == text(self.version)
    }

    /// It was opened with this version.
    pub(super) fn is_just_opened(&self) -> bool {
        self.texts.len() == 1
    }

    /// Which of two versions the server was told of later; none for one that it was never told of.
    pub(super) fn rank(&self, version: i32) -> Option<usize> {
        self.texts.iter().position(|(known, _)| *known == version)
    }

    /// The text is known: an editor's own may be still on its way to the daemon.
    pub(super) fn has_text(&self) -> bool {
        self.observed.is_none_or(|observed| observed.has_text)
    }

    /// The version before had the same text.
    pub(super) fn is_resent(&self) -> bool {
        let mut last = self.texts.iter().rev().map(|(_, text)| text);
        last.next() == last.next()
    }

    fn remember(&mut self, fingerprint: u64) {
        if self.texts.len() >= REMEMBERED {
            self.texts.pop_front();
        }
        self.texts.push_back((self.version, fingerprint));
    }
}

/// What a server is to be told: a method and its params.
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

    /// Opens it, or changes it where the text is another; nothing is to be told where it is the same.
    pub(super) fn sync(
        &mut self,
        subject: &CheckedDocument,
        language: &str,
        how: (TextSyncKind, &Map<String, Value>),
        (now, tick): (Instant, u64),
    ) -> Vec<OutgoingNotification> {
        let mut messages = Vec::new();
        match self.open.get_mut(&subject.path) {
            Some(held) if held.language == language && *held.text == *subject.text => {
                held.disk_version = if subject.is_saved { Some(held.version) } else { held.disk_version };
                return messages;
            }
            Some(held) if held.language == language && how.0 != TextSyncKind::None => {
                self.version += 1;
                let edits = edits(&held.text, &subject.text, how.0);
                held.text = Arc::clone(&subject.text);
                held.edited = Some((now, tick));
                let text = fingerprint(&held.text);
                messages.push(held.change(self.version, text, edits, how.1, now));
                held.disk_version = subject.is_saved.then_some(held.version);
                return messages;
            }
            Some(_) => messages.extend(self.close(&subject.path)),
            None => {}
        }
        let Some(uri) = uri::from_path(&subject.path) else { return messages };
        self.version += 1;
        let mut held = ServerDocument {
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
        held.remember(fingerprint(&subject.text));
        messages.push((
            "textDocument/didOpen",
            json!({ "textDocument": {
                "uri": held.uri, "languageId": language, "version": held.version, "text": *held.text,
            } }),
        ));
        self.open.insert(subject.path.clone(), held);
        messages
    }

    /// Tells of the same text once more, under a new version.
    pub(super) fn resend_text(
        &mut self,
        path: &Path,
        how: (TextSyncKind, &Map<String, Value>),
        now: Instant,
    ) -> Option<OutgoingNotification> {
        let held = self.open.get_mut(path).filter(|_| how.0 != TextSyncKind::None)?;
        self.version += 1;
        let (is_clean, is_saved) = (held.is_clean(), held.last_save.filter(|saved| saved.0 == held.version));
        // An editor's server has the editor's text: only that it is to look again is new.
        let edits = if held.observed.is_some() { Vec::new() } else { vec![whole(&held.text, how.0)] };
        let text = held.texts.back().map_or(0, |(_, text)| *text);
        let message = held.change(self.version, text, edits, how.1, now);
        held.disk_version = if is_clean { Some(held.version) } else { held.disk_version };
        held.last_save = is_saved.map(|(_, at)| (held.version, at)).or(held.last_save);
        Some(message)
    }

    pub(super) fn close(&mut self, path: &Path) -> Option<OutgoingNotification> {
        let held = self.open.remove(path)?;
        Some(("textDocument/didClose", json!({ "textDocument": { "uri": held.uri } })))
    }

    /// An editor opened a document for its server. `is_first` is whether the daemon saw that; otherwise the server may know more texts of it.
    pub(super) fn observe_open(
        &mut self,
        path: &Path,
        (uri, language): (&str, &str),
        (seen, is_saved, is_first): (ObservedVersion, bool, bool),
        now: Instant,
    ) -> &mut ServerDocument {
        self.version = self.version.max(OWN_VERSIONS);
        let mut held = ServerDocument {
            uri: uri.to_owned(),
            language: language.to_owned(),
            text: Arc::default(),
            version: seen.version,
            sent_at: now,
            edited: None,
            disk_version: is_saved.then_some(seen.version),
            last_save: None,
            preamble_check: None,
            pull_refused: None,
            observed: Some(seen),
            texts: VecDeque::new(),
        };
        if !is_first {
            held.texts.push_back((i32::MIN, 0));
        }
        held.remember(fingerprint(&seen.version));
        self.open.entry(path.to_owned()).insert_entry(held).into_mut()
    }

    /// An editor told its server of another text.
    pub(super) fn observe_change(
        &mut self,
        path: &Path,
        seen: ObservedVersion,
        is_saved: bool,
        (now, tick): (Instant, u64),
    ) {
        let Some(held) = self.open.get_mut(path) else { return };
        held.version = seen.version;
        held.sent_at = now;
        held.edited = Some((now, tick));
        held.disk_version = if is_saved { Some(seen.version) } else { held.disk_version };
        held.observed = Some(seen);
        held.remember(fingerprint(&seen.version));
    }

    /// This version of it was saved. None where it is not open.
    pub(super) fn did_save(
        &mut self,
        path: &Path,
        version: i32,
        with_text: bool,
        now: Instant,
    ) -> Option<OutgoingNotification> {
        let held = self.open.get_mut(path)?;
        // It may have been changed since then: what is held now is not what was saved.
        let is_held = held.has_same_text_as(version);
        if is_held {
            held.disk_version = Some(held.version);
            held.last_save = Some((held.version, now));
        }
        let mut params = json!({ "textDocument": { "uri": held.uri } });
        if let Some(params) = params.as_object_mut().filter(|_| with_text && is_held) {
            params.insert("text".to_owned(), Value::from(held.text.as_str()));
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
        more: &Map<String, Value>,
        now: Instant,
    ) -> OutgoingNotification {
        self.version = version;
        self.sent_at = now;
        self.remember(text);
        let mut params = Map::new();
        params.insert("textDocument".to_owned(), json!({ "uri": self.uri, "version": version }));
        params.insert("contentChanges".to_owned(), edits.into());
        params.extend(more.clone());
        ("textDocument/didChange", params.into())
    }
}

/// The last edit first, so that those before it are still where they were.
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

/// The text in the place of itself. Whoever wants ranges is given one: there are servers that break on a text without.
fn whole(text: &str, sync: TextSyncKind) -> Value {
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
