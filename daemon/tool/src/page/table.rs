//! A table, buffered until its end: only then do we know whether its cells contain data or page layout.

use super::PageFormat;
use super::writer::PageWriter;

/// The cap on nested tables. The reader reads deeper ones as blocks.
pub(super) const MAX_DEPTH: usize = 6;

const MAX_COLUMNS: usize = 64;

/// In a table without a header, a longer cell means page layout.
const LONG: usize = 300;

#[derive(Debug, Default)]
pub(super) struct HtmlTable {
    rows: Vec<TableRow>,
    /// One of its cells contains another table.
    pub(super) holds_table: bool,
}

#[derive(Debug, Default)]
struct TableRow {
    cells: Vec<String>,
    has_header: bool,
}

impl HtmlTable {
    pub(super) fn row(&mut self) {
        self.rows.push(TableRow::default());
    }

    pub(super) fn cell(&mut self, text: String, span: usize, is_header: bool) {
        if self.rows.is_empty() {
            self.row();
        }
        let Some(row) = self.rows.last_mut() else { return };
        row.has_header |= is_header;
        let room = MAX_COLUMNS.saturating_sub(row.cells.len());
        if room == 0 {
            // Keep the text of surplus columns.
            if let Some(last) = row.cells.last_mut() {
                last.push(' ');
                last.push_str(&text);
            }
            return;
        }
        row.cells.push(text);
        row.cells.extend(std::iter::repeat_n(String::new(), span.clamp(1, room) - 1));
    }

    fn is_data(&self) -> bool {
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let has_header = self.rows.iter().any(|row| row.has_header);
        let mut cells = self.rows.iter().flat_map(|row| &row.cells);
        columns > 1
            && self.rows.len() > 1
            && !self.holds_table
            && cells.all(|cell| {
                !cell.contains("```") && (has_header || cell.len() <= LONG && !cell.contains("\n\n"))
            })
    }

    pub(super) fn write(mut self, form: PageFormat, writer: &mut PageWriter) {
        self.rows.retain(|row| row.cells.iter().any(|cell| !cell.is_empty()));
        writer.block();
        if self.is_data() {
            writer.lines(&self.data(form));
        } else {
            for row in &self.rows {
                row.layout(writer);
            }
        }
        writer.block();
    }

    fn data(&self, form: PageFormat) -> String {
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            match form {
                PageFormat::Text => {
                    let cells: Vec<_> = row.cells.iter().map(|cell| cell.replace('\n', " ")).collect();
                    text.push_str(cells.join(" | ").trim_end());
                    text.push('\n');
                }
                PageFormat::Markdown => {
                    for cell in &row.cells {
                        let cell = cell.replace('|', "\\|").replace("\n\n", "<br>").replace('\n', "<br>");
                        text.push_str("| ");
                        text.push_str(&cell);
                        text.push(' ');
                    }
                    text.push_str("|\n");
                    if number == 0 {
                        text.push_str(&"| --- ".repeat(row.cells.len()));
                        text.push_str("|\n");
                    }
                }
            }
        }
        text
    }
}

impl TableRow {
    fn layout(&self, writer: &mut PageWriter) {
        let cells = self.cells.iter().filter(|cell| !cell.is_empty());
        if self.cells.iter().all(|cell| !cell.contains('\n')) {
            writer.line();
            let line = cells.map(String::as_str).collect::<Vec<_>>().join(" ");
            writer.lines(&line);
            return;
        }
        for cell in cells {
            writer.block();
            writer.lines(cell);
        }
        writer.block();
    }
}
