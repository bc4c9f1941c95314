//! The LSP face: an LSP server with methods of our own, one per connection.
//!
//! It builds on tower-lsp-server, which by itself breaks all three laws (`tests/laws` shows how):
//! 1. *Order.* [`ordered_sync`] applies a client's `textDocument/did…` while the message is read and before the
//!    next one; no handler and no task comes between.
//! 2. *No waiting.* No handler waits for a user or a model, and reading never waits for handlers
//!    ([`message_loop`]).
//! 3. *Cancelled is a result.* No handler is dropped half done: long work is a turn, and clients cancel it by
//!    its session.

use std::sync::Arc;

use copydesk_host::session_host::SessionHost;
use copydesk_rpc::transport::SocketConnection;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower_lsp_server::LspService;

use crate::lifecycle::{BoxFuture, DaemonHandle, DaemonService};
use crate::log_control::LogControl;
use crate::time_limits::CONNECTION_SHUTDOWN_TIMEOUT;

mod apply_edit;
mod attached_editor;
mod backend;
pub mod client_encoding;
mod client_message;
mod documents;
mod initialize;
mod lsp_client;
mod message_loop;
mod ordered_sync;
mod requests;
mod server_reports;

use backend::LspBackend;
use ordered_sync::OrderedService;

/// Serves editors and other clients over LSP.
pub struct LspFace {
    pub host: Arc<SessionHost>,
    pub log: Arc<dyn LogControl>,
}

impl std::fmt::Debug for LspFace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LspFace").finish_non_exhaustive()
    }
}

impl DaemonService for LspFace {
    fn serve(&self, connection: SocketConnection, daemon: DaemonHandle) -> BoxFuture<()> {
        let services = (Arc::clone(&self.host), Arc::clone(&self.log), daemon);
        Box::pin(async move {
            let (reader, writer) = connection.split();
            serve(services, reader, writer).await;
        })
    }

    fn running_turns(&self) -> tokio::sync::watch::Receiver<usize> {
        self.host.running_turns()
    }

    fn shut_down(&self) -> BoxFuture<()> {
        let host = Arc::clone(&self.host);
        Box::pin(async move { host.shut_down().await })
    }
}

/// Serves one client until it disconnects.
async fn serve(
    (host, log, daemon): (Arc<SessionHost>, Arc<dyn LogControl>, DaemonHandle),
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) {
    let ending = daemon.shutdown_token().clone();
    let mut created = None;
    let builder = LspService::build_with_lifecycle_methods(|client| {
        let backend = LspBackend::new(host, log, daemon, client);
        created = Some(backend.clone());
        backend
    });
    let (service, socket) = requests::register(builder).finish();
    let Some(backend) = created else { return };
    let _detach = DetachOnDrop(backend.clone());
    let closing = CancellationToken::new();
    let ends = async {
        ending.cancelled().await;
        let _ = timeout(CONNECTION_SHUTDOWN_TIMEOUT, backend.flush_outbox()).await;
        closing.cancel();
    };
    let services = (OrderedService(service), ordered_sync::apply_to(backend.clone()));
    let served = message_loop::serve(services, socket, reader, writer, closing.clone());
    // A client that leaves by itself needs no last messages.
    tokio::pin!(served);
    tokio::select! {
        () = &mut served => {}
        () = ends => served.await,
    }
}

/// Detaches the client from the host, however the connection ends.
struct DetachOnDrop(LspBackend);

impl Drop for DetachOnDrop {
    fn drop(&mut self) {
        self.0.detach();
    }
}
