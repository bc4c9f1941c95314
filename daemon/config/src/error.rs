//! Messages for the user: an error stops the load, a warning does not. Both name the position and what was
//! expected there.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, Serializer};

use crate::{
    entries::SECRET_MAPS,
    mask::looks_secret,
    source::{ConfigOrigin, ConfigSource},
};

/// The longest line to show under a message.
const MAX_LINE_CHARS: usize = 160;

/// The longest message. A key can be as long as its file.
const MAX_MESSAGE_CHARS: usize = 1000;

/// Why the configuration cannot be used. `Display` gives the whole message.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// An error inside a file: its syntax, a value of the wrong kind, a `{file:…}` that cannot be read.
    #[error("{0}")]
    Invalid(ConfigMessage),
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{}: is {found}; expected a file", .path.display())]
    NotAFile { path: PathBuf, found: &'static str },
    #[error("{}: is larger than the limit of {limit} bytes", .path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("COPYDESK_CONFIG names {}, which does not exist; correct or unset the variable", .0.display())]
    Missing(PathBuf),
    #[error("the variable {0} is not UTF-8; expected text")]
    VariableNotText(&'static str),
    #[error("{}: is not an absolute path and cannot be made one: {error}", .path.display())]
    NoFolder { path: PathBuf, error: io::Error },
}

impl ConfigError {
    /// The line in question with a caret under the column, if there is a line to show.
    pub fn excerpt(&self) -> Option<String> {
        match self {
            Self::Invalid(remark) => remark.excerpt(),
            _ => None,
        }
    }

    /// The message without the path, for a caller that names the path itself.
    pub(crate) fn reason(&self, path: &Path) -> String {
        let message = self.to_string();
        message.strip_prefix(&format!("{}: ", path.display())).map_or(message.clone(), Into::into)
    }

    pub(crate) fn at_origin(origin: &ConfigOrigin, message: impl Into<String>) -> Self {
        Self::Invalid(ConfigMessage::at_origin(origin, message))
    }

    pub(crate) fn with_text(self, text: &str) -> Self {
        match self {
            Self::Invalid(remark) => Self::Invalid(remark.with_text(text)),
            other => other,
        }
    }
}

/// A message about a position in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigMessage {
    #[serde(serialize_with = "as_shown")]
    pub file: PathBuf,
    /// From 1; 0 for the whole file.
    pub line: u32,
    pub column: u32,
    pub message: String,
    #[serde(skip)]
    line_text: Option<String>,
}

/// Like the text output: a path need not be UTF-8, but JSON must be.
fn as_shown<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// A problem that does not stop the load.
pub type ConfigWarning = ConfigMessage;

impl ConfigMessage {
    pub(crate) fn at_origin(origin: &ConfigOrigin, message: impl Into<String>) -> Self {
        let (line, column) = (origin.line, origin.column);
        let message = shortened(message.into());
        Self { file: origin.file.path.clone(), line, column, message, line_text: None }
    }

    pub(crate) fn about_file(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), line_text: None }
    }

    /// Keeps the line for [`Self::excerpt`], unless it is too long, contains a secret or stands in a secret
    /// object.
    pub(crate) fn with_text(mut self, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines: Vec<_> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let index = self.line.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let found = index.and_then(|index| Some((lines.get(..index)?, *lines.get(index)?)));
        let shown = found.filter(|(before, line)| {
            line.chars().count() <= MAX_LINE_CHARS
                && !holds_secret(line)
                && !surrounding(before).any(holds_secret)
        });
        self.line_text = shown.map(|(_, line)| line.into());
        self
    }

    /// The line with a caret under the column; `None` if there is no line or it must not be shown.
    pub fn excerpt(&self) -> Option<String> {
        let line = self.line_text.as_ref()?;
        let before = usize::try_from(self.column.saturating_sub(1)).ok()?;
        // Keep tabs, so that the caret is right at any tab width.
        let pad = line.chars().take(before).map(|char| if char == '\t' { '\t' } else { ' ' });
        Some(format!("{line}\n{}^", pad.collect::<String>()))
    }
}

/// Whether the line contains a secret, or opens an object of secrets.
fn holds_secret(line: &str) -> bool {
    looks_secret(line) || SECRET_MAPS.iter().any(|name| line.contains(&format!("\"{name}\"")))
}

/// The lines before that matter: one that ends in the key of this value, and one that opens the braces around
/// it.
fn surrounding<'a>(before: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let last =
        before.iter().rfind(|line| !line.trim().is_empty()).filter(|line| line.trim_end().ends_with(':'));
    let mut depth = 0_usize;
    let opens = |line: &&&str| {
        line.chars().rev().any(|char| match char {
            '{' | '[' if depth == 0 => true,
            '{' | '[' => {
                depth -= 1;
                false
            }
            '}' | ']' => {
                depth += 1;
                false
            }
            _ => false,
        })
    };
    let opening = before.iter().rev().find(opens);
    last.into_iter().chain(opening).copied()
}

/// The warnings about one file. Beyond [`Self::MAX_SHOWN`] it only counts them.
#[derive(Debug, Default)]
pub(crate) struct FileWarnings {
    shown: Vec<ConfigWarning>,
    more: usize,
}

impl FileWarnings {
    const MAX_SHOWN: usize = 50;

    pub(crate) fn add(&mut self, origin: &ConfigOrigin, message: impl FnOnce() -> String) {
        if self.shown.len() < Self::MAX_SHOWN {
            self.shown.push(ConfigWarning::at_origin(origin, message()));
        } else {
            self.more += 1;
        }
    }

    /// All warnings about `file`, whose content is `text`.
    pub(crate) fn finish(self, file: &ConfigSource, text: &str) -> impl Iterator<Item = ConfigWarning> {
        let message = format!("there are {} more warnings", self.more);
        let more = (self.more > 0).then(|| ConfigWarning::about_file(&file.path, message));
        self.shown.into_iter().map(move |warning| warning.with_text(text)).chain(more)
    }
}

fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE_CHARS) {
        message.truncate(end);
        message.push('…');
    }
    message
}

impl fmt::Display for ConfigMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file.display(), self.message),
            line => write!(f, "{}:{line}:{}: {}", self.file.display(), self.column, self.message),
        }
    }
}
