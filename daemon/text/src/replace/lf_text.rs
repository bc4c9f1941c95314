//! A text with `\n` as its only line break, and the mapping back to the original.

use std::borrow::Cow;

use memchr::memmem;

pub(super) struct LfText<'a> {
    pub(super) text: Cow<'a, str>,
    /// Offsets of the line breaks that lost a `\r`.
    shortened: Vec<usize>,
}

impl<'a> LfText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        if memmem::find(text.as_bytes(), b"\r\n").is_none() {
            return Self { text: Cow::Borrowed(text), shortened: Vec::new() };
        }
        let mut flat = String::with_capacity(text.len());
        let mut shortened = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(line) => {
                    flat.push_str(line);
                    shortened.push(flat.len());
                    flat.push('\n');
                }
                None => flat.push_str(line),
            }
        }
        Self { text: Cow::Owned(flat), shortened }
    }

    /// The offset in the original: before the `\r` of a line break, never behind it.
    pub(super) fn raw_offset(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|shortened| *shortened < at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_way_back() {
        let flat = LfText::new("a\r\nb\nc\r\r\n");
        assert_eq!(flat.text, "a\nb\nc\r\n");
        let raw: Vec<_> = (0..=flat.text.len()).map(|at| flat.raw_offset(at)).collect();
        assert_eq!(raw, [0, 1, 3, 4, 5, 6, 7, 9]);
    }
}
