//! The open documents of one server, and its last verdicts on them. Pure.
//!
//! A cached verdict counts only while nothing else that the server knows has changed, because another file may break or
//! fix it. Each such change is a new generation.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::dependents::DependentFiles;
use crate::diagnostic::Diagnostic;
use crate::report::Verdict;
use crate::source::CheckedDocument;

#[derive(Debug)]
pub(super) struct SlotDocuments {
    open: HashMap<PathBuf, SlotDocument>,
    most: usize,
    clock: u64,
    generation: u64,
}

#[derive(Debug)]
struct SlotDocument {
    language: String,
    text: u64,
    /// The file on the disk had the same text.
    is_saved: bool,
    /// The hash of the text of the last `didSave`.
    saved: Option<u64>,
    used: u64,
    cached: Option<CachedVerdict>,
    /// Its dependents, if they were searched.
    dependents: Option<DependentFiles>,
}

#[derive(Debug)]
struct CachedVerdict {
    text: u64,
    generation: u64,
    verdict: Verdict,
}

impl SlotDocuments {
    pub(super) fn new(most: usize) -> Self {
        Self { open: HashMap::new(), most: most.max(1), clock: 0, generation: 0 }
    }

    /// Returns whether the document is new, and which others to close.
    pub(super) fn sync(&mut self, subject: &CheckedDocument, language: &str) -> (bool, Vec<PathBuf>) {
        self.clock += 1;
        let text = text_hash(&subject.text);
        let is_new = !self.open.contains_key(&subject.path);
        let used = self.clock;
        let document = self.open.entry(subject.path.clone()).or_insert_with(|| SlotDocument {
            language: language.to_owned(),
            text,
            is_saved: true,
            saved: None,
            used,
            cached: None,
            dependents: None,
        });
        document.used = used;
        // The server knew the text on the disk before the file was opened.
        if document.text != text || (is_new && !subject.is_saved) {
            self.generation += 1;
        }
        document.text = text;
        document.is_saved = subject.is_saved;
        let surplus = self.open.len().saturating_sub(self.most);
        if surplus == 0 {
            return (is_new, Vec::new());
        }
        let mut by_use: Vec<_> =
            self.open.iter().map(|(path, document)| (document.used, path.clone())).collect();
        by_use.sort_unstable();
        let evicted: Vec<_> = by_use.into_iter().take(surplus).map(|(_, path)| path).collect();
        for path in &evicted {
            self.open.remove(path);
        }
        (is_new, evicted)
    }

    pub(super) fn close(&mut self, path: &Path) -> bool {
        self.generation += 1;
        self.open.remove(path).is_some()
    }

    /// A file changed that is not open.
    pub(super) fn bump_generation(&mut self) {
        self.generation += 1;
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn text_hash(&self, path: &Path) -> Option<u64> {
        self.open.get(path).map(|document| document.text)
    }

    /// The text hashes of all open documents.
    pub(super) fn text_hashes(&self) -> HashMap<PathBuf, u64> {
        self.open.iter().map(|(path, document)| (path.clone(), document.text)).collect()
    }

    pub(super) fn language(&self, path: &Path) -> Option<&str> {
        self.open.get(path).map(|document| &*document.language)
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.open.keys().cloned().collect()
    }

    /// Documents whose text may have changed without a change on the disk, because it is or was only in an editor.
    pub(super) fn paths_in_editors(&self, open: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let in_editors =
            self.open.iter().filter(|(path, document)| !document.is_saved || open.contains(*path));
        in_editors.map(|(path, _)| path.clone()).collect()
    }

    /// All open documents, the last used one first.
    pub(super) fn recent_paths(&self) -> Vec<PathBuf> {
        let mut by_use: Vec<_> = self.open.iter().map(|(path, document)| (document.used, path)).collect();
        by_use.sort_unstable_by(|one, other| other.cmp(one));
        by_use.into_iter().map(|(_, path)| path.clone()).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.open.len()
    }

    pub(super) fn set_dependents(&mut self, path: &Path, dependents: &DependentFiles) {
        if let Some(document) = self.open.get_mut(path) {
            document.dependents = Some(dependents.clone());
        }
    }

    pub(super) fn dependents(&self, path: &Path) -> Option<DependentFiles> {
        self.open.get(path)?.dependents.clone()
    }

    /// Records that this text is saved. Returns whether the server must be sent `didSave`.
    pub(super) fn mark_saved(&mut self, path: &Path) -> bool {
        self.open
            .get_mut(path)
            .is_some_and(|document| document.saved.replace(document.text) != Some(document.text))
    }

    /// Caches a verdict, if the text and the generation are still the same.
    pub(super) fn cache_verdict(&mut self, path: &Path, (text, generation): (u64, u64), verdict: &Verdict) {
        if generation == self.generation
            && verdict.diagnostics().is_some()
            && let Some(document) = self.open.get_mut(path).filter(|document| document.text == text)
        {
            document.cached = Some(CachedVerdict { text, generation, verdict: verdict.clone() });
        }
    }

    /// Documents with a cached verdict, for whatever text.
    pub(super) fn paths_ever_known(&self) -> BTreeSet<PathBuf> {
        let known = self.open.iter().filter(|(_, document)| document.cached.is_some());
        known.map(|(path, _)| path.clone()).collect()
    }

    /// The diagnostics of the open texts in the current generation.
    pub(super) fn current_diagnostics(&self) -> HashMap<PathBuf, Vec<Diagnostic>> {
        let known = |(path, document): (&PathBuf, &SlotDocument)| {
            let cached = document.cached.as_ref()?;
            let is_current = cached.generation == self.generation && cached.text == document.text;
            let all = cached.verdict.diagnostics().filter(|_| is_current)?;
            Some((path.clone(), all.to_vec()))
        };
        self.open.iter().filter_map(known).collect()
    }
}

fn text_hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn subject(path: &str, text: &str) -> CheckedDocument {
        CheckedDocument { path: path.into(), text: Arc::new(text.to_owned()), is_saved: true }
    }

    #[test]
    fn a_verdict_is_cached_until_something_changes() {
        let mut documents = SlotDocuments::new(9);
        let (a, b) = (subject("a", "1"), subject("b", "1"));
        documents.sync(&a, "x");
        let now = |documents: &SlotDocuments, path: &str| {
            (documents.text_hash(Path::new(path)).unwrap(), documents.generation())
        };
        let verdict = Verdict::Proven(Vec::new());
        let is_known =
            |documents: &SlotDocuments| documents.current_diagnostics().contains_key(Path::new("a"));
        let at = now(&documents, "a");
        documents.cache_verdict(Path::new("a"), at, &verdict);
        assert!(is_known(&documents));
        documents.sync(&b, "x");
        assert!(is_known(&documents), "opening a saved file changes nothing");
        documents.sync(&subject("b", "2"), "x");
        assert!(!is_known(&documents), "b may have broken it");
        documents.cache_verdict(Path::new("a"), at, &verdict);
        assert!(!is_known(&documents), "it is of an older generation");
        let at = now(&documents, "a");
        documents.cache_verdict(Path::new("a"), at, &Verdict::Unknown { why: String::new() });
        assert!(!is_known(&documents));
        documents.cache_verdict(Path::new("a"), at, &verdict);
        assert_eq!(documents.current_diagnostics()[Path::new("a")], Vec::new());
        documents.bump_generation();
        assert!(!is_known(&documents), "the disk changed");
    }

    #[test]
    fn the_least_recently_used_document_is_closed() {
        let mut documents = SlotDocuments::new(2);
        documents.sync(&subject("a", ""), "x");
        documents.sync(&subject("b", ""), "x");
        assert_eq!(documents.sync(&subject("a", "2"), "x"), (false, vec![]));
        assert_eq!(documents.sync(&subject("c", ""), "x"), (true, vec!["b".into()]));
        assert_eq!(documents.count(), 2);
    }

    #[test]
    fn a_save_is_sent_once() {
        let mut documents = SlotDocuments::new(2);
        documents.sync(&subject("a", "1"), "x");
        assert!(documents.mark_saved(Path::new("a")));
        assert!(!documents.mark_saved(Path::new("a")));
        documents.sync(&subject("a", "2"), "x");
        assert!(documents.mark_saved(Path::new("a")));
        assert!(!documents.mark_saved(Path::new("b")), "it is not open");
    }
}
