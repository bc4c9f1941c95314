//! Reviews later on: after a restart, a commit, an undo.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[tokio::test]
async fn reviews_of_yesterday_are_not_written_over_by_those_of_today() {
    let mut fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    fixture.write("b", OLD);
    fixture.agent("a", NEW).await;
    fixture.files.journal().unwrap().usage().await.unwrap();
    fixture.files = ReviewsFixture::open(fixture.folder.path());
    // Before anything has loaded the stored reviews.
    fixture.agent("b", NEW).await;
    fixture.files.journal().unwrap().usage().await.unwrap();
    for _ in 0..2 {
        fixture.files.refresh_reviews(SESSION).await;
        let names: Vec<_> = fixture.list().into_iter().map(|view| (view.display_path, view.total)).collect();
        assert_eq!(names, [("a".to_owned(), 3), ("b".to_owned(), 3)]);
        fixture.files.journal().unwrap().usage().await.unwrap();
        fixture.files = ReviewsFixture::open(fixture.folder.path());
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_today_may_be_read_tomorrow() {
    let mut fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    fixture.files.journal().unwrap().usage().await.unwrap();
    let path = fixture.folder.path().join("a");
    // A folder in its place, as after a checkout of another branch.
    std::fs::rename(&path, fixture.folder.path().join("away")).unwrap();
    std::fs::create_dir(&path).unwrap();
    fixture.files = ReviewsFixture::open(fixture.folder.path());
    fixture.files.refresh_reviews(SESSION).await;
    assert_eq!(fixture.news(), [], "nothing is known of it");
    std::fs::remove_dir(&path).unwrap();
    std::fs::rename(fixture.folder.path().join("away"), &path).unwrap();
    fixture.files.refresh_reviews(SESSION).await;
    assert_eq!(shown(&fixture.only()), lines(&["1 2 B", "3 4 D", "5 6 F"]));
}

/// In an editor; the folder's other files and those of a folder with a longer name stay.
#[tokio::test]
async fn hunks_follow_a_file_or_a_folder_that_the_user_renames() {
    let (folder, files) = super::editor_window::temporary_workspace();
    let fixture = ReviewsFixture { folder, files };
    for name in ["src", "src2"] {
        std::fs::create_dir(fixture.folder.path().join(name)).unwrap();
    }
    for name in ["src/a", "src2/a", "b"] {
        fixture.write(name, OLD);
        fixture.agent(name, NEW).await;
    }
    let client = super::editor_window::Window::open(&fixture.files, "src/a", false).id();
    let renames = [("src", "lib"), ("b", "c")].map(|(from, to)| {
        let [from, to] = [from, to].map(|name| fixture.folder.path().canonicalize().unwrap().join(name));
        std::fs::rename(&from, &to).unwrap();
        (from, to)
    });
    for (from, to) in &renames {
        fixture.files.buffers().rename(client, from, to);
    }
    let listed: Vec<_> = fixture.list().into_iter().map(|view| (view.display_path, view.total)).collect();
    assert_eq!(listed, [("c".to_owned(), 3), ("lib/a".to_owned(), 3), ("src2/a".to_owned(), 3)]);
    for (view, name) in fixture.list().iter().zip(["c", "lib/a"]) {
        assert_eq!(fixture.decide(&[everything(view, HunkVerdict::Reject)]).await, [Ok(())]);
        assert_eq!(fixture.read(name), OLD);
    }
    assert_eq!(fixture.only().display_path, "src2/a");
}

#[tokio::test]
async fn what_was_lost_is_told_once() {
    let mut fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    fixture.files.journal().unwrap().usage().await.unwrap();
    fixture.write("a", "else\n");
    for told in [true, false] {
        fixture.files = ReviewsFixture::open(fixture.folder.path());
        fixture.files.refresh_reviews(SESSION).await;
        let lost = fixture.news().iter().any(|(_, happened, _)| *happened == FeedbackKind::Lost);
        assert_eq!(lost, told);
        assert_eq!(fixture.list(), []);
        fixture.files.reviews().persist_all();
        fixture.files.journal().unwrap().usage().await.unwrap();
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
    let fixture = ReviewsFixture::new();
    let folder = fixture.folder.path();
    git(folder, &["init", "-q"]);
    fixture.write("a", OLD);
    fixture.write("b", "1\n2\n3\n");
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "one"]);
    // The user has not committed this yet, and the agent reverts it.
    fixture.write("b", "1\nmine\n3\n");
    fixture.agent("a", NEW).await;
    fixture.agent("b", "1\n2\n3\n").await;
    fixture.files.refresh_reviews(SESSION).await;
    assert_eq!(fixture.list().len(), 2, "nothing was committed");
    // Two of the hunks.
    fixture.write("a", "1\nB\n3\n4\n5\nF\n7\n");
    git(folder, &["add", "a"]);
    fixture.write("a", NEW);
    git(folder, &["commit", "-qm", "two"]);
    fixture.files.refresh_reviews(SESSION).await;
    let list = fixture.list();
    assert_eq!(shown(&list[0]), lines(&["3 4 D"]));
    assert_eq!(shown(&list[1]), lines(&["1 mine 2"]));
    let news = fixture.news();
    assert_eq!((news[0].0, news[1].0), (2, 6));
    assert!(news[..2].iter().all(|(_, happened, _)| *happened == FeedbackKind::Accepted), "{news:?}");
}

/// The daemon's environment has the user's API keys, here that of the test.
#[tokio::test]
async fn git_gets_the_environment_of_the_sessions_programs_and_not_the_daemons() {
    let folder = tempfile::tempdir().unwrap();
    let (git, env) = (folder.path().join("bin/git"), folder.path().join("env"));
    std::fs::create_dir(git.parent().unwrap()).unwrap();
    std::fs::write(&git, format!("#!/bin/sh\nenv > '{}'\nexit 1\n", env.display())).unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", git.parent().unwrap().display());
    let processes =
        Processes::new(vec![("PATH".into(), path.into()), ("GIT_DIR".into(), "/elsewhere".into())]);
    let files = WorkspaceFiles::new(folder.path(), folder.path()).with_processes(&processes);
    let fixture = ReviewsFixture { folder, files };
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let env = std::fs::read_to_string(env).unwrap();
    let names: BTreeSet<_> = env.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert!(names.contains("GIT_NO_LAZY_FETCH") && !names.contains("GIT_DIR"), "{env}");
    // Cargo sets it for every test.
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !names.contains("CARGO_MANIFEST_DIR"),
        "{env}"
    );
}

#[tokio::test]
async fn undoing_a_call_takes_back_what_is_left_of_it_and_what_was_kept() {
    let fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    let view = fixture.only();
    let decisions = [hunk(&view, 0, HunkVerdict::Accept), hunk(&view, 1, HunkVerdict::Reject)];
    assert_eq!(fixture.decide(&decisions).await, [Ok(()), Ok(())]);
    let journal = fixture.files.journal().unwrap();
    let entries = journal.entries(SESSION).await.unwrap();
    let call: Vec<_> = entries.iter().filter(|entry| entry.call == "call").collect();
    let taken = fixture.files.undo_entries(journal, &call, UndoDirection::Undo).await;
    assert!(matches!(taken[0].outcome, crate::files::UndoneEntryOutcome::Undone), "{taken:?}");
    assert_eq!((fixture.read("a"), fixture.list()), (OLD.to_owned(), vec![]));
    let entries = journal.entries(SESSION).await.unwrap();
    let undone: Vec<_> = entries.iter().rev().take(1).collect();
    fixture.files.undo_entries(journal, &undone, UndoDirection::Redo).await;
    assert_eq!(fixture.read("a"), "1\nB\n3\n4\n5\nF\n7\n");
}

#[tokio::test]
async fn what_was_decided_in_the_evening_is_told_in_the_morning_and_once() {
    let mut fixture = ReviewsFixture::lasting();
    fixture.write("a", OLD);
    fixture.agent("a", NEW).await;
    assert_eq!(fixture.decide(&[everything(&fixture.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    for told in [3, 0] {
        fixture.files.journal().unwrap().usage().await.unwrap();
        fixture.files = ReviewsFixture::open(fixture.folder.path());
        fixture.files.refresh_reviews(SESSION).await;
        let news = fixture.news();
        assert_eq!(news.len(), told, "{news:?}");
    }
}

/// Mode bits and the byte order mark survive undo and rejection, also after a restart.
#[tokio::test]
async fn a_deleted_file_comes_back_as_it_was() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut fixture = ReviewsFixture::lasting();
    let path = fixture.folder.path().join("a");
    fixture.write("a", "\u{feff}1\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    let is_as_it_was = |fixture: &ReviewsFixture| {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!((fixture.read("a").as_str(), mode), ("\u{feff}1\n", 0o750));
    };
    let delete = async |fixture: &ReviewsFixture| {
        let FileChangeKind::Edit { file, stamp, .. } = fixture.kind("a", "").await else { panic!("no file") };
        fixture.change("a", FileChangeKind::Delete { file, stamp }).await;
        assert!(!path.exists());
    };
    delete(&fixture).await;
    let journal = fixture.files.journal().unwrap().clone();
    // Undone, redone, and the redo undone.
    let directions = [UndoDirection::Undo, UndoDirection::Redo, UndoDirection::Undo];
    for (direction, is_there) in directions.into_iter().zip([true, false, true]) {
        let entries = journal.entries(SESSION).await.unwrap();
        fixture.files.undo_entries(&journal, &[entries.last().unwrap()], direction).await;
        assert_eq!(path.exists(), is_there);
    }
    is_as_it_was(&fixture);
    delete(&fixture).await;
    journal.flush().await;
    fixture.files = ReviewsFixture::open(fixture.folder.path());
    fixture.files.refresh_reviews(SESSION).await;
    fixture.files.load_reviews(SESSION).await;
    assert_eq!(fixture.decide(&[everything(&fixture.only(), HunkVerdict::Reject)]).await, [Ok(())]);
    is_as_it_was(&fixture);
}
