//! The lines of a file, unchanged, each with its start and ending.

#[derive(Debug, Clone, Copy)]
pub(super) struct FileLine<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
    /// `\n`, `\r\n`, or empty at the end of the file.
    pub(super) ending: &'a str,
}

impl FileLine<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len() + self.ending.len()
    }
}

pub(super) fn split_file_lines(text: &str) -> Vec<FileLine<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|whole| {
            let text = whole.strip_suffix('\n').map_or(whole, |text| text.strip_suffix('\r').unwrap_or(text));
            let line = FileLine { start, text, ending: whole.get(text.len()..).unwrap_or_default() };
            start += whole.len();
            line
        })
        .collect()
}
