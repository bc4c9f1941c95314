//! Any bytes, in any pieces: the frame reader finds the same messages, stays within its caps, and never panics.

#![no_main]

use bytes::{Bytes, BytesMut};
use libfuzzer_sys::fuzz_target;

use copydesk_rpc::frame::MAX_HEADER_BYTES;
use copydesk_rpc::frame::decode::FrameDecoder;
use copydesk_rpc::frame::head::RpcMessageHead;

fn messages(bytes: &[u8], piece: usize) -> Vec<Bytes> {
    let (mut decoder, mut buffer, mut found) = (FrameDecoder::default(), BytesMut::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        buffer.extend_from_slice(piece);
        while let Some(frame) = decoder.next(&mut buffer) {
            found.extend(frame);
        }
        assert!(decoder.bytes_needed() > 0 || buffer.len() <= MAX_HEADER_BYTES.max(copydesk_rpc::frame::HEAD_BYTES));
    }
    decoder.end(&mut buffer);
    found
}

fuzz_target!(|bytes: &[u8]| {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let whole = messages(bytes, usize::MAX);
    assert_eq!(whole, messages(bytes, usize::from(*size) + 1));
    whole.iter().for_each(|message| drop(RpcMessageHead::read(message)));
    drop(RpcMessageHead::guess(bytes));

    // Whatever came before, a message after a line end is found, unless an earlier header claimed it.
    let mut more = bytes.to_vec();
    more.extend(b"\nContent-Length: 5\r\n\r\nhello");
    if !bytes.windows(14).any(|window| window.eq_ignore_ascii_case(b"content-length")) {
        assert_eq!(messages(&more, usize::from(*size) + 1).last().map(Bytes::as_ref), Some(&b"hello"[..]));
    }
});
