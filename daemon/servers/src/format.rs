//! Formats texts before an edit is reported: with a formatter program, or with a language server if the user wants
//! that.
//!
//! The user's file is not touched. A command with `$FILE` changes a temporary copy beside the file, so that the
//! formatter finds the same configuration. A command without it reads the text from stdin and prints the new one.
//! `$PATH_OF_FILE` stands for the file's own path, which tells such a formatter the language; `$RUST_EDITION` for the
//! edition of the package.
//!
//! Invariant: the result is a complete text. If a formatter fails, is late, prints nothing, or prints too much, the
//! text stays as it is, and the error says why.

mod formatter;
mod formatter_copy;

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::sandbox::{ProgramSandbox, SandboxPurpose};
use copydesk_workspace::process::subprocess::{self, SubprocessSpec};
use copydesk_workspace::process::{ProcessExit, Processes};
use thiserror::Error;
use tokio::time::Instant;

use crate::file_system::ancestors_within;
use crate::program_search::{ProgramLookup, ProgramSearch};
use crate::sanitize;
use crate::time_limits::SERVER_FORMAT_TIMEOUT;

use formatter_copy::FormatterCopy;

pub use formatter::Formatter;

/// The cap on the text, and on a formatter's output.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// The cap on an error.
const MAX_ERROR_CHARS: usize = 300;

pub type FormatFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, FormatError>> + Send + 'a>>;

/// Formats texts without a command.
pub trait DocumentFormatter: Send + Sync + Debug {
    /// `None` if it does not format such files.
    fn format_text<'a>(&'a self, path: &'a Path, text: &'a str, until: Instant) -> FormatFuture<'a>;
}

/// The language server of a file as its formatter.
#[derive(Debug, Clone)]
pub struct LanguageServerFormatter {
    pub formatter: Arc<dyn DocumentFormatter>,
    /// It takes precedence for files with these suffixes. If empty, it formats the files without another formatter.
    pub extensions: Vec<String>,
}

const FILE: &str = "$FILE";
const PATH: &str = "$PATH_OF_FILE";
const EDITION: &str = "$RUST_EDITION";

/// Why a text was not formatted, for the user who configured the formatter.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the formatter `{name}` left the text as it is: {why}")]
pub struct FormatError {
    pub name: String,
    pub why: String,
}

/// The formatters of a workspace.
#[derive(Debug, Clone)]
pub struct Formatters {
    pub formatters: Vec<Formatter>,
    pub server: Option<LanguageServerFormatter>,
    pub search: ProgramSearch,
    /// The canonical path of the workspace.
    pub root: PathBuf,
    pub processes: Processes,
    pub sandbox: ProgramSandbox,
    pub timeout: Duration,
}

impl Formatters {
    /// The first formatter that matches the file.
    pub fn formatter_for(&self, path: &Path) -> Option<&Formatter> {
        self.formatters.iter().find(|formatter| formatter.matches_path(&*self.search.view, path, &self.root))
    }

    /// The formatted text. `None` if there is no formatter, or nothing to change.
    pub async fn format(&self, path: &Path, text: &str) -> Result<Option<String>, FormatError> {
        if let Some(server) = self.server_for(path) {
            return format_with_server(server, path, text).await;
        }
        let Some(formatter) = self.formatter_for(path) else { return Ok(None) };
        match self.run(formatter, path, text).await {
            Ok(new) if new == text => Ok(None),
            Ok(new) => Ok(Some(new)),
            // The model reads it.
            Err(why) => Err(FormatError {
                name: formatter.name.clone(),
                why: sanitize::sanitize_line(&why, MAX_ERROR_CHARS),
            }),
        }
    }

    /// Whether a command formats the file, and its program exists.
    fn has_command(&self, path: &Path) -> bool {
        let folder = path.parent().unwrap_or(path);
        self.formatter_for(path).is_some_and(|formatter| {
            self.search.find_configured(&formatter.command, folder, &self.root).origin().is_some()
        })
    }

    fn server_for(&self, path: &Path) -> Option<&LanguageServerFormatter> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fits = |suffix: &String| !suffix.is_empty() && name.ends_with(&**suffix);
        self.server.as_ref().filter(|server| match server.extensions.is_empty() {
            true => !self.has_command(path),
            false => server.extensions.iter().any(fits),
        })
    }

    async fn run(&self, formatter: &Formatter, path: &Path, text: &str) -> Result<String, String> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(format!("the text has more than {MAX_TEXT_BYTES} bytes"));
        }
        let folder = path.parent().ok_or("the file has no parent folder")?;
        let command = match self.search.find_configured(&formatter.command, folder, &self.root) {
            ProgramLookup::Found { command, .. } => command,
            ProgramLookup::Missing { hint } => return Err(hint),
        };
        let is_copy = formatter.command.iter().any(|word| word.contains(FILE));
        let copy = if is_copy { Some(FormatterCopy::new(path, text).await?) } else { None };
        let words = command.iter().map(|word| match (word.to_str(), &copy) {
            (Some(text), Some(copy)) if text.contains(FILE) => substitute(text, FILE, copy.path()),
            (Some(text), _) if text.contains(PATH) => substitute(text, PATH, path),
            (Some(EDITION), _) => self.edition(folder).into(),
            _ => word.clone(),
        });
        let command = words.collect();
        let cwd = if folder.starts_with(&self.root) { self.root.clone() } else { folder.to_owned() };
        let placement = self.sandbox.prepare(SandboxPurpose::Checker, &cwd, &self.processes).await;
        let placement = placement
            .map_err(|error| format!("it cannot run in the sandbox: {error}; {}", error.advice()))?;
        let task = SubprocessSpec {
            command,
            cwd,
            sandbox: placement.launch().cloned(),
            environment: formatter
                .environment
                .iter()
                .cloned()
                .map(|(name, value)| (name, Some(value)))
                .collect(),
            input: if is_copy { String::new() } else { text.to_owned() },
            merge_stderr: false,
            timeout: self.timeout,
            max_output_bytes: MAX_TEXT_BYTES,
        };
        let printed = subprocess::run(&self.processes, task).await?;
        if printed.exit != ProcessExit::Code(0) {
            let output = String::from_utf8_lossy(&printed.output);
            let words = if printed.stderr.trim().is_empty() { &*output } else { &printed.stderr };
            return Err(printed.describe_failure(words));
        }
        let new = match &copy {
            Some(copy) => copy.read(MAX_TEXT_BYTES).await?,
            None => printed.output,
        };
        let new = String::from_utf8(new).map_err(|_| "its output is not UTF-8".to_owned())?;
        if new.trim().is_empty() && !text.trim().is_empty() {
            return Err("its output is empty".to_owned());
        }
        Ok(new)
    }
}

/// With the same limits as a command.
async fn format_with_server(
    server: &LanguageServerFormatter,
    path: &Path,
    text: &str,
) -> Result<Option<String>, FormatError> {
    if text.len() > MAX_TEXT_BYTES {
        return Ok(None);
    }
    let formatted = server.formatter.format_text(path, text, Instant::now() + SERVER_FORMAT_TIMEOUT).await;
    let formatted = formatted
        .map_err(|error| FormatError { why: sanitize::sanitize_line(&error.why, MAX_ERROR_CHARS), ..error });
    let new = formatted?.filter(|new| new != text);
    // A server that is not ready may return an empty text.
    Ok(new.filter(|new| !new.trim().is_empty() || text.trim().is_empty()))
}

impl Formatters {
    /// From the nearest manifest that names one, because rustfmt does not look for it.
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

fn substitute(word: &str, name: &str, path: &Path) -> OsString {
    let (before, after) = word.split_once(name).unwrap_or((word, ""));
    let mut whole = OsString::from(before);
    whole.push(path);
    whole.push(after);
    whole
}

#[cfg(test)]
mod tests;
