//! Any bytes, in any pieces: the frame reader finds the same messages, stays within its caps, and never panics.

#![no_main]

use bytes::{Bytes, BytesMut};
use libfuzzer_sys::fuzz_target;

use copydesk_rpc::frame::LONGEST_HEADER;
use copydesk_rpc::frame::decode::Decoder;
use copydesk_rpc::frame::head::Head;

fn messages(bytes: &[u8], piece: usize) -> Vec<Bytes> {
    let (mut decoder, mut buffer, mut found) = (Decoder::default(), BytesMut::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        buffer.extend_from_slice(piece);
        while let Some(frame) = decoder.next(&mut buffer) {
            found.extend(frame);
        }
        assert!(decoder.wanted() > 0 || buffer.len() <= LONGEST_HEADER.max(copydesk_rpc::frame::HEAD));
    }
    decoder.end(&mut buffer);
    found
}

fuzz_target!(|bytes: &[u8]| {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let whole = messages(bytes, usize::MAX);
    assert_eq!(whole, messages(bytes, usize::from(*size) + 1));
    whole.iter().for_each(|message| drop(Head::read(message)));
    drop(Head::guess(bytes));

    // Whatever came before, a message after a line end is found, unless an earlier header claimed it.
    let mut more = bytes.to_vec();
    more.extend(b"\nContent-Length: 5\r\n\r\nhello");
    if !bytes.windows(14).any(|window| window.eq_ignore_ascii_case(b"content-length")) {
        assert_eq!(messages(&more, usize::from(*size) + 1).last().map(Bytes::as_ref), Some(&b"hello"[..]));
    }
});
