//! `initialize`: the client's params and capabilities, and the server's.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::code_query::CodeQuery;
use super::document_selector::DocumentSelector;
use super::{ServerLaunch, tsserver, uri};
use crate::quirks::PullSupport;

/// `daemon` is the process that the server may watch.
pub(super) fn initialize_params(launch: &ServerLaunch, daemon: Option<u32>) -> Value {
    json!({
        "processId": daemon,
        "clientInfo": { "name": "copydesk", "version": env!("CARGO_PKG_VERSION") },
        "locale": "en",
        "rootPath": launch.root.to_str(),
        "rootUri": uri::from_path(&launch.root),
        "workspaceFolders": workspace_folders(launch),
        "initializationOptions": launch.initialization,
        "capabilities": capabilities(launch.quirks.pull),
    })
}

/// The workspace folders, for `initialize` and for `workspace/workspaceFolders`.
pub(super) fn workspace_folders(launch: &ServerLaunch) -> Value {
    let alone = [launch.root.clone()];
    let folders = if launch.folders.is_empty() { &alone[..] } else { &launch.folders };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = folders.iter().map(|path| json!({ "uri": uri::from_path(path), "name": name(path) }));
    shown.collect()
}

/// The kinds of code actions that the daemon knows, with all that begin with one of them.
const ACTION_KINDS: [&str; 6] =
    ["quickfix", "refactor", "source", "source.organizeImports", "source.fixAll", ""];

fn capabilities(pull: PullSupport) -> Value {
    let can_pull = !matches!(pull, PullSupport::Never | PullSupport::Tsserver);
    let diagnostic = can_pull.then(|| json!({ "dynamicRegistration": true, "relatedDocumentSupport": true }));
    let diagnostics = can_pull.then(|| json!({ "refreshSupport": true }));
    let mut capabilities = json!({
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": {
            "synchronization": { "dynamicRegistration": false, "didSave": true },
            "formatting": { "dynamicRegistration": false },
            "definition": { "dynamicRegistration": true, "linkSupport": true },
            "declaration": { "dynamicRegistration": true, "linkSupport": true },
            "typeDefinition": { "dynamicRegistration": true, "linkSupport": true },
            "implementation": { "dynamicRegistration": true, "linkSupport": true },
            "references": { "dynamicRegistration": true },
            "hover": { "dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"] },
            "documentSymbol": { "dynamicRegistration": true, "hierarchicalDocumentSymbolSupport": true },
            "callHierarchy": { "dynamicRegistration": true },
            "typeHierarchy": { "dynamicRegistration": true },
            "rangeFormatting": { "dynamicRegistration": true },
            "rename": { "dynamicRegistration": true, "honorsChangeAnnotations": true },
            "codeAction": {
                "dynamicRegistration": true,
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "resolveSupport": { "properties": ["edit", "command"] },
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ACTION_KINDS } },
            },
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": false,
                "dataSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
            "diagnostic": diagnostic,
        },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "transactional",
                "changeAnnotationSupport": { "groupsOnLabel": false },
            },
            "configuration": true,
            "workspaceFolders": true,
            "symbol": { "dynamicRegistration": true },
            "didChangeConfiguration": { "dynamicRegistration": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "diagnostics": diagnostics,
        },
        "window": { "workDoneProgress": true },
        "experimental": { "serverStatusNotification": true },
    });
    // Leaves out what is `null`: not every server accepts it.
    for group in capabilities.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        group.as_object_mut().into_iter().for_each(|group| group.retain(|_, value| !value.is_null()));
    }
    capabilities
}

/// How a server wants to get changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextSyncKind {
    /// No changes: the daemon closes the document and opens it again.
    None,
    Full,
    Incremental,
}

/// The server's capabilities, from its response to `initialize`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerCapabilities {
    pub(super) sync: TextSyncKind,
    /// Whether it gets didSave, and whether with the text.
    pub(super) save: Option<IncludeText>,
    pub(super) pull: Option<PullOptions>,
    /// It passes requests on to tsserver.
    pub(super) tsserver: bool,
    /// It gives the edit of a code action when it is asked for it.
    pub(super) resolves_actions: bool,
    /// The questions about code that it answers.
    pub(super) queries: BTreeSet<CodeQuery>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IncludeText(pub(super) bool);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PullOptions {
    pub(super) identifier: Option<String>,
    /// The documents that it is for; `None` for all.
    pub(super) selector: Option<DocumentSelector>,
    /// It supports `workspace/diagnostic`.
    pub(super) workspace: bool,
}

impl ServerCapabilities {
    pub(super) fn read(answer: &Value) -> Self {
        let capabilities = answer.get("capabilities").unwrap_or(&Value::Null);
        let sync = capabilities.get("textDocumentSync").unwrap_or(&Value::Null);
        let kind = sync.get("change").unwrap_or(sync).as_u64();
        let save = match sync.get("save") {
            Some(Value::Bool(true)) => Some(IncludeText(false)),
            Some(Value::Object(options)) => {
                Some(IncludeText(options.get("includeText") == Some(&Value::Bool(true))))
            }
            // A server that only names its kind of sync gets didSave too, by tradition.
            None if sync.is_u64() => Some(IncludeText(false)),
            _ => None,
        };
        let pull = capabilities.get("diagnosticProvider").and_then(PullOptions::read);
        let commands = capabilities.get("executeCommandProvider").and_then(|offered| offered.get("commands"));
        let mut commands = commands.and_then(Value::as_array).into_iter().flatten();
        let tsserver = commands.any(|command| command == tsserver::COMMAND);
        let sync = match kind {
            Some(1) => TextSyncKind::Full,
            Some(2) => TextSyncKind::Incremental,
            _ => TextSyncKind::None,
        };
        // Lua encodes an empty object as `[]`.
        let is_offered = |name: &str| {
            let offer = capabilities.pointer(&format!("/{name}"));
            offer.is_some_and(|offer| offer.is_object() || offer.is_array() || offer == &Value::Bool(true))
        };
        let resolves_actions =
            capabilities.pointer("/codeActionProvider/resolveProvider") == Some(&Value::Bool(true));
        let queries = CodeQuery::ALL.into_iter().filter(|query| is_offered(query.capability())).collect();
        Self { sync, save, pull, tsserver, resolves_actions, queries }
    }
}

impl PullOptions {
    /// Accepts `true`, which the protocol does not allow but which is clear.
    pub(super) fn read(options: &Value) -> Option<Self> {
        // Also accepts `[]`, which is how Lua encodes an empty object.
        if options == &Value::Bool(true) || options.as_array().is_some_and(Vec::is_empty) {
            return Some(Self::default());
        }
        let options = options.as_object()?;
        Some(Self {
            selector: options.get("documentSelector").and_then(DocumentSelector::read),
            identifier: options.get("identifier").and_then(Value::as_str).map(str::to_owned),
            workspace: options.get("workspaceDiagnostics") == Some(&Value::Bool(true)),
        })
    }
}
