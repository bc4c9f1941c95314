//! Files that nobody had asked about before a change.

use super::*;

impl Scene {
    fn says(&self, report: DiagnosticsReport) {
        self.grumbler.others.lock().unwrap().push(report);
    }

    /// Changes `a`, and nothing is wrong with it.
    async fn change(&self) -> Value {
        self.edit("a", "fine\n", "fine too\n").await
    }
}

/// With what was said of it before.
fn known(name: &str, words: &str, past: &str) -> DiagnosticsReport {
    let past = said(past).diagnostics().map(<[_]>::to_vec);
    DiagnosticsReport { previous: past, ..report(&subject(name, ""), said(words)) }
}

fn unknown(name: &str) -> DiagnosticsReport {
    report(&subject(name, ""), Verdict::Unknown { why: "late".to_owned() })
}

fn unsure(metadata: &Value) -> Vec<&str> {
    let unsure = metadata["unsure"].as_array().unwrap();
    unsure.iter().map(|problem| problem["message"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_a_source_knows_of_the_past_tells_new_from_old() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad old\nbad use\n");
    scene.checks.begin_turn();
    scene.before("a", "fine\n").await;
    scene.says(known("b", "bad old\nbad use\n", "bad old\n"));
    let told = scene.change().await;
    assert_eq!((figures(&told), unsure(&told)), ((vec!["bad use"], 0, 1), vec![]));
    // With the next change its past is another, and the turn's is not.
    scene.says(known("b", "bad old\nbad use\n", "bad old\nbad use\n"));
    let told = scene.edit("a", "fine too\n", "fine three\n").await;
    assert_eq!(figures(&told), (vec![], 0, 2));
    assert_eq!(figures(&scene.checks.end_turn().unwrap().metadata), (vec!["bad use"], 0, 1));
}

#[tokio::test]
async fn where_nobody_knows_the_past_it_is_told_so() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.checks.begin_turn();
    scene.before("a", "fine\n").await;
    scene.says(report(&subject("b", ""), said("bad use\n")));
    let told = scene.change().await;
    assert_eq!((figures(&told), unsure(&told)), ((vec![], 0, 0), vec!["bad use"]));
}

#[tokio::test]
async fn what_was_asked_for_and_came_after_the_call_is_told() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.before("a", "fine\n").await;
    scene.says(unknown("b"));
    let told = scene.checks.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    assert!(told.output.contains("not known for b: late"), "{}", told.output);
    // It is waited for beside the work.
    let late = late(&scene).await;
    assert!(late.contains("bad use") && late.contains("cannot be told apart"), "{late}");
    scene.before("b", "bad use\n").await;
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new(), "once");
}

#[tokio::test]
async fn whoever_says_it_first_it_is_not_taken_for_older() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.before("a", "fine\n").await;
    scene.says(unknown("b"));
    scene.change().await;
    // It is read, and answered for sooner than it was waited for.
    scene.before("b", "bad use\n").await;
    let late = scene.checks.take_late_notes().concat();
    assert!(late.contains("bad use") && late.contains("cannot be told apart"), "{late}");
}

#[tokio::test]
async fn what_is_said_of_others_after_a_change_is_not_how_they_were_before_it() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    let asked = scene.checks.begin(&[subject("c", "fine\n")]);
    scene.before("a", "fine\n").await;
    scene.checks.made(&[edited("a", Some("fine\n"), Some("fine too\n"))], true);
    // What was asked before the change is answered after it.
    let subjects = [subject("c", "bad c\n"), subject("b", "bad use\n")];
    let reports = [report(&subjects[0], said("bad c\n")), report(&subjects[1], said("bad use\n"))];
    scene.checks.record_reports(&subjects, &reports, asked);
    scene.says(report(&subject("b", ""), said("bad use\n")));
    // Nor is it known of the file that was asked about whether it was so before.
    let told = scene.checks.check_edits(&[edited("c", Some("bad c\n"), Some("bad c\n\n"))]).await.unwrap();
    let (told, unsure) = (figures(&told.metadata), unsure(&told.metadata));
    assert_eq!((told, unsure), ((vec![], 0, 0), vec!["bad c", "bad use"]));
}

#[tokio::test]
async fn what_a_deleted_file_breaks_is_asked_for_also_in_files_of_which_nothing_was_heard() {
    let scene = scene();
    scene.grumbler.disk.write("b", "uses bad a\n");
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.before("b", "uses bad a\n").await;
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    let told = scene.checks.check_edits(&[edited("a", Some("fine\n"), None)]).await.unwrap();
    assert_eq!(unsure(&told.metadata), ["uses bad a"]);
}
