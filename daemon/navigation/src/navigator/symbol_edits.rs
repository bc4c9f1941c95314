//! Replaces, inserts and deletes whole definitions, which are named and need not be quoted. The syntax tree says where one begins and
//! ends.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use copydesk_syntax::outline::OutlineSymbol;
use lsp_types::SymbolKind;
use tokio_util::sync::CancellationToken;

use super::{Navigator, run_blocking};
use crate::answer::{NavigationError, line_of, line_start};
use crate::code_edit_plan::CodeEditPlan;
use crate::file_outlines::{FileOutline, FileOutlines, parse_file};
use crate::place::{FoundPlace, PlaceRequest};
use crate::symbol_name::SymbolQuery;

/// What to do with a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolEdit {
    Replace(String),
    InsertBefore(String),
    InsertAfter(String),
    Delete,
}

/// An edit of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSymbolEdit {
    pub edit: CodeEditPlan,
    /// Its name with the names around it: `Square.area`.
    pub symbol: String,
    /// The lines that are replaced or deleted, from 1: what stands there must be known to the model.
    pub lost_lines: Option<(usize, usize)>,
}

impl Navigator {
    pub async fn edit_symbol(
        &self,
        request: &PlaceRequest,
        edit: SymbolEdit,
        cancel: &CancellationToken,
    ) -> Result<PlannedSymbolEdit, NavigationError> {
        let place = self.find_place_to_edit(request, cancel).await?;
        place.require_exact()?;
        let shown = self.names.shown(&place.path);
        let outlines = self.outlines.clone();
        let ordinal = request.symbol.as_deref().and_then(SymbolQuery::parse).and_then(|query| query.ordinal);
        let by_name_alone = request.line.is_none() && ordinal.is_none();
        run_blocking(move || {
            if by_name_alone {
                require_no_overloads(&place, &outlines, &shown)?;
            }
            plan(&place, &edit, &outlines, &shown)
        })
        .await?
    }
}

/// The name of overloads means all of them, and an edit is of one.
fn require_no_overloads(
    place: &FoundPlace,
    outlines: &FileOutlines,
    shown: &str,
) -> Result<(), NavigationError> {
    let Some(outline) = outlines.get(&place.path, &place.text) else { return Ok(()) };
    let at = outline.symbols.iter().position(|symbol| symbol.name_range.contains(&place.range.start));
    let Some(overloads) = at.map(|at| outline.overloads_of(at)).filter(|all| all.len() > 1) else {
        return Ok(());
    };
    let symbols = overloads.iter().filter_map(|at| outline.symbols.get(*at));
    let lines: Vec<_> =
        symbols.map(|symbol| line_of(&place.text, symbol.name_range.start).to_string()).collect();
    Err(NavigationError::new(format!(
        "`{}` has several signatures, in the lines {} of {shown}. Name one by its line, or use `edit`.",
        place.name(),
        lines.join(", ")
    )))
}

fn plan(
    place: &FoundPlace,
    edit: &SymbolEdit,
    outlines: &FileOutlines,
    shown: &str,
) -> Result<PlannedSymbolEdit, NavigationError> {
    let outline = outlines.get(&place.path, &place.text);
    let no_outline = || {
        NavigationError::new(format!("No grammar for {shown}: where a symbol ends is not known. Use `edit`."))
    };
    let outline = outline.ok_or_else(no_outline)?;
    let is_it = |symbol: &OutlineSymbol| {
        symbol.name_range.contains(&place.range.start) || symbol.name_range == place.range
    };
    let at = outline.symbols.iter().position(is_it).ok_or_else(|| {
        let line = line_of(&place.text, place.range.start);
        NavigationError::new(format!(
            "`{}` in {shown}:{line} is not a definition. Name the definition, or use `edit`.",
            place.name()
        ))
    })?;
    let site = DefinitionSite { outline: &outline, at, text: &place.text, path: &place.path };
    let (range, new) = site.change(edit, outlines)?;
    let (before, after) = (place.text.get(..range.start), place.text.get(range.end..));
    let text = [before.unwrap_or_default(), &new, after.unwrap_or_default()].concat();
    let lost = place.text.get(range.clone()).unwrap_or_default().trim_end();
    let last = range.start + lost.len();
    let lost_lines =
        (!lost.is_empty()).then(|| (line_of(&place.text, range.start), line_of(&place.text, last)));
    let edit = CodeEditPlan::of_text(place.path.clone(), Arc::clone(&place.text), text, place.notes.clone());
    Ok(PlannedSymbolEdit { edit, symbol: outline.path_of(at), lost_lines })
}

/// A definition in its text.
struct DefinitionSite<'a> {
    outline: &'a FileOutline,
    at: usize,
    text: &'a str,
    path: &'a Path,
}

impl DefinitionSite<'_> {
    /// The range to replace, and the new text.
    fn change(
        &self,
        edit: &SymbolEdit,
        outlines: &FileOutlines,
    ) -> Result<(Range<usize>, String), NavigationError> {
        let symbol = self.symbol()?;
        match edit {
            SymbolEdit::Replace(new) => {
                let new = new.trim_end();
                if new.trim().is_empty() {
                    return Err(NavigationError::new(
                        "The new text is empty. To delete it, use deleteSymbol.",
                    ));
                }
                self.require_own_declaration(symbol)?;
                let new = self.without_separator(new, symbol);
                // What the new text has no comments or attributes for keeps its own.
                let start = if has_leading_trivia(self.path, new, outlines) {
                    symbol.range.start
                } else {
                    symbol.start
                };
                Ok((start..symbol.range.end, self.indent(new, &self.indentation(start), true)))
            }
            SymbolEdit::InsertBefore(new) => {
                let start = line_start(self.text, symbol.range.start);
                self.require_blank(start..symbol.range.start)?;
                let gap = self.gap(self.gap_before());
                let new = self.indent(new, &self.indentation(symbol.range.start), false);
                Ok((start..start, format!("{new}\n{gap}")))
            }
            SymbolEdit::InsertAfter(new) => {
                let at = self.end();
                let end = self.end_of_line(at);
                self.require_blank(end..self.line_end(end))?;
                let gap = self.gap(self.gap_after().or(self.gap_before()));
                let new = self.indent(new, &self.indentation(symbol.range.start), false);
                if self.needs_comma(symbol) {
                    let rest = self.text.get(at..end).unwrap_or_default();
                    return Ok((at..end, format!(",{rest}\n{gap}{}", new.trim_end_matches(','))));
                }
                Ok((end..end, format!("\n{gap}{new}")))
            }
            SymbolEdit::Delete => {
                self.require_own_declaration(symbol)?;
                Ok((self.deleted_range()?, String::new()))
            }
        }
    }

    fn symbol(&self) -> Result<&OutlineSymbol, NavigationError> {
        self.outline.symbols.get(self.at).ok_or_else(|| NavigationError::new("The outline has changed."))
    }

    /// Refuses what is declared together with something else: `var one, two int`.
    fn require_own_declaration(&self, symbol: &OutlineSymbol) -> Result<(), NavigationError> {
        let is_variable =
            matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
        let has_twin = || {
            let same = self.outline.symbols.iter().filter(|other| other.range == symbol.range);
            same.count() > 1
        };
        let behind = self.text.get(symbol.name_range.end..symbol.range.end).unwrap_or_default();
        let before = self.text.get(..symbol.start).unwrap_or_default().trim_end();
        let after = self.text.get(symbol.range.end..).unwrap_or_default();
        // Fields of Rust and properties are separated by commas; declarations are not.
        let is_listed = symbol.kind != SymbolKind::Field && (before.ends_with(',') || after.starts_with(','));
        if is_variable && (has_twin() || has_outer_comma(behind) || is_listed) {
            return Err(NavigationError::new(format!(
                "`{}` is declared together with others. Nothing was changed; use `edit`.",
                symbol.name
            )));
        }
        Ok(())
    }

    /// Refuses a place in a line with other code.
    fn require_blank(&self, range: Range<usize>) -> Result<(), NavigationError> {
        if self.text.get(range).is_some_and(|text| text.trim().is_empty()) {
            return Ok(());
        }
        Err(NavigationError::new("Other code stands in the same line. Nothing was changed; use `edit`."))
    }

    /// The new text without the comma or semicolon that follows in the text already.
    fn without_separator<'n>(&self, new: &'n str, symbol: &OutlineSymbol) -> &'n str {
        let next = self.text.get(symbol.range.end..).and_then(|rest| rest.chars().next());
        match next.filter(|next| matches!(next, ',' | ';')) {
            Some(next) => new.strip_suffix(next).unwrap_or(new),
            None => new,
        }
    }

    /// Whether a comma must separate the definition from one behind it, and is missing.
    fn needs_comma(&self, symbol: &OutlineSymbol) -> bool {
        let is_item =
            matches!(symbol.kind, SymbolKind::EnumMember | SymbolKind::Field | SymbolKind::Property);
        let follows = |end: usize| self.text.get(end..).and_then(|rest| rest.chars().next());
        let is_sibling =
            |other: &&OutlineSymbol| other.parent == symbol.parent && other.range.end <= symbol.range.start;
        let has_comma_before = self
            .outline
            .symbols
            .iter()
            .rfind(is_sibling)
            .is_some_and(|before| follows(before.range.end) == Some(','));
        is_item && has_comma_before && !matches!(follows(symbol.range.end), Some(',' | ';'))
    }

    fn line_end(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|rest| rest.find('\n')).map_or(self.text.len(), |length| at + length)
    }

    fn indent(&self, new: &str, target: &str, is_inline: bool) -> String {
        indent(new, target, is_inline, &string_lines(self.path, new))
    }

    /// The white space before a place in its line.
    fn indentation(&self, at: usize) -> String {
        let line = self.text.get(line_start(self.text, at)..at).unwrap_or_default();
        line.chars().take_while(|character| character.is_whitespace()).collect()
    }

    /// Its end, behind the comma or semicolon that separates it from the next one.
    fn end(&self) -> usize {
        let Some(symbol) = self.outline.symbols.get(self.at) else { return 0 };
        let next = self.text.get(symbol.range.end..).and_then(|rest| rest.chars().next());
        // The semicolon behind the constants of a Java enum does not belong to the last one.
        let is_separator = match next {
            Some(',') => true,
            Some(';') => symbol.kind != SymbolKind::EnumMember,
            _ => false,
        };
        symbol.range.end + usize::from(is_separator)
    }

    /// The end of the line, if only a comment follows.
    fn end_of_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let is_rest = |line: &str| {
            let line = line.trim_start();
            line.is_empty() || ["//", "#", "--", "/*", ";"].iter().any(|mark| line.starts_with(mark))
        };
        if is_rest(line) { at + line.trim_end_matches('\r').len() } else { at }
    }

    /// The definition, its lines where nothing else stands in them, and the empty lines that would be left twice.
    fn deleted_range(&self) -> Result<Range<usize>, NavigationError> {
        let symbol = self.symbol()?;
        let first = line_start(self.text, symbol.range.start);
        let end = self.end();
        let rest = self.text.get(end..).unwrap_or_default();
        let line_end = rest.find('\n').map_or(self.text.len(), |at| end + at + 1);
        let is_alone = self.text.get(first..symbol.range.start).is_some_and(|text| text.trim().is_empty())
            && self.text.get(end..line_end).is_some_and(|text| text.trim().is_empty());
        if !is_alone {
            return Ok(symbol.range.start..end);
        }
        let before = self.text.get(..first).unwrap_or_default();
        let after = self.text.get(line_end..).unwrap_or_default();
        let is_begin =
            before.is_empty() || before.ends_with("\n\n") || before.trim_end().ends_with(['{', ':', '(']);
        let empty = after.len() - after.trim_start_matches('\n').len();
        if is_begin && empty > 0 {
            return Ok(first..line_end + empty);
        }
        // The last of its block: the empty lines before it go.
        let is_last = after.trim_start_matches([' ', '\t']).starts_with(['}', ')']) || after.is_empty();
        let above = before.trim_end_matches('\n').len() + 1;
        Ok(if is_last && above < first { above..line_end } else { first..line_end })
    }

    /// The empty lines between it and the definition before it, in the same scope.
    fn gap_before(&self) -> Option<usize> {
        let symbol = self.outline.symbols.get(self.at)?;
        let is_sibling =
            |other: &&OutlineSymbol| other.parent == symbol.parent && other.range.end <= symbol.range.start;
        let before = self.outline.symbols.iter().rfind(is_sibling)?;
        self.empty_lines(before.range.end..symbol.range.start)
    }

    fn gap_after(&self) -> Option<usize> {
        let symbol = self.outline.symbols.get(self.at)?;
        let is_sibling =
            |other: &&OutlineSymbol| other.parent == symbol.parent && other.range.start >= symbol.range.end;
        let after = self.outline.symbols.iter().find(is_sibling)?;
        self.empty_lines(symbol.range.end..after.range.start)
    }

    /// `None` if something stands between.
    fn empty_lines(&self, between: Range<usize>) -> Option<usize> {
        let text = self.text.get(between)?;
        let is_empty =
            text.chars().all(|character| character.is_whitespace() || matches!(character, ',' | ';'));
        is_empty.then(|| text.matches('\n').count().saturating_sub(1))
    }

    /// As many empty lines as around it, else one around functions and types.
    fn gap(&self, lines: Option<usize>) -> String {
        let kind = self.outline.symbols.get(self.at).map(|symbol| symbol.kind);
        let is_small = matches!(
            kind,
            Some(
                SymbolKind::Variable
                    | SymbolKind::Constant
                    | SymbolKind::Field
                    | SymbolKind::Property
                    | SymbolKind::EnumMember
            )
        );
        "\n".repeat(lines.unwrap_or(usize::from(!is_small)).min(3))
    }
}

/// Whether a new text begins with comments, attributes or decorators of the definition in it.
fn has_leading_trivia(path: &Path, new: &str, outlines: &FileOutlines) -> bool {
    let text = Arc::new(new.trim_start().to_owned());
    let outline = outlines.get(path, &text);
    let first = outline.as_ref().and_then(|outline| outline.symbols.first());
    match first.filter(|first| first.range.start == 0) {
        Some(first) => first.start > 0,
        // Without its type a method may not parse.
        None => ["//", "/*", "#", "@", "\"\"\"", "--", "["].iter().any(|mark| text.starts_with(mark)),
    }
}

/// Whether a comma stands outside of all brackets.
fn has_outer_comma(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().any(|character| {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    })
}

/// The lines, from 0, that begin inside of a string: their white space is a part of it. A string that stands alone documents something.
fn string_lines(path: &Path, text: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let Some(tree) = parse_file(path, text) else { return lines };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_string = ["string", "template", "heredoc"].iter().any(|part| node.kind().contains(part));
        let stands_alone = node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
        if is_string && !stands_alone {
            lines.extend(node.start_position().row + 1..=node.end_position().row);
        }
        if !is_string && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return lines;
            }
        }
    }
}

/// Moves a text to an indentation, unless it has it already. `is_inline`: its first line begins behind the indentation. `fixed` lines stay.
fn indent(text: &str, target: &str, is_inline: bool, fixed: &BTreeSet<usize>) -> String {
    let skipped = text.len() - text.trim_start_matches(['\n', '\r']).len();
    let skipped = text.get(..skipped).map_or(0, |skipped| skipped.matches('\n').count());
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    let is_fixed = |number: usize| fixed.contains(&(number + skipped));
    let width = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let first = text.lines().next().unwrap_or_default();
    let base = width(first);
    let lines = || text.lines().enumerate().skip(1).filter(|(number, _)| !is_fixed(*number));
    let rest: Vec<_> = lines().map(|(_, line)| line).filter(|line| !line.trim().is_empty()).collect();
    let least = rest.iter().map(|line| width(line)).min();
    let closes = rest.last().is_some_and(|last| {
        let last = last.trim_start();
        last.starts_with(['}', ')', ']']) || last == "end" || last.starts_with("end ")
    });
    // The first line begins at the left, and the others stand where they belong already.
    let is_placed = base == 0
        && !target.is_empty()
        && least.is_some_and(|least| if closes { least >= target.len() } else { least > target.len() });
    let old = first.get(..base).unwrap_or_default();
    let mut indented = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let bare = line.strip_prefix(old).unwrap_or(line.trim_start());
        indented.push(match number {
            _ if is_fixed(number) => line.to_owned(),
            _ if line.trim().is_empty() => String::new(),
            0 if is_inline => bare.to_owned(),
            0 => format!("{target}{bare}"),
            _ if is_placed => line.to_owned(),
            _ => format!("{target}{bare}"),
        });
    }
    indented.join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::indent;

    #[test]
    fn a_text_is_moved_to_its_indentation_unless_it_has_it() {
        for (text, target, expected) in [
            ("fn a() {\n    b\n}", "    ", "    fn a() {\n        b\n    }"),
            ("    fn a() {\n        b\n    }", "    ", "    fn a() {\n        b\n    }"),
            ("fn a() {\n        b\n    }", "    ", "    fn a() {\n        b\n    }"),
            ("def a():\n    b\n", "    ", "    def a():\n        b"),
            ("def a():\n        b\n", "    ", "    def a():\n        b"),
            ("\tfunc()\n\n\t\tx", "", "func()\n\n\tx"),
            ("a", "  ", "  a"),
        ] {
            assert_eq!(indent(text, target, false, &BTreeSet::new()), expected, "{text:?}");
        }
    }
}
