//! Which nodes of each grammar define something.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lsp_types::SymbolKind::{
    self, Class, Constant, Constructor, Enum, EnumMember, Field, Function, Interface, Method, Module,
    Namespace, Object, Property, Struct, TypeParameter, Variable,
};
use tree_sitter::Language;

use super::definition_nodes::NameRule::{AssignedName, Declarator, Implementation, Receiver};
use crate::grammar::Grammar;

/// How the name of a definition is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameRule {
    /// The child with this field name.
    Field(&'static str),
    /// The identifier within the declarators of C.
    Declarator,
    /// The field `name`, after the type of the receiver.
    Receiver,
    /// The type of a Rust `impl`.
    Implementation,
    /// The left side of an assignment, if it is a single name.
    AssignedName,
    /// The node is the name. Only in an enum.
    Itself,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DefinitionNode {
    pub(super) kind: SymbolKind,
    pub(super) name: NameRule,
    /// Without a body it only mentions the name: `struct point *p`.
    pub(super) needs_body: bool,
}

/// The roles of the nodes of a grammar, by kind id.
#[derive(Debug)]
pub(super) struct NodeTable {
    roles: Vec<NodeRole>,
    /// Every definition inside a function contains one of these words; empty if there are others.
    inner_keywords: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, Default)]
enum NodeRole {
    #[default]
    Other,
    Definition(DefinitionNode),
    /// Belongs to the definition after it: a comment, an attribute, a decorator.
    Trivia,
    /// Holds a definition, and belongs to it: `export`, decorators, a template's parameters.
    Wrapper,
}

impl NodeTable {
    fn new(grammar: &Grammar, definitions: &[(&str, DefinitionNode)]) -> Self {
        let language = &(grammar.language)();
        let inner = INNER_KEYWORDS.iter().find(|(name, _)| *name == grammar.name);
        let mut table = Self {
            roles: vec![NodeRole::Other; language.node_kind_count()],
            inner_keywords: inner.map_or(&[], |(_, words)| words),
        };
        TRIVIA.iter().for_each(|kind| table.set(language, kind, NodeRole::Trivia));
        WRAPPERS.iter().for_each(|kind| table.set(language, kind, NodeRole::Wrapper));
        for (kind, definition) in definitions {
            table.set(language, kind, NodeRole::Definition(*definition));
        }
        table
    }

    /// Other versions of a grammar, and other grammars, may not have the kind.
    fn set(&mut self, language: &Language, kind: &str, role: NodeRole) {
        let id = language.id_for_node_kind(kind, true);
        if id != 0
            && let Some(slot) = self.roles.get_mut(usize::from(id))
        {
            *slot = role;
        }
    }

    fn role(&self, kind: u16) -> NodeRole {
        self.roles.get(usize::from(kind)).copied().unwrap_or_default()
    }

    pub(super) fn definition(&self, kind: u16) -> Option<DefinitionNode> {
        if let NodeRole::Definition(definition) = self.role(kind) { Some(definition) } else { None }
    }

    pub(super) fn is_trivia(&self, kind: u16) -> bool {
        matches!(self.role(kind), NodeRole::Trivia)
    }

    pub(super) fn is_wrapper(&self, kind: u16) -> bool {
        matches!(self.role(kind), NodeRole::Wrapper)
    }

    /// Whether the body of a function may contain definitions. Most contain none, and are most of a text.
    pub(super) fn may_define_in(&self, body: &str) -> bool {
        self.inner_keywords.is_empty() || self.inner_keywords.iter().any(|word| body.contains(word))
    }

    /// Whether a node of this kind is, or may hold, a definition.
    pub(super) fn defines(&self, kind: u16) -> bool {
        matches!(self.role(kind), NodeRole::Definition(_) | NodeRole::Wrapper)
    }
}

/// `None` if texts of this grammar define nothing.
pub(super) fn table_for(grammar: &Grammar) -> Option<Arc<NodeTable>> {
    static TABLES: Mutex<BTreeMap<&str, Arc<NodeTable>>> = Mutex::new(BTreeMap::new());
    let definitions = DEFINITIONS.iter().find(|(names, _)| names.contains(&grammar.name))?.1;
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let table = tables.entry(grammar.name);
    Some(Arc::clone(table.or_insert_with(|| Arc::new(NodeTable::new(grammar, definitions)))))
}

/// By grammar: what definitions inside a function begin with. Variables there are no definitions.
static INNER_KEYWORDS: &[(&str, &[&str])] = &[
    ("go", &["type", "interface"]),
    ("lua", &["function"]),
    ("python", &["def", "class"]),
    ("rust", &["fn", "enum", "impl", "macro_rules", "mod", "struct", "trait", "type", "union"]),
];

const TRIVIA: [&str; 6] =
    ["comment", "line_comment", "block_comment", "doc_comment", "attribute_item", "decorator"];

const WRAPPERS: [&str; 10] = [
    "ambient_declaration",
    "const_declaration",
    "decorated_definition",
    "export_statement",
    "expression_statement",
    "lexical_declaration",
    "template_declaration",
    "type_declaration",
    "var_declaration",
    "variable_declaration",
];

const fn named(kind: SymbolKind) -> DefinitionNode {
    by(kind, NameRule::Field("name"))
}

const fn by(kind: SymbolKind, name: NameRule) -> DefinitionNode {
    DefinitionNode { kind, name, needs_body: false }
}

const fn with_body(kind: SymbolKind) -> DefinitionNode {
    DefinitionNode { kind, name: NameRule::Field("name"), needs_body: true }
}

type DefinitionList = &'static [(&'static str, DefinitionNode)];

const C: DefinitionList = &[
    ("function_definition", by(Function, Declarator)),
    ("declaration", by(Variable, Declarator)),
    ("field_declaration", by(Field, Declarator)),
    ("type_definition", by(TypeParameter, Declarator)),
    ("struct_specifier", with_body(Struct)),
    ("union_specifier", with_body(Struct)),
    ("enum_specifier", with_body(Enum)),
    ("enumerator", named(EnumMember)),
    ("preproc_def", named(Constant)),
    ("preproc_function_def", named(Function)),
    // C++
    ("class_specifier", with_body(Class)),
    ("namespace_definition", named(Namespace)),
    ("alias_declaration", named(TypeParameter)),
    ("concept_definition", named(Interface)),
];

const JAVASCRIPT: DefinitionList = &[
    ("function_declaration", named(Function)),
    ("generator_function_declaration", named(Function)),
    ("class_declaration", named(Class)),
    ("method_definition", named(Method)),
    ("field_definition", by(Field, NameRule::Field("property"))),
    ("variable_declarator", named(Variable)),
    // TypeScript
    ("abstract_class_declaration", named(Class)),
    ("abstract_method_signature", named(Method)),
    ("enum_assignment", named(EnumMember)),
    ("property_identifier", by(EnumMember, NameRule::Itself)),
    ("enum_declaration", named(Enum)),
    ("function_signature", named(Function)),
    ("interface_declaration", named(Interface)),
    ("internal_module", named(Namespace)),
    ("method_signature", named(Method)),
    ("module", named(Namespace)),
    ("property_signature", named(Property)),
    ("public_field_definition", named(Field)),
    ("type_alias_declaration", named(TypeParameter)),
];

/// By the names of grammars. Type aliases have the kind `TypeParameter`, as the servers of Rust and TypeScript give them.
static DEFINITIONS: &[(&[&str], DefinitionList)] = &[
    (
        &["bash"],
        &[("function_definition", named(Function)), ("variable_assignment", by(Variable, AssignedName))],
    ),
    (&["c", "cpp"], C),
    (
        &["c-sharp"],
        &[
            ("class_declaration", named(Class)),
            ("constructor_declaration", named(Constructor)),
            ("delegate_declaration", named(Function)),
            ("enum_declaration", named(Enum)),
            ("enum_member_declaration", named(EnumMember)),
            ("event_declaration", named(Property)),
            ("file_scoped_namespace_declaration", named(Namespace)),
            ("interface_declaration", named(Interface)),
            ("local_function_statement", named(Function)),
            ("method_declaration", named(Method)),
            ("namespace_declaration", named(Namespace)),
            ("property_declaration", named(Property)),
            ("record_declaration", named(Class)),
            ("struct_declaration", named(Struct)),
            ("variable_declarator", named(Field)),
        ],
    ),
    (
        &["go"],
        &[
            ("function_declaration", named(Function)),
            ("method_declaration", by(Function, Receiver)),
            ("type_spec", named(Struct)),
            ("type_alias", named(TypeParameter)),
            ("const_spec", named(Constant)),
            ("var_spec", named(Variable)),
            ("field_declaration", named(Field)),
            ("method_elem", named(Method)),
        ],
    ),
    (
        &["java"],
        &[
            ("annotation_type_declaration", named(Interface)),
            ("class_declaration", named(Class)),
            ("compact_constructor_declaration", named(Constructor)),
            ("constructor_declaration", named(Constructor)),
            ("enum_constant", named(EnumMember)),
            ("enum_declaration", named(Enum)),
            ("field_declaration", by(Field, Declarator)),
            ("constant_declaration", by(Constant, Declarator)),
            ("interface_declaration", named(Interface)),
            ("method_declaration", named(Method)),
            ("record_declaration", named(Class)),
        ],
    ),
    (&["javascript", "typescript", "tsx"], JAVASCRIPT),
    (
        &["lua"],
        &[("function_declaration", named(Function)), ("assignment_statement", by(Variable, AssignedName))],
    ),
    (
        &["php"],
        &[
            ("class_declaration", named(Class)),
            ("const_element", by(Constant, AssignedName)),
            ("enum_case", named(EnumMember)),
            ("enum_declaration", named(Enum)),
            ("function_definition", named(Function)),
            ("interface_declaration", named(Interface)),
            ("method_declaration", named(Method)),
            ("namespace_definition", named(Namespace)),
            ("property_element", named(Property)),
            ("trait_declaration", named(Class)),
        ],
    ),
    (
        &["python"],
        &[
            ("class_definition", named(Class)),
            ("function_definition", named(Function)),
            ("assignment", by(Variable, AssignedName)),
        ],
    ),
    (
        &["ruby"],
        &[
            ("class", named(Class)),
            ("module", named(Module)),
            ("method", named(Function)),
            ("singleton_method", named(Method)),
            ("assignment", by(Constant, AssignedName)),
        ],
    ),
    (
        &["rust"],
        &[
            ("associated_type", named(TypeParameter)),
            ("const_item", named(Constant)),
            ("enum_item", named(Enum)),
            ("enum_variant", named(EnumMember)),
            ("field_declaration", named(Field)),
            ("function_item", named(Function)),
            ("function_signature_item", named(Function)),
            ("impl_item", by(Object, Implementation)),
            ("macro_definition", named(Function)),
            ("mod_item", named(Module)),
            ("static_item", named(Variable)),
            ("struct_item", named(Struct)),
            ("trait_item", named(Interface)),
            ("type_item", named(TypeParameter)),
            ("union_item", named(Struct)),
        ],
    ),
];
