//! What a run found, by file; and the texts that it is placed in.

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

/// Longer files are not read for the sake of a place in them.
const LONGEST: u64 = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct CheckerFindings {
    /// By real path.
    files: BTreeMap<PathBuf, Vec<(RawDiagnostic, Vec<PathBuf>)>>,
    /// Packages that were looked at, where not all were.
    seen: Option<Vec<String>>,
    began: Option<SystemTime>,
}

/// A file's text without its byte order mark.
pub(super) async fn plain_text(path: &Path) -> Option<String> {
    let metadata = tokio::fs::metadata(path).await.ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
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
        let mut found = Self { files: BTreeMap::new(), seen: parsed.checked_folders, began: Some(began) };
        let mut real: BTreeMap<String, Option<PathBuf>> = BTreeMap::new();
        for raw in parsed.diagnostics {
            let spots = raw.related.iter().map(|(spot, _)| spot).chain([&raw.location]);
            for spot in spots {
                if !real.contains_key(&spot.file) {
                    let path = resolve(spot, &job.root, workspace).await;
                    real.insert(spot.file.clone(), path);
                }
            }
            let path = |spot: &RawLocation| real.get(&spot.file).cloned().flatten();
            // What lies outside of the workspace is nothing that an edit here could have broken.
            let Some(at) = path(&raw.location) else { continue };
            let related = raw.related.iter().map(|(spot, _)| path(spot).unwrap_or_default()).collect();
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
        let is_seen = self.seen.as_ref().is_none_or(|seen| {
            cargo::package_of(&subject.path)
                .is_none_or(|package| seen.iter().any(|seen| Path::new(seen) == package))
        });
        if !is_seen {
            return Verdict::Unknown {
                why: "something that it depends on has errors, so it was not checked".to_owned(),
            };
        }
        Verdict::Proven(self.placed(&subject.path, &subject.text, columns))
    }

    /// None where the file is not what was checked.
    pub(super) async fn verdict_for_other(&self, path: &Path, columns: ColumnUnit) -> Option<Verdict> {
        let changed = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old =
            |time: Option<SystemTime>| time.zip(self.began).is_some_and(|(time, began)| time <= began);
        let text = plain_text(path).await?;
        is_old(changed(path)).then(|| Verdict::Proven(self.placed(path, &text, columns)))
    }

    fn placed(&self, path: &Path, text: &str, columns: ColumnUnit) -> Vec<Diagnostic> {
        let place = SpanResolver::new(text);
        let raws = self.files.get(path).map(Vec::as_slice).unwrap_or_default();
        let diagnostic = |(raw, paths): &(RawDiagnostic, Vec<PathBuf>)| Diagnostic {
            span: place.resolve(&raw.location, columns),
            severity: raw.severity,
            code: raw.code.as_deref().map(Into::into),
            source: raw.source.as_deref().map(Into::into),
            message: raw.message.as_str().into(),
            related: raw
                .related
                .iter()
                .zip(paths)
                .filter_map(|((spot, message), related)| {
                    // In another file the line has to do: its text is not at hand.
                    let span = if related == path {
                        place.resolve(spot, columns)
                    } else {
                        SpanResolver::line_span(spot)
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

/// The real path of a file that was named, if it lies in the workspace.
async fn resolve(spot: &RawLocation, root: &Path, workspace: &Path) -> Option<PathBuf> {
    let path = match spot.file.strip_prefix("file:") {
        Some(_) => url::Url::parse(&spot.file).ok()?.to_file_path().ok()?,
        None => root.join(&spot.file),
    };
    let path = tokio::fs::canonicalize(&plain(&path)).await.ok()?;
    (path.starts_with(workspace) || path.starts_with(root)).then_some(path)
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}
