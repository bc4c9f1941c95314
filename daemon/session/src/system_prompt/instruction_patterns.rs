//! Finds the instruction files that the configuration names by path or pattern.

use std::path::{Component, Path, PathBuf};

use copydesk_workspace::search::{self, SearchDeadline, SearchView};
use tokio_util::sync::CancellationToken;

use crate::time_limits::INSTRUCTIONS_SEARCH_TIMEOUT;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstructionMatches {
    /// Sorted by path.
    pub paths: Vec<PathBuf>,
    /// There are more files, or the search hit its timeout.
    pub more: bool,
}

/// At most `most` files that `line` names below `base`. Patterns skip ignored and hidden files unless they name them; a plain
/// path is taken as it is.
pub async fn match_instruction_files(base: &Path, line: &str, most: usize) -> InstructionMatches {
    let is_pattern = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let parts: Vec<_> = Path::new(line).components().collect();
    let plain = parts.iter().take_while(|part| !is_pattern(part)).count();
    let (plain, pattern) = parts.split_at(plain);
    let start = base.join(plain.iter().collect::<PathBuf>());
    if pattern.is_empty() {
        let paths = if start.is_file() { vec![start] } else { Vec::new() };
        return InstructionMatches { paths, more: false };
    }
    let Ok(folder) = start.canonicalize() else {
        return InstructionMatches::default();
    };
    // Anchored here: without the slash `*.md` would match in every folder below.
    let pattern = Path::new("/").join(pattern.iter().collect::<PathBuf>());
    let until = SearchDeadline { cancel: CancellationToken::new(), timeout: INSTRUCTIONS_SEARCH_TIMEOUT };
    match search::glob(&folder, &pattern.to_string_lossy(), most, SearchView::default(), until).await {
        Ok(found) => {
            // Under the name by which the configuration knows the folder.
            let below = found.paths.iter().filter_map(|path| path.strip_prefix(&folder).ok());
            let mut paths: Vec<_> = below.map(|below| start.join(below)).collect();
            paths.sort();
            InstructionMatches { paths, more: found.has_more || found.is_timed_out }
        }
        Err(_) => InstructionMatches::default(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn a_line_names_a_file_or_a_pattern_of_files() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["a/z.md", "a/b.md", "a/deep/c.md", "a/d.txt", "a/[odd].md", ".cursor/rules/r.md"] {
            fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
            fs::write(dir.path().join(path), "x").unwrap();
        }
        let found = async |line: &str, most: usize| {
            let InstructionMatches { paths, more } = match_instruction_files(dir.path(), line, most).await;
            let paths: Vec<_> = paths
                .iter()
                .map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string())
                .collect();
            format!("{}{}", paths.join(" "), if more { " …" } else { "" })
        };
        assert_eq!(found("a/z.md", 9).await, "a/z.md");
        assert_eq!(found("a/*.md", 9).await, "a/[odd].md a/b.md a/z.md");
        assert_eq!(found("a/*.md", 2).await, "a/[odd].md a/b.md …");
        assert_eq!(found("**/c.md", 9).await, "a/deep/c.md");
        assert_eq!(found(".cursor/rules/*.md", 9).await, ".cursor/rules/r.md");
        assert_eq!(found("a/../a/{b,z}.md", 9).await, "a/../a/b.md a/../a/z.md");
        for nothing in ["missing.md", "missing/*.md", "a", "", "a/[", "*.rs"] {
            assert_eq!(found(nothing, 9).await, "", "{nothing}");
        }
        let absolute = dir.path().join("a/*.txt");
        assert_eq!(
            match_instruction_files(Path::new("/"), &absolute.to_string_lossy(), 9).await.paths,
            [dir.path().join("a/d.txt")]
        );
    }
}
