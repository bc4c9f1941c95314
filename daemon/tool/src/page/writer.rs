//! Writes the text: collapses white space, separates blocks, prefixes the lines of quotes and lists, puts marks around words.
//!
//! Breaks, spaces and opening marks are written only when the next word comes. So there is no empty mark, no blank line at an
//! end, and no space inside of a mark.
//!
//! The content of a table cell goes into its own [`WriterFrame`].

use super::PageFormat;
use super::markdown_text::{fence, needs_escape, printable};

/// The cap on prefixes of lists and quotes; deeper ones stay at this depth.
const MAX_PREFIXES: usize = 12;

/// The cap on the written text, including copies of cells and prefixes.
const MAX_WRITTEN_BYTES: usize = 32 * 1024 * 1024;

/// Marks around words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InlineMark {
    Strong,
    Emphasis,
    Struck,
    Superscript,
    /// With its address.
    Link(String),
}

impl InlineMark {
    fn same_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn opening(&self) -> &'static str {
        match self {
            Self::Strong => "**",
            Self::Emphasis => "*",
            Self::Struck => "~~",
            Self::Superscript => "^",
            Self::Link(_) => "[",
        }
    }
}

#[derive(Debug)]
struct OpenMark {
    mark: InlineMark,
    is_written: bool,
    /// The number of marks of its kind opened inside of it, which have no effect.
    again: usize,
}

#[derive(Debug)]
struct LinePrefix {
    first: String,
    rest: &'static str,
    is_used: bool,
}

/// A text under construction.
#[derive(Debug, Default)]
struct WriterFrame {
    out: String,
    prefixes: Vec<LinePrefix>,
    /// The number of prefixes beyond the cap, which are not written.
    deeper: usize,
    /// Line breaks before the next word: 1, or 2 for a blank line.
    due: u8,
    space: bool,
    /// The start of the next line, such as `## `.
    lead: String,
    in_heading: bool,
    marks: Vec<OpenMark>,
}

#[derive(Debug)]
pub(super) struct PageWriter {
    form: PageFormat,
    frame: WriterFrame,
    outer: Vec<WriterFrame>,
    budget: usize,
}

impl PageWriter {
    pub(super) fn new(form: PageFormat) -> Self {
        Self { form, frame: WriterFrame::default(), outer: Vec::new(), budget: MAX_WRITTEN_BYTES }
    }

    pub(super) fn is_full(&self) -> bool {
        self.budget == 0
    }

    pub(super) fn length(&self) -> usize {
        self.frame.out.len()
    }

    pub(super) fn is_outermost(&self) -> bool {
        self.outer.is_empty() && self.frame.prefixes.is_empty()
    }

    pub(super) fn finish(mut self) -> String {
        self.end_marks();
        self.frame.out
    }

    /// Starts a separate text, until [`PageWriter::leave`].
    pub(super) fn enter(&mut self) {
        self.outer.push(std::mem::take(&mut self.frame));
    }

    pub(super) fn leave(&mut self) -> String {
        self.end_marks();
        let inner = std::mem::replace(&mut self.frame, self.outer.pop().unwrap_or_default());
        inner.out
    }

    /// Writes text of the page, with white space collapsed.
    pub(super) fn text(&mut self, text: &str) {
        let is_space = |letter: char| matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\u{a0}');
        let mut words = text.split(is_space);
        if let Some(first) = words.next() {
            self.word(first);
        }
        for word in words {
            self.frame.space = true;
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        let word = printable(word);
        if word.is_empty() {
            return;
        }
        let begins = self.begin();
        // A cell is part of a line, so nothing in it starts one.
        if begins && self.outer.is_empty() && self.form == PageFormat::Markdown && needs_escape(&word) {
            self.push("\\");
        }
        self.push(&word);
    }

    /// Writes an image or code without escaping it.
    pub(super) fn inline(&mut self, text: &str) {
        self.begin();
        self.push(text);
    }

    pub(super) fn code(&mut self, code: &str) {
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
        if code.is_empty() {
            return;
        }
        match self.form {
            PageFormat::Text => self.inline(&code),
            PageFormat::Markdown => {
                let fence = fence(&code, 1);
                let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
                self.inline(&format!("{fence}{pad}{code}{pad}{fence}"));
            }
        }
    }

    pub(super) fn code_block(&mut self, language: &str, code: &str) {
        let code = code.trim_end().trim_start_matches(['\n', '\r']);
        if code.is_empty() {
            return;
        }
        self.block();
        if self.form == PageFormat::Markdown {
            let fence = fence(code, 3);
            self.lines(&format!("{fence}{language}\n{code}\n{fence}"));
        } else {
            self.lines(code);
        }
        self.block();
    }

    /// Writes lines as they are, each after the prefixes.
    pub(super) fn lines(&mut self, lines: &str) {
        // No mark spans several lines.
        let marks = std::mem::take(&mut self.frame.marks);
        for (number, line) in lines.lines().enumerate() {
            if number > 0 {
                self.frame.due = 1;
            }
            if line.is_empty() && number > 0 {
                self.new_line();
            } else {
                self.begin();
            }
            self.push(&printable(line));
        }
        self.frame.marks = marks;
    }

    /// Puts the next word on a new line.
    pub(super) fn line(&mut self) {
        self.break_by(1);
    }

    /// Puts the next word into a new block.
    pub(super) fn block(&mut self) {
        self.break_by(2);
    }

    fn break_by(&mut self, lines: u8) {
        self.end_marks();
        self.frame.space = false;
        // A heading with text ends here; one without waits for its text.
        if self.frame.lead.is_empty() {
            self.frame.in_heading = false;
        }
        // The first text of an item follows its marker.
        let begins_item = self.frame.prefixes.last().is_some_and(|prefix| !prefix.is_used);
        if !begins_item || self.frame.due == 0 {
            self.frame.due = self.frame.due.max(lines);
        }
    }

    /// Breaks the line; in a heading or a link, which stay on one line, writes a space.
    pub(super) fn soft_break(&mut self) {
        if self.frame.in_heading
            || self.frame.marks.iter().any(|open| matches!(open.mark, InlineMark::Link(_)))
        {
            self.frame.space = true;
        } else {
            self.line();
        }
    }

    pub(super) fn heading(&mut self, level: usize) {
        self.block();
        self.frame.in_heading = true;
        if self.form == PageFormat::Markdown {
            self.frame.lead = "#".repeat(level) + " ";
        }
    }

    pub(super) fn end_heading(&mut self) {
        self.frame.lead.clear();
        self.block();
    }

    /// Sets the start of the next line.
    pub(super) fn lead(&mut self, lead: &str) {
        self.frame.lead = lead.to_owned();
    }

    pub(super) fn indent(&mut self, first: String, rest: &'static str) {
        if self.frame.prefixes.len() < MAX_PREFIXES {
            self.frame.prefixes.push(LinePrefix { first, rest, is_used: false });
        } else {
            self.frame.deeper += 1;
        }
    }

    pub(super) fn outdent(&mut self) {
        match self.frame.deeper.checked_sub(1) {
            Some(left) => self.frame.deeper = left,
            None => drop(self.frame.prefixes.pop()),
        }
    }

    pub(super) fn open(&mut self, mark: InlineMark) {
        // A heading is emphasized already.
        if self.form == PageFormat::Text || self.frame.in_heading && mark == InlineMark::Strong {
            return;
        }
        match self.frame.marks.iter_mut().find(|open| open.mark.same_kind(&mark)) {
            Some(open) => open.again += 1,
            None => self.frame.marks.push(OpenMark { mark, is_written: false, again: 0 }),
        }
    }

    pub(super) fn close(&mut self, mark: &InlineMark) {
        let Some(at) = self.frame.marks.iter().position(|open| open.mark.same_kind(mark)) else { return };
        if let Some(open) = self.frame.marks.get_mut(at)
            && open.again > 0
        {
            open.again -= 1;
            return;
        }
        self.end_marks_from(at);
        // The call above may have removed a link.
        if self.frame.marks.get(at).is_some_and(|open| open.mark.same_kind(mark)) {
            self.frame.marks.remove(at);
        }
    }

    fn end_marks(&mut self) {
        self.end_marks_from(0);
    }

    /// Closes the written marks. The next word opens them again, except links, which are removed.
    fn end_marks_from(&mut self, first: usize) {
        for at in (first..self.frame.marks.len()).rev() {
            let Some(open) = self.frame.marks.get_mut(at).filter(|open| open.is_written) else { continue };
            open.is_written = false;
            let mark = open.mark.clone();
            match mark {
                InlineMark::Link(address) => {
                    self.frame.marks.remove(at);
                    self.push(&format!("]({address})"));
                }
                InlineMark::Superscript => {}
                other => self.push(other.opening()),
            }
        }
    }

    /// Writes everything that is due before a word. Returns whether the word is the first of its line.
    fn begin(&mut self) -> bool {
        let begins = self.frame.due > 0 || self.frame.out.is_empty();
        if begins {
            self.new_line();
            let lead = std::mem::take(&mut self.frame.lead);
            self.push(&lead);
        } else if self.frame.space {
            self.push(" ");
        }
        self.frame.space = false;
        for at in 0..self.frame.marks.len() {
            let Some(open) = self.frame.marks.get_mut(at).filter(|open| !open.is_written) else { continue };
            open.is_written = true;
            let opening = open.mark.opening();
            self.push(opening);
        }
        begins
    }

    fn new_line(&mut self) {
        let is_first = self.frame.out.is_empty();
        let due = std::mem::take(&mut self.frame.due);
        if !is_first {
            self.push("\n");
            if due > 1 {
                let blank: String =
                    self.frame.prefixes.iter().filter(|one| one.is_used).map(|one| one.rest).collect();
                self.push(blank.trim_end());
                self.push("\n");
            }
        }
        let mut line = String::new();
        for prefix in &mut self.frame.prefixes {
            let is_used = std::mem::replace(&mut prefix.is_used, true);
            line.push_str(if is_used { prefix.rest } else { &prefix.first });
        }
        self.push(&line);
    }

    fn push(&mut self, text: &str) {
        match self.budget.checked_sub(text.len()) {
            Some(left) => {
                self.budget = left;
                self.frame.out.push_str(text);
            }
            None => self.budget = 0,
        }
    }
}
