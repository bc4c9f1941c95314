//! The keys that `copydesk auth` stores: `auth.json` in the data folder, an object from provider to key.
//!
//! Only the user can read the file (mode 0600). If others can read it, the store loads it anyway and warns
//! with the command that fixes it: rejecting it would lock users out of their own keys.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ConfigSecret;
use crate::private_file;
use crate::read::read_bytes;

/// More than any user's keys need.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Clone, Default)]
pub struct KeyStore {
    path: PathBuf,
    keys: BTreeMap<String, ConfigSecret>,
    warning: Option<String>,
}

/// The entries of the file: tagged objects, so that other kinds of credentials can stand beside keys. Entries
/// that are no keys stay untouched.
type KeyEntries = BTreeMap<String, Value>;

#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct KeyStoreError {
    path: PathBuf,
    reason: String,
}

impl KeyStore {
    pub fn load(data_dir: &Path) -> Result<Self, KeyStoreError> {
        let path = file(data_dir);
        let entries = read(&path)?;
        let open = path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
        let warning =
            open.then(|| format!("{0}: others can read your keys; run `chmod 600 {0}`", path.display()));
        let keys = entries.into_iter().filter_map(|(provider, entry)| {
            let key =
                entry.get("key").filter(|_| entry.get("type").is_some_and(|kind| kind == "api"))?.as_str()?;
            (!key.is_empty()).then(|| (provider, ConfigSecret::from(key.to_owned())))
        });
        Ok(Self { keys: keys.collect(), warning, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &ConfigSecret)> {
        self.keys.iter().map(|(provider, key)| (provider.as_str(), key))
    }

    /// Adds or replaces a key in the file. Returns whether it replaced one.
    pub fn add(data_dir: &Path, provider: &str, key: &str) -> Result<bool, KeyStoreError> {
        let entry = json!({ "type": "api", "key": key });
        change(&file(data_dir), |entries| entries.insert(provider.to_owned(), entry).is_some())
    }

    /// Removes a key from the file. Returns whether there was one.
    pub fn remove(data_dir: &Path, provider: &str) -> Result<bool, KeyStoreError> {
        change(&file(data_dir), |entries| entries.remove(provider).is_some())
    }
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("auth.json")
}

fn read(path: &Path) -> Result<KeyEntries, KeyStoreError> {
    let missing = path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if missing {
        return Ok(KeyEntries::new());
    }
    let error = |reason: String| KeyStoreError { path: path.into(), reason };
    let bytes = read_bytes(path, MAX_FILE_BYTES).map_err(|problem| error(problem.reason(path)))?;
    // A parser's message may quote a piece of a key, so the error gives only the position.
    serde_json::from_slice(&bytes).map_err(|problem| {
        let (line, column) = (problem.line(), problem.column());
        error(format!(
            "is damaged in line {line}, column {column}; repair it, or remove it and add the keys again with `copydesk \
             auth add`"
        ))
    })
}

fn change(path: &Path, change: impl FnOnce(&mut KeyEntries) -> bool) -> Result<bool, KeyStoreError> {
    let error = |reason: io::Error| KeyStoreError {
        path: path.into(),
        reason: format!("cannot be written: {reason}"),
    };
    let _lock = private_file::lock_file(path).map_err(error)?;
    let before = read(path)?;
    let mut entries = before.clone();
    let changed = change(&mut entries);
    if entries == before {
        return Ok(changed);
    }
    let text = serde_json::to_vec_pretty(&entries).map_err(io::Error::from).map_err(error)?;
    private_file::replace_file(path, &text).map_err(error)?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn stored(dir: &Path) -> Vec<(String, String)> {
        let keys = KeyStore::load(dir).unwrap();
        keys.iter().map(|(provider, key)| (provider.to_owned(), key.expose().to_owned())).collect()
    }

    #[test]
    fn keys_come_and_go_in_a_file_of_the_users_own() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        assert_eq!(stored(&data), []);
        assert!(!KeyStore::add(&data, "openai", "sk-1").unwrap());
        assert!(KeyStore::add(&data, "openai", "sk-2").unwrap());
        assert!(!KeyStore::add(&data, "groq", "g").unwrap());
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&data.join("auth.json"))), (0o700, 0o600));
        assert_eq!(stored(&data), [("groq".into(), "g".into()), ("openai".into(), "sk-2".into())]);
        let other = r#"{"x": {"type": "oauth", "token": "t"}, "openai": {"type": "api", "key": "sk-2"}, "groq": {"type": "api", "key": "g"}}"#;
        fs::write(data.join("auth.json"), other).unwrap();
        assert!(KeyStore::remove(&data, "openai").unwrap());
        assert!(
            fs::read_to_string(data.join("auth.json")).unwrap().contains("oauth"),
            "what is no key stays"
        );
        assert!(!KeyStore::remove(&data, "openai").unwrap());
        assert_eq!(stored(&data).len(), 1);
    }

    #[test]
    fn two_programs_lose_none_of_each_others_keys() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..16 {
                let data = dir.path();
                scope.spawn(move || KeyStore::add(data, &format!("p{number}"), "k").unwrap());
            }
        });
        assert_eq!(stored(dir.path()).len(), 16);
    }

    #[test]
    fn a_damaged_file_is_told_without_its_content_and_never_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("auth.json");
        fs::write(&path, r#"{"openai": {"type": "api", "key": "sk-secret}}"#).unwrap();
        let message = KeyStore::load(dir.path()).unwrap_err().to_string();
        assert!(message.contains("is damaged in line 1") && !message.contains("sk-secret"), "{message}");
        assert!(KeyStore::add(dir.path(), "groq", "g").is_err());
        assert!(fs::read_to_string(&path).unwrap().contains("sk-secret"));
    }

    #[test]
    fn a_file_that_others_can_read_is_warned_of() {
        let dir = tempfile::tempdir().unwrap();
        KeyStore::add(dir.path(), "groq", "g").unwrap();
        let path = dir.path().join("auth.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(KeyStore::load(dir.path()).unwrap().warning().unwrap().contains("chmod 600"));
    }
}
