//! The `instructions` of the configuration: files, file patterns, web addresses.
//!
//! A relative path is searched in every folder from the workspace's root down to the session's; `~/` is the
//! home folder. Addresses are fetched concurrently while the session opens. An instruction that cannot be read
//! is ignored with a warning: a model works without it.
//!
//! Invariant: an entry of an untrusted repository is read only inside the workspace, symlinks resolved, and
//! never fetched.

use std::path::{Path, PathBuf};

use copydesk_config::{ConfigOrigin, LoadedConfig};
use copydesk_model::{FetchError, FetchedText, ModelRegistry as Models, redact_address};
use copydesk_session::system_prompt::{
    MAX_INSTRUCTIONS_BYTES, match_instruction_files, read_instructions, truncate_instructions,
};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::time_limits::INSTRUCTIONS_FETCH_TIMEOUT;

/// All texts go to the model with every request; more would crowd out the conversation.
const MAX_TEXTS: usize = 64;

#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionFolders<'a> {
    pub root: &'a Path,
    pub folder: &'a Path,
    pub home: &'a Path,
}

/// The instructions of the configuration: files, already read, and addresses, still being fetched.
#[derive(Debug, Default)]
pub(crate) struct ConfiguredInstructions {
    /// By entry of the configuration. Each text has its origin.
    entries: Vec<Vec<(PathBuf, String)>>,
    fetches: JoinSet<InstructionFetch>,
}

/// Index of the entry, its address, and the result; `None` is a timeout.
type InstructionFetch = (usize, String, Option<Result<FetchedText, FetchError>>);

/// The instructions of the configuration after fetching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchedInstructions {
    /// Files too, in the order of the configuration.
    pub(crate) texts: Vec<(PathBuf, String)>,
    pub(crate) warnings: Vec<String>,
}

impl ConfiguredInstructions {
    /// Reads the files and starts the requests, without waiting for them.
    pub(crate) async fn read(loaded: &LoadedConfig, models: &Models, folders: SessionFolders<'_>) -> Self {
        let mut read = Self::default();
        let mut count = 0;
        for (number, (line, origin)) in loaded.merged.text_items(&["instructions"]).into_iter().enumerate() {
            let mut texts = Vec::new();
            if count >= MAX_TEXTS {
                loaded.warn(format_args!(
                    "{origin}: `{line}` is ignored: at most {MAX_TEXTS} instructions are used"
                ));
            } else if !line.contains("://") {
                texts = folders.files(loaded, line, origin, MAX_TEXTS - count).await;
            } else if origin.is_trusted() {
                let (fetch, address) = (models.fetch(line, MAX_INSTRUCTIONS_BYTES), line.to_owned());
                read.fetches.spawn(async move {
                    (number, address, timeout(INSTRUCTIONS_FETCH_TIMEOUT, fetch).await.ok())
                });
                count += 1;
            } else {
                withheld(loaded, origin, line);
            }
            count += texts.len();
            read.entries.push(texts);
        }
        read
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.fetches.is_empty()
    }

    /// The texts of the files.
    pub(crate) fn texts(&self) -> Vec<(PathBuf, String)> {
        self.entries.iter().flatten().cloned().collect()
    }

    /// Waits for the network, [`INSTRUCTIONS_FETCH_TIMEOUT`] at most. A failed instruction is ignored with a warning.
    pub(crate) async fn fetch(self) -> FetchedInstructions {
        let Self { mut entries, fetches } = self;
        let mut warnings = Vec::new();
        for (number, address, fetched) in fetches.join_all().await {
            let shown = redact_address(&address);
            match fetched {
                Some(Ok(fetched)) => {
                    if let Some(text) = truncate_instructions(fetched.text, fetched.is_truncated)
                        && let Some(texts) = entries.get_mut(number)
                    {
                        texts.push((shown.into(), text));
                    }
                }
                Some(Err(error)) => warnings.push(format!("instructions: {shown} {error}; it is ignored")),
                None => warnings.push(format!(
                    "instructions: {shown} did not respond within {} seconds; it is ignored",
                    INSTRUCTIONS_FETCH_TIMEOUT.as_secs()
                )),
            }
        }
        FetchedInstructions { texts: entries.into_iter().flatten().collect(), warnings }
    }
}

impl SessionFolders<'_> {
    async fn files(
        &self,
        loaded: &LoadedConfig,
        line: &str,
        origin: &ConfigOrigin,
        most: usize,
    ) -> Vec<(PathBuf, String)> {
        let (bases, below) = match line.strip_prefix("~/") {
            Some(below) => (vec![self.home], below),
            None if Path::new(line).is_absolute() => (vec![Path::new("/")], line),
            None => (self.folders(), line),
        };
        let mut paths: Vec<PathBuf> = Vec::new();
        for base in bases {
            let found = match_instruction_files(base, below, most).await;
            if found.more {
                loaded.warn(format_args!("{origin}: `{line}` matches too many files; only some are used"));
            }
            paths.extend(found.paths);
        }
        let before = paths.len();
        paths.retain(|path| origin.is_trusted() || self.is_inside(path));
        if paths.len() < before {
            withheld(loaded, origin, line);
        }
        let within = (!origin.is_trusted()).then_some(self.root);
        let mut texts: Vec<(PathBuf, String)> = Vec::new();
        for path in paths {
            if texts.len() < most
                && !texts.iter().any(|(known, _)| *known == path)
                && let Some(text) = read_instructions(&path, within)
            {
                texts.push((path, text));
            }
        }
        texts
    }

    /// From the root down.
    fn folders(&self) -> Vec<&Path> {
        let mut folders: Vec<_> =
            self.folder.ancestors().take_while(|folder| folder.starts_with(self.root)).collect();
        folders.reverse();
        folders
    }

    fn is_inside(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        real(path).zip(real(self.root)).is_some_and(|(path, root)| path.starts_with(root))
    }
}

fn withheld(loaded: &LoadedConfig, origin: &ConfigOrigin, line: &str) {
    loaded.warn(format_args!(
        "{origin}: `{line}` is ignored: it is outside the workspace, and this project is not trusted. Review the file, \
         then run `copydesk trust`."
    ));
}
