//! What a server would change: renames, code actions, formatting. Nothing is changed here: the answer is an edit, and the tools propose
//! it like any other.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use copydesk_text::Position;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::check_document::wait_for_tick;
use super::code_query::{CodeQuery, CodeQueryError};
use super::formatting::formatting_options;
use super::observed::TAKES_EDITS;
use super::record::parse_value;
use super::text_edits::{ServerTextEdit, read_text_edits};
use super::workspace_edit::{ServerWorkspaceEdit, read_workspace_edit};
use super::{LanguageServer, ServerInner, uri};
use crate::diagnostic::{Diagnostic, Severity};
use crate::sanitize;

/// The cap on the code actions at one place.
const MAX_ACTIONS: usize = 200;
/// The cap on the letters of an action's title.
const MAX_TITLE_LETTERS: usize = 200;
/// The cap on the edits that one command sends.
const MAX_COMMAND_EDITS: usize = 100;

/// A change that a server offers.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerCodeAction {
    pub title: String,
    /// As LSP names it: `quickfix`, `refactor.extract`.
    pub kind: String,
    pub is_preferred: bool,
    /// As the server sent it.
    action: Value,
}

/// The edits that a server sends while it runs a command for the daemon.
#[derive(Debug, Default, PartialEq)]
pub(super) enum CommandEdits {
    /// No command runs: a server that wants an edit made is refused.
    #[default]
    Refused,
    Collected(Vec<Result<ServerWorkspaceEdit, String>>),
}

impl CommandEdits {
    /// The answer to `workspace/applyEdit`. The server is told that the edit is made: the user decides later.
    pub(super) fn receive(&mut self, params: &Value) -> Value {
        match self {
            Self::Collected(edits) if edits.len() < MAX_COMMAND_EDITS => {
                edits.push(read_workspace_edit(params.get("edit").unwrap_or(&Value::Null)));
                json!({ "applied": true })
            }
            _ => json!({ "applied": false, "failureReason": "files are not changed at a server's wish" }),
        }
    }
}

/// Refuses edits again when the command has ended, or its caller has given up.
struct RunningServerCommand<'a>(&'a ServerInner);

impl Drop for RunningServerCommand<'_> {
    fn drop(&mut self) {
        self.0.change(|record| record.command_edits = CommandEdits::Refused);
    }
}

impl LanguageServer {
    pub async fn rename(
        &self,
        path: &Path,
        at: Position,
        new_name: &str,
        until: Instant,
    ) -> Result<ServerWorkspaceEdit, CodeQueryError> {
        let mut params = self.position_params(path, at)?;
        if let Some(params) = params.as_object_mut() {
            params.insert("newName".to_owned(), Value::from(new_name));
        }
        let query = CodeQuery::Rename;
        let answer = self.ask(query, query.method(), &params, until).await?;
        read_workspace_edit(&answer).map_err(CodeQueryError::Failed)
    }

    /// The edits of other files, if a file or folder gets another name.
    pub async fn will_rename_file(
        &self,
        from: &Path,
        to: &Path,
        until: Instant,
    ) -> Result<ServerWorkspaceEdit, CodeQueryError> {
        let (Some(from), Some(to)) = (uri::from_path(from), uri::from_path(to)) else {
            return Err(CodeQueryError::Unsupported);
        };
        let query = CodeQuery::WillRenameFiles;
        let params = json!({ "files": [{ "oldUri": from, "newUri": to }] });
        let answer = self.ask(query, query.method(), &params, until).await?;
        read_workspace_edit(&answer).map_err(CodeQueryError::Failed)
    }

    /// Formats a part of a text, or all of it.
    pub async fn formatting_edits(
        &self,
        path: &Path,
        range: Option<Range<Position>>,
        until: Instant,
    ) -> Result<Vec<ServerTextEdit>, CodeQueryError> {
        let options = {
            let record = self.inner.lock();
            let document = record.documents.get(path).ok_or(CodeQueryError::NotOpen)?;
            formatting_options(&document.text)
        };
        let mut params = json!({ "textDocument": { "uri": self.open_uri(path)? }, "options": options });
        if let (Some(range), Some(params)) = (&range, params.as_object_mut()) {
            params.insert("range".to_owned(), wire_range(range));
        }
        let query = if range.is_some() { CodeQuery::RangeFormatting } else { CodeQuery::Formatting };
        let answer = self.ask(query, query.method(), &params, until).await?;
        read_text_edits(&answer).map_err(CodeQueryError::Failed)
    }

    /// The changes that the server offers for a range. Fixes need their diagnostics, in the server's positions. `only` has the kinds that are
    /// wanted; all of them if it is empty.
    pub async fn code_actions(
        &self,
        path: &Path,
        range: &Range<Position>,
        diagnostics: &[Diagnostic],
        only: &[&str],
        until: Instant,
    ) -> Result<Vec<ServerCodeAction>, CodeQueryError> {
        let diagnostics: Vec<_> = diagnostics.iter().map(wire_diagnostic).collect();
        let mut context = json!({ "diagnostics": diagnostics, "triggerKind": 1 });
        if let (false, Some(context)) = (only.is_empty(), context.as_object_mut()) {
            context.insert("only".to_owned(), json!(only));
        }
        let params = json!({
            "textDocument": { "uri": self.open_uri(path)? },
            "range": wire_range(range),
            "context": context,
        });
        let query = CodeQuery::CodeActions;
        let answer = self.ask(query, query.method(), &params, until).await?;
        let actions = answer.as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(actions.iter().filter_map(read_action).take(MAX_ACTIONS).collect())
    }

    /// The edit of a code action. Its command runs, if it has one, and what the command wants to be changed is a part of the edit.
    pub async fn code_action_edit(
        &self,
        action: &ServerCodeAction,
        until: Instant,
    ) -> Result<ServerWorkspaceEdit, CodeQueryError> {
        let mut action = action.action.clone();
        let is_command = action.get("command").is_some_and(Value::is_string);
        let resolves = self.inner.lock().capabilities.resolves_actions;
        if !is_command && action.get("edit").is_none() && resolves {
            action = self.ask(CodeQuery::CodeActions, "codeAction/resolve", &action, until).await?;
        }
        let edit = action.get("edit").unwrap_or(&Value::Null);
        let mut edit = read_workspace_edit(edit).map_err(CodeQueryError::Failed)?;
        // Either the action is a command, or it has one.
        let command = if is_command { Some(&action) } else { action.get("command") };
        if let Some(command) = command.filter(|command| command.is_object()) {
            edit.append(self.run_command(command, until).await?);
        }
        Ok(edit)
    }

    /// Runs a command, one at a time: nothing else says which command an edit belongs to.
    async fn run_command(
        &self,
        command: &Value,
        until: Instant,
    ) -> Result<ServerWorkspaceEdit, CodeQueryError> {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let is_free = self.inner.change(|record| {
                let is_free = record.command_edits == CommandEdits::Refused;
                if is_free {
                    record.command_edits = CommandEdits::Collected(Vec::new());
                }
                is_free
            });
            if is_free {
                break;
            }
            if Instant::now() >= until {
                return Err(CodeQueryError::TimedOut);
            }
            wait_for_tick(&mut ticks, None, until).await;
        }
        let running = RunningServerCommand(&self.inner);
        let mut params = json!({ "command": command.get("command"), "arguments": command.get("arguments") });
        let is_observed = self.inner.lock().observed_texts.is_some();
        if let (true, Some(params)) = (is_observed, params.as_object_mut()) {
            params.insert(TAKES_EDITS.to_owned(), Value::Bool(true));
        }
        let answered = timeout_at(until, self.peer.request("workspace/executeCommand", &params)).await;
        let answered = answered.map_err(|_| CodeQueryError::TimedOut)?;
        answered
            .map_err(|error| CodeQueryError::Failed(error.to_string()))
            .map(|answer| parse_value(&answer))?;
        let collected = self.inner.change(|record| std::mem::take(&mut record.command_edits));
        drop(running);
        let mut whole = ServerWorkspaceEdit::default();
        if let CommandEdits::Collected(edits) = collected {
            for edit in edits {
                whole.append(edit.map_err(CodeQueryError::Failed)?);
            }
        }
        Ok(whole)
    }

    /// The text that the server has of an open document, if the daemon has it, too.
    pub fn synced_text(&self, path: &Path) -> Option<Arc<String>> {
        let record = self.inner.lock();
        let document = record.documents.get(path).filter(|document| document.has_text())?;
        Some(Arc::clone(&document.text))
    }

    /// The version under which the server knows an open document.
    pub fn sent_version(&self, path: &Path) -> Option<i32> {
        let record = self.inner.lock();
        let document = record.documents.get(path)?;
        Some(document.observed.map_or(document.version, |observed| observed.number))
    }
}

fn read_action(action: &Value) -> Option<ServerCodeAction> {
    let text = |name: &str| action.get(name).and_then(Value::as_str);
    if action.get("disabled").is_some_and(Value::is_object) {
        return None;
    }
    Some(ServerCodeAction {
        title: sanitize::sanitize_text(text("title")?, MAX_TITLE_LETTERS),
        kind: sanitize::sanitize_text(text("kind").unwrap_or_default(), MAX_TITLE_LETTERS),
        is_preferred: action.get("isPreferred") == Some(&Value::Bool(true)),
        action: action.clone(),
    })
}

fn wire_range(range: &Range<Position>) -> Value {
    let position = |at: Position| json!({ "line": at.line, "character": at.character });
    json!({ "start": position(range.start), "end": position(range.end) })
}

/// A diagnostic as its server sent it, as far as servers look at it.
fn wire_diagnostic(diagnostic: &Diagnostic) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Information => 3,
        Severity::Hint => 4,
    };
    let mut wire = json!({
        "range": wire_range(&(diagnostic.span.start..diagnostic.span.end)),
        "severity": severity,
        "message": &*diagnostic.message,
    });
    let code = diagnostic.code.as_deref();
    // TypeScript's are numbers.
    let code = code.map(|code| code.parse::<u32>().map_or_else(|_| Value::from(code), Value::from));
    let source = diagnostic.source.as_deref().map(Value::from);
    let data = diagnostic.data.as_ref().and_then(|data| serde_json::from_str(data.json()).ok());
    if let Some(wire) = wire.as_object_mut() {
        for (name, value) in [("code", code), ("source", source), ("data", data)] {
            wire.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
    wire
}
