//! Code actions: fixes and other changes that servers offer for a place, a problem or a file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_servers::{
    CodeQuery, CodeQueryError, Diagnostic, DiagnosticSpan, ServerCodeAction, ServerLease,
};
use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Navigator;
use super::server_edits::server_refuses;
use crate::answer::NavigationError;
use crate::code_edit_plan::{CodeEditPlan, TextsThen};
use crate::place::PlaceRequest;
use crate::time_limits::{ANSWER_TIMEOUT, EDIT_READY_TIMEOUT, FIX_DIAGNOSTICS_TIMEOUT};

/// How many problems of a file are asked about.
const MAX_PROBLEMS: usize = 20;
/// Other kinds open a browser, or change what the editor shows.
const KINDS: [&str; 4] = ["quickfix", "refactor", "source.organizeImports", "source.fixAll"];

/// What to find code actions for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeActionRequest {
    /// Its path is needed. Without a line or a symbol, the actions are those of all problems of the file.
    pub place: PlaceRequest,
    /// A piece of a problem's message, or its code.
    pub problem: Option<String>,
}

/// Code actions at one place.
#[derive(Debug)]
pub struct OfferedActions {
    pub path: PathBuf,
    pub actions: Vec<OfferedAction>,
    /// Whole sentences: what was taken for the place, what is not known.
    pub notes: Vec<String>,
    leases: Vec<ServerLease>,
    then: TextsThen,
}

#[derive(Debug, Clone, PartialEq)]
pub struct OfferedAction {
    pub title: String,
    /// As LSP names it; may be empty.
    pub kind: String,
    pub is_preferred: bool,
    /// The line that it is offered for, from 1.
    pub line: u32,
    /// The message of the problem that it fixes.
    pub problem: Option<String>,
    pub server: String,
    /// The command that it runs, if that may do more than make edits. Known once it is resolved.
    pub command: Option<String>,
    lease: usize,
    action: ServerCodeAction,
}

/// A range to ask about, in UTF-16, with its problems.
struct AskedRange {
    range: Range<Position>,
    problems: Vec<Diagnostic>,
}

impl Navigator {
    /// Lists what servers offer.
    pub async fn code_actions(
        &self,
        request: &CodeActionRequest,
        cancel: &CancellationToken,
    ) -> Result<OfferedActions, NavigationError> {
        let path = request.place.path.clone();
        let path = path.ok_or_else(|| NavigationError::new("Name the file in filePath."))?;
        let (range, notes) = self.asked_range(&request.place, cancel).await?;
        let mut offered = self.begin_offer(&path).await?;
        offered.notes.extend(notes);
        let text = self.text_of(&path)?;
        let wanted = WantedActions { range, problem: request.problem.as_deref(), text: &text };
        let (mut found, mut known_problems) = (Vec::new(), Vec::new());
        for (number, lease) in offered.leases.iter().enumerate() {
            let until = Instant::now() + FIX_DIAGNOSTICS_TIMEOUT;
            let verdict = lease.server.check(&lease.path, until).await;
            let problems = verdict.diagnostics().unwrap_or_default();
            known_problems.extend(problems.iter().map(describe_problem));
            found.push(wanted.ask(lease, number, problems).await);
        }
        for (actions, notes) in found {
            actions.into_iter().for_each(|action| offered.add(action));
            offered.notes.extend(notes);
        }
        if offered.actions.is_empty()
            && let Some(problem) = &request.problem
        {
            known_problems.truncate(MAX_PROBLEMS);
            let shown = if known_problems.is_empty() { "none".to_owned() } else { known_problems.join("; ") };
            offered.notes.push(format!("Problems like `{problem}`: no fix is known. All problems: {shown}."));
        }
        Ok(offered)
    }

    /// Has the server work out one of the actions.
    pub async fn resolve_action(
        &self,
        offered: &OfferedActions,
        action: OfferedAction,
    ) -> Result<OfferedAction, NavigationError> {
        let lease = offered.leases.get(action.lease).ok_or_else(server_gone)?;
        let until = Instant::now() + ANSWER_TIMEOUT;
        let resolved = lease.server.resolve_code_action(&action.action, until).await;
        let resolved = resolved.map_err(|error| server_refuses(lease, &error))?;
        let command = lease.server.unknown_command(&resolved).map(str::to_owned);
        Ok(OfferedAction { action: resolved, command, ..action })
    }

    /// The edit of one of the actions, which was resolved.
    pub async fn code_action_edit(
        &self,
        offered: OfferedActions,
        action: &OfferedAction,
    ) -> Result<CodeEditPlan, NavigationError> {
        let OfferedActions { leases, then, notes, .. } = offered;
        let lease = leases.get(action.lease).ok_or_else(server_gone)?;
        let until = Instant::now() + ANSWER_TIMEOUT;
        let answer = lease.server.code_action_edit(&action.action, until).await;
        let edit = answer.map_err(|error| server_refuses(lease, &error))?;
        let mut planned = self.plan_server_edit(edit, lease, then).await?;
        planned.notes.splice(0..0, notes);
        Ok(planned)
    }

    /// Sorts the imports of a file and drops those that are not used, as far as its server does that.
    pub async fn organize_imports(&self, path: &Path) -> Result<CodeEditPlan, NavigationError> {
        let mut offered = self.begin_offer(path).await?;
        let text = self.text_of(path)?;
        let end = Document::new(&text, LineBreaks::Any).position(text.len(), PositionEncoding::Utf16);
        let whole = AskedRange { range: Position::new(0, 0)..end, problems: Vec::new() };
        for number in 0..offered.leases.len() {
            let Some(lease) = offered.leases.get(number) else { continue };
            let kinds = ["source.organizeImports"];
            let actions = ask_actions(lease, &text, &whole, &kinds).await;
            let actions = actions.map_err(|error| server_refuses(lease, &error))?;
            let is_it = |action: &ServerCodeAction| action.kind.starts_with("source.organizeImports");
            if let Some(action) = actions.into_iter().find(is_it) {
                let action = OfferedAction::new(action, number, lease, &whole);
                let action = self.resolve_action(&offered, action).await?;
                if let Some(command) = action.command {
                    let shown = self.names.shown(path);
                    return Err(NavigationError::new(format!(
                        "{} organizes the imports of {shown} by a command that may do more: `{command}`. Nothing was changed.",
                        action.server
                    )));
                }
                return self.code_action_edit(offered, &action).await;
            }
        }
        let names: Vec<_> = offered.leases.drain(..).map(|lease| lease.server.name().to_owned()).collect();
        let (names, shown) = (names.join(", "), self.names.shown(path));
        Err(NavigationError::new(format!("{names}: the imports of {shown} cannot be organized by it.")))
    }

    /// The servers that offer code actions for a file. A problem is fixed in one file, so a server need not know all of the project.
    async fn begin_offer(&self, path: &Path) -> Result<OfferedActions, NavigationError> {
        let leased = self.lease(path, CodeQuery::CodeActions, Instant::now() + EDIT_READY_TIMEOUT).await;
        let shown = self.names.shown(path);
        if leased.leases.is_empty() {
            let reasons = leased.unavailable.iter().map(|(name, why)| format!(" {name}: {why}."));
            let reasons: String = reasons.collect();
            return Err(NavigationError::new(format!(
                "No language server offers code actions for {shown}.{reasons} Use `edit`."
            )));
        }
        let not_ready = leased.leases.iter().filter_map(|lease| Some((lease, lease.not_ready.as_ref()?)));
        let notes = not_ready.map(|(lease, why)| format!("{}: {why}.", lease.server.name())).collect();
        let then = TextsThen::now(&self.names);
        let (path, actions) = (path.to_owned(), Vec::new());
        Ok(OfferedActions { path, actions, notes, leases: leased.leases, then })
    }

    fn text_of(&self, path: &Path) -> Result<Arc<String>, NavigationError> {
        let shown = self.names.shown(path);
        let unread = || NavigationError::new(format!("{shown} has no text that can be read."));
        self.names.text(path).ok_or_else(unread)
    }

    /// The range that a request names, in UTF-16; none for the whole file.
    async fn asked_range(
        &self,
        request: &PlaceRequest,
        cancel: &CancellationToken,
    ) -> Result<(Option<Range<Position>>, Vec<String>), NavigationError> {
        if let (Some(line), None, None) = (request.line, &request.symbol, request.column) {
            let line = u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX);
            return Ok((Some(Position::new(line, 0)..Position::new(line, u32::MAX)), Vec::new()));
        }
        if request.line.is_none() && request.symbol.is_none() {
            return Ok((None, Vec::new()));
        }
        let place = self.find_place_to_edit(request, cancel).await?;
        let document = Document::new(&place.text, LineBreaks::Any);
        let position = |offset| document.position(offset, PositionEncoding::Utf16);
        Ok((Some(position(place.range.start)..position(place.range.end)), place.notes))
    }
}

impl OfferedActions {
    /// The action with a title: exactly, in any case, or by a piece that only one has.
    pub fn find(&self, title: &str) -> Result<OfferedAction, NavigationError> {
        let (title, lower) = (title.trim(), title.trim().to_lowercase());
        let matching = |fits: &dyn Fn(&str) -> bool| -> Vec<&OfferedAction> {
            self.actions.iter().filter(|action| fits(&action.title)).collect()
        };
        let tries = [
            matching(&|known| known == title),
            matching(&|known| known.to_lowercase() == lower),
            matching(&|known| known.to_lowercase().contains(&lower)),
        ];
        let found = tries.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        let describe = |action: &&OfferedAction| match &action.problem {
            Some(problem) => format!("`{}` (line {}: {problem})", action.title, action.line),
            None => format!("`{}`", action.title),
        };
        match found.as_slice() {
            [only] => Ok((*only).clone()),
            [] => {
                let all: Vec<_> = self.actions.iter().map(|action| describe(&action)).collect();
                let offered = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
                let notes: String = self.notes.iter().map(|note| format!(" {note}")).collect();
                Err(NavigationError::new(format!(
                    "No action has the title `{title}`. Nothing was changed. Offered: {offered}.{notes}"
                )))
            }
            several => {
                let several: Vec<_> = several.iter().map(describe).collect();
                Err(NavigationError::new(format!(
                    "Several actions fit `{title}`: {}. Nothing was changed; name one by all of its title, or by `problem` or `line`.",
                    several.join(", ")
                )))
            }
        }
    }

    fn add(&mut self, action: OfferedAction) {
        let is_same = |known: &OfferedAction| {
            let is_line = known.problem.is_none() || known.line == action.line;
            known.title == action.title && known.problem == action.problem && is_line
        };
        if !self.actions.iter().any(is_same) {
            self.actions.push(action);
        }
    }
}

impl OfferedAction {
    fn new(action: ServerCodeAction, lease: usize, from: &ServerLease, asked: &AskedRange) -> Self {
        let is_fix = action.kind.starts_with("quickfix");
        let problem = asked.problems.first().filter(|_| is_fix && asked.problems.len() == 1);
        Self {
            title: action.title.clone(),
            kind: action.kind.clone(),
            is_preferred: action.is_preferred,
            line: asked.range.start.line.saturating_add(1),
            problem: problem.map(|problem| problem.message.lines().next().unwrap_or_default().to_owned()),
            server: from.server.name().to_owned(),
            command: None,
            lease,
            action,
        }
    }
}

/// Which actions are wanted.
struct WantedActions<'a> {
    range: Option<Range<Position>>,
    problem: Option<&'a str>,
    text: &'a str,
}

impl WantedActions<'_> {
    /// What one server offers, and why it does not.
    async fn ask(
        &self,
        lease: &ServerLease,
        number: usize,
        problems: &[Diagnostic],
    ) -> (Vec<OfferedAction>, Vec<String>) {
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for asked in self.asked_ranges(problems) {
            match ask_actions(lease, self.text, &asked, &[]).await {
                Ok(actions) => {
                    let wanted = actions.into_iter().filter(|action| is_wanted(&action.kind));
                    found.extend(wanted.map(|action| OfferedAction::new(action, number, lease, &asked)));
                }
                Err(error) => notes.push(format!("{} gave no actions: {error}.", lease.server.name())),
            }
        }
        notes.dedup();
        (found, notes)
    }

    /// Each problem is asked about by itself, so that a fix is known to be its own; then the range, for other actions.
    fn asked_ranges(&self, problems: &[Diagnostic]) -> Vec<AskedRange> {
        let is_inside = |span: DiagnosticSpan| {
            let touches = |range: &Range<Position>| {
                span.start.line <= range.end.line && range.start.line <= span.end.line
            };
            self.range.as_ref().is_none_or(touches)
        };
        let named = self.problem.map(str::to_lowercase);
        let is_named = |item: &Diagnostic| {
            named.as_ref().is_none_or(|named| {
                item.message.to_lowercase().contains(named)
                    || item.code.as_deref().is_some_and(|code| code.to_lowercase() == *named)
            })
        };
        let wanted = problems.iter().filter(|item| is_inside(item.span) && is_named(item));
        let mut asked: Vec<_> = wanted
            .take(MAX_PROBLEMS)
            .map(|item| AskedRange { range: item.span.start..item.span.end, problems: vec![item.clone()] })
            .collect();
        if let (Some(range), None) = (&self.range, self.problem) {
            asked.push(AskedRange { range: range.clone(), problems: Vec::new() });
        }
        asked
    }
}

async fn ask_actions(
    lease: &ServerLease,
    text: &str,
    asked: &AskedRange,
    only: &[&str],
) -> Result<Vec<ServerCodeAction>, CodeQueryError> {
    let encoding = lease.server.position_encoding();
    let document = Document::new(text, LineBreaks::Any);
    let convert = |position| document.position(document.offset(position, PositionEncoding::Utf16), encoding);
    let range = convert(asked.range.start)..convert(asked.range.end);
    let problems: Vec<_> = asked
        .problems
        .iter()
        .map(|item| {
            let span = DiagnosticSpan { start: convert(item.span.start), end: convert(item.span.end) };
            Diagnostic { span, ..item.clone() }
        })
        .collect();
    let until = Instant::now() + ANSWER_TIMEOUT;
    lease.server.code_actions(&lease.path, &range, &problems, only, until).await
}

fn server_gone() -> NavigationError {
    NavigationError::new("The server is gone. Make the call again.")
}

fn is_wanted(kind: &str) -> bool {
    // rust-analyzer has actions without a kind.
    kind.is_empty() || KINDS.iter().any(|wanted| kind.starts_with(wanted))
}

fn describe_problem(item: &Diagnostic) -> String {
    let first = item.message.lines().next().unwrap_or_default();
    format!("line {}: {first}", item.span.start.line.saturating_add(1))
}
