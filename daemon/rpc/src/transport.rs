//! The connection between a client and the daemon. Only this module knows Unix sockets, so that Windows pipes
//! can follow.
//!
//! Invariant: the socket is in a folder that only the user may enter, and both sides check the uid of the
//! other's process. A client never talks to another user's daemon, and no other user can pose as the daemon.
//! Invariant: the listening daemon holds the lock beside the socket until it ends. A socket file found while
//! holding the lock is a leftover of a killed daemon.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream, unix};

use runtime_folder::RuntimeFolderError;

mod runtime_folder;
#[cfg(test)]
mod tests;

/// The system's limit for a socket path, without the final NUL.
const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

pub type SocketReader = unix::OwnedReadHalf;
pub type SocketWriter = unix::OwnedWriteHalf;

/// The location of this user's daemon.
#[derive(Debug, Clone)]
pub struct DaemonAddress {
    folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    #[error("no daemon is running")]
    NoDaemon,
    #[error("another daemon is running or starting")]
    AlreadyRunning,
    #[error(transparent)]
    Refused(#[from] RuntimeFolderError),
    #[error(
        "{}: the socket path has {length} bytes, but the system allows only {MAX_SOCKET_PATH}; set COPYDESK_RUNTIME_DIR to a shorter path", socket.display()
    )]
    TooLong { socket: PathBuf, length: usize },
    #[error("{}: the daemon on this socket runs as user {uid}, not as you; set COPYDESK_RUNTIME_DIR to a folder of your own", socket.display())]
    OtherUser { socket: PathBuf, uid: u32 },
    #[error("{}: {error}", path.display())]
    System { path: PathBuf, error: io::Error },
}

impl DaemonAddress {
    /// `COPYDESK_RUNTIME_DIR`, else our folder in `XDG_RUNTIME_DIR`, else our folder among the temporary
    /// files.
    pub fn new(env: &dyn Fn(&str) -> Option<OsString>) -> Self {
        // A relative path would name another place for each working directory.
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let temporary = || {
            let own = format!("copydesk-{}", runtime_folder::user());
            absolute("TMPDIR").unwrap_or_else(|| "/tmp".into()).join(own)
        };
        let folder = absolute("COPYDESK_RUNTIME_DIR")
            .or_else(|| absolute("XDG_RUNTIME_DIR").map(|path| path.join("copydesk")));
        Self { folder: folder.unwrap_or_else(temporary) }
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join("daemon.sock")
    }

    /// Binds the daemon's socket. Must run inside the tokio runtime.
    pub fn listen(&self) -> Result<DaemonListener, TransportError> {
        let socket = self.checked_socket()?;
        runtime_folder::make(&self.folder)?;
        runtime_folder::check(&self.folder)?;
        let lock = lock(&self.folder.join("daemon.lock"))?;
        let system = |error| TransportError::System { path: socket.clone(), error };
        match fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(system(error)),
            _ => {}
        }
        let listener = UnixListener::bind(&socket).map_err(system)?;
        let node = node(&socket);
        Ok(DaemonListener { listener, socket, node, _lock: lock })
    }

    pub async fn connect(&self) -> Result<SocketConnection, TransportError> {
        let socket = self.checked_socket()?;
        let system = |error| TransportError::System { path: socket.clone(), error };
        if !runtime_folder::exists(&self.folder) {
            return Err(TransportError::NoDaemon);
        }
        runtime_folder::check(&self.folder)?;
        let stream = match UnixStream::connect(&socket).await {
            Err(error) if is_absence(&error) => return Err(TransportError::NoDaemon),
            stream => stream.map_err(system)?,
        };
        match stream.peer_cred().map_err(system)?.uid() {
            uid if uid == runtime_folder::user() => Ok(SocketConnection { stream }),
            uid => Err(TransportError::OtherUser { socket, uid }),
        }
    }

    fn checked_socket(&self) -> Result<PathBuf, TransportError> {
        let socket = self.socket();
        match socket.as_os_str().as_bytes().len() {
            length if length > MAX_SOCKET_PATH => Err(TransportError::TooLong { socket, length }),
            _ => Ok(socket),
        }
    }
}

/// No daemon listens, or it is ending (reset) or overloaded (would block).
fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, NotFound, WouldBlock};
    matches!(error.kind(), NotFound | ConnectionRefused | ConnectionReset | WouldBlock)
}

fn lock(path: &Path) -> Result<File, TransportError> {
    let system = |error| TransportError::System { path: path.to_owned(), error };
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    let file = file.map_err(system)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TransportError::AlreadyRunning),
        Err(TryLockError::Error(error)) => Err(system(error)),
    }
}

/// The daemon's end. Dropping it removes the socket, then releases the lock.
#[derive(Debug)]
pub struct DaemonListener {
    listener: UnixListener,
    socket: PathBuf,
    /// Device and inode of our socket: another file may take its path.
    node: Option<(u64, u64)>,
    _lock: File,
}

fn node(socket: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(socket).ok().map(|meta| (meta.dev(), meta.ino()))
}

impl DaemonListener {
    /// Whether clients can still connect: when a user logs out, the system removes the runtime folder with
    /// the socket.
    pub fn is_reachable(&self) -> bool {
        node(&self.socket) == self.node
    }

    /// The next client of this user. Connections of other users are dropped.
    pub async fn accept(&self) -> io::Result<SocketConnection> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            match stream.peer_cred().map(|peer| peer.uid()) {
                Ok(uid) if uid == runtime_folder::user() => return Ok(SocketConnection { stream }),
                Ok(uid) => tracing::warn!(uid, "rejected a connection from a process of another user"),
                Err(error) => tracing::warn!(%error, "a client disconnected before its user was known"),
            }
        }
    }
}

impl Drop for DaemonListener {
    fn drop(&mut self) {
        if self.is_reachable() {
            let _ = fs::remove_file(&self.socket);
        }
    }
}

/// An open connection between a client and the daemon.
#[derive(Debug)]
pub struct SocketConnection {
    stream: UnixStream,
}

impl SocketConnection {
    pub fn split(self) -> (SocketReader, SocketWriter) {
        self.stream.into_split()
    }

    /// Both ends inside one process.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = UnixStream::pair()?;
        Ok((Self { stream: one }, Self { stream: other }))
    }
}
