//! Where the lines of a text are, for positions in UTF-16. Made once for a text; each question after that takes the same short
//! time, however long a line is.

use copydesk_text::Position;

/// The code units before every so many bytes are kept.
const STEP: usize = 256;

#[derive(Debug)]
pub(crate) struct Utf16LineIndex<'a> {
    text: &'a str,
    /// Where each line begins; the first always does.
    starts: Vec<usize>,
    /// The code units before each step. None where each byte is one.
    units: Option<Vec<usize>>,
}

impl<'a> Utf16LineIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let is_break = *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            if is_break {
                starts.push(at + 1);
            }
        }
        let units = (!text.is_ascii()).then(|| {
            let sums = bytes.chunks(STEP).scan(0, |sum, chunk| {
                *sum += chunk.iter().map(|byte| width(*byte)).sum::<usize>();
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        Self { text, starts, units }
    }

    /// How many lines there are; behind a final break is one more.
    pub(crate) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The line that a byte is in. A break belongs to the line that it ends.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    pub(crate) fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    pub(crate) fn is_line_start(&self, offset: usize) -> bool {
        self.starts.binary_search(&offset).is_ok()
    }

    /// Before its break.
    pub(crate) fn line_end(&self, line: usize) -> usize {
        let start = self.line_start(line);
        start + self.line_text(line).map_or(0, str::len)
    }

    /// Without its break.
    pub(crate) fn line_text(&self, line: usize) -> Option<&'a str> {
        let start = *self.starts.get(line)?;
        let whole = self.text.get(start..self.line_start(line + 1))?;
        let without = whole.strip_suffix('\n').unwrap_or(whole);
        Some(without.strip_suffix('\r').unwrap_or(without))
    }

    /// The byte that a position names; past the end of a line is its end, past the end of the text is its end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return self.text.len();
        }
        let (start, end) = (self.line_start(line), self.line_end(line));
        let Some(steps) = &self.units else { return end.min(start + position.character as usize) };
        let wanted = self.units_before(start) + position.character as usize;
        let step = steps.partition_point(|units| *units < wanted).saturating_sub(1);
        let mut units = steps.get(step).copied().unwrap_or_default();
        let from = step * STEP;
        for (past, byte) in self.text.as_bytes().get(from..end).unwrap_or_default().iter().enumerate() {
            if units >= wanted && width(*byte) > 0 {
                return (from + past).max(start);
            }
            units += width(*byte);
        }
        end
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_at(offset);
        let character = self.units_before(offset) - self.units_before(self.line_start(line));
        Position::new(saturate_u32(line), saturate_u32(character))
    }

    fn units_before(&self, offset: usize) -> usize {
        let Some(steps) = &self.units else { return offset };
        let step = offset / STEP;
        let rest = self.text.as_bytes().get(step * STEP..offset).unwrap_or_default();
        let before = steps.get(step).copied().unwrap_or_default();
        before + rest.iter().map(|byte| width(*byte)).sum::<usize>()
    }
}

pub(crate) fn saturate_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The code units that a byte stands for: those of its character, if it is the first of it.
fn width(byte: u8) -> usize {
    usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_lsp_says() {
        let places = Utf16LineIndex::new("a\r\nb\rc\n");
        let lines: Vec<_> = (0..places.line_count()).map(|line| places.line_text(line).unwrap()).collect();
        assert_eq!(lines, ["a", "b", "c", ""]);
        assert_eq!((places.line_at(1), places.line_at(3), places.line_at(7)), (0, 1, 3));
    }

    #[test]
    fn every_place_is_found_again() {
        let long = "é😀x\u{fffd}".repeat(300);
        for text in ["", "plain\ntext\r\n", "é😀\nx😀y", &format!("{long}\n{long}\r{long}")] {
            let places = Utf16LineIndex::new(text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = places.position(offset);
                let line = places.line_at(offset);
                let before = text[places.line_start(line)..offset].encode_utf16().count();
                assert_eq!(position, Position::new(line as u32, before as u32));
                if offset <= places.line_end(line) {
                    assert_eq!(places.offset(position), offset, "{position:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_past_the_end_is_the_end() {
        let places = Utf16LineIndex::new("aé\nb");
        let at = |line, character| places.offset(Position::new(line, character));
        assert_eq!((at(0, 99), at(0, u32::MAX), at(1, 2), at(7, 0)), (3, 3, 5, 5));
        // Within a character of two units.
        assert_eq!(Utf16LineIndex::new("😀x").offset(Position::new(0, 1)), 4);
    }
}
