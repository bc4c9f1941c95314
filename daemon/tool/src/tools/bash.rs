//! Runs a command in a shell.
//!
//! It has no terminal, so what would page, colour or ask is told not to (`QUIET`). Its output is held up to the limit; what is
//! longer goes to a file while it runs, and the model gets its end.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use copydesk_text::{self as text, Keep as End};
use copydesk_workspace::process::{
    Command, Exit, Finished, GRACE, Keep, Processes, Shell, Spill as Spilt, SpillTo, SpillWhen,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::checking;
use super::live::Live;
use super::target::sentence;
use super::{Options, prefix};
use crate::context::{Ask, Context};
use crate::outcome::{Failure, FailureKind, Output};
use crate::registry::Limits;
use crate::spill::Spill;
use crate::tool::{Tool, Touches};

const TIMEOUT: u64 = 120_000;
const LONGEST_TIMEOUT: u64 = 600_000;

/// What Linux takes for one argument of a program. Longer ones need not be put before anybody.
const LONGEST_COMMAND: usize = 128 * 1024;

/// What the words around an output may take of the limits.
const ROOM: Limits = Limits { lines: 8, bytes: 2048 };
/// What a person is shown of the output of a command that failed.
const SEEN: Limits = Limits { lines: 12, bytes: 2048 };
/// The largest file of an output.
const LARGEST: u64 = 64 * 1024 * 1024;

/// For a reader who sees no colours and answers no questions. An editor that changes nothing lets `git rebase --continue`
/// go on, and `git commit` without a message fail at once.
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
pub(super) struct Bash {
    limits: Limits,
    spill: Spill,
    processes: Processes,
    shell: Shell,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The command, as it would be typed into a shell.
    command: String,
    /// After how many milliseconds it is ended. Default 120000, at most 600000.
    timeout: Option<u64>,
    /// The folder to run in: relative to the workspace, or absolute. Default: the workspace.
    workdir: Option<String>,
    /// What it does, in five to ten words, for the person who is asked.
    description: Option<String>,
    /// Whether it runs on while you do other things. Without a `timeout` of its own until the session ends.
    #[serde(default)]
    background: bool,
}

impl Bash {
    pub(super) fn new(options: &Options) -> Self {
        let Options { limits, spill, processes, shell, .. } = options.clone();
        Self { limits, spill, processes, shell }
    }

    /// How much output is shown, beside the words about it.
    fn shown(&self) -> Limits {
        let Limits { lines, bytes } = self.limits;
        Limits {
            lines: lines.saturating_sub(ROOM.lines).max(1),
            bytes: bytes.saturating_sub(ROOM.bytes).max(1),
        }
    }

    async fn spill_to(&self, call: &str, when: SpillWhen) -> Option<SpillTo> {
        tokio::fs::create_dir_all(self.spill.folder()).await.ok()?;
        let safe: String = call.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(80).collect();
        // Calls of two sessions may have the same name.
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let path = self.spill.folder().join(format!("{safe}-{time:x}.txt"));
        Some(SpillTo { path, limit: LARGEST, when })
    }

    async fn command(&self, parameters: &Parameters, cwd: PathBuf, call: &str) -> Command {
        // 0 is what some models write for "as usual".
        let said = parameters.timeout.filter(|time| *time > 0);
        let (timeout, when) = match parameters.background {
            true => (said, SpillWhen::AtOnce),
            false => (Some(said.unwrap_or(TIMEOUT).min(LONGEST_TIMEOUT)), SpillWhen::TooLong),
        };
        let set = |(name, value): (&str, &str)| (OsString::from(name), Some(OsString::from(value)));
        Command {
            script: parameters.command.trim().to_owned(),
            shell: self.shell.clone(),
            cwd,
            env: QUIET.map(set).into(),
            timeout: timeout.map(Duration::from_millis),
            grace: GRACE,
            keep: Keep { head: 0, tail: self.shown().bytes, spill: self.spill_to(call, when).await },
        }
    }
}

impl Tool for Bash {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "bash".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("bash.md").into()
    }

    fn touches(&self, _parameters: &Parameters, _context: &Context) -> Touches {
        Touches::Everything
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let written = parameters.command.trim();
        if written.is_empty() {
            return Err(Failure::new(
                FailureKind::Arguments,
                "The command is empty. Give the command to run.",
            ));
        }
        if written.len() >= LONGEST_COMMAND {
            let message = format!(
                "The command has {} bytes; a shell takes less than {LONGEST_COMMAND}. Write the script to a file and run that.",
                written.len()
            );
            return Err(Failure::new(FailureKind::Arguments, message));
        }
        let place = context.place(parameters.workdir.as_deref().unwrap_or_default()).await?;
        let said = parameters.description.as_deref().map(str::trim).filter(|said| !said.is_empty());
        let title = said.or(written.lines().next()).unwrap_or_default().to_owned();
        let ask = Ask {
            key: "bash".to_owned(),
            patterns: prefix::patterns(written),
            always: prefix::always(written).into_iter().collect(),
            title: if parameters.background { format!("{title} (in the background)") } else { title.clone() },
            metadata: json!({ "command": written, "workdir": place.shown, "description": said }),
            ..Ask::default()
        };
        context.ask(ask).await?;
        let command = self.command(&parameters, place.real().to_owned(), &context.call).await;
        if parameters.background {
            return self.start(title, command);
        }
        let before = checking::before_command(&context).await;
        let mut live = Live::new(&context);
        let finished = self.processes.run(command, context.cancel.clone(), |piece| live.push(piece)).await;
        let finished = finished.map_err(|error| Failure::target(sentence(&error.to_string())))?;
        let mut output = self.told(title, &finished)?;
        checking::command(&context, before, &mut output).await;
        Ok(output)
    }
}

impl Bash {
    fn start(&self, title: String, command: Command) -> Result<Output, Failure> {
        let job =
            self.processes.start(command).map_err(|error| Failure::target(sentence(&error.to_string())))?;
        let place = match &job.file {
            Some(path) => format!(" All that it prints goes to {}: read or search it.", path.display()),
            None => String::new(),
        };
        let output = format!(
            "It runs in the background as job {}.{place} `job` gives what is new, waits for the end, or stops it; you are told when it has ended.",
            job.id
        );
        let metadata = json!({ "job": job.id, "file": job.file });
        Ok(Output { title: format!("{title} (job {})", job.id), output, metadata, ..Output::default() })
    }

    fn told(&self, title: String, finished: &Finished) -> Result<Output, Failure> {
        let time = format!("{:.1} s", finished.duration.as_secs_f64());
        let code = if let Exit::Code(code) = finished.exit { json!(code) } else { Value::Null };
        let mut metadata = json!({ "exit": code, "truncated": finished.output.omitted_bytes > 0 });
        if let (false, Some(metadata)) = (finished.exit == Exit::Code(0), metadata.as_object_mut()) {
            match finished.exit {
                Exit::Signal(signal) => drop(metadata.insert("signal".to_owned(), json!(signal))),
                Exit::TimedOut => drop(metadata.insert("timedOut".to_owned(), json!(true))),
                Exit::Code(_) | Exit::Cancelled => {}
            }
            let tail = text::truncate(&finished.output.tail, SEEN, End::Tail).text;
            metadata.insert("output".to_owned(), json!(tail));
        }
        let printed = self.printed(finished);
        let verdict = match finished.exit {
            Exit::Code(code) => format!("exit code {code} after {time}"),
            Exit::Signal(signal) => format!("ended by signal {signal} after {time}"),
            // The verdict first, since of a failure the beginning is kept.
            Exit::TimedOut => {
                let message = format!(
                    "The command was ended at its timeout, after {time}. Give it a longer `timeout`, or run it in the background."
                );
                return Err(self.failure(FailureKind::Timeout, &message, &printed).with_metadata(metadata));
            }
            Exit::Cancelled => {
                let message = format!("The person cancelled the command after {time}; it was ended.");
                return Err(self.failure(FailureKind::Cancelled, &message, &printed).with_metadata(metadata));
            }
        };
        let left = finished.left.map(|group| {
            format!("; it left something running in the background, which `kill -- -{group}` ends")
        });
        let printed = printed.trim_end_matches('\n');
        let output = format!("{printed}\n\n({verdict}{})", left.unwrap_or_default());
        Ok(Output { title, output, metadata, keep_end: true, ..Output::default() })
    }

    /// The output, or its end and where the whole of it is.
    fn printed(&self, finished: &Finished) -> String {
        let output = &finished.output;
        let all = format!("{}{}", output.head, output.tail);
        if output.omitted_bytes == 0 {
            return if all.trim().is_empty() { "(no output)".to_owned() } else { all };
        }
        // A line of which only the end is held would be taken for a whole one.
        let tail = all.split_once('\n').map_or(all.as_str(), |(_, lines)| lines);
        // By lines as well: what the registry would keep of this is not the whole.
        let tail = text::truncate(tail, self.shown(), End::Tail).text;
        let left_out = output.omitted_bytes + (all.len() - tail.len()) as u64;
        let whole = match &output.spill {
            Spilt::Whole(path) => {
                format!("The whole is in {}: search it, or read it with offset and limit.", path.display())
            }
            Spilt::Beginning(path) => {
                format!("Its first {LARGEST} bytes are in {}: search them.", path.display())
            }
            Spilt::Failed(why) => format!("The rest could not be kept: {why}."),
            Spilt::None => "The rest could not be kept.".to_owned(),
        };
        format!("[The first {left_out} bytes are left out. {whole}]\n\n{tail}")
    }

    fn failure(&self, kind: FailureKind, message: &str, printed: &str) -> Failure {
        let cut = text::truncate(printed, self.shown(), End::Tail);
        let left_out = if cut.is_whole() { "" } else { " (the end of it)" };
        Failure::new(kind, format!("{message} It had printed{left_out}:\n{}", cut.text))
    }
}
