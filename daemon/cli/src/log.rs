//! The daemon's log: a file that is rotated at a fixed size.
//!
//! Invariant: nothing here reaches standard output or standard error, and no line holds the body of a message,
//! which may hold code and keys. Other crates log only warnings and errors, because below that they log whole
//! messages.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

/// The file is rotated before it gets larger.
const MAX_LOG_BYTES: u64 = 4 * 1024 * 1024;

/// How many older files are kept.
const OLDER_FILES: u32 = 2;

pub(crate) fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("log/desk.log")
}

/// Starts logging, panics included. `level` is `off`, `error`, `warn`, `info`, `debug` or `trace`.
pub(crate) fn start(path: PathBuf, level: Option<&str>) -> anyhow::Result<()> {
    let wanted = level.map(str::parse::<LevelFilter>);
    let ours = wanted.as_ref().and_then(|level| level.as_ref().ok()).copied().unwrap_or(LevelFilter::INFO);
    let filter = Targets::new().with_default(ours.min(LevelFilter::WARN)).with_target("copydesk", ours);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(Mutex::new(RotatingLog::open(path, MAX_LOG_BYTES)?));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(filter).with(lines))?;
    std::panic::set_hook(Box::new(|panic| {
        // A formatted panic message may quote code; a literal cannot.
        let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("(not shown)");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message, "panic");
    }));
    if let Some(Err(_)) = wanted {
        tracing::warn!("COPYDESK_LOG is none of off, error, warn, info, debug, trace; using info");
    }
    Ok(())
}

/// A file that is rotated when full. Only the daemon that holds the socket's lock writes.
#[derive(Debug)]
struct RotatingLog {
    path: PathBuf,
    file: File,
    written: u64,
    max_bytes: u64,
}

impl RotatingLog {
    fn open(path: PathBuf, max_bytes: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        let written = file.metadata()?.len();
        Ok(Self { path, file, written, max_bytes })
    }

    fn older(&self, number: u32) -> PathBuf {
        match number {
            0 => self.path.clone(),
            _ => self.path.with_extension(format!("log.{number}")),
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (0..OLDER_FILES).rev() {
            match fs::rename(self.older(number), self.older(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        *self = Self::open(self.path.clone(), self.max_bytes)?;
        Ok(())
    }
}

impl Write for RotatingLog {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.written > 0 && self.written + line.len() as u64 > self.max_bytes {
            self.rotate()?;
        }
        let count = self.file.write(line)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn full_files_move_aside_and_the_oldest_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = path(dir.path());
        let write = |lines: &[&str]| {
            // Opened anew, as by each daemon.
            let mut log = RotatingLog::open(path.clone(), 10).unwrap();
            lines.iter().for_each(|line| log.write_all(line.as_bytes()).unwrap());
        };
        let files = || {
            let names = ["desk.log", "desk.log.1", "desk.log.2", "desk.log.3"];
            names.map(|name| fs::read_to_string(path.with_file_name(name)).unwrap_or_default())
        };
        write(&["one\n", "two\n"]);
        assert_eq!(files(), ["one\ntwo\n", "", "", ""]);
        write(&["three\n", "a line that is too long\n", "five\n", "six\n"]);
        assert_eq!(files(), ["five\nsix\n", "a line that is too long\n", "three\n", ""]);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}
