//! Files that only the user can read: keys, trust, replies.
//!
//! Written with mode 0600 into a folder created with 0700, flushed, and replaced atomically: a reader sees
//! the old or the new content, and a crash leaves one of them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    make_folder(path)?;
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{serial}.tmp", std::process::id()));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Locks a file while it is read, changed and replaced, so that two programs never lose each other's changes.
/// The lock is on a separate file, since the file itself is replaced. Dropping the value unlocks it.
pub(crate) fn lock_file(path: &Path) -> io::Result<File> {
    make_folder(path)?;
    let lock = path.with_extension("lock");
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(lock)?;
    file.lock()?;
    Ok(file)
}

fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => DirBuilder::new().recursive(true).mode(0o700).create(folder),
        None => Ok(()),
    }
}
