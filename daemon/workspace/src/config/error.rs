//! What a person is told: errors stop, warnings do not. Both name the place and what was expected there.

use std::{fmt, io, path::PathBuf};

use serde::Serialize;

use crate::config::{
    mask::looks_secret,
    source::{Origin, Source},
};

/// Longest line shown under a message; a longer one is not worth showing.
const EXCERPT: usize = 160;

/// Longest message. A key can be as long as its file.
const MESSAGE: usize = 1000;

/// Why the configuration cannot be used. `Display` is the whole message.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something in a file: its syntax, a value of the wrong kind, a `{file:…}` that cannot be read.
    #[error("{0}")]
    Invalid(Remark),
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{}: is {found}; expected a file", .path.display())]
    NotAFile { path: PathBuf, found: &'static str },
    #[error("{}: is larger than {limit} bytes; expected at most that", .path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("COPYDESK_CONFIG names {}, which does not exist; correct or unset the variable", .0.display())]
    Missing(PathBuf),
    #[error("the variable {0} is not UTF-8; expected text")]
    VariableNotText(&'static str),
    #[error("{}: is not an absolute path and cannot be made one: {error}", .path.display())]
    NoFolder { path: PathBuf, error: io::Error },
}

impl Error {
    /// The line in question with a caret under the column, where there is one to show.
    pub fn excerpt(&self) -> Option<String> {
        match self {
            Self::Invalid(remark) => remark.excerpt(),
            _ => None,
        }
    }

    pub(crate) fn at(origin: &Origin, message: impl Into<String>) -> Self {
        Self::Invalid(Remark::at(origin, message))
    }

    pub(crate) fn with_text(self, text: &str) -> Self {
        match self {
            Self::Invalid(remark) => Self::Invalid(remark.with_text(text)),
            other => other,
        }
    }
}

/// Something to tell about a place in a file. As a warning it stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    pub file: PathBuf,
    /// From 1; 0 where the whole file is meant.
    pub line: u32,
    pub column: u32,
    pub message: String,
    #[serde(skip)]
    line_text: Option<String>,
}

/// What a person should know although the configuration can be used.
pub type Warning = Remark;

impl Remark {
    pub(crate) fn at(origin: &Origin, message: impl Into<String>) -> Self {
        let (line, column) = (origin.line, origin.column);
        let message = shortened(message.into());
        Self { file: origin.file.path.clone(), line, column, message, line_text: None }
    }

    pub(crate) fn about(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), line_text: None }
    }

    /// Keeps the line for [`Self::excerpt`], unless it is overlong or names something secret.
    pub(crate) fn with_text(mut self, text: &str) -> Self {
        let index = self.line.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line =
            index.and_then(|index| text.split('\n').nth(index)).map(|line| line.trim_end_matches('\r'));
        self.line_text =
            line.filter(|line| line.chars().count() <= EXCERPT && !looks_secret(line)).map(Into::into);
        self
    }

    /// The line with a caret under the column; `None` where there is no line, or one better not shown.
    pub fn excerpt(&self) -> Option<String> {
        let line = self.line_text.as_ref()?;
        let before = usize::try_from(self.column.saturating_sub(1)).ok()?;
        // A tab stays a tab, so that the caret stands right whatever width the terminal gives it.
        let pad = line.chars().take(before).map(|char| if char == '\t' { '\t' } else { ' ' });
        Some(format!("{line}\n{}^", pad.collect::<String>()))
    }
}

/// The warnings about one file. Nobody reads more than a few, so the rest is only counted, and not even worded.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    told: Vec<Warning>,
    more: usize,
}

impl Warnings {
    const TOLD: usize = 50;

    pub(crate) fn add(&mut self, origin: &Origin, message: impl FnOnce() -> String) {
        if self.told.len() < Self::TOLD {
            self.told.push(Warning::at(origin, message()));
        } else {
            self.more += 1;
        }
    }

    /// All that is to be told about `file`, whose text is `text`.
    pub(crate) fn finish(self, file: &Source, text: &str) -> impl Iterator<Item = Warning> {
        let message = format!("there are {} more warnings", self.more);
        let more = (self.more > 0).then(|| Warning::about(&file.path, message));
        self.told.into_iter().map(move |warning| warning.with_text(text)).chain(more)
    }
}

fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file.display(), self.message),
            line => write!(f, "{}:{line}:{}: {}", self.file.display(), self.column, self.message),
        }
    }
}
