//! The name of a definition, and where it stands.

use std::ops::Range;

use lsp_types::SymbolKind;
use tree_sitter::Node;

use super::definition_nodes::{DefinitionNode, NameRule};

/// A name is longer only in generated code.
const MAX_NAME_BYTES: usize = 256;
/// How deep a C declarator may be nested.
const MAX_DECLARATORS: usize = 16;

/// A name, and where it stands.
pub(super) type WrittenName = (String, Range<usize>);

/// Several for `var one, two int`. Empty if the node has no name: an anonymous struct, a pattern.
pub(super) fn find(definition: &DefinitionNode, node: Node<'_>, text: &str) -> Vec<WrittenName> {
    let names: Vec<Node<'_>> = match definition.name {
        NameRule::Field(field) => node.children_by_field_name(field, &mut node.walk()).collect(),
        NameRule::Declarator => declared_name(node).into_iter().collect(),
        NameRule::Receiver => node.child_by_field_name("name").into_iter().collect(),
        NameRule::Implementation => return implementation_name(node, text).into_iter().collect(),
        NameRule::AssignedName => assigned_name(node).into_iter().collect(),
        NameRule::Itself => vec![node],
    };
    let owner = matches!(definition.name, NameRule::Receiver).then(|| receiver_type(node, text)).flatten();
    let written = |name: Node<'_>| {
        let written = text.get(name.byte_range()).filter(|name| name.len() <= MAX_NAME_BYTES)?;
        // The commas between several names have the field, too.
        let is_name = name.is_named() && !written.is_empty();
        let name_text = owner.map_or_else(|| written.to_owned(), |owner| format!("{owner}.{written}"));
        is_name.then(|| (name_text, name.byte_range()))
    };
    names.into_iter().filter_map(written).collect()
}

/// Whether a declaration of C declares a function: its own declarator takes parameters.
pub(super) fn declares_function(definition: &DefinitionNode, node: Node<'_>) -> bool {
    let mut declarator = node.child_by_field_name("declarator");
    while let Some(node) = declarator.filter(|_| definition.name == NameRule::Declarator) {
        match node.kind() {
            "function_declarator" => return true,
            // The result is a pointer.
            "pointer_declarator" | "reference_declarator" => {
                declarator = node.child_by_field_name("declarator").or_else(|| node.named_child(0));
            }
            _ => return false,
        }
    }
    false
}

/// The identifier within the declarators of C: `int *(*f)(void)`.
fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node.child_by_field_name("declarator")?;
    for _ in 0..MAX_DECLARATORS {
        let inner = node.child_by_field_name("declarator");
        // A pointer in parentheses, and a reference of C++, have no field for what they declare.
        let is_wrapper = matches!(node.kind(), "parenthesized_declarator" | "reference_declarator");
        match inner.or_else(|| is_wrapper.then(|| node.named_child(0)).flatten()) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    // Java's declarators name their name.
    let node = node.child_by_field_name("name").unwrap_or(node);
    let is_name = node.kind().ends_with("identifier") || node.kind().ends_with("_name");
    is_name.then_some(node)
}

/// The left side of an assignment, if it is one name.
fn assigned_name(node: Node<'_>) -> Option<Node<'_>> {
    let left = node.child_by_field_name("left").or_else(|| node.child_by_field_name("name"))?;
    matches!(left.kind(), "identifier" | "variable_name" | "constant").then_some(left)
}

/// Whether a variable is a function: `const area = () => …`.
pub(super) fn holds_function(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value");
    value.is_some_and(|value| {
        matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function")
    })
}

/// What a `type` of Go defines.
pub(super) fn go_type_kind(node: Node<'_>) -> Option<SymbolKind> {
    let of = (node.kind() == "type_spec").then(|| node.child_by_field_name("type")).flatten()?;
    Some(match of.kind() {
        "interface_type" => SymbolKind::Interface,
        "struct_type" => SymbolKind::Struct,
        _ => SymbolKind::TypeParameter,
    })
}

/// The type of a Go receiver, without pointer and type parameters.
fn receiver_type<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    let mut cursor = node.walk();
    let receiver = node.child_by_field_name("receiver")?;
    let parameter =
        receiver.named_children(&mut cursor).find(|child| child.kind() == "parameter_declaration")?;
    let mut written = parameter.child_by_field_name("type")?;
    while matches!(written.kind(), "pointer_type" | "parenthesized_type" | "generic_type") {
        written = written.named_child(0)?;
    }
    text.get(written.byte_range())
}

/// `impl Shape for Square<T>`: written as it is, and the type is its name.
fn implementation_name(node: Node<'_>, text: &str) -> Option<(String, Range<usize>)> {
    let of = node.child_by_field_name("type")?;
    let written = text.get(of.byte_range())?;
    let name = match node.child_by_field_name("trait").and_then(|of| text.get(of.byte_range())) {
        Some(of) => format!("impl {of} for {written}"),
        None => format!("impl {written}"),
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (name.len() <= MAX_NAME_BYTES).then(|| (name, of.byte_range()))
}
