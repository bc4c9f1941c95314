//! Commands that run beside the work: started, looked at, waited for and stopped by their number, and ended with the session
//! like any other.
//!
//! All of a job's output is in a file from the start. Its end is kept until somebody has told of it.

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

use super::{ProcessError, ProcessExit, ProcessesState, ShellCommand, run};

/// Jobs of one session that may run at one time.
pub const MAX_JOBS: usize = 8;
/// Jobs that ended and can still be looked at.
const KEPT: usize = 32;

/// A job as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundJob {
    /// The number of its process group.
    pub id: i32,
    pub script: String,
    /// Where its output is.
    pub file: Option<PathBuf>,
    /// How long it has run, or ran.
    pub duration: Duration,
    /// How it ended, unless it runs.
    pub exit: Option<ProcessExit>,
    /// How many bytes of its output somebody has seen.
    pub seen_bytes: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct BackgroundJobs {
    entries: Mutex<Vec<Arc<JobEntry>>>,
    /// Told whenever one begins or ends.
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct JobEntry {
    id: i32,
    script: String,
    file: Option<PathBuf>,
    started: Instant,
    stop: CancellationToken,
    ended: watch::Sender<Option<(ProcessExit, Duration)>>,
    is_reported: AtomicBool,
    seen: Mutex<Option<u64>>,
}

impl JobEntry {
    fn job(&self) -> BackgroundJob {
        let ended = *self.ended.borrow();
        BackgroundJob {
            id: self.id,
            script: self.script.clone(),
            file: self.file.clone(),
            duration: ended.map_or_else(|| self.started.elapsed(), |(_, duration)| duration),
            exit: ended.map(|(exit, _)| exit),
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
        let surplus = entries.len().saturating_sub(MAX_JOBS + KEPT);
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
            let stop = entry.stop.clone();
            let exit = run::run_to_end(running, command, stop, |_: &str| ()).await;
            // One that cannot be waited for is gone, too.
            let exit = exit.map_or(ProcessExit::Signal(0), |ended| ended.exit);
            entry.ended.send_replace(Some((exit, entry.started.elapsed())));
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

    /// Those whose end nobody has told of; from now on somebody has.
    pub(super) fn take_ended(&self) -> Vec<BackgroundJob> {
        let entries = self.lock();
        let ended = entries.iter().filter(|entry| !entry.is_running());
        ended
            .filter(|entry| !entry.is_reported.swap(true, Ordering::Relaxed))
            .map(|entry| entry.job())
            .collect()
    }

    /// Nobody did.
    pub(super) fn mark_unreported(&self, jobs: &[BackgroundJob]) {
        let entries = self.lock();
        for entry in entries.iter().filter(|entry| jobs.iter().any(|job| job.id == entry.id)) {
            entry.is_reported.store(false, Ordering::Relaxed);
        }
    }

    /// The job as it is after its end, or after this time if that comes first. Whoever sees the end has been told of it.
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

    /// The newest of this number: the system may give one out again.
    fn find(&self, id: i32) -> Option<Arc<JobEntry>> {
        self.lock().iter().rev().find(|entry| entry.id == id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<JobEntry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
