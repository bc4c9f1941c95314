//! Invalid messages: the sender gets an error, the daemon survives, other clients notice nothing.

use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixStream;

use serde_json::json;

use super::fake_daemon::connect_shim;
use super::stdio_editor::{StdioEditor, daemon_environment, frame_message, read_message, socket};

const TOO_LONG: usize = 100_000_000;

/// A message that is too long, in pieces.
fn too_long(head: &str) -> impl Iterator<Item = Vec<u8>> {
    let begin = format!("Content-Length: {TOO_LONG}\r\n\r\n{head}");
    let (piece, mut left) = (vec![b'x'; 1 << 20], TOO_LONG - head.len());
    let rest = std::iter::from_fn(move || {
        let size = piece.len().min(left);
        left -= size;
        (size > 0).then(|| piece[..size].to_vec())
    });
    std::iter::once(begin.into_bytes()).chain(rest)
}

#[test]
fn an_editor_that_sends_rubbish_is_told_and_goes_on() {
    let env = daemon_environment();
    let (mut other, _) = StdioEditor::start_initialized(&env);
    let (mut editor, pid) = StdioEditor::start_initialized(&env);
    editor.write(b"Content-Length: 9\r\n\r\n{\"id\": 1,");
    let told = editor.next();
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(null), &json!(-32700)));
    editor.write(b"\r\nHello, is there anybody?\n");
    let told = editor.next();
    assert_eq!(told["error"]["message"], "expected `Content-Length: N`, saw `Hello, is there anybody?`");
    editor.write(b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(editor.next()["error"]["code"], -32700);
    assert_eq!(editor.request("copydesk/no/such", json!({}))["error"]["code"], -32601);
    too_long(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":""#).for_each(|piece| editor.write(&piece));
    let told = editor.next();
    assert_eq!(told["id"], 5);
    assert_eq!(told["error"]["message"], "the message has 100000000 bytes; the limit is 67108864");
    too_long(r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":""#)
        .for_each(|piece| editor.write(&piece));
    let shown = editor.next();
    assert_eq!(shown["method"], "window/showMessage");
    assert!(shown["params"]["message"].as_str().unwrap().contains("textDocument/didOpen"), "{shown}");
    assert_eq!(editor.next()["error"]["code"], -32700);
    for editor in [&mut editor, &mut other] {
        assert_eq!(editor.request("copydesk/status", json!({}))["result"]["pid"], pid);
    }
    editor.leave();
    other.leave();
    env.run(&["stop"]);
}

#[test]
fn a_client_that_sends_rubbish_to_the_daemon_itself_is_told_and_goes_on() {
    let env = daemon_environment();
    let (mut other, pid) = StdioEditor::start_initialized(&env);
    let mut stream = UnixStream::connect(socket(&env)).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(read_message(&mut answers).unwrap()["error"]["code"], -32700);
    stream.write_all(b"Content-Length: 3\r\n\r\n{,}").unwrap();
    assert_eq!(read_message(&mut answers).unwrap()["error"]["code"], -32700);
    too_long("").for_each(|piece| stream.write_all(&piece).unwrap());
    assert_eq!(read_message(&mut answers).unwrap()["error"]["code"], -32700);
    stream.write_all(&frame_message(&json!({ "id": 1, "method": "initialize", "params": {} }))).unwrap();
    let hello = read_message(&mut answers).unwrap();
    assert_eq!(hello["result"]["capabilities"]["experimental"]["copydesk"]["pid"], pid, "{hello}");
    // It disconnects in the middle of a message.
    stream.write_all(b"Content-Length: 50\r\n\r\n{").unwrap();
    drop((stream, answers));
    assert_eq!(other.request("copydesk/status", json!({}))["result"]["pid"], pid);
    other.leave();
    env.run(&["stop"]);
}

#[test]
fn a_document_that_missed_a_change_is_closed() {
    let env = daemon_environment();
    let (by_hand, mut editor, mut hand) = connect_shim(&env, env!("CARGO_PKG_VERSION"));
    let item = json!({ "uri": "file:///a", "languageId": "", "version": 1, "text": "" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": item }));
    hand.expect_method("textDocument/didOpen");
    let head = r#"{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"},"text":""#;
    too_long(head).for_each(|piece| editor.write(&piece));
    assert_eq!(hand.expect_method("textDocument/didClose")["params"]["textDocument"]["uri"], "file:///a");
    // The next daemon does not hear of it.
    drop(hand);
    let mut next = by_hand.accept();
    next.answer_initialize(env!("CARGO_PKG_VERSION"));
    editor.notify("last", json!({}));
    next.expect_method("last");
    editor.leave();
}

#[test]
fn a_daemon_that_sends_rubbish_is_told_of_in_the_editors_log() {
    let env = daemon_environment();
    let (_by_hand, mut editor, mut hand) = connect_shim(&env, env!("CARGO_PKG_VERSION"));
    hand.write(b"rubbish\n");
    assert_eq!(editor.next()["method"], "window/logMessage");
    hand.write(b"Content-Length: 7\r\n\r\nrubbish");
    assert_eq!(editor.next()["method"], "window/logMessage");
    hand.send(&json!({ "id": 99, "result": "nobody asked" }));
    hand.send(&json!({ "method": "note" }));
    assert_eq!(editor.next()["method"], "note");
    editor.leave();
}
