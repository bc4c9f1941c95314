//! A hunk that the user reverts in an editor is rejected, and the model is told once.

use super::SESSION;
use super::editor_window::{Window, temporary_workspace};
use super::invalid_decisions::{agent, opened};
use crate::files::WorkspaceFiles;
use crate::reviews::FeedbackKind;

const OLD: &str = "1\n2\n3\n4\n5\n6\n7\n";

fn told(files: &WorkspaceFiles) -> Vec<(usize, FeedbackKind)> {
    // Viewers are up to date by then, and a review that is over is gone.
    files.reviews().take_updates(SESSION);
    let told = files.reviews().take_feedback(SESSION).items;
    let told = told.into_iter().filter(|item| item.happened != FeedbackKind::Open);
    told.map(|item| (item.line, item.happened)).collect()
}

fn open_hunks(files: &WorkspaceFiles) -> usize {
    files.reviews().list_reviews(SESSION, None, 0).iter().map(|review| review.hunks.len()).sum()
}

#[tokio::test]
async fn a_hunk_that_the_user_reverts_is_rejected_once() {
    let (_folder, files, window) = opened(false).await;
    window.types("B", "2");
    assert_eq!(told(&files), [(2, FeedbackKind::Rejected)]);
    assert_eq!(told(&files), []);
    // The editor's redo, and another undo.
    window.types("2", "B");
    assert_eq!(told(&files), []);
    window.types("B", "2");
    assert_eq!(told(&files), [(2, FeedbackKind::Rejected)]);
}

#[tokio::test]
async fn a_hunk_that_has_returned_is_not_rejected() {
    let (_folder, files, window) = opened(false).await;
    window.types("B", "2");
    window.types("2", "B");
    assert_eq!((told(&files), open_hunks(&files)), (vec![], 3));
}

#[tokio::test]
async fn the_last_hunk_is_told_although_its_review_is_over() {
    let (_folder, files, window) = opened(false).await;
    window.becomes(OLD);
    window.close();
    let all = [(2, FeedbackKind::Rejected), (4, FeedbackKind::Rejected), (6, FeedbackKind::Rejected)];
    assert_eq!(told(&files), all);
    assert_eq!(told(&files), []);
}

/// The daemon cannot know who changed a file while no editor had it.
#[tokio::test]
async fn a_file_that_was_restored_outside_of_an_editor_is_not_rejected() {
    let (_folder, files, window) = opened(false).await;
    window.close();
    window.reopen();
    assert_eq!((told(&files), open_hunks(&files)), (vec![], 0));
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
    assert_eq!((open_hunks(&files), told(&files)), (hunks, vec![]));
}
