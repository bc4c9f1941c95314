//! What one server holds, and what it last said of it. Pure.
//!
//! What was said of a text counts only while nothing else that the server knows has changed: another file may have broken or
//! mended it. Each such change is a new generation.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::dependents::DependentFiles;
use crate::diagnostic::Diagnostic;
use crate::report::Verdict;
use crate::source::CheckedDocument;

#[derive(Debug)]
pub(super) struct SlotDocuments {
    held: HashMap<PathBuf, SlotDocument>,
    most: usize,
    clock: u64,
    generation: u64,
}

#[derive(Debug)]
struct SlotDocument {
    language: String,
    text: u64,
    /// The same text lay on the disk.
    is_saved: bool,
    /// Of which text the server was told that it was saved.
    saved: Option<u64>,
    used: u64,
    said: Option<CachedVerdict>,
    /// Files that it may break, as far as they were looked for.
    links: Option<DependentFiles>,
}

#[derive(Debug)]
struct CachedVerdict {
    text: u64,
    generation: u64,
    said: Verdict,
}

impl SlotDocuments {
    pub(super) fn new(most: usize) -> Self {
        Self { held: HashMap::new(), most: most.max(1), clock: 0, generation: 0 }
    }

    /// Whether it is new, and which others are to be let go.
    pub(super) fn sync(&mut self, subject: &CheckedDocument, language: &str) -> (bool, Vec<PathBuf>) {
        self.clock += 1;
        let text = stands_for(&subject.text);
        let is_new = !self.held.contains_key(&subject.path);
        let used = self.clock;
        let held = self.held.entry(subject.path.clone()).or_insert_with(|| SlotDocument {
            language: language.to_owned(),
            text,
            is_saved: true,
            saved: None,
            used,
            said: None,
            links: None,
        });
        held.used = used;
        // What lies on the disk was known before it was opened.
        if held.text != text || (is_new && !subject.is_saved) {
            self.generation += 1;
        }
        held.text = text;
        held.is_saved = subject.is_saved;
        let surplus = self.held.len().saturating_sub(self.most);
        if surplus == 0 {
            return (is_new, Vec::new());
        }
        let mut by_use: Vec<_> = self.held.iter().map(|(path, held)| (held.used, path.clone())).collect();
        by_use.sort_unstable();
        let let_go: Vec<_> = by_use.into_iter().take(surplus).map(|(_, path)| path).collect();
        for path in &let_go {
            self.held.remove(path);
        }
        (is_new, let_go)
    }

    pub(super) fn close(&mut self, path: &Path) -> bool {
        self.generation += 1;
        self.held.remove(path).is_some()
    }

    /// Something changed that is not held.
    pub(super) fn bump_generation(&mut self) {
        self.generation += 1;
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn text_hash(&self, path: &Path) -> Option<u64> {
        self.held.get(path).map(|held| held.text)
    }

    /// What stands for all that are held.
    pub(super) fn text_hashes(&self) -> HashMap<PathBuf, u64> {
        self.held.iter().map(|(path, held)| (path.clone(), held.text)).collect()
    }

    pub(super) fn language(&self, path: &Path) -> Option<&str> {
        self.held.get(path).map(|held| &*held.language)
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.held.keys().cloned().collect()
    }

    /// Those whose text may have changed without a word from the disk: it is, or was, in an editor alone.
    pub(super) fn paths_in_editors(&self, open: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let held = self.held.iter().filter(|(path, held)| !held.is_saved || open.contains(*path));
        held.map(|(path, _)| path.clone()).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.held.len()
    }

    pub(super) fn set_dependents(&mut self, path: &Path, links: &DependentFiles) {
        if let Some(held) = self.held.get_mut(path) {
            held.links = Some(links.clone());
        }
    }

    pub(super) fn dependents(&self, path: &Path) -> Option<DependentFiles> {
        self.held.get(path)?.links.clone()
    }

    /// Whether the server has to be told that this text was saved. From now on it was.
    pub(super) fn mark_saved(&mut self, path: &Path) -> bool {
        self.held.get_mut(path).is_some_and(|held| held.saved.replace(held.text) != Some(held.text))
    }

    /// What was said of a text that was held at this moment, if it is the same still.
    pub(super) fn cache_verdict(&mut self, path: &Path, (text, generation): (u64, u64), said: &Verdict) {
        if generation == self.generation
            && said.diagnostics().is_some()
            && let Some(held) = self.held.get_mut(path).filter(|held| held.text == text)
        {
            held.said = Some(CachedVerdict { text, generation, said: said.clone() });
        }
    }

    /// Those of which something was ever known, under whatever text.
    pub(super) fn paths_ever_known(&self) -> BTreeSet<PathBuf> {
        let known = self.held.iter().filter(|(_, held)| held.said.is_some());
        known.map(|(path, _)| path.clone()).collect()
    }

    /// What is known of the texts that are held, with everything else as it is now.
    pub(super) fn current_diagnostics(&self) -> HashMap<PathBuf, Vec<Diagnostic>> {
        let known = |(path, held): (&PathBuf, &SlotDocument)| {
            let said = held.said.as_ref()?;
            let is_now = said.generation == self.generation && said.text == held.text;
            let all = said.said.diagnostics().filter(|_| is_now)?;
            Some((path.clone(), all.to_vec()))
        };
        self.held.iter().filter_map(known).collect()
    }
}

fn stands_for(text: &str) -> u64 {
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
    fn what_was_said_counts_only_while_nothing_has_changed() {
        let mut documents = SlotDocuments::new(9);
        let (a, b) = (subject("a", "1"), subject("b", "1"));
        documents.sync(&a, "x");
        let now = |documents: &SlotDocuments, path: &str| {
            (documents.text_hash(Path::new(path)).unwrap(), documents.generation())
        };
        let said = Verdict::Proven(Vec::new());
        let is_known =
            |documents: &SlotDocuments| documents.current_diagnostics().contains_key(Path::new("a"));
        let at = now(&documents, "a");
        documents.cache_verdict(Path::new("a"), at, &said);
        assert!(is_known(&documents));
        documents.sync(&b, "x");
        assert!(is_known(&documents), "opening a saved file changes nothing");
        documents.sync(&subject("b", "2"), "x");
        assert!(!is_known(&documents), "b may have broken it");
        documents.cache_verdict(Path::new("a"), at, &said);
        assert!(!is_known(&documents), "it was said before");
        let at = now(&documents, "a");
        documents.cache_verdict(Path::new("a"), at, &Verdict::Unknown { why: String::new() });
        assert!(!is_known(&documents));
        documents.cache_verdict(Path::new("a"), at, &said);
        assert_eq!(documents.current_diagnostics()[Path::new("a")], Vec::new());
        documents.bump_generation();
        assert!(!is_known(&documents), "somebody changed the disk");
    }

    #[test]
    fn the_one_that_was_used_least_is_let_go() {
        let mut documents = SlotDocuments::new(2);
        documents.sync(&subject("a", ""), "x");
        documents.sync(&subject("b", ""), "x");
        assert_eq!(documents.sync(&subject("a", "2"), "x"), (false, vec![]));
        assert_eq!(documents.sync(&subject("c", ""), "x"), (true, vec!["b".into()]));
        assert_eq!(documents.count(), 2);
    }

    #[test]
    fn a_save_is_told_once() {
        let mut documents = SlotDocuments::new(2);
        documents.sync(&subject("a", "1"), "x");
        assert!(documents.mark_saved(Path::new("a")));
        assert!(!documents.mark_saved(Path::new("a")));
        documents.sync(&subject("a", "2"), "x");
        assert!(documents.mark_saved(Path::new("a")));
        assert!(!documents.mark_saved(Path::new("b")), "it is not held");
    }
}
