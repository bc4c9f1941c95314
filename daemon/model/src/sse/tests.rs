use proptest::prelude::*;

use super::{SseError, SseMessage, SseReader};

const LIMIT: usize = 32 * 1024 * 1024;

/// The messages, and the error that ended reading after them.
fn read(chunks: &[&[u8]], limit: usize) -> (Vec<SseMessage>, Option<SseError>) {
    let mut reader = SseReader::new(limit);
    let mut out = Vec::new();
    for chunk in chunks {
        if let Err(error) = reader.push(chunk, &mut out) {
            return (out, Some(error));
        }
    }
    match reader.finish() {
        Ok(last) => out.extend(last),
        Err(error) => return (out, Some(error)),
    }
    (out, None)
}

fn message(event: &str, data: &str) -> SseMessage {
    SseMessage { event: event.into(), data: data.into() }
}

#[track_caller]
fn check(input: &[u8], expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(event, data)| message(event, data)).collect();
    assert_eq!(read(&[input], LIMIT), (expected.clone(), None));
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(read(&bytes, LIMIT), (expected, None), "byte by byte");
}

#[test]
fn lines_end_at_lf_crlf_and_cr() {
    check(b"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n", &[("", "a"), ("", "b"), ("", "c"), ("", "d")]);
    check(b"event: x\r\ndata: a\rdata: b\ndata\n\n", &[("x", "a\nb\n")]);
}

#[test]
fn bom_comments_and_unknown_fields_are_passed_over() {
    check(b"\xEF\xBB\xBFdata: a\n\n", &[("", "a")]);
    check(b": keep-alive\n\nid: 7\nretry: 100\nfoo: bar\ndata:a\n\n", &[("", "a")]);
    check(b"data: \xEF\xBB\xBF\n\n", &[("", "\u{feff}")]);
}

#[test]
fn one_space_after_the_colon_is_dropped() {
    check(b"data:  two\ndata:none\n\n", &[("", " two\nnone")]);
}

#[test]
fn an_event_without_data_is_no_message() {
    check(b"event: ping\n\nevent: next\ndata:\n\n", &[("next", "")]);
}

#[test]
fn the_end_closes_the_last_message() {
    check(b"data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]);
    check(b"data: a\n", &[("", "a")]);
    check(b"", &[]);
}

#[test]
fn a_character_cut_by_the_network_is_whole_again() {
    check("data: h\u{e9}\u{1f600}\n\n".as_bytes(), &[("", "h\u{e9}\u{1f600}")]);
}

#[test]
fn bytes_that_are_not_utf8_are_reported_after_what_came_before() {
    assert_eq!(
        read(&[b"data: a\n\ndata: \xff\n\n"], LIMIT),
        (vec![message("", "a")], Some(SseError::InvalidUtf8))
    );
}

#[test]
fn a_message_above_the_limit_is_reported() {
    let too_large = Some(SseError::TooLarge { limit: 20 });
    assert_eq!(read(&[b"data: aaaa\n\n", b"data: bbbbbbbbbbbbbbbbbbbbbbbbb"], 20).1, too_large);
    // Many short lines are one message too.
    assert_eq!(read(&[b"data: aaaaaaaa\ndata: aaaaaaaa\ndata: aaaaaaaa\n"], 20).1, too_large);
    assert_eq!(read(&[b"data: aaaaaaaaaaaaa\n\n"], 20).1, None);
}

#[test]
fn ten_megabytes_on_one_line_come_through_in_small_chunks() {
    let text = "x".repeat(10 * 1024 * 1024);
    let input = format!("data: {text}\n\n");
    let chunks: Vec<&[u8]> = input.as_bytes().chunks(100).collect();
    let (messages, error) = read(&chunks, LIMIT);
    assert_eq!(error, None);
    assert_eq!(messages, [message("", &text)]);
}

/// Well-formed lines mixed with arbitrary bytes.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"data: ".to_vec()),
        Just(b"data:".to_vec()),
        Just(b"event: e\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just(b": c".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just("\u{1f600}".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
        "[ -~]{0,12}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_messages(input in stream(), cuts in proptest::collection::vec(1_usize..9, 1..64)) {
        let mut chunks = Vec::new();
        let mut rest: &[u8] = &input;
        for cut in cuts.iter().cycle() {
            if rest.is_empty() { break; }
            let (head, tail) = rest.split_at(rest.len().min(*cut));
            chunks.push(head);
            rest = tail;
        }
        for limit in [LIMIT, 24] {
            let whole = read(&[&input], limit);
            let cut = read(&chunks, limit);
            prop_assert_eq!(&whole.0, &cut.0);
            prop_assert_eq!(whole.1, cut.1);
        }
    }
}
