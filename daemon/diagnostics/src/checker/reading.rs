//! What a run found, by file; and the texts that it is placed in.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::Job;
use super::cargo;
use super::parse::{Columns, Parsed, Raw, Spot};
use super::place::Text;
use copydesk_servers::diagnostic::{Diagnostic, Related};
use copydesk_servers::report::Said;
use copydesk_servers::source::Subject;

/// Longer files are not read for the sake of a place in them.
const LONGEST: u64 = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Found {
    /// By real path.
    files: BTreeMap<PathBuf, Vec<(Raw, Vec<PathBuf>)>>,
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

impl Found {
    pub(super) async fn new(parsed: Parsed, job: &Job, workspace: &Path, began: SystemTime) -> Self {
        let mut found = Self { files: BTreeMap::new(), seen: parsed.seen, began: Some(began) };
        let mut real: BTreeMap<String, Option<PathBuf>> = BTreeMap::new();
        for raw in parsed.found {
            let spots = raw.related.iter().map(|(spot, _)| spot).chain([&raw.at]);
            for spot in spots {
                if !real.contains_key(&spot.file) {
                    let path = resolve(spot, &job.root, workspace).await;
                    real.insert(spot.file.clone(), path);
                }
            }
            let path = |spot: &Spot| real.get(&spot.file).cloned().flatten();
            // What lies outside of the workspace is nothing that an edit here could have broken.
            let Some(at) = path(&raw.at) else { continue };
            let related = raw.related.iter().map(|(spot, _)| path(spot).unwrap_or_default()).collect();
            found.files.entry(at).or_default().push((raw, related));
        }
        found
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (path, raws) in &other.files {
            self.files.entry(path.clone()).or_default().extend(raws.iter().cloned());
        }
        self.began = self.began.or(other.began);
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    pub(super) fn of(&self, subject: &Subject, columns: Columns) -> Said {
        let is_seen = self.seen.as_ref().is_none_or(|seen| {
            cargo::package_of(&subject.path)
                .is_none_or(|package| seen.iter().any(|seen| Path::new(seen) == package))
        });
        if !is_seen {
            return Said::Unknown {
                why: "something that it depends on has errors, so it was not checked".to_owned(),
            };
        }
        Said::Proven(self.placed(&subject.path, &subject.text, columns))
    }

    /// None where the file is not what was checked.
    pub(super) async fn of_other(&self, path: &Path, columns: Columns) -> Option<Said> {
        let changed = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old =
            |time: Option<SystemTime>| time.zip(self.began).is_some_and(|(time, began)| time <= began);
        let text = plain_text(path).await?;
        is_old(changed(path)).then(|| Said::Proven(self.placed(path, &text, columns)))
    }

    fn placed(&self, path: &Path, text: &str, columns: Columns) -> Vec<Diagnostic> {
        let place = Text::new(text);
        let raws = self.files.get(path).map(Vec::as_slice).unwrap_or_default();
        let diagnostic = |(raw, paths): &(Raw, Vec<PathBuf>)| Diagnostic {
            span: place.span(&raw.at, columns),
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
                    let span =
                        if related == path { place.span(spot, columns) } else { Text::lines_only(spot) };
                    let is_known = !related.as_os_str().is_empty();
                    is_known.then(|| Related { path: related.clone(), span, message: message.clone() })
                })
                .collect(),
        };
        raws.iter().map(diagnostic).collect()
    }
}

/// The real path of a file that was named, if it lies in the workspace.
async fn resolve(spot: &Spot, root: &Path, workspace: &Path) -> Option<PathBuf> {
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
