//! Lets clients change the daemon's log level. The binary owns the log and implements this.

use copydesk_workspace::buffers::ClientId;

/// How long a log level holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevelScope {
    /// Until the daemon exits.
    Daemon,
    /// Until this client detaches, or sets another.
    Client(ClientId),
}

/// Why a level is rejected, for the user.
#[derive(Debug, PartialEq, Eq)]
pub struct LogLevelError(pub String);

/// For a host without a log, inside another process.
#[derive(Debug)]
pub struct NoLog;

impl LogControl for NoLog {
    fn set_level(&self, _level: Option<&str>, _scope: LogLevelScope) -> Result<String, LogLevelError> {
        Err(LogLevelError("this process writes no log".to_owned()))
    }

    fn detach_client(&self, _client: ClientId) {}
}

/// Changes how much the daemon logs.
pub trait LogControl: std::fmt::Debug + Send + Sync {
    /// Sets the level; without one, the level that the daemon was started with. Returns the level that holds now.
    fn set_level(&self, level: Option<&str>, scope: LogLevelScope) -> Result<String, LogLevelError>;

    /// Drops the level that a client set.
    fn detach_client(&self, client: ClientId);
}
