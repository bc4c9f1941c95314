//! One connected client: its profile, its documents and its outbox.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use copydesk_host::editor_servers::EditorServers;
use copydesk_host::session_host::{ClientOutbox, OutboxMessage, SessionHost, SessionHostError};
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::permission::{PermissionAskInfo, PermissionAskParams};
use copydesk_protocol::table::{Event, PermissionAsk, PermissionSettled, QuestionAsk, QuestionSettled};
use copydesk_workspace::buffers::{BufferClient, ClientId};
use lsp_types::{InitializeParams, InitializeResult, InitializedParams};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::{Client, LanguageServer};

use super::attached_editor::LspEditor;
use super::documents::{self, LostDocument};
use super::initialize::{self, ClientProfile};
use super::lsp_client::LspClient;
use super::server_reports;
use crate::lifecycle::DaemonHandle;
use crate::log_control::LogControl;

#[derive(Clone)]
pub(super) struct LspBackend {
    shared: Arc<LspBackendState>,
}

struct LspBackendState {
    host: Arc<SessionHost>,
    log: Arc<dyn LogControl>,
    daemon: DaemonHandle,
    client: Client,
    gone: CancellationToken,
    /// Set by `initialize`.
    attached: OnceLock<AttachedClient>,
}

pub(super) struct AttachedClient {
    pub(super) id: ClientId,
    pub(super) outbox: ClientOutbox,
    profile: ClientProfile,
    editor: LspClient,
    /// The client's own language servers.
    pub(super) servers: EditorServers,
    /// Documents whose loss was reported to the client. Once is enough: a notification comes with every key
    /// press.
    reported_lost: Mutex<HashSet<String>>,
}

impl LspBackend {
    pub(super) fn new(
        host: Arc<SessionHost>,
        log: Arc<dyn LogControl>,
        daemon: DaemonHandle,
        client: Client,
    ) -> Self {
        let shared = LspBackendState {
            host,
            log,
            daemon,
            client,
            gone: CancellationToken::new(),
            attached: OnceLock::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    pub(super) fn host(&self) -> &Arc<SessionHost> {
        &self.shared.host
    }

    pub(super) fn log(&self) -> &dyn LogControl {
        &*self.shared.log
    }

    pub(super) fn daemon(&self) -> &DaemonHandle {
        &self.shared.daemon
    }

    /// The framework lets nothing through before `initialize`.
    pub(super) fn attached(&self) -> Result<&AttachedClient> {
        let missing = || {
            initialize::error(
                ErrorCode::ServerNotInitialized,
                "the client has to send `initialize` first".to_owned(),
                None,
            )
        };
        self.shared.attached.get().ok_or_else(missing)
    }

    /// The requested folder, or else the client's first workspace folder.
    pub(super) fn folder(&self, requested: Option<String>) -> Result<PathBuf> {
        let folder = match requested {
            Some(folder) => PathBuf::from(folder),
            None => self.attached()?.profile.folders.first().cloned().ok_or_else(|| {
                rpc_error_from(&SessionHostError::Failed(
                    "no folder is open in the editor; open one, or name a folder".to_owned(),
                ))
            })?,
        };
        let real = folder.canonicalize().ok().filter(|real| real.is_dir());
        real.ok_or_else(|| {
            rpc_error_from(&SessionHostError::Failed(format!(
                "{}: there is no such folder",
                folder.display()
            )))
        })
    }

    /// Applies a notification about documents, at once.
    pub(super) fn sync(&self, method: &str, params: &RawValue) {
        let Some(attached) = self.shared.attached.get() else { return };
        let lines = |text: &str| attached.profile.lines(text);
        let opened = documents::opened_uri(method, params);
        let applied = documents::apply(&self.host().buffers, attached.id, lines, method, params);
        let mut reported = attached.reported_lost.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(uri) = opened {
            reported.remove(&uri);
        }
        if let Err(LostDocument { uri, why }) = applied
            && reported.insert(uri.clone())
        {
            tracing::warn!(client = attached.profile.name, method, why, "a document is lost");
            let editor = attached.editor.clone();
            let message = format!("Copydesk lost track of {uri}: {why}. Close it and open it again.");
            tokio::spawn(async move { editor.show_error(message).await });
        }
    }

    /// Applies a report about one of the client's language servers, at once.
    pub(super) fn report_server(&self, method: &str, params: &RawValue) {
        if let Some(attached) = self.shared.attached.get() {
            server_reports::apply(&attached.servers, method, params);
        }
    }

    /// Waits until everything queued for the client is sent.
    pub(super) async fn flush_outbox(&self) {
        if let Some(attached) = self.shared.attached.get() {
            let reached = CancellationToken::new();
            attached.outbox.send(OutboxMessage::Flush(reached.clone()));
            reached.cancelled().await;
        }
    }

    pub(super) fn detach(&self) {
        self.shared.gone.cancel();
        if let Some(attached) = self.shared.attached.get() {
            tracing::info!(client = attached.profile.name, "a client left");
            self.host().detach_client(attached.id);
            self.log().detach_client(attached.id);
        }
    }

    fn attach(&self, profile: ClientProfile) -> InitializeResult {
        let editor = LspClient::new(&profile, self.shared.client.clone(), self.shared.gone.clone());
        let client = BufferClient {
            name: profile.name.clone(),
            encoding: profile.encoding,
            editor: Arc::new(editor.clone()),
            refuses_silently: profile.refuses_silently(),
        };
        let id = self.host().buffers.attach(client);
        let servers = EditorServers::new(Arc::new(editor.clone()), self.host().buffers.clone(), id);
        if profile.may_have_servers() {
            let editor = LspEditor { client: editor.clone(), servers: servers.clone() };
            self.host().editors.add(id, Arc::new(editor));
        }
        let outbox = ClientOutbox::default();
        tracing::info!(client = profile.name, "a client attached");
        let answer = profile.initialize_result();
        let recipient = (id, editor.clone(), outbox.clone());
        let attached =
            AttachedClient { id, outbox, profile, editor, servers, reported_lost: Mutex::default() };
        if self.shared.attached.set(attached).is_ok() {
            tokio::spawn(deliver(Arc::clone(self.host()), recipient, self.shared.gone.clone()));
        }
        answer
    }
}

impl LanguageServer for LspBackend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let profile = ClientProfile::new(&params)?;
        Ok(self.attach(profile))
    }

    async fn initialized(&self, _: InitializedParams) {}

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

/// Sends a client what its sessions queued for it, in order. A request waits for its response in a task of its
/// own.
async fn deliver(
    host: Arc<SessionHost>,
    (client, editor, outbox): (ClientId, LspClient, ClientOutbox),
    gone: CancellationToken,
) {
    while let Some(message) = gone.run_until_cancelled(outbox.next()).await {
        match message {
            OutboxMessage::Event(event) => editor.notify::<Event>(&event).await,
            OutboxMessage::AskSettled(settled) => editor.notify::<PermissionSettled>(&settled).await,
            OutboxMessage::QuestionSettled(answered) => editor.notify::<QuestionSettled>(&answered).await,
            OutboxMessage::Flush(reached) => reached.cancel(),
            OutboxMessage::Question(asked) => {
                let (host, editor) = (Arc::clone(&host), editor.clone());
                tokio::spawn(async move {
                    let Ok(reply) = editor.request::<QuestionAsk>(&asked).await else { return };
                    if let Some(hosted) = host.hosted_session(&asked.session) {
                        hosted.answer(&asked.questions.question, (client, editor.name()), reply).await;
                    }
                });
            }
            OutboxMessage::Ask(asked) => {
                let (host, editor) = (Arc::clone(&host), editor.clone());
                tokio::spawn(async move {
                    let Ok(reply) = editor.request::<PermissionAsk>(&asked).await else { return };
                    let PermissionAskParams { session, ask: PermissionAskInfo { ask: id, .. } } = &*asked;
                    if let Some(hosted) = host.hosted_session(session) {
                        hosted.reply(id, (client, editor.name()), reply).await;
                    }
                });
            }
        }
    }
}

/// An error of the host as a JSON-RPC error.
pub(super) fn rpc_error_from(error: &SessionHostError) -> tower_lsp_server::jsonrpc::Error {
    initialize::error(error.code(), error.to_string(), None)
}
