//! The first law: the daemon applies a client's notifications in order of arrival.

use serde_json::json;

use super::naive::NaiveServerClient;
use crate::editors::scripted_daemon::{ScriptedDaemon, read, text_turn};
use crate::editors::scripted_editor::did_change_params;

const BURST: i32 = 400;

#[tokio::test(start_paused = true)]
async fn the_naive_server_loses_the_order_of_a_burst() {
    let mut raw = NaiveServerClient::connect().await;
    raw.burst(BURST).await;
    assert!(raw.is_stuck().await, "nobody asked anything");
    let versions = raw.versions.lock().unwrap().clone();
    assert_eq!(versions.len(), 400, "all of them are applied");
    let inversions = versions.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert!(inversions > 0, "the framework keeps the order by itself");
}

#[test]
fn four_hundred_changes_in_a_burst_are_applied_in_order() {
    let daemon = ScriptedDaemon::new([read("c1", "a.txt"), text_turn("Read.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "");
    for number in 0..BURST {
        let at = json!({ "line": number, "character": 0 });
        let change = json!([{ "range": { "start": at, "end": at }, "text": format!("line {number}\n") }]);
        client.notify("textDocument/didChange", did_change_params(&uri, number + 2, &change));
    }
    client.run_turn(&session, "Read it");
    let expected: String = (0..BURST).map(|number| format!("{}: line {number}\n", number + 1)).collect();
    assert!(daemon.last_model_input(1).contains(&expected), "{}", daemon.last_model_input(1));
}

/// Each change builds on the one before: a single one out of order would give a text that was never typed.
#[test]
fn changes_that_build_on_each_other_come_out_as_typed() {
    let daemon = ScriptedDaemon::new([read("c1", "a.txt"), text_turn("Read.")]);
    let mut client = daemon.client("vscode");
    let (session, uri) = (client.new_session(), daemon.uri("a.txt"));
    client.open(&uri, "|");
    for number in 0..BURST {
        let letter = char::from(b'a' + u8::try_from(number % 26).unwrap());
        // At the mark, which moves on.
        client.type_text(&uri, "|", &format!("{letter}|"));
        if number % 7 == 6 {
            client.type_text(&uri, &format!("{letter}|"), "\n|");
        }
    }
    client.run_turn(&session, "Read it");
    let lines = client.text(&uri).lines().enumerate();
    let expected: String = lines.map(|(number, line)| format!("{}: {line}\n", number + 1)).collect();
    assert!(daemon.last_model_input(1).contains(expected.trim_end()), "{}", daemon.last_model_input(1));
}
