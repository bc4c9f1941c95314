//! Detects the language of a file, by its LSP language id.

use std::path::Path;

use serde::Deserialize;

use super::languages;
use crate::name_pattern::matches_pattern;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The `languageId` of a `TextDocumentItem`.
    pub id: String,
    /// With the dot. The longest match wins.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// File names, which take precedence over extensions. One `*` is a wildcard.
    #[serde(default)]
    pub names: Vec<String>,
    /// Interpreters in a `#!` line, without version digits.
    #[serde(default)]
    pub interpreters: Vec<String>,
    /// Nearly every project has some of it: a server for it is used, but not reported as missing.
    #[serde(default)]
    pub minor: bool,
}

/// By its name, its extension or its first line, in this order.
pub fn language_of(path: &Path, first_line: &str) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    by_name(name).or_else(|| by_extension(name)).or_else(|| by_first_line(first_line))
}

fn by_name(name: &str) -> Option<&'static str> {
    let matches = |language: &&Language| language.names.iter().any(|pattern| matches_pattern(pattern, name));
    languages().iter().find(matches).map(|language| &*language.id)
}

fn by_extension(name: &str) -> Option<&'static str> {
    // `.C` is not C, but `README.MD` is Markdown: the exact case goes first.
    [name.to_owned(), name.to_lowercase()].iter().find_map(|name| {
        let length = |language: &Language| longest_extension(&language.extensions, name);
        let best = languages().iter().max_by_key(|language| length(language))?;
        (length(best) > 0).then_some(&*best.id)
    })
}

/// The length of the longest matching extension.
pub(crate) fn longest_extension(extensions: &[String], name: &str) -> usize {
    let fitting = extensions.iter().filter(|extension| name.len() > extension.len());
    fitting.filter(|extension| name.ends_with(&***extension)).map(String::len).max().unwrap_or(0)
}

fn by_first_line(line: &str) -> Option<&'static str> {
    let mut words = line.trim_start_matches('\u{feff}').strip_prefix("#!")?.split_whitespace();
    let mut program = file_name(words.next()?);
    if program == "env" {
        // Skip options of `env` and variables that it sets.
        program = file_name(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let matches = |language: &&Language| language.interpreters.iter().any(|name| name == program);
    languages().iter().find(matches).map(|language| &*language.id)
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_extension_or_first_line_decides_the_language() {
        for (name, first_line, language) in [
            ("/a/main.rs", "", Some("rust")),
            ("/a/x.d.ts", "", Some("typescript")),
            ("/a/tsconfig.build.json", "", Some("jsonc")),
            ("/a/package.json", "", Some("json")),
            ("/a/README.MD", "", Some("markdown")),
            ("/a/plot.R", "", Some("r")),
            ("/a/Dockerfile", "", Some("dockerfile")),
            ("/a/Dockerfile.test", "", Some("dockerfile")),
            ("/a/Makefile", "", Some("makefile")),
            ("/a/.bashrc", "", Some("shellscript")),
            ("/a/tool", "#!/usr/bin/env -S PYTHONUTF8=1 python3.11 -u", Some("python")),
            ("/a/tool", "\u{feff}#!/bin/sh -e", Some("shellscript")),
            ("/a/tool.sh", "#!/usr/bin/python", Some("shellscript")),
            ("/a/tool", "#!/usr/bin/env", None),
            ("/a/tool", "#!", None),
            ("/a/tool", "import os", None),
            ("/a/.rs", "", None),
            ("/", "", None),
        ] {
            assert_eq!(language_of(Path::new(name), first_line), language, "{name} {first_line}");
        }
    }
}
