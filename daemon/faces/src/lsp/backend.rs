//! One client: who it is, what it holds, and what it is sent.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::table::{Event, PermissionAsk, PermissionSettled, QuestionAsk, QuestionSettled};
use copydesk_workspace::buffers::{Client as BufferClient, ClientId};
use lsp_types::{InitializeParams, InitializeResult, InitializedParams};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::{Client, LanguageServer};

use super::documents::{self, Lost};
use super::greet::{self, Known};
use super::line::Line;
use crate::lifecycle::Life;
use copydesk_host::hub::{Hub, HubError, Message, Outbox};

#[derive(Clone)]
pub(super) struct Backend {
    shared: Arc<Shared>,
}

struct Shared {
    hub: Arc<Hub>,
    life: Life,
    client: Client,
    gone: CancellationToken,
    /// Set by `initialize`.
    attached: OnceLock<Attached>,
}

pub(super) struct Attached {
    pub(super) id: ClientId,
    pub(super) outbox: Outbox,
    known: Known,
    line: Line,
    /// The documents that it was told are lost. Once is enough: it tells of every key.
    told: Mutex<HashSet<String>>,
}

impl Backend {
    pub(super) fn new(hub: Arc<Hub>, life: Life, client: Client) -> Self {
        let shared = Shared { hub, life, client, gone: CancellationToken::new(), attached: OnceLock::new() };
        Self { shared: Arc::new(shared) }
    }

    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.shared.hub
    }

    pub(super) fn life(&self) -> &Life {
        &self.shared.life
    }

    /// The framework lets nothing through before `initialize`.
    pub(super) fn attached(&self) -> Result<&Attached> {
        let missing = || {
            greet::error(ErrorCode::ServerNotInitialized, "`initialize` has to come first".to_owned(), None)
        };
        self.shared.attached.get().ok_or_else(missing)
    }

    /// The folder that is meant where a client does not say.
    pub(super) fn folder(&self, said: Option<String>) -> Result<PathBuf> {
        let folder = match said {
            Some(folder) => PathBuf::from(folder),
            None => self.attached()?.known.folders.first().cloned().ok_or_else(|| {
                failed(&HubError::Failed("no folder is open in the editor; open one, or name one".to_owned()))
            })?,
        };
        let real = folder.canonicalize().ok().filter(|real| real.is_dir());
        real.ok_or_else(|| {
            failed(&HubError::Failed(format!("{}: there is no such folder", folder.display())))
        })
    }

    /// What the client tells of its documents, at once.
    pub(super) fn sync(&self, method: &str, params: Value) {
        let Some(attached) = self.shared.attached.get() else { return };
        let lines = |text: &str| attached.known.lines(text);
        let opened = documents::opened(method, &params);
        let applied = documents::apply(&self.hub().buffers, attached.id, lines, method, params);
        let mut told = attached.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(uri) = opened {
            told.remove(&uri);
        }
        if let Err(Lost { uri, why }) = applied
            && told.insert(uri.clone())
        {
            tracing::warn!(client = attached.known.name, method, why, "a document is lost");
            let line = attached.line.clone();
            let message = format!("Copydesk lost track of {uri}: {why}. Close it and open it again.");
            tokio::spawn(async move { line.show_error(message).await });
        }
    }

    /// Waits until the client was told all that there was to tell.
    pub(super) async fn told(&self) {
        if let Some(attached) = self.shared.attached.get() {
            let reached = CancellationToken::new();
            attached.outbox.send(Message::Reached(reached.clone()));
            reached.cancelled().await;
        }
    }

    pub(super) fn gone(&self) {
        self.shared.gone.cancel();
        if let Some(attached) = self.shared.attached.get() {
            tracing::info!(client = attached.known.name, "a client left");
            self.hub().leave_all(attached.id);
        }
    }

    fn attach(&self, known: Known) -> InitializeResult {
        let line = Line::new(&known, self.shared.client.clone(), self.shared.gone.clone());
        let client = BufferClient {
            name: known.name.clone(),
            encoding: known.encoding,
            editor: Arc::new(line.clone()),
            refuses_silently: known.refuses_silently(),
        };
        let id = self.hub().buffers.attach(client);
        if known.hello.is_some() {
            self.hub().editors.add(id, Arc::new(line.clone()));
        }
        let outbox = Outbox::default();
        tracing::info!(client = known.name, "a client came");
        let answer = known.answer();
        let to_client = (id, line.clone(), outbox.clone());
        let attached = Attached { id, outbox, known, line, told: Mutex::default() };
        if self.shared.attached.set(attached).is_ok() {
            tokio::spawn(deliver(Arc::clone(self.hub()), to_client, self.shared.gone.clone()));
        }
        answer
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let known = Known::new(&params)?;
        Ok(self.attach(known))
    }

    async fn initialized(&self, _: InitializedParams) {}

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

/// Sends a client what its sessions have for it, in their order. Asks wait for their reply beside that.
async fn deliver(hub: Arc<Hub>, (client, line, outbox): (ClientId, Line, Outbox), gone: CancellationToken) {
    while let Some(message) = gone.run_until_cancelled(outbox.next()).await {
        match message {
            Message::Event(event) => line.notify::<Event>(&event).await,
            Message::Settled(settled) => line.notify::<PermissionSettled>(&settled).await,
            Message::Answered(answered) => line.notify::<QuestionSettled>(&answered).await,
            Message::Reached(reached) => reached.cancel(),
            Message::Question(asked) => {
                let (hub, line) = (Arc::clone(&hub), line.clone());
                tokio::spawn(async move {
                    let Ok(reply) = line.request::<QuestionAsk>(&asked).await else { return };
                    if let Some(held) = hub.held(&asked.session) {
                        held.answer(&asked.questions.question, (client, line.name()), reply).await;
                    }
                });
            }
            Message::Ask(ask) => {
                let (hub, line) = (Arc::clone(&hub), line.clone());
                tokio::spawn(async move {
                    let Ok(reply) = line.request::<PermissionAsk>(&ask).await else { return };
                    if let Some(held) = hub.held(&ask.session) {
                        held.reply(&ask.ask.ask, (client, line.name()), reply).await;
                    }
                });
            }
        }
    }
}

/// An error of the hub, as a client is told.
pub(super) fn failed(error: &HubError) -> tower_lsp_server::jsonrpc::Error {
    greet::error(error.code(), error.to_string(), None)
}
