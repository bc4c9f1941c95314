//! Answers questions about code: where something is defined, used, called.

use std::borrow::Cow;
use std::path::PathBuf;

use copydesk_metadata::{CallDetail, CodePlaceMetadata, CodePlacesMetadata};
use copydesk_navigation::{AnswerOptions, CodePlace, NavigationOperation, NavigationRequest, PlaceRequest};
use copydesk_servers::CheckedDocument;
use copydesk_text::FileText;
use copydesk_workspace::files::ResolvedPath;
use copydesk_workspace::library_files::is_library_file;
use schemars::JsonSchema;
use serde::Deserialize;

use super::server_loading::show_loading;
use super::target_file::{file_error_with_hint, load_content, path_ask, search_ask, touched_file};
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::{Tool, TouchedFiles};

/// The cap on the places that views get.
const MAX_PLACES: usize = 200;

#[derive(Debug)]
pub(super) struct LspTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LspParameters {
    /// What to find out.
    operation: LspOperation,
    /// The file: relative to the workspace, or absolute. Not needed if `symbol` says enough.
    file_path: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1. A wrong one is forgiven within the line.
    character: Option<usize>,
    /// The name: `area`, `Square.area`; or a piece of the line that is there once.
    #[serde(alias = "query", alias = "name")]
    symbol: Option<String>,
    /// How many levels of callers, callees or types; default 1, at most 5.
    depth: Option<usize>,
    /// Whether definitions are shown whole.
    body: Option<bool>,
    /// Where a long list goes on: how many places to skip.
    offset: Option<usize>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum LspOperation {
    GoToDefinition,
    GoToDeclaration,
    GoToTypeDefinition,
    GoToImplementation,
    FindReferences,
    Hover,
    DocumentSymbol,
    WorkspaceSymbol,
    PrepareCallHierarchy,
    IncomingCalls,
    OutgoingCalls,
    Supertypes,
    Subtypes,
    Diagnostics,
}

impl LspOperation {
    /// `None` if it is not about a place.
    fn navigation(self) -> Option<NavigationOperation> {
        Some(match self {
            Self::GoToDefinition => NavigationOperation::Definition,
            Self::GoToDeclaration => NavigationOperation::Declaration,
            Self::GoToTypeDefinition => NavigationOperation::TypeDefinition,
            Self::GoToImplementation => NavigationOperation::Implementation,
            Self::FindReferences => NavigationOperation::References,
            Self::Hover => NavigationOperation::Hover,
            Self::DocumentSymbol => NavigationOperation::DocumentSymbols,
            Self::WorkspaceSymbol => NavigationOperation::WorkspaceSymbols,
            Self::PrepareCallHierarchy => NavigationOperation::PrepareCallHierarchy,
            Self::IncomingCalls => NavigationOperation::IncomingCalls,
            Self::OutgoingCalls => NavigationOperation::OutgoingCalls,
            Self::Supertypes => NavigationOperation::Supertypes,
            Self::Subtypes => NavigationOperation::Subtypes,
            Self::Diagnostics => return None,
        })
    }
}

impl Tool for LspTool {
    type Parameters = LspParameters;

    fn name(&self) -> Cow<'static, str> {
        "lsp".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("lsp.md").into()
    }

    /// An answer is about the text after the edits before it; one about a symbol alone, about all of them.
    fn touched_files(&self, parameters: &LspParameters, context: &ToolContext) -> TouchedFiles {
        parameters.file_path.as_ref().map_or(TouchedFiles::Everything, |path| touched_file(path, context))
    }

    async fn run(&self, parameters: LspParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let title = title(&parameters);
        let file = match &parameters.file_path {
            Some(path) => {
                // The source of a library needs no reply.
                let real = context.files.resolve(path).real_path().to_owned();
                let open = if is_library_file(&real) { vec![real] } else { Vec::new() };
                let place = context.resolve_path_to_read(path, &open).await?;
                context.ask(path_ask("lsp", &context, &place)).await?;
                Some(place)
            }
            None => {
                context.ask(search_ask("lsp", parameters.symbol.as_deref().unwrap_or("*"))).await?;
                None
            }
        };
        let path = file.as_ref().map(|place| place.real_path().to_owned());
        let Some(operation) = parameters.operation.navigation() else {
            let place = file.ok_or_else(|| ToolError::target("Name the file in filePath."))?;
            return Ok(ToolOutput {
                title,
                output: diagnostics(&context, &place).await?,
                ..ToolOutput::default()
            });
        };
        let request = NavigationRequest {
            operation,
            place: PlaceRequest {
                path,
                line: parameters.line,
                column: parameters.character,
                symbol: parameters.symbol,
            },
            depth: parameters.depth.unwrap_or(1),
        };
        let answering = show_loading(&context, context.navigator.answer(&request, &context.cancel));
        let answer = context.cancel.run_until_cancelled(answering).await.ok_or_else(ToolError::cancelled)?;
        let answer = match (answer, &file) {
            (Ok(answer), _) => answer,
            (Err(error), Some(place)) => match load_content(&context, place).await {
                Err(unread) => return Err(file_error_with_hint(&context, place, unread).await),
                Ok(_) => return Err(ToolError::target(error.to_string())),
            },
            (Err(error), None) => return Err(ToolError::target(error.to_string())),
        };
        let root = root_of(&context);
        let options = AnswerOptions {
            offset: parameters.offset.unwrap_or_default(),
            body: parameters.body.unwrap_or_default(),
        };
        let places: Vec<_> = answer.places.iter().take(MAX_PLACES).map(place_metadata).collect();
        let matches = answer.places.len();
        let truncated = matches > places.len();
        let metadata = CodePlacesMetadata { places, matches: matches as u64, truncated, waiting: None };
        let output = answer.text(operation, &root, options);
        Ok(ToolOutput {
            title,
            output,
            metadata: CallDetail::CodePlaces(metadata).into(),
            ..ToolOutput::default()
        })
    }
}

/// What is wrong with a file.
async fn diagnostics(context: &ToolContext, place: &ResolvedPath) -> Result<String, ToolError> {
    let content = match load_content(context, place).await {
        Ok(content) => content,
        Err(error) => return Err(file_error_with_hint(context, place, error).await),
    };
    let shown = &place.display_path;
    let (path, is_saved) = (place.real_path().to_owned(), !content.is_from_buffer);
    let file = FileText::decode(content.bytes)
        .map_err(|why| ToolError::target(format!("`{shown}` cannot be checked: {why}.")))?;
    let document = CheckedDocument { path, text: file.shared_text(), is_saved };
    let checking = context.checks.check_file(document);
    let checked = context.cancel.run_until_cancelled(checking).await.ok_or_else(ToolError::cancelled)?;
    let unchecked = || format!("No language server and no checker reports on {shown}.");
    Ok(checked.map_or_else(unchecked, |checked| checked.output.trim_end().to_owned()))
}

/// The real path of the workspace, because places have real paths.
fn root_of(context: &ToolContext) -> PathBuf {
    let root = context.files.root();
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
}

fn title(parameters: &LspParameters) -> String {
    let what = format!("{:?}", parameters.operation);
    let what = what.get(..1).unwrap_or_default().to_lowercase() + what.get(1..).unwrap_or_default();
    let symbol = parameters.symbol.as_deref();
    let place = parameters.file_path.as_deref().map(|path| match parameters.line {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    });
    [Some(what.as_str()), symbol, place.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn place_metadata(place: &CodePlace) -> CodePlaceMetadata {
    let name = || place.symbol.as_ref().map(|symbol| symbol.name.clone()).unwrap_or_default();
    let line = place.line_text().trim();
    CodePlaceMetadata {
        path: place.path.display().to_string(),
        line: place.line as u64,
        column: place.column as u64,
        text: if line.is_empty() { name() } else { line.chars().take(200).collect() },
    }
}
