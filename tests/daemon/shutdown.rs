//! How a daemon ends: when idle, on request, by a signal.

use super::stdio_editor::{ForegroundDaemon, LOG, StdioEditor, daemon_environment, kill};

#[test]
fn a_daemon_that_nobody_needs_ends() {
    let env = daemon_environment();
    assert!(ForegroundDaemon::start(&env, &["--idle-exit", "0"]).wait_for_exit(&env).success());
    assert!(env.read(LOG).contains("unused for a while"));
}

#[test]
fn signals_end_it_cleanly() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let env = daemon_environment();
        let daemon = ForegroundDaemon::start(&env, &[]);
        kill(daemon.child.id().into(), signal);
        assert!(daemon.wait_for_exit(&env).success(), "{signal}");
        assert!(env.read(LOG).contains("ending"), "{signal}");
    }
}

#[test]
fn it_is_stopped_on_request() {
    for args in [&["stop"][..], &["stop", "--now"]] {
        let env = daemon_environment();
        let daemon = ForegroundDaemon::start(&env, &[]);
        let stop = env.run(args);
        assert_eq!((stop.stdout.as_str(), stop.code), ("The daemon has stopped.\n", Some(0)));
        assert!(daemon.wait_for_exit(&env).success());
    }
}

#[test]
fn a_stop_tells_that_editors_bring_it_back() {
    let env = daemon_environment();
    let (mut editor, before) = StdioEditor::start_initialized(&env);
    let stop = env.run(&["stop"]);
    assert_eq!(stop.stdout, "The daemon has stopped.\n1 attached client will start it again.\n");
    assert_eq!(editor.next()["method"], "copydesk/restarted");
    let after = editor.request("copydesk/status", serde_json::json!({}));
    assert_ne!(after["result"]["pid"].as_u64(), Some(before));
    editor.leave();
    env.run(&["stop"]);
}

#[test]
fn a_time_that_is_no_number_is_told() {
    let ran = daemon_environment().env("COPYDESK_IDLE_EXIT", "soon").run(&["daemon"]);
    assert!(ran.stderr.contains("COPYDESK_IDLE_EXIT is `soon`; expected a number of seconds"), "{ran:?}");
}
