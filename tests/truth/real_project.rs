//! Real projects, which `tests/install/projects` puts into a cache folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::case::ProjectTexts;

/// The folders that `COPYDESK_TEST_PROJECTS` names, as `NAME=PATH` separated by `:`.
pub(crate) fn project_folders() -> BTreeMap<String, PathBuf> {
    let named = std::env::var("COPYDESK_TEST_PROJECTS").unwrap_or_default();
    let folders = named.split(':').filter_map(|line| line.split_once('='));
    folders.map(|(name, path)| (name.to_owned(), PathBuf::from(path))).collect()
}

/// The texts of a folder, without what compilers and servers write there.
pub(super) fn texts_in(folder: &Path) -> ProjectTexts {
    let mut texts = ProjectTexts::new();
    gather(folder, folder, &mut texts);
    texts
}

fn gather(root: &Path, folder: &Path, texts: &mut ProjectTexts) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "node_modules", "__pycache__"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            gather(root, &path, texts);
        } else if let Ok(text) = fs::read_to_string(&path) {
            texts.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), text);
        }
    }
}
