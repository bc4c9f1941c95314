//! Changes code by what it means: renames, fixes, imports, formatting, whole definitions.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

use copydesk_navigation::{
    CodeActionRequest, CodeEditPlan, NavigationError, OfferedActions, PlaceRequest, PlannedFileChange,
    PlannedSymbolEdit, SymbolEdit,
};
use copydesk_text::FileText;
use copydesk_workspace::files::{ResolvedPath, ShownText};
use schemars::JsonSchema;
use serde::Deserialize;

use super::apply_changes::apply_changes;
use super::change_summary::ChangeSummary;
use super::planned_changes::requested_changes;
use super::server_loading::show_loading;
use super::target_file::{
    file_error, file_error_with_hint, load_content, path_ask, search_ask, touched_file,
};
use crate::context::{PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::tool::{Tool, TouchedFiles};

/// The cap on the lines of a definition that an error shows.
const MAX_SHOWN_LINES: usize = 200;

#[derive(Debug)]
pub(super) struct RefactorTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefactorParameters {
    /// What to do.
    operation: RefactorOperation,
    /// The file: relative to the workspace, or absolute. Not needed if `symbol` says enough.
    file_path: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1. A wrong one is forgiven within the line.
    character: Option<usize>,
    /// The name: `area`, `Square.area`.
    #[serde(alias = "name")]
    symbol: Option<String>,
    /// For `rename`: the new name of the symbol.
    new_name: Option<String>,
    /// For `rename`: the new path of `filePath`, to move a file or a folder.
    new_path: Option<String>,
    /// For `codeAction`: the title of the action to apply. Without it, the actions are listed.
    title: Option<String>,
    /// For `codeAction`: a piece of the message of the problem to fix, or its code.
    problem: Option<String>,
    /// For `replaceSymbol`, `insertBefore`, `insertAfter`: the new text.
    #[serde(alias = "text", alias = "code")]
    content: Option<String>,
    /// For `format`: the last line of the part that begins at `line`.
    end_line: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum RefactorOperation {
    Rename,
    CodeAction,
    OrganizeImports,
    Format,
    ReplaceSymbol,
    InsertBefore,
    InsertAfter,
    DeleteSymbol,
}

impl Tool for RefactorTool {
    type Parameters = RefactorParameters;

    fn name(&self) -> Cow<'static, str> {
        "refactor".into()
    }

    fn permission_key(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("refactor.md").into()
    }

    /// A rename or a code action may change any file.
    fn touched_files(&self, parameters: &RefactorParameters, context: &ToolContext) -> TouchedFiles {
        let is_one_file =
            !matches!(parameters.operation, RefactorOperation::Rename | RefactorOperation::CodeAction);
        match parameters.file_path.as_ref().filter(|_| is_one_file) {
            Some(path) => touched_file(path, context),
            None => TouchedFiles::Everything,
        }
    }

    async fn run(
        &self,
        parameters: RefactorParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let call = RefactorCall::begin(parameters, &context).await?;
        let planned = show_loading(&context, call.plan());
        let planned = context.cancel.run_until_cancelled(planned).await.ok_or_else(ToolError::cancelled)?;
        match planned {
            Ok(RefactorPlan::Listed(offered)) => Ok(list_actions(&offered)),
            Ok(RefactorPlan::Edit(edit)) => apply(&context, edit).await,
            Err(error) => Err(call.explain(error).await),
        }
    }
}

/// What is left to do.
enum RefactorPlan {
    Listed(OfferedActions),
    Edit(CodeEditPlan),
}

struct RefactorCall<'a> {
    parameters: RefactorParameters,
    context: &'a ToolContext,
    file: Option<ResolvedPath>,
}

impl<'a> RefactorCall<'a> {
    async fn begin(parameters: RefactorParameters, context: &'a ToolContext) -> Result<Self, ToolError> {
        // The output, or the error, shows some of the file, so reading it must be allowed.
        let file = match &parameters.file_path {
            Some(path) => {
                let place = context.resolve_path(path).await?;
                context.ask(path_ask("read", context, &place)).await?;
                Some(place)
            }
            None => {
                context.ask(search_ask("lsp", parameters.symbol.as_deref().unwrap_or("*"))).await?;
                None
            }
        };
        Ok(Self { parameters, context, file })
    }

    async fn plan(&self) -> Result<RefactorPlan, ToolError> {
        let edit = match self.parameters.operation {
            RefactorOperation::Rename => self.rename().await?,
            RefactorOperation::CodeAction => return self.code_action().await,
            RefactorOperation::OrganizeImports => {
                let path = self.path()?;
                self.context.navigator.organize_imports(&path).await.map_err(target)?
            }
            RefactorOperation::Format => self.format().await?,
            RefactorOperation::ReplaceSymbol => {
                self.edit_symbol(SymbolEdit::Replace(self.content()?)).await?
            }
            RefactorOperation::InsertBefore => {
                self.edit_symbol(SymbolEdit::InsertBefore(self.content()?)).await?
            }
            RefactorOperation::InsertAfter => {
                self.edit_symbol(SymbolEdit::InsertAfter(self.content()?)).await?
            }
            RefactorOperation::DeleteSymbol => self.edit_symbol(SymbolEdit::Delete).await?,
        };
        Ok(RefactorPlan::Edit(edit))
    }

    async fn rename(&self) -> Result<CodeEditPlan, ToolError> {
        let RefactorParameters { new_name, new_path, .. } = &self.parameters;
        let navigator = &self.context.navigator;
        match (new_name, new_path) {
            (Some(name), None) => {
                let place = self.place();
                let renamed = navigator.rename_symbol(&place, name.trim(), &self.context.cancel);
                renamed.await.map_err(target)
            }
            (None, Some(path)) => {
                let to = self.context.resolve_path(path).await?;
                let from = self.path()?;
                let moved = navigator.rename_file(&from, &to.absolute_path, &self.context.cancel);
                moved.await.map_err(target)
            }
            _ => Err(arguments("Give either `newName`, for a symbol, or `newPath`, for `filePath`.")),
        }
    }

    async fn code_action(&self) -> Result<RefactorPlan, ToolError> {
        let navigator = &self.context.navigator;
        let request = CodeActionRequest { place: self.place(), problem: self.parameters.problem.clone() };
        let offered = navigator.code_actions(&request, &self.context.cancel).await.map_err(target)?;
        let Some(title) = &self.parameters.title else { return Ok(RefactorPlan::Listed(offered)) };
        let action = offered.find(title).map_err(target)?;
        let action = navigator.resolve_action(&offered, action).await.map_err(target)?;
        if let (Some(command), Some(place)) = (&action.command, &self.file) {
            // It may do more than is reviewed afterwards.
            let title = format!("Run `{command}` of {}: {}", action.server, action.title);
            self.context.ask(PermissionRequest { title, ..path_ask("edit", self.context, place) }).await?;
        }
        let edit = navigator.code_action_edit(offered, &action).await.map_err(target)?;
        Ok(RefactorPlan::Edit(edit))
    }

    /// By the file's server, else by its formatter.
    async fn format(&self) -> Result<CodeEditPlan, ToolError> {
        let path = self.path()?;
        let lines = self.parameters.line.map(|first| (first, self.parameters.end_line.unwrap_or(first)));
        let error = match self.context.navigator.format_file(&path, lines).await {
            Ok(edit) => return Ok(edit),
            Err(error) => target(error),
        };
        let (Some(formatters), Some(place), None) = (&self.context.formatters, &self.file, lines) else {
            return Err(error);
        };
        let content = load_content(self.context, place).await.map_err(|error| file_error(&error))?;
        let file = FileText::decode(content.bytes).map_err(|_| error.clone())?;
        match formatters.format(&path, file.text()).await {
            Ok(Some(after)) => {
                let edit = PlannedFileChange::Edit { path, before: file.shared_text(), after };
                Ok(CodeEditPlan { files: vec![edit], server: None, notes: Vec::new() })
            }
            Ok(None) => Err(error),
            Err(why) => Err(ToolError::target(format!("{why}."))),
        }
    }

    async fn edit_symbol(&self, edit: SymbolEdit) -> Result<CodeEditPlan, ToolError> {
        let place = self.place();
        let planned = self.context.navigator.edit_symbol(&place, edit, &self.context.cancel);
        let planned = planned.await.map_err(target)?;
        self.require_shown(&planned).await?;
        Ok(planned.edit)
    }

    /// What is replaced or deleted must be known to the model as it is now: the user may have typed in it.
    async fn require_shown(&self, planned: &PlannedSymbolEdit) -> Result<(), ToolError> {
        let (Some((first, last)), Some(path)) = (planned.lost_lines, planned.edit.edited_path()) else {
            return Ok(());
        };
        let place = self.context.resolve_path(&path.to_string_lossy()).await?;
        let content = load_content(self.context, &place).await.map_err(|error| file_error(&error))?;
        let is_shown = match self.context.files.shown_text(&place, content.stamp) {
            Some(ShownText::Whole) => true,
            Some(ShownText::Lines(parts)) => parts.iter().any(|part| part.0 <= first && last <= part.1),
            None => false,
        };
        if is_shown {
            return Ok(());
        }
        let (symbol, shown) = (&planned.symbol, &place.display_path);
        if last - first >= MAX_SHOWN_LINES {
            return Err(ToolError::target(format!(
                "You were not shown all of `{symbol}` as it is now. Nothing was changed; read lines {first} to {last} of `{shown}` first."
            )));
        }
        let stamp = content.stamp;
        let file = FileText::decode(content.bytes)
            .map_err(|why| ToolError::target(format!("`{shown}` cannot be changed: {why}.")))?;
        let lines: Vec<_> = file.text().lines().collect();
        let mut text = format!(
            "You were not shown `{symbol}` in `{shown}` as it is now. Nothing was changed; make the call again if it still fits. It reads:\n"
        );
        for (number, line) in (first..=last).zip(lines.iter().skip(first - 1)) {
            let _ = writeln!(text, "{number}: {line}");
        }
        let seen = ShownText::lines(vec![(first, last)], lines.len());
        self.context.files.mark_shown(&place, stamp, seen, lines.len());
        Err(ToolError::target(text))
    }

    fn place(&self) -> PlaceRequest {
        PlaceRequest {
            path: self.file.as_ref().map(|place| place.real_path().to_owned()),
            line: self.parameters.line,
            column: self.parameters.character,
            symbol: self.parameters.symbol.clone(),
        }
    }

    fn path(&self) -> Result<PathBuf, ToolError> {
        let path = self.file.as_ref().map(|place| place.real_path().to_owned());
        path.ok_or_else(|| arguments("Name the file in `filePath`."))
    }

    fn content(&self) -> Result<String, ToolError> {
        self.parameters.content.clone().ok_or_else(|| arguments("Give the new text in `content`."))
    }

    /// A file that does not exist says more than what could not be done with it.
    async fn explain(&self, error: ToolError) -> ToolError {
        let Some(place) = &self.file else { return error };
        if place.absolute_path.exists() {
            return error;
        }
        match load_content(self.context, place).await {
            Err(unread) => file_error_with_hint(self.context, place, unread).await,
            Ok(_) => error,
        }
    }
}

async fn apply(context: &ToolContext, mut edit: CodeEditPlan) -> Result<ToolOutput, ToolError> {
    let notes: String = std::mem::take(&mut edit.notes).iter().map(|note| format!("\n({note})")).collect();
    let by = edit.server.clone().map(|server| format!("\n(By {server}.)")).unwrap_or_default();
    let changes = requested_changes(context, edit).await?;
    if changes.is_empty() {
        let output = format!("Nothing is to be changed.{notes}{by}");
        return Ok(ToolOutput { title: "Nothing changed".to_owned(), output, ..ToolOutput::default() });
    }
    let summary = ChangeSummary::new(&changes, "Changed");
    let made = apply_changes(context, changes).await?;
    Ok(summary.finish(made, &format!("{notes}{by}")))
}

/// The code actions, with the title by which each is applied.
fn list_actions(offered: &OfferedActions) -> ToolOutput {
    let count = offered.actions.len();
    let noun = if count == 1 { "code action" } else { "code actions" };
    let mut output = format!("{count} {noun}. Apply one by its `title`.\n");
    if count == 0 {
        output = "No code actions.\n".to_owned();
    }
    for action in &offered.actions {
        let preferred = if action.is_preferred { ", preferred" } else { "" };
        let kind = if action.kind.is_empty() { "other" } else { &action.kind };
        let _ = writeln!(output, "- {} ({kind}{preferred}, by {})", action.title, action.server);
        if let Some(problem) = &action.problem {
            let _ = writeln!(output, "    line {}: {problem}", action.line);
        }
    }
    for note in &offered.notes {
        let _ = writeln!(output, "({note})");
    }
    let title = format!("{count} {noun}");
    ToolOutput { title, output: output.trim_end().to_owned(), ..ToolOutput::default() }
}

fn target(error: NavigationError) -> ToolError {
    ToolError::target(error.to_string())
}

fn arguments(message: &str) -> ToolError {
    ToolError::new(ToolErrorKind::Arguments, message)
}
