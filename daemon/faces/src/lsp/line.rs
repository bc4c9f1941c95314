//! The line to one client: what the desk asks of it and tells it.

use std::path::{Path, PathBuf};

use copydesk_protocol::document::{ChangeReason, DocumentChangedParams, DocumentSaveParams};
use copydesk_protocol::editor::DiagnosticsParams;
use copydesk_protocol::lenient;
use copydesk_protocol::method::{Notification, Request};
use copydesk_protocol::table::{DocumentChanged, DocumentSave, EditorDiagnostics};
use copydesk_workspace::buffers::{Answer, BufferEdit, Editor, OnDisk, Refusal};
use futures_util::FutureExt as _;
use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::Service as _;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc;

use super::apply;
use super::greet::Known;
use copydesk_host::editors::{Asked, Asking, Telling, Work};

#[derive(Clone)]
pub(super) struct Line {
    name: String,
    client: Client,
    /// Cancelled when the client is gone: the framework would wait for its answers for ever.
    gone: CancellationToken,
    /// Whether it is one of our extensions and knows our methods.
    ours: bool,
    folders: Vec<PathBuf>,
}

impl Line {
    pub(super) fn new(known: &Known, client: Client, gone: CancellationToken) -> Self {
        let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let folders = known.folders.iter().map(real).collect();
        Self { name: known.name.clone(), client, gone, ours: known.hello.is_some(), folders }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) async fn request<M: Request>(&self, params: &M::Params) -> Result<M::Result, Refusal> {
        if !self.ours {
            return Err(Refusal::Said(format!("this editor's extension does not know {}", M::METHOD)));
        }
        let result = self.ask(M::METHOD, params).await?;
        lenient::decode(result).map_err(|error| Refusal::Said(format!("{}: {error}", M::METHOD)))
    }

    pub(super) async fn notify<M: Notification>(&self, params: &M::Params) {
        if self.ours {
            self.tell(M::METHOD, params).await;
        }
    }

    /// Says something to the person, in whatever way the editor has for that.
    pub(super) async fn show_error(&self, message: String) {
        const ERROR: u8 = 1;
        self.tell("window/showMessage", &serde_json::json!({ "type": ERROR, "message": message })).await;
    }

    async fn ask(&self, method: &'static str, params: &impl Serialize) -> Result<Value, Refusal> {
        let wrong = |error: serde_json::Error| Refusal::Said(error.to_string());
        let params = serde_json::to_value(params).map_err(wrong)?;
        let id = self.client.next_request_id();
        let request = jsonrpc::Request::build(method).params(params).id(id).finish();
        let answer = self.client.clone().call(request);
        let answer = self.gone.run_until_cancelled(answer).await.ok_or(Refusal::Gone)?;
        let response = answer.ok().flatten().ok_or(Refusal::Gone)?;
        let (_, result) = response.into_parts();
        result.map_err(|error| Refusal::Said(error.message.into_owned()))
    }

    async fn tell(&self, method: &'static str, params: &impl Serialize) {
        let Ok(params) = serde_json::to_value(params) else { return };
        let notification = jsonrpc::Request::build(method).params(params).finish();
        let told = self.client.clone().call(notification);
        let _ = self.gone.run_until_cancelled(told).await;
    }
}

impl Editor for Line {
    fn apply(&self, label: &str, edits: Vec<BufferEdit>) -> Answer<'_> {
        let params = apply::params(label, &edits);
        Box::pin(async move { apply::verdict(self.ask("workspace/applyEdit", &params).await?) })
    }

    fn save(&self, uri: &str) -> Answer<'_> {
        let params = DocumentSaveParams { uri: uri.to_owned() };
        Box::pin(async move {
            let result = self.request::<DocumentSave>(&params).await?;
            match result.saved {
                true => Ok(()),
                false => Err(Refusal::Said(result.message.unwrap_or_else(|| "it was not saved".to_owned()))),
            }
        })
    }

    fn changed_on_disk(&self, path: &Path, what: OnDisk) {
        let Ok(uri) = url::Url::from_file_path(path) else { return };
        let reason = match what {
            OnDisk::Created => ChangeReason::Created,
            OnDisk::Written => ChangeReason::Written,
            OnDisk::Deleted => ChangeReason::Deleted,
        };
        let params = DocumentChangedParams { uri: uri.into(), reason };
        let line = self.clone();
        let mut told = Box::pin(async move { line.notify::<DocumentChanged>(&params).await });
        // At once where there is room, so that it comes before what is asked next.
        if (&mut told).now_or_never().is_none() {
            tokio::spawn(told);
        }
    }
}

impl Asked for Line {
    fn name(&self) -> &str {
        &self.name
    }

    fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn diagnostics(&self, params: DiagnosticsParams) -> Asking<'_> {
        Box::pin(async move { self.request::<EditorDiagnostics>(&params).await })
    }

    fn work<'a>(&'a self, token: &'a str, work: Work<'a>) -> Telling<'a> {
        let mut value = match work {
            Work::Begins { title, message, percent } => {
                json!({ "kind": "begin", "title": title, "message": message, "percentage": percent })
            }
            Work::GoesOn { message, percent } => {
                json!({ "kind": "report", "message": message, "percentage": percent })
            }
            Work::Ends => json!({ "kind": "end" }),
        };
        // What is not known is left out.
        if let Some(members) = value.as_object_mut() {
            members.retain(|_, member| !member.is_null());
        }
        Box::pin(async move {
            if let Work::Begins { .. } = work {
                let created = self.ask("window/workDoneProgress/create", &json!({ "token": token })).await;
                if created.is_err() {
                    return;
                }
            }
            self.tell("$/progress", &json!({ "token": token, "value": value })).await;
        })
    }
}
