//! Questions about code that a server answers: where something is defined or used, what calls it, which symbols there are. What it
//! would change is in `code_edits`.
//!
//! The server must have the file open, with the text that the position is about. Positions are in the server's own encoding
//! ([`LanguageServer::position_encoding`]), because only the caller has the texts of the files in the answer.

mod read_answer;

use std::ops::Range;
use std::path::{Path, PathBuf};

use copydesk_text::{Position, PositionEncoding};
use lsp_types::SymbolKind;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::LanguageServer;
use super::record::parse_value;
use crate::time_limits::ASK_AGAIN_DELAY;
use copydesk_rpc::peer::PeerError;

/// LSP's errors of a server that is busy with changes.
const CONTENT_MODIFIED: i64 = -32801;
const SERVER_CANCELLED: i64 = -32802;

/// What can be asked about a place, a file or a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeQuery {
    Definition,
    Declaration,
    TypeDefinition,
    Implementation,
    References,
    Hover,
    DocumentSymbols,
    WorkspaceSymbols,
    IncomingCalls,
    OutgoingCalls,
    Supertypes,
    Subtypes,
    Rename,
    /// The edits that belong to the rename of a file.
    WillRenameFiles,
    CodeActions,
    Formatting,
    RangeFormatting,
}

impl CodeQuery {
    pub(super) const ALL: [Self; 17] = [
        Self::Definition,
        Self::Declaration,
        Self::TypeDefinition,
        Self::Implementation,
        Self::References,
        Self::Hover,
        Self::DocumentSymbols,
        Self::WorkspaceSymbols,
        Self::IncomingCalls,
        Self::OutgoingCalls,
        Self::Supertypes,
        Self::Subtypes,
        Self::Rename,
        Self::WillRenameFiles,
        Self::CodeActions,
        Self::Formatting,
        Self::RangeFormatting,
    ];

    /// The method of the first request, by which servers register it, too.
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Definition => "textDocument/definition",
            Self::Declaration => "textDocument/declaration",
            Self::TypeDefinition => "textDocument/typeDefinition",
            Self::Implementation => "textDocument/implementation",
            Self::References => "textDocument/references",
            Self::Hover => "textDocument/hover",
            Self::DocumentSymbols => "textDocument/documentSymbol",
            Self::WorkspaceSymbols => "workspace/symbol",
            Self::IncomingCalls | Self::OutgoingCalls => "textDocument/prepareCallHierarchy",
            Self::Supertypes | Self::Subtypes => "textDocument/prepareTypeHierarchy",
            Self::Rename => "textDocument/rename",
            Self::WillRenameFiles => "workspace/willRenameFiles",
            Self::CodeActions => "textDocument/codeAction",
            Self::Formatting => "textDocument/formatting",
            Self::RangeFormatting => "textDocument/rangeFormatting",
        }
    }

    /// The server's capability for it, as a path.
    pub(super) fn capability(self) -> &'static str {
        match self {
            Self::Definition => "definitionProvider",
            Self::Declaration => "declarationProvider",
            Self::TypeDefinition => "typeDefinitionProvider",
            Self::Implementation => "implementationProvider",
            Self::References => "referencesProvider",
            Self::Hover => "hoverProvider",
            Self::DocumentSymbols => "documentSymbolProvider",
            Self::WorkspaceSymbols => "workspaceSymbolProvider",
            Self::IncomingCalls | Self::OutgoingCalls => "callHierarchyProvider",
            Self::Supertypes | Self::Subtypes => "typeHierarchyProvider",
            Self::Rename => "renameProvider",
            Self::WillRenameFiles => "workspace/fileOperations/willRename",
            Self::CodeActions => "codeActionProvider",
            Self::Formatting => "documentFormattingProvider",
            Self::RangeFormatting => "documentRangeFormattingProvider",
        }
    }

    /// The second request, for an item that the first one prepared.
    fn hierarchy_method(self) -> Option<&'static str> {
        match self {
            Self::IncomingCalls => Some("callHierarchy/incomingCalls"),
            Self::OutgoingCalls => Some("callHierarchy/outgoingCalls"),
            Self::Supertypes => Some("typeHierarchy/supertypes"),
            Self::Subtypes => Some("typeHierarchy/subtypes"),
            _ => None,
        }
    }
}

/// Why a server gave no answer. Each completes "NAME gave no answer: …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeQueryError {
    #[error("it cannot do this")]
    Unsupported,
    #[error("it does not have the file open")]
    NotOpen,
    #[error("it did not answer in time")]
    TimedOut,
    #[error("{0}")]
    Failed(String),
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLocation {
    pub path: PathBuf,
    pub range: Range<Position>,
}

/// A symbol, as a server names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub detail: Option<String>,
    /// The name of the symbol or module around it, if the server says it.
    pub container: Option<String>,
    /// In a file's symbols, the index of the one around it.
    pub parent: Option<usize>,
    pub path: PathBuf,
    /// All of it.
    pub range: Range<Position>,
    /// Its name.
    pub name_range: Range<Position>,
}

/// A caller, a callee, a supertype or a subtype.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyItem {
    pub symbol: ServerSymbol,
    /// Where the calls are: in the caller's file.
    pub calls: Vec<Range<Position>>,
    /// For the next level.
    item: Value,
}

impl LanguageServer {
    pub fn position_encoding(&self) -> PositionEncoding {
        self.inner.lock().encoding
    }

    /// Whether the server says that it can answer.
    pub fn answers(&self, query: CodeQuery) -> bool {
        let record = self.inner.lock();
        record.capabilities.queries.contains(&query) || record.registrations.registers(query)
    }

    /// Whether it may know nothing of closed files.
    pub fn may_know_only_open_files(&self) -> bool {
        self.inner.launch.quirks.open_files_only
    }

    /// Definitions, declarations, implementations or uses.
    pub async fn locations(
        &self,
        query: CodeQuery,
        path: &Path,
        at: Position,
        until: Instant,
    ) -> Result<Vec<ServerLocation>, CodeQueryError> {
        let mut params = self.position_params(path, at)?;
        if query == CodeQuery::References
            && let Some(params) = params.as_object_mut()
        {
            params.insert("context".to_owned(), json!({ "includeDeclaration": true }));
        }
        Ok(read_answer::locations(&self.ask_raw(query, query.method(), &params, until).await?))
    }

    /// The description of what is at a place, as Markdown.
    pub async fn hover(
        &self,
        path: &Path,
        at: Position,
        until: Instant,
    ) -> Result<Option<String>, CodeQueryError> {
        let params = self.position_params(path, at)?;
        let query = CodeQuery::Hover;
        Ok(read_answer::hover_text(&self.ask(query, query.method(), &params, until).await?))
    }

    /// The symbols of a file, in the order of the text.
    pub async fn document_symbols(
        &self,
        path: &Path,
        until: Instant,
    ) -> Result<Vec<ServerSymbol>, CodeQueryError> {
        let params = json!({ "textDocument": { "uri": self.open_uri(path)? } });
        let query = CodeQuery::DocumentSymbols;
        Ok(read_answer::document_symbols(&self.ask(query, query.method(), &params, until).await?, path))
    }

    pub async fn workspace_symbols(
        &self,
        name: &str,
        until: Instant,
    ) -> Result<Vec<ServerSymbol>, CodeQueryError> {
        let query = CodeQuery::WorkspaceSymbols;
        Ok(read_answer::workspace_symbols(
            &self.ask(query, query.method(), &json!({ "query": name }), until).await?,
        ))
    }

    /// What a hierarchy begins with: the functions or types at a place.
    pub async fn prepare_hierarchy(
        &self,
        query: CodeQuery,
        path: &Path,
        at: Position,
        until: Instant,
    ) -> Result<Vec<HierarchyItem>, CodeQueryError> {
        let params = self.position_params(path, at)?;
        Ok(read_answer::hierarchy_items(&self.ask(query, query.method(), &params, until).await?))
    }

    /// The next level of a hierarchy.
    pub async fn hierarchy(
        &self,
        query: CodeQuery,
        of: &HierarchyItem,
        until: Instant,
    ) -> Result<Vec<HierarchyItem>, CodeQueryError> {
        let method = query.hierarchy_method().ok_or(CodeQueryError::Unsupported)?;
        let answer = self.ask(query, method, &json!({ "item": of.item }), until).await?;
        Ok(read_answer::hierarchy_level(query, &answer))
    }

    pub(super) fn open_uri(&self, path: &Path) -> Result<String, CodeQueryError> {
        let record = self.inner.lock();
        record.documents.get(path).map(|document| document.uri.clone()).ok_or(CodeQueryError::NotOpen)
    }

    pub(super) fn position_params(&self, path: &Path, at: Position) -> Result<Value, CodeQueryError> {
        let position = json!({ "line": at.line, "character": at.character });
        Ok(json!({ "textDocument": { "uri": self.open_uri(path)? }, "position": position }))
    }

    pub(super) async fn ask(
        &self,
        query: CodeQuery,
        method: &'static str,
        params: &Value,
        until: Instant,
    ) -> Result<Value, CodeQueryError> {
        Ok(parse_value(&self.ask_raw(query, method, params, until).await?))
    }

    /// The answer as the server wrote it: a list of thousands of places makes no tree.
    async fn ask_raw(
        &self,
        query: CodeQuery,
        method: &'static str,
        params: &Value,
        until: Instant,
    ) -> Result<Box<RawValue>, CodeQueryError> {
        if !self.answers(query) {
            return Err(CodeQueryError::Unsupported);
        }
        loop {
            return match timeout_at(until, self.peer.request(method, params)).await {
                Err(_) => Err(CodeQueryError::TimedOut),
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(PeerError::Ended(why))) => Err(CodeQueryError::Failed(format!("it has ended: {why}"))),
                // It began with an older state of the project, and wants to be asked again.
                Ok(Err(PeerError::Rpc(error)))
                    if [CONTENT_MODIFIED, SERVER_CANCELLED].contains(&error.code) =>
                {
                    sleep(ASK_AGAIN_DELAY).await;
                    continue;
                }
                Ok(Err(PeerError::Rpc(error))) => Err(CodeQueryError::Failed(error.to_string())),
            };
        }
    }
}
