//! Runs a command in a shell.
//!
//! The command has no terminal, so `QUIET` switches off pagers, colours and prompts. Output over the limit goes to a file
//! while the command runs, and the model gets its end.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use copydesk_metadata::{
    BackgroundCommandMetadata, CallDetail, CommandAskMetadata, CommandMetadata, PermissionAskDetail,
};
use copydesk_permission::{CommandPattern, ShellPlace, read_command};
use copydesk_text::{self as text, KeepSide as End};
use copydesk_workspace::process::sandbox::{CommandSandbox, SandboxMode};
use copydesk_workspace::process::{
    FinishedCommand, GUARDED_GIT, OutputLimits, ProcessExit, Processes, Shell, ShellCommand,
    SpillOutcome as Spilt, SpillTarget, SpillWhen,
};
use copydesk_workspace::time_limits::TERMINATE_GRACE;
use schemars::JsonSchema;
use serde::Deserialize;

use super::command_sandbox::{self, CommandPlacement, SandboxNote};
use super::diagnostics;
use super::live_output::LiveOutput;
use super::target_file::sentence;
use super::{ToolOptions, command_files, command_paths};
use crate::context::{PermissionGrant, PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::output_spill::OutputSpill;
use crate::registry::ToolOutputLimits;
use crate::time_limits::{DEFAULT_COMMAND_TIMEOUT, MAX_COMMAND_WAIT};
use crate::tool::{Tool, TouchedFiles};
use crate::web::ListedNetwork;

/// The longest argument of a program on Linux. The call rejects a longer command without asking.
const MAX_COMMAND_BYTES: usize = 128 * 1024;

/// Reserved for the text around the output.
const RESERVED: ToolOutputLimits = ToolOutputLimits { lines: 8, bytes: 2048 };
/// How much output of a failed command the user is shown.
const SEEN: ToolOutputLimits = ToolOutputLimits { lines: 12, bytes: 2048 };
/// How many unsaved files the model is told of by name.
const MAX_UNSAVED_NAMES: usize = 10;
const MAX_UNSAVED_BYTES: usize = 800;
const MAX_OUTPUT_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// No colours and no prompts. `true` as the editor lets `git rebase --continue` continue, and `git commit` without a message
/// fail at once.
const QUIET: [(&str, &str); 7] = [
    ("GH_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

#[derive(Debug)]
pub(super) struct BashTool {
    limits: ToolOutputLimits,
    spill: OutputSpill,
    processes: Processes,
    sandbox: CommandSandbox,
    shell: Shell,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BashParameters {
    /// The command, as it would be typed into a shell.
    command: String,
    /// After how many milliseconds it is ended. Default 120000, at most 600000.
    timeout: Option<u64>,
    /// The folder to run in: relative to the workspace, or absolute. Default: the workspace.
    workdir: Option<String>,
    /// What it does, in five to ten words, for the user who is asked.
    description: Option<String>,
    /// Whether it runs on while you do other things. Without a `timeout` of its own until the session ends.
    #[serde(default)]
    background: bool,
    /// Why it must run outside of the sandbox, if there is one: the user is asked. Leave it out else.
    unsandboxed: Option<String>,
}

impl BashTool {
    pub(super) fn new(options: &ToolOptions) -> Self {
        let ToolOptions { limits, spill, processes, sandbox, shell, web, .. } = options.clone();
        let sandbox = sandbox.with_bridges(Arc::new(ListedNetwork::new(web.resolver)));
        Self { limits, spill, processes, sandbox, shell }
    }

    /// The limits of the output, without the text around it.
    fn output_limits(&self) -> ToolOutputLimits {
        let ToolOutputLimits { lines, bytes } = self.limits;
        ToolOutputLimits {
            lines: lines.saturating_sub(RESERVED.lines).max(1),
            bytes: bytes.saturating_sub(RESERVED.bytes).max(1),
        }
    }

    async fn spill_to(&self, call: &str, when: SpillWhen) -> Option<SpillTarget> {
        tokio::fs::create_dir_all(self.spill.folder()).await.ok()?;
        let safe: String = call.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(80).collect();
        // Calls of two sessions may have the same id.
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let path = self.spill.folder().join(format!("{safe}-{time:x}.txt"));
        Some(SpillTarget { path, limit: MAX_OUTPUT_FILE_BYTES, when })
    }

    async fn command(&self, parameters: &BashParameters, cwd: PathBuf, call: &str) -> ShellCommand {
        // Some models write 0 for the default.
        let said = parameters.timeout.filter(|time| *time > 0).map(Duration::from_millis);
        let (timeout, when) = match parameters.background {
            true => (said, SpillWhen::FromStart),
            false => {
                (Some(said.unwrap_or(DEFAULT_COMMAND_TIMEOUT).min(MAX_COMMAND_WAIT)), SpillWhen::Truncated)
            }
        };
        let set = |(name, value): (&str, &str)| (OsString::from(name), Some(OsString::from(value)));
        ShellCommand {
            script: parameters.command.trim().to_owned(),
            shell: self.shell.clone(),
            cwd,
            env: QUIET.map(set).into(),
            timeout,
            grace: TERMINATE_GRACE,
            limits: OutputLimits {
                head: 0,
                tail: self.output_limits().bytes,
                spill: self.spill_to(call, when).await,
            },
            sandbox: None,
        }
    }
}

impl Tool for BashTool {
    type Parameters = BashParameters;

    fn name(&self) -> Cow<'static, str> {
        "bash".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        match self.sandbox.mode() {
            SandboxMode::Off => include_str!("bash.md").into(),
            mode @ (SandboxMode::Auto | SandboxMode::Require) => {
                format!("{}\n{}", include_str!("bash.md").trim_end(), command_sandbox::prompt(mode)).into()
            }
        }
    }

    fn touched_files(&self, _parameters: &BashParameters, _context: &ToolContext) -> TouchedFiles {
        TouchedFiles::Everything
    }

    async fn run(&self, parameters: BashParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let written = parameters.command.trim();
        if written.is_empty() {
            return Err(ToolError::new(
                ToolErrorKind::Arguments,
                "The command is empty. Give the command to run.",
            ));
        }
        if written.len() >= MAX_COMMAND_BYTES {
            let message = format!(
                "The command has {} bytes; a shell takes less than {MAX_COMMAND_BYTES}. Write the script to a file and run that.",
                written.len()
            );
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        let place = context.resolve_path(parameters.workdir.as_deref().unwrap_or_default()).await?;
        let said = parameters.description.as_deref().map(str::trim).filter(|said| !said.is_empty());
        let title = said.or(written.lines().next()).unwrap_or_default().to_owned();
        let home = context.files.home().to_string_lossy();
        let folder = place.real_path().to_string_lossy();
        let mut reading =
            read_command(written, ShellPlace { home: Some(&home), working_folder: Some(&folder) });
        let wanted = parameters.unsandboxed.as_deref();
        // As they are outside of the sandbox.
        let unmarked = reading.commands.clone();
        let (root, commands) = (context.files.root(), &mut reading.commands);
        let mut placement = CommandPlacement::choose(&self.sandbox, root, &self.processes, commands, wanted)
            .await
            .accept()?;
        let searched =
            command_files::find_searched_files(&context, &self.processes, place.real_path(), &mut reading)
                .await;
        let running =
            if parameters.background { format!("{title} (in the background)") } else { title.clone() };
        let request = |placement: &CommandPlacement, commands: &[CommandPattern]| PermissionRequest {
            key: "bash".to_owned(),
            patterns: commands.iter().map(|command| command.text.clone()).collect(),
            commands: commands.to_vec(),
            // A reason is given for one call.
            always: if placement.is_wanted_outside() { Vec::new() } else { reading.always.clone() },
            title: format!("{running}{}", placement.title_suffix()),
            metadata: PermissionAskDetail::Command(CommandAskMetadata {
                command: written.to_owned(),
                workdir: place.display_path.clone(),
                description: said.map(str::to_owned),
                sandboxed: placement.is_sandboxed(),
                sandbox_note: placement.ask_note(&self.sandbox),
            })
            .into(),
            ..PermissionRequest::default()
        };
        let ask = request(&placement, &reading.commands);
        let grant = context.ask(ask.clone()).await?;
        placement.ask(&context, &ask, grant).await?;
        command_paths::ask_outside_folders(&context, place.real_path(), &reading.paths, grant).await?;
        command_files::ask_for_files(&context, &reading, searched, grant).await?;
        let mut command = self.command(&parameters, place.real_path().to_owned(), &context.call).await;
        if reading.reads_git && reading.only_reads() && grant != PermissionGrant::ByUser {
            let guard = GUARDED_GIT.map(|(name, value)| (OsString::from(name), value.map(OsString::from)));
            command.env.extend(guard);
        }
        let prepared = placement.prepare(&self.sandbox, &context, place.real_path(), &self.processes).await;
        command.sandbox = match prepared {
            Ok(launch) => launch,
            Err(error) => {
                placement = CommandPlacement::after_failure(&self.sandbox, &error)?;
                context.ask(request(&placement, &unmarked)).await?;
                None
            }
        };
        let launch = command.sandbox.clone();
        let unsaved = context.files.unsaved_files().await;
        if parameters.background {
            let mut started = self.start(title, command, &placement)?;
            started.output += &unsaved_note(&unsaved);
            return Ok(started);
        }
        let before = diagnostics::begin_command(&context).await;
        let mut live = LiveOutput::new(&context);
        let finished = self.processes.run(command, context.cancel.clone(), |piece| live.push(piece)).await;
        let finished = finished.map_err(|error| ToolError::target(sentence(&error.to_string())))?;
        let unsaved = unsaved_note(&unsaved);
        let findings = match launch {
            Some(launch) => Some(launch.examine(finished.exit, &finished.output.text()).await),
            None => None,
        };
        let note = placement.note(findings, &self.sandbox);
        let mut output = self
            .render_result(title, &finished, &note)
            .map_err(|failure| ToolError { message: format!("{}{unsaved}", failure.message), ..failure })?;
        output.output += &unsaved;
        diagnostics::check_command(&context, before, &mut output).await;
        Ok(output)
    }
}

/// What the command could not see. The offline model reads this line.
fn unsaved_note(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut names = files.iter().take(MAX_UNSAVED_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if let Some(more) = files.len().checked_sub(MAX_UNSAVED_NAMES).filter(|more| *more > 0) {
        names += &format!(" and {more} more");
    }
    if names.len() > MAX_UNSAVED_BYTES {
        names.truncate(names.floor_char_boundary(MAX_UNSAVED_BYTES));
        names.push('…');
    }
    format!("\n(Not saved in the editor, so the command saw another text of: {names})")
}

impl BashTool {
    fn start(
        &self,
        title: String,
        command: ShellCommand,
        placement: &CommandPlacement,
    ) -> Result<ToolOutput, ToolError> {
        let job =
            self.processes.start(command).map_err(|error| ToolError::target(sentence(&error.to_string())))?;
        let place = match &job.file {
            Some(path) => format!(" All that it prints goes to {}: read or search it.", path.display()),
            None => String::new(),
        };
        let output = format!(
            "It runs in the background as job {}.{place} `job` gives what is new, waits for the end, or stops it; you are told when it has ended.",
            job.id
        );
        let file = job.file.as_ref().map(|file| file.to_string_lossy().into_owned());
        let metadata = CallDetail::BackgroundCommand(BackgroundCommandMetadata {
            job: job.id,
            file,
            sandboxed: placement.is_sandboxed(),
        })
        .into();
        Ok(ToolOutput {
            title: format!("{title} (job {})", job.id),
            output,
            metadata,
            ..ToolOutput::default()
        })
    }

    fn render_result(
        &self,
        title: String,
        finished: &FinishedCommand,
        sandbox: &SandboxNote,
    ) -> Result<ToolOutput, ToolError> {
        let time = format!("{:.1} s", finished.duration.as_secs_f64());
        let is_success = finished.exit == ProcessExit::Code(0);
        let mut shown = CommandMetadata {
            truncated: Some(finished.output.omitted_bytes > 0),
            output: (!is_success).then(|| text::truncate(&finished.output.tail, SEEN, End::Tail).text.into()),
            sandboxed: sandbox.is_sandboxed(),
            sandbox_note: sandbox.short(),
            ..CommandMetadata::default()
        };
        match finished.exit {
            ProcessExit::Code(code) => shown.exit = Some(code),
            ProcessExit::Signal(signal) => shown.signal = Some(signal),
            ProcessExit::TimedOut => shown.timed_out = Some(true),
            ProcessExit::Cancelled => {}
        }
        let metadata = CallDetail::Command(shown);
        let printed = self.render_output(finished);
        let verdict = match finished.exit {
            ProcessExit::Code(code) => format!("exit code {code} after {time}"),
            ProcessExit::Signal(signal) => format!("ended by signal {signal} after {time}"),
            // The verdict comes first, because a failure keeps its beginning.
            ProcessExit::TimedOut => {
                let message = format!(
                    "The command was ended at its timeout, after {time}. Give it a longer `timeout`, or run it in the background."
                );
                let error = self.failure(ToolErrorKind::Timeout, &message, &printed);
                return Err(error.with_title("ended at its timeout").with_metadata(metadata));
            }
            ProcessExit::Cancelled => {
                let message = format!("The user cancelled the command after {time}; it was ended.");
                let error = self.failure(ToolErrorKind::Cancelled, &message, &printed);
                return Err(error.with_title("cancelled").with_metadata(metadata));
            }
        };
        let left = finished.leftover_group.map(|group| {
            format!("; it left something running in the background, which `kill -- -{group}` ends")
        });
        let printed = printed.trim_end_matches('\n');
        let left = left.unwrap_or_default();
        let output = format!("{printed}\n\n({verdict}{left}{}){}", sandbox.verdict(), sandbox.advice());
        let metadata = metadata.into();
        Ok(ToolOutput { title, output, metadata, keep_end: true, ..ToolOutput::default() })
    }

    /// The output, or its end and the path of the whole.
    fn render_output(&self, finished: &FinishedCommand) -> String {
        let output = &finished.output;
        let all = format!("{}{}", output.head, output.tail);
        if output.omitted_bytes == 0 {
            return if all.trim().is_empty() { "(no output)".to_owned() } else { all };
        }
        // Drops a first line that is incomplete.
        let tail = all.split_once('\n').map_or(all.as_str(), |(_, lines)| lines);
        // Also by lines, because the registry would truncate it again without naming the file.
        let tail = text::truncate(tail, self.output_limits(), End::Tail).text;
        let left_out = output.omitted_bytes + (all.len() - tail.len()) as u64;
        let whole = match &output.spill {
            Spilt::Complete(path) => {
                format!("The whole is in {}: search it, or read it with offset and limit.", path.display())
            }
            Spilt::Truncated(path) => {
                format!("Its first {MAX_OUTPUT_FILE_BYTES} bytes are in {}: search them.", path.display())
            }
            Spilt::Failed(why) => format!("The rest could not be kept: {why}."),
            Spilt::None => "The rest could not be kept.".to_owned(),
        };
        format!("[The first {left_out} bytes are left out. {whole}]\n\n{tail}")
    }

    fn failure(&self, kind: ToolErrorKind, message: &str, printed: &str) -> ToolError {
        let cut = text::truncate(printed, self.output_limits(), End::Tail);
        let left_out = if cut.is_whole() { "" } else { " (the end of it)" };
        ToolError::new(kind, format!("{message} It had printed{left_out}:\n{}", cut.text))
    }
}
