//! Where a name stands in a text, as code: not in comments, not in strings, not as a part of a longer word.

use std::ops::Range;

use memchr::memmem;
use tree_sitter::Tree;

/// The cap on the uses in one text.
const MAX_USES: usize = 10_000;

/// The ranges of all identifiers with this name, in text order, in bytes.
pub fn name_uses(tree: &Tree, text: &str, name: &str) -> Vec<Range<usize>> {
    if name.is_empty() {
        return Vec::new();
    }
    let words = memmem::find_iter(text.as_bytes(), name).map(|start| start..start + name.len());
    let is_word = |range: &Range<usize>| is_whole_word(text, range);
    words.filter(is_word).filter(|range| is_identifier(tree, range)).take(MAX_USES).collect()
}

/// Whether the characters around a range belong to other words.
pub fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).and_then(|text| text.chars().next_back());
    let after = text.get(range.end..).and_then(|text| text.chars().next());
    !before.is_some_and(is_word_character) && !after.is_some_and(is_word_character)
}

/// Whether a character can be in the middle of a name, in most languages.
pub fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

fn is_identifier(tree: &Tree, range: &Range<usize>) -> bool {
    let node = tree.root_node().descendant_for_byte_range(range.start, range.end);
    node.is_some_and(|node| {
        let is_text = ["comment", "string", "content", "text"].iter().any(|part| node.kind().contains(part));
        // A variable of PHP is a node around its name.
        let is_leaf = node.child_count() == 0 || node.kind() == "variable_name";
        is_leaf && node.is_named() && node.byte_range() == *range && !is_text
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::name_uses;
    use crate::{grammar, parse};

    #[test]
    fn comments_strings_and_longer_words_are_no_uses() {
        for (path, text, expected) in [
            ("a.rs", "fn area() {} // area\nfn areas() { area(); \"area\"; r.area }", 3),
            ("a.py", "def area():\n    'area'\n    return area + area_2  # area\n", 2),
            ("a.ts", "const area = `area ${area}`; x.area = { area };", 4),
            ("a.c", "int area(int); /* area */ char *s = \"area\"; int b = area(1);", 2),
            ("a.php", "<?php function area() { $area = area(); // area\n}", 2),
            ("a.go", "package p\nfunc area() { area(); s := \"area\" }\n", 2),
        ] {
            let grammar = grammar::grammar_for(Path::new(path)).unwrap();
            let until = Instant::now() + Duration::from_secs(10);
            let tree = parse::parse_tree(&(grammar.language)(), text, None, until).unwrap();
            assert_eq!(name_uses(&tree, text, "area").len(), expected, "{path}");
        }
    }
}
