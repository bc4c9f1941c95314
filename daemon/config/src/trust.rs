//! The project configuration files that the user trusts.
//!
//! The authors of a repository wrote its configuration, not the user. The user trusts one file with one
//! content; a changed file is no longer trusted. `trusted.json` in the state folder stores an object from path
//! (symlinks resolved) to the SHA-256 of the content. Only the user can read it; it is replaced atomically,
//! under a lock.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{ConfigError, private_file, read::read_bytes};

/// More than any user's trusted files need.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    path: PathBuf,
    files: BTreeMap<String, String>,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct TrustStoreError {
    path: PathBuf,
    reason: String,
}

impl TrustStoreError {
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The message without the path.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl TrustStore {
    /// A store that trusts nothing.
    pub fn empty(state_dir: &Path) -> Self {
        Self { path: state_dir.join("trusted.json"), files: BTreeMap::new() }
    }

    pub fn load(state_dir: &Path) -> Result<Self, TrustStoreError> {
        let mut trust = Self::empty(state_dir);
        let bytes = match read_bytes(&trust.path, MAX_FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(ConfigError::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(trust);
            }
            Err(error) => return Err(TrustStoreError::new(&trust.path, error.reason(&trust.path))),
        };
        trust.files = serde_json::from_slice(&bytes)
            .map_err(|error| TrustStoreError::new(&trust.path, format!("is damaged ({error}); remove it")))?;
        Ok(trust)
    }

    /// Whether the user trusts `file` with this content.
    pub fn is_trusted(&self, file: &Path, content: &[u8]) -> bool {
        let known = name(file).ok().and_then(|name| self.files.get(&name));
        known.is_some_and(|known| *known == digest(content))
    }

    pub fn add(&mut self, file: &Path, content: &[u8]) -> Result<(), TrustStoreError> {
        self.files.insert(name(file)?, digest(content));
        Ok(())
    }

    /// Returns whether it was trusted.
    pub fn remove(&mut self, file: &Path) -> Result<bool, TrustStoreError> {
        Ok(self.files.remove(&name(file)?).is_some())
    }

    /// Changes the list in the file. Two programs that do so at once never lose each other's changes.
    pub fn update<T>(
        state_dir: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, TrustStoreError>,
    ) -> Result<T, TrustStoreError> {
        let path = Self::empty(state_dir).path;
        let error = |error: io::Error| TrustStoreError::new(&path, format!("cannot be written: {error}"));
        let _lock = private_file::lock_file(&path).map_err(error)?;
        let before = Self::load(state_dir)?;
        let mut trust = before.clone();
        let changed = change(&mut trust)?;
        if trust != before {
            let text = serde_json::to_vec_pretty(&trust.files).map_err(io::Error::from).map_err(error)?;
            private_file::replace_file(&path, &text).map_err(error)?;
        }
        Ok(changed)
    }
}

/// The file's name with symlinks resolved. A deleted file keeps its written path, so that it can be removed.
fn name(file: &Path) -> Result<String, TrustStoreError> {
    let real = file.canonicalize().unwrap_or_else(|_| file.into());
    real.into_os_string()
        .into_string()
        .map_err(|_| TrustStoreError::new(file, "expected a path that is UTF-8"))
}

fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_was_saved_is_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let (state, file) = (dir.path().join("a/state"), dir.path().join("copydesk.jsonc"));
        fs::write(&file, "{}").unwrap();
        assert_eq!(TrustStore::load(&state).unwrap(), TrustStore::empty(&state));
        for _ in 0..2 {
            TrustStore::update(&state, |trust| trust.add(&file, b"{}")).unwrap();
        }

        let mut loaded = TrustStore::load(&state).unwrap();
        assert!(loaded.is_trusted(&file, b"{}"));
        assert!(!loaded.is_trusted(&file, b"{ }"));
        assert!(!loaded.is_trusted(&dir.path().join("other"), b"{}"));
        assert_eq!((mode(&state), mode(&state.join("trusted.json"))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&state).unwrap().count(), 2, "the list and its lock, no temporary file");

        assert!(loaded.remove(&file).unwrap());
        assert!(!loaded.remove(&file).unwrap());
        assert!(!loaded.is_trusted(&file, b"{}"));
    }

    #[test]
    fn two_programs_lose_none_of_each_others_files() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..16 {
                let (state, file) = (dir.path(), dir.path().join(number.to_string()));
                scope.spawn(move || TrustStore::update(state, |trust| trust.add(&file, b"{}")).unwrap());
            }
        });
        assert_eq!(TrustStore::load(dir.path()).unwrap().files.len(), 16);
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let failed = TrustStore::update(dir.path(), |trust| {
            trust.add(Path::new("/a"), b"{}")?;
            Err::<(), _>(TrustStoreError::new(Path::new("/b"), "no"))
        });
        assert!(failed.is_err());
        assert_eq!(TrustStore::load(dir.path()).unwrap(), TrustStore::empty(dir.path()));
    }

    #[test]
    fn a_link_is_the_file_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "{}").unwrap();
        symlink(&file, &link).unwrap();
        let mut trust = TrustStore::empty(dir.path());
        trust.add(&link, b"{}").unwrap();
        assert!(trust.is_trusted(&file, b"{}"));
    }

    #[test]
    fn a_damaged_or_unwritable_list_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("trusted.json"), "[]").unwrap();
        let error = TrustStore::load(dir.path()).unwrap_err();
        assert_eq!(error.path(), dir.path().join("trusted.json"));
        assert!(error.reason().starts_with("is damaged ("), "{error}");

        let blocked = dir.path().join("trusted.json");
        let error = TrustStore::update(&blocked, |trust| trust.remove(Path::new("/a"))).unwrap_err();
        assert!(error.reason().starts_with("cannot be written: "), "{error}");
    }

    #[test]
    fn the_digest_is_sha_256() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
