//! Shows a turn as text in a terminal.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;

use copydesk_protocol::event::{EventInfo, JobInfo, TurnEndInfo};
use copydesk_protocol::metadata::{CallMetadata, ChangedFileMetadata};
use copydesk_protocol::part::{CallInfo, PartContentInfo, PartInfo, PartStateInfo, UsageInfo};
use copydesk_protocol::permission::PermissionAskInfo;
use copydesk_protocol::question::QuestionAskInfo;
use copydesk_tool::TODOWRITE;

use super::activity::{self, CurrentActivity};
use super::command_output;
use super::context_lines::{compaction_line, pruning_line};
use super::diagnostics_view::{self, DiagnosticsTiming};
use super::markdown::MarkdownStyler;
use super::places_view;
use super::tasks::{self, RunningTasks};
use super::todo_view::TodoListView;
use crate::terminal::{BAD, BOLD, DIM, GOOD, columns, cut, has_styles, one_line, styled};
use crate::terminal::{end_waiting, print, print_inline, remark, show_waiting};
use crate::time_limits::MIN_SHOWN_MS;

pub(super) struct TextView {
    /// The part being written, and whether it is reasoning.
    writing: Option<(String, bool)>,
    /// The last output ended a line.
    at_end: bool,
    kinds: HashMap<String, bool>,
    /// By part of text: how many bytes are shown.
    written: HashMap<String, usize>,
    /// Present if the terminal has styles.
    markdown: Option<MarkdownStyler>,
    /// By call: what the user was asked, and what they refused.
    asked: HashMap<String, String>,
    refused: HashMap<String, CallRefusal>,
    /// Calls whose change the user saw in the ask.
    seen: HashSet<String>,
    todo: TodoListView,
    last: Option<OutputBlock>,
    /// `None` before the turn starts.
    current: Option<CurrentActivity>,
    tasks: RunningTasks,
    /// Running background jobs.
    running: usize,
    usage: UsageInfo,
    cost: Option<f64>,
    /// Paths are shown relative to it.
    folder: PathBuf,
}

/// Output that stands together; an empty line separates two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputBlock {
    Text,
    Calls,
}

/// What the user refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallRefusal {
    All,
    /// After accepting some hunks.
    Rest,
    /// The user did not answer a question.
    Answer,
    /// The run is unattended.
    Nobody,
}

impl TextView {
    pub(super) fn new() -> Self {
        Self {
            writing: None,
            at_end: false,
            kinds: HashMap::new(),
            written: HashMap::new(),
            markdown: has_styles().then(MarkdownStyler::default),
            asked: HashMap::new(),
            refused: HashMap::new(),
            seen: HashSet::new(),
            todo: TodoListView::default(),
            last: None,
            current: None,
            tasks: RunningTasks::default(),
            running: 0,
            usage: UsageInfo::default(),
            cost: None,
            folder: std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default(),
        }
    }

    pub(super) fn show(&mut self, event: &EventInfo) -> io::Result<()> {
        match event {
            EventInfo::Part { part } => self.part(part),
            EventInfo::Delta { part, text } => self.delta(part, text),
            EventInfo::TurnEnded { end, .. } => self.end(end),
            EventInfo::TurnStarted { .. } => {
                self.current = Some(CurrentActivity::new());
                self.wait();
                Ok(())
            }
            // `ask` and `question` show these when it is their turn.
            EventInfo::Asked(_)
            | EventInfo::Settled { .. }
            | EventInfo::Questioned(_)
            | EventInfo::Answered { .. } => Ok(()),
            EventInfo::Progress { part, metadata } => {
                self.progress(part, metadata);
                self.wait();
                Ok(())
            }
            EventInfo::Jobs { running, ended } => self.jobs(running, ended),
            EventInfo::Session { .. } | EventInfo::Void { .. } => Ok(()),
            // The follower prints warnings, because they go to standard error.
            EventInfo::Warning { .. } => Ok(()),
            EventInfo::ReviewChanged(_) | EventInfo::Feedback { .. } | EventInfo::Deleted => Ok(()),
        }
    }

    /// Records progress without output, because the user may be typing.
    pub(super) fn progress(&mut self, part: &str, metadata: &CallMetadata) {
        self.tasks.progress(part, metadata);
        if let Some(current) = &mut self.current {
            current.printed(part, metadata);
        }
    }

    /// The call continues after an ask.
    pub(super) fn call_resumed(&mut self, part: &str) {
        if let Some(current) = &mut self.current {
            current.goes_on(part);
        }
        self.wait();
    }

    /// Shows what is being done, and for how long.
    pub(super) fn wait(&self) {
        if let Some(current) = &self.current {
            self.waiting(&self.tasks.line().map_or_else(|| current.line(), |tasks| format!("{tasks}…")));
        }
    }

    pub(super) fn refused(&mut self, part: &str, what: CallRefusal) {
        self.refused.insert(part.to_owned(), what);
    }

    /// Another client decided while the user was being asked.
    pub(super) fn decided(&mut self, by: Option<&str>) -> io::Result<()> {
        let by = by.map(|by| format!(" in {}", one_line(by))).unwrap_or_default();
        print(styled(DIM, format!("  decided{by}")))
    }

    /// The prompt waits for another client's turn.
    pub(super) fn queued(&self) {
        self.waiting("waiting for another turn in this session…");
    }

    /// The user interrupts the turn, perhaps during an ask.
    pub(super) fn interrupted(&mut self, asking: bool) -> io::Result<()> {
        self.end_line()?;
        if asking {
            print("")?;
        }
        self.current = None;
        self.waiting("cancelling the turn; Ctrl-C again leaves at once…");
        Ok(())
    }

    /// Prepares for questions, which are then asked one by one.
    pub(super) fn question(&mut self, asked: &QuestionAskInfo) -> io::Result<()> {
        let first = asked.questions.first().map(|question| one_line(&question.text)).unwrap_or_default();
        // A subagent's question is not about its task.
        if asked.agent.is_none() {
            self.asked.insert(asked.part.clone(), first);
        }
        self.begin_asking()
    }

    fn begin_asking(&mut self) -> io::Result<()> {
        self.end_line()?;
        if self.last.is_some() {
            print("")?;
        }
        self.last = Some(OutputBlock::Calls);
        Ok(())
    }

    /// Shows what the user is about to be asked.
    pub(super) fn ask(&mut self, asked: &PermissionAskInfo) -> io::Result<()> {
        self.begin_asking()?;
        let title = one_line(&asked.title);
        print(format!("{} {title}", styled(BOLD, "?")))?;
        // A subagent's ask is not about its task.
        if asked.metadata.notes.session.is_none() {
            self.asked.insert(asked.part.clone(), title);
        }
        // The user sees the actual command, whatever the model calls it.
        if let Some(command) = asked.metadata.command() {
            print(format!("  {} {}", styled(DIM, "$"), command.trim_end().replace('\n', "\n    ")))?;
        }
        if let Some(rights) = asked.metadata.sandbox_rights() {
            print(format!("  in the sandbox: {}", one_line(rights)))?;
        }
        if let Some(plan) = asked.metadata.plan() {
            let indent =
                |line: &str| if line.trim().is_empty() { String::new() } else { format!("  {line}") };
            print(format!("\n{}\n", plan.trim().lines().map(indent).collect::<Vec<_>>().join("\n")))?;
        }
        diagnostics_view::lines(asked.metadata.diagnostics(), DiagnosticsTiming::Before)
            .iter()
            .try_for_each(print)
    }

    /// The change is shown in the ask, now or hunk by hunk.
    pub(super) fn mark_change_shown(&mut self, asked: &PermissionAskInfo) {
        if !diffs(asked.metadata.changed_files()).is_empty() {
            self.seen.insert(asked.part.clone());
        }
    }

    /// Some hunks were accepted before the rest was refused.
    pub(super) fn kept(&mut self, accepted: usize) -> io::Result<()> {
        let what = match accepted {
            1 => "1 hunk was accepted and stays".to_owned(),
            several => format!("{several} hunks were accepted and stay"),
        };
        print(styled(DIM, format!("  {what}")))
    }

    fn part(&mut self, part: &PartInfo) -> io::Result<()> {
        match &part.content {
            PartContentInfo::Text(content) | PartContentInfo::Reasoning(content) => {
                let reasoning = matches!(part.content, PartContentInfo::Reasoning(_));
                self.kinds.insert(part.id.clone(), reasoning);
                // Deltas are lost if this client falls behind. The part that is loaded then has the whole text.
                let missing = content.text.get(self.written.get(&part.id).copied().unwrap_or_default()..);
                if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
                    self.delta(&part.id, missing)?;
                }
                if is_settled(&part.state) && self.writing.as_ref().is_some_and(|(id, _)| *id == part.id) {
                    self.end_line()?;
                }
                Ok(())
            }
            PartContentInfo::Call(call) if is_settled(&part.state) => {
                self.call(&part.id, call, &part.state)?;
                let (usage, cost) = tasks::used(call);
                self.add(usage, cost);
                self.tasks.ended(&part.id);
                if let Some(current) = &mut self.current {
                    current.ended(&part.id);
                }
                self.wait();
                Ok(())
            }
            PartContentInfo::Call(call) if part.state == PartStateInfo::Running && call.output.is_none() => {
                if let Some(current) = &mut self.current {
                    current.began(&part.id, call);
                }
                self.wait();
                Ok(())
            }
            PartContentInfo::Retry { attempt, message, .. } => {
                self.end_line()?;
                remark(styled(DIM, format!("attempt {attempt} failed, trying again: {message}")));
                Ok(())
            }
            PartContentInfo::Compaction(compaction) => {
                self.end_line()?;
                remark(styled(DIM, compaction_line(compaction, &part.state)));
                self.cost = compaction.cost.map(|cost| self.cost.unwrap_or(0.0) + cost).or(self.cost);
                Ok(())
            }
            PartContentInfo::Pruning(pruning) => {
                self.end_line()?;
                remark(styled(DIM, pruning_line(*pruning)));
                Ok(())
            }
            PartContentInfo::StepFinish(finish) => {
                self.add(finish.usage, finish.cost);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, used: UsageInfo, cost: Option<f64>) {
        self.usage.input += used.input;
        self.usage.output += used.output;
        self.usage.cache_read += used.cache_read;
        self.usage.cache_write += used.cache_write;
        self.cost = cost.map(|cost| self.cost.unwrap_or(0.0) + cost).or(self.cost);
    }

    fn delta(&mut self, part: &str, text: &str) -> io::Result<()> {
        // A call's arguments are not shown as they stream; the call is shown when it is done.
        let Some(reasoning) = self.kinds.get(part).copied() else { return Ok(()) };
        if self.writing.as_ref().is_none_or(|(id, _)| id != part) {
            self.end_line()?;
            self.begin(OutputBlock::Text)?;
            self.writing = Some((part.to_owned(), reasoning));
            self.at_end = false;
        }
        *self.written.entry(part.to_owned()).or_default() += text.len();
        self.at_end = if text.is_empty() { self.at_end } else { text.ends_with('\n') };
        print_inline(match &mut self.markdown {
            _ if reasoning => styled(DIM, text),
            Some(markdown) => markdown.push(text),
            None => text.to_owned(),
        })
    }

    fn call(&mut self, part: &str, call: &CallInfo, state: &PartStateInfo) -> io::Result<()> {
        self.end_line()?;
        self.begin(OutputBlock::Calls)?;
        let output = call.output.as_ref();
        // Another client may have accepted some of it.
        let refused = self.refused.get(part).filter(|_| *state != PartStateInfo::Completed);
        let failed = output.and_then(|output| command_output::failed(&output.metadata));
        let mut title = match (self.asked.get(part), output) {
            (Some(asked), _) if *state == PartStateInfo::Interrupted => asked.clone(),
            (Some(asked), Some(_)) if refused == Some(&CallRefusal::All) => format!("{asked}: you said no"),
            (Some(asked), Some(_)) if refused == Some(&CallRefusal::Answer) => {
                format!("{asked}: you gave no answer")
            }
            (Some(asked), Some(_)) if refused == Some(&CallRefusal::Nobody) => {
                format!("{asked}: nobody could be asked")
            }
            (Some(asked), Some(_)) if refused.is_some() => format!("{asked}: you said no to the rest"),
            // The output is advice for the model; show what the call was about.
            (_, Some(_)) if failed.is_some() && *state != PartStateInfo::Completed => activity::subject(call),
            (_, Some(output)) => one_line(&output.title),
            (_, None) => one_line(&call.arguments),
        };
        if output.is_none() {
            title = cut(&title, columns().saturating_sub(call.name.len() + 4));
        }
        let took = match output.map_or(0, |output| output.milliseconds) {
            ..MIN_SHOWN_MS => String::new(),
            short @ ..1000 => styled(DIM, format!("  {short} ms")),
            long => styled(DIM, format!("  {}.{} s", long / 1000, long % 1000 / 100)),
        };
        let mark = match state {
            PartStateInfo::Completed if failed.is_none() => styled(GOOD, "✓"),
            PartStateInfo::Interrupted => styled(DIM, "–"),
            _ => styled(BAD, "✗"),
        };
        let about = tasks::about(call).map(|about| styled(DIM, format!("  {about}"))).unwrap_or_default();
        let verdict = failed.as_ref().map(|failed| styled(BAD, format!("  {failed}"))).unwrap_or_default();
        let sandbox = output.and_then(|output| command_output::sandbox_words(&output.metadata));
        let sandbox = sandbox.map(|words| styled(DIM, format!("  {words}"))).unwrap_or_default();
        print(format!("{mark} {} {title}{verdict}{about}{sandbox}{took}", styled(BOLD, &call.name)))?;
        if let Some(output) = output.filter(|_| failed.is_some() && *state != PartStateInfo::Interrupted) {
            command_output::last_lines(&output.metadata, columns()).iter().try_for_each(print)?;
        }
        if let Some(output) = output.filter(|_| call.name == TODOWRITE && *state == PartStateInfo::Completed)
        {
            self.todo.lines(&output.metadata).iter().try_for_each(print)?;
        }
        if *state != PartStateInfo::Completed {
            return Ok(());
        }
        let Some(output) = output else { return Ok(()) };
        places_view::lines(output.metadata.code_places(), &self.folder).iter().try_for_each(print)?;
        let diffs = diffs(output.metadata.changed_files());
        if !diffs.is_empty() && !self.seen.contains(part) {
            print(coloured(&joined(&diffs)))?;
        }
        diagnostics_view::lines(output.metadata.diagnostics(), DiagnosticsTiming::After)
            .iter()
            .try_for_each(print)
    }

    fn end(&mut self, end: &TurnEndInfo) -> io::Result<()> {
        self.end_line()?;
        end_waiting();
        match end {
            TurnEndInfo::Done => {}
            TurnEndInfo::Cancelled => remark("cancelled"),
            TurnEndInfo::Rejected => remark("stopped at your request"),
            TurnEndInfo::StepLimit { steps } => {
                remark(format_args!("stopped after {steps} steps; `copydesk run --continue` continues"));
            }
            TurnEndInfo::Failed { message } => remark(format_args!("{} {message}", styled(BAD, "error:"))),
            TurnEndInfo::Interrupted => remark("interrupted"),
        }
        if self.usage == UsageInfo::default() && self.cost.is_none_or(|cost| cost == 0.0) {
            return Ok(());
        }
        let cost = self.cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
        let UsageInfo { input, output, cache_read, cache_write, .. } = self.usage;
        let read = input.saturating_add(cache_read).saturating_add(cache_write);
        remark(styled(DIM, format!("{read} tokens in, {output} out{cost}")));
        Ok(())
    }

    /// Prints jobs that ended; running ones appear in the status line.
    fn jobs(&mut self, running: &[JobInfo], ended: &[JobInfo]) -> io::Result<()> {
        self.running = running.len();
        for job in ended {
            self.end_line()?;
            self.begin(OutputBlock::Calls)?;
            let (command, state) = (one_line(&job.command), one_line(&job.state));
            print(styled(DIM, format!("– job {} {command}: {state}", job.id)))?;
        }
        Ok(())
    }

    fn waiting(&self, what: &str) {
        if self.writing.is_none() {
            let jobs = match self.running {
                0 => String::new(),
                1 => " · 1 job running".to_owned(),
                count => format!(" · {count} jobs running"),
            };
            show_waiting(&format!("{what}{jobs}"));
        }
    }

    fn begin(&mut self, block: OutputBlock) -> io::Result<()> {
        match self.last.replace(block) {
            Some(last) if last != block => print(""),
            _ => Ok(()),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.writing.take().is_none() {
            return Ok(());
        }
        let rest = self.markdown.as_mut().map(MarkdownStyler::finish).unwrap_or_default();
        if self.at_end { Ok(()) } else { print(rest) }
    }
}

pub(super) fn is_settled(state: &PartStateInfo) -> bool {
    !matches!(state, PartStateInfo::Pending | PartStateInfo::Running)
}

/// The diff of one file, from a call or an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileDiff<'a> {
    /// `None` if there is only one file.
    pub(super) path: Option<&'a str>,
    pub(super) diff: &'a str,
}

/// The diffs of all files.
pub(super) fn diffs(files: &[ChangedFileMetadata]) -> Vec<FileDiff<'_>> {
    let shown = files.iter().filter_map(|file| Some((file.path.as_deref(), file.diff.as_deref()?)));
    shown.map(|(path, diff)| FileDiff { path, diff }).collect()
}

pub(super) fn joined(diffs: &[FileDiff<'_>]) -> String {
    diffs.iter().map(|file| file.diff.trim_end()).collect::<Vec<_>>().join("\n")
}

/// A diff in colours; the header is dropped if there is only one file.
pub(super) fn coloured(diff: &str) -> String {
    let lines: Vec<_> = diff.trim_end().lines().collect();
    let is_header = |lines: &[&str]| matches!(lines, [old, new, hunk] if old.starts_with("--- ") && new.starts_with("+++ ") && hunk.starts_with("@@"));
    let single = lines.windows(3).filter(|lines| is_header(lines)).count() == 1;
    let header = if single && lines.get(..3).is_some_and(is_header) { 2 } else { 0 };
    let line = |line: &&str| match line.chars().next() {
        Some('+') => styled(GOOD, line),
        Some('-') => styled(BAD, line),
        Some('@' | '\\') => styled(DIM, line),
        _ => (*line).to_owned(),
    };
    lines.iter().skip(header).map(|text| format!("  {}", line(text))).collect::<Vec<_>>().join("\n")
}
