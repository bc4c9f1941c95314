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
use super::text_edits::{ServerTextEdit, read_text_edits};
use super::workspace_edit::{ServerWorkspaceEdit, read_workspace_edit};
use super::{LanguageServer, ServerInner, uri};
use crate::diagnostic::{Diagnostic, Severity};
use crate::sanitize;
use copydesk_rpc::peer::RpcResponseFuture;

/// The cap on the code actions at one place.
const MAX_ACTIONS: usize = 200;
/// The cap on the letters of an action's title.
const MAX_TITLE_LETTERS: usize = 200;
/// The cap on the edits that one command sends.
const MAX_COMMAND_EDITS: usize = 100;

/// The text that a server has of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerText {
    Known(Arc<String>),
    /// The document is not open, or not changed.
    OnDisk,
    /// The editor has not told the daemon.
    Unknown,
}

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
    Collected(CommandRun, Vec<Result<ServerWorkspaceEdit, String>>),
    /// Its caller has given up. Until the server answers, its edits are refused, and no other command runs: nothing says which command an
    /// edit belongs to.
    Abandoned(CommandRun),
}

/// Which run of a command it is: the server's event count when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandRun(u64);

impl CommandEdits {
    /// The answer to `workspace/applyEdit`. The server is told that the edit is made: the user decides later.
    pub(super) fn receive(&mut self, params: &Value) -> Value {
        let edit = read_workspace_edit(params.get("edit").unwrap_or(&Value::Null));
        if self.push(edit) {
            return json!({ "applied": true });
        }
        json!({ "applied": false, "failureReason": "files are not changed at a server's wish" })
    }

    /// The server sent an edit that is not read. Then the others are not made either.
    pub(super) fn receive_unread(&mut self) {
        self.push(Err("an edit of its command is too long".to_owned()));
    }

    /// Whether it is kept.
    fn push(&mut self, edit: Result<ServerWorkspaceEdit, String>) -> bool {
        let Self::Collected(_, edits) = self else { return false };
        match edits.len() {
            0..MAX_COMMAND_EDITS => edits.push(edit),
            MAX_COMMAND_EDITS => edits.push(Err("its command makes too many edits".to_owned())),
            _ => return false,
        }
        true
    }
}

/// A command that a server runs. If it is dropped before the server has answered, the answer is still awaited.
struct RunningServerCommand {
    inner: Arc<ServerInner>,
    run: CommandRun,
    response: Option<RpcResponseFuture>,
}

impl RunningServerCommand {
    /// What the server wanted to be changed.
    fn finish(mut self) -> Vec<Result<ServerWorkspaceEdit, String>> {
        self.response = None;
        let run = self.run;
        self.inner.change(|record| match std::mem::take(&mut record.command_edits) {
            CommandEdits::Collected(of, edits) if of == run => edits,
            other => {
                record.command_edits = other;
                Vec::new()
            }
        })
    }
}

impl Drop for RunningServerCommand {
    fn drop(&mut self) {
        let Some(response) = self.response.take() else { return };
        let (inner, run) = (Arc::clone(&self.inner), self.run);
        inner.change(|record| record.command_edits = CommandEdits::Abandoned(run));
        // Without a runtime the daemon is ending, and with it the server.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let _ = response.await;
            inner.change(|record| {
                if record.command_edits == CommandEdits::Abandoned(run) {
                    record.command_edits = CommandEdits::Refused;
                }
            });
        });
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

    /// The action with its edit and its command: some servers work them out when they are asked for them.
    pub async fn resolve_code_action(
        &self,
        action: &ServerCodeAction,
        until: Instant,
    ) -> Result<ServerCodeAction, CodeQueryError> {
        let raw = &action.action;
        let resolves = self.inner.lock().capabilities.resolves_actions;
        if raw.get("command").is_some_and(Value::is_string) || raw.get("edit").is_some() || !resolves {
            return Ok(action.clone());
        }
        let resolved = self.ask(CodeQuery::CodeActions, "codeAction/resolve", raw, until).await?;
        Ok(ServerCodeAction { action: resolved, ..action.clone() })
    }

    /// The command of a resolved action that may do more than make edits.
    pub fn unknown_command<'a>(&self, action: &'a ServerCodeAction) -> Option<&'a str> {
        let name = action.command()?.get("command")?.as_str()?;
        let known = &self.inner.launch.quirks.edit_commands;
        (!known.iter().any(|known| name.starts_with(known.as_str()))).then_some(name)
    }

    /// The edit of a resolved code action. Its command runs, if it has one, and what the command wants to be changed is a part of the edit.
    pub async fn code_action_edit(
        &self,
        action: &ServerCodeAction,
        until: Instant,
    ) -> Result<ServerWorkspaceEdit, CodeQueryError> {
        let edit = action.action.get("edit").unwrap_or(&Value::Null);
        let mut edit = read_workspace_edit(edit).map_err(CodeQueryError::Failed)?;
        if let Some(command) = action.command() {
            edit.append(self.run_command(command, until).await?);
        }
        Ok(edit)
    }

    /// Runs a command, one at a time.
    async fn run_command(
        &self,
        command: &Value,
        until: Instant,
    ) -> Result<ServerWorkspaceEdit, CodeQueryError> {
        let mut running = self.begin_command(command, until).await?;
        let Some(response) = running.response.as_mut() else { return Err(CodeQueryError::Unsupported) };
        let answered = timeout_at(until, response).await.map_err(|_| CodeQueryError::TimedOut)?;
        let edits = running.finish();
        answered.map_err(|error| CodeQueryError::Failed(error.to_string()))?;
        let mut whole = ServerWorkspaceEdit::default();
        for edit in edits {
            whole.append(edit.map_err(CodeQueryError::Failed)?);
        }
        Ok(whole)
    }

    /// Waits until no other command runs.
    async fn begin_command(
        &self,
        command: &Value,
        until: Instant,
    ) -> Result<RunningServerCommand, CodeQueryError> {
        let mut params = json!({ "command": command.get("command"), "arguments": command.get("arguments") });
        let is_observed = self.inner.lock().observed_texts.is_some();
        if let (true, Some(params)) = (is_observed, params.as_object_mut()) {
            params.insert(TAKES_EDITS.to_owned(), Value::Bool(true));
        }
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            // Not by `change`, which would wake this wait itself.
            let run = {
                let mut record = self.inner.lock();
                let run = CommandRun(record.tick);
                let is_free = record.command_edits == CommandEdits::Refused;
                if is_free {
                    record.command_edits = CommandEdits::Collected(run, Vec::new());
                }
                is_free.then_some(run)
            };
            if let Some(run) = run {
                let response = Some(self.peer.request("workspace/executeCommand", &params));
                return Ok(RunningServerCommand { inner: Arc::clone(&self.inner), run, response });
            }
            if Instant::now() >= until {
                return Err(CodeQueryError::TimedOut);
            }
            wait_for_tick(&mut ticks, None, until).await;
        }
    }

    /// The text that the server has of a document.
    pub fn server_text(&self, path: &Path) -> ServerText {
        let mut record = self.inner.lock();
        record.resolve_text(path, &self.inner.launch.quirks);
        match record.documents.get(path) {
            None => ServerText::OnDisk,
            Some(document) if document.has_text() => ServerText::Known(Arc::clone(&document.text)),
            Some(document) if document.is_clean() => ServerText::OnDisk,
            Some(_) => ServerText::Unknown,
        }
    }

    /// The version under which the server knows an open document.
    pub fn sent_version(&self, path: &Path) -> Option<i32> {
        let record = self.inner.lock();
        let document = record.documents.get(path)?;
        Some(document.observed.map_or(document.version, |observed| observed.number))
    }
}

impl ServerCodeAction {
    /// Either the action is a command, or it has one.
    fn command(&self) -> Option<&Value> {
        let own = self.action.get("command")?;
        if own.is_string() { Some(&self.action) } else { Some(own).filter(|command| command.is_object()) }
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
