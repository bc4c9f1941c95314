//! An index of the lines of a text, for positions in UTF-16. It is built once; each lookup then takes constant time,
//! however long a line is.

use copydesk_text::Position;

/// The index stores the number of code units before every `STEP` bytes.
const STEP: usize = 256;

#[derive(Debug)]
pub(crate) struct Utf16LineIndex<'a> {
    text: &'a str,
    /// Where each line begins. Never empty.
    starts: Vec<usize>,
    /// The code units before each step. `None` for ASCII, where each byte is one.
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

    /// A text that ends with a line break has an empty last line.
    pub(crate) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The line of a byte. A line break belongs to the line that it ends.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    pub(crate) fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    pub(crate) fn is_line_start(&self, offset: usize) -> bool {
        self.starts.binary_search(&offset).is_ok()
    }

    /// Before its line break.
    pub(crate) fn line_end(&self, line: usize) -> usize {
        let start = self.line_start(line);
        start + self.line_text(line).map_or(0, str::len)
    }

    /// Without its line break.
    pub(crate) fn line_text(&self, line: usize) -> Option<&'a str> {
        let start = *self.starts.get(line)?;
        let line = self.text.get(start..self.line_start(line + 1))?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// The byte offset of a position, clamped to the end of its line and of the text.
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
        for (index, byte) in self.text.as_bytes().get(from..end).unwrap_or_default().iter().enumerate() {
            if units >= wanted && width(*byte) > 0 {
                return (from + index).max(start);
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

/// The code units of a character count for its first byte.
fn width(byte: u8) -> usize {
    usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_lsp() {
        let index = Utf16LineIndex::new("a\r\nb\rc\n");
        let lines: Vec<_> = (0..index.line_count()).map(|line| index.line_text(line).unwrap()).collect();
        assert_eq!(lines, ["a", "b", "c", ""]);
        assert_eq!((index.line_at(1), index.line_at(3), index.line_at(7)), (0, 1, 3));
    }

    #[test]
    fn offsets_and_positions_round_trip() {
        let long = "é😀x\u{fffd}".repeat(300);
        for text in ["", "plain\ntext\r\n", "é😀\nx😀y", &format!("{long}\n{long}\r{long}")] {
            let index = Utf16LineIndex::new(text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = index.position(offset);
                let line = index.line_at(offset);
                let before = text[index.line_start(line)..offset].encode_utf16().count();
                assert_eq!(position, Position::new(line as u32, before as u32));
                if offset <= index.line_end(line) {
                    assert_eq!(index.offset(position), offset, "{position:?}");
                }
            }
        }
    }

    #[test]
    fn positions_past_the_end_are_clamped() {
        let index = Utf16LineIndex::new("aé\nb");
        let at = |line, character| index.offset(Position::new(line, character));
        assert_eq!((at(0, 99), at(0, u32::MAX), at(1, 2), at(7, 0)), (3, 3, 5, 5));
        // Inside a character of two code units.
        assert_eq!(Utf16LineIndex::new("😀x").offset(Position::new(0, 1)), 4);
    }
}
