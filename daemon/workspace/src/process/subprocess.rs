//! Runs a program that reads a text or nothing, prints, and exits: git, a checker, a formatter. No shell reads its arguments.
//!
//! Invariant: its time and its output are capped. At the cap it is killed with all its children.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::sandbox::{SandboxDenial, SandboxedLaunch};
use super::{ProcessExit, Processes, ProgramSpec};

#[derive(Debug)]
pub struct SubprocessSpec {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    pub cwd: PathBuf,
    /// Changes to the environment of the `Processes`: `Some` sets a variable, `None` removes it.
    pub environment: Vec<(String, Option<String>)>,
    /// Written to its stdin.
    pub input: String,
    /// Its stderr is part of its output.
    pub merge_stderr: bool,
    pub timeout: Duration,
    pub max_output_bytes: usize,
    /// Its way into the sandbox, prepared as for a checker. Without one it runs with all that the user may do.
    pub sandbox: Option<Arc<SandboxedLaunch>>,
}

#[derive(Debug)]
pub struct SubprocessOutput {
    pub exit: ProcessExit,
    pub output: Vec<u8>,
    /// The end of its stderr.
    pub stderr: String,
    /// What the sandbox probably stopped.
    pub denial: Option<SandboxDenial>,
}

/// Switches off colours and translations.
const PLAIN: [(&str, &str); 5] = [
    ("NO_COLOR", "1"),
    ("FORCE_COLOR", "0"),
    ("CLICOLOR_FORCE", "0"),
    ("TERM", "dumb"),
    ("LC_ALL", "C.UTF-8"),
];

/// The error is a sentence about the program ("it did not end within 2 s").
pub async fn run(processes: &Processes, task: SubprocessSpec) -> Result<SubprocessOutput, String> {
    let limit = task.timeout;
    match timeout(limit, work(processes, task)).await {
        Ok(done) => done,
        Err(_) => Err(format!("it did not end within {} s", limit.as_secs_f32())),
    }
}

async fn work(processes: &Processes, task: SubprocessSpec) -> Result<SubprocessOutput, String> {
    let SubprocessSpec {
        mut command, cwd, environment, input, merge_stderr, max_output_bytes, sandbox, ..
    } = task;
    if merge_stderr {
        let shell = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "copydesk"].map(OsString::from);
        command.splice(0..0, shell);
    }
    let own = environment.into_iter().map(|(name, value)| (name.into(), value.map(OsString::from)));
    let plain = PLAIN.map(|(name, value)| (name.into(), Some(value.into())));
    let program =
        ProgramSpec { command, cwd, env: plain.into_iter().chain(own).collect(), sandbox: sandbox.clone() };
    let (mut piped, pipes) = processes.pipe(&program).map_err(|error| error.to_string())?;
    let (mut to, mut from) = (pipes.input, pipes.output);
    let write = async move {
        // A program that stops reading reports that itself.
        let _ = to.write_all(input.as_bytes()).await;
        drop(to);
    };
    let read = async {
        let (mut output, mut block) = (Vec::new(), vec![0; 64 * 1024]);
        loop {
            match from.read(&mut block).await {
                Ok(0) => return Ok(output),
                Ok(length) => output.extend_from_slice(block.get(..length).unwrap_or_default()),
                Err(error) => return Err(format!("its output cannot be read: {error}")),
            }
            if output.len() > max_output_bytes {
                return Err(format!("it printed more than {max_output_bytes} bytes"));
            }
        }
    };
    let ((), output) = tokio::join!(write, read);
    let output = output?;
    let exit = piped.wait().await;
    let errors = piped.stderr().text();
    let words = || format!("{}\n{errors}", String::from_utf8_lossy(&output));
    let denial = sandbox.and_then(|launch| launch.guess_denial(exit, &words()));
    Ok(SubprocessOutput { exit, output, stderr: errors, denial })
}

impl SubprocessOutput {
    /// How it ended, with the end of its output.
    pub fn describe_failure(&self, words: &str) -> String {
        let failure = describe_failure(self.exit, words);
        match self.denial {
            Some(denial) => format!("{failure} (probably stopped by the sandbox: {})", denial.describe()),
            None => failure,
        }
    }
}

fn describe_failure(exit: ProcessExit, words: &str) -> String {
    let how = match exit {
        ProcessExit::Code(code) => format!("it ended with code {code}"),
        ProcessExit::Signal(signal) => format!("it was ended by signal {signal}"),
        ProcessExit::TimedOut | ProcessExit::Cancelled => "it was ended".to_owned(),
    };
    let words = words.trim();
    let from = words.len().saturating_sub(500);
    match words.get(words.ceil_char_boundary(from)..) {
        Some(words) if !words.is_empty() => format!("{how}: {words}"),
        _ => how,
    }
}
