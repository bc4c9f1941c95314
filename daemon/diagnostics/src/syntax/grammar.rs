//! The grammars that are built in, and which files they are for.

use std::path::Path;

use tree_sitter::Language;

#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) name: &'static str,
    /// What the names of its files end with, behind the last dot.
    endings: &'static [&'static str],
    /// Whole names of files.
    files: &'static [&'static str],
    pub(super) strictness: GrammarStrictness,
    pub(super) language: fn() -> Language,
}

/// How far what breaks the grammar is wrong.
#[allow(dead_code, reason = "a build may leave out all grammars of a kind")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrammarStrictness {
    Code,
    /// Right texts break the grammar too. In C and C++ it is not known what a macro stands for: of real files a third break it, of headers half.
    /// The grammar of Bash does not know all of it: one file in forty. (Of the others: none in hundreds, or one in a hundred.)
    Loose,
    /// Such files are often templates of something else, in which anything may stand.
    Data,
}

/// The grammar for a file. None where there is none, or it is left out of this build.
pub(super) fn grammar_for(path: &Path) -> Option<&'static Grammar> {
    let name = path.file_name()?.to_str()?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let by_name = GRAMMARS.iter().find(|grammar| grammar.files.contains(&name));
    by_name.or_else(|| GRAMMARS.iter().find(|grammar| grammar.endings.contains(&ending)))
}

/// A file of JSON in which those who read it allow a comma behind the last item.
pub(super) fn allows_trailing_comma(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let starts = |start: &str| name.starts_with(start);
    let is_json = name.ends_with(".json");
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    [".jsonc", ".code-workspace", ".code-snippets"].iter().any(|ending| name.ends_with(ending))
        || is_json
            && (starts("tsconfig") || starts("jsconfig") || starts(".eslintrc") || starts("devcontainer"))
        || is_json && matches!(folder, Some(".vscode" | ".devcontainer" | ".zed"))
        || matches!(name, ".babelrc" | ".swcrc" | ".eslintrc" | "deno.json" | "api-extractor.json")
}

static GRAMMARS: &[Grammar] = &[
    #[cfg(feature = "bash")]
    Grammar {
        name: "bash",
        endings: &["sh", "bash"],
        files: &[".bashrc", ".bash_profile", ".profile", "PKGBUILD"],
        strictness: GrammarStrictness::Loose,
        language: || tree_sitter_bash::LANGUAGE.into(),
    },
    #[cfg(feature = "c")]
    Grammar {
        name: "c",
        endings: &["c"],
        files: &[],
        strictness: GrammarStrictness::Loose,
        language: || tree_sitter_c::LANGUAGE.into(),
    },
    // A header may be of either; nearly all that is right in C is right in C++.
    #[cfg(feature = "cpp")]
    Grammar {
        name: "cpp",
        endings: &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "ipp"],
        files: &[],
        strictness: GrammarStrictness::Loose,
        language: || tree_sitter_cpp::LANGUAGE.into(),
    },
    #[cfg(feature = "c-sharp")]
    Grammar {
        name: "c-sharp",
        endings: &["cs"],
        files: &[],
        nature: GrammarStrictness::Code,
        language: || tree_sitter_c_sharp::LANGUAGE.into(),
    },
    #[cfg(feature = "css")]
    Grammar {
        name: "css",
        endings: &["css"],
        files: &[],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_css::LANGUAGE.into(),
    },
    #[cfg(feature = "go")]
    Grammar {
        name: "go",
        endings: &["go"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_go::LANGUAGE.into(),
    },
    #[cfg(feature = "html")]
    Grammar {
        name: "html",
        endings: &["html", "htm"],
        files: &[],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_html::LANGUAGE.into(),
    },
    #[cfg(feature = "java")]
    Grammar {
        name: "java",
        endings: &["java"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_java::LANGUAGE.into(),
    },
    #[cfg(feature = "javascript")]
    Grammar {
        name: "javascript",
        endings: &["js", "cjs", "mjs", "jsx"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_javascript::LANGUAGE.into(),
    },
    #[cfg(feature = "json")]
    Grammar {
        name: "json",
        endings: &["json", "jsonc", "geojson", "webmanifest", "code-workspace", "code-snippets"],
        files: &[".babelrc", ".swcrc", ".eslintrc"],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_json::LANGUAGE.into(),
    },
    #[cfg(feature = "lua")]
    Grammar {
        name: "lua",
        endings: &["lua"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_lua::LANGUAGE.into(),
    },
    #[cfg(feature = "php")]
    Grammar {
        name: "php",
        endings: &["php"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_php::LANGUAGE_PHP.into(),
    },
    #[cfg(feature = "python")]
    Grammar {
        name: "python",
        endings: &["py", "pyi"],
        files: &["SConstruct"],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_python::LANGUAGE.into(),
    },
    #[cfg(feature = "ruby")]
    Grammar {
        name: "ruby",
        endings: &["rb", "rake", "gemspec"],
        files: &["Gemfile", "Rakefile"],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_ruby::LANGUAGE.into(),
    },
    #[cfg(feature = "rust")]
    Grammar {
        name: "rust",
        endings: &["rs"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_rust::LANGUAGE.into(),
    },
    #[cfg(feature = "toml")]
    Grammar {
        name: "toml",
        endings: &["toml"],
        files: &["Cargo.lock", "poetry.lock", "uv.lock"],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_toml_ng::LANGUAGE.into(),
    },
    #[cfg(feature = "typescript")]
    Grammar {
        name: "typescript",
        endings: &["ts", "cts", "mts"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    },
    #[cfg(feature = "typescript")]
    Grammar {
        name: "tsx",
        endings: &["tsx"],
        files: &[],
        strictness: GrammarStrictness::Code,
        language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    },
    #[cfg(feature = "yaml")]
    Grammar {
        name: "yaml",
        endings: &["yaml", "yml"],
        files: &[".clang-format", ".clangd"],
        strictness: GrammarStrictness::Data,
        language: || tree_sitter_yaml::LANGUAGE.into(),
    },
];
