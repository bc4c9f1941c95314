//! Changes to files: `edit`, `multiedit`, `write`, `apply_patch`, `refactor`, and the asks before them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::DiagnosticsMetadata;
use crate::lenient;

/// What a call changed, or an ask would change: one file or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EditMetadata {
    /// One file.
    File(FileEditMetadata),
    /// Several, or none of those that are shown.
    Files(MultiFileEditMetadata),
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileEditMetadata {
    /// The file and its change.
    #[serde(flatten)]
    pub file: ChangedFileMetadata,
    /// What the change made wrong, or would; missing if nothing was checked.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::object")]
    pub diagnostics: Option<DiagnosticsMetadata>,
    /// How many places each tier of the matcher found, by its name: `exact`, `indentation`, …
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::object")]
    pub tiers: Option<BTreeMap<String, u64>>,
}

/// Changes to several files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MultiFileEditMetadata {
    /// The files and their changes.
    #[serde(deserialize_with = "lenient::objects")]
    pub files: Vec<ChangedFileMetadata>,
    /// Lines that were added, in all of them.
    pub additions: u64,
    /// Lines that were removed, in all of them.
    pub deletions: u64,
    /// What the changes made wrong, or would; missing if nothing was checked.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::object")]
    pub diagnostics: Option<DiagnosticsMetadata>,
    /// How many places each tier of the matcher found, by its name: `exact`, `indentation`, …
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::object")]
    pub tiers: Option<BTreeMap<String, u64>>,
}

/// A file and how it is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFileMetadata {
    /// Its absolute path.
    pub filepath: String,
    /// In unified form; empty where the diffs of the call are too long together.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub diff: Option<String>,
    /// Lines that were added.
    pub additions: u64,
    /// Lines that were removed.
    pub deletions: u64,
    /// The absolute path that it was moved from.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub from: Option<String>,
    /// Its path for users, relative to the workspace; only if there are several files.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub path: Option<String>,
}

impl EditMetadata {
    /// The files, in their order.
    pub fn files(&self) -> &[ChangedFileMetadata] {
        match self {
            Self::File(edit) => std::slice::from_ref(&edit.file),
            Self::Files(edit) => &edit.files,
        }
    }

    /// What the change made wrong; none where nothing was checked.
    pub fn diagnostics(&self) -> Option<&DiagnosticsMetadata> {
        match self {
            Self::File(edit) => edit.diagnostics.as_ref(),
            Self::Files(edit) => edit.diagnostics.as_ref(),
        }
    }

    /// How many places each tier of the matcher found.
    pub fn tiers(&self) -> Option<&BTreeMap<String, u64>> {
        match self {
            Self::File(edit) => edit.tiers.as_ref(),
            Self::Files(edit) => edit.tiers.as_ref(),
        }
    }

    /// Says what the change made wrong.
    pub fn set_diagnostics(&mut self, diagnostics: DiagnosticsMetadata) {
        match self {
            Self::File(edit) => edit.diagnostics = Some(diagnostics),
            Self::Files(edit) => edit.diagnostics = Some(diagnostics),
        }
    }

    /// Says how many places each tier of the matcher found.
    pub fn set_tiers(&mut self, tiers: BTreeMap<String, u64>) {
        match self {
            Self::File(edit) => edit.tiers = Some(tiers),
            Self::Files(edit) => edit.tiers = Some(tiers),
        }
    }
}
