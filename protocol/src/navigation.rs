//! Navigation with the editor's own language servers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::editor::AnswerState;
use crate::lenient;
use crate::position::{WireLocation, WirePosition, WireRange};

/// What to find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NavigateParams {
    /// The kind of request.
    pub kind: NavigateKind,
    /// The document; needed for all but `workspaceSymbols`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The position in it; needed for all but the symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<WirePosition>,
    /// The name or a part of it, for `workspaceSymbols`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// How long to wait for the language server, in milliseconds; by default the editor decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}

/// The kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NavigateKind {
    /// Where the symbol is defined.
    Definition,
    /// Where it is declared.
    Declaration,
    /// Where its type is defined.
    TypeDefinition,
    /// Where it is implemented.
    Implementation,
    /// Where it is used.
    References,
    /// A description of it.
    Hover,
    /// The symbols of the document.
    DocumentSymbols,
    /// The symbols of the workspace whose names match `query`.
    WorkspaceSymbols,
    /// Its callers.
    IncomingCalls,
    /// Its callees.
    OutgoingCalls,
}

/// The result. The kind of request determines which list is filled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NavigateResult {
    /// Whether the editor could answer.
    pub state: AnswerState,
    /// Definitions, declarations, implementations, references.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub locations: Vec<WireLocation>,
    /// Symbols, callers, callees.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub symbols: Vec<SymbolInfo>,
    /// The hover text, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The language server that answered, if the editor knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// A symbol in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolInfo {
    /// Its name.
    pub name: String,
    /// Its LSP symbol kind, such as `function` or `struct`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// More about it, such as its signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The symbol that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The document.
    pub uri: String,
    /// The range of the whole symbol.
    pub range: WireRange,
    /// Its nesting depth in the document, from 0; the list is in document order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// For callers and callees, where the calls are: of incoming calls in this document, of outgoing calls in the requested
    /// document.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub calls: Vec<WireRange>,
}
