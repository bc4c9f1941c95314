//! Formatters: programs that give a text another form, asked before an edit is reported; and language servers, where a person wants that.
//!
//! The person's file is not touched. A command with `$FILE` changes a copy that lies beside it, so that the formatter finds the same
//! configuration, and that is gone afterwards; one without reads the text and prints the new one. `$PATH_OF_FILE` stands for the
//! file's own path, which tells a formatter that reads the text what it is, and `$RUST_EDITION` for that of the package around it.
//!
//! Invariant: what comes back is a whole text: a formatter that fails, is late, prints nothing for something, or too much, is told of,
//! and the text stays as it is.

mod formatter;
mod formatter_copy;

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::{ProcessExit, Processes};
use thiserror::Error;
use tokio::time::Instant;

use crate::file_system::ancestors_within;
use crate::program_search::{ProgramLookup, ProgramSearch};
use crate::sanitize;
use crate::subprocess::{self, SubprocessSpec};
use crate::time_limits::SERVER_FORMAT_TIMEOUT;

use formatter_copy::FormatterCopy;

pub use formatter::Formatter;

/// Longer texts are not formatted, and nothing longer is taken from a formatter.
const LONGEST: usize = 4 * 1024 * 1024;
/// Characters of why a text was not formatted.
const LONGEST_WHY: usize = 300;

pub type FormatFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, FormatError>> + Send + 'a>>;

/// Whoever gives texts their form without a command.
pub trait DocumentFormatter: Send + Sync + Debug {
    /// Nothing where it does not do that for such a file.
    fn format_text<'a>(&'a self, path: &'a Path, text: &'a str, until: Instant) -> FormatFuture<'a>;
}

/// The language server of a file as its formatter.
#[derive(Debug, Clone)]
pub struct LanguageServerFormatter {
    pub formatter: Arc<dyn DocumentFormatter>,
    /// Of files that end so it goes before all others; if there are none, it is for those that no other formatter is for.
    pub extensions: Vec<String>,
}

const FILE: &str = "$FILE";
const PATH: &str = "$PATH_OF_FILE";
const EDITION: &str = "$RUST_EDITION";

/// Why a text was not formatted, for whoever configured the formatter.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the formatter `{name}` left the text as it is: {why}")]
pub struct FormatError {
    pub name: String,
    pub why: String,
}

/// The formatters of a workspace, and what they are run with.
#[derive(Debug, Clone)]
pub struct Formatters {
    pub formatters: Vec<Formatter>,
    pub server: Option<LanguageServerFormatter>,
    pub search: ProgramSearch,
    /// The workspace, by its real path.
    pub root: PathBuf,
    pub processes: Processes,
    pub timeout: Duration,
}

impl Formatters {
    /// The one for a file: the first that is for it.
    pub fn formatter_for(&self, path: &Path) -> Option<&Formatter> {
        self.formatters.iter().find(|formatter| formatter.matches_path(&*self.search.view, path, &self.root))
    }

    /// The text in the form of the formatter; nothing where there is no formatter, or nothing to change.
    pub async fn format(&self, path: &Path, text: &str) -> Result<Option<String>, FormatError> {
        if let Some(server) = self.by_server(path) {
            return formed_by(server, path, text).await;
        }
        let Some(formatter) = self.formatter_for(path) else { return Ok(None) };
        match self.run(formatter, path, text).await {
            Ok(new) if new == text => Ok(None),
            Ok(new) => Ok(Some(new)),
            // It stands in what the model reads.
            Err(why) => Err(FormatError {
                name: formatter.name.clone(),
                why: sanitize::sanitize_line(&why, LONGEST_WHY),
            }),
        }
    }

    /// By a command, whose program is there.
    fn is_formatted(&self, path: &Path) -> bool {
        let folder = path.parent().unwrap_or(path);
        self.formatter_for(path).is_some_and(|formatter| {
            self.search.find_configured(&formatter.command, folder, &self.root).origin().is_some()
        })
    }

    fn by_server(&self, path: &Path) -> Option<&LanguageServerFormatter> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fits = |ending: &String| !ending.is_empty() && name.ends_with(&**ending);
        self.server.as_ref().filter(|server| match server.extensions.is_empty() {
            true => !self.is_formatted(path),
            false => server.extensions.iter().any(fits),
        })
    }

    async fn run(&self, formatter: &Formatter, path: &Path, text: &str) -> Result<String, String> {
        if text.len() > LONGEST {
            return Err(format!("it has more than {LONGEST} bytes"));
        }
        let folder = path.parent().ok_or("it lies in no folder")?;
        let command = match self.search.find_configured(&formatter.command, folder, &self.root) {
            ProgramLookup::Found { command, .. } => command,
            ProgramLookup::Missing { hint } => return Err(hint),
        };
        let is_copy = formatter.command.iter().any(|word| word.contains(FILE));
        let copy = if is_copy { Some(FormatterCopy::new(path, text).await?) } else { None };
        let words = command.iter().map(|word| match (word.to_str(), &copy) {
            (Some(text), Some(copy)) if text.contains(FILE) => put(text, FILE, copy.path()),
            (Some(text), _) if text.contains(PATH) => put(text, PATH, path),
            (Some(EDITION), _) => self.edition(folder).into(),
            _ => word.clone(),
        });
        let task = SubprocessSpec {
            command: words.collect(),
            cwd: if folder.starts_with(&self.root) { self.root.clone() } else { folder.to_owned() },
            environment: formatter.environment.clone(),
            input: if is_copy { String::new() } else { text.to_owned() },
            merge_stderr: false,
            timeout: self.timeout,
            max_output_bytes: LONGEST,
        };
        let printed = subprocess::run(&self.processes, task).await?;
        if printed.exit != ProcessExit::Code(0) {
            let output = String::from_utf8_lossy(&printed.output);
            let words = if printed.stderr.trim().is_empty() { &*output } else { &printed.stderr };
            return Err(subprocess::describe_failure(printed.exit, words));
        }
        let new = match &copy {
            Some(copy) => copy.read(LONGEST).await?,
            None => printed.output,
        };
        let new = String::from_utf8(new).map_err(|_| "what it made is no UTF-8".to_owned())?;
        if new.trim().is_empty() && !text.trim().is_empty() {
            return Err("it made nothing of it".to_owned());
        }
        Ok(new)
    }
}

/// With the same measure as what a command makes.
async fn formed_by(
    server: &LanguageServerFormatter,
    path: &Path,
    text: &str,
) -> Result<Option<String>, FormatError> {
    if text.len() > LONGEST {
        return Ok(None);
    }
    let formed = server.formatter.format_text(path, text, Instant::now() + SERVER_FORMAT_TIMEOUT).await;
    let formed = formed
        .map_err(|error| FormatError { why: sanitize::sanitize_line(&error.why, LONGEST_WHY), ..error });
    let new = formed?.filter(|new| new != text);
    // A server that knows nothing yet may make nothing of it.
    Ok(new.filter(|new| !new.trim().is_empty() || text.trim().is_empty()))
}

impl Formatters {
    /// Of the nearest manifest that names one: rustfmt by itself does not look.
    fn edition(&self, folder: &Path) -> String {
        let manifests = ancestors_within(folder, &self.root)
            .filter_map(|folder| self.search.view.read_text(&folder.join("Cargo.toml")));
        let mut editions = manifests.filter_map(|manifest| {
            let value = manifest
                .lines()
                .find_map(|line| line.trim().strip_prefix("edition")?.trim().strip_prefix('='))?;
            let year = value.trim().trim_matches('"');
            (year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit())).then(|| year.to_owned())
        });
        editions.next().unwrap_or_else(|| "2021".to_owned())
    }
}

fn put(word: &str, name: &str, path: &Path) -> OsString {
    let (before, after) = word.split_once(name).unwrap_or((word, ""));
    let mut whole = OsString::from(before);
    whole.push(path);
    whole.push(after);
    whole
}

#[cfg(test)]
mod tests;
