//! The user renames a file or a folder: the entries of its files can still be undone, under the new name.

use std::path::Path;

use rusqlite::params;

use super::{Journal, JournalError, JournalJob, JournalThread};

impl Journal {
    /// Lets the entries of a file, or of the files of a folder, follow a rename by the user. Does not wait.
    pub fn follow_rename(&self, from: &Path, to: &Path) {
        let (Some(from), Some(to)) = (from.to_str(), to.to_str()) else { return };
        let (from, to) = (from.to_owned(), to.to_owned());
        let job: JournalJob = Box::new(move |owner| {
            // If this fails, an undo says that the file is gone.
            let _ = owner.follow_rename(&from, &to);
        });
        let _ = self.jobs.try_send(job);
    }
}

impl JournalThread {
    fn follow_rename(&mut self, from: &str, to: &str) -> Result<(), JournalError> {
        let transaction = self.connection.transaction()?;
        for column in ["place", "leads_to"] {
            let moved = format!(
                "UPDATE entry SET {column} = ?2 || substr({column}, length(?1) + 1)
                 WHERE {column} = ?1 OR substr({column}, 1, length(?1) + 1) = ?1 || '/'"
            );
            transaction.execute(&moved, params![from, to])?;
        }
        transaction.commit()?;
        Ok(())
    }
}
