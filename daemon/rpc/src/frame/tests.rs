use bytes::BytesMut;
use proptest::prelude::*;

use super::*;

/// Decodes the bytes in chunks whose sizes cycle through `pieces`.
fn decode(bytes: &[u8], pieces: &[usize]) -> Vec<Result<Bytes, FrameError>> {
    let (mut decoder, mut buffer, mut out) = (FrameDecoder::default(), BytesMut::new(), Vec::new());
    let mut rest = bytes;
    let mut sizes = pieces.iter().copied().cycle();
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(usize::MAX).clamp(1, rest.len());
        let (piece, after) = rest.split_at(size);
        buffer.extend_from_slice(piece);
        rest = after;
        while let Some(frame) = decoder.next(&mut buffer) {
            out.push(frame);
        }
        assert!(buffer.len() <= MAX_MESSAGE_BYTES + 2 * MAX_HEADER_BYTES);
    }
    out.extend(decoder.end(&mut buffer).map(Err));
    out
}

fn messages(bytes: &[u8], pieces: &[usize]) -> Vec<Bytes> {
    decode(bytes, pieces).into_iter().flatten().collect()
}

#[track_caller]
fn check(bytes: &str, expected: &[&str]) {
    for size in [1, 2, 3, 7, usize::MAX] {
        let seen: Vec<_> = decode(bytes.as_bytes(), &[size])
            .into_iter()
            .map(|frame| match frame {
                Ok(frame) => String::from_utf8_lossy(&frame).into_owned(),
                Err(error) => format!("! {error}"),
            })
            .collect();
        assert_eq!(seen, expected, "in pieces of {size}");
    }
}

#[test]
fn headers_may_be_written_in_many_ways() {
    check("Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n1", &["{}", "1"]);
    check("content-length:2\n\n{}", &["{}"]);
    check("CONTENT-LENGTH :  2 \r\nContent-Type: a/b; charset=utf-8\r\n\r\n{}", &["{}"]);
    check("X-Before: 1\r\nContent-Length: 2\n\r\n{}", &["{}"]);
    check("\r\n\n  \r\n\r\nContent-Length: 2\r\n\r\n{}\n\n", &["{}"]);
    check("Content-Length: 3\r\nContent-Length: 2\r\n\r\n{}", &["{}"]);
    check("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", &["", "{}"]);
}

#[test]
fn bad_framing_is_reported_and_the_next_message_found() {
    let garbage = |seen: &str| format!("! expected `Content-Length: N`, saw `{seen}`");
    let good = "Content-Length: 2\r\n\r\n{}";
    check(&format!("hello\nworld\n{good}"), &[&garbage("hello"), "{}"]);
    check(&format!("junk{good}"), &[&garbage("junkContent-Length: 2"), "{}"]);
    check(&format!("Content-Length: x\r\n\r\n{good}"), &[&garbage("Content-Length: x"), "{}"]);
    check(&format!("Content-Length: -1\r\n\r\n{good}"), &[&garbage("Content-Length: -1"), "{}"]);
    check(&format!("A: b\r\n\r\n{good}"), &[&garbage("a header without a length"), "{}"]);
    check(&format!("Content-Length: 9\nno header\n{good}"), &[&garbage("no header"), "{}"]);
    check(
        &format!("Content-Length: Content-Length: 9\nA: b{good}"),
        &[&garbage("Content-Length: Content-Length: 9"), "{}"],
    );
    // Reported once, and again after a message came through.
    check(&format!("a\nb\n{good}\nc\n"), &[&garbage("a"), "{}", &garbage("c")]);
}

#[test]
fn a_stream_may_end_anywhere() {
    let cut = "! the stream ended inside a message";
    check("", &[]);
    check("\r\n", &[]);
    check("Content-Le", &[cut]);
    check("Content-Length: 2\r\n\r\n{", &[cut]);
}

#[test]
fn a_message_that_is_too_long_is_skipped_and_the_next_one_read() {
    let body = vec![b'x'; MAX_MESSAGE_BYTES + 1];
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend(&body);
    bytes.extend(b"Content-Length: 2\r\n\r\n{}");
    let too_long = FrameError::TooLong { length: body.len() as u64, head: vec![b'x'; HEAD_BYTES].into() };
    for size in [4096, 1024 * 1024 + 1] {
        assert_eq!(decode(&bytes, &[size]), [Err(too_long.clone()), Ok("{}".into())]);
    }
    let endless = format!("Content-Length: {}\r\n\r\nabc", "9".repeat(40));
    assert_eq!(decode(endless.as_bytes(), &[]), [Err(FrameError::Truncated)]);
}

#[test]
fn a_header_that_never_ends_is_not_held() {
    let (mut decoder, mut buffer) = (FrameDecoder::default(), BytesMut::new());
    let mut reported = 0;
    for _ in 0..100 {
        buffer.extend_from_slice(&[b'x'; 4096]);
        reported += decoder.next(&mut buffer).into_iter().count();
        assert!(buffer.len() <= MAX_HEADER_BYTES, "{}", buffer.len());
    }
    assert_eq!(reported, 1);
    buffer.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
    assert_eq!(decoder.next(&mut buffer), Some(Ok("{}".into())));
}

#[tokio::test]
async fn what_is_written_is_read() {
    let (one, mut other) = tokio::io::duplex(7);
    let write = async move {
        for message in ["{}", "", "[1, 2, 3]"] {
            super::write(&mut other, message.as_bytes()).await.unwrap();
        }
    };
    let read = async {
        let mut reader = FrameReader::new(one);
        let mut all = Vec::new();
        while let Some(frame) = reader.next().await.unwrap() {
            all.push(frame.unwrap());
        }
        all
    };
    assert_eq!(tokio::join!(write, read).1, ["{}", "", "[1, 2, 3]"]);
}

/// Garbage that claims no length: with one, it would rightly swallow what follows.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let words = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        Just(b"\r\n".to_vec()),
        Just(b"A: b\n".to_vec()),
        Just(b"Content-Length: x".to_vec()),
        Just(b"Content-Length".to_vec()),
        Just(b"Content-Length: 99\nbroken\n".to_vec()),
        prop::collection::vec(Just(b'y'), MAX_HEADER_BYTES - 20..MAX_HEADER_BYTES + 20),
        prop::collection::vec(Just(&b"A: b\n"[..]), 1600..1660).prop_map(|lines| lines.concat()),
    ];
    prop::collection::vec(words, 0..4).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_piecing_gives_the_same_messages(
        bytes in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..30),
            Just(b"Content-Length: 5\r\n\r\nhello".to_vec()),
            Just(b"Content-Length: 12\n\n".to_vec()),
            Just(b"\n".to_vec()),
            garbage(),
        ], 0..8),
        pieces in prop::collection::vec(1usize..3000, 1..5),
    ) {
        let bytes = bytes.concat();
        prop_assert_eq!(messages(&bytes, &[]), messages(&bytes, &pieces));
    }

    #[test]
    fn garbage_loses_no_message(
        parts in prop::collection::vec((garbage(), prop::collection::vec(any::<u8>(), 0..50)), 1..6),
        pieces in prop::collection::vec(1usize..3000, 1..5),
    ) {
        let mut bytes = Vec::new();
        for (garbage, message) in &parts {
            bytes.extend(garbage);
            bytes.extend(format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes());
            bytes.extend(message);
        }
        let expected: Vec<_> = parts.into_iter().map(|(_, message)| Bytes::from(message)).collect();
        prop_assert_eq!(messages(&bytes, &pieces), expected);
    }
}
