//! The built-in grammars, and the files that they are for.

use std::path::Path;

use tree_sitter::Language;

/// A language that texts can be parsed in.
#[derive(Debug)]
pub struct Grammar {
    pub name: &'static str,
    /// File extensions, without the dot.
    extensions: &'static [&'static str],
    /// Whole file names.
    files: &'static [&'static str],
    pub strictness: GrammarStrictness,
    pub language: fn() -> Language,
}

/// How reliable a syntax error is.
#[allow(dead_code, reason = "a build may leave out all grammars of a kind")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrammarStrictness {
    Code,
    /// Correct texts break the grammar, too. C and C++ macros are not expanded: a third of real files break it, half of
    /// the headers. The Bash grammar is incomplete: one file in forty. (The others: none in hundreds, or one in a
    /// hundred.)
    Loose,
    /// Such files are often templates, which may contain anything.
    Data,
}

/// `None` if there is no grammar for the file, or this build leaves it out.
pub fn grammar_for(path: &Path) -> Option<&'static Grammar> {
    let name = path.file_name()?.to_str()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let by_name = GRAMMARS.iter().find(|grammar| grammar.files.contains(&name));
    by_name.or_else(|| GRAMMARS.iter().find(|grammar| grammar.extensions.contains(&extension)))
}

/// Whether the programs that read this JSON file allow a comma after the last item.
pub fn allows_trailing_comma(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let starts = |start: &str| name.starts_with(start);
    let is_json = name.ends_with(".json");
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    [".jsonc", ".code-workspace", ".code-snippets"].iter().any(|extension| name.ends_with(extension))
        || is_json
            && (starts("tsconfig") || starts("jsconfig") || starts(".eslintrc") || starts("devcontainer"))
        || is_json && matches!(folder, Some(".vscode" | ".devcontainer" | ".zed"))
        || matches!(name, ".babelrc" | ".swcrc" | ".eslintrc" | "deno.json" | "api-extractor.json")
}

static GRAMMARS: &[Grammar] = &[
    #[cfg(feature = "bash")]
    Grammar {
        name: "bash",
        extensions: &["sh", "bash"],
        files: &[".bashrc", ".bash_profile", ".profile", "PKGBUILD"],
        strictness: GrammarStrictness::Loose,
        language: || tree_sitter_bash::LANGUAGE.into(),
    },
    #[cfg(feature = "c")]
    Grammar {
        name: "c",
        extensions: &["c"],
        files: &[],
        strictness: GrammarStrictness::Loose,
        language: || tree_sitter_c::LANGUAGE.into(),
    },
    // A header may be C or C++. Nearly all valid C is valid C++.
    #[cfg(feature = "cpp")]
    Grammar {
        name: "cpp",
        extensions: &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "ipp"],
        files: &[],
        strictness: GrammarStrictness::Loose,
        language: || tree_sitter_cpp::LANGUAGE.into(),
    },
    #[cfg(feature = "c-sharp")]
    Grammar {
        name: "c-sharp",
        extensions: &["cs"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_c_sharp::LANGUAGE.into(),
    },
    #[cfg(feature = "css")]
    Grammar {
        name: "css",
        extensions: &["css"],
        files: &[],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_css::LANGUAGE.into(),
    },
    #[cfg(feature = "go")]
    Grammar {
        name: "go",
        extensions: &["go"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_go::LANGUAGE.into(),
    },
    #[cfg(feature = "html")]
    Grammar {
        name: "html",
        extensions: &["html", "htm"],
        files: &[],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_html::LANGUAGE.into(),
    },
    #[cfg(feature = "java")]
    Grammar {
        name: "java",
        extensions: &["java"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_java::LANGUAGE.into(),
    },
    #[cfg(feature = "javascript")]
    Grammar {
        name: "javascript",
        extensions: &["js", "cjs", "mjs", "jsx"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_javascript::LANGUAGE.into(),
    },
    #[cfg(feature = "json")]
    Grammar {
        name: "json",
        extensions: &["json", "jsonc", "geojson", "webmanifest", "code-workspace", "code-snippets"],
        files: &[".babelrc", ".swcrc", ".eslintrc"],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_json::LANGUAGE.into(),
    },
    #[cfg(feature = "lua")]
    Grammar {
        name: "lua",
        extensions: &["lua"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_lua::LANGUAGE.into(),
    },
    #[cfg(feature = "php")]
    Grammar {
        name: "php",
        extensions: &["php"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_php::LANGUAGE_PHP.into(),
    },
    #[cfg(feature = "python")]
    Grammar {
        name: "python",
        extensions: &["py", "pyi"],
        files: &["SConstruct"],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_python::LANGUAGE.into(),
    },
    #[cfg(feature = "ruby")]
    Grammar {
        name: "ruby",
        extensions: &["rb", "rake", "gemspec"],
        files: &["Gemfile", "Rakefile"],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_ruby::LANGUAGE.into(),
    },
    #[cfg(feature = "rust")]
    Grammar {
        name: "rust",
        extensions: &["rs"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_rust::LANGUAGE.into(),
    },
    #[cfg(feature = "toml")]
    Grammar {
        name: "toml",
        extensions: &["toml"],
        files: &["Cargo.lock", "poetry.lock", "uv.lock"],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_toml_ng::LANGUAGE.into(),
    },
    #[cfg(feature = "typescript")]
    Grammar {
        name: "typescript",
        extensions: &["ts", "cts", "mts"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    },
    #[cfg(feature = "typescript")]
    Grammar {
        name: "tsx",
        extensions: &["tsx"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    },
    #[cfg(feature = "yaml")]
    Grammar {
        name: "yaml",
        extensions: &["yaml", "yml"],
        files: &[".clang-format", ".clangd"],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_yaml::LANGUAGE.into(),
    },
];
