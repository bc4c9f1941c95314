//! How other files refer to a file.

use std::path::Path;

/// Extensions of translation units, which include others and are not included.
const UNITS: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "m", "mm", "cu"];

/// Extensions of files that are included. Only these have dependents in their languages.
const HEADERS: [&str; 10] = ["h", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cuh", "hrl"];

/// The regex of a mention. `None` if other files cannot refer to it.
pub(super) fn mention_pattern(path: &Path) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    let stem = path.file_stem()?.to_str()?;
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = match (extension, stem) {
        _ if HEADERS.contains(&extension) => path.file_name()?.to_str()?,
        _ if is_never_imported(path) => return None,
        ("go", _) | (_, "__init__" | "index" | "mod") => folder?,
        ("rs", "lib") => path.ancestors().nth(2)?.file_name()?.to_str()?,
        // Type declarations, or one of several related files: `x.d.ts`, `x.test.ts`.
        _ => stem.split('.').next().unwrap_or(stem),
    };
    let name = if extension == "rs" { name.replace('-', "_") } else { name.to_owned() };
    if name.is_empty() {
        return None;
    }
    let edge =
        |end: Option<char>| if end.is_some_and(|c| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
    let pattern = format!("{}{}{}", edge(name.chars().next()), escape(&name), edge(name.chars().next_back()));
    // Files of the same folder name the folder by dots, or the file itself.
    Some(match stem {
        "index" => format!(r#"{pattern}|["'][./]*(/index(\.\w+)?|\./?)["']"#),
        "__init__" => format!(r"{pattern}|from\s+\.+\s+import"),
        _ => pattern,
    })
}

/// Whether a file with this import passes on what it imports: its own dependents may break, too.
pub(super) fn passes_on(path: &Path, line: &str) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let has_word =
        |wanted: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == wanted);
    HEADERS.contains(&extension) || matches!(stem, "__init__" | "index") || has_word("export")
}

/// Whether other files usually do not import it.
pub(crate) fn is_never_imported(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| UNITS.contains(&extension))
        || path.file_name().is_some_and(|name| name == "main.rs")
}

/// Files of one folder form a package, and see each other without imports.
pub(super) fn shares_package_scope(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "go")
}

/// Whether the line looks like an import, in any language.
pub(super) fn is_import(line: &str) -> bool {
    const WORDS: [&str; 13] = [
        "import",
        "from",
        "use",
        "mod",
        "include",
        "require",
        "require_relative",
        "export",
        "using",
        "extern",
        "load",
        "source",
        "open",
    ];
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| WORDS.contains(&word))
}

fn escape(name: &str) -> String {
    let mut escaped = String::new();
    for c in name.chars() {
        if c.is_ascii_punctuation() && c != '_' {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_follows_the_language() {
        for (path, expected) in [
            ("/w/src/bar.rs", Some(r"\bbar\b")),
            ("/w/src/bar/mod.rs", Some(r"\bbar\b")),
            ("/w/my-crate/src/lib.rs", Some(r"\bmy_crate\b")),
            ("/w/src/main.rs", None),
            ("/w/a/types.d.ts", Some(r"\btypes\b")),
            ("/w/a/my-part.ts", Some(r"\bmy\-part\b")),
            ("/w/a/index.tsx", Some(r#"\ba\b|["'][./]*(/index(\.\w+)?|\./?)["']"#)),
            ("/w/a/__init__.py", Some(r"\ba\b|from\s+\.+\s+import")),
            ("/w/inc/a+b.h", Some(r"\ba\+b\.h\b")),
            ("/w/x.cpp", None),
            ("/w/geo/x.go", Some(r"\bgeo\b")),
            ("/w/$x.js", Some(r"\$x\b")),
            ("/Makefile", None),
            ("/", None),
        ] {
            assert_eq!(mention_pattern(Path::new(path)).as_deref(), expected, "{path}");
        }
    }
}
