//! A temporary copy beside a file, for a formatter to change.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use tokio::fs::OpenOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Up to this many left-over copies are skipped.
const TRIES: u32 = 20;

/// Deleted on drop.
#[derive(Debug)]
pub(super) struct FormatterCopy {
    path: PathBuf,
}

impl FormatterCopy {
    pub(super) async fn new(original: &Path, text: &str) -> Result<Self, String> {
        let folder = original.parent().unwrap_or(original);
        let failed = |error: std::io::Error| format!("cannot create a copy in {}: {error}", folder.display());
        for number in 0..TRIES {
            // Hidden, and with the same extension, by which formatters know the language.
            let name = original.file_name().unwrap_or_default().to_string_lossy();
            let path = folder.join(format!(".copydesk-{}-{number}-{name}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).await {
                Ok(mut file) => {
                    let copy = Self { path };
                    file.write_all(text.as_bytes()).await.map_err(failed)?;
                    file.flush().await.map_err(failed)?;
                    return Ok(copy);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(format!("too many copies are left in {}; delete `.copydesk-*` there", folder.display()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The text after the formatter ran. The copy must still be a regular file.
    pub(super) async fn read(&self, most: usize) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("its output cannot be read: {error}");
        // Reject a symlink, and a pipe that would block.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(flags.bits().cast_signed());
        let other = || "it replaced the copy by something that is no regular file".to_owned();
        let is_link = |error: &std::io::Error| error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
        let file = match options.open(&self.path).await {
            Err(error) if is_link(&error) => return Err(other()),
            opened => opened.map_err(failed)?,
        };
        if !file.metadata().await.map_err(failed)?.is_file() {
            return Err(other());
        }
        let (mut new, limit) = (Vec::new(), u64::try_from(most).unwrap_or(u64::MAX));
        file.take(limit.saturating_add(1)).read_to_end(&mut new).await.map_err(failed)?;
        if new.len() > most {
            return Err(format!("its output has more than {most} bytes"));
        }
        Ok(new)
    }
}

impl Drop for FormatterCopy {
    fn drop(&mut self) {
        // A formatter that renames files may have removed it.
        let _ = std::fs::remove_file(&self.path);
    }
}
