//! Opens a file that cannot be written for reading: creates, migrates, repairs and moves nothing.
//!
//! A log beside the file may contain newer rows. To read it, SQLite needs the log's index, a file of its own.
//! If it cannot create that index, opening fails rather than ignore the log.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, access};

use super::inspect::address;
use super::{Database, DatabaseError, check, describe_error, with_suffix};

impl Database {
    /// Whether there is a file that this user may not write. If there is no file, the daemon may still create
    /// one.
    pub fn is_read_only(&self, data_dir: &Path) -> bool {
        let path = self.path(data_dir);
        let files = ["", "-wal", "-shm"].map(|suffix| with_suffix(&path, suffix));
        let is_kept = |path: &Path| path.exists() && access(path, Access::WRITE_OK).is_err();
        path.exists()
            && (access(data_dir, Access::WRITE_OK | Access::EXEC_OK).is_err()
                || files.iter().any(|file| is_kept(file)))
    }

    /// Opens the file in this folder for reading, as it is.
    pub fn open_read_only(&self, data_dir: &Path) -> Result<Connection, DatabaseError> {
        let path = self.path(data_dir);
        let unusable = |what: String| DatabaseError { path: path.clone(), what };
        let open = || -> rusqlite::Result<(Connection, i64)> {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_URI
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(address(&path), flags)?;
            check::run_check(&connection, &path, self.large_file_check)?;
            let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            Ok((connection, version))
        };
        let newest = i64::try_from(self.migrations.len()).unwrap_or(i64::MAX);
        match open() {
            Ok((connection, version)) if version == newest => Ok(connection),
            Ok((_, version)) if version > newest => Err(unusable(newer_version_message(version))),
            Ok(_) => Err(unusable(
                "was written by an older copydesk and cannot be migrated, because it cannot be written: check who owns it and its folder"
                    .to_owned(),
            )),
            Err(error) if check::is_damage(&error) => Err(unusable(format!(
                "is damaged ({error}), and cannot be moved aside: check who owns it and its folder"
            ))),
            Err(error) if with_suffix(&path, "-wal").exists() => Err(unusable(format!(
                "cannot be read without writing, because of the log beside it ({error}): check who owns it and its folder, or copy \
                 all of {} to where you can write, and name that in XDG_DATA_HOME",
                data_dir.display()
            ))),
            Err(error) => Err(unusable(describe_error(&error))),
        }
    }
}

pub(super) fn newer_version_message(version: i64) -> String {
    format!("was written by a newer copydesk (format {version}): update this one")
}
