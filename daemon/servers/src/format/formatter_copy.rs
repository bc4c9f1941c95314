//! A copy of a file for a formatter to change, beside the file, for as long as it is needed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use tokio::fs::OpenOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// So many others may lie there already.
const TRIES: u32 = 20;

/// Gone when this is dropped.
#[derive(Debug)]
pub(super) struct FormatterCopy {
    path: PathBuf,
}

impl FormatterCopy {
    pub(super) async fn new(of: &Path, text: &str) -> Result<Self, String> {
        let folder = of.parent().unwrap_or(of);
        let failed = |error: std::io::Error| format!("no copy can be made in {}: {error}", folder.display());
        for number in 0..TRIES {
            // Hidden, and with the same ending, by which formatters know what it is.
            let name = of.file_name().unwrap_or_default().to_string_lossy();
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

    /// What the formatter made of it, which must be an ordinary file still.
    pub(super) async fn read(&self, most: usize) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("what it made cannot be read: {error}");
        // Neither a link, wherever it leads, nor a pipe that nobody writes to.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(flags.bits().cast_signed());
        let other = || "it made something else of the file".to_owned();
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
            return Err(format!("it made more than {most} bytes of it"));
        }
        Ok(new)
    }
}

impl Drop for FormatterCopy {
    fn drop(&mut self) {
        // A formatter that renames may have taken it away.
        let _ = std::fs::remove_file(&self.path);
    }
}
