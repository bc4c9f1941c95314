//! Commands that a session runs, and that none of them outlives it.
//!
//! A command is a script for a shell, in a session (and so a process group) of its own: it has no terminal to ask
//! questions on, and is ended as a whole. It is done when the shell has exited. What it left running in the background
//! (`npm run dev &`) keeps running, its output is read on so that it neither blocks nor dies of a closed pipe, and it is
//! ended with the session, or by [`Processes::stop`]. A command that times out or is cancelled leaves nothing. A program that is
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
    jobs::{Job, MOST_JOBS},
    output::{Keep, Output, Spill, SpillTo, SpillWhen},
    piped::{Errors, Piped, Pipes, Program},
    registry::Left,
    shell::{Shell, ShellError},
};
use self::{group::Group, jobs::Jobs, registry::Registry};

mod background;
mod decode;
mod error;
mod group;
mod guard;
mod jobs;
mod output;
mod owned;
mod piped;
mod registry;
mod run;
mod shell;
mod spawn;
#[cfg(test)]
mod tests;

/// How long a command has between being asked to end and being killed, where the caller has no reason for another time.
pub const GRACE: Duration = Duration::from_secs(3);

/// What is run, and how.
#[derive(Debug, Clone)]
pub struct Command {
    pub script: String,
    pub shell: Shell,
    pub cwd: PathBuf,
    /// Changes to the environment: a value to set, or none to take a variable away.
    pub env: Vec<(OsString, Option<OsString>)>,
    pub timeout: Option<Duration>,
    pub grace: Duration,
    pub keep: Keep,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub exit: Exit,
    /// Standard output and standard error, as they came.
    pub output: Output,
    pub duration: Duration,
    /// The group of what the command left running in the background.
    pub left: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    TimedOut,
    Cancelled,
}

/// The processes of one session. Clones are the same; with the last one everything still running is killed.
#[derive(Debug, Clone)]
pub struct Processes {
    shared: Arc<Shared>,
    _owner: Arc<Owner>,
}

type Environment = Arc<Vec<(OsString, OsString)>>;

#[derive(Debug)]
struct Shared {
    environment: Mutex<Environment>,
    registry: Registry,
    jobs: Jobs,
}

impl Shared {
    fn environment(&self) -> Environment {
        Arc::clone(&self.environment.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whoever holds the processes. A job's task holds only what is shared, so that it does not keep itself alive.
#[derive(Debug)]
struct Owner {
    shared: Arc<Shared>,
}

impl Processes {
    /// `environment` is what every command begins with, whole.
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        let environment = Mutex::new(Arc::new(environment));
        let shared = Arc::new(Shared { environment, registry: Registry::default(), jobs: Jobs::default() });
        Self { _owner: Arc::new(Owner { shared: Arc::clone(&shared) }), shared }
    }

    /// What is started from now on begins with another environment.
    pub fn set_environment(&self, environment: Vec<(OsString, OsString)>) {
        *self.shared.environment.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(environment);
    }

    /// Runs a command to its end. `live` gets the output as it comes, in pieces of whole characters. Dropping the future
    /// kills the command at once.
    pub async fn run(
        &self,
        command: Command,
        cancel: CancellationToken,
        live: impl FnMut(&str) + Send,
    ) -> Result<Finished, ProcessError> {
        let start = Instant::now();
        run::run(&self.shared, command, cancel, live).await.map(|ended| Finished {
            exit: ended.exit,
            output: ended.output,
            duration: start.elapsed(),
            left: ended.left,
        })
    }

    /// Starts a command that runs beside the work, to its end or the session's. It spills from the start, if anywhere.
    pub fn start(&self, command: Command) -> Result<Job, ProcessError> {
        self.shared.jobs.start(&self.shared, command)
    }

    /// Starts a program that is spoken to over its standard streams. It is ended with the rest.
    pub fn pipe(&self, program: &Program) -> Result<(Piped, Pipes), ProcessError> {
        Piped::start(&self.shared, program)
    }

    /// The jobs that run, and those that ended last.
    pub fn jobs(&self) -> Vec<Job> {
        self.shared.jobs.all()
    }

    /// Tells that a job has begun or ended.
    pub fn jobs_changed(&self) -> watch::Receiver<()> {
        self.shared.jobs.changed()
    }

    /// The jobs that ended since this was last asked; and back with them where they could not be told of.
    pub fn take_ended_jobs(&self) -> Vec<Job> {
        self.shared.jobs.take_ended()
    }

    pub fn untold_jobs(&self, jobs: &[Job]) {
        self.shared.jobs.untold(jobs);
    }

    /// A job as it is at its end, or after this time.
    pub async fn wait_for_job(&self, id: i32, time: Duration) -> Option<Job> {
        self.shared.jobs.wait(id, time).await
    }

    /// Somebody has seen so much of a job's output.
    pub fn saw_of_job(&self, id: i32, bytes: u64) {
        self.shared.jobs.saw(id, bytes);
    }

    /// Has a job end. It is waited for like any other.
    pub fn stop_job(&self, id: i32) {
        self.shared.jobs.stop(id);
    }

    /// What earlier commands left running, with the last of what it has printed since.
    pub fn left(&self) -> Vec<Left> {
        self.shared.registry.left()
    }

    /// Ends one of those. Tells whether it was running.
    pub async fn stop(&self, group: i32, grace: Duration) -> bool {
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

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.registry.close().into_iter().for_each(Group::kill);
    }
}
