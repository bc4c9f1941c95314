//! Background jobs: started, listed, awaited and stopped by number, and ended with the session.
//!
//! A file contains all of a job's output from the start. A job that has ended stays listed until a caller has
//! reported it.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{ProcessError, ProcessExit, ProcessesState, ShellCommand, run, sandbox::SandboxFindings};

/// How many jobs of one session may run at once.
pub const MAX_JOBS: usize = 8;
/// How many ended jobs stay listed.
const MAX_ENDED_JOBS: usize = 32;

/// A snapshot of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundJob {
    /// The number of its process group.
    pub id: i32,
    pub script: String,
    /// The file with its output.
    pub file: Option<PathBuf>,
    /// How long it has run, or ran.
    pub duration: Duration,
    /// `None` while it runs.
    pub exit: Option<ProcessExit>,
    /// `None` while it runs, and if it ran without the sandbox.
    pub sandbox: Option<SandboxFindings>,
    /// How many bytes of its output have been read.
    pub seen_bytes: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct BackgroundJobs {
    entries: Mutex<Vec<Arc<JobEntry>>>,
    /// Signals whenever a job starts or ends.
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct JobEntry {
    id: i32,
    script: String,
    file: Option<PathBuf>,
    started: Instant,
    stop: CancellationToken,
    ended: watch::Sender<Option<JobEnd>>,
    is_reported: AtomicBool,
    seen: Mutex<Option<u64>>,
}

#[derive(Debug, Clone)]
struct JobEnd {
    exit: ProcessExit,
    duration: Duration,
    sandbox: Option<SandboxFindings>,
}

impl JobEntry {
    fn job(&self) -> BackgroundJob {
        let ended = self.ended.borrow().clone();
        BackgroundJob {
            id: self.id,
            script: self.script.clone(),
            file: self.file.clone(),
            duration: ended.as_ref().map_or_else(|| self.started.elapsed(), |end| end.duration),
            exit: ended.as_ref().map(|end| end.exit),
            sandbox: ended.and_then(|end| end.sandbox),
            seen_bytes: *self.seen.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn is_running(&self) -> bool {
        self.ended.borrow().is_none()
    }
}

impl BackgroundJobs {
    pub(super) fn start(
        &self,
        shared: &Arc<ProcessesState>,
        command: ShellCommand,
    ) -> Result<BackgroundJob, ProcessError> {
        let mut entries = self.lock();
        if entries.iter().filter(|entry| entry.is_running()).count() >= MAX_JOBS {
            return Err(ProcessError::TooManyJobs);
        }
        let started = Instant::now();
        let running = run::start(shared, &command)?;
        let entry = Arc::new(JobEntry {
            id: running.id(),
            script: command.script.clone(),
            file: command.limits.spill.as_ref().map(|spill| spill.path.clone()),
            started,
            stop: CancellationToken::new(),
            ended: watch::Sender::new(None),
            is_reported: AtomicBool::new(false),
            seen: Mutex::default(),
        });
        entries.push(Arc::clone(&entry));
        let surplus = entries.len().saturating_sub(MAX_JOBS + MAX_ENDED_JOBS);
        if let Some(oldest) = entries
            .iter()
            .position(|entry| !entry.is_running() && entry.is_reported.load(Ordering::Relaxed))
            .filter(|_| surplus > 0)
        {
            entries.remove(oldest);
        }
        let job = entry.job();
        let changed = self.changed.clone();
        changed.send_replace(());
        tokio::spawn(async move {
            let (stop, launch) = (entry.stop.clone(), command.sandbox.clone());
            let ended = run::run_to_end(running, command, stop, |_: &str| ()).await;
            let duration = entry.started.elapsed();
            // A process that cannot be awaited is gone too.
            let exit = ended.as_ref().map_or(ProcessExit::Signal(0), |ended| ended.exit);
            let printed = ended.map(|ended| ended.output.text()).unwrap_or_default();
            let sandbox = match launch {
                Some(launch) => Some(launch.examine(exit, &printed).await),
                None => None,
            };
            entry.ended.send_replace(Some(JobEnd { exit, duration, sandbox }));
            changed.send_replace(());
        });
        Ok(job)
    }

    pub(super) fn changed(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(super) fn all(&self) -> Vec<BackgroundJob> {
        self.lock().iter().map(|entry| entry.job()).collect()
    }

    /// Ended jobs that were not reported yet; marks them as reported.
    pub(super) fn take_ended(&self) -> Vec<BackgroundJob> {
        let entries = self.lock();
        let ended = entries.iter().filter(|entry| !entry.is_running());
        ended
            .filter(|entry| !entry.is_reported.swap(true, Ordering::Relaxed))
            .map(|entry| entry.job())
            .collect()
    }

    /// The caller could not report them.
    pub(super) fn mark_unreported(&self, jobs: &[BackgroundJob]) {
        let entries = self.lock();
        for entry in entries.iter().filter(|entry| jobs.iter().any(|job| job.id == entry.id)) {
            entry.is_reported.store(false, Ordering::Relaxed);
        }
    }

    /// The job after its end, or after `time` if that comes first. If it has ended, it counts as reported.
    pub(super) async fn wait(&self, id: i32, time: Duration) -> Option<BackgroundJob> {
        let entry = self.find(id)?;
        let mut ended = entry.ended.subscribe();
        let _ = timeout(time, ended.wait_for(Option::is_some)).await;
        let job = entry.job();
        if job.exit.is_some() {
            entry.is_reported.store(true, Ordering::Relaxed);
        }
        Some(job)
    }

    pub(super) fn mark_output_seen(&self, id: i32, bytes: u64) {
        if let Some(entry) = self.find(id) {
            *entry.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
        }
    }

    pub(super) fn stop(&self, id: i32) {
        if let Some(entry) = self.find(id) {
            entry.stop.cancel();
        }
    }

    /// The newest job with this number: the system may reuse numbers.
    fn find(&self, id: i32) -> Option<Arc<JobEntry>> {
        self.lock().iter().rev().find(|entry| entry.id == id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<JobEntry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
