//! A late note holds for the workspace at the moment when it is taken.

use super::*;

impl TrackerFixture {
    /// Breaks `a`, of which the source reports later, together with an error in `user`.
    async fn break_with_late_report(&self) {
        self.grumbler.disk.write("user", "uses a\n");
        self.baseline("user", "uses a\n").await;
        self.grumbler.is_indexing.store(true, Ordering::SeqCst);
        self.grumbler.disk.write("a", "broken\n");
        self.tracker.check_edits(&[edited("a", Some("fine\n"), Some("broken\n"))]).await.unwrap();
        self.grumbler.is_indexing.store(false, Ordering::SeqCst);
        self.grumbler.others.lock().unwrap().push(report(&subject("user", ""), verdict_on("bad use\n")));
    }

    /// The source is ready, and every task has done what it can.
    async fn finish_late_checks(&self) {
        self.grumbler.indexed.notify_one();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_change_withdraws_late_reports_on_other_files() {
    let scene = scene();
    scene.break_with_late_report().await;
    scene.finish_late_checks().await;
    scene.grumbler.disk.write("a", "mended\n");
    scene.tracker.check_edits(&[edited("a", Some("broken\n"), Some("mended\n"))]).await.unwrap();
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
    let note = wait_for_note(&scene).await;
    assert!(note.starts_with("Checked by now: user.") && !note.contains("bad use"), "{note}");
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_report_from_before_a_change_makes_no_note() {
    let scene = scene();
    scene.break_with_late_report().await;
    *scene.grumbler.typed.lock().unwrap() = Some(("b", "typed\n"));
    scene.finish_late_checks().await;
    assert_eq!(scene.tracker.take_late_notes(), Vec::<String>::new());
    let note = wait_for_note(&scene).await;
    assert!(note.starts_with("Checked by now: a.") && !note.contains("bad use"), "{note}");
}

#[tokio::test]
async fn a_withdrawn_report_is_told_if_it_still_holds() {
    let scene = scene();
    scene.break_with_late_report().await;
    scene.finish_late_checks().await;
    scene.grumbler.disk.write("c", "fine too\n");
    scene.tracker.check_edits(&[edited("c", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    scene.grumbler.disk.write("user", "uses a\nbad use\n");
    let note = wait_for_note(&scene).await;
    assert!(note.contains("bad use"), "{note}");
}
