//! `import` and `from … import` of Python.
//!
//! A module is the path of its file without `.py`, or of its package. An absolute import begins in some folder of the search path:
//! that which the moved module's own path shows. Where the name changes that an import binds, its uses change too, or it is bound
//! under its old name (`import forms as shapes`) if one of its uses may be something else.

mod bound_names;

use std::path::{Path, PathBuf};

use tree_sitter::{Node, Tree};

use self::bound_names::{module_uses, name_uses_as_module};
use super::{ImportEdits, ImportingFile, PathMove};
use crate::file_outlines::parse_file;

pub(super) fn edits(
    file: &ImportingFile<'_>,
    moved: &PathMove,
    exists: &dyn Fn(&Path) -> bool,
) -> ImportEdits {
    // A package is not its `__init__.py`.
    let is_module = |path: &Path| path.file_stem().is_some_and(|stem| stem != "__init__");
    let Some(tree) = parse_file(file.path, file.text).filter(|_| is_module(&moved.from)) else {
        return ImportEdits::default();
    };
    let modules = PathMove { from: module_of(&moved.from), to: module_of(&moved.to) };
    let mut rewriter =
        ImportRewriter { file, tree: &tree, moved, modules, exists, found: ImportEdits::default() };
    let mut pending = vec![tree.root_node()];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "import_statement" => rewriter.import(node),
            "import_from_statement" => rewriter.import_from(node),
            _ => {
                let mut cursor = node.walk();
                pending.extend(node.named_children(&mut cursor));
            }
        }
    }
    rewriter.found
}

/// A file without its extension; a folder as it is.
fn module_of(path: &Path) -> PathBuf {
    if path.extension().is_some_and(|extension| extension == "py" || extension == "pyi") {
        path.with_extension("")
    } else {
        path.to_owned()
    }
}

struct ImportRewriter<'a> {
    file: &'a ImportingFile<'a>,
    tree: &'a Tree,
    moved: &'a PathMove,
    modules: PathMove,
    exists: &'a dyn Fn(&Path) -> bool,
    found: ImportEdits,
}

/// What stands after `from`.
struct ImportedModule {
    /// The module before the move.
    module: PathBuf,
    /// Where an absolute path begins; none for a relative one.
    root: Option<PathBuf>,
}

impl ImportRewriter<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.file.text.get(node.byte_range()).unwrap_or_default()
    }

    fn is_module(&self, module: &Path) -> bool {
        (self.exists)(module) || (self.exists)(&module.with_extension("py"))
    }

    fn root_of(&self, words: &[&str]) -> Option<PathBuf> {
        let root = self.modules.root_of(words, &|module| self.is_module(module))?;
        // An absolute path does not begin inside a package.
        Some(root).filter(|root| !(self.exists)(&root.join("__init__.py")))
    }

    /// `import a.b`, `import a.b as c`.
    fn import(&mut self, statement: Node<'_>) {
        let mut cursor = statement.walk();
        for item in statement.children_by_field_name("name", &mut cursor) {
            let is_aliased = item.kind() == "aliased_import";
            let Some(name) = (if is_aliased { item.child_by_field_name("name") } else { Some(item) }) else {
                continue;
            };
            let old = self.text(name).to_owned();
            let words: Vec<&str> = old.split('.').collect();
            let Some(root) = self.root_of(&words) else { continue };
            let Some(new) = self.dotted(&root, &root.join(words.iter().collect::<PathBuf>())) else {
                self.found.left += 1;
                continue;
            };
            let mut new_text = new.clone();
            if !is_aliased && new != old {
                match self.module_uses(&old, &words) {
                    Some(uses) => {
                        self.found.edits.extend(uses.into_iter().map(|range| (range, new.clone())));
                    }
                    None => new_text = format!("{new} as {old}"),
                }
            }
            self.found.replace(name.byte_range(), &old, new_text);
        }
    }

    /// The uses of what `import a.b` binds; `None` if one of them may be something else.
    fn module_uses(&self, old: &str, words: &[&str]) -> Option<Vec<std::ops::Range<usize>>> {
        match words {
            [_] => name_uses_as_module(self.tree, self.file.text, old),
            _ => Some(module_uses(self.tree, self.file.text, old)),
        }
    }

    /// `from a.b import c, d as e`, `from . import c`.
    fn import_from(&mut self, statement: Node<'_>) {
        let Some(from) = statement.child_by_field_name("module_name") else { return };
        let mut cursor = statement.walk();
        let items: Vec<_> = statement.children_by_field_name("name", &mut cursor).collect();
        let Some(imported) = self.imported_module(from, &items) else { return };
        let leaving: Vec<_> = items.iter().filter(|item| self.moves(&imported, **item)).copied().collect();
        let is_alone = leaving.len() == items.len() && items.len() == 1;
        // The module with everything in it.
        if !is_alone {
            self.replace_module(from, &imported);
        }
        for item in leaving {
            self.replace_name(statement, from, item, &imported, is_alone);
        }
    }

    fn imported_module(&self, from: Node<'_>, items: &[Node<'_>]) -> Option<ImportedModule> {
        let written = self.text(from);
        if from.kind() == "relative_import" {
            let dots = written.chars().take_while(|character| *character == '.').count();
            let words = written.trim_start_matches('.').trim();
            let folder = self.file.path.parent()?.ancestors().nth(dots - 1)?;
            let module = words
                .split('.')
                .filter(|word| !word.is_empty())
                .fold(folder.to_owned(), |path, word| path.join(word));
            return Some(ImportedModule { module, root: None });
        }
        let words: Vec<&str> = written.split('.').collect();
        let below = |item: &Node<'_>| {
            let words: Vec<&str> = words.iter().copied().chain([self.imported_name(*item)?]).collect();
            self.root_of(&words)
        };
        let root = self.root_of(&words).or_else(|| items.iter().find_map(below))?;
        Some(ImportedModule { module: root.join(words.iter().collect::<PathBuf>()), root: Some(root) })
    }

    /// Changes what stands after `from`, if it is called otherwise after the move.
    fn replace_module(&mut self, from: Node<'_>, imported: &ImportedModule) {
        let is_moved = imported.module.starts_with(&self.modules.from);
        let is_elsewhere = self.moved.destination(self.file.path).parent() != self.file.path.parent();
        // A relative path may be written in several ways.
        if !is_moved && (imported.root.is_some() || !is_elsewhere) {
            return;
        }
        let old = self.text(from).to_owned();
        match self.written_module(imported.root.as_deref(), &self.modules.destination(&imported.module)) {
            Some(new) => self.found.replace(from.byte_range(), &old, new),
            None => self.found.left += 1,
        }
    }

    /// The name before `as`.
    fn imported_name(&self, item: Node<'_>) -> Option<&str> {
        let name = if item.kind() == "aliased_import" { item.child_by_field_name("name")? } else { item };
        Some(self.text(name))
    }

    /// Whether an imported name is a module that moves.
    fn moves(&self, imported: &ImportedModule, item: Node<'_>) -> bool {
        let module = self.imported_name(item).map(|name| imported.module.join(name));
        module.is_some_and(|module| module == self.modules.from && self.is_module(&module))
    }

    /// A module that moves is imported by its name.
    fn replace_name(
        &mut self,
        statement: Node<'_>,
        from: Node<'_>,
        item: Node<'_>,
        imported: &ImportedModule,
        is_alone: bool,
    ) {
        let old = self.imported_name(item).unwrap_or_default().to_owned();
        let alias = item.child_by_field_name("alias").map(|alias| self.text(alias).to_owned());
        let to = self.modules.to.clone();
        let (Some(package), Some(new)) = (to.parent(), to.file_name().and_then(|name| name.to_str())) else {
            return;
        };
        let stays = self.moved.destination(&imported.module) == package;
        let package = self.written_module(imported.root.as_deref(), package);
        let Some(package) = package.filter(|_| dotted_words(Path::new(new)).is_some()) else {
            self.found.left += 1;
            return;
        };
        let mut item_text = new.to_owned();
        if let Some(alias) = alias {
            item_text = format!("{new} as {alias}");
        } else if new != old {
            match name_uses_as_module(self.tree, self.file.text, &old) {
                Some(uses) => {
                    self.found.edits.extend(uses.into_iter().map(|range| (range, new.to_owned())));
                }
                None => item_text = format!("{new} as {old}"),
            }
        }
        let item_before = self.text(item).to_owned();
        if stays {
            return self.found.replace(item.byte_range(), &item_before, item_text);
        }
        if is_alone && !package.is_empty() {
            // Only the two names change: comments and brackets stay.
            let package_before = self.text(from).to_owned();
            self.found.replace(from.byte_range(), &package_before, package);
            return self.found.replace(item.byte_range(), &item_before, item_text);
        }
        // A module of the first level is in no package.
        let added = if package.is_empty() {
            format!("import {item_text}")
        } else {
            format!("from {package} import {item_text}")
        };
        if is_alone {
            return self.found.edits.push((statement.byte_range(), added));
        }
        let start = statement.start_byte();
        let before = self.file.text.get(..start).unwrap_or_default();
        let indentation = before.rsplit('\n').next().unwrap_or_default();
        self.found.edits.push((start..start, format!("{added}\n{indentation}")));
        self.found.edits.push((self.with_comma(item), String::new()));
    }

    /// An item of a list with the comma and the blanks behind it, or before it if it is the last.
    fn with_comma(&self, item: Node<'_>) -> std::ops::Range<usize> {
        let behind = self.file.text.get(item.end_byte()..).unwrap_or_default();
        let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        if behind.trim_start().starts_with(',') {
            let comma = behind.find(',').unwrap_or_default() + 1;
            let rest = behind.get(comma..).unwrap_or_default();
            return item.start_byte()..item.end_byte() + comma + blanks(rest);
        }
        let before = self.file.text.get(..item.start_byte()).unwrap_or_default().trim_end();
        before.strip_suffix(',').map_or(item.start_byte(), str::len)..item.end_byte()
    }

    /// How a module is written that has this path after the move.
    fn written_module(&self, root: Option<&Path>, module: &Path) -> Option<String> {
        match root {
            Some(root) => dotted_words(module.strip_prefix(root).ok()?),
            None => {
                let file = self.moved.destination(self.file.path);
                let folder = file.parent()?;
                let above = folder.ancestors().position(|above| module.starts_with(above))?;
                let rest = module.strip_prefix(folder.ancestors().nth(above)?).ok()?;
                Some(format!("{}{}", ".".repeat(above + 1), dotted_words(rest)?))
            }
        }
    }

    fn dotted(&self, root: &Path, module: &Path) -> Option<String> {
        dotted_words(self.modules.destination(module).strip_prefix(root).ok()?)
            .filter(|words| !words.is_empty())
    }
}

/// `a/b` as `a.b`; `None` if a word of it is no name.
fn dotted_words(path: &Path) -> Option<String> {
    let is_name = |word: &&str| {
        word.chars().all(|character| character.is_alphanumeric() || character == '_')
            && !word.starts_with(|character: char| character.is_ascii_digit())
    };
    let words: Option<Vec<&str>> =
        path.components().map(|component| component.as_os_str().to_str().filter(is_name)).collect();
    Some(words?.join("."))
}
