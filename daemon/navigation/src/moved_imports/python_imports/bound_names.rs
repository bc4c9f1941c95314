//! Where the module that an import binds is used in the rest of a text.

use std::ops::Range;

use copydesk_syntax::name_uses::name_uses;
use tree_sitter::{Node, Tree};

/// The uses of `a.b.c` after `import a.b.c`, with what is below it.
pub(super) fn module_uses(tree: &Tree, text: &str, dotted: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut pending = vec![tree.root_node()];
    while let Some(node) = pending.pop() {
        if is_import(node) {
            continue;
        }
        if node.kind() == "attribute" && text.get(node.byte_range()) == Some(dotted) {
            found.push(node.byte_range());
            continue;
        }
        let mut cursor = node.walk();
        pending.extend(node.named_children(&mut cursor));
    }
    found
}

/// The uses of a name that a module is bound to; `None` if one of them may be something else, as a variable of that name.
pub(super) fn name_uses_as_module(tree: &Tree, text: &str, name: &str) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    for range in name_uses(tree, text, name) {
        let node = tree.root_node().descendant_for_byte_range(range.start, range.end)?;
        match bound_use(node) {
            BoundUse::Module => found.push(range),
            BoundUse::OtherName => {}
            BoundUse::Unclear => return None,
        }
    }
    Some(found)
}

enum BoundUse {
    /// `name.something`
    Module,
    /// `something.name`, a keyword argument, or an import.
    OtherName,
    Unclear,
}

fn bound_use(node: Node<'_>) -> BoundUse {
    let mut above = node.parent();
    while let Some(around) = above {
        if is_import(around) {
            return BoundUse::OtherName;
        }
        above = around.parent();
    }
    let Some(parent) = node.parent() else { return BoundUse::Unclear };
    let is_field = |name: &str| parent.child_by_field_name(name) == Some(node);
    match parent.kind() {
        "attribute" if is_field("object") => BoundUse::Module,
        "attribute" => BoundUse::OtherName,
        "keyword_argument" if is_field("name") => BoundUse::OtherName,
        _ => BoundUse::Unclear,
    }
}

fn is_import(node: Node<'_>) -> bool {
    matches!(node.kind(), "import_statement" | "import_from_statement" | "future_import_statement")
}
