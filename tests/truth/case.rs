//! The cases as data: small projects, and what a scripted model does in them.
//!
//! A file of `cases/` holds one project for one or more servers. It does not say what a compiler or a server should report:
//! `kind` only names the sort of edit, and `truth::cases` checks it against the compiler.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::generated_project::GeneratedProject;
use super::real_project::{project_folders, texts_in};

const FILES: [&str; 13] = [
    include_str!("cases/c.json"),
    include_str!("cases/go.json"),
    include_str!("cases/large_c.json"),
    include_str!("cases/large_python.json"),
    include_str!("cases/large_rust.json"),
    include_str!("cases/large_typescript.json"),
    include_str!("cases/pyright.json"),
    include_str!("cases/real_go.json"),
    include_str!("cases/real_rust.json"),
    include_str!("cases/real_typescript.json"),
    include_str!("cases/ruff.json"),
    include_str!("cases/rust.json"),
    include_str!("cases/typescript.json"),
];

/// Texts by path from the project's root, as lines.
pub(crate) type ProjectLines = BTreeMap<String, Vec<String>>;

/// Texts by path from the project's root, as given to a compiler.
pub(crate) type ProjectTexts = BTreeMap<String, String>;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TruthProject {
    pub(crate) servers: Vec<String>,
    pub(crate) warm: WarmupEdit,
    #[serde(default)]
    generate: Option<GeneratedProject>,
    /// The name of an installed project.
    #[serde(default)]
    real: Option<String>,
    #[serde(default)]
    files: ProjectLines,
    pub(crate) cases: Vec<TruthCase>,
}

/// An edit that warms up the project's server before a case begins.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WarmupEdit {
    pub(crate) path: String,
    pub(crate) comment: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TruthCase {
    pub(crate) name: String,
    pub(crate) kind: TruthCaseKind,
    /// In the short selection that tests every change.
    #[serde(default)]
    pub(crate) short: bool,
    /// Replaces the project's own.
    #[serde(default)]
    files: ProjectLines,
    /// Open and unsaved in an editor.
    #[serde(default)]
    pub(crate) unsaved: ProjectLines,
    pub(crate) steps: Vec<Vec<TruthCall>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TruthCaseKind {
    Introduce,
    Fix,
    #[serde(rename = "break open")]
    BreakOpen,
    #[serde(rename = "break closed")]
    BreakClosed,
    Quick,
    /// The server has not been asked anything before.
    Cold,
    Unsaved,
    Moved,
    Warning,
    NoOp,
    Create,
    Delete,
    Rename,
    Move,
    Shell,
    /// A file that configures the server changes.
    Configuration,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum TruthCall {
    Read { read: String },
    Edit { edit: String, old: String, new: String },
    Write { write: String, lines: Vec<String> },
    Patch { patch: Vec<String> },
    Bash { bash: String },
}

/// Real projects only if they are installed.
pub(crate) fn projects() -> Vec<TruthProject> {
    let installed = project_folders();
    let projects = FILES.iter().map(|text| serde_json::from_str(text).unwrap());
    projects
        .filter(|project: &TruthProject| {
            project.real.as_ref().is_none_or(|name| installed.contains_key(name))
        })
        .collect()
}

impl TruthProject {
    /// The files on disk when a case begins.
    pub(crate) fn files(&self, case: &TruthCase) -> ProjectTexts {
        let mut files = self.generate.as_ref().map(GeneratedProject::files).unwrap_or_default();
        if let Some(name) = &self.real {
            files.extend(texts_in(&project_folders()[name]));
        }
        files.extend(self.files.iter().chain(&case.files).map(|(path, lines)| (path.clone(), text(lines))));
        files
    }
}

impl TruthCase {
    /// Models that use patches get no other tool for edits.
    pub(crate) fn uses_patches(&self) -> bool {
        self.steps.iter().flatten().any(|call| matches!(call, TruthCall::Patch { .. }))
    }

    /// The buffers of the editor.
    pub(crate) fn buffers(&self) -> ProjectTexts {
        self.unsaved.iter().map(|(path, lines)| (path.clone(), text(lines))).collect()
    }
}

impl TruthCall {
    /// The tool and its arguments.
    pub(crate) fn tool(&self) -> (&'static str, Value) {
        match self {
            Self::Read { read } => ("read", json!({ "filePath": read })),
            Self::Edit { edit, old, new } => {
                ("edit", json!({ "filePath": edit, "oldString": old, "newString": new }))
            }
            Self::Write { write, lines } => ("write", json!({ "filePath": write, "content": text(lines) })),
            Self::Patch { patch } => ("apply_patch", json!({ "patchText": text(patch) })),
            Self::Bash { bash } => ("bash", json!({ "command": bash, "description": "Changes files" })),
        }
    }

    pub(crate) fn is_change(&self) -> bool {
        !matches!(self, Self::Read { .. })
    }

    /// Applies it to a copy; `None` if only the tool itself can.
    pub(crate) fn apply_call(&self, state: &ProjectTexts) -> Option<ProjectTexts> {
        let mut made = state.clone();
        match self {
            Self::Read { .. } => {}
            Self::Edit { edit, old, new } => {
                let text = made.get_mut(edit)?;
                *text = text.replacen(old, new, 1);
            }
            Self::Write { write, lines } => drop(made.insert(write.clone(), text(lines))),
            Self::Patch { .. } | Self::Bash { .. } => return None,
        }
        Some(made)
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
