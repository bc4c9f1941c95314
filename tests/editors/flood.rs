//! A client that does not read: the daemon serves everybody else, and caps what it keeps for it.

use serde_json::json;

use super::scripted_daemon::{ScriptedDaemon, text_turn};
use crate::daemon::stdio_editor::frame_message;
use crate::model_server::ScriptedTurn;

/// More events than are queued for a client and fit into its pipe.
const EVENTS: usize = 6_000;

/// The resident memory of a process, in kB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_client_that_does_not_read_costs_the_others_nothing() {
    let daemon = ScriptedDaemon::new([text_turn("Done.")]);
    let mut deaf = daemon.client("vscode");
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    deaf.load(&session);
    let mut flood = |titles: std::ops::Range<usize>| {
        for number in titles {
            let title = format!("title {number}");
            client.request_ok("copydesk/session/rename", json!({ "session": session, "title": title }));
            assert_eq!(client.wait_for_event(&session, "session")["session"]["title"], title);
        }
    };
    flood(0..EVENTS);
    // Its queue is full, and the allocator has seen its peak. The events from now on would take a quarter of a kB each, and
    // twice as many as fit.
    let halfway = resident(daemon.pid());
    flood(EVENTS..3 * EVENTS);
    let grown = resident(daemon.pid()).saturating_sub(halfway);
    println!("grown by {grown} kB from {halfway} kB");
    assert!(grown < 2_000, "{grown} kB");
    // A client that reads gets everything.
    client.prompt(&session, "Talk");
    assert_eq!(client.wait_for_turn_end(&session), "done");
    let numbers = client.numbers(&session);
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    // It reads again: it gets the end, and before it a gap that tells it to reload.
    assert_eq!(deaf.wait_for_turn_end(&session), "done");
    let numbers = deaf.numbers(&session);
    assert!(numbers.windows(2).any(|pair| pair[1] > pair[0] + 1), "all {} events came", numbers.len());
    assert!(numbers.windows(2).all(|pair| pair[1] > pair[0]));
    assert_eq!(deaf.load(&session)["session"]["title"], format!("title {}", 3 * EVENTS - 1));
}

/// It sends requests and reads no response: the daemon stops reading from it, and nobody else notices.
#[test]
fn a_client_that_only_asks_stops_nobody_and_not_the_end() {
    let daemon = ScriptedDaemon::new([]);
    let mut deaf = daemon.client("vscode");
    let mut client = daemon.client("nvim");
    let mut stream = deaf.stream();
    stream.set_nonblocking(true).unwrap();
    let ask = frame_message(&json!({ "jsonrpc": "2.0", "id": 1, "method": "copydesk/models", "params": {} }));
    // Until the pipe is full, and stays so while the daemon responds to others many times.
    let mut full = 0;
    while full < 50 {
        match std::io::Write::write(&mut stream, &ask) {
            Ok(written) if written == ask.len() => full = 0,
            Ok(_) => full = 50,
            Err(_) => {
                full += 1;
                client.request_ok("copydesk/status", json!({}));
            }
        }
    }
    stream.set_nonblocking(false).unwrap();
    let held = resident(daemon.pid());
    assert!(held < 100_000, "{held} kB");
    assert_eq!(client.request_ok("copydesk/status", json!({}))["clients"], 2);
    assert_eq!(client.request_ok("copydesk/stop", json!({ "when": "now" })), json!({ "waitingFor": 0 }));
    client.read_to_the_end();
    deaf.applies_edits = false;
}

/// It has closed its sending side and does not read: the daemon does not wait for it.
#[test]
fn a_client_that_has_hung_up_halfway_is_let_go() {
    let word = "0123456789abcdef ".repeat(4);
    let length = word.len() * 16_000;
    let daemon =
        ScriptedDaemon::new([ScriptedTurn::new().chunks(std::iter::repeat_n(word, 16_000)).gate("end")]);
    let mut deaf = daemon.client("vscode");
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    deaf.load(&session);
    client.prompt(&session, "Talk");
    let mut seen = 0;
    while seen < length {
        seen += client.wait_for_event(&session, "delta")["text"].as_str().unwrap().len();
    }
    deaf.stream().shutdown(std::net::Shutdown::Write).unwrap();
    while client.request_ok("copydesk/status", json!({}))["clients"] != 1 {}
    // The daemon closes its side, too, so that what it could read ends.
    deaf.read_to_the_end();
    daemon.open_gate("end");
    assert_eq!(client.wait_for_turn_end(&session), "done");
}
