//! Requests and notifications from the daemon to one client.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use copydesk_host::editor_servers::{EditorLinkFuture, EditorServerLink};
use copydesk_host::editors::{EditorProgressFuture, ProgressUpdate};
use copydesk_protocol::document::{ChangeReason, DocumentChangedParams, DocumentSaveParams};
use copydesk_protocol::lenient;
use copydesk_protocol::method::{NotificationMethod, RequestMethod};
use copydesk_protocol::server::{
    EditorServerMessageParams, EditorServerResponse, EditorServersDoneParams, EditorServersParams,
    EditorServersResult,
};
use copydesk_protocol::table::{
    DocumentChanged, DocumentSave, EditorServerNotify, EditorServerRequest, EditorServers, EditorServersDone,
};
use copydesk_text::Document;
use copydesk_workspace::buffers::{BufferEdit, DiskChange, EditorError, EditorFuture, EditorHandle};
use copydesk_workspace::time_limits::EDIT_DEADLINE;
use futures_util::FutureExt as _;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::Service as _;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc;

use super::apply_edit;
use super::initialize::ClientProfile;

#[derive(Clone)]
pub(super) struct LspClient {
    name: String,
    client: Client,
    /// Cancelled when the client disconnects: the framework would wait forever for its responses.
    gone: CancellationToken,
    /// Whether the client is one of our extensions and knows our methods.
    is_extension: bool,
    can_rename: bool,
    /// It closes the document of a deleted file. Editors without our extension have their own way, and might close one with
    /// unsaved text.
    closes_deleted: bool,
    folders: Vec<PathBuf>,
}

impl LspClient {
    pub(super) fn new(profile: &ClientProfile, client: Client, gone: CancellationToken) -> Self {
        let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let folders = profile.folders.iter().map(real).collect();
        Self {
            name: profile.name.clone(),
            client,
            gone,
            is_extension: profile.hello.is_some(),
            can_rename: profile.file_operations.can_rename,
            closes_deleted: profile.file_operations.can_delete
                && profile.hello.is_some()
                && !profile.refuses_silently(),
            folders,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) async fn request<M: RequestMethod>(
        &self,
        params: &M::Params,
    ) -> Result<M::Result, EditorError> {
        if !self.is_extension {
            return Err(EditorError::Declined(format!(
                "this editor's extension does not support {}",
                M::METHOD
            )));
        }
        let result = self.send_request(M::METHOD, params).await?;
        lenient::decode(result).map_err(|error| EditorError::Declined(format!("{}: {error}", M::METHOD)))
    }

    pub(super) async fn notify<M: NotificationMethod>(&self, params: &M::Params) {
        if self.is_extension {
            self.send_notification(M::METHOD, params).await;
        }
    }

    /// Shows the user an error in the editor's own way.
    pub(super) async fn show_error(&self, message: String) {
        const ERROR: u8 = 1;
        self.send_notification(
            "window/showMessage",
            &serde_json::json!({ "type": ERROR, "message": message }),
        )
        .await;
    }

    fn apply_edit(&self, params: Value) -> EditorFuture<'_> {
        Box::pin(async move { apply_edit::verdict(self.send_request("workspace/applyEdit", &params).await?) })
    }

    async fn send_request(
        &self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<Value, EditorError> {
        let wrong = |error: serde_json::Error| EditorError::Declined(error.to_string());
        let params = serde_json::to_value(params).map_err(wrong)?;
        let id = self.client.next_request_id();
        let request = jsonrpc::Request::build(method).params(params).id(id).finish();
        let response = self.client.clone().call(request);
        let response = self.gone.run_until_cancelled(response).await.ok_or(EditorError::Disconnected)?;
        let response = response.ok().flatten().ok_or(EditorError::Disconnected)?;
        let (_, result) = response.into_parts();
        result.map_err(|error| EditorError::Declined(error.message.into_owned()))
    }

    async fn send_notification(&self, method: &'static str, params: &impl Serialize) {
        let Ok(params) = serde_json::to_value(params) else { return };
        let notification = jsonrpc::Request::build(method).params(params).finish();
        let sent = self.client.clone().call(notification);
        let _ = self.gone.run_until_cancelled(sent).await;
    }
}

impl EditorHandle for LspClient {
    fn apply_edits(&self, label: &str, edits: Vec<BufferEdit>, until: Instant) -> EditorFuture<'_> {
        let until = SystemTime::now() + until.saturating_duration_since(Instant::now());
        self.apply_edit(apply_edit::params(label, &edits, until))
    }

    fn save(&self, uri: &str) -> EditorFuture<'_> {
        let params = DocumentSaveParams { uri: uri.to_owned() };
        Box::pin(async move {
            let result = self.request::<DocumentSave>(&params).await?;
            match result.saved {
                true => Ok(()),
                false => Err(EditorError::Declined(
                    result
                        .message
                        .unwrap_or_else(|| "the editor did not save it and gave no reason".to_owned()),
                )),
            }
        })
    }

    fn move_file(&self, label: &str, uri: &str, to: &Path) -> EditorFuture<'_> {
        let why = match url::Url::from_file_path(to) {
            Ok(new) if self.can_rename => {
                let until = SystemTime::now() + EDIT_DEADLINE;
                let params = apply_edit::rename_params(label, uri, new.as_str(), until);
                return self.apply_edit(params);
            }
            Ok(_) => "it is open there, and this editor cannot move it; close it there first".to_owned(),
            Err(()) => format!("{} has no URI", to.display()),
        };
        Box::pin(std::future::ready(Err(EditorError::Declined(why))))
    }

    fn close_deleted(&self, label: &str, uri: &str, text: &Document) -> EditorFuture<'_> {
        if !self.closes_deleted {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.apply_edit(apply_edit::delete_params(label, uri, text, SystemTime::now() + EDIT_DEADLINE))
    }

    fn notify_disk_change(&self, path: &Path, what: DiskChange) {
        let Ok(uri) = url::Url::from_file_path(path) else { return };
        let reason = match what {
            DiskChange::Created => ChangeReason::Created,
            DiskChange::Written => ChangeReason::Written,
            DiskChange::Deleted => ChangeReason::Deleted,
        };
        let params = DocumentChangedParams { uri: uri.into(), reason };
        let client = self.clone();
        let mut sent = Box::pin(async move { client.notify::<DocumentChanged>(&params).await });
        // Sent at once if the queue has room, so that the editor gets it before the next request.
        if (&mut sent).now_or_never().is_none() {
            tokio::spawn(sent);
        }
    }
}

impl EditorServerLink for LspClient {
    fn servers(&self, params: EditorServersParams) -> EditorLinkFuture<'_, EditorServersResult> {
        Box::pin(async move { self.request::<EditorServers>(&params).await })
    }

    fn servers_done(&self, uri: String) -> EditorLinkFuture<'_, ()> {
        let params = EditorServersDoneParams { uri };
        Box::pin(async move {
            self.notify::<EditorServersDone>(&params).await;
            Ok(())
        })
    }

    fn request(&self, params: EditorServerMessageParams) -> EditorLinkFuture<'_, EditorServerResponse> {
        Box::pin(async move { self.request::<EditorServerRequest>(&params).await })
    }

    fn notify(&self, params: EditorServerMessageParams) -> EditorLinkFuture<'_, ()> {
        Box::pin(async move {
            self.notify::<EditorServerNotify>(&params).await;
            Ok(())
        })
    }
}

impl LspClient {
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    pub(super) fn report_progress<'a>(
        &'a self,
        token: &'a str,
        work: ProgressUpdate<'a>,
    ) -> EditorProgressFuture<'a> {
        let mut value = match work {
            ProgressUpdate::Begin { title, message, percent } => {
                json!({ "kind": "begin", "title": title, "message": message, "percentage": percent })
            }
            ProgressUpdate::Report { message, percent } => {
                json!({ "kind": "report", "message": message, "percentage": percent })
            }
            ProgressUpdate::End => json!({ "kind": "end" }),
        };
        // LSP wants unknown members left out, not `null`.
        if let Some(members) = value.as_object_mut() {
            members.retain(|_, member| !member.is_null());
        }
        Box::pin(async move {
            if let ProgressUpdate::Begin { .. } = work {
                let created =
                    self.send_request("window/workDoneProgress/create", &json!({ "token": token })).await;
                if created.is_err() {
                    return;
                }
            }
            self.send_notification("$/progress", &json!({ "token": token, "value": value })).await;
        })
    }
}
