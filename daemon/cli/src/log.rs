//! The daemon's log: a bounded file, with a level that clients can change while the daemon runs.
//!
//! Invariant: nothing here reaches standard output or standard error, and no line contains the body of a message, because
//! bodies contain code and keys. From other crates only warnings are logged: below that they log whole messages.

mod follower;
mod levels;
mod record;
mod rotating_log;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_faces::log_control::{LogControl, LogLevelError, LogLevelScope};
use copydesk_workspace::buffers::ClientId;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Registry, reload};

pub(crate) use follower::LogFollower;
use levels::LogLevels;
pub(crate) use record::SessionFilter;
pub(crate) use record::styled_line;
use rotating_log::{MAX_FILE_BYTES, RotatingLog};

/// The path of the daemon's log.
pub(crate) fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("log/daemon.log")
}

/// Starts logging, also of panics. [`levels`] parses `level`.
pub(crate) fn start(path: PathBuf, level: Option<&str>) -> anyhow::Result<Arc<LevelControl>> {
    let wanted = level.map(|level| LogLevels::parse(level, &LogLevels::default()));
    let levels = wanted.as_ref().and_then(|levels| levels.as_ref().ok()).cloned().unwrap_or_default();
    let (filter, handle) = reload::Layer::new(levels.to_filter());
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        // Do not write to standard error if the disk is full.
        .log_internal_errors(false)
        .with_writer(Mutex::new(RotatingLog::open(path, MAX_FILE_BYTES)?));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(filter).with(lines))?;
    std::panic::set_hook(Box::new(|panic| {
        // A formatted message may quote user data; a literal cannot.
        let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("(not shown)");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message, "panic");
    }));
    if let Some(Err(error)) = wanted {
        tracing::warn!(%error, "COPYDESK_LOG is invalid; the level is info");
    }
    Ok(Arc::new(LevelControl::new(levels, Some(handle))))
}

/// The log level of the running daemon. The last one set wins, for its scope.
#[derive(Debug)]
pub(crate) struct LevelControl {
    initial: LogLevels,
    /// At most one for each scope; the last one holds.
    set: Mutex<Vec<(LogLevelScope, LogLevels)>>,
    /// None in tests.
    handle: Option<reload::Handle<Targets, Registry>>,
}

impl LevelControl {
    fn new(initial: LogLevels, handle: Option<reload::Handle<Targets, Registry>>) -> Self {
        Self { initial, set: Mutex::default(), handle }
    }

    /// Changes the set levels, and returns the resulting one.
    fn change<E>(
        &self,
        change: impl FnOnce(&mut Vec<(LogLevelScope, LogLevels)>) -> Result<(), E>,
    ) -> Result<LogLevels, E> {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current(&set);
        change(&mut set)?;
        let now = self.current(&set);
        if let Some(handle) = self.handle.as_ref().filter(|_| now != before) {
            let tell = || tracing::info!(%before, %now, "the log level has changed");
            // Logged while INFO is on: before the level falls, or after it rises.
            let was_enabled = tracing::enabled!(tracing::Level::INFO);
            if was_enabled {
                tell();
            }
            // Fails only if the subscriber, and with it the log, is gone.
            let _ = handle.reload(now.to_filter());
            if !was_enabled {
                tell();
            }
        }
        Ok(now)
    }

    fn current(&self, set: &[(LogLevelScope, LogLevels)]) -> LogLevels {
        set.last().map_or(&self.initial, |(_, levels)| levels).clone()
    }
}

impl LogControl for LevelControl {
    fn set_level(&self, level: Option<&str>, scope: LogLevelScope) -> Result<String, LogLevelError> {
        let now = self.change(|set| {
            let levels = match level {
                Some(level) => LogLevels::parse(level, &self.current(set))
                    .map_err(|error| LogLevelError(error.to_string()))?,
                None => self.initial.clone(),
            };
            set.retain(|(known, _)| *known != scope);
            set.push((scope, levels));
            Ok(())
        })?;
        Ok(now.to_string())
    }

    fn detach_client(&self, client: ClientId) {
        let forget = |set: &mut Vec<(LogLevelScope, LogLevels)>| {
            set.retain(|(scope, _)| *scope != LogLevelScope::Client(client));
            Ok::<_, std::convert::Infallible>(())
        };
        let Ok(_) = self.change(forget);
    }
}

#[cfg(test)]
mod tests {
    use copydesk_text::PositionEncoding;
    use copydesk_workspace::buffers::{
        BufferClient, BufferEdit, Buffers, DiskChange, EditorFuture, EditorHandle,
    };

    use super::*;

    /// A client needs an editor; this one is never asked.
    struct UnusedEditor;

    impl EditorHandle for UnusedEditor {
        fn apply_edits(
            &self,
            _label: &str,
            _edits: Vec<BufferEdit>,
            _until: tokio::time::Instant,
        ) -> EditorFuture<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn save(&self, _uri: &str) -> EditorFuture<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn notify_disk_change(&self, _path: &Path, _what: DiskChange) {}
    }

    #[test]
    fn the_level_that_was_set_last_holds_while_its_client_is_there() {
        let buffers = Buffers::default();
        let client = || {
            let (name, encoding) = ("vi".to_owned(), PositionEncoding::Utf8);
            buffers.attach(BufferClient {
                name,
                encoding,
                editor: Arc::new(UnusedEditor),
                refuses_silently: false,
            })
        };
        let (first, second) = (client(), client());
        let control = LevelControl::new(LogLevels::default(), None);
        let set = |level, scope| control.set_level(level, scope).unwrap();
        let holds = || control.change(|_| Ok::<_, ()>(())).unwrap().to_string();
        assert_eq!(set(Some("debug"), LogLevelScope::Client(first)), "debug");
        assert_eq!(set(Some("servers=trace"), LogLevelScope::Client(second)), "debug,servers=trace");
        assert_eq!(set(Some("warn"), LogLevelScope::Client(second)), "warn");
        let refused = control.set_level(Some("loud"), LogLevelScope::Client(second));
        assert!(refused.is_err() && holds() == "warn", "{refused:?}");
        control.detach_client(second);
        assert_eq!(holds(), "debug");
        assert_eq!(set(Some("error"), LogLevelScope::Daemon), "error");
        control.detach_client(first);
        assert_eq!(holds(), "error");
        assert_eq!(set(None, LogLevelScope::Client(first)), "info");
        control.detach_client(first);
        control.detach_client(first);
        assert_eq!(holds(), "error");
        assert_eq!(set(None, LogLevelScope::Daemon), "info");
    }
}
