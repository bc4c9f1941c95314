//! Parses a text, incrementally if there is an earlier tree.

use std::ops::ControlFlow;
use std::time::Instant;

use copydesk_text::Change;
use tree_sitter::{InputEdit, Language, ParseOptions, Parser, Point, Tree};

/// With more edits, a full parse is as fast.
const MAX_EDITS: usize = 200;

/// `None` if the time ran out.
pub fn parse_tree(language: &Language, text: &str, earlier: Option<&Tree>, until: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let mut progress = |_: &tree_sitter::ParseState| {
        if Instant::now() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _: Point| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, earlier, Some(options))
}

/// Applies the edits to a tree, so that the new text can be parsed with it.
pub fn edit_tree(tree: &Tree, old: &str, new: &str) -> Option<Tree> {
    let change = Change::between(old, new);
    if change.edits().len() > MAX_EDITS {
        return None;
    }
    let breaks: Vec<usize> = memchr::memchr_iter(b'\n', old.as_bytes()).collect();
    let point = |offset: usize| {
        let row = breaks.partition_point(|at| *at < offset);
        let start = row.checked_sub(1).and_then(|last| breaks.get(last)).map_or(0, |at| at + 1);
        Point { row, column: offset - start }
    };
    let mut tree = tree.clone();
    // Last edit first, so that the offsets of the others stay valid.
    for edit in change.edits().iter().rev() {
        let start = point(edit.range.start);
        tree.edit(&InputEdit {
            start_byte: edit.range.start,
            old_end_byte: edit.range.end,
            new_end_byte: edit.range.start + edit.text.len(),
            start_position: start,
            old_end_position: point(edit.range.end),
            new_end_position: end_point(start, &edit.text),
        });
    }
    Some(tree)
}

fn end_point(start: Point, text: &str) -> Point {
    match text.rfind('\n') {
        Some(last) => Point { row: start.row + text.matches('\n').count(), column: text.len() - last - 1 },
        None => Point { row: start.row, column: start.column + text.len() },
    }
}
