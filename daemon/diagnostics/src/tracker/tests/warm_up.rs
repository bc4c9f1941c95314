//! Files that were read just before something is changed.

use super::*;

/// Read, and what is said of it is on its way.
fn read(name: &str, text: &str) -> (Scene, Arc<Notify>) {
    let gate = Arc::new(Notify::new());
    let scene = scene_of(Grumbler { gate: Some(Arc::clone(&gate)), ..Grumbler::default() });
    scene.grumbler.disk.write(name, text);
    // What it says with everything else takes too long.
    scene.grumbler.is_slow.store(true, Ordering::SeqCst);
    scene.checks.warm_up(scene.grumbler.disk.document(&Path::new("/w").join(name)).unwrap());
    (scene, gate)
}

/// A missing module is made, and the file that wants it was only just read.
#[tokio::test(start_paused = true)]
async fn what_a_new_file_mends_in_one_that_was_read_just_before_is_told() {
    let (scene, gate) = read("user", "bad import\n");
    tokio::join!(scene.checks.record_baseline(&[]), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        gate.notify_one();
    });
    let path = Path::new("/w/user").to_owned();
    let mended = DiagnosticsReport::new(path, "grumbler", Verdict::Proven(Vec::new()));
    scene.grumbler.others.lock().unwrap().push(mended);
    let begun = Instant::now();
    let told = scene.checks.check_edits(&[edited("made", None, Some("fine\n"))]).await.unwrap().metadata;
    assert_eq!(figures(&told), (vec![], 1, 0));
    // What was waited before is part of the time.
    assert_eq!((begun.elapsed().as_millis(), told["waitedMs"].as_u64()), (2500, Some(2900)));
}

#[tokio::test(start_paused = true)]
async fn what_a_command_mends_in_a_file_that_was_read_just_before_is_told() {
    let (scene, gate) = read("a", "bad\n");
    let (command, ()) = tokio::join!(scene.checks.begin_command(), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        gate.notify_one();
    });
    scene.grumbler.disk.write("a", "mended\n");
    scene.grumbler.changed.lock().unwrap().push("/w/a".into());
    let told = scene.checks.finish_command(command).await.unwrap();
    assert_eq!(figures(&told.metadata), (vec![], 1, 0));
}

#[tokio::test(start_paused = true)]
async fn what_does_not_come_is_not_waited_for_longer_than_a_third_of_the_time() {
    let (scene, _gate) = read("a", "bad\n");
    let begun = Instant::now();
    scene.checks.record_baseline(&[]).await;
    assert_eq!(begun.elapsed(), DEFAULT_WAIT / 3);
    let begun = Instant::now();
    scene.checks.begin_command().await;
    assert_eq!(begun.elapsed(), DEFAULT_WAIT / 3);
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_another_one_by_now_is_not_asked_about() {
    let gate = Arc::new(Notify::new());
    let scene = scene_of(Grumbler { gate: Some(Arc::clone(&gate)), ..Grumbler::default() });
    scene.grumbler.disk.write("a", "read\n");
    scene.checks.warm_up(scene.grumbler.disk.document(Path::new("/w/a")).unwrap());
    settle().await;
    scene.grumbler.disk.write("a", "changed\n");
    scene.checks.check_edits(&[edited("a", Some("read\n"), Some("changed\n"))]).await.unwrap();
    gate.notify_one();
    settle().await;
    assert_eq!(*scene.grumbler.asked.lock().unwrap(), ["changed\n"]);
}

#[tokio::test(start_paused = true)]
async fn however_many_are_read_a_server_that_is_not_ready_is_asked_by_one() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    for number in 0..MOST_AGAIN + 10 {
        scene.grumbler.disk.write(&number.to_string(), "fine\n");
        scene
            .checks
            .warm_up(scene.grumbler.disk.document(&Path::new("/w").join(number.to_string())).unwrap());
    }
    settle().await;
    assert_eq!(*scene.grumbler.later.lock().unwrap(), [MOST_AGAIN]);
    // Those who read next do not ask beside that.
    read_again(&scene, "0").await;
    read_again(&scene, "1").await;
    assert_eq!(*scene.grumbler.later.lock().unwrap(), [MOST_AGAIN]);
    scene.grumbler.indexed.notify_one();
    settle().await;
    assert_eq!(*scene.grumbler.later.lock().unwrap(), [MOST_AGAIN, 2]);
    scene.grumbler.indexed.notify_one();
    settle().await;
    // The next one to read waits again.
    read_again(&scene, "0").await;
    assert_eq!(*scene.grumbler.later.lock().unwrap(), [MOST_AGAIN, 2, 1]);
}

async fn read_again(scene: &Scene, name: &str) {
    scene.checks.warm_up(scene.grumbler.disk.document(&Path::new("/w").join(name)).unwrap());
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_read_in_one_breath_is_asked_about_at_once() {
    let scene = scene();
    scene.grumbler.is_indexing.store(true, Ordering::SeqCst);
    for (name, text) in [("a", "old\n"), ("b", "fine\n"), ("a", "new\n")] {
        scene.grumbler.disk.write(name, text);
        scene.checks.warm_up(scene.grumbler.disk.document(&Path::new("/w").join(name)).unwrap());
    }
    settle().await;
    assert_eq!(*scene.grumbler.asked.lock().unwrap(), ["new\n", "fine\n"]);
    assert_eq!(*scene.grumbler.later.lock().unwrap(), [2]);
}
