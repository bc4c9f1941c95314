//! Styles a model's Markdown as it streams, on a terminal with colours.
//!
//! Invariant: no character is added, left out or moved; only styles are added, so a copy from the screen is the
//! model's text.
//! Invariant: however the text is cut into pieces, each character gets the same style.
//!
//! A character is held back only while its meaning is open: marks at the start of a line, a run of `*` or
//! backticks, and at most [`SPAN`] characters after a `*` that may be one of a pair. A style ends with its
//! line, except a fenced block.

#[cfg(test)]
mod tests;

use anstyle::Style;

use crate::terminal::{BOLD, CODE, DIM, ITALIC, styled};

/// A `*` with no partner within this many characters opens nothing.
const SPAN: usize = 120;

/// A longer start of a line is no mark; neither is a longer run of `*` or backticks.
const MARK: usize = 24;

#[derive(Debug, Default)]
pub(super) struct MarkdownStyler {
    place: MarkdownState,
    /// Characters whose meaning is still open.
    buffered: String,
    fence: Option<CodeFence>,
    /// The style of the whole line.
    line: Option<Style>,
    bold: bool,
    /// How many backticks end the code; 0 outside code.
    code: usize,
    /// The last character of this line that is not held back.
    before: Option<char>,
    out: Vec<(Option<Style>, String)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum MarkdownState {
    /// At the start of a line.
    #[default]
    Begin,
    Within,
    /// In a run of this mark.
    Run(char),
    /// After a single `*`, with which the buffered text begins.
    Span,
    /// The end of a span, unless a word follows.
    Closing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CodeFence {
    mark: char,
    length: usize,
    at: FencePosition,
}

/// Which line of a fenced block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FencePosition {
    First,
    Inside,
    Last,
}

impl MarkdownStyler {
    /// Styles the text so far; its end may be held back.
    pub(super) fn push(&mut self, piece: &str) -> String {
        piece.chars().for_each(|character| self.take(character));
        self.styled()
    }

    /// Styles what is held back.
    pub(super) fn finish(&mut self) -> String {
        self.take('\n');
        // The caller writes the last line break.
        if let Some((_, text)) = self.out.last_mut() {
            text.pop();
        }
        let rest = self.styled();
        *self = Self::default();
        rest
    }

    fn styled(&mut self) -> String {
        let pieces = std::mem::take(&mut self.out).into_iter().filter(|(_, text)| !text.is_empty());
        pieces.map(|(style, text)| style.map_or(text.clone(), |style| styled(style, text))).collect()
    }

    fn take(&mut self, character: char) {
        match self.place {
            MarkdownState::Begin => self.begin(character),
            MarkdownState::Within => self.within(character),
            MarkdownState::Run(mark) if character == mark && self.buffered.len() < MARK => {
                self.buffered.push(character);
            }
            MarkdownState::Run(mark) => self.run(mark, character),
            MarkdownState::Span => self.span(character),
            MarkdownState::Closing => self.closing(character),
        }
    }

    /// Holds the start of a line until its kind is known.
    fn begin(&mut self, character: char) {
        if character != '\n'
            && self.buffered.len() < MARK
            && may_grow(&self.buffered, character, self.fence.is_some())
        {
            self.buffered.push(character);
            return;
        }
        let buffered = std::mem::take(&mut self.buffered);
        self.place = MarkdownState::Within;
        match self.fence {
            Some(fence) => {
                if character == '\n' && ends(&buffered, fence) {
                    self.fence = Some(CodeFence { at: FencePosition::Last, ..fence });
                }
                self.put(self.style(), &buffered);
            }
            None => self.open_line(&buffered, character),
        }
        self.take(character);
    }

    /// Styles the start of a line, which continues with `next`.
    fn open_line(&mut self, buffered: &str, next: char) {
        let mark = buffered.trim_start();
        let is_done = next == '\n' || buffered.ends_with(' ');
        let first = mark.chars().next();
        let length = mark.chars().take_while(|character| Some(*character) == first).count();
        let tail = mark.trim_end();
        // Text indented by four or more is code.
        let is_outer = buffered.len() - mark.len() < 4;
        match first {
            Some(mark @ ('`' | '~')) if length >= 3 && !(mark == '`' && next == '`') => {
                self.fence = Some(CodeFence { mark, length, at: FencePosition::First });
                self.put(Some(DIM), buffered);
            }
            Some('#') if is_outer && length <= 6 && tail.len() == length && is_done => {
                self.line = Some(BOLD);
                self.put(Some(BOLD), buffered);
            }
            Some('>') if is_outer => {
                self.line = Some(DIM);
                self.put(Some(DIM), buffered);
            }
            Some('-' | '*' | '_') if next == '\n' && is_rule(tail) => self.put(Some(DIM), buffered),
            Some('-' | '+' | '*') if tail.len() == 1 && is_done => self.put(Some(CODE), buffered),
            Some('0'..='9') if tail.ends_with(['.', ')']) && is_done => self.put(Some(CODE), buffered),
            // No mark: an ordinary line.
            _ => buffered.chars().for_each(|character| self.within(character)),
        }
    }

    fn within(&mut self, character: char) {
        if self.place != MarkdownState::Within {
            return self.take(character);
        }
        match character {
            '\n' => self.end_line(),
            // The first line of a fence contains no backtick, so this was inline code.
            '`' if self.fence.is_some_and(|fence| fence.at == FencePosition::First && fence.mark == '`') => {
                self.code = self.fence.take().map_or(0, |fence| fence.length);
                self.hold(MarkdownState::Run('`'), character);
            }
            '`' if self.fence.is_none() => self.hold(MarkdownState::Run('`'), character),
            '*' if self.fence.is_none() && self.code == 0 => self.hold(MarkdownState::Run('*'), character),
            _ => {
                self.put(self.style(), character.encode_utf8(&mut [0; 4]));
            }
        }
    }

    fn hold(&mut self, place: MarkdownState, character: char) {
        self.place = place;
        self.buffered.push(character);
    }

    /// A run of marks ended; `next` follows.
    fn run(&mut self, mark: char, next: char) {
        let buffered = std::mem::take(&mut self.buffered);
        self.place = MarkdownState::Within;
        let opens = self.before.is_none_or(|before| !is_word(before)) && begins(next);
        let closes = self.before.is_some_and(|before| !before.is_whitespace());
        match (mark, buffered.len()) {
            ('`', length) if self.code == 0 => {
                self.code = length;
                self.put(self.style(), &buffered);
            }
            ('`', length) => {
                self.put(self.style(), &buffered);
                if length == self.code {
                    self.code = 0;
                }
            }
            ('*', 2) if self.bold && closes => {
                self.put(self.style(), &buffered);
                self.bold = false;
            }
            ('*', 2) if !self.bold && opens => {
                self.bold = true;
                self.put(self.style(), &buffered);
            }
            ('*', 1) if !self.bold && self.line.is_none() && opens => {
                self.buffered = buffered;
                self.place = MarkdownState::Span;
            }
            _ => self.put(self.style(), &buffered),
        }
        self.take(next);
    }

    /// After a `*`: the buffered text is italic if another `*` ends it.
    fn span(&mut self, character: char) {
        let last = self.buffered.chars().next_back().unwrap_or_default();
        match character {
            '*' if !last.is_whitespace() && last != '*' => self.hold(MarkdownState::Closing, character),
            '*' | '`' | '\n' => self.no_span(character),
            _ if self.buffered.len() >= SPAN => self.no_span(character),
            _ => self.buffered.push(character),
        }
    }

    fn closing(&mut self, next: char) {
        if is_word(next) || next == '*' {
            return self.no_span(next);
        }
        let buffered = std::mem::take(&mut self.buffered);
        self.place = MarkdownState::Within;
        self.put(Some(ITALIC), &buffered);
        self.take(next);
    }

    /// The `*` had no partner.
    fn no_span(&mut self, next: char) {
        let buffered = std::mem::take(&mut self.buffered);
        self.place = MarkdownState::Within;
        self.put(self.style(), &buffered);
        self.take(next);
    }

    fn end_line(&mut self) {
        self.put(None, "\n");
        let fence = self.fence.filter(|fence| fence.at != FencePosition::Last);
        self.fence = fence.map(|fence| CodeFence { at: FencePosition::Inside, ..fence });
        (self.line, self.bold, self.code) = (None, false, 0);
        (self.before, self.place) = (None, MarkdownState::Begin);
    }

    fn style(&self) -> Option<Style> {
        match self.fence {
            Some(CodeFence { at: FencePosition::Inside, .. }) => Some(CODE),
            Some(_) => Some(DIM),
            None if self.code > 0 => Some(CODE),
            None if self.bold => Some(BOLD),
            None => self.line,
        }
    }

    fn put(&mut self, style: Option<Style>, text: &str) {
        self.before = text.chars().next_back().or(self.before);
        match self.out.last_mut() {
            Some((last, piece)) if *last == style => piece.push_str(text),
            _ => self.out.push((style, text.to_owned())),
        }
    }
}

/// Whether the buffered start of a line may still become a mark with `next`.
fn may_grow(buffered: &str, next: char, in_fence: bool) -> bool {
    let mark = buffered.trim_start();
    let Some(first) = mark.chars().next() else {
        return next == ' '
            || next == '\t'
            || if in_fence { "`~" } else { "#>-+*_`~0123456789" }.contains(next);
    };
    let is_open = !mark.ends_with(' ');
    match first {
        _ if in_fence => next == ' ' || next == first,
        '#' => is_open && (next == '#' || next == ' '),
        '>' => false,
        '-' | '*' | '_' => next == ' ' || next == first,
        '+' => is_open && next == ' ',
        '0'..='9' => match mark.chars().next_back() {
            Some('0'..='9') => next.is_ascii_digit() || next == '.' || next == ')',
            Some('.' | ')') => next == ' ',
            _ => false,
        },
        _ => next == first,
    }
}

/// Whether this line ends the block.
fn ends(line: &str, fence: CodeFence) -> bool {
    let mark = line.trim();
    mark.len() >= fence.length && mark.chars().all(|character| character == fence.mark)
}

fn is_rule(line: &str) -> bool {
    line.chars().filter(|character| *character != ' ').count() >= 3
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether a styled span may start with this character: `**/*.rs` is not bold.
fn begins(character: char) -> bool {
    is_word(character) || "`\"'“‘([{<$@#&".contains(character)
}
