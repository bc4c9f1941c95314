//! Reads the log from its start and follows it while it grows, is rotated or truncated, or appears.
//!
//! It reads the open file to its end before the next one: the daemon does not write to a file after its rotation.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::rotating_log::{MAX_FILE_BYTES, OLDER_FILES, numbered};

#[derive(Debug)]
pub(crate) struct LogFollower {
    path: PathBuf,
    /// The files read so far; the last one is still being read. They stay open so that no other file gets their inode numbers.
    files: VecDeque<FollowedFile>,
    /// The start of an unfinished line.
    partial: Vec<u8>,
}

#[derive(Debug)]
struct FollowedFile {
    file: File,
    identity: FileIdentity,
    read: u64,
}

/// The device and inode number of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    fn of(metadata: &std::fs::Metadata) -> Self {
        Self(metadata.dev(), metadata.ino())
    }

    fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().as_ref().map(Self::of)
    }
}

impl FollowedFile {
    fn open(path: &Path) -> io::Result<Option<Self>> {
        match File::open(path) {
            Ok(file) => {
                let identity = FileIdentity::of(&file.metadata()?);
                Ok(Some(Self { file, identity, read: 0 }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Appends the new content, up to a cap.
    fn read_rest(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        if self.file.metadata()?.len() < self.read {
            // The file was truncated.
            self.file.rewind()?;
            self.read = 0;
        }
        let count = self.file.by_ref().take(2 * MAX_FILE_BYTES).read_to_end(text)?;
        self.read += count as u64;
        Ok(())
    }
}

impl LogFollower {
    /// Starts with the oldest file.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, files: VecDeque::new(), partial: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The complete lines since the last call.
    pub(crate) fn read_lines(&mut self) -> io::Result<Vec<String>> {
        let mut text = std::mem::take(&mut self.partial);
        // All files, and one more that a rotation may add meanwhile.
        for _ in 0..=OLDER_FILES + 1 {
            if let Some(file) = self.files.back_mut() {
                file.read_rest(&mut text)?;
            }
            match self.next_file()? {
                Some(next) => {
                    // The daemon ended in the middle of a line.
                    if text.last().is_some_and(|last| *last != b'\n') {
                        text.push(b'\n');
                    }
                    self.files.push_back(next);
                    if self.files.len() > OLDER_FILES as usize + 1 {
                        self.files.pop_front();
                    }
                }
                None => break,
            }
        }
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.partial = text.split_off(whole);
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }

    /// The next file after those read so far; the oldest if none of those is left.
    fn next_file(&self) -> io::Result<Option<FollowedFile>> {
        let newest_read = self.newest_read();
        for number in (0..newest_read.unwrap_or(OLDER_FILES + 1)).rev() {
            if let Some(file) = FollowedFile::open(&numbered(&self.path, number))? {
                // After a rotation meanwhile it may be another file; the next call tries again.
                let is_next = !self.is_read(file.identity) && self.newest_read() == newest_read;
                return Ok(Some(file).filter(|_| is_next));
            }
        }
        Ok(None)
    }

    /// The present number of the newest file read so far.
    fn newest_read(&self) -> Option<u32> {
        let is_read = |number: &u32| {
            FileIdentity::at(&numbered(&self.path, *number)).is_some_and(|identity| self.is_read(identity))
        };
        (0..=OLDER_FILES).find(is_read)
    }

    fn is_read(&self, identity: FileIdentity) -> bool {
        self.files.iter().any(|file| file.identity == identity)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    use super::*;
    use crate::log::rotating_log::RotatingLog;

    struct FollowedFolder {
        folder: tempfile::TempDir,
        follower: LogFollower,
    }

    impl FollowedFolder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let follower = LogFollower::new(folder.path().join("daemon.log"));
            Self { folder, follower }
        }

        fn append(&self, name: &str, text: &str) {
            let path = self.folder.path().join(name);
            let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }

        #[track_caller]
        fn check(&mut self, lines: &[&str]) {
            assert_eq!(self.follower.read_lines().unwrap(), lines);
        }
    }

    #[test]
    fn a_file_that_grows() {
        let mut log = FollowedFolder::new();
        log.check(&[]);
        log.append("daemon.log", "one\ntw");
        log.check(&["one"]);
        log.check(&[]);
        log.append("daemon.log", "o\n");
        log.check(&["two"]);
        log.append("daemon.log", "not \u{fc}");
        log.check(&[]);
        log.append("daemon.log", "\n");
        log.check(&["not ü"]);
    }

    #[test]
    fn older_files_come_first() {
        let mut log = FollowedFolder::new();
        log.append("daemon.log", "three\n");
        log.append("daemon.log.1", "two\n");
        log.append("daemon.log.2", "one\n");
        log.append("daemon.log.3", "not ours\n");
        log.check(&["one", "two", "three"]);
        log.append("daemon.log", "four\n");
        log.check(&["four"]);
    }

    #[test]
    fn nothing_is_lost_or_told_twice_by_rotation() {
        let mut log = FollowedFolder::new();
        let mut file = RotatingLog::open(log.folder.path().join("daemon.log"), 60).unwrap();
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for number in 0..200 {
            // In one write, as the log does.
            file.write_all(format!("line number {number}\n").as_bytes()).unwrap();
            expected.push(format!("line number {number}"));
            // Several rotations may happen between two reads, but never of all files.
            if number % 7 == 0 || number == 199 {
                seen.extend(log.follower.read_lines().unwrap());
            }
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn whoever_looks_too_late_goes_on_with_what_is_left() {
        let mut log = FollowedFolder::new();
        let mut file = RotatingLog::open(log.folder.path().join("daemon.log"), 10).unwrap();
        file.write_all(b"first\n").unwrap();
        log.check(&["first"]);
        (0..50).for_each(|number| file.write_all(format!("line {number}\n").as_bytes()).unwrap());
        log.check(&["line 47", "line 48", "line 49"]);
    }

    #[test]
    fn a_file_that_is_truncated_removed_or_replaced() {
        let mut log = FollowedFolder::new();
        let path = log.folder.path().join("daemon.log");
        log.append("daemon.log", "before the truncation\n");
        log.check(&["before the truncation"]);
        fs::write(&path, "after\n").unwrap();
        log.check(&["after"]);
        fs::remove_file(&path).unwrap();
        log.check(&[]);
        log.append("daemon.log", "again\n");
        log.check(&["again"]);
        log.append("daemon.log", "cut sho");
        log.check(&[]);
        fs::rename(&path, log.folder.path().join("daemon.log.1")).unwrap();
        log.append("daemon.log", "next\n");
        log.check(&["cut sho", "next"]);
    }

    #[test]
    fn what_was_read_is_not_told_again_when_the_newest_is_removed() {
        let mut log = FollowedFolder::new();
        log.append("daemon.log.1", "one\n");
        log.append("daemon.log", "two\n");
        log.check(&["one", "two"]);
        fs::remove_file(log.folder.path().join("daemon.log")).unwrap();
        log.check(&[]);
        log.append("daemon.log", "three\n");
        log.check(&["three"]);
    }

    #[test]
    fn a_folder_in_the_place_of_the_file_is_an_error() {
        let mut log = FollowedFolder::new();
        fs::create_dir(log.folder.path().join("daemon.log")).unwrap();
        assert!(log.follower.read_lines().is_err() || log.follower.read_lines().is_err());
    }
}
