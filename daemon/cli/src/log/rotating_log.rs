//! A log file with a size limit: a full one is rotated, and the oldest is deleted.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The size at which the file is rotated.
pub(super) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// A longer line is truncated. None of ours comes near.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// How many rotated files are kept.
pub(super) const OLDER_FILES: u32 = 2;

/// The file of this number: 0 is the current one, higher numbers are older.
pub(super) fn numbered(path: &Path, number: u32) -> PathBuf {
    match number {
        0 => path.to_owned(),
        _ => path.with_extension(format!("log.{number}")),
    }
}

/// A file that rotates when it is full. Only the daemon that holds the socket's lock writes it.
#[derive(Debug)]
pub(super) struct RotatingLog {
    path: PathBuf,
    file: File,
    written: u64,
    longest: u64,
}

impl RotatingLog {
    pub(super) fn open(path: PathBuf, longest: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        let written = file.metadata()?.len();
        Ok(Self { path, file, written, longest })
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (0..OLDER_FILES).rev() {
            match fs::rename(numbered(&self.path, number), numbered(&self.path, number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        *self = Self::open(self.path.clone(), self.longest)?;
        Ok(())
    }
}

impl Write for RotatingLog {
    /// Writes a line in one call, so that readers hardly ever see a part of it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shortened = (line.len() > MAX_LINE_BYTES).then(|| {
            let start = line.get(..MAX_LINE_BYTES).unwrap_or_default();
            [start, b" [truncated]\n"].concat()
        });
        let kept = shortened.as_deref().unwrap_or(line);
        if self.written > 0 && self.written + kept.len() as u64 > self.longest {
            self.rotate()?;
        }
        self.file.write_all(kept)?;
        self.written += kept.len() as u64;
        Ok(line.len())
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
        let path = dir.path().join("log/daemon.log");
        let write = |lines: &[&str]| {
            // As a starting daemon does.
            let mut log = RotatingLog::open(path.clone(), 10).unwrap();
            lines.iter().for_each(|line| log.write_all(line.as_bytes()).unwrap());
        };
        let files = || {
            let names = ["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"];
            names.map(|name| fs::read_to_string(path.with_file_name(name)).unwrap_or_default())
        };
        write(&["one\n", "two\n"]);
        assert_eq!(files(), ["one\ntwo\n", "", "", ""]);
        write(&["three\n", "a line that is too long\n", "five\n", "six\n"]);
        assert_eq!(files(), ["five\nsix\n", "a line that is too long\n", "three\n", ""]);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        let mut log = RotatingLog::open(path.clone(), MAX_FILE_BYTES).unwrap();
        let line = "x".repeat(10 * MAX_LINE_BYTES) + "\n";
        log.write_all(line.as_bytes()).unwrap();
        log.write_all(b"next\n").unwrap();
        let written = fs::read_to_string(&path).unwrap();
        assert!(written.len() < 2 * MAX_LINE_BYTES, "{}", written.len());
        assert!(written.ends_with("x [truncated]\nnext\n"));
    }

    #[test]
    fn all_files_together_stay_within_their_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        let mut log = RotatingLog::open(path, 1_000).unwrap();
        for number in 0..1_000 {
            writeln!(log, "line {number} of very many").unwrap();
        }
        let sizes = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        let sizes: Vec<_> = sizes.collect();
        assert!(sizes.len() == 3 && sizes.iter().all(|size| *size <= 1_000), "{sizes:?}");
    }
}
