//! The definitions in a text, as a tree in text order: what a language server calls document symbols.
//!
//! A table says which nodes of a grammar define something (`outline/definition_nodes.rs`). A variable inside a function is no
//! definition here, and a function inside a type is a method.

mod definition_name;
mod definition_nodes;
#[cfg(test)]
mod tests;

use std::ops::Range;

use lsp_types::SymbolKind;
use tree_sitter::{Node, Tree, TreeCursor};

use self::definition_nodes::{DefinitionNode, NameRule, NodeTable};
use crate::grammar::Grammar;

/// Annotations that are a part of what they are for.
const ATTRIBUTES: [&str; 6] = [
    "annotation",
    "attribute_declaration",
    "attribute_group",
    "attribute_list",
    "attribute_specifier",
    "marker_annotation",
];

/// No user reads a longer outline.
const MAX_SYMBOLS: usize = 50_000;

/// A definition. Ranges are bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSymbol {
    /// As it is written, with what qualifies it there: `Shape::area`, `M.setup`. A Go method has its type before it: `Pass.Report`.
    pub name: String,
    pub kind: SymbolKind,
    /// The index of the definition around it.
    pub parent: Option<usize>,
    /// All of it, with the comments, attributes and decorators directly above.
    pub range: Range<usize>,
    /// Where it begins behind those.
    pub start: usize,
    pub name_range: Range<usize>,
    /// From its first keyword to its body.
    pub signature: Range<usize>,
}

/// Lists the definitions of a text, in its order.
pub fn outline(grammar: &Grammar, tree: &Tree, text: &str) -> Vec<OutlineSymbol> {
    let Some(table) = definition_nodes::table_for(grammar) else { return Vec::new() };
    let mut builder = OutlineBuilder { table: &table, text, symbols: Vec::new(), levels: Vec::new() };
    builder.walk(tree.walk());
    builder.symbols
}

/// Whether texts of this grammar define something.
pub fn has_definitions(grammar: &Grammar) -> bool {
    definition_nodes::table_for(grammar).is_some()
}

/// Whether functions of one name that stand one behind the other are one function. (In other languages they are several.)
pub fn has_overloads(grammar: &Grammar) -> bool {
    matches!(grammar.name, "javascript" | "python" | "tsx" | "typescript")
}

struct OutlineBuilder<'a> {
    table: &'a NodeTable,
    text: &'a str,
    symbols: Vec<OutlineSymbol>,
    /// One for each node on the way from the root to the present one.
    levels: Vec<TreeLevel>,
}

/// What is known about the children of a node.
#[derive(Debug, Default)]
struct TreeLevel {
    symbol: Option<usize>,
    is_in_function: bool,
    /// The range of a node that only wraps one definition, with what is directly above, and where it begins behind that.
    wrapper: Option<(Range<usize>, usize)>,
    leading: Option<LeadingTrivia>,
    /// The row in which the last child that is no trivia ends.
    last_row: Option<usize>,
}

/// Comments and attributes without an empty line between them.
#[derive(Debug, Clone, Copy)]
struct LeadingTrivia {
    start: usize,
    end_row: usize,
}

impl OutlineBuilder<'_> {
    fn walk(&mut self, mut cursor: TreeCursor<'_>) {
        self.levels.push(TreeLevel::default());
        loop {
            let below = self.visit(&cursor);
            if self.symbols.len() >= MAX_SYMBOLS {
                return;
            }
            if let Some(below) = below
                && cursor.goto_first_child()
            {
                self.levels.push(below);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.levels.pop();
            }
        }
    }

    /// Adds the definition of this node, if it is one. Returns what its children get to know, unless it needs no look inside.
    fn visit(&mut self, cursor: &TreeCursor<'_>) -> Option<TreeLevel> {
        let node = cursor.node();
        let own_start = self.start_behind_trivia(node);
        let level = self.levels.last_mut()?;
        if self.table.is_trivia(node.kind_id()) {
            level.add_trivia(node);
            return None;
        }
        let start = level.take_leading(node).unwrap_or(node.start_byte());
        let wrapper = self.table.defines(node.kind_id()).then(|| level.wrapper.take()).flatten();
        let (range, start) = wrapper.unwrap_or((start..node.end_byte(), own_start));
        let above = level.symbol;
        let below = TreeLevel {
            symbol: above,
            is_in_function: level.is_in_function,
            wrapper: self.wraps_one(node).then(|| (range.clone(), start)),
            ..TreeLevel::default()
        };
        let Some(definition) = self.table.definition(node.kind_id()) else { return Some(below) };
        let is_local = below.is_in_function && is_variable(definition.kind);
        let symbols =
            if is_local { Vec::new() } else { self.symbols(&definition, node, (&range, start), above) };
        let Some(first) = symbols.first() else { return Some(below) };
        let is_function = is_function(first.kind);
        let is_in_function = below.is_in_function || is_function;
        let first = self.symbols.len();
        self.symbols.extend(symbols);
        if is_function && !self.may_define_inside(node) {
            return None;
        }
        Some(TreeLevel { symbol: Some(first), is_in_function, ..below })
    }

    fn may_define_inside(&self, function: Node<'_>) -> bool {
        let body = function.child_by_field_name("body");
        body.and_then(|body| self.text.get(body.byte_range()))
            .is_none_or(|body| self.table.may_define_in(body))
    }

    /// Several if they share their type: `var one, two int`.
    fn symbols(
        &self,
        definition: &DefinitionNode,
        node: Node<'_>,
        (range, start): (&Range<usize>, usize),
        parent: Option<usize>,
    ) -> Vec<OutlineSymbol> {
        let above = parent.and_then(|at| self.symbols.get(at)).map(|parent| parent.kind);
        let is_bare = definition.needs_body && node.child_by_field_name("body").is_none();
        if is_bare || definition.name == NameRule::Itself && above != Some(SymbolKind::Enum) {
            return Vec::new();
        }
        let is_member = above.is_some_and(is_type);
        let is_method = is_member || definition.name == NameRule::Receiver;
        let kind = match definition.kind {
            SymbolKind::Variable | SymbolKind::Field
                if definition_name::declares_function(definition, node)
                    || definition_name::holds_function(node) =>
            {
                SymbolKind::Function
            }
            kind => kind,
        };
        let kind = definition_name::go_type_kind(node).unwrap_or(kind);
        let kind = match kind {
            SymbolKind::Function if is_method => SymbolKind::Method,
            SymbolKind::Variable if is_member => SymbolKind::Field,
            kind => kind,
        };
        // Some nodes include the end of their line.
        let text = self.text.get(range.clone()).unwrap_or_default();
        let range = range.start..range.start + text.trim_end().len();
        let signature = node.start_byte()..self.signature_end(node);
        let names = definition_name::find(definition, node, self.text).into_iter();
        let symbol = |(name, name_range)| {
            let (range, signature) = (range.clone(), signature.clone());
            OutlineSymbol { name, kind, parent, range, start, name_range, signature }
        };
        names.map(symbol).collect()
    }

    /// Whether the node belongs to the one definition in it.
    fn wraps_one(&self, node: Node<'_>) -> bool {
        if !self.table.is_wrapper(node.kind_id()) {
            return false;
        }
        let mut cursor = node.walk();
        let defines = |child: &Node<'_>| self.table.defines(child.kind_id());
        node.named_children(&mut cursor).filter(defines).take(2).count() == 1
    }

    /// Decorators, annotations and attributes may be in the node of what they are for.
    fn start_behind_trivia(&self, node: Node<'_>) -> usize {
        if !self.table.defines(node.kind_id()) {
            return node.start_byte();
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            let is_trivia = self.table.is_trivia(child.kind_id()) || ATTRIBUTES.contains(&child.kind());
            if child.kind() == "modifiers" {
                // In Java they are among the modifiers.
                let mut inner = child.walk();
                let mut words = child.children(&mut inner);
                if let Some(word) = words.find(|word| !ATTRIBUTES.contains(&word.kind())) {
                    return word.start_byte();
                }
            } else if !is_trivia {
                return child.start_byte();
            }
        }
        node.start_byte()
    }

    /// Where the body begins, else the end of the first line.
    fn signature_end(&self, node: Node<'_>) -> usize {
        let body = node.child_by_field_name("body").map(|body| body.start_byte());
        let line_end = || {
            let text = self.text.get(node.byte_range()).unwrap_or_default();
            node.start_byte() + text.find('\n').unwrap_or(text.len())
        };
        body.unwrap_or_else(line_end)
    }
}

impl TreeLevel {
    fn add_trivia(&mut self, node: Node<'_>) {
        let (first_row, end) = (node.start_position().row, node.end_position());
        // A comment behind code is about that code.
        if self.last_row == Some(first_row) {
            return;
        }
        // The comment's node may include the line break.
        let end_row = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        let start = self.leading.filter(|leading| leading.end_row + 1 >= first_row);
        let start = start.map_or(node.start_byte(), |leading| leading.start);
        self.leading = Some(LeadingTrivia { start, end_row });
    }

    fn take_leading(&mut self, node: Node<'_>) -> Option<usize> {
        self.last_row = Some(node.end_position().row);
        let leading = self.leading.take()?;
        (leading.end_row + 1 >= node.start_position().row).then_some(leading.start)
    }
}

fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

fn is_variable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
}

fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Enum
            | SymbolKind::Interface
            | SymbolKind::Object
    )
}
