//! How a client reaches the desk: the one module that knows Unix sockets, so that the pipes of Windows can follow.
//!
//! Invariant: the socket lies in a folder that is the user's alone, and both sides look whose process the other one is:
//! nobody talks to the desk of somebody else, and nobody can stand in for it.
//! Invariant: whoever listens holds the lock beside the socket until it ends. A socket that is found under the lock is
//! what a killed daemon left behind.

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

/// What the system has room for in an address, without its final zero.
const LONGEST: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

pub type SocketReader = unix::OwnedReadHalf;
pub type SocketWriter = unix::OwnedWriteHalf;

/// Where the desk of this user is found.
#[derive(Debug, Clone)]
pub struct DaemonAddress {
    folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    #[error("no daemon is running")]
    NoDaemon,
    #[error("another daemon is running, or about to")]
    AlreadyRunning,
    #[error(transparent)]
    Refused(#[from] RuntimeFolderError),
    #[error(
        "{}: the name of the socket has {length} bytes, the system has room for {LONGEST}; set COPYDESK_RUNTIME_DIR to a shorter folder", socket.display()
    )]
    TooLong { socket: PathBuf, length: usize },
    #[error("{}: the daemon there is a process of user {uid}, not yours", socket.display())]
    OtherUser { socket: PathBuf, uid: u32 },
    #[error("{}: {error}", path.display())]
    System { path: PathBuf, error: io::Error },
}

impl DaemonAddress {
    /// `COPYDESK_RUNTIME_DIR`, or a folder of ours in the user's runtime folder, or one in the folder for temporary files.
    pub fn new(env: &dyn Fn(&str) -> Option<OsString>) -> Self {
        // A relative one would be another place for each current folder.
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
        self.folder.join("desk.sock")
    }

    /// Makes the daemon's end. Must run inside the runtime.
    pub fn listen(&self) -> Result<DaemonListener, TransportError> {
        let socket = self.checked_socket()?;
        runtime_folder::make(&self.folder)?;
        runtime_folder::check(&self.folder)?;
        let lock = lock(&self.folder.join("desk.lock"))?;
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
            length if length > LONGEST => Err(TransportError::TooLong { socket, length }),
            _ => Ok(socket),
        }
    }
}

/// Nobody listens, or whoever did is just ending (reset) or does not get round to it (would block).
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

/// The daemon's end. The socket goes when this does, and the lock after it.
#[derive(Debug)]
pub struct DaemonListener {
    listener: UnixListener,
    socket: PathBuf,
    /// Which file the socket is: another may take its place.
    node: Option<(u64, u64)>,
    _lock: File,
}

fn node(socket: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(socket).ok().map(|meta| (meta.dev(), meta.ino()))
}

impl DaemonListener {
    /// Whether anybody can come: the folder of a user who has logged out goes, with every socket in it.
    pub fn is_reachable(&self) -> bool {
        node(&self.socket) == self.node
    }

    /// The next client of this user. Others are turned away.
    pub async fn accept(&self) -> io::Result<SocketConnection> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            match stream.peer_cred().map(|peer| peer.uid()) {
                Ok(uid) if uid == runtime_folder::user() => return Ok(SocketConnection { stream }),
                Ok(uid) => tracing::warn!(uid, "a process of another user was turned away"),
                Err(error) => tracing::warn!(%error, "a client that is already gone"),
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

/// A client and the desk, each at one end.
#[derive(Debug)]
pub struct SocketConnection {
    stream: UnixStream,
}

impl SocketConnection {
    pub fn split(self) -> (SocketReader, SocketWriter) {
        self.stream.into_split()
    }

    /// Both ends, inside one process.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = UnixStream::pair()?;
        Ok((Self { stream: one }, Self { stream: other }))
    }
}
