//! How other files name a file.

use std::path::Path;

/// Endings of files that are compiled by themselves, and bring in others.
const UNITS: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "m", "mm", "cu"];

/// What other files would say, or none where others cannot name it.
pub(super) fn mention_pattern(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_str()?;
    let stem = path.file_stem()?.to_str()?;
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = match (ending, stem) {
        // Only what is included has others depend on it.
        ("h" | "hpp" | "hh" | "hxx" | "h++" | "ipp" | "inl" | "tpp" | "cuh" | "hrl", _) => {
            path.file_name()?.to_str()?
        }
        _ if is_never_imported(path) => return None,
        ("go", _) | (_, "__init__" | "index" | "mod") => folder?,
        ("rs", "lib") => path.ancestors().nth(2)?.file_name()?.to_str()?,
        // The types of a script, or one of several that belong together: `x.d.ts`, `x.test.ts`.
        _ => stem.split('.').next().unwrap_or(stem),
    };
    let name = if ending == "rs" { name.replace('-', "_") } else { name.to_owned() };
    if name.is_empty() {
        return None;
    }
    let edge =
        |end: Option<char>| if end.is_some_and(|c| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
    Some(format!("{}{}{}", edge(name.chars().next()), escape(&name), edge(name.chars().next_back())))
}

/// Whether no other file brings it in, as a rule.
pub(crate) fn is_never_imported(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| UNITS.contains(&ending))
        || path.file_name().is_some_and(|name| name == "main.rs")
}

/// Files of one folder are one package, and see each other without a word.
pub(super) fn shares_package_scope(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "go")
}

/// A line in which something is brought in, in whichever language.
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
    fn a_file_is_named_as_its_language_does() {
        for (path, expected) in [
            ("/w/src/bar.rs", Some(r"\bbar\b")),
            ("/w/src/bar/mod.rs", Some(r"\bbar\b")),
            ("/w/my-crate/src/lib.rs", Some(r"\bmy_crate\b")),
            ("/w/src/main.rs", None),
            ("/w/a/types.d.ts", Some(r"\btypes\b")),
            ("/w/a/my-part.ts", Some(r"\bmy\-part\b")),
            ("/w/a/index.tsx", Some(r"\ba\b")),
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
