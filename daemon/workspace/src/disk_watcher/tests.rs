use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tokio::time::Instant;

use super::{DEFAULT_MAX_FOLDERS, DiskChanges, DiskWatcher, FileChangeType, WatchedFolders};

/// A deadline that only a failing test reaches.
fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn shell(folder: &Path, script: &str) {
    let status = Command::new("/bin/sh").args(["-ec", script]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{script}");
}

fn relative(root: &Path, changes: DiskChanges) -> Vec<(String, FileChangeType)> {
    assert!(!changes.missed);
    let name = |path: &Path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    changes.changed.into_iter().map(|(path, what)| (name(&path), what)).collect()
}

async fn watching(root: &Path) -> DiskWatcher {
    let watcher = DiskWatcher::begin(root, WatchedFolders::Sources, DEFAULT_MAX_FOLDERS);
    assert_eq!(watcher.take_changes(soon()).await, Some(DiskChanges::default()));
    assert_eq!(watcher.problem(), None);
    watcher
}

/// Runs a script on a tree, and compares the reported changes.
async fn check(before: &str, script: &str, expected: &[(&str, FileChangeType)]) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    shell(&root, before);
    let watcher = watching(&root).await;
    shell(&root, script);
    let changed = relative(&root, watcher.take_changes(soon()).await.unwrap());
    let changed: Vec<_> = changed.iter().map(|(name, what)| (name.as_str(), *what)).collect();
    assert_eq!(changed, expected, "{script}");
    assert_eq!(watcher.take_changes(soon()).await, Some(DiskChanges::default()), "reported twice: {script}");
}

#[tokio::test]
async fn changes_of_a_shell_are_reported_when_it_has_ended() {
    use FileChangeType::{Changed, Created, Deleted};
    let tree = "mkdir -p src/deep; echo 1 >a; echo 1 >src/b; echo 1 >src/deep/c";
    check(tree, "echo 2 >>a; echo 2 >src/deep/c", &[("a", Changed), ("src/deep/c", Changed)]).await;
    check(tree, "echo 1 >new; rm a", &[("a", Deleted), ("new", Created)]).await;
    check(tree, "mv a src/a", &[("a", Deleted), ("src/a", Created)]).await;
    check(tree, "echo 2 >tmp; mv tmp a", &[("a", Created)]).await;
    check(tree, "rm a; echo 2 >a", &[("a", Changed)]).await;
    check(tree, "cat a src/b >/dev/null; ls -R >/dev/null; chmod 600 a", &[]).await;
}

#[tokio::test]
async fn created_and_deleted_folders_are_followed() {
    use FileChangeType::{Created, Deleted};
    let tree = "mkdir -p src/deep; echo 1 >src/deep/c";
    check(tree, "mkdir -p x/y/z; echo 1 >x/y/z/f; echo 1 >x/g", &[("x/g", Created), ("x/y/z/f", Created)])
        .await;
    check(tree, "mv src other", &[("other/deep/c", Created), ("src", Deleted), ("src/deep/c", Deleted)])
        .await;
    check(tree, "rm -r src", &[("src", Deleted), ("src/deep", Deleted), ("src/deep/c", Deleted)]).await;
    check(
        tree,
        "rm -r src; mkdir -p src/deep; echo 2 >src/deep/c",
        &[("src/deep/c", FileChangeType::Changed)],
    )
    .await;
}

#[tokio::test]
async fn files_of_a_folder_moved_out_of_sight_are_reported() {
    use FileChangeType::Deleted;
    let tree = "git init -q; echo build/ >.gitignore; mkdir -p src/deep; echo 1 >src/deep/c; echo 1 >src/old";
    let prepared = "rm src/old; echo 1 >src/new;";
    let gone = [("src", Deleted), ("src/deep/c", Deleted)];
    check(tree, &format!("{prepared} mv src build"), &[gone[0], gone[1], ("src/old", Deleted)]).await;
    check(tree, "mv src build", &[gone[0], gone[1], ("src/old", Deleted)]).await;
    check(tree, "mv src/deep .git/deep", &[("src/deep", Deleted), ("src/deep/c", Deleted)]).await;
}

#[tokio::test]
async fn created_and_deleted_folders_set_folders_changed() {
    let tree = "mkdir -p src/deep; echo 1 >src/deep/c";
    for (script, expected) in [
        ("mkdir x", true),
        ("mkdir -p x/y; echo 1 >x/y/f", true),
        ("mv src other", true),
        ("rm -r src/deep", true),
        ("echo 2 >src/deep/c; echo 1 >src/new; chmod 700 src/deep", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        shell(&root, tree);
        let watcher = watching(&root).await;
        shell(&root, script);
        assert_eq!(
            watcher.take_changes(soon()).await.map(|changes| changes.folders_changed),
            Some(expected),
            "{script}"
        );
        assert_eq!(
            watcher.take_changes(soon()).await,
            Some(DiskChanges::default()),
            "reported twice: {script}"
        );
    }
}

#[tokio::test]
async fn a_moved_folder_is_watched_by_its_new_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    shell(&root, "mkdir -p a/b; echo 1 >a/b/f");
    let watcher = watching(&root).await;
    shell(&root, "mv a z");
    watcher.take_changes(soon()).await.unwrap();
    shell(&root, "echo 2 >z/b/f");
    let changed = relative(&root, watcher.take_changes(soon()).await.unwrap());
    assert_eq!(changed, [("z/b/f".to_owned(), FileChangeType::Changed)]);

    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("z");
    shell(&root, &format!("mv z {0}; echo 3 >{0}/b/f", outside.display()));
    let changed = relative(&root, watcher.take_changes(soon()).await.unwrap());
    assert_eq!(
        changed,
        [("z".to_owned(), FileChangeType::Deleted), ("z/b/f".to_owned(), FileChangeType::Deleted)]
    );
}

#[tokio::test]
async fn ignored_folders_are_not_watched() {
    let tree = "git init -q; echo build/ >.gitignore; mkdir -p build src node_modules/x .hidden";
    let script = "echo 1 >build/a; echo 1 >node_modules/x/a; echo 1 >.git/a; echo 1 >.hidden/a; \
                  mkdir -p src/build src/new; echo 1 >src/build/a; echo 1 >src/new/a";
    check(tree, script, &[(".hidden/a", FileChangeType::Created), ("src/new/a", FileChangeType::Created)])
        .await;
}

#[tokio::test]
async fn generated_folders_are_not_watched() {
    let tree = "echo 1 >Cargo.toml; mkdir -p cache/x src; echo 1 >cache/CACHEDIR.TAG";
    let script = "mkdir -p target/debug src/target; echo 1 >target/debug/a; echo 1 >cache/a; echo 1 >cache/x/a; \
                  echo 1 >src/target/a";
    check(tree, script, &[("src/target/a", FileChangeType::Created)]).await;
}

#[tokio::test]
async fn with_too_many_folders_tracked_files_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    shell(&root, "mkdir a b c d; echo 1 >a/held; echo 1 >a/free; echo 1 >b/gone");
    let watcher = DiskWatcher::begin(&root, WatchedFolders::Sources, 4);
    for name in ["a/held", "b/gone", "c/new"] {
        watcher.track(&root.join(name));
    }
    assert!(watcher.take_changes(soon()).await.unwrap().missed, "it says once that it misses changes");
    let problem = watcher.problem().unwrap();
    assert!(problem.contains("more than 4 folders"), "{problem}");
    shell(&root, "echo 22 >a/held; echo 2 >a/free; rm b/gone; echo 1 >c/new");
    let changed = relative(&root, watcher.take_changes(soon()).await.unwrap());
    let expected = [
        ("a/held", FileChangeType::Changed),
        ("b/gone", FileChangeType::Deleted),
        ("c/new", FileChangeType::Created),
    ];
    assert_eq!(changed, expected.map(|(name, what)| (name.to_owned(), what)));
    watcher.untrack(&root.join("a/held"));
    shell(&root, "echo 333 >a/held");
    assert_eq!(watcher.take_changes(soon()).await, Some(DiskChanges::default()));
}

#[tokio::test]
async fn a_missing_root_does_no_harm() {
    let watcher =
        DiskWatcher::begin(Path::new("/nowhere/at/all"), WatchedFolders::Sources, DEFAULT_MAX_FOLDERS);
    assert_eq!(watcher.take_changes(soon()).await, Some(DiskChanges::default()));
}

#[test]
fn reported_paths_lead_from_one_tree_to_the_other() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let name = "[ab](/[ab]){0,2}";
    let step = (0..5u8, name, name);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::with_cases(48), rng);
    let outcome = runner.run(&prop::collection::vec(step, 1..24), |steps| {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (first, second) = steps.split_at(steps.len() / 2);
        first.iter().for_each(|step| act(&root, step));
        runtime.block_on(async {
            let watcher = watching(&root).await;
            let before = files(&root);
            second.iter().for_each(|step| act(&root, step));
            let changed = watcher.take_changes(soon()).await.unwrap();
            let after = files(&root);
            let mut known = before.clone();
            for (path, what) in &changed.changed {
                match what {
                    FileChangeType::Deleted => known.retain(|file| !file.0.starts_with(path)),
                    // Its content is read again, too.
                    FileChangeType::Created | FileChangeType::Changed => {
                        known.retain(|file| file.0 != *path);
                        known.extend(after.iter().filter(|file| file.0 == *path).cloned());
                    }
                }
            }
            prop_assert_eq!(known, after, "{:?}", changed);
            Ok(())
        })
    });
    outcome.unwrap();
}

/// Steps may fail for lack of a file, which is fine.
fn act(root: &Path, (what, one, other): &(u8, String, String)) {
    let (one, other) = (root.join(one), root.join(other));
    match what {
        0 => drop(fs::create_dir_all(&one)),
        1 => drop(fs::rename(&one, &other)),
        2 => drop(fs::remove_dir_all(&one).or_else(|_| fs::remove_file(&one))),
        _ => {
            let before = fs::read_to_string(&one).unwrap_or_default();
            drop(fs::write(&one, before + "x"));
        }
    }
}

/// Each file with its content.
fn files(root: &Path) -> BTreeSet<(PathBuf, String)> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}
