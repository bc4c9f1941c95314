//! The findings of a run by file, and their spans in the files' texts.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::CheckJob;
use super::cargo;
use super::parse::{CheckerOutput, ColumnUnit, RawDiagnostic, RawLocation};
use super::span_resolver::SpanResolver;
use copydesk_servers::diagnostic::{Diagnostic, RelatedInformation};
use copydesk_servers::report::Verdict;
use copydesk_servers::source::CheckedDocument;

/// Larger files are not read to resolve a span.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct CheckerFindings {
    /// By canonical path.
    files: BTreeMap<PathBuf, Vec<(RawDiagnostic, Vec<PathBuf>)>>,
    /// The folders that were checked, if not all were.
    checked_folders: Option<Vec<String>>,
    began: Option<SystemTime>,
}

/// A file's text without its byte order mark.
pub(super) async fn plain_text(path: &Path) -> Option<String> {
    let metadata = tokio::fs::metadata(path).await.ok()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
        return None;
    }
    let mut text = String::from_utf8(tokio::fs::read(path).await.ok()?).ok()?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Some(text)
}

impl CheckerFindings {
    pub(super) async fn new(
        parsed: CheckerOutput,
        job: &CheckJob,
        workspace: &Path,
        began: SystemTime,
    ) -> Self {
        let mut found =
            Self { files: BTreeMap::new(), checked_folders: parsed.checked_folders, began: Some(began) };
        let mut real: BTreeMap<String, Option<PathBuf>> = BTreeMap::new();
        for raw in parsed.diagnostics {
            let locations = raw.related.iter().map(|(location, _)| location).chain([&raw.location]);
            for location in locations {
                if !real.contains_key(&location.file) {
                    let path = resolve(location, &job.root, workspace).await;
                    real.insert(location.file.clone(), path);
                }
            }
            let path = |location: &RawLocation| real.get(&location.file).cloned().flatten();
            // An edit here cannot have broken a file outside the workspace.
            let Some(at) = path(&raw.location) else { continue };
            let related =
                raw.related.iter().map(|(location, _)| path(location).unwrap_or_default()).collect();
            found.files.entry(at).or_default().push((raw, related));
        }
        found
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (path, raws) in &other.files {
            self.files.entry(path.clone()).or_default().extend(raws.iter().cloned());
        }
        self.began = self.began.or(other.began);
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    pub(super) fn verdict_for(&self, subject: &CheckedDocument, columns: ColumnUnit) -> Verdict {
        let is_checked = self.checked_folders.as_ref().is_none_or(|folders| {
            cargo::package_of(&subject.path)
                .is_none_or(|package| folders.iter().any(|folder| Path::new(folder) == package))
        });
        if !is_checked {
            return Verdict::Unknown {
                why: "something that it depends on has errors, so it was not checked".to_owned(),
            };
        }
        Verdict::Proven(self.diagnostics(&subject.path, &subject.text, columns))
    }

    /// `None` if the file changed since the run began.
    pub(super) async fn verdict_for_other(&self, path: &Path, columns: ColumnUnit) -> Option<Verdict> {
        let changed = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old =
            |time: Option<SystemTime>| time.zip(self.began).is_some_and(|(time, began)| time <= began);
        let text = plain_text(path).await?;
        is_old(changed(path)).then(|| Verdict::Proven(self.diagnostics(path, &text, columns)))
    }

    fn diagnostics(&self, path: &Path, text: &str, columns: ColumnUnit) -> Vec<Diagnostic> {
        let resolver = SpanResolver::new(text);
        let raws = self.files.get(path).map(Vec::as_slice).unwrap_or_default();
        let diagnostic = |(raw, paths): &(RawDiagnostic, Vec<PathBuf>)| Diagnostic {
            span: resolver.resolve(&raw.location, columns),
            severity: raw.severity,
            code: raw.code.as_deref().map(Into::into),
            source: raw.source.as_deref().map(Into::into),
            message: raw.message.as_str().into(),
            data: None,
            related: raw
                .related
                .iter()
                .zip(paths)
                .filter_map(|((location, message), related)| {
                    // Another file's text is not at hand, so its line must do.
                    let span = if related == path {
                        resolver.resolve(location, columns)
                    } else {
                        SpanResolver::line_span(location)
                    };
                    let is_known = !related.as_os_str().is_empty();
                    is_known.then(|| RelatedInformation {
                        path: related.clone(),
                        span,
                        message: message.clone(),
                    })
                })
                .collect(),
        };
        raws.iter().map(diagnostic).collect()
    }
}

/// The canonical path of a named file, if it is in the workspace.
async fn resolve(location: &RawLocation, root: &Path, workspace: &Path) -> Option<PathBuf> {
    let path = match location.file.strip_prefix("file:") {
        Some(_) => url::Url::parse(&location.file).ok()?.to_file_path().ok()?,
        None => root.join(&location.file),
    };
    let path = tokio::fs::canonicalize(&normalize(&path)).await.ok()?;
    (path.starts_with(workspace) || path.starts_with(root)).then_some(path)
}

/// Removes `.` and `..`.
fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normalized.pop()),
            other => normalized.push(other),
        }
    }
    normalized
}
