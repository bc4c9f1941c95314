//! The desk as editors see it: an LSP server with methods of its own, one per connection.
//!
//! It stands on tower-lsp-server, which as it comes breaks all three laws (`tests/laws` shows how):
//! 1. *Order.* What a client tells (`textDocument/did…`) is applied in [`ordered`], while the message is being read and before
//!    the next one is looked at; no handler and no task comes between.
//! 2. *No waiting.* No handler waits for a person or a model, and reading never waits for handlers ([`wire`]).
//! 3. *Cancelled is a result.* No handler of ours is left half done: what is long is a turn, and that is cancelled by name.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower_lsp_server::LspService;

use crate::lifecycle::{BoxFuture, Host, Life};
use copydesk_host::hub::Hub;
use copydesk_rpc::transport::Connection;

mod apply;
mod backend;
pub mod counting;
mod documents;
mod greet;
mod line;
mod ordered;
mod requests;
mod wire;

use backend::Backend;
use ordered::Ordered;

/// What a client that reads slowly gets to hear of the end of its turns.
const LAST_NEWS: Duration = Duration::from_secs(1);

/// The desk as the daemon serves it.
pub struct Desk {
    pub hub: Arc<Hub>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Host for Desk {
    fn serve(&self, connection: Connection, life: Life) -> BoxFuture<()> {
        let hub = Arc::clone(&self.hub);
        Box::pin(async move {
            let (reader, writer) = connection.split();
            serve(hub, life, reader, writer).await;
        })
    }

    fn turns(&self) -> tokio::sync::watch::Receiver<usize> {
        self.hub.turns()
    }

    fn end(&self) -> BoxFuture<()> {
        let hub = Arc::clone(&self.hub);
        Box::pin(async move { hub.end().await })
    }
}

/// Talks with one client until it goes.
async fn serve(
    hub: Arc<Hub>,
    life: Life,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) {
    let ending = life.ending().clone();
    let mut kept = None;
    let builder = LspService::build_with_lifecycle_methods(|client| {
        let backend = Backend::new(hub, life, client);
        kept = Some(backend.clone());
        backend
    });
    let (service, socket) = requests::register(builder).finish();
    let Some(backend) = kept else { return };
    let _gone = Gone(backend.clone());
    let closing = CancellationToken::new();
    let ends = async {
        ending.cancelled().await;
        let _ = timeout(LAST_NEWS, backend.told()).await;
        closing.cancel();
    };
    let service = Ordered::new(service, backend.clone());
    let served = wire::serve(service, socket, reader, writer, closing.clone());
    // A client that goes by itself need not be told of the end.
    tokio::pin!(served);
    tokio::select! {
        () = &mut served => {}
        () = ends => served.await,
    }
}

/// However the connection ends, the desk forgets the client.
struct Gone(Backend);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.gone();
    }
}
