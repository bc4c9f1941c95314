//! Events during a check: late reports, the user's edits, commands.

use super::*;

impl TrackerFixture {
    /// The next answer, whatever it is about, includes a report on this file.
    fn add_report(&self, name: &str, text: &str) {
        self.grumbler.others.lock().unwrap().push(report(&subject(name, ""), verdict_on(text)));
    }
}

#[tokio::test]
async fn a_late_effect_on_another_file_makes_a_note() {
    for is_typed in [false, true] {
        let scene = scene();
        scene.grumbler.disk.write("b", "uses a\n");
        scene.baseline("b", "uses a\n").await;
        scene.edit("a", "fine\n", "fine too\n").await;
        if is_typed {
            scene.grumbler.disk.write("b", "uses a and more\n");
        }
        scene.add_report("b", "bad use\n");
        scene.baseline("c", "fine\n").await;
        let late = scene.tracker.take_late_notes().concat();
        assert_eq!(late.contains("bad use") && late.contains("b:1:1"), !is_typed, "{late}");
        // Only once.
        scene.add_report("b", "bad use\n");
        let summary = scene.edit("c", "fine\n", "fine too\n").await;
        assert_eq!(counts(&summary), (vec![], 0, 1));
    }
}

#[tokio::test]
async fn a_report_on_a_file_that_the_user_edits_meanwhile_is_dropped() {
    let scene = scene();
    scene.grumbler.disk.write("b", "uses a\n");
    scene.baseline("b", "uses a\n").await;
    scene.baseline("a", "fine\n").await;
    *scene.grumbler.typed.lock().unwrap() = Some(("b", "uses nothing\n"));
    scene.add_report("b", "bad use\n");
    let summary =
        scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    assert_eq!(counts(&summary.metadata), (vec![], 0, 0));
}

#[tokio::test]
async fn a_users_edit_of_our_file_is_not_reported_as_ours() {
    let scene = scene();
    scene.edit("a", "fine\n", "fine too\n").await;
    let summary = scene.edit("a", "fine too\nbad typed\n", "fine too\nbad typed\nbad new\n").await;
    assert_eq!(counts(&summary), (vec!["bad new"], 0, 1));
}

#[tokio::test]
async fn effects_on_our_file_are_reported_after_a_user_edited_it() {
    let scene = scene();
    scene.edit("a", "fine\n", "fine too\n").await;
    scene.grumbler.disk.write("a", "typed\n");
    scene.baseline("a", "typed\n").await;
    scene.edit("b", "fine\n", "fine too\n").await;
    scene.add_report("a", "bad use\n");
    scene.baseline("c", "fine\n").await;
    let late = scene.tracker.take_late_notes().concat();
    assert!(late.contains("bad use"), "{late}");
}

/// A source that finds nothing, at once.
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
async fn one_ready_source_does_not_make_up_for_another() {
    let TrackerFixture { grumbler, .. } = scene();
    let sources = DiagnosticsSources {
        pool: Some(Arc::clone(&grumbler) as Arc<dyn DiagnosticsSource>),
        checkers: Some(Arc::new(Content)),
        ..DiagnosticsSources::default()
    };
    let options = TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error };
    let texts = Arc::clone(&grumbler.disk) as Arc<dyn DocumentProvider>;
    let scene = TrackerFixture {
        tracker: DiagnosticsTracker::new(sources, texts, Path::new("/w"), options),
        grumbler,
    };
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.baseline("a", "bad old\n").await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let summary = scene.edit("a", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(counts(&summary), (vec!["bad new"], 0, 1));
}

#[tokio::test]
async fn a_baseline_is_checked_again_after_a_change() {
    let scene = scene();
    scene.grumbler.disk.write("b", "uses a\n");
    scene.baseline("b", "uses a\n").await;
    scene.edit("a", "fine\n", "fine too\n").await;
    scene.add_report("c", "bad use\n");
    scene.baseline("b", "uses a\n").await;
    assert!(scene.grumbler.others.lock().unwrap().is_empty());
    scene.add_report("c", "bad use\n");
    scene.baseline("b", "uses a\n").await;
    assert_eq!(scene.grumbler.others.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn many_late_reports_make_one_complete_note() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    for number in 0..20 {
        let after = format!("bad {number}.\n");
        scene
            .tracker
            .check_edits(&[edited(&number.to_string(), Some("fine\n"), Some(&after))])
            .await
            .unwrap();
        tokio::task::yield_now().await;
    }
    scene.grumbler.indexed.notify_waiters();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let late = scene.tracker.take_late_notes();
    assert_eq!(late.len(), 1);
    for number in 0..20 {
        assert!(late[0].contains(&format!("bad {number}.")), "{number}: {}", late[0]);
    }
    assert!(late[0].starts_with("Checked by now: 0, 1, 10, 11, 12 and 15 more files.\n"), "{}", late[0]);
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_late_report_without_a_note_is_new_with_the_next_edit() {
    let scene = scene();
    scene.baseline("a", "fine\n").await;
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("bad\n"))]).await.unwrap();
    tokio::task::yield_now().await;
    scene.grumbler.indexed.notify_waiters();
    tokio::task::yield_now().await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let summary = scene.edit("a", "bad\n", "bad\nfine\n").await;
    assert_eq!(counts(&summary), (vec!["bad"], 0, 0));
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_file_created_in_a_turn_has_an_empty_baseline() {
    let scene = scene();
    scene.tracker.begin_turn();
    scene.tracker.check_edits(&[edited("new", None, Some("bad\n"))]).await.unwrap();
    scene.baseline("other", "bad old\n").await;
    let summary = scene.tracker.end_turn().unwrap();
    // It is not known whether the turn caused this one, too.
    assert_eq!(counts(&summary.metadata), (vec!["bad"], 0, 0));
    assert_eq!(summary.metadata.unsure[0].message, "bad old");
}

#[tokio::test(start_paused = true)]
async fn both_checks_together_keep_to_the_configured_time() {
    let scene = scene();
    scene.grumbler.is_slow.store(true, Ordering::SeqCst);
    let started = Instant::now();
    let summary = scene.edit("a", "fine\n", "bad\n").await;
    assert!(started.elapsed() <= DEFAULT_WAIT, "{:?}", started.elapsed());
    let waited = u128::from(summary.waited_ms);
    assert!(waited.abs_diff(started.elapsed().as_millis()) <= 2, "{waited} {:?}", started.elapsed());
}

#[tokio::test]
async fn a_command_without_a_watcher_reports_only_its_changes() {
    let scene = scene();
    for name in ["a", "b", "c"] {
        scene.grumbler.disk.write(name, "fine\n");
        scene.baseline(name, "fine\n").await;
    }
    scene.grumbler.disk.write("a", "bad typed\n");
    let command = scene.tracker.begin_command().await;
    scene.grumbler.disk.write("b", "bad\n");
    let summary = scene.tracker.finish_command(command).await.unwrap();
    assert!(!summary.output.contains("not looked at"), "{}", summary.output);
    assert_eq!(counts(&summary.metadata), (vec!["bad"], 0, 0));
    let command = scene.tracker.begin_command().await;
    assert_eq!(scene.tracker.finish_command(command).await, None);
}

#[tokio::test]
async fn a_command_counts_the_changes_that_were_not_checked() {
    let scene = scene();
    let command = scene.tracker.begin_command().await;
    for number in 0..MAX_RECHECKED_FILES + 6 {
        scene.grumbler.disk.write(&number.to_string(), "fine\n");
        scene.grumbler.changed.lock().unwrap().push(Path::new("/w").join(number.to_string()));
    }
    let summary = scene.tracker.finish_command(command).await.unwrap();
    assert!(summary.output.ends_with("6 more changed files were not looked at.\n"), "{}", summary.output);
}

#[tokio::test]
async fn nothing_is_proven_if_the_list_of_changes_is_truncated() {
    for (count, proof) in [(200, "proven for this text"), (201, "likely, not proven, for this text")] {
        let scene = scene();
        let command = scene.tracker.begin_command().await;
        for number in 0..count {
            scene.grumbler.disk.write(&number.to_string(), "fine\n");
            scene.grumbler.changed.lock().unwrap().push(Path::new("/w").join(number.to_string()));
        }
        let summary = scene.tracker.finish_command(command).await.unwrap();
        assert!(summary.output.contains(proof), "{count}: {}", summary.output);
    }
}

/// A disk that blocks `reload`.
struct Stuck(Arc<MemoryDisk>, Mutex<std::sync::mpsc::Receiver<()>>);

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

fn tracker_of(grumbler: &Arc<Grumbler>, texts: Arc<dyn DocumentProvider>) -> DiagnosticsTracker {
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
async fn a_disk_that_blocks_delays_nothing() {
    let grumbler = Arc::new(Grumbler::default());
    grumbler.disk.write("a", "fine\n");
    let (answer, waiting) = std::sync::mpsc::channel();
    let texts = Arc::new(Stuck(Arc::clone(&grumbler.disk), Mutex::new(waiting)));
    let tracker = tracker_of(&grumbler, texts);
    let command = tracker.begin_command().await;
    grumbler.disk.write("a", "bad\n");
    grumbler.changed.lock().unwrap().push("/w/a".into());
    let summary = tracker.finish_command(command).await.unwrap();
    assert!(summary.output.contains("bad"), "{}", summary.output);
    drop(answer);
}

/// An editor that never reloads.
struct Keeps(Arc<MemoryDisk>);

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
async fn a_command_notes_files_of_which_an_editor_has_another_text() {
    let grumbler = Arc::new(Grumbler::default());
    grumbler.disk.write("a", "typed\n");
    let tracker = tracker_of(&grumbler, Arc::new(Keeps(Arc::clone(&grumbler.disk))));
    let run_command = async || {
        let command = tracker.begin_command().await;
        grumbler.changed.lock().unwrap().push("/w/a".into());
        tracker.finish_command(command).await.unwrap()
    };
    let kept = "Changed or deleted on the disk only: a. The editor still has another text of it, and that is what is read, edited and checked.\n";
    let first = run_command().await;
    assert!(first.output.ends_with(kept), "{}", first.output);
    // Also if there is nothing else to report.
    let again = run_command().await;
    assert_eq!((again.output.as_str(), counts(&again.metadata)), (kept, (vec![], 0, 0)));
    // Editors reload all of them, not only the checked ones.
    let command = tracker.begin_command().await;
    grumbler
        .changed
        .lock()
        .unwrap()
        .extend((0..MAX_RECHECKED_FILES + 6).map(|number| format!("/w/{number:02}").into()));
    let many = tracker.finish_command(command).await.unwrap();
    assert!(
        many.output.contains("Changed or deleted on the disk only: 00, 01, 02, 03, 04 and 25 more files."),
        "{}",
        many.output
    );
}
