//! Runs a session's commands, and ensures that none outlives the session.
//!
//! A command is a shell script in a session (and so a process group) of its own: it has no terminal to ask
//! questions on, and it ends as a whole. It is done when the shell has exited. What it left in the background
//! (`npm run dev &`) keeps running: the daemon keeps reading its output, so that it neither blocks nor dies
//! of a closed pipe, and ends it with the session or by [`Processes::stop_leftover`]. A command that times
//! out or is cancelled leaves nothing. The same holds for a program that talks over its standard streams
//! ([`Processes::pipe`]), and for one that only reads, prints and exits ([`subprocess::run`]).
//!
//! To end a group the daemon sends SIGTERM, then SIGKILL after a grace period. If the daemon itself is
//! killed, a small shell beside it (`guard`) sees its pipe close and kills every group that is left. A
//! command starts only after the guard knows its group (`spawn`).
//!
//! Invariant: output is bounded: the head and the tail are kept, the rest is counted, and spilled to a file
//! if asked.
//! Invariant: a program inherits nothing of the daemon's environment; it gets the one that the caller passes, which
//! has no API keys.
//!
//! A process that leaves the group (`setsid`, a double fork) is found by its mark (`mark`): it ends with its command if that is stopped,
//! else with the session.

use std::{
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use self::{
    error::ProcessError,
    git_guard::{GUARDED_GIT, is_guarded_repository},
    jobs::{BackgroundJob, MAX_JOBS},
    output::{CommandOutput, OutputLimits, SpillOutcome, SpillTarget, SpillWhen},
    piped_process::{PipedProcess, ProcessPipes, ProgramSpec, StderrTail},
    registry::LeftoverProcess,
    shell::{Shell, ShellError},
};
use self::{jobs::BackgroundJobs, registry::GroupRegistry, sandbox::SandboxedLaunch};

mod background;
mod error;
mod git_guard;
mod group;
mod guard;
mod jobs;
mod mark;
mod output;
mod owned_group;
mod piped_process;
mod registry;
mod run;
pub mod sandbox;
mod sandboxed_spawn;
mod shell;
mod spawn;
pub mod subprocess;
#[cfg(test)]
mod tests;
mod utf8_decoder;

#[derive(Debug, Clone)]
pub struct ShellCommand {
    pub script: String,
    pub shell: Shell,
    /// The real path of the folder: links are not followed.
    pub cwd: PathBuf,
    /// Changes to the environment: `Some` sets a variable, `None` removes it.
    pub env: Vec<(OsString, Option<OsString>)>,
    pub timeout: Option<Duration>,
    pub grace: Duration,
    pub limits: OutputLimits,
    /// Its way into the sandbox. Without one it runs with all that the user may do.
    pub sandbox: Option<Arc<SandboxedLaunch>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedCommand {
    pub exit: ProcessExit,
    /// Standard output and standard error, interleaved.
    pub output: CommandOutput,
    pub duration: Duration,
    /// The group of what the command left in the background.
    pub leftover_group: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    Code(i32),
    Signal(i32),
    TimedOut,
    Cancelled,
}

/// The processes of one session. Clones share them; dropping the last clone kills everything that still runs.
#[derive(Debug, Clone)]
pub struct Processes {
    shared: Arc<ProcessesState>,
    _owner: Arc<ProcessesOwner>,
}

type EnvironmentVariables = Arc<Vec<(OsString, OsString)>>;

#[derive(Debug)]
struct ProcessesState {
    environment: Mutex<EnvironmentVariables>,
    registry: GroupRegistry,
    jobs: BackgroundJobs,
}

impl ProcessesState {
    fn environment(&self) -> EnvironmentVariables {
        Arc::clone(&self.environment.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Owned by every [`Processes`]. A job's task has only the shared state, so that it does not keep itself
/// alive.
#[derive(Debug)]
struct ProcessesOwner {
    shared: Arc<ProcessesState>,
}

impl Processes {
    /// `environment` is the whole environment that every command starts with.
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        let environment = Mutex::new(Arc::new(environment));
        let shared = Arc::new(ProcessesState {
            environment,
            registry: GroupRegistry::default(),
            jobs: BackgroundJobs::default(),
        });
        Self { _owner: Arc::new(ProcessesOwner { shared: Arc::clone(&shared) }), shared }
    }

    /// Sets the environment of commands started from now on.
    pub fn set_environment(&self, environment: Vec<(OsString, OsString)>) {
        *self.shared.environment.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(environment);
    }

    /// Runs a command to its end. `live` gets the output as it arrives, in whole characters. Dropping the
    /// future kills the command at once.
    pub async fn run(
        &self,
        command: ShellCommand,
        cancel: CancellationToken,
        live: impl FnMut(&str) + Send,
    ) -> Result<FinishedCommand, ProcessError> {
        let start = Instant::now();
        run::run(&self.shared, command, cancel, live).await.map(|ended| FinishedCommand {
            exit: ended.exit,
            output: ended.output,
            duration: start.elapsed(),
            leftover_group: ended.left,
        })
    }

    /// Starts a background job that runs until its end or the session's. A spill file, if any, is written
    /// from the start.
    pub fn start(&self, command: ShellCommand) -> Result<BackgroundJob, ProcessError> {
        self.shared.jobs.start(&self.shared, command)
    }

    /// Starts a program that talks over its standard streams. It ends with the session.
    pub fn pipe(&self, program: &ProgramSpec) -> Result<(PipedProcess, ProcessPipes), ProcessError> {
        PipedProcess::start(&self.shared, program)
    }

    /// The running jobs, and those that ended last.
    pub fn jobs(&self) -> Vec<BackgroundJob> {
        self.shared.jobs.all()
    }

    /// Signals whenever a job starts or ends.
    pub fn jobs_changed(&self) -> watch::Receiver<()> {
        self.shared.jobs.changed()
    }

    /// The jobs that ended since the last call. If the caller could not report them, it puts them back with
    /// [`Self::mark_jobs_unreported`].
    pub fn take_ended_jobs(&self) -> Vec<BackgroundJob> {
        self.shared.jobs.take_ended()
    }

    pub fn mark_jobs_unreported(&self, jobs: &[BackgroundJob]) {
        self.shared.jobs.mark_unreported(jobs);
    }

    /// A job at its end, or after this time.
    pub async fn wait_for_job(&self, id: i32, time: Duration) -> Option<BackgroundJob> {
        self.shared.jobs.wait(id, time).await
    }

    /// Notes how much of a job's output has been read.
    pub fn mark_job_output_seen(&self, id: i32, bytes: u64) {
        self.shared.jobs.mark_output_seen(id, bytes);
    }

    /// Asks a job to end; a caller waits for it as for any other.
    pub fn stop_job(&self, id: i32) {
        self.shared.jobs.stop(id);
    }

    /// What earlier commands left running, with the tail of its output since.
    pub fn leftover_processes(&self) -> Vec<LeftoverProcess> {
        self.shared.registry.leftover_processes()
    }

    /// Ends one leftover. Returns whether it was running.
    pub async fn stop_leftover(&self, group: i32, grace: Duration) -> bool {
        let Some(group) = self.shared.registry.find(group) else {
            return false;
        };
        group.end(grace).await;
        self.shared.registry.forget(group);
        true
    }

    /// Ends everything and rejects new commands.
    pub async fn end(&self, grace: Duration) {
        let groups = self.shared.registry.close();
        let mut ending = tokio::task::JoinSet::new();
        for group in groups {
            ending.spawn(async move {
                group.end(grace).await;
                group
            });
        }
        for group in ending.join_all().await {
            self.shared.registry.forget(group);
        }
        self.shared.registry.all_marks().end(grace).await;
    }
}

impl Drop for ProcessesOwner {
    fn drop(&mut self) {
        for group in self.shared.registry.close() {
            group.kill_group();
            self.shared.registry.forget(group);
        }
        self.shared.registry.all_marks().kill();
    }
}
