//! An edit into a buffer in which the user types without a pause: it is tried again until its deadline.

use super::editor_window::{Window, temporary_workspace};
use super::*;

const TEXT: &str = "1\n2\n3\n";

/// The user types one letter at the start whenever an edit arrives, so often.
fn typing(window: &Window, times: usize) {
    *window.typed.lock().unwrap() = vec![[vec![(0, "x".to_owned())], vec![]]; times];
}

#[tokio::test]
async fn an_edit_is_tried_again_as_long_as_it_has_time() {
    let (folder, files) = temporary_workspace();
    std::fs::write(folder.path().join("a"), TEXT).unwrap();
    let window = Window::open(&files, "a", false);
    typing(&window, 40);
    invalid_decisions::agent(&files, SESSION, "a", "1\nB\n3\n").await;
    assert_eq!(window.text(), format!("{}1\nB\n3\n", "x".repeat(40)));
    let deadlines = window.deadlines.lock().unwrap().clone();
    assert_eq!(deadlines.len(), 41);
    assert!(deadlines.iter().all(|one| *one == deadlines[0]), "a later attempt has no more time");
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_never_fits_is_given_up_and_not_made() {
    let (folder, files) = temporary_workspace();
    std::fs::write(folder.path().join("a"), TEXT).unwrap();
    let window = Window::open(&files, "a", false);
    typing(&window, 1000);
    let place = files.resolve("a");
    let content = files.peek(&place, READ_LIMIT).await.unwrap();
    let file = FileText::decode(content.bytes).unwrap();
    let change = Change::between(file.text(), "1\nB\n3\n");
    let kind = FileChangeKind::Edit { file, stamp: content.stamp, change };
    let cause = invalid_decisions::cause(SESSION);
    let failed = files.apply_changes(&[FileChange { path: place, kind }], &cause).await.unwrap_err();
    assert!(failed.to_string().contains("typed in so fast"), "{failed}");
    assert!(!window.text().contains('B'), "{}", window.text());
}
