//! Where to find the language servers that answer questions about the code of a file.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use tokio::time::Instant;

use crate::server::{CodeQuery, LanguageServer};

/// A server that has a file open with its present text, until this is dropped.
pub struct ServerLease {
    pub server: Arc<LanguageServer>,
    /// The file, by the path that the server knows.
    pub path: PathBuf,
    /// Why the server is not ready: then an empty answer means nothing. It completes "NAME: …".
    pub not_ready: Option<String>,
    pub(crate) _release: Box<dyn Any + Send + Sync>,
}

impl ServerLease {
    /// `release` is dropped with the lease.
    pub fn new(
        server: Arc<LanguageServer>,
        path: PathBuf,
        not_ready: Option<String>,
        release: Box<dyn Any + Send + Sync>,
    ) -> Self {
        Self { server, path, not_ready, _release: release }
    }
}

impl fmt::Debug for ServerLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.server.name();
        f.debug_struct("ServerLease")
            .field("server", &name)
            .field("not_ready", &self.not_ready)
            .finish_non_exhaustive()
    }
}

/// The servers for a question.
#[derive(Debug, Default)]
pub struct LeasedServers {
    /// Those that can answer.
    pub leases: Vec<ServerLease>,
    /// Servers of the file that cannot: the name, and why.
    pub unavailable: Vec<(String, String)>,
}

pub type LeaseFuture<'a> = Pin<Box<dyn Future<Output = LeasedServers> + Send + 'a>>;

pub trait CodeServers: Send + Sync {
    /// The servers of a file that answer this, except those whose names are in `served`. Starts them, and waits for them until
    /// `ready_by` at most.
    fn lease<'a>(
        &'a self,
        path: &'a Path,
        query: CodeQuery,
        served: &'a [String],
        ready_by: Instant,
    ) -> LeaseFuture<'a>;

    /// What a server of a folder is doing before it can answer, for a user who waits: "rust-analyzer reads the project (45 %)".
    fn loading(&self, _folder: &Path) -> Option<String> {
        None
    }
}
