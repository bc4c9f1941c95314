//! Files that a change affects without being a text of their server.

use super::*;

/// `user` is affected and checked, `far` is affected and not checked.
fn scene_with_affected_files() -> TrackerFixture {
    let scene = scene();
    scene.grumbler.disk.write("user", "bad use\n");
    let unchecked = vec![report(&subject("far", ""), Verdict::beyond_limit())];
    *scene.grumbler.affected.lock().unwrap() =
        AffectedFiles { paths: vec![Path::new("/w/user").to_owned()], unchecked };
    scene
}

#[tokio::test]
async fn an_edit_of_a_configuration_checks_what_it_affects() {
    let scene = scene_with_affected_files();
    let edit = edited("tsconfig.json", Some("{}\n"), Some("{ }\n"));
    let summary = scene.tracker.check_edits(&[edit]).await.unwrap();
    assert!(summary.output.contains("bad use"), "{}", summary.output);
    assert!(summary.output.contains("not known for far"), "{}", summary.output);
    // Any other edit is a matter of its own server.
    let summary = scene.tracker.check_edits(&[edited("a", Some("\n"), Some("fine\n"))]).await.unwrap();
    assert!(!summary.output.contains("far"), "{}", summary.output);
}

#[tokio::test]
async fn a_command_that_deletes_a_file_has_its_users_checked() {
    let scene = scene_with_affected_files();
    let command = scene.tracker.begin_command().await;
    scene.grumbler.changed.lock().unwrap().push("/w/gone".into());
    let summary = scene.tracker.finish_command(command).await.unwrap();
    assert!(summary.output.contains("bad use"), "{}", summary.output);
    assert!(summary.output.contains("not known for far"), "{}", summary.output);
}

/// The file itself is known, and says nothing about those that were not found.
#[tokio::test]
async fn a_command_whose_users_were_not_all_found_says_so() {
    let scene = scene();
    scene.grumbler.disk.write("a", "fine\n");
    let unchecked = vec![DiagnosticsReport::unsearched(Path::new("/w/a"), "grumbler")];
    *scene.grumbler.affected.lock().unwrap() = AffectedFiles { paths: Vec::new(), unchecked };
    let command = scene.tracker.begin_command().await;
    scene.grumbler.changed.lock().unwrap().push("/w/a".into());
    let summary = scene.tracker.finish_command(command).await.unwrap();
    assert!(summary.output.contains("grumbler, other files: not known"), "{}", summary.output);
}

#[tokio::test]
async fn a_command_whose_changes_are_not_known_says_so() {
    let scene = scene();
    scene.grumbler.is_blind.store(true, Ordering::SeqCst);
    scene.grumbler.disk.write("a", "fine\n");
    for changed in [None, Some("/w/a".into())] {
        let command = scene.tracker.begin_command().await;
        scene.grumbler.changed.lock().unwrap().extend(changed);
        let summary = scene.tracker.finish_command(command).await.unwrap();
        let expected =
            "all files: not known for this text: it is not known in time which ones the command changed";
        assert!(summary.output.contains(expected), "{}", summary.output);
    }
}
