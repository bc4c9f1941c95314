//! A client that does not read: the daemon serves everybody else, and caps what it keeps for it.

use serde_json::json;

use super::scripted_daemon::ScriptedDaemon;
use crate::daemon::stdio_editor::frame_message;
use crate::model_server::ScriptedTurn;

/// A client that reads is at most one batch behind. In parts of an answer, because deltas of one part are joined.
const BATCH: usize = 200;
const BATCHES: usize = 20;

/// The resident memory of a process, in kB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_client_that_does_not_read_costs_the_others_nothing() {
    // Short parts, so that the memory that grows is the queue of the client that does not read, not the answer itself.
    let gate = |batch: usize| format!("after batch {batch}");
    let turn = (0..BATCHES).fold(ScriptedTurn::new(), |turn, batch| {
        (0..BATCH / 2).fold(turn, |turn, _| turn.reasoning("hm").text("ha")).gate(gate(batch))
    });
    let daemon = ScriptedDaemon::new([turn]);
    let mut deaf = daemon.client("vscode");
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    deaf.load(&session);
    client.prompt(&session, "Talk");
    let mut halfway = 0;
    for batch in 0..BATCHES {
        (0..BATCH).for_each(|_| drop(client.wait_for_event(&session, "delta")));
        if batch == BATCHES / 2 {
            halfway = resident(daemon.pid());
        }
        if batch + 1 < BATCHES {
            daemon.open_gate(&gate(batch));
        }
    }
    // A client that reads gets everything.
    let numbers = client.numbers(&session);
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    client.request_ok("copydesk/status", json!({}));
    // Its queue was full early on, and halfway the allocator has seen its peak; from then on only the answer itself grows.
    // The 6,000 events since would take more than a kB each.
    let grown = resident(daemon.pid()).saturating_sub(halfway);
    println!("grown by {grown} kB from {halfway} kB");
    assert!(grown < 5_000, "{grown} kB");
    daemon.open_gate(&gate(BATCHES - 1));
    assert_eq!(client.wait_for_turn_end(&session), "done");
    // It reads again: it gets the end, and before it a gap that tells it to reload.
    assert_eq!(deaf.wait_for_turn_end(&session), "done");
    let numbers = deaf.numbers(&session);
    assert!(numbers.windows(2).any(|pair| pair[1] > pair[0] + 1), "all {} events came", numbers.len());
    assert!(numbers.windows(2).all(|pair| pair[1] > pair[0]));
    let loaded = deaf.load(&session);
    let parts = loaded["parts"].as_array().unwrap();
    let last = parts.iter().rfind(|part| part["content"]["kind"] == "text");
    assert_eq!(last.unwrap()["content"]["text"], "ha");
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
    let daemon = ScriptedDaemon::new([ScriptedTurn::new()
        .chunks(std::iter::repeat_n(word.clone(), 12_000))
        .gate("end")]);
    let mut deaf = daemon.client("vscode");
    let mut client = daemon.client("nvim");
    let session = client.new_session();
    deaf.load(&session);
    client.prompt(&session, "Talk");
    // More than the socket holds. Deltas that come close together are joined.
    let mut received = 0;
    while received < 12_000 * word.len() {
        received += client.wait_for_event(&session, "delta")["text"].as_str().unwrap().len();
    }
    deaf.stream().shutdown(std::net::Shutdown::Write).unwrap();
    while client.request_ok("copydesk/status", json!({}))["clients"] != 1 {}
    // The daemon closes its side, too, so that what it could read ends: the last message is cut if it did not fit into the socket.
    deaf.read_bytes_to_the_end();
    daemon.open_gate("end");
    assert_eq!(client.wait_for_turn_end(&session), "done");
}
