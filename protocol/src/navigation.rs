//! Navigation by the editor's own language servers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::editor::AnswerState;
use crate::lenient;
use crate::position::{WireLocation, WirePosition, WireRange};

/// What to find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NavigateParams {
    /// What is asked about it.
    pub kind: NavigateKind,
    /// The document; needed for all but `workspaceSymbols`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Where in it; needed for all but the symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<WirePosition>,
    /// The name, or a piece of it, for `workspaceSymbols`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// How long to wait for the language server, in milliseconds; where it is missing, as long as the editor likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NavigateKind {
    /// Where it is defined.
    Definition,
    /// Where it is declared.
    Declaration,
    /// Where its type is defined.
    TypeDefinition,
    /// Where it is implemented.
    Implementation,
    /// Where it is used.
    References,
    /// What it is, in words.
    Hover,
    /// The symbols of the document.
    DocumentSymbols,
    /// The symbols of the workspace whose names match `query`.
    WorkspaceSymbols,
    /// Who calls it.
    IncomingCalls,
    /// Whom it calls.
    OutgoingCalls,
}

/// What was found. Which of the lists is filled follows from what was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NavigateResult {
    /// Whether the editor could say.
    pub state: AnswerState,
    /// Definitions, declarations, implementations, references.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub locations: Vec<WireLocation>,
    /// Symbols, and the two ends of calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub symbols: Vec<SymbolInfo>,
    /// Hover, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The language server that answered, where the editor tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// A named thing in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolInfo {
    /// Its name.
    pub name: String,
    /// LSP's word for what it is, such as `function` or `struct`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// More about it, such as its signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The document.
    pub uri: String,
    /// All of it.
    pub range: WireRange,
    /// How deep it stands in the document, from 0; the list is in the order of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Where the calls are, for the ends of calls: in this document for incoming ones, in the one asked about for
    /// outgoing ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub calls: Vec<WireRange>,
}
