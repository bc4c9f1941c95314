//! `initialize`: what the client and the daemon tell each other.

use std::path::PathBuf;

use copydesk_host::uri::path_of;
use copydesk_protocol::PROTOCOL;
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::handshake::{ClientHello, DaemonHello};
use copydesk_text::{LineBreaks, PositionEncoding};
use lsp_types::{
    InitializeParams, InitializeResult, PositionEncodingKind, ResourceOperationKind, ServerCapabilities,
    ServerInfo,
};
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, Result};

use super::client_encoding::lines_of;

/// The name of our Neovim plugin in its hello.
const PLUGIN: &str = "nvim";

/// The name of our command line in its hello.
const COMMAND_LINE: &str = "copydesk";

/// What the daemon knows of a client.
#[derive(Debug, Clone)]
pub(super) struct ClientProfile {
    pub(super) name: String,
    /// Present if the client is one of ours.
    pub(super) hello: Option<ClientHello>,
    pub(super) encoding: PositionEncoding,
    pub(super) folders: Vec<PathBuf>,
    pub(super) file_operations: FileOperations,
}

/// What a client can do to the files of its documents in `workspace/applyEdit`.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileOperations {
    pub(super) can_rename: bool,
    pub(super) can_delete: bool,
}

impl FileOperations {
    fn new(params: &InitializeParams) -> Self {
        let workspace = params.capabilities.workspace.as_ref();
        let edit = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
        let operations = edit.and_then(|edit| edit.resource_operations.as_deref()).unwrap_or_default();
        Self {
            can_rename: operations.contains(&ResourceOperationKind::Rename),
            can_delete: operations.contains(&ResourceOperationKind::Delete),
        }
    }
}

impl ClientProfile {
    pub(super) fn new(params: &InitializeParams) -> Result<Self> {
        let hello = ClientHello::from_initialization_options(params.initialization_options.as_ref());
        let hello =
            hello.map_err(|error| Error::invalid_params(format!("initializationOptions: {error}")))?;
        if let Some(Err(mismatch)) = hello.as_ref().map(ClientHello::check_version) {
            let message = mismatch.to_string();
            let data = serde_json::to_value(&mismatch).ok();
            return Err(error(ErrorCode::ProtocolMismatch, message, data));
        }
        let editor = params.client_info.as_ref().map(|info| info.name.clone());
        let name = editor.or_else(|| hello.as_ref().map(|hello| hello.client.clone()));
        Ok(Self {
            name: name.unwrap_or_else(|| "an editor".to_owned()),
            hello,
            encoding: encoding(params),
            folders: folders(params),
            file_operations: FileOperations::new(params),
        })
    }

    /// Whether the client may report language servers of its own: only an extension of ours in an editor does. The command line
    /// has none, and an editor without our extension does not report its servers.
    pub(super) fn may_have_servers(&self) -> bool {
        self.hello.as_ref().is_some_and(|hello| hello.client != COMMAND_LINE)
    }

    /// Neovim answers `applied` to an edit for an older version without making it; our plugin there answers
    /// `false`.
    pub(super) fn refuses_silently(&self) -> bool {
        is_neovim(&self.name) && self.hello.as_ref().is_none_or(|hello| hello.client != PLUGIN)
    }

    /// The line breaks of a text of this client.
    pub(super) fn lines(&self, text: &str) -> LineBreaks {
        lines_of(&self.name, text)
    }

    pub(super) fn initialize_result(&self) -> InitializeResult {
        let hello = DaemonHello {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
        };
        let encoding = match self.encoding {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
            PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
        };
        let sync = json!({ "openClose": true, "change": 2, "save": { "includeText": false } });
        InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(encoding),
                text_document_sync: serde_json::from_value(sync).ok(),
                experimental: Some(json!({ "copydesk": hello })),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "copydesk".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }
    }
}

fn is_neovim(client: &str) -> bool {
    client.starts_with("Neovim")
}

/// UTF-8 if the client offers it, because it is the cheapest; LSP's default is UTF-16.
fn encoding(params: &InitializeParams) -> PositionEncoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
    if offered.contains(&PositionEncodingKind::UTF8) {
        PositionEncoding::Utf8
    } else if !offered.is_empty() && !offered.contains(&PositionEncodingKind::UTF16) {
        PositionEncoding::Utf32
    } else {
        PositionEncoding::Utf16
    }
}

/// Read as JSON, because the types differ between protocol versions and only the paths matter.
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let params = serde_json::to_value(params).unwrap_or_default();
    let listed = params.get("workspaceFolders").and_then(Value::as_array).cloned().unwrap_or_default();
    let listed = listed.iter().filter_map(|folder| folder.get("uri")?.as_str().and_then(path_of));
    let folders: Vec<_> = listed.collect();
    let root = || params.get("rootUri")?.as_str().and_then(path_of);
    if folders.is_empty() { root().into_iter().collect() } else { folders }
}

pub(super) fn error(code: ErrorCode, message: String, data: Option<Value>) -> Error {
    Error { code: i64::from(code.code()).into(), message: message.into(), data }
}
