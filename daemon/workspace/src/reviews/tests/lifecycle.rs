//! Reviews later on: after a restart, a commit, an undo.

use super::*;

#[tokio::test]
async fn reviews_of_yesterday_are_not_written_over_by_those_of_today() {
    let mut desk = Desk::lasting();
    desk.write("a", OLD);
    desk.write("b", OLD);
    desk.agent("a", NEW).await;
    desk.files.journal().unwrap().usage().await.unwrap();
    desk.files = Desk::open(desk.folder.path());
    // Before anything has loaded the stored reviews.
    desk.agent("b", NEW).await;
    desk.files.journal().unwrap().usage().await.unwrap();
    for _ in 0..2 {
        desk.files.refresh_reviews(SESSION).await;
        let names: Vec<_> = desk.list().into_iter().map(|view| (view.display_path, view.total)).collect();
        assert_eq!(names, [("a".to_owned(), 3), ("b".to_owned(), 3)]);
        desk.files.journal().unwrap().usage().await.unwrap();
        desk.files = Desk::open(desk.folder.path());
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_today_may_be_read_tomorrow() {
    let mut desk = Desk::lasting();
    desk.write("a", OLD);
    desk.agent("a", NEW).await;
    desk.files.journal().unwrap().usage().await.unwrap();
    let path = desk.folder.path().join("a");
    // A folder in its place, as after a checkout of another branch.
    std::fs::rename(&path, desk.folder.path().join("away")).unwrap();
    std::fs::create_dir(&path).unwrap();
    desk.files = Desk::open(desk.folder.path());
    desk.files.refresh_reviews(SESSION).await;
    assert_eq!(desk.news(), [], "nothing is known of it");
    std::fs::remove_dir(&path).unwrap();
    std::fs::rename(desk.folder.path().join("away"), &path).unwrap();
    desk.files.refresh_reviews(SESSION).await;
    assert_eq!(shown(&desk.only()), lines(&["1 2 B", "3 4 D", "5 6 F"]));
}

#[tokio::test]
async fn what_was_lost_is_told_once() {
    let mut desk = Desk::lasting();
    desk.write("a", OLD);
    desk.agent("a", NEW).await;
    desk.files.journal().unwrap().usage().await.unwrap();
    desk.write("a", "else\n");
    for told in [true, false] {
        desk.files = Desk::open(desk.folder.path());
        desk.files.refresh_reviews(SESSION).await;
        let lost = desk.news().iter().any(|(_, happened, _)| *happened == FeedbackKind::Lost);
        assert_eq!(lost, told);
        assert_eq!(desk.list(), []);
        desk.files.reviews().persist_all();
        desk.files.journal().unwrap().usage().await.unwrap();
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    let output = git.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn what_is_committed_is_kept_and_what_was_committed_before_is_not() {
    let desk = Desk::new();
    let folder = desk.folder.path();
    git(folder, &["init", "-q"]);
    desk.write("a", OLD);
    desk.write("b", "1\n2\n3\n");
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "one"]);
    // The user has not committed this yet, and the agent reverts it.
    desk.write("b", "1\nmine\n3\n");
    desk.agent("a", NEW).await;
    desk.agent("b", "1\n2\n3\n").await;
    desk.files.refresh_reviews(SESSION).await;
    assert_eq!(desk.list().len(), 2, "nothing was committed");
    // Two of the hunks.
    desk.write("a", "1\nB\n3\n4\n5\nF\n7\n");
    git(folder, &["add", "a"]);
    desk.write("a", NEW);
    git(folder, &["commit", "-qm", "two"]);
    desk.files.refresh_reviews(SESSION).await;
    let list = desk.list();
    assert_eq!(shown(&list[0]), lines(&["3 4 D"]));
    assert_eq!(shown(&list[1]), lines(&["1 mine 2"]));
    let news = desk.news();
    assert_eq!((news[0].0, news[1].0), (2, 6));
    assert!(news[..2].iter().all(|(_, happened, _)| *happened == FeedbackKind::Accepted), "{news:?}");
}

#[tokio::test]
async fn undoing_a_call_takes_back_what_is_left_of_it_and_what_was_kept() {
    let desk = Desk::lasting();
    desk.write("a", OLD);
    desk.agent("a", NEW).await;
    let view = desk.only();
    let decisions = [hunk(&view, 0, HunkVerdict::Accept), hunk(&view, 1, HunkVerdict::Reject)];
    assert_eq!(desk.decide(&decisions).await, [Ok(()), Ok(())]);
    let journal = desk.files.journal().unwrap();
    let entries = journal.entries(SESSION).await.unwrap();
    let call: Vec<_> = entries.iter().filter(|entry| entry.call == "call").collect();
    let taken = desk.files.undo_entries(journal, &call, "Undo").await;
    assert!(matches!(taken[0].outcome, crate::files::UndoneEntryOutcome::Undone), "{taken:?}");
    assert_eq!((desk.read("a"), desk.list()), (OLD.to_owned(), vec![]));
    let entries = journal.entries(SESSION).await.unwrap();
    let undone: Vec<_> = entries.iter().rev().take(1).collect();
    desk.files.undo_entries(journal, &undone, "Redo").await;
    assert_eq!(desk.read("a"), "1\nB\n3\n4\n5\nF\n7\n");
}

#[tokio::test]
async fn what_was_decided_in_the_evening_is_told_in_the_morning_and_once() {
    let mut desk = Desk::lasting();
    desk.write("a", OLD);
    desk.agent("a", NEW).await;
    assert_eq!(desk.decide(&[everything(&desk.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    for told in [3, 0] {
        desk.files.journal().unwrap().usage().await.unwrap();
        desk.files = Desk::open(desk.folder.path());
        desk.files.refresh_reviews(SESSION).await;
        let news = desk.news();
        assert_eq!(news.len(), told, "{news:?}");
    }
}

/// Mode bits and the byte order mark survive undo and rejection, also after a restart.
#[tokio::test]
async fn a_deleted_file_comes_back_as_it_was() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut desk = Desk::lasting();
    let path = desk.folder.path().join("a");
    desk.write("a", "\u{feff}1\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    let is_as_it_was = |desk: &Desk| {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!((desk.read("a").as_str(), mode), ("\u{feff}1\n", 0o750));
    };
    let delete = async |desk: &Desk| {
        let FileChangeKind::Edit { file, stamp, .. } = desk.kind("a", "").await else { panic!("no file") };
        desk.change("a", FileChangeKind::Delete { file, stamp }).await;
        assert!(!path.exists());
    };
    delete(&desk).await;
    let journal = desk.files.journal().unwrap().clone();
    // Undone, redone, and the redo undone.
    for is_there in [true, false, true] {
        let entries = journal.entries(SESSION).await.unwrap();
        desk.files.undo_entries(&journal, &[entries.last().unwrap()], "Undo").await;
        assert_eq!(path.exists(), is_there);
    }
    is_as_it_was(&desk);
    delete(&desk).await;
    journal.flush().await;
    desk.files = Desk::open(desk.folder.path());
    desk.files.refresh_reviews(SESSION).await;
    desk.files.load_reviews(SESSION).await;
    assert_eq!(desk.decide(&[everything(&desk.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    is_as_it_was(&desk);
}
