//! What is heard while a change is not answered for.

use super::*;
use copydesk_servers::source::TREE_SITTER;

impl Scene {
    /// Is told, once, and as something of which nobody knows whether it is new.
    fn is_told_as_unsure(&self, words: &str) {
        let late = self.checks.take_late_notes().concat();
        assert!(late.contains(words) && late.contains("cannot be told apart"), "{late}");
    }
}

#[tokio::test]
async fn what_is_read_while_an_edit_has_no_answer_is_not_how_it_was_before() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.checks.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    scene.grumbler.is_indexing.store(false, Ordering::SeqCst);
    scene.before("b", "bad use\n").await;
    scene.is_told_as_unsure("bad use");
    // When it has its answer nothing is open.
    let late = late(&scene).await;
    assert!(!late.contains("bad use"), "{late}");
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    let told = scene.edit("c", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(figures(&told), (vec!["bad new"], 0, 1));
}

/// There are too many to be asked about: nothing is to come, and the edit is answered for.
#[tokio::test]
async fn what_nobody_is_going_to_ask_about_is_not_waited_for() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    let said = Verdict::Unchecked { why: "too many".to_owned() };
    scene.grumbler.others.lock().unwrap().push(report(&subject("b", ""), said));
    let told = scene.checks.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    assert!(told.output.contains("not known for b: too many"), "{}", told.output);
    scene.before("b", "bad use\n").await;
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_is_read_while_an_edit_is_checked_is_not_how_it_was_before() {
    // What a source thinks of the past may be of the time after the edit, too.
    for past in [None, Some(Vec::new()), said("bad use\n").diagnostics().map(<[_]>::to_vec)] {
        let scene = scene();
        scene.grumbler.disk.write("b", "bad use\n");
        scene.before("a", "fine\n").await;
        scene.grumbler.is_slow.store(true, Ordering::SeqCst);
        let of_b = DiagnosticsReport { previous: past, ..report(&subject("b", ""), said("bad use\n")) };
        scene.grumbler.others.lock().unwrap().push(of_b);
        let edit = [edited("a", Some("fine\n"), Some("fine too\n"))];
        tokio::join!(biased; scene.checks.check_edits(&edit), scene.before("c", "fine\n"));
        scene.is_told_as_unsure("bad use");
    }
}

#[tokio::test]
async fn what_is_read_while_a_command_runs_is_not_how_it_was_before() {
    let scene = scene();
    scene.grumbler.disk.write("b", "bad use\n");
    let command = scene.checks.begin_command().await;
    scene.before("b", "bad use\n").await;
    scene.is_told_as_unsure("bad use");
    drop(command);
    let told = scene.edit("c", "bad old\n", "bad old\nbad new\n").await;
    assert_eq!(figures(&told), (vec!["bad new"], 0, 1));
}

/// While a command runs, or an edit is checked, somebody else is told what came of it.
#[tokio::test(start_paused = true)]
async fn what_is_other_while_a_change_is_being_made_is_told_with_it() {
    let scene = scene();
    for name in ["a", "b"] {
        scene.grumbler.disk.write(name, "fine\n");
        scene.before(name, "fine\n").await;
    }
    let command = scene.checks.begin_command().await;
    scene.grumbler.disk.write("a", "bad\n");
    let said_of = |name: &str, text: &str| report(&subject(name, ""), said(text));
    // Of a text that nobody has told of, and of one that is the same.
    scene.grumbler.others.lock().unwrap().extend([said_of("a", "bad\n"), said_of("b", "bad use\n")]);
    scene.before("c", "fine\n").await;
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
    scene.grumbler.changed.lock().unwrap().push("/w/a".into());
    scene.grumbler.others.lock().unwrap().push(said_of("b", "bad use\n"));
    let told = scene.checks.finish_command(command).await.unwrap();
    assert_eq!(figures(&told.metadata), (vec!["bad", "bad use"], 0, 0));
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn who_reads_beside_an_edit_does_not_take_its_news() {
    let scene = scene();
    scene.grumbler.disk.write("a", "fine\n");
    scene.before("a", "fine\n").await;
    scene.grumbler.is_slow.store(true, Ordering::SeqCst);
    let edit = [edited("a", Some("fine\n"), Some("bad\n"))];
    let beside = async {
        scene.grumbler.disk.write("a", "bad\n");
        scene.grumbler.is_slow.store(false, Ordering::SeqCst);
        scene.grumbler.others.lock().unwrap().push(report(&subject("a", ""), said("bad\n")));
        scene.before("c", "fine\n").await;
    };
    let (told, ()) = tokio::join!(biased; scene.checks.check_edits(&edit), beside);
    assert_eq!(figures(&told.unwrap().metadata), (vec!["bad"], 0, 0));
    assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_server_remembers_when_it_answers_late_is_not_how_it_was_before() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    scene.checks.check_edits(&[edited("a", Some("fine\n"), Some("fine too\n"))]).await.unwrap();
    let past = said("bad use\n").diagnostics().map(<[_]>::to_vec);
    let of_b = DiagnosticsReport { previous: past, ..report(&subject("b", ""), said("bad use\n")) };
    scene.grumbler.others.lock().unwrap().push(of_b);
    let late = late(&scene).await;
    assert!(late.contains("bad use") && late.contains("cannot be told apart"), "{late}");
}

#[tokio::test(start_paused = true)]
async fn what_a_user_did_by_typing_elsewhere_is_theirs_whoever_asks_first() {
    for is_read in [false, true] {
        let scene = scene();
        scene.grumbler.disk.write("b", "uses a\n");
        scene.before("b", "uses a\n").await;
        scene.edit("a", "fine\n", "fine too\n").await;
        scene.grumbler.disk.1.store(1, Ordering::SeqCst);
        scene.before("c", "fine\n").await;
        let of_b = report(&subject("b", ""), said("bad use\n"));
        scene.grumbler.others.lock().unwrap().push(of_b.clone());
        scene.grumbler.disk.write("d", "fine\n");
        match is_read {
            true => scene.checks.warm_up(subject("d", "fine\n")),
            false => scene.before("d", "fine\n").await,
        }
        settle().await;
        assert!(scene.grumbler.others.lock().unwrap().is_empty());
        assert_eq!(scene.checks.take_late_notes(), Vec::<String>::new());
        // What is other after that is not.
        scene.grumbler.others.lock().unwrap().push(report(&subject("b", ""), said("bad use\nbad too\n")));
        scene.before("e", "fine\n").await;
        let late = scene.checks.take_late_notes().concat();
        assert!(late.contains("bad too") && late.contains("1 new"), "{late}");
    }
}

#[test]
fn what_was_answered_for_is_open_no_more() {
    let pending = UncheckedChanges::default();
    let of =
        |path: &str, source: &str| DiagnosticsReport::new(path.into(), source, Verdict::Proven(Vec::new()));
    let open = |change: Option<&UncheckedChange>| {
        let all = [("b.rs", "rustc"), ("b.py", "pyright"), ("b.txt", "rust-analyzer"), ("b.rs", TREE_SITTER)];
        all.map(|(path, source)| pending.may_affect(&of(path, source), change))
    };
    let change = pending.begin();
    assert_eq!(open(None), [true, true, true, false]);
    assert_eq!(open(Some(&change)), [false; 4]);
    let said = Verdict::Unknown { why: "still indexing".to_owned() };
    let reports = [DiagnosticsReport::new("a.rs".into(), "rust-analyzer", said), of("a.py", "pyright")];
    change.narrow_to_pending(&DiagnosticsDelta::compute(&[], &reports, Severity::Error));
    assert_eq!(open(None), [true, false, true, false]);
    drop(change);
    assert_eq!(open(None), [false; 4]);
}
