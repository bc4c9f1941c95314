//! The header of a type: the names of its supertypes, as they are written there.

use copydesk_syntax::name_uses::is_word_character;

/// The grammars in which a type names its supertypes in its header.
const WITH_BASES: [&str; 9] =
    ["cpp", "java", "javascript", "php", "python", "ruby", "rust", "tsx", "typescript"];
/// Words of a header that name nothing.
const KEYWORDS: [&str; 8] =
    ["dyn", "extends", "implements", "private", "protected", "public", "virtual", "with"];
/// What follows these names no supertype.
const ENDS: [&str; 2] = ["permits", "where"];
/// The cap on the names in a header.
const MAX_NAMES: usize = 16;

pub(crate) fn names_bases(grammar: &str) -> bool {
    WITH_BASES.contains(&grammar)
}

/// Where the supertypes stand in a header behind the type's own name: `(Shape)`, ` extends Base implements Shape`, `: Shape + Clone`.
/// Type parameters, type arguments and qualifiers are none. Offsets in bytes.
pub(crate) fn base_names(grammar: &str, header: &str) -> Vec<usize> {
    // Ruby writes `class Square < Shape`, and Python has its bases in parentheses.
    let opening: &[char] = match grammar {
        "ruby" => &['[', '{', '('],
        "python" => &['[', '{'],
        _ => &['<', '[', '{', '('],
    };
    let closing: &[char] = match grammar {
        "ruby" => &[']', '}', ')'],
        "python" => &[']', '}'],
        _ => &['>', ']', '}', ')'],
    };
    let (mut depth, mut names) = (0_usize, Vec::new());
    for (start, word) in words(header) {
        match word {
            HeaderWord::Sign(sign) if opening.contains(&sign) => depth += 1,
            HeaderWord::Sign(sign) if closing.contains(&sign) => depth = depth.saturating_sub(1),
            HeaderWord::Sign(_) => {}
            HeaderWord::Name(word) if depth == 0 && ENDS.contains(&word) => break,
            HeaderWord::Name(word) => {
                let before = header.get(..start).unwrap_or_default().trim_end();
                let after = header.get(start + word.len()..).unwrap_or_default().trim_start();
                // `'static`, `?Sized`, `metaclass=Meta`, `models.Model`, `fmt::Debug`.
                let is_other = before.ends_with(['\'', '?', '=']) || after.starts_with(['=', '.']);
                let is_qualifier = after.starts_with("::") || after.starts_with('\\');
                if depth == 0 && !is_other && !is_qualifier && !KEYWORDS.contains(&word) {
                    names.push(start);
                }
            }
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// Where the trait stands in the header of an implementation in Rust: `impl<T> fmt::Debug for Square<T>`. Offset in bytes.
pub(crate) fn implemented_trait(header: &str) -> Option<usize> {
    let (mut depth, mut last) = (0_usize, None);
    for (start, word) in words(header) {
        match word {
            HeaderWord::Sign('<' | '(' | '[') => depth += 1,
            HeaderWord::Sign('>' | ')' | ']') => depth = depth.saturating_sub(1),
            HeaderWord::Name("for") if depth == 0 => return last,
            HeaderWord::Name("where") if depth == 0 => return None,
            HeaderWord::Name(word) if depth == 0 && word != "impl" && word != "unsafe" => last = Some(start),
            _ => {}
        }
    }
    None
}

enum HeaderWord<'a> {
    Name(&'a str),
    Sign(char),
}

fn words(text: &str) -> Vec<(usize, HeaderWord<'_>)> {
    let (mut found, mut start) = (Vec::new(), None);
    for (at, character) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        if is_word_character(character) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            found.extend(text.get(start..at).map(|word| (start, HeaderWord::Name(word))));
        }
        if !character.is_whitespace() {
            found.push((at, HeaderWord::Sign(character)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(header: &str, starts: impl IntoIterator<Item = usize>) -> Vec<&str> {
        let word = |start: usize| header[start..].split(|letter| !is_word_character(letter)).next().unwrap();
        starts.into_iter().map(word).collect()
    }

    #[test]
    fn type_parameters_and_arguments_are_no_supertypes() {
        for (grammar, header, expected) in [
            (
                "typescript",
                "<T extends Key> extends Action<T> implements Shape, io.Reader<U>",
                "Action Shape Reader",
            ),
            ("python", "(models.Model, Generic[T], metaclass=ABCMeta)", "Model Generic"),
            ("rust", "<T: Clone>: Shape + fmt::Debug + ?Sized + 'static where T: Copy", "Shape Debug"),
            ("cpp", " : public geometry::Shape, private virtual Base<int>", "Shape Base"),
            ("java", "(int side) implements Shape permits Other", "Shape"),
            ("ruby", " < Shape", "Shape"),
            ("go", "", ""),
        ] {
            let found = named(header, base_names(grammar, header)).join(" ");
            assert_eq!(found, expected, "{grammar}: {header}");
        }
    }

    #[test]
    fn the_trait_of_an_implementation_is_its_last_name_before_for() {
        for (header, expected) in [
            ("impl<P: Shape + ?Sized> Shape for Arc<P>", Some("Shape")),
            ("unsafe impl core::fmt::Debug for Square<'_>", Some("Debug")),
            ("impl<T> From<Vec<T>> for Square where T: Copy", Some("From")),
            ("impl Square", None),
            ("impl<F> Square<F> where F: for<'a> Fn(&'a str)", None),
        ] {
            assert_eq!(named(header, implemented_trait(header)).first().copied(), expected, "{header}");
        }
    }
}
