//! What the `instructions` of the configuration name: files, patterns of files, addresses of the web.
//!
//! A relative path is looked for in every folder from the workspace's root down to the session's; `~/` is the home.
//! Addresses are fetched at the same time and only where there are any. What cannot be had is warned of and left out: a
//! model works without it.
//!
//! Invariant: what only a repository names is read inside the workspace alone, links resolved, and never fetched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use copydesk_config::{ConfigOrigin, LoadedConfig};
use copydesk_model::{ModelRegistry as Models, redact_address};
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

/// Each with where it comes from, in the order of writing.
pub(crate) async fn configured(
    loaded: &LoadedConfig,
    models: &Models,
    places: SessionFolders<'_>,
) -> Vec<(PathBuf, String)> {
    let mut lines: Vec<Vec<(PathBuf, String)>> = Vec::new();
    let mut fetches = JoinSet::new();
    let mut count = 0;
    for (number, (line, origin)) in loaded.merged.text_items(&["instructions"]).into_iter().enumerate() {
        let mut texts = Vec::new();
        if count >= MOST {
            loaded.warn(format_args!("{origin}: `{line}` is left out: {MOST} instructions are the most"));
        } else if !line.contains("://") {
            texts = places.files(loaded, line, origin, MOST - count).await;
        } else if origin.is_trusted() {
            let (fetch, address) = (models.fetch(line, MAX_INSTRUCTIONS_BYTES), line.to_owned());
            fetches.spawn(async move { (number, address, timeout(PATIENCE, fetch).await) });
            count += 1;
        } else {
            withheld(loaded, origin, line);
        }
        count += texts.len();
        lines.push(texts);
    }
    for (number, address, fetched) in fetches.join_all().await {
        let shown = redact_address(&address);
        match fetched {
            Ok(Ok(fetched)) => {
                if let Some(text) = truncate_instructions(fetched.text, fetched.is_truncated)
                    && let Some(texts) = lines.get_mut(number)
                {
                    texts.push((shown.into(), text));
                }
            }
            Ok(Err(error)) => loaded.warn(format_args!("instructions: {shown} {error}; it is left out")),
            Err(_) => loaded.warn(format_args!(
                "instructions: {shown} did not answer within {} seconds; it is left out",
                PATIENCE.as_secs()
            )),
        }
    }
    lines.into_iter().flatten().collect()
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
