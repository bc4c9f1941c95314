//! The desk as editors see it: an LSP server with methods of its own, one per connection.
//!
//! It stands on tower-lsp-server, which as it comes breaks all three laws (`tests/laws` shows how):
//! 1. *Order.* What a client tells (`textDocument/did…`) is applied in [`ordered_sync`], while the message is being read and before
//!    the next one is looked at; no handler and no task comes between.
//! 2. *No waiting.* No handler waits for a person or a model, and reading never waits for handlers ([`message_loop`]).
//! 3. *Cancelled is a result.* No handler of ours is left half done: what is long is a turn, and that is cancelled by name.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower_lsp_server::LspService;

use crate::lifecycle::{BoxFuture, DaemonHandle, DaemonService};
use crate::log_control::LogControl;
use copydesk_host::session_host::SessionHost;
use copydesk_rpc::transport::SocketConnection;

mod apply_edit;
mod backend;
pub mod client_encoding;
mod documents;
mod initialize;
mod lsp_client;
mod message_loop;
mod ordered_sync;
mod requests;

use backend::LspBackend;
use ordered_sync::OrderedSyncService;

/// What a client that reads slowly gets to hear of the end of its turns.
const LAST_NEWS: Duration = Duration::from_secs(1);

/// The desk as the daemon serves it.
pub struct EditorService {
    pub host: Arc<SessionHost>,
    pub log: Arc<dyn LogControl>,
}

impl std::fmt::Debug for EditorService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl DaemonService for EditorService {
    fn serve(&self, connection: SocketConnection, life: DaemonHandle) -> BoxFuture<()> {
        let services = (Arc::clone(&self.host), Arc::clone(&self.log), life);
        Box::pin(async move {
            let (reader, writer) = connection.split();
            serve(services, reader, writer).await;
        })
    }

    fn running_turns(&self) -> tokio::sync::watch::Receiver<usize> {
        self.host.running_turns()
    }

    fn shut_down(&self) -> BoxFuture<()> {
        let hub = Arc::clone(&self.host);
        Box::pin(async move { hub.shut_down().await })
    }
}

/// Talks with one client until it goes.
async fn serve(
    (hub, log, life): (Arc<SessionHost>, Arc<dyn LogControl>, DaemonHandle),
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) {
    let ending = life.shutdown_token().clone();
    let mut kept = None;
    let builder = LspService::build_with_lifecycle_methods(|client| {
        let backend = LspBackend::new(hub, log, life, client);
        kept = Some(backend.clone());
        backend
    });
    let (service, socket) = requests::register(builder).finish();
    let Some(backend) = kept else { return };
    let _gone = DetachOnDrop(backend.clone());
    let closing = CancellationToken::new();
    let ends = async {
        ending.cancelled().await;
        let _ = timeout(LAST_NEWS, backend.flush_outbox()).await;
        closing.cancel();
    };
    let service = OrderedSyncService::new(service, backend.clone());
    let served = message_loop::serve(service, socket, reader, writer, closing.clone());
    // A client that goes by itself need not be told of the end.
    tokio::pin!(served);
    tokio::select! {
        () = &mut served => {}
        () = ends => served.await,
    }
}

/// However the connection ends, the desk forgets the client.
struct DetachOnDrop(LspBackend);

impl Drop for DetachOnDrop {
    fn drop(&mut self) {
        self.0.detach();
    }
}
