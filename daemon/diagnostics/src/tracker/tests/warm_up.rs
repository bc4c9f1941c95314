//! Files that are read just before a change.

use super::*;

/// A file was read, and its check is in progress.
fn start_read(name: &str, text: &str) -> (TrackerFixture, Arc<Notify>) {
    let gate = Arc::new(Notify::new());
    let scene = scene_of(Grumbler { gate: Some(Arc::clone(&gate)), ..Grumbler::default() });
    scene.grumbler.disk.write(name, text);
    // Its full checks take too long.
    scene.grumbler.is_slow.store(true, Ordering::SeqCst);
    scene.tracker.warm_up(scene.grumbler.disk.document(&Path::new("/w").join(name)).unwrap());
    (scene, gate)
}

/// A missing module is created just after the file that imports it was read.
#[tokio::test(start_paused = true)]
async fn a_new_file_fixes_a_file_that_was_just_read() {
    let (scene, gate) = start_read("user", "bad import\n");
    tokio::join!(scene.tracker.record_baseline(&[]), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        gate.notify_one();
    });
    let path = Path::new("/w/user").to_owned();
    let fixed = DiagnosticsReport::new(path, "grumbler", Verdict::Proven(Vec::new()));
    scene.grumbler.others.lock().unwrap().push(fixed);
    let started = Instant::now();
    let summary = scene.tracker.check_edits(&[edited("made", None, Some("fine\n"))]).await.unwrap().metadata;
    assert_eq!(counts(&summary), (vec![], 1, 0));
    // The earlier wait is part of the configured time.
    assert_eq!((started.elapsed().as_millis(), summary.waited_ms), (2500, 2900));
}

#[tokio::test(start_paused = true)]
async fn a_command_fixes_a_file_that_was_just_read() {
    let (scene, gate) = start_read("a", "bad\n");
    let (command, ()) = tokio::join!(scene.tracker.begin_command(), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        gate.notify_one();
    });
    scene.grumbler.disk.write("a", "mended\n");
    scene.grumbler.changed.lock().unwrap().push("/w/a".into());
    let summary = scene.tracker.finish_command(command).await.unwrap();
    assert_eq!(counts(&summary.metadata), (vec![], 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_warm_up_is_awaited_for_a_third_of_the_time() {
    let (scene, _gate) = start_read("a", "bad\n");
    let started = Instant::now();
    scene.tracker.record_baseline(&[]).await;
    assert_eq!(started.elapsed(), DEFAULT_WAIT / 3);
    let started = Instant::now();
    scene.tracker.begin_command().await;
    assert_eq!(started.elapsed(), DEFAULT_WAIT / 3);
}

#[tokio::test(start_paused = true)]
async fn a_text_that_changed_meanwhile_is_not_checked() {
    let gate = Arc::new(Notify::new());
    let scene = scene_of(Grumbler { gate: Some(Arc::clone(&gate)), ..Grumbler::default() });
    scene.grumbler.disk.write("a", "read\n");
    scene.tracker.warm_up(scene.grumbler.disk.document(Path::new("/w/a")).unwrap());
    settle().await;
    scene.grumbler.disk.write("a", "changed\n");
    scene.tracker.check_edits(&[edited("a", Some("read\n"), Some("changed\n"))]).await.unwrap();
    gate.notify_one();
    settle().await;
    assert_eq!(*scene.grumbler.checked_texts.lock().unwrap(), ["changed\n"]);
}

#[tokio::test(start_paused = true)]
async fn one_task_waits_for_a_server_that_is_not_ready() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    for number in 0..MAX_RECHECKED_FILES + 10 {
        scene.grumbler.disk.write(&number.to_string(), "fine\n");
        scene
            .tracker
            .warm_up(scene.grumbler.disk.document(&Path::new("/w").join(number.to_string())).unwrap());
    }
    settle().await;
    assert_eq!(*scene.grumbler.when_ready_counts.lock().unwrap(), [MAX_RECHECKED_FILES]);
    // Later reads start no second task.
    read_again(&scene, "0").await;
    read_again(&scene, "1").await;
    assert_eq!(*scene.grumbler.when_ready_counts.lock().unwrap(), [MAX_RECHECKED_FILES]);
    scene.grumbler.indexed.notify_one();
    settle().await;
    assert_eq!(*scene.grumbler.when_ready_counts.lock().unwrap(), [MAX_RECHECKED_FILES, 2]);
    scene.grumbler.indexed.notify_one();
    settle().await;
    // The next read waits again.
    read_again(&scene, "0").await;
    assert_eq!(*scene.grumbler.when_ready_counts.lock().unwrap(), [MAX_RECHECKED_FILES, 2, 1]);
}

async fn read_again(scene: &TrackerFixture, name: &str) {
    scene.tracker.warm_up(scene.grumbler.disk.document(&Path::new("/w").join(name)).unwrap());
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn files_of_one_step_are_checked_together() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    for (name, text) in [("a", "old\n"), ("b", "fine\n"), ("a", "new\n")] {
        scene.grumbler.disk.write(name, text);
        scene.tracker.warm_up(scene.grumbler.disk.document(&Path::new("/w").join(name)).unwrap());
    }
    settle().await;
    assert_eq!(*scene.grumbler.checked_texts.lock().unwrap(), ["new\n", "fine\n"]);
    assert_eq!(*scene.grumbler.when_ready_counts.lock().unwrap(), [2]);
}
