//! Reports that arrive while a change is unchecked.

use super::*;
use copydesk_servers::source::TREE_SITTER;

impl TrackerFixture {
    /// The note has these words once, as a diagnostic without a baseline.
    fn expect_unsure_note(&self, words: &str) {
        let late = self.tracker.take_late_notes().concat();
        assert!(late.contains(words) && late.contains("cannot be told apart"), "{late}");
    }
}

#[tokio::test]
async fn a_read_during_a_pending_check_is_no_baseline() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    scene.baseline("b", "bad use\n").await;
    scene.expect_unsure_note("bad use");
    // Once the check is answered, no change is open.
    let late = wait_for_note(&scene).await;
    assert!(!late.contains("bad use"), "{late}");
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    let summary = scene.edit("c", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(counts(&summary), (vec!["bad new"], 0, 1));
}

/// Too many dependents to check: no report is pending, so the edit counts as checked.
#[tokio::test]
async fn unchecked_files_are_not_waited_for() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    let verdict = Verdict::Unchecked { why: "too many".to_owned() };
    scene.grumbler.others.lock().unwrap().push(report(&subject("b", ""), verdict));
    let summary =
        scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    assert!(summary.output.contains("not known for b: too many"), "{}", summary.output);
    scene.baseline("b", "bad use\n").await;
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_read_during_a_check_is_no_baseline() {
    // A source's previous diagnostics may be from after the edit, too.
    for previous in [None, Some(Vec::new()), verdict_on("bad use\n").diagnostics().map(<[_]>::to_vec)] {
        let scene = scene();
        scene.grumbler.disk.write("b", "bad use\n");
        scene.baseline("a", "fine\n").await;
        scene.grumbler.is_slow.store(true, Ordering::SeqCst);
        let report_on_b =
            DiagnosticsReport { previous, ..report(&subject("b", ""), verdict_on("bad use\n")) };
        scene.grumbler.others.lock().unwrap().push(report_on_b);
        let edit = [edited("a", Some("fine\n"), Some("fine too\n"))];
        tokio::join!(biased; scene.tracker.check_edits(&edit), scene.baseline("c", "fine\n"));
        scene.expect_unsure_note("bad use");
    }
}

#[tokio::test]
async fn a_read_during_a_command_is_no_baseline() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    let command = scene.tracker.begin_command().await;
    scene.baseline("b", "bad use\n").await;
    scene.expect_unsure_note("bad use");
    drop(command);
    let summary = scene.edit("c", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(counts(&summary), (vec!["bad new"], 0, 1));
}

/// While a command runs or an edit is checked, that check reports the effects.
#[tokio::test(start_paused = true)]
async fn a_difference_during_a_change_is_reported_with_it() {
    let scene = scene();
    for name in ["a", "b"] {
        scene.grumbler.disk.write(name, "fine\n");
        scene.baseline(name, "fine\n").await;
    }
    let command = scene.tracker.begin_command().await;
    scene.grumbler.disk.write("a", "bad\n");
    let report_on = |name: &str, text: &str| report(&subject(name, ""), verdict_on(text));
    // One report on a changed text that no check has seen, one on an unchanged text.
    scene.grumbler.others.lock().unwrap().extend([report_on("a", "bad\n"), report_on("b", "bad use\n")]);
    scene.baseline("c", "fine\n").await;
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
    scene.grumbler.changed.lock().unwrap().push("/w/a".into());
    scene.grumbler.others.lock().unwrap().push(report_on("b", "bad use\n"));
    let summary = scene.tracker.finish_command(command).await.unwrap();
    assert_eq!(counts(&summary.metadata), (vec!["bad", "bad use"], 0, 0));
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_read_beside_an_edit_does_not_take_its_news() {
    let scene = scene();
    scene.grumbler.disk.write("a", "fine\n");
    scene.baseline("a", "fine\n").await;
    scene.grumbler.is_slow.store(true, Ordering::SeqCst);
    let edit = [edited("a", Some("fine\n"), Some("bad\n"))];
    let beside = async {
        scene.grumbler.disk.write("a", "bad\n");
        scene.grumbler.is_slow.store(false, Ordering::SeqCst);
        scene.grumbler.others.lock().unwrap().push(report(&subject("a", ""), verdict_on("bad\n")));
        scene.baseline("c", "fine\n").await;
    };
    let (summary, ()) = tokio::join!(biased; scene.tracker.check_edits(&edit), beside);
    assert_eq!(counts(&summary.unwrap().metadata), (vec!["bad"], 0, 0));
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn previous_diagnostics_in_a_late_answer_are_no_baseline() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    let previous = verdict_on("bad use\n").diagnostics().map(<[_]>::to_vec);
    let report_on_b = DiagnosticsReport { previous, ..report(&subject("b", ""), verdict_on("bad use\n")) };
    scene.grumbler.others.lock().unwrap().push(report_on_b);
    let late = wait_for_note(&scene).await;
    assert!(late.contains("bad use") && late.contains("cannot be told apart"), "{late}");
}

#[tokio::test(start_paused = true)]
async fn effects_of_a_users_edit_are_not_reported_as_ours() {
    for is_read in [false, true] {
        let scene = scene();
        scene.grumbler.disk.write("b", "uses a\n");
        scene.baseline("b", "uses a\n").await;
        scene.edit("a", "fine\n", "fine too\n").await;
        scene.grumbler.disk.1.store(1, Ordering::SeqCst);
        scene.baseline("c", "fine\n").await;
        let report_on_b = report(&subject("b", ""), verdict_on("bad use\n"));
        scene.grumbler.others.lock().unwrap().push(report_on_b.clone());
        scene.grumbler.disk.write("d", "fine\n");
        match is_read {
            true => scene.tracker.warm_up(subject("d", "fine\n")),
            false => scene.baseline("d", "fine\n").await,
        }
        settle().await;
        assert!(scene.grumbler.others.lock().unwrap().is_empty());
        assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
        // A later difference is.
        scene
            .grumbler
            .others
            .lock()
            .unwrap()
            .push(report(&subject("b", ""), verdict_on("bad use\nbad too\n")));
        scene.baseline("e", "fine\n").await;
        let late = scene.tracker.take_late_notes().concat();
        assert!(late.contains("bad too") && late.contains("1 new"), "{late}");
    }
}

#[test]
fn an_answered_change_is_no_longer_open() {
    let pending = UncheckedChanges::default();
    let report_of =
        |path: &str, source: &str| DiagnosticsReport::new(path.into(), source, Verdict::Proven(Vec::new()));
    let open = |change: Option<&UncheckedChange>| {
        let all = [("b.rs", "rustc"), ("b.py", "pyright"), ("b.txt", "rust-analyzer"), ("b.rs", TREE_SITTER)];
        all.map(|(path, source)| pending.may_affect(&report_of(path, source), change))
    };
    let change = pending.begin();
    assert_eq!(open(None), [true, true, true, false]);
    assert_eq!(open(Some(&change)), [false; 4]);
    let verdict = Verdict::Unknown { why: "still indexing".to_owned() };
    let reports =
        [DiagnosticsReport::new("a.rs".into(), "rust-analyzer", verdict), report_of("a.py", "pyright")];
    change.narrow_to_pending(&DiagnosticsDelta::compute(&[], &reports, Severity::Error));
    assert_eq!(open(None), [true, false, true, false]);
    drop(change);
    assert_eq!(open(None), [false; 4]);
}
