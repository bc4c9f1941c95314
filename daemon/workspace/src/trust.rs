//! Which of a project's configuration files the user has looked at and stands behind.
//!
//! A repository's configuration is somebody else's text. The user trusts one file with one content: what
//! changes is no longer trusted. Kept in `trusted.json` of the state folder, as an object of paths (links
//! resolved) with the SHA-256 of their content; readable by the user alone, replaced in one step.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    config::{Error as ConfigError, read::read_bytes},
    private_file,
};

/// No user trusts more files than fit in this.
const LIMIT: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    path: PathBuf,
    files: BTreeMap<String, String>,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct TrustError {
    path: PathBuf,
    reason: String,
}

impl TrustError {
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

impl Trust {
    /// Nothing is trusted yet.
    pub fn empty(state_dir: &Path) -> Self {
        Self { path: state_dir.join("trusted.json"), files: BTreeMap::new() }
    }

    pub fn load(state_dir: &Path) -> Result<Self, TrustError> {
        let mut trust = Self::empty(state_dir);
        let bytes = match read_bytes(&trust.path, LIMIT) {
            Ok(bytes) => bytes,
            Err(ConfigError::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(trust);
            }
            Err(error) => return Err(TrustError::new(&trust.path, error.reason(&trust.path))),
        };
        trust.files = serde_json::from_slice(&bytes)
            .map_err(|error| TrustError::new(&trust.path, format!("is damaged ({error}); remove it")))?;
        Ok(trust)
    }

    /// Whether the user trusts `file` with this content.
    pub fn covers(&self, file: &Path, content: &[u8]) -> bool {
        let known = name(file).ok().and_then(|name| self.files.get(&name));
        known.is_some_and(|known| *known == digest(content))
    }

    pub fn add(&mut self, file: &Path, content: &[u8]) -> Result<(), TrustError> {
        self.files.insert(name(file)?, digest(content));
        Ok(())
    }

    /// Whether it was trusted.
    pub fn remove(&mut self, file: &Path) -> Result<bool, TrustError> {
        Ok(self.files.remove(&name(file)?).is_some())
    }

    /// Writes what changed. Of two programs that do so at once, the later one's list stays.
    pub fn save(&self) -> Result<(), TrustError> {
        let text = serde_json::to_vec_pretty(&self.files).map_err(io::Error::from);
        let written = text.and_then(|text| private_file::replace(&self.path, &text));
        written.map_err(|error| TrustError::new(&self.path, format!("cannot be written: {error}")))
    }
}

/// The file itself, whatever links lead to it. One that is gone keeps its written path, so that it can be removed.
fn name(file: &Path) -> Result<String, TrustError> {
    let real = file.canonicalize().unwrap_or_else(|_| file.into());
    real.into_os_string().into_string().map_err(|_| TrustError::new(file, "expected a path that is UTF-8"))
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
        let mut trust = Trust::load(&state).unwrap();
        assert_eq!(trust, Trust::empty(&state));
        trust.add(&file, b"{}").unwrap();
        trust.save().unwrap();
        trust.save().unwrap();

        let mut loaded = Trust::load(&state).unwrap();
        assert_eq!(loaded, trust);
        assert!(loaded.covers(&file, b"{}"));
        assert!(!loaded.covers(&file, b"{ }"));
        assert!(!loaded.covers(&dir.path().join("other"), b"{}"));
        assert_eq!((mode(&state), mode(&state.join("trusted.json"))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "no temporary file is left");

        assert!(loaded.remove(&file).unwrap());
        assert!(!loaded.remove(&file).unwrap());
        assert!(!loaded.covers(&file, b"{}"));
    }

    #[test]
    fn a_link_is_the_file_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "{}").unwrap();
        symlink(&file, &link).unwrap();
        let mut trust = Trust::empty(dir.path());
        trust.add(&link, b"{}").unwrap();
        assert!(trust.covers(&file, b"{}"));
    }

    #[test]
    fn a_damaged_or_unwritable_list_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("trusted.json"), "[]").unwrap();
        let error = Trust::load(dir.path()).unwrap_err();
        assert_eq!(error.path(), dir.path().join("trusted.json"));
        assert!(error.reason().starts_with("is damaged ("), "{error}");

        let blocked = dir.path().join("trusted.json");
        let error = Trust::empty(&blocked).save().unwrap_err();
        assert!(error.reason().starts_with("cannot be written: "), "{error}");
    }

    #[test]
    fn the_digest_is_sha_256() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
