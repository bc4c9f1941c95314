//! How a daemon ends: when nobody needs it, when it is told to, by a signal.

use super::stdio_editor::{ForegroundDaemon, LOG, StdioEditor, daemon_environment, kill};

#[test]
fn a_daemon_that_nobody_needs_ends() {
    let desk = daemon_environment();
    assert!(ForegroundDaemon::start(&desk, &["--idle-exit", "0"]).wait_for_exit(&desk).success());
    assert!(desk.read(LOG).contains("unused for a while"));
}

#[test]
fn signals_end_it_cleanly() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let desk = daemon_environment();
        let daemon = ForegroundDaemon::start(&desk, &[]);
        kill(daemon.child.id().into(), signal);
        assert!(daemon.wait_for_exit(&desk).success(), "{signal}");
        assert!(desk.read(LOG).contains("ending"), "{signal}");
    }
}

#[test]
fn it_is_stopped_on_request() {
    for args in [&["stop"][..], &["stop", "--now"]] {
        let desk = daemon_environment();
        let daemon = ForegroundDaemon::start(&desk, &[]);
        let stop = desk.run(args);
        assert_eq!((stop.stdout.as_str(), stop.code), ("The daemon has stopped.\n", Some(0)));
        assert!(daemon.wait_for_exit(&desk).success());
    }
}

#[test]
fn a_stop_tells_that_editors_bring_it_back() {
    let desk = daemon_environment();
    let (mut editor, before) = StdioEditor::start_initialized(&desk);
    let stop = desk.run(&["stop"]);
    assert_eq!(stop.stdout, "The daemon has stopped.\n1 attached clients will start it again.\n");
    assert_eq!(editor.next()["method"], "copydesk/restarted");
    let after = editor.request("copydesk/status", serde_json::json!({}));
    assert_ne!(after["result"]["pid"].as_u64(), Some(before));
    editor.leave();
    desk.run(&["stop"]);
}

#[test]
fn a_time_that_is_no_number_is_told() {
    let ran = daemon_environment().env("COPYDESK_IDLE_EXIT", "soon").run(&["daemon"]);
    assert!(ran.stderr.contains("COPYDESK_IDLE_EXIT is `soon`; expected a number of seconds"), "{ran:?}");
}
