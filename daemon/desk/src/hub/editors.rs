//! The editors that can be asked what their own language servers say.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_protocol::editor::{DiagnosticsParams, DiagnosticsResult};
use copydesk_workspace::buffers::{ClientId, Refusal};

pub(crate) type Asking<'a> = Pin<Box<dyn Future<Output = Result<DiagnosticsResult, Refusal>> + Send + 'a>>;

pub(crate) type Telling<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Something that takes time, for whoever shows that.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work<'a> {
    Begins { title: &'a str, message: Option<&'a str>, percent: Option<u32> },
    GoesOn { message: Option<&'a str>, percent: Option<u32> },
    Ends,
}

/// A client that knows our methods.
pub(crate) trait Asked: Send + Sync {
    /// What the person sees it called.
    fn name(&self) -> &str;

    fn diagnostics(&self, params: DiagnosticsParams) -> Asking<'_>;

    /// `token` is the same from the beginning to the end.
    fn work<'a>(&'a self, token: &'a str, work: Work<'a>) -> Telling<'a>;
}

/// Those that are attached. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Editors {
    attached: Arc<Mutex<HashMap<ClientId, Arc<dyn Asked>>>>,
}

impl Editors {
    pub(crate) fn add(&self, client: ClientId, editor: Arc<dyn Asked>) {
        self.lock().insert(client, editor);
    }

    pub(crate) fn remove(&self, client: ClientId) {
        self.lock().remove(&client);
    }

    pub(crate) fn get(&self, client: ClientId) -> Option<Arc<dyn Asked>> {
        self.lock().get(&client).cloned()
    }

    pub(crate) fn all(&self) -> Vec<(ClientId, Arc<dyn Asked>)> {
        self.lock().iter().map(|(client, editor)| (*client, Arc::clone(editor))).collect()
    }

    /// One entry more or less: a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Arc<dyn Asked>>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
