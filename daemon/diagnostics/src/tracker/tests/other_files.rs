//! Reports on files that were not checked before a change.

use super::*;

impl TrackerFixture {
    fn queue_report(&self, report: DiagnosticsReport) {
        self.grumbler.others.lock().unwrap().push(report);
    }

    /// Edits `a`, without an error.
    async fn change(&self) -> DiagnosticsMetadata {
        self.edit("a", "fine\n", "fine too\n").await
    }
}

/// A report with previous diagnostics.
fn with_previous(name: &str, text: &str, previous: &str) -> DiagnosticsReport {
    let previous = verdict_on(previous).diagnostics().map(<[_]>::to_vec);
    DiagnosticsReport { previous, ..report(&subject(name, ""), verdict_on(text)) }
}

fn unknown(name: &str) -> DiagnosticsReport {
    report(&subject(name, ""), Verdict::Unknown { why: "late".to_owned() })
}

fn unsure(metadata: &DiagnosticsMetadata) -> Vec<&str> {
    metadata.unsure.iter().map(|problem| problem.message.as_str()).collect()
}

#[tokio::test]
async fn previous_diagnostics_tell_new_from_old() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad old\nbad use\n");
    scene.tracker.begin_turn();
    scene.baseline("a", "fine\n").await;
    scene.queue_report(with_previous("b", "bad old\nbad use\n", "bad old\n"));
    let summary = scene.change().await;
    assert_eq!((counts(&summary), unsure(&summary)), ((vec!["bad use"], 0, 1), vec![]));
    // The next change has another baseline; the turn's stays.
    scene.queue_report(with_previous("b", "bad old\nbad use\n", "bad old\nbad use\n"));
    let summary = scene.edit("a", "fine too\n", "fine three\n").await;
    assert_eq!(counts(&summary), (vec![], 0, 2));
    assert_eq!(counts(&scene.tracker.end_turn().unwrap().metadata), (vec!["bad use"], 0, 1));
}

#[tokio::test]
async fn without_a_baseline_diagnostics_are_unsure() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.tracker.begin_turn();
    scene.baseline("a", "fine\n").await;
    scene.queue_report(report(&subject("b", ""), verdict_on("bad use\n")));
    let summary = scene.change().await;
    assert_eq!((counts(&summary), unsure(&summary)), ((vec![], 0, 0), vec!["bad use"]));
}

#[tokio::test]
async fn a_report_after_the_call_makes_a_note() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.baseline("a", "fine\n").await;
    scene.queue_report(unknown("b"));
    let summary =
        scene.tracker.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    assert!(summary.output.contains("not known for b: late"), "{}", summary.output);
    // A background task waits for it.
    let late = wait_for_note(&scene).await;
    assert!(late.contains("bad use") && late.contains("cannot be told apart"), "{late}");
    scene.baseline("b", "bad use\n").await;
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new(), "once");
}

#[tokio::test]
async fn an_awaited_report_that_comes_with_a_read_is_no_baseline() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.baseline("a", "fine\n").await;
    scene.queue_report(unknown("b"));
    scene.change().await;
    // The file is read, and its check answers before the background task.
    scene.baseline("b", "bad use\n").await;
    let late = scene.tracker.take_late_notes().concat();
    assert!(late.contains("bad use") && late.contains("cannot be told apart"), "{late}");
}

#[tokio::test]
async fn a_report_on_other_files_after_a_change_is_no_baseline() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    let start = scene.tracker.begin(&[subject("c", "fine\n")]);
    scene.baseline("a", "fine\n").await;
    scene.tracker.record_change(&[edited("a", Some("fine\n"), Some("fine too\n"))], true);
    // A check that began before the change ends after it.
    let subjects = [subject("c", "bad c\n"), subject("b", "bad use\n")];
    let reports =
        [report(&subjects[0], verdict_on("bad c\n")), report(&subjects[1], verdict_on("bad use\n"))];
    scene.tracker.record_reports(&subjects, &reports, start);
    scene.queue_report(report(&subject("b", ""), verdict_on("bad use\n")));
    // Neither file has a baseline.
    let summary =
        scene.tracker.check_edits(&[edited("c", Some("bad c\n"), Some("bad c\n\n"))]).await.unwrap();
    let (counts, unsure) = (counts(&summary.metadata), unsure(&summary.metadata));
    assert_eq!((counts, unsure), ((vec![], 0, 0), vec!["bad c", "bad use"]));
}

#[tokio::test]
async fn a_deletion_checks_recent_files_without_a_report() {
    let scene = scene();
    scene.grumbler.disk.write("b", "uses bad a\n");
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.baseline("b", "uses bad a\n").await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let summary = scene.tracker.check_edits(&[edited("a", Some("fine\n"), None)]).await.unwrap();
    assert_eq!(unsure(&summary.metadata), ["uses bad a"]);
}
