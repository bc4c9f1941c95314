//! What the `instructions` of the configuration name: files, patterns of files, addresses of the web.
//!
//! A relative path is looked for in every folder from the workspace's root down to the session's; `~/` is the home.
//! Addresses are fetched all at once, while the session is already there. An instruction that cannot be had is left out with a
//! warning: a model works without it.
//!
//! Invariant: what only a repository names is read inside the workspace alone, links resolved, and never fetched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use copydesk_config::{ConfigOrigin, LoadedConfig};
use copydesk_model::{FetchError, FetchedText, ModelRegistry as Models, redact_address};
use copydesk_session::system_prompt::{
    MAX_INSTRUCTIONS_BYTES, match_instruction_files, read_instructions, truncate_instructions,
};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Texts that go to the model with every request; more would crowd out the conversation.
const MOST: usize = 64;

/// A person waits for their first answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a session works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionFolders<'a> {
    pub root: &'a Path,
    pub folder: &'a Path,
    pub home: &'a Path,
}

/// The instructions that the configuration names: files, which are read, and addresses, which are still to be fetched.
#[derive(Debug, Default)]
pub(crate) struct ConfiguredInstructions {
    /// By entry of the configuration. Each text has the place it comes from.
    entries: Vec<Vec<(PathBuf, String)>>,
    fetches: JoinSet<InstructionFetch>,
}

/// The entry, its address, and what came of fetching it. A timeout has no error of its own.
type InstructionFetch = (usize, String, Option<Result<FetchedText, FetchError>>);

/// The instructions of the configuration after the network has had its say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchedInstructions {
    /// All of them, files too, in the order of the configuration.
    pub(crate) texts: Vec<(PathBuf, String)>,
    pub(crate) warnings: Vec<String>,
}

impl ConfiguredInstructions {
    /// Reads the files. Requests for addresses begin, and nothing waits for them.
    pub(crate) async fn read(loaded: &LoadedConfig, models: &Models, folders: SessionFolders<'_>) -> Self {
        let mut read = Self::default();
        let mut count = 0;
        for (number, (line, origin)) in loaded.merged.text_items(&["instructions"]).into_iter().enumerate() {
            let mut texts = Vec::new();
            if count >= MOST {
                loaded.warn(format_args!("{origin}: `{line}` is left out: {MOST} instructions are the most"));
            } else if !line.contains("://") {
                texts = folders.files(loaded, line, origin, MOST - count).await;
            } else if origin.is_trusted() {
                let (fetch, address) = (models.fetch(line, MAX_INSTRUCTIONS_BYTES), line.to_owned());
                read.fetches.spawn(async move { (number, address, timeout(PATIENCE, fetch).await.ok()) });
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

    /// The texts that were read from files.
    pub(crate) fn texts(&self) -> Vec<(PathBuf, String)> {
        self.entries.iter().flatten().cloned().collect()
    }

    /// Waits for the network, [`PATIENCE`] at most. An instruction that cannot be fetched is left out with a warning.
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
                Some(Err(error)) => warnings.push(format!("instructions: {shown} {error}; it is left out")),
                None => warnings.push(format!(
                    "instructions: {shown} did not answer within {} seconds; it is left out",
                    PATIENCE.as_secs()
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
                loaded.warn(format_args!("{origin}: `{line}` names too many files; only some are used"));
            }
            paths.extend(found.paths);
        }
        let before = paths.len();
        paths.retain(|path| origin.is_trusted() || self.is_inside(path));
        if paths.len() < before {
            withheld(loaded, origin, line);
        }
        let mut texts: Vec<(PathBuf, String)> = Vec::new();
        for path in paths {
            if texts.len() < most
                && !texts.iter().any(|(known, _)| *known == path)
                && let Some(text) = read_instructions(&path)
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
        "{origin}: `{line}` is outside the workspace, and this project is not trusted: it is left out. Look at the file, \
         then run `copydesk config trust`."
    ));
}
