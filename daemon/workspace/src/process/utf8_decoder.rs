//! Decodes bytes that arrive in pieces: a character cut between two pieces is completed by the next one, and
//! invalid UTF-8 becomes `U+FFFD`.

#[derive(Debug, Default)]
pub(super) struct Utf8Decoder {
    /// The beginning of a character: at most three bytes.
    pending: Vec<u8>,
}

impl Utf8Decoder {
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.pending);
        all.extend_from_slice(bytes);
        let mut text = String::with_capacity(all.len());
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let error = match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    break;
                }
                Err(error) => error,
            };
            let (valid, after) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
            text.push_str(std::str::from_utf8(valid).unwrap_or_default());
            let Some(length) = error.error_len() else {
                self.pending = after.to_vec();
                break;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = after.get(length..).unwrap_or_default();
        }
        text
    }

    /// The remains of a character that was never completed.
    pub(super) fn finish(&mut self) -> String {
        let pending = std::mem::take(&mut self.pending);
        String::from_utf8_lossy(&pending).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_pieces_are_cut(
            bytes in prop_oneof![
                any::<String>().prop_map(String::into_bytes),
                proptest::collection::vec(any::<u8>(), 0..60),
            ],
            size in 1..5usize,
        ) {
            let mut decoder = Utf8Decoder::default();
            let mut text: String = bytes.chunks(size).map(|piece| decoder.push(piece)).collect();
            text += &decoder.finish();
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
        }
    }
}
