//! Commands that a session runs, and that none of them outlives it.
//!
//! A command is a script for a shell, in a session (and so a process group) of its own: it has no terminal to ask
//! questions on, and is ended as a whole. It is done when the shell has exited. What it left running in the background
//! (`npm run dev &`) keeps running, its output is read on so that it neither blocks nor dies of a closed pipe, and it is
//! ended with the session, or by [`Processes::stop_leftover`]. A command that times out or is cancelled leaves nothing. A program that is
//! spoken to over its standard streams ([`Processes::pipe`]) is under the same care.
//!
//! Ending means SIGTERM to the group, then SIGKILL after a grace period. Should this process itself be killed, a small
//! shell beside it (`guard`) sees its pipe close and kills every group that is left. So that it knows of every group, a
//! command does not begin before the guard has been told of it (`spawn`).
//!
//! Invariant: no output is too much: the head and the tail are held, the rest is counted, and spilt to a file if asked.
//! Invariant: nothing is inherited from this process's environment; a command gets the one it is given.
//!
//! Not caught: a process that makes a session of its own (`setsid`) has left the group, and lives on.

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
    jobs::{BackgroundJob, MAX_JOBS},
    output::{CommandOutput, OutputLimits, SpillOutcome, SpillTarget, SpillWhen},
    piped_process::{PipedProcess, ProcessPipes, ProgramSpec, StderrTail},
    registry::LeftoverProcess,
    shell::{Shell, ShellError},
};
use self::{group::ProcessGroup, jobs::BackgroundJobs, registry::GroupRegistry};

mod background;
mod error;
mod group;
mod guard;
mod jobs;
mod output;
mod owned_group;
mod piped_process;
mod registry;
mod run;
mod shell;
mod spawn;
#[cfg(test)]
mod tests;
mod utf8_decoder;

/// How long a command has between being asked to end and being killed, where the caller has no reason for another time.
pub const GRACE: Duration = Duration::from_secs(3);

/// What is run, and how.
#[derive(Debug, Clone)]
pub struct ShellCommand {
    pub script: String,
    pub shell: Shell,
    pub cwd: PathBuf,
    /// Changes to the environment: a value to set, or none to take a variable away.
    pub env: Vec<(OsString, Option<OsString>)>,
    pub timeout: Option<Duration>,
    pub grace: Duration,
    pub limits: OutputLimits,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedCommand {
    pub exit: ProcessExit,
    /// Standard output and standard error, as they came.
    pub output: CommandOutput,
    pub duration: Duration,
    /// The group of what the command left running in the background.
    pub leftover_group: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    Code(i32),
    Signal(i32),
    TimedOut,
    Cancelled,
}

/// The processes of one session. Clones are the same; with the last one everything still running is killed.
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

/// Whoever holds the processes. A job's task holds only what is shared, so that it does not keep itself alive.
#[derive(Debug)]
struct ProcessesOwner {
    shared: Arc<ProcessesState>,
}

impl Processes {
    /// `environment` is what every command begins with, whole.
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        let environment = Mutex::new(Arc::new(environment));
        let shared = Arc::new(ProcessesState {
            environment,
            registry: GroupRegistry::default(),
            jobs: BackgroundJobs::default(),
        });
        Self { _owner: Arc::new(ProcessesOwner { shared: Arc::clone(&shared) }), shared }
    }

    /// What is started from now on begins with another environment.
    pub fn set_environment(&self, environment: Vec<(OsString, OsString)>) {
        *self.shared.environment.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(environment);
    }

    /// Runs a command to its end. `live` gets the output as it comes, in pieces of whole characters. Dropping the future
    /// kills the command at once.
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

    /// Starts a command that runs beside the work, to its end or the session's. It spills from the start, if anywhere.
    pub fn start(&self, command: ShellCommand) -> Result<BackgroundJob, ProcessError> {
        self.shared.jobs.start(&self.shared, command)
    }

    /// Starts a program that is spoken to over its standard streams. It is ended with the rest.
    pub fn pipe(&self, program: &ProgramSpec) -> Result<(PipedProcess, ProcessPipes), ProcessError> {
        PipedProcess::start(&self.shared, program)
    }

    /// The jobs that run, and those that ended last.
    pub fn jobs(&self) -> Vec<BackgroundJob> {
        self.shared.jobs.all()
    }

    /// Tells that a job has begun or ended.
    pub fn jobs_changed(&self) -> watch::Receiver<()> {
        self.shared.jobs.changed()
    }

    /// The jobs that ended since this was last asked; and back with them where they could not be told of.
    pub fn take_ended_jobs(&self) -> Vec<BackgroundJob> {
        self.shared.jobs.take_ended()
    }

    pub fn mark_jobs_unreported(&self, jobs: &[BackgroundJob]) {
        self.shared.jobs.mark_unreported(jobs);
    }

    /// A job as it is at its end, or after this time.
    pub async fn wait_for_job(&self, id: i32, time: Duration) -> Option<BackgroundJob> {
        self.shared.jobs.wait(id, time).await
    }

    /// Somebody has seen so much of a job's output.
    pub fn mark_job_output_seen(&self, id: i32, bytes: u64) {
        self.shared.jobs.mark_output_seen(id, bytes);
    }

    /// Has a job end. It is waited for like any other.
    pub fn stop_job(&self, id: i32) {
        self.shared.jobs.stop(id);
    }

    /// What earlier commands left running, with the last of what it has printed since.
    pub fn leftover_processes(&self) -> Vec<LeftoverProcess> {
        self.shared.registry.leftover_processes()
    }

    /// Ends one of those. Tells whether it was running.
    pub async fn stop_leftover(&self, group: i32, grace: Duration) -> bool {
        let Some(group) = self.shared.registry.find(group) else {
            return false;
        };
        group.end(grace).await;
        self.shared.registry.forget(group);
        true
    }

    /// Ends everything, and lets nothing start any more.
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
    }
}

impl Drop for ProcessesOwner {
    fn drop(&mut self) {
        self.shared.registry.close().into_iter().for_each(ProcessGroup::kill);
    }
}
