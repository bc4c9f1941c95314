//! What happens beside the call that asks: answers that are late, people who type, commands.

use super::*;

impl Scene {
    /// Is said of it with the next answer, whoever is asked about.
    fn says_of(&self, name: &str, words: &str) {
        self.grumbler.others.lock().unwrap().push(report(&subject(name, ""), said(words)));
    }
}

#[tokio::test]
async fn what_an_edit_did_to_another_file_is_news_however_late_it_is_said() {
    for is_typed in [false, true] {
        let scene = scene();
        scene.grumbler.disk.write("b", "uses a\n");
        scene.before("b", "uses a\n").await;
        scene.edit("a", "fine\n", "fine too\n").await;
        if is_typed {
            scene.grumbler.disk.write("b", "uses a and more\n");
        }
        scene.says_of("b", "bad use\n");
        scene.before("c", "fine\n").await;
        let late = scene.checks.take_late_notes().concat();
        assert_eq!(late.contains("bad use") && late.contains("b:1:1"), !is_typed, "{late}");
        // Told once.
        scene.says_of("b", "bad use\n");
        let told = scene.edit("c", "fine\n", "fine too\n").await;
        assert_eq!(figures(&told), (vec![], 0, 1));
    }
}

#[tokio::test]
async fn what_is_said_of_a_file_in_which_somebody_types_meanwhile_is_not_told() {
    let scene = scene();
    scene.grumbler.disk.write("b", "uses a\n");
    scene.before("b", "uses a\n").await;
    scene.before("a", "fine\n").await;
    *scene.grumbler.typed.lock().unwrap() = Some(("b", "uses nothing\n"));
    scene.says_of("b", "bad use\n");
    let told = scene.checks.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    assert_eq!(figures(&told.metadata), (vec![], 0, 0));
}

#[tokio::test]
async fn what_a_user_did_to_a_file_of_ours_is_not_our_doing() {
    let scene = scene();
    scene.edit("a", "fine\n", "fine too\n").await;
    let told = scene.edit("a", "fine too\nbad typed\n", "fine too\nbad typed\nbad new\n").await;
    assert_eq!(figures(&told), (vec!["bad new"], 0, 1));
}

#[tokio::test]
async fn what_becomes_of_a_file_of_ours_that_a_user_changed_is_still_told() {
    let scene = scene();
    scene.edit("a", "fine\n", "fine too\n").await;
    scene.grumbler.disk.write("a", "typed\n");
    scene.before("a", "typed\n").await;
    scene.edit("b", "fine\n", "fine too\n").await;
    scene.says_of("a", "bad use\n");
    scene.before("c", "fine\n").await;
    let late = scene.checks.take_late_notes().concat();
    assert!(late.contains("bad use"), "{late}");
}

/// Says that nothing is wrong, at once.
struct Content;

impl DiagnosticsSource for Content {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], _until: Instant) -> CheckFuture<'a> {
        let report = |subject: &CheckedDocument| {
            DiagnosticsReport::new(subject.path.clone(), "content", Verdict::Proven(Vec::new()))
        };
        Box::pin(std::future::ready(subjects.iter().map(report).collect()))
    }
}

#[tokio::test]
async fn that_one_has_spoken_is_not_enough_where_another_was_not_ready() {
    let Scene { grumbler, .. } = scene();
    let sources = DiagnosticsSources {
        pool: Some(Arc::clone(&grumbler) as Arc<dyn DiagnosticsSource>),
        checkers: Some(Arc::new(Content)),
        ..DiagnosticsSources::default()
    };
    let options = TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error };
    let texts = Arc::clone(&grumbler.disk) as Arc<dyn DocumentProvider>;
    let scene = Scene { checks: DiagnosticsTracker::new(sources, texts, Path::new("/w"), options), grumbler };
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.before("a", "bad old\n").await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let told = scene.edit("a", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(figures(&told), (vec!["bad new"], 0, 1));
}

#[tokio::test]
async fn what_is_known_is_asked_for_again_when_something_was_changed_since() {
    let scene = scene();
    scene.grumbler.disk.write("b", "uses a\n");
    scene.before("b", "uses a\n").await;
    scene.edit("a", "fine\n", "fine too\n").await;
    scene.says_of("c", "bad use\n");
    scene.before("b", "uses a\n").await;
    assert!(scene.grumbler.others.lock().unwrap().is_empty());
    scene.says_of("c", "bad use\n");
    scene.before("b", "uses a\n").await;
    assert_eq!(scene.grumbler.others.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn however_much_comes_late_it_is_one_note_and_nothing_is_lost() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    for number in 0..20 {
        let after = format!("bad {number}.\n");
        scene.checks.check_edits(&[edited(&number.to_string(), Some("fine\n"), Some(&after))]).await.unwrap();
        tokio::task::yield_now().await;
    }
    scene.grumbler.indexed.notify_waiters();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let late = scene.checks.take_late_notes();
    assert_eq!(late.len(), 1);
    for number in 0..20 {
        assert!(late[0].contains(&format!("bad {number}.")), "{number}: {}", late[0]);
    }
    assert!(late[0].starts_with("Checked by now: 0, 1, 10, 11, 12 and 15 more files.\n"), "{}", late[0]);
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn what_came_late_and_was_not_told_before_the_next_edit_is_new_with_it() {
    let scene = scene();
    scene.before("a", "fine\n").await;
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.checks.check_edits(&[edited("a", Some("fine\n"), Some("bad\n"))]).await.unwrap();
    tokio::task::yield_now().await;
    scene.grumbler.indexed.notify_waiters();
    tokio::task::yield_now().await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let told = scene.edit("a", "bad\n", "bad\nfine\n").await;
    assert_eq!(figures(&told), (vec!["bad"], 0, 0));
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_turn_creates_is_its_doing_whatever_is_read_then() {
    let scene = scene();
    scene.checks.begin_turn();
    scene.checks.check_edits(&[edited("new", None, Some("bad\n"))]).await.unwrap();
    scene.before("other", "bad old\n").await;
    let told = scene.checks.end_turn().unwrap();
    // Nobody knows whether it did that, too.
    assert_eq!(figures(&told.metadata), (vec!["bad"], 0, 0));
    assert_eq!(told.metadata["unsure"][0]["message"], "bad old");
}

#[tokio::test(start_paused = true)]
async fn before_and_after_wait_together_for_no_longer_than_was_configured() {
    let scene = scene();
    scene.grumbler.is_slow.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    let told = scene.edit("a", "fine\n", "bad\n").await;
    assert!(begun.elapsed() <= DEFAULT_WAIT, "{:?}", begun.elapsed());
    let waited = u128::from(told["waitedMs"].as_u64().unwrap());
    assert!(waited.abs_diff(begun.elapsed().as_millis()) <= 2, "{waited} {:?}", begun.elapsed());
}

#[tokio::test]
async fn of_a_command_only_what_it_changed_is_told_even_if_nobody_watches() {
    let scene = scene();
    for name in ["a", "b", "c"] {
        scene.grumbler.disk.write(name, "fine\n");
        scene.before(name, "fine\n").await;
    }
    scene.grumbler.disk.write("a", "bad typed\n");
    let command = scene.checks.begin_command().await;
    scene.grumbler.disk.write("b", "bad\n");
    let told = scene.checks.finish_command(command).await.unwrap();
    assert!(!told.output.contains("not looked at"), "{}", told.output);
    assert_eq!(figures(&told.metadata), (vec!["bad"], 0, 0));
    let command = scene.checks.begin_command().await;
    assert_eq!(scene.checks.finish_command(command).await, None);
}

#[tokio::test]
async fn what_of_a_commands_changes_was_not_looked_at_is_said() {
    let scene = scene();
    let command = scene.checks.begin_command().await;
    for number in 0..MOST_AGAIN + 6 {
        scene.grumbler.disk.write(&number.to_string(), "fine\n");
        scene.grumbler.changed.lock().unwrap().push(Path::new("/w").join(number.to_string()));
    }
    let told = scene.checks.finish_command(command).await.unwrap();
    assert!(told.output.ends_with("6 more changed files were not looked at.\n"), "{}", told.output);
}

#[tokio::test]
async fn where_a_command_changed_more_than_is_told_nothing_is_proven() {
    for (count, proof) in [(200, "proven for this text"), (201, "likely, not proven, for this text")] {
        let scene = scene();
        let command = scene.checks.begin_command().await;
        for number in 0..count {
            scene.grumbler.disk.write(&number.to_string(), "fine\n");
            scene.grumbler.changed.lock().unwrap().push(Path::new("/w").join(number.to_string()));
        }
        let told = scene.checks.finish_command(command).await.unwrap();
        assert!(told.output.contains(proof), "{count}: {}", told.output);
    }
}

/// A disk that does not answer when it is asked whether an editor has another text.
struct Stuck(Arc<Disk>, Mutex<std::sync::mpsc::Receiver<()>>);

impl DocumentProvider for Stuck {
    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }

    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        self.0.document(path)
    }

    fn reload(&self, _path: &Path) -> bool {
        self.1.lock().unwrap().recv().is_ok()
    }
}

fn checks_of(grumbler: &Arc<Grumbler>, texts: Arc<dyn DocumentProvider>) -> DiagnosticsTracker {
    let sources = DiagnosticsSources {
        pool: Some(Arc::clone(grumbler) as Arc<dyn DiagnosticsSource>),
        watcher: Some(Arc::clone(grumbler) as Arc<dyn CommandWatcher>),
        ..DiagnosticsSources::default()
    };
    DiagnosticsTracker::new(
        sources,
        texts,
        Path::new("/w"),
        TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error },
    )
}

#[tokio::test]
async fn a_disk_that_does_not_answer_holds_nobody_up() {
    let grumbler = Arc::new(Grumbler::default());
    grumbler.disk.write("a", "fine\n");
    let (answer, waiting) = std::sync::mpsc::channel();
    let texts = Arc::new(Stuck(Arc::clone(&grumbler.disk), Mutex::new(waiting)));
    let checks = checks_of(&grumbler, texts);
    let command = checks.begin_command().await;
    grumbler.disk.write("a", "bad\n");
    grumbler.changed.lock().unwrap().push("/w/a".into());
    let told = checks.finish_command(command).await.unwrap();
    assert!(told.output.contains("bad"), "{}", told.output);
    drop(answer);
}

/// An editor that keeps its text whatever comes to the disk.
struct Keeps(Arc<Disk>);

impl DocumentProvider for Keeps {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        self.0.document(path)
    }

    fn reload(&self, _path: &Path) -> bool {
        true
    }

    fn differs_from_disk(&self, _path: &Path) -> bool {
        true
    }
}

#[tokio::test(start_paused = true)]
async fn of_what_a_command_changed_it_is_told_where_an_editor_keeps_another_text() {
    let grumbler = Arc::new(Grumbler::default());
    grumbler.disk.write("a", "typed\n");
    let checks = checks_of(&grumbler, Arc::new(Keeps(Arc::clone(&grumbler.disk))));
    let told = async || {
        let command = checks.begin_command().await;
        grumbler.changed.lock().unwrap().push("/w/a".into());
        checks.finish_command(command).await.unwrap()
    };
    let kept = "Changed or deleted on the disk only: a. The editor still has another text of it, and that is what is read, edited and checked.\n";
    let first = told().await;
    assert!(first.output.ends_with(kept), "{}", first.output);
    // Also where there is nothing else to say.
    let again = told().await;
    assert_eq!((again.output.as_str(), figures(&again.metadata)), (kept, (vec![], 0, 0)));
    // Editors hear of all of them, and not only of those that are asked about.
    let command = checks.begin_command().await;
    grumbler
        .changed
        .lock()
        .unwrap()
        .extend((0..MOST_AGAIN + 6).map(|number| format!("/w/{number:02}").into()));
    let many = checks.finish_command(command).await.unwrap();
    assert!(
        many.output.contains("Changed or deleted on the disk only: 00, 01, 02, 03, 04 and 25 more files."),
        "{}",
        many.output
    );
}
