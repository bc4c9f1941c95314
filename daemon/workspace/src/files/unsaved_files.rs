//! Which files of the workspace have unsaved text in an editor. A command sees them as they are on the disk.

use std::path::Path;

use copydesk_text::FileText;

use super::WorkspaceFiles;
use crate::buffers::read_small_file;

impl WorkspaceFiles {
    /// The paths as the model knows them, sorted. Not among them: a file that is newer on the disk than in the editor, which did
    /// not reload it, and one that is not on the disk.
    pub async fn unsaved_files(&self) -> Vec<String> {
        if self.buffers().buffer_count() == 0 {
            return Vec::new();
        }
        let files = self.clone();
        let compare = move || {
            let open = files.buffers().documents(files.home_client()).into_keys();
            let open = open.filter(|name| name.is_absolute());
            let open = open.map(|name| (files.resolve(&name.to_string_lossy()), name));
            let unsaved = open.filter(|(path, name)| path.is_in_workspace && files.is_unsaved(name));
            let mut unsaved: Vec<_> = unsaved.map(|(path, _)| path.display_path).collect();
            unsaved.sort();
            unsaved
        };
        tokio::task::spawn_blocking(compare).await.unwrap_or_default()
    }

    fn is_unsaved(&self, name: &Path) -> bool {
        let home = self.home_client();
        if !self.buffers().differs_from_disk(home, name) {
            return false;
        }
        let Some(Ok(open)) = self.buffers().find(name, home) else { return false };
        let modified = name.metadata().and_then(|metadata| metadata.modified());
        let is_newer_on_disk = modified.is_ok_and(|modified| modified > open.changed_at);
        let on_disk = read_small_file(name).and_then(|bytes| FileText::decode(bytes).ok());
        on_disk.is_some_and(|file| !is_newer_on_disk && !is_saved_as(&open.document.text(), file.text()))
    }
}

/// Editors make line endings alike, and have a line in an empty file, without calling a file changed.
fn is_saved_as(text: &str, on_disk: &str) -> bool {
    let lines = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let (text, on_disk) = (lines(text), lines(on_disk));
    text == on_disk || (on_disk.is_empty() && text == "\n")
}

#[cfg(test)]
mod tests {
    use super::is_saved_as;

    #[test]
    fn line_endings_and_the_line_of_an_empty_file_are_no_change() {
        assert!(is_saved_as("a\nb\n", "a\r\nb\n"));
        assert!(is_saved_as("\n", "") && is_saved_as("", ""));
        assert!(!is_saved_as("\n\n", "") && !is_saved_as("a\n", "a") && !is_saved_as("", "\n"));
    }
}
