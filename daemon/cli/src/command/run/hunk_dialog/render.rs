//! Renders a hunk: its heading, its lines, and the changed words in them.

use anstyle::Style;
use copydesk_protocol::review::WordDiffInfo;

use super::context_lines::HunkContext;
use super::undecided_hunk::{UndecidedHunk, UndecidedHunkKind};
use crate::terminal::{BAD, BOLD, DIM, GOOD, columns_of, cut, one_line, styled};

/// Rows for everything but the lines: heading, context, question.
const OTHER_ROWS: usize = 12;
/// The least number of rows for a hunk, however small the window.
const MIN_ROWS: usize = 8;
/// A tab on screen; with a fixed width the end of a line is known.
const TAB: &str = "    ";

#[derive(Debug, Clone, Copy)]
pub(super) struct TerminalSize {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// A hunk's number among those of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HunkPosition {
    pub(super) number: usize,
    pub(super) of: usize,
}

/// `a.txt  hunk 2 of 4  line 10`
pub(super) fn heading(item: &UndecidedHunk, position: HunkPosition, size: TerminalSize) -> String {
    let HunkPosition { number, of } = position;
    let rest = match item.kind {
        UndecidedHunkKind::Lines => format!("  hunk {number} of {of}  line {}", item.line + 1),
        UndecidedHunkKind::Created => "  a new file".to_owned(),
        UndecidedHunkKind::Deleted => "  this file is deleted".to_owned(),
        UndecidedHunkKind::Renamed => "  this file is renamed".to_owned(),
    };
    let path = cut(&one_line(&item.path), size.columns.saturating_sub(rest.len()).max(MIN_ROWS));
    format!("{}{}", styled(BOLD, path), styled(DIM, rest))
}

/// The hunk's lines, as many as fit.
pub(super) fn lines(item: &UndecidedHunk, around: &HunkContext, size: TerminalSize) -> String {
    let room = size.rows.saturating_sub(OTHER_ROWS).max(MIN_ROWS);
    let (old, new) = (item.old.len(), item.new.len());
    let half = room / 2;
    let (old_room, new_room) = if old + new <= room {
        (old, new)
    } else {
        (half.max(room.saturating_sub(new)), half.max(room.saturating_sub(old)))
    };
    let mut shown: Vec<_> = around.before.iter().map(|line| same(line, size)).collect();
    let old = ShownDiffSide { sign: '-', style: BAD, lines: &item.old, missing: item.old_missing };
    old.show(&mut shown, old_room, size, |line| words(&item.words, line).map(|words| &*words.old));
    let new = ShownDiffSide { sign: '+', style: GOOD, lines: &item.new, missing: item.new_missing };
    new.show(&mut shown, new_room, size, |line| words(&item.words, line).map(|words| &*words.new));
    shown.extend(around.after.iter().map(|line| same(line, size)));
    shown.join("\n")
}

struct ShownDiffSide<'a> {
    sign: char,
    style: Style,
    lines: &'a [String],
    missing: usize,
}

impl ShownDiffSide<'_> {
    fn show<'w>(
        &self,
        shown: &mut Vec<String>,
        room: usize,
        size: TerminalSize,
        words: impl Fn(usize) -> Option<&'w [(u32, u32)]>,
    ) {
        for (index, line) in self.lines.iter().take(room).enumerate() {
            let words = words(index).unwrap_or_default();
            shown.push(format!("  {}", changed(self.sign, line, words, self.style, size.columns)));
        }
        let rest = self.lines.len().saturating_sub(room);
        if rest > 0 {
            let rest = format!("  {}… {} more lines; p prints them", self.sign, rest + self.missing);
            shown.push(styled(DIM, rest));
        } else if self.missing > 0 {
            shown.push(styled(DIM, format!("  {}… {} more lines", self.sign, self.missing)));
        }
    }
}

fn words(words: &[WordDiffInfo], line: usize) -> Option<&WordDiffInfo> {
    words.iter().find(|words| words.line as usize == line)
}

fn same(line: &str, size: TerminalSize) -> String {
    format!("   {}", cut(&line.replace('\t', TAB), size.columns.saturating_sub(3)))
}

/// A changed line, its changed words bold, as far as it fits.
fn changed(sign: char, line: &str, words: &[(u32, u32)], style: Style, columns: usize) -> String {
    let room = columns.saturating_sub("  +".len());
    let width = |text: &str| columns_of(text) + text.matches('\t').count() * (TAB.len() - 1);
    let (mut left, is_cut) = if width(line) <= room { (room, false) } else { (room.saturating_sub(2), true) };
    let is_word = |at: usize| words.iter().any(|(start, end)| (*start as usize..*end as usize).contains(&at));
    let mut shown = String::new();
    let (mut piece, mut is_bold) = (sign.to_string(), false);
    let styled = |piece: &str, is_bold| styled(if is_bold { style.bold() } else { style }, piece);
    for (at, character) in line.char_indices() {
        let mut bytes = [0; 4];
        let text = if character == '\t' { TAB } else { character.encode_utf8(&mut bytes) };
        let Some(less) = left.checked_sub(columns_of(text)) else { break };
        left = less;
        if is_word(at) != is_bold {
            shown.push_str(&styled(&piece, is_bold));
            piece.clear();
            is_bold = !is_bold;
        }
        piece.push_str(text);
    }
    if is_cut {
        piece.push('…');
    }
    shown.push_str(&styled(&piece, is_bold));
    shown
}
