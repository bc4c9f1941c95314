//! Hunks that the user takes back by the editor's undo.

use super::SESSION;
use super::editor_window::{Window, temporary_workspace};
use super::invalid_decisions::agent;
use crate::files::WorkspaceFiles;

fn open_hunks(files: &WorkspaceFiles) -> usize {
    files.reviews().list_reviews(SESSION, None, 0).iter().map(|review| review.hunks.len()).sum()
}

/// An undo of several places is one message with several changes, and VS Code changes only parts of lines.
#[tokio::test]
async fn an_undo_within_lines_can_be_redone() {
    let (old, new) = ("f() {}\n\ng\nh()\n\nsame\nlast()\n", "f() {\n  x\n}\n\nh(y)\n\nsame\nlast(z)\n");
    let (folder, files) = temporary_workspace();
    std::fs::write(folder.path().join("a"), old).unwrap();
    let window = Window::open(&files, "a", false);
    agent(&files, SESSION, "a", new).await;
    let hunks = open_hunks(&files);
    window.becomes(old);
    assert_eq!(open_hunks(&files), 0);
    window.becomes(new);
    assert_eq!(open_hunks(&files), hunks);
}
