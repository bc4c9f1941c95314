//! The attached editors, which know the diagnostics of their own language servers.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_protocol::editor::{DiagnosticsParams, DiagnosticsResult};
use copydesk_servers::{CodeQuery, LeasedServers};
use copydesk_workspace::buffers::{ClientId, EditorError};
use tokio::time::Instant;

use crate::editor_servers::EditorDocument;

pub type EditorDiagnosticsFuture<'a> =
    Pin<Box<dyn Future<Output = Result<DiagnosticsResult, EditorError>> + Send + 'a>>;

pub type EditorLeaseFuture<'a> =
    Pin<Box<dyn Future<Output = Result<LeasedServers, EditorError>> + Send + 'a>>;

pub type EditorProgressFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The progress of a long operation.
#[derive(Debug, Clone, Copy)]
pub enum ProgressUpdate<'a> {
    Begin { title: &'a str, message: Option<&'a str>, percent: Option<u32> },
    Report { message: Option<&'a str>, percent: Option<u32> },
    End,
}

/// An editor with our extension.
pub trait AttachedEditor: Send + Sync {
    /// The name that the user sees.
    fn name(&self) -> &str;

    /// The editor's workspace folders, by their real paths.
    fn folders(&self) -> &[PathBuf];

    fn diagnostics(&self, params: DiagnosticsParams) -> EditorDiagnosticsFuture<'_>;

    /// The editor's servers of a document that answer this.
    fn lease_servers<'a>(
        &'a self,
        document: EditorDocument<'a>,
        query: CodeQuery,
        ready_by: Instant,
    ) -> EditorLeaseFuture<'a>;

    /// Which of its servers still reads the project, and how far it is. For a user.
    fn loading(&self) -> Option<String>;

    /// `token` is the same from `Begin` to `End`.
    fn report_progress<'a>(&'a self, token: &'a str, work: ProgressUpdate<'a>) -> EditorProgressFuture<'a>;
}

/// Clones share one state.
#[derive(Clone, Default)]
pub struct AttachedEditors {
    attached: Arc<Mutex<HashMap<ClientId, Arc<dyn AttachedEditor>>>>,
}

impl std::fmt::Debug for AttachedEditors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AttachedEditors").finish_non_exhaustive()
    }
}

impl AttachedEditors {
    pub fn add(&self, client: ClientId, editor: Arc<dyn AttachedEditor>) {
        self.lock().insert(client, editor);
    }

    pub fn remove(&self, client: ClientId) {
        self.lock().remove(&client);
    }

    pub fn get(&self, client: ClientId) -> Option<Arc<dyn AttachedEditor>> {
        self.lock().get(&client).cloned()
    }

    /// In the order in which they attached.
    pub fn all(&self) -> Vec<(ClientId, Arc<dyn AttachedEditor>)> {
        let attached = self.lock();
        let mut all: Vec<_> = attached.iter().map(|(client, editor)| (*client, Arc::clone(editor))).collect();
        drop(attached);
        all.sort_by_key(|(client, _)| *client);
        all
    }

    /// Editors that work in a folder, or in one below or above it.
    pub fn near_folder(&self, folder: &Path) -> Vec<(ClientId, Arc<dyn AttachedEditor>)> {
        let is_at = |own: &PathBuf| own.starts_with(folder) || folder.starts_with(own);
        let mut all = self.all();
        all.retain(|(_, editor)| editor.folders().iter().any(is_at));
        all
    }

    /// The folders that an editor has open beside this one. There may be very many: the first few.
    pub fn other_folders(&self, folder: &Path) -> Vec<PathBuf> {
        const MAX_FOLDERS: usize = 20;
        let editors = self.near_folder(folder);
        let all = editors.iter().flat_map(|(_, editor)| editor.folders());
        let others: BTreeSet<_> = all.filter(|other| !folder.starts_with(other)).cloned().collect();
        others.into_iter().take(MAX_FOLDERS).collect()
    }

    // A poisoned lock is fine: each change is one insert or remove.
    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Arc<dyn AttachedEditor>>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
