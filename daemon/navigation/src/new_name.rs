//! Checks of a rename. Most servers accept any text as a name, and a name that is taken.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use copydesk_syntax::grammar::grammar_for;
use copydesk_syntax::name_uses::is_word_character;
use copydesk_syntax::reserved_words::is_reserved;
use copydesk_text::Change;
use lsp_types::SymbolKind;
use tree_sitter::Tree;

use crate::answer::{NavigationError, line_of};
use crate::code_edit_plan::PlannedFileChange;
use crate::file_outlines::{FileOutline, FileOutlines, parse_file, uses_in};
use crate::place::FoundPlace;
use crate::symbol_name::words_of;
use crate::workspace_names::WorkspaceNames;

/// Whether a name can stand at a place: it is a word, no keyword, and the grammar reads it there as it read the old one.
pub(crate) fn check_name(place: &FoundPlace, new: &str) -> Result<(), NavigationError> {
    let old = place.name();
    if new == old {
        return Err(NavigationError::new(format!("It is called `{old}` already. Nothing was changed.")));
    }
    let is_word = new.chars().all(|character| is_word_character(character) || "#?!-".contains(character));
    let is_number = new.starts_with(|character: char| character.is_ascii_digit());
    if is_word && !is_number && !new.is_empty() && fits_syntax(place, new) {
        return Ok(());
    }
    Err(NavigationError::new(format!("`{new}` cannot be a name here. Nothing was changed.")))
}

fn fits_syntax(place: &FoundPlace, new: &str) -> bool {
    let Some(grammar) = grammar_for(&place.path) else { return true };
    let Some(before) = parse_file(&place.path, &place.text) else { return true };
    let Some(after) = parse_file(&place.path, &replaced(&place.text, &place.range, new)) else { return true };
    let old_kind = leaf_kind(&before, place.range.clone());
    let new_kind = leaf_kind(&after, place.range.start..place.range.start + new.len());
    // A property of JavaScript may have any name.
    let is_reserved =
        is_reserved(grammar, new) && !old_kind.is_some_and(|kind| kind.contains("property_identifier"));
    let is_broken = after.root_node().has_error() && !before.root_node().has_error();
    !is_reserved && !is_broken && (old_kind.is_none() || old_kind == new_kind)
}

/// The kind of the node that is exactly this range.
fn leaf_kind(tree: &Tree, range: Range<usize>) -> Option<&str> {
    let node = tree.root_node().descendant_for_byte_range(range.start, range.end)?;
    (node.byte_range() == range && node.is_named()).then(|| node.kind())
}

fn replaced(text: &str, range: &Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    [before.unwrap_or_default(), new, after.unwrap_or_default()].concat()
}

/// Holds the edit of a rename against the syntax trees.
pub(crate) struct RenameCheck<'a> {
    pub(crate) names: &'a WorkspaceNames,
    pub(crate) outlines: &'a FileOutlines,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
}

/// The places of one file in which the name is changed.
struct RenamedPlaces<'a> {
    path: &'a Path,
    text: &'a Arc<String>,
    uses: Vec<Range<usize>>,
    outline: Option<Arc<FileOutline>>,
}

impl RenameCheck<'_> {
    /// Refuses a name that is taken where the symbol is defined.
    pub(crate) fn find_collision(&self, files: &[PlannedFileChange]) -> Result<(), NavigationError> {
        let places: Vec<_> = files.iter().filter_map(|file| self.renamed_places(file)).collect();
        let mut is_local = true;
        for file in &places {
            let Some(outline) = &file.outline else { return Ok(()) };
            for range in &file.uses {
                let defined = outline.symbols.iter().position(|symbol| symbol.name_range.end == range.end);
                let Some(defined) = defined else { continue };
                is_local = false;
                if let Some(taken) = self.sibling(outline, defined) {
                    return Err(self.taken(file, taken, "defined"));
                }
            }
        }
        match places.as_slice() {
            [file] if is_local => self.find_local_collision(file),
            _ => Ok(()),
        }
    }

    /// Another definition in the same scope with the new name.
    fn sibling(&self, outline: &FileOutline, defined: usize) -> Option<usize> {
        let scope = |at: usize| outline.symbols.get(at)?.parent.map(|above| outline.path_of(above));
        let is_taken = |at: usize| {
            let symbol = outline.symbols.get(at)?;
            let is_named = words_of(&symbol.name).last().is_some_and(|word| word == self.new);
            (is_named && scope(at) == scope(defined) && symbol.kind != SymbolKind::Object)
                .then_some(symbol.name_range.start)
        };
        (0..outline.symbols.len()).find_map(is_taken)
    }

    /// A variable of a function: the new name must not stand in that function.
    fn find_local_collision(&self, file: &RenamedPlaces<'_>) -> Result<(), NavigationError> {
        let Some(outline) = &file.outline else { return Ok(()) };
        let around = |range: &Range<usize>| outline.around(range.start);
        let Some(function) = file.uses.first().and_then(around) else { return Ok(()) };
        let Some(scope) = outline.symbols.get(function) else { return Ok(()) };
        let is_inside = |range: &Range<usize>| scope.range.contains(&range.start);
        if !file.uses.iter().all(is_inside) {
            return Ok(());
        }
        let uses = uses_in(file.path, file.text, self.new).unwrap_or_default();
        match uses.into_iter().find(is_inside) {
            Some(taken) => Err(self.taken(file, taken.start, "used")),
            None => Ok(()),
        }
    }

    fn taken(&self, file: &RenamedPlaces<'_>, at: usize, how: &str) -> NavigationError {
        let (shown, line) = (self.names.shown(file.path), line_of(file.text, at));
        NavigationError::new(format!(
            "`{}` is already {how} in {shown}:{line}. Nothing was changed; choose another name.",
            self.new
        ))
    }

    fn renamed_places<'a>(&self, file: &'a PlannedFileChange) -> Option<RenamedPlaces<'a>> {
        let (path, text, after) = file.edited()?;
        let change = Change::between(text, after);
        let is_changed = |range: &Range<usize>| {
            let edits = change.edits();
            edits.iter().any(|edit| edit.range.start <= range.end && range.start <= edit.range.end)
        };
        let uses = uses_in(path, text, self.old).unwrap_or_default();
        let uses: Vec<_> = uses.into_iter().filter(is_changed).collect();
        Some(RenamedPlaces { path, text, uses, outline: self.outlines.get(path, text) })
    }
}
