//! One client: who it is, what it holds, and what it is sent.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::table::{Event, PermissionAsk, PermissionSettled, QuestionAsk, QuestionSettled};
use copydesk_workspace::buffers::{ClientId, EditorClient as BufferClient};
use lsp_types::{InitializeParams, InitializeResult, InitializedParams};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::{Client, LanguageServer};

use super::documents::{self, LostDocument};
use super::initialize::{self, ClientProfile};
use super::lsp_client::LspClient;
use crate::lifecycle::DaemonHandle;
use crate::log_control::LogControl;
use copydesk_host::session_host::{ClientOutbox, OutboxMessage, SessionHost, SessionHostError};

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
    /// The documents that it was told are lost. Once is enough: it tells of every key.
    reported_lost: Mutex<HashSet<String>>,
}

impl LspBackend {
    pub(super) fn new(
        hub: Arc<SessionHost>,
        log: Arc<dyn LogControl>,
        life: DaemonHandle,
        client: Client,
    ) -> Self {
        let shared = LspBackendState {
            host: hub,
            log,
            daemon: life,
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
                "`initialize` has to come first".to_owned(),
                None,
            )
        };
        self.shared.attached.get().ok_or_else(missing)
    }

    /// The folder that is meant where a client does not say.
    pub(super) fn folder(&self, said: Option<String>) -> Result<PathBuf> {
        let folder = match said {
            Some(folder) => PathBuf::from(folder),
            None => self.attached()?.profile.folders.first().cloned().ok_or_else(|| {
                rpc_error_from(&SessionHostError::Failed(
                    "no folder is open in the editor; open one, or name one".to_owned(),
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

    /// What the client tells of its documents, at once.
    pub(super) fn sync(&self, method: &str, params: Value) {
        let Some(attached) = self.shared.attached.get() else { return };
        let lines = |text: &str| attached.profile.lines(text);
        let opened = documents::opened_uri(method, &params);
        let applied = documents::apply(&self.host().buffers, attached.id, lines, method, params);
        let mut told = attached.reported_lost.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(uri) = opened {
            told.remove(&uri);
        }
        if let Err(LostDocument { uri, why }) = applied
            && told.insert(uri.clone())
        {
            tracing::warn!(client = attached.profile.name, method, why, "a document is lost");
            let line = attached.editor.clone();
            let message = format!("Copydesk lost track of {uri}: {why}. Close it and open it again.");
            tokio::spawn(async move { line.show_error(message).await });
        }
    }

    /// Waits until the client was told all that there was to tell.
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

    fn attach(&self, known: ClientProfile) -> InitializeResult {
        let line = LspClient::new(&known, self.shared.client.clone(), self.shared.gone.clone());
        let client = BufferClient {
            name: known.name.clone(),
            encoding: known.encoding,
            editor: Arc::new(line.clone()),
            refuses_silently: known.refuses_silently(),
        };
        let id = self.host().buffers.attach(client);
        if known.is_editor() {
            self.host().editors.add(id, Arc::new(line.clone()));
        }
        let outbox = ClientOutbox::default();
        tracing::info!(client = known.name, "a client came");
        let answer = known.initialize_result();
        let to_client = (id, line.clone(), outbox.clone());
        let attached =
            AttachedClient { id, outbox, profile: known, editor: line, reported_lost: Mutex::default() };
        if self.shared.attached.set(attached).is_ok() {
            tokio::spawn(deliver(Arc::clone(self.host()), to_client, self.shared.gone.clone()));
        }
        answer
    }
}

impl LanguageServer for LspBackend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let known = ClientProfile::new(&params)?;
        Ok(self.attach(known))
    }

    async fn initialized(&self, _: InitializedParams) {}

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

/// Sends a client what its sessions have for it, in their order. Asks wait for their reply beside that.
async fn deliver(
    hub: Arc<SessionHost>,
    (client, line, outbox): (ClientId, LspClient, ClientOutbox),
    gone: CancellationToken,
) {
    while let Some(message) = gone.run_until_cancelled(outbox.next()).await {
        match message {
            OutboxMessage::Event(event) => line.notify::<Event>(&event).await,
            OutboxMessage::AskSettled(settled) => line.notify::<PermissionSettled>(&settled).await,
            OutboxMessage::QuestionSettled(answered) => line.notify::<QuestionSettled>(&answered).await,
            OutboxMessage::Flush(reached) => reached.cancel(),
            OutboxMessage::Question(asked) => {
                let (hub, line) = (Arc::clone(&hub), line.clone());
                tokio::spawn(async move {
                    let Ok(reply) = line.request::<QuestionAsk>(&asked).await else { return };
                    if let Some(held) = hub.hosted_session(&asked.session) {
                        held.answer(&asked.questions.question, (client, line.name()), reply).await;
                    }
                });
            }
            OutboxMessage::Ask(ask) => {
                let (hub, line) = (Arc::clone(&hub), line.clone());
                tokio::spawn(async move {
                    let Ok(reply) = line.request::<PermissionAsk>(&ask).await else { return };
                    if let Some(held) = hub.hosted_session(&ask.session) {
                        held.reply(&ask.ask.ask, (client, line.name()), reply).await;
                    }
                });
            }
        }
    }
}

/// An error of the hub, as a client is told.
pub(super) fn rpc_error_from(error: &SessionHostError) -> tower_lsp_server::jsonrpc::Error {
    initialize::error(error.code(), error.to_string(), None)
}
