//! What should not come and does: the right side is told, the daemon lives, other clients notice nothing.

use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixStream;

use serde_json::json;

use super::by_hand::greeted;
use super::editor::{Editor, desk, framed, read, socket};

const TOO_LONG: usize = 100_000_000;

/// A message with so much in it, in pieces.
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
    let desk = desk();
    let (mut other, _) = Editor::greeted(&desk);
    let (mut editor, pid) = Editor::greeted(&desk);
    editor.write(b"Content-Length: 9\r\n\r\n{\"id\": 1,");
    let told = editor.next();
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(null), &json!(-32700)));
    editor.write(b"\r\nHello, is there anybody?\n");
    let told = editor.next();
    assert_eq!(told["error"]["message"], "expected `Content-Length: N`, saw `Hello, is there anybody?`");
    editor.write(b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(editor.next()["error"]["code"], -32700);
    assert_eq!(editor.ask("copydesk/no/such", json!({}))["error"]["code"], -32601);
    too_long(r#"{"jsonrpc":"2.0","id":5,"method":"a","params":""#).for_each(|piece| editor.write(&piece));
    let told = editor.next();
    assert_eq!(told["id"], 5);
    assert_eq!(told["error"]["message"], "the message has 100000000 bytes, the most is 67108864");
    too_long(r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":""#)
        .for_each(|piece| editor.write(&piece));
    let shown = editor.next();
    assert_eq!(shown["method"], "window/showMessage");
    assert!(shown["params"]["message"].as_str().unwrap().contains("textDocument/didOpen"), "{shown}");
    assert_eq!(editor.next()["error"]["code"], -32700);
    for editor in [&mut editor, &mut other] {
        assert_eq!(editor.ask("copydesk/status", json!({}))["result"]["pid"], pid);
    }
    editor.leave();
    other.leave();
    desk.run(&["stop"]);
}

#[test]
fn a_client_that_sends_rubbish_to_the_daemon_itself_is_told_and_goes_on() {
    let desk = desk();
    let (mut other, pid) = Editor::greeted(&desk);
    let mut stream = UnixStream::connect(socket(&desk)).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(read(&mut answers).unwrap()["error"]["code"], -32700);
    stream.write_all(b"Content-Length: 3\r\n\r\n{,}").unwrap();
    assert_eq!(read(&mut answers).unwrap()["error"]["code"], -32700);
    too_long("").for_each(|piece| stream.write_all(&piece).unwrap());
    assert_eq!(read(&mut answers).unwrap()["error"]["code"], -32700);
    stream.write_all(&framed(&json!({ "id": 1, "method": "initialize", "params": {} }))).unwrap();
    let hello = read(&mut answers).unwrap();
    assert_eq!(hello["result"]["capabilities"]["experimental"]["copydesk"]["pid"], pid, "{hello}");
    // It goes in the middle of a word.
    stream.write_all(b"Content-Length: 50\r\n\r\n{").unwrap();
    drop((stream, answers));
    assert_eq!(other.ask("copydesk/status", json!({}))["result"]["pid"], pid);
    other.leave();
    desk.run(&["stop"]);
}

#[test]
fn a_document_that_missed_a_change_is_closed() {
    let desk = desk();
    let (by_hand, mut editor, mut hand) = greeted(&desk, env!("CARGO_PKG_VERSION"));
    let item = json!({ "uri": "file:///a", "languageId": "", "version": 1, "text": "" });
    editor.tell("textDocument/didOpen", json!({ "textDocument": item }));
    hand.expects("textDocument/didOpen");
    let head = r#"{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"},"text":""#;
    too_long(head).for_each(|piece| editor.write(&piece));
    assert_eq!(hand.expects("textDocument/didClose")["params"]["textDocument"]["uri"], "file:///a");
    // And the next daemon does not hear of it.
    drop(hand);
    let mut next = by_hand.accept();
    next.greet(env!("CARGO_PKG_VERSION"));
    editor.tell("last", json!({}));
    next.expects("last");
    editor.leave();
}

#[test]
fn a_daemon_that_sends_rubbish_is_told_of_in_the_editors_log() {
    let desk = desk();
    let (_by_hand, mut editor, mut hand) = greeted(&desk, env!("CARGO_PKG_VERSION"));
    hand.write(b"rubbish\n");
    assert_eq!(editor.next()["method"], "window/logMessage");
    hand.write(b"Content-Length: 7\r\n\r\nrubbish");
    assert_eq!(editor.next()["method"], "window/logMessage");
    hand.send(&json!({ "id": 99, "result": "nobody asked" }));
    hand.send(&json!({ "method": "note" }));
    assert_eq!(editor.next()["method"], "note");
    editor.leave();
}
