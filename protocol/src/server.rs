//! An editor's own language servers. The editor reports what it tells them and what they say; the daemon decides what that proves, and has
//! the editor ask them more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::editor::AnswerState;
use crate::lenient;

/// A language server of the editor is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerStartedParams {
    /// The editor's number of it, which no other server of this connection gets.
    pub server: u32,
    /// The editor's name of it, such as `lua_ls`.
    pub name: String,
    /// Its own name, from its response to `initialize`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_name: Option<String>,
    /// LSP's ids of the languages that it serves, if the editor does not know which server it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub languages: Vec<String>,
    /// The program and its arguments, if the editor knows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub command: Vec<String>,
    /// The folder that it works in, as a URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// How it counts characters, as LSP names it; UTF-16 if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Its capabilities, from its response to `initialize`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub capabilities: Value,
    /// It ran before the editor reported anything. The editor then reports its registrations and its running progress as received.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
}

/// The editor told a language server of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerDocumentParams {
    /// The server.
    pub server: u32,
    /// The document, as the server knows it.
    pub uri: String,
    /// What happened.
    pub event: ServerDocumentEvent,
    /// LSP's id of its language, when it is opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The version that the server was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// The version under which the editor sends the same text to the daemon; missing if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<i32>,
    /// It has changes that are not saved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub modified: bool,
    /// The server had it open before the editor reported anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
}

/// What the editor did with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ServerDocumentEvent {
    /// It opened it, or opened it again.
    Opened,
    /// It changed the text.
    Changed,
    /// It sends the same text to the daemon under another version from now on.
    Renumbered,
    /// It saved it.
    Saved,
    /// It closed it.
    Closed,
}

/// The editor told a language server of files on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerWatchedParams {
    /// The server.
    pub server: u32,
    /// The files, as in `workspace/didChangeWatchedFiles`.
    #[serde(deserialize_with = "lenient::list")]
    pub changes: Vec<WatchedFileChange>,
}

/// One file on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedFileChange {
    /// The file.
    pub uri: String,
    /// LSP's `FileChangeType`.
    #[serde(rename = "type")]
    pub kind: u8,
}

/// A language server sent the editor a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerReceivedParams {
    /// The server.
    pub server: u32,
    /// The message's method.
    pub method: String,
    /// The message's params, unchanged.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub params: Value,
}

/// A language server of the editor has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerEndedParams {
    /// The server.
    pub server: u32,
}

/// Which language servers of the editor serve a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorServersParams {
    /// The document. With a time to wait, the editor loads it if it is not open.
    pub uri: String,
    /// How long to wait for servers that still start, in milliseconds; not at all if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}

/// The servers. By now they were told of the document as it is, and the editor has reported that, or does so next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorServersResult {
    /// Whether there are any; `starting` if one of them still starts.
    pub state: AnswerState,
    /// The document, as the servers know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The version under which the editor sends the document to the daemon; missing if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Those that were started.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub servers: Vec<u32>,
}

/// The daemon needs a document no more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditorServersDoneParams {
    /// The document.
    pub uri: String,
}

/// A message for a language server of the editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorServerMessageParams {
    /// The server.
    pub server: u32,
    /// The daemon's number of a request. A notification has none; `$/cancelRequest` names the number of the request that it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The message's method.
    pub method: String,
    /// The message's params.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub params: Value,
    /// The document that it is about. If the server has another version of it, the message is not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<ServerDocumentVersion>,
    /// Until the response, the editor does not make the edits that the server asks for (`workspace/applyEdit`). It answers that they are made,
    /// and reports them as received: the user reviews them first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_edits: bool,
}

/// A document as a language server of the editor knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerDocumentVersion {
    /// The document.
    pub uri: String,
    /// The version that the server was told by the editor.
    pub version: i32,
}

/// The server's response.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditorServerResponse {
    /// Its result.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::nested")]
    pub error: Option<ServerResponseError>,
}

/// Why a server did not respond. If the text was another one by then, the code is LSP's `ContentModified`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerResponseError {
    /// LSP's code.
    pub code: i64,
    /// In words.
    pub message: String,
}
