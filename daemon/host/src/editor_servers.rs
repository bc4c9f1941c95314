//! The language servers of one editor. The editor reports what it sends them and what they send. The daemon judges these reports as it does
//! for its own servers, and has the editor send the requests that the judge needs.
//!
//! Contract: reports arrive in the order of events, on the same connection as document sync, and apply at once.

mod answer;
mod code_leases;
mod document_hold;
mod relay;
mod texts;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_protocol::server::{
    EditorServerMessageParams, EditorServerResponse, EditorServersParams, EditorServersResult,
    ServerDocumentEvent, ServerDocumentParams, ServerReceivedParams, ServerStartedParams,
    ServerWatchedParams,
};
use copydesk_rpc::peer::RpcPeer;
use copydesk_servers::{DocumentEvent, EditorServerLaunch, LanguageServer, ObservedTexts};
use copydesk_text::PositionEncoding;
use copydesk_workspace::buffers::{Buffers, ClientId, EditorError};
use copydesk_workspace::disk_watcher::FileChangeType;
use serde_json::value::to_raw_value;

use crate::uri::path_of;

pub use code_leases::EditorDocument;

/// The cap on servers of one editor; the daemon ignores more.
const MAX_SERVERS: usize = 256;

/// The buffer of the pipe between the judge and the relay, in each direction.
const PIPE_BYTES: usize = 64 * 1024;

pub type EditorLinkFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, EditorError>> + Send + 'a>>;

/// Requests and notifications to an editor about its language servers.
pub trait EditorServerLink: Send + Sync {
    fn servers(&self, params: EditorServersParams) -> EditorLinkFuture<'_, EditorServersResult>;

    /// Releases a document that `servers` had the editor load.
    fn servers_done(&self, uri: String) -> EditorLinkFuture<'_, ()>;

    fn request(&self, params: EditorServerMessageParams) -> EditorLinkFuture<'_, EditorServerResponse>;

    fn notify(&self, params: EditorServerMessageParams) -> EditorLinkFuture<'_, ()>;
}

/// One of an editor's servers, and the relay for the messages that the judge sends it.
struct EditorServer {
    server: Arc<LanguageServer>,
    /// Dropping this closes the relay.
    _relay: RpcPeer,
}

/// Clones share their state.
#[derive(Clone)]
pub struct EditorServers {
    link: Arc<dyn EditorServerLink>,
    texts: Arc<dyn ObservedTexts>,
    servers: Arc<Mutex<BTreeMap<u32, EditorServer>>>,
}

impl std::fmt::Debug for EditorServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EditorServers").finish_non_exhaustive()
    }
}

impl EditorServers {
    /// `buffers` holds the editor's texts under `client`.
    pub fn new(link: Arc<dyn EditorServerLink>, buffers: Buffers, client: ClientId) -> Self {
        let texts = Arc::new(texts::ClientTexts { buffers, client });
        Self { link, texts, servers: Arc::default() }
    }

    pub fn started(&self, params: ServerStartedParams) {
        let (judge, editor) = tokio::io::duplex(PIPE_BYTES);
        let encoding = match params.encoding.as_deref() {
            Some("utf-8") => PositionEncoding::Utf8,
            Some("utf-32") => PositionEncoding::Utf32,
            _ => PositionEncoding::Utf16,
        };
        let launch = EditorServerLaunch {
            name: params.name,
            own_name: params.own_name,
            languages: params.languages,
            command: params.command,
            root: params.root.as_deref().and_then(path_of),
            encoding,
            capabilities: params.capabilities,
            is_running: params.running,
        };
        let mut servers = self.lock();
        if servers.len() >= MAX_SERVERS && !servers.contains_key(&params.server) {
            tracing::warn!(
                server = launch.name,
                "the editor has too many language servers: ignoring this one"
            );
            return;
        }
        let (reader, writer) = tokio::io::split(judge);
        let server = LanguageServer::observe(launch, Arc::clone(&self.texts), reader, writer);
        let relay = relay::start(params.server, Arc::clone(&self.link), editor);
        let before = servers.insert(params.server, EditorServer { server, _relay: relay });
        if let Some(before) = before {
            before.server.observe_end();
        }
    }

    pub fn document(&self, params: &ServerDocumentParams) {
        let Some(server) = self.get(params.server) else { return };
        let (version, document, is_modified) =
            (params.version.unwrap_or_default(), params.document, params.modified);
        let event = match params.event {
            ServerDocumentEvent::Opened => DocumentEvent::Opened {
                language: params.language.clone().unwrap_or_default(),
                version,
                document,
                is_modified,
                is_first: !params.running,
            },
            ServerDocumentEvent::Changed => DocumentEvent::Changed { version, document, is_modified },
            ServerDocumentEvent::Renumbered => DocumentEvent::Renumbered { document },
            ServerDocumentEvent::Saved => DocumentEvent::Saved { is_modified },
            ServerDocumentEvent::Closed => DocumentEvent::Closed,
        };
        server.observe_document(&params.uri, event);
    }

    pub fn watched(&self, params: ServerWatchedParams) {
        let Some(server) = self.get(params.server) else { return };
        let change = |kind| match kind {
            1 => FileChangeType::Created,
            3 => FileChangeType::Deleted,
            _ => FileChangeType::Changed,
        };
        let changes: Vec<_> = params.changes.into_iter().map(|file| (file.uri, change(file.kind))).collect();
        server.observe_watched_files(&changes);
    }

    pub fn received(&self, params: &ServerReceivedParams) {
        let Some(server) = self.get(params.server) else { return };
        if let Ok(message) = to_raw_value(&params.params) {
            server.observe_message(&params.method, &message);
        }
    }

    pub fn ended(&self, server: u32) {
        if let Some(ended) = self.lock().remove(&server) {
            ended.server.observe_end();
        }
    }

    /// Which of them still reads the project, and how far it is. For a user.
    pub fn loading(&self) -> Option<String> {
        self.all().iter().find_map(|server| server.loading())
    }

    fn get(&self, server: u32) -> Option<Arc<LanguageServer>> {
        self.lock().get(&server).map(|known| Arc::clone(&known.server))
    }

    fn all(&self) -> Vec<Arc<LanguageServer>> {
        self.lock().values().map(|known| Arc::clone(&known.server)).collect()
    }

    // A poisoned lock is usable: each change is one insert or remove.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, EditorServer>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
