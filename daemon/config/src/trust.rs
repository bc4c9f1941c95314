//! The folders and project configuration files that the user trusts.
//!
//! The authors of a repository wrote its files, not the user. Until the user trusts a folder, nothing that lies in it runs. The
//! innermost folder with an entry decides, so the parent of many clones can be trusted. A configuration file is trusted in a trusted
//! folder with one content: it may send keys to an address, so a commit that changes it needs the user's consent again.
//! `trust.json` in the state folder stores both by path, symlinks resolved (`state_file.rs`).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::state_file::{self, StateFileError, real_name};

/// Whether the user trusts a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderTrust {
    Trusted,
    /// The user was asked and did not trust it.
    Restricted,
    /// The user has not been asked yet. It counts as restricted.
    Unasked,
}

impl FolderTrust {
    pub fn is_trusted(self) -> bool {
        self == Self::Trusted
    }
}

/// What of the user's answers a session depends on: if it has changed, the session is built again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStamp {
    pub trust: FolderTrust,
    files: Vec<(String, String)>,
    /// Folders of the workspace that the user does not trust, although they trust the workspace.
    pub refused: Vec<PathBuf>,
}

impl TrustStamp {
    /// Whether `now` takes back some of this trust.
    pub fn is_lost_in(&self, now: &Self) -> bool {
        let names = |stamp: &Self| stamp.files.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>();
        let kept = names(now);
        (self.trust.is_trusted() && !now.trust.is_trusted())
            || names(self).iter().any(|file| !kept.contains(file))
            || now.refused.iter().any(|folder| !self.refused.contains(folder))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    path: PathBuf,
    entries: TrustEntries,
}

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TrustEntries {
    /// Whether the user trusts the folder.
    #[serde(default)]
    folders: BTreeMap<String, bool>,
    /// The SHA-256 of the trusted content.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl TrustStore {
    /// A store that trusts nothing.
    pub fn empty(state_dir: &Path) -> Self {
        Self { path: state_dir.join("trust.json"), entries: TrustEntries::default() }
    }

    pub fn load(state_dir: &Path) -> Result<Self, StateFileError> {
        let Self { path, .. } = Self::empty(state_dir);
        Ok(Self { entries: state_file::load(&path)?, path })
    }

    /// Whether the user trusts `folder`: the entry of the folder, or of the nearest one above it.
    pub fn trust_of(&self, folder: &Path) -> FolderTrust {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.into());
        let innermost = real.ancestors().find_map(|folder| self.entries.folders.get(folder.to_str()?));
        match innermost {
            Some(true) => FolderTrust::Trusted,
            Some(false) => FolderTrust::Restricted,
            None => FolderTrust::Unasked,
        }
    }

    /// The answers that count for a session in `root`.
    pub fn stamp(&self, root: &Path) -> TrustStamp {
        let root = root.canonicalize().unwrap_or_else(|_| root.into());
        let files = self.entries.files.iter().filter(|(file, _)| Path::new(file).starts_with(&root));
        let folders = self.folders().filter(|(folder, is_trusted)| !is_trusted && folder.starts_with(&root));
        TrustStamp {
            trust: self.trust_of(&root),
            files: files.map(|(file, digest)| (file.clone(), digest.clone())).collect(),
            refused: folders.map(|(folder, _)| folder.to_path_buf()).collect(),
        }
    }

    /// Whether the user trusts a configuration file of a trusted folder with this content.
    pub fn is_file_trusted(&self, file: &Path, content: &[u8]) -> bool {
        let known = real_name(file).ok().and_then(|name| self.entries.files.get(&name));
        known.is_some_and(|known| *known == digest(content))
    }

    pub fn add_file(&mut self, file: &Path, content: &[u8]) -> Result<(), StateFileError> {
        self.entries.files.insert(real_name(file)?, digest(content));
        Ok(())
    }

    /// The user trusts a folder and everything below it, or does not. A refusal takes back what they trusted below it; a refusal below it
    /// stays.
    pub fn set(&mut self, folder: &Path, is_trusted: bool) -> Result<(), StateFileError> {
        let name = real_name(folder)?;
        if is_trusted && name == "/" {
            return Err(StateFileError::new(folder, "cannot be trusted: it contains every folder"));
        }
        let is_below = |path: &String| Path::new(path).starts_with(&name);
        if !is_trusted {
            self.entries.folders.retain(|path, was_trusted| !(*was_trusted && is_below(path)));
            self.entries.files.retain(|path, _| !is_below(path));
        }
        self.entries.folders.insert(name, is_trusted);
        Ok(())
    }

    /// Every folder that the user was asked about, and whether it is trusted.
    pub fn folders(&self) -> impl Iterator<Item = (&Path, bool)> {
        self.entries.folders.iter().map(|(folder, is_trusted)| (Path::new(folder), *is_trusted))
    }

    /// Changes the list in the file. Two programs that do so at once never lose each other's changes.
    pub fn update<T>(
        state_dir: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, StateFileError>,
    ) -> Result<T, StateFileError> {
        let Self { path, .. } = Self::empty(state_dir);
        state_file::update(&path, |entries| {
            let mut trust = Self { path: path.clone(), entries: std::mem::take(entries) };
            let changed = change(&mut trust);
            *entries = trust.entries;
            changed
        })
    }
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
        let (state, folder) = (dir.path().join("a/state"), dir.path().join("project"));
        fs::create_dir(&folder).unwrap();
        assert_eq!(TrustStore::load(&state).unwrap(), TrustStore::empty(&state));
        for _ in 0..2 {
            TrustStore::update(&state, |trust| trust.set(&folder, true)).unwrap();
        }

        let mut loaded = TrustStore::load(&state).unwrap();
        assert_eq!(loaded.trust_of(&folder), FolderTrust::Trusted);
        assert_eq!(loaded.trust_of(&dir.path().join("project-2")), FolderTrust::Unasked);
        assert_eq!((mode(&state), mode(&state.join("trust.json"))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&state).unwrap().count(), 2, "the list and its lock, no temporary file");

        let file = folder.join("copydesk.jsonc");
        loaded.add_file(&file, b"{}").unwrap();
        assert!(loaded.is_file_trusted(&file, b"{}"));
        assert!(!loaded.is_file_trusted(&file, b"{ }"));
        assert!(!loaded.is_file_trusted(&dir.path().join("other"), b"{}"));

        let stamp = loaded.stamp(&folder);
        loaded.add_file(&file, b"{ }").unwrap();
        assert_ne!(loaded.stamp(&folder), stamp);
        assert!(!stamp.is_lost_in(&loaded.stamp(&folder)), "the file is trusted with another content");

        // A refusal above takes it all back.
        loaded.set(dir.path(), false).unwrap();
        assert_eq!(loaded.trust_of(&folder), FolderTrust::Restricted);
        assert!(!loaded.is_file_trusted(&file, b"{ }"));
        let refused = loaded.stamp(&folder);
        assert!(stamp.is_lost_in(&refused) && !refused.is_lost_in(&stamp));
    }

    #[test]
    fn the_innermost_entry_decides() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mut trust = TrustStore::empty(&root);
        trust.set(&root, true).unwrap();
        trust.set(&root.join("foreign"), false).unwrap();
        trust.set(&root.join("foreign/mine"), true).unwrap();
        for (folder, expected) in [
            ("", FolderTrust::Trusted),
            ("clone/deep", FolderTrust::Trusted),
            ("foreign", FolderTrust::Restricted),
            ("foreign/deep", FolderTrust::Restricted),
            ("foreign/mine/deep", FolderTrust::Trusted),
        ] {
            assert_eq!(trust.trust_of(&root.join(folder)), expected, "{folder}");
        }
        assert_eq!(trust.trust_of(root.parent().unwrap()), FolderTrust::Unasked);
        assert_eq!(trust.stamp(&root).refused, [root.join("foreign")]);
        trust.set(&root.join("foreign"), false).unwrap();
        assert_eq!(trust.trust_of(&root.join("foreign/mine")), FolderTrust::Restricted);
        assert!(trust.set(Path::new("/"), true).is_err());
    }

    #[test]
    fn two_programs_lose_none_of_each_others_folders() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..16 {
                let (state, folder) = (dir.path(), dir.path().join(number.to_string()));
                scope.spawn(move || TrustStore::update(state, |trust| trust.set(&folder, true)).unwrap());
            }
        });
        assert_eq!(TrustStore::load(dir.path()).unwrap().entries.folders.len(), 16);
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let failed = TrustStore::update(dir.path(), |trust| {
            trust.set(Path::new("/a"), true)?;
            Err::<(), _>(StateFileError::new(Path::new("/b"), "no"))
        });
        assert!(failed.is_err());
        assert_eq!(TrustStore::load(dir.path()).unwrap(), TrustStore::empty(dir.path()));
    }

    #[test]
    fn a_link_is_the_folder_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, link) = (dir.path().join("folder"), dir.path().join("link"));
        fs::create_dir(&folder).unwrap();
        symlink(&folder, &link).unwrap();
        let mut trust = TrustStore::empty(dir.path());
        trust.set(&link, true).unwrap();
        assert!(trust.trust_of(&folder).is_trusted());
        // A link that leads elsewhere later is trusted as the folder that it leads to then.
        let other = dir.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&other, &link).unwrap();
        assert!(!trust.trust_of(&link).is_trusted());
    }

    #[test]
    fn a_damaged_or_unwritable_list_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("trust.json"), r#"{ "folders": [] }"#).unwrap();
        let error = TrustStore::load(dir.path()).unwrap_err();
        assert_eq!(error.path(), dir.path().join("trust.json"));
        assert!(error.reason().starts_with("is damaged ("), "{error}");

        let blocked = dir.path().join("trust.json");
        let error = TrustStore::update(&blocked, |trust| trust.set(Path::new("/a"), true)).unwrap_err();
        assert!(error.reason().starts_with("cannot be written: "), "{error}");
    }

    #[test]
    fn the_digest_is_sha_256() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
