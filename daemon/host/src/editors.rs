//! The editors that can be asked what their own language servers say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_protocol::editor::{DiagnosticsParams, DiagnosticsResult};
use copydesk_workspace::buffers::{ClientId, EditorError};

pub type EditorDiagnosticsFuture<'a> =
    Pin<Box<dyn Future<Output = Result<DiagnosticsResult, EditorError>> + Send + 'a>>;

pub type EditorProgressFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Something that takes time, for whoever shows that.
#[derive(Debug, Clone, Copy)]
pub enum ProgressUpdate<'a> {
    Begin { title: &'a str, message: Option<&'a str>, percent: Option<u32> },
    Report { message: Option<&'a str>, percent: Option<u32> },
    End,
}

/// A client that knows our methods.
pub trait AttachedEditor: Send + Sync {
    /// What the person sees it called.
    fn name(&self) -> &str;

    /// The folders that it works in, by their real paths.
    fn folders(&self) -> &[PathBuf];

    fn diagnostics(&self, params: DiagnosticsParams) -> EditorDiagnosticsFuture<'_>;

    /// `token` is the same from the beginning to the end.
    fn report_progress<'a>(&'a self, token: &'a str, work: ProgressUpdate<'a>) -> EditorProgressFuture<'a>;
}

/// Those that are attached. Clones are the same.
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

    /// In the order in which they came.
    pub fn all(&self) -> Vec<(ClientId, Arc<dyn AttachedEditor>)> {
        let attached = self.lock();
        let mut all: Vec<_> = attached.iter().map(|(client, editor)| (*client, Arc::clone(editor))).collect();
        drop(attached);
        all.sort_by_key(|(client, _)| *client);
        all
    }

    /// Those that work in a folder, or in one below it or above it.
    pub fn near_folder(&self, folder: &Path) -> Vec<(ClientId, Arc<dyn AttachedEditor>)> {
        let is_at = |own: &PathBuf| own.starts_with(folder) || folder.starts_with(own);
        let mut all = self.all();
        all.retain(|(_, editor)| editor.folders().iter().any(is_at));
        all
    }

    /// One entry more or less: a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Arc<dyn AttachedEditor>>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
