//! The names of symbols, as a model, a server or a text writes them, in one form: a list of plain words, `Square` `area`.
//!
//! rust-analyzer says `impl Shape for Square<T>`, gopls `(*Square).Area`, clangd `shapes::Square`, a model `Square.area`,
//! `Square::area()` or `Square/area`.

/// A name to look for. It fits every path that ends with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SymbolQuery {
    pub(crate) words: Vec<String>,
    /// Which of several: `area#2`. From 1.
    pub(crate) ordinal: Option<usize>,
}

impl SymbolQuery {
    /// `None` if there is no word in it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, ordinal) = match text.trim().rsplit_once('#') {
            Some((name, number))
                if !name.is_empty() && number.parse::<usize>().is_ok_and(|number| number > 0) =>
            {
                (name, number.parse().ok())
            }
            _ => (text, None),
        };
        let words = words_of(name);
        (!words.is_empty()).then_some(Self { words, ordinal })
    }

    /// The name itself, without what is around it.
    pub(crate) fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    pub(crate) fn fits(&self, path: &[String]) -> bool {
        path.ends_with(&self.words)
    }

    /// The same in other case: a last resort.
    pub(crate) fn fits_in_any_case(&self, path: &[String]) -> bool {
        let end = path.len().checked_sub(self.words.len()).and_then(|start| path.get(start..));
        end.is_some_and(|end| end.iter().zip(&self.words).all(|(a, b)| a.to_lowercase() == b.to_lowercase()))
    }
}

/// The plain words of a name.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let name = name.trim();
    // The type is the name of its implementation.
    let name =
        name.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<'])).map_or(name, implemented_type);
    // A keyword as a name of Rust.
    let plain = without_brackets(name).replace("r#", "");
    let words = plain.split(|character: char| !copydesk_syntax::name_uses::is_word_character(character));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The type of ` <T> Shape for Square<T>`.
fn implemented_type(rest: &str) -> &str {
    let after = |rest: &'static str, text: &str| text.rfind(rest).map(|at| at + rest.len());
    match after(" for ", rest) {
        Some(at) => rest.get(at..).unwrap_or(rest),
        None => rest,
    }
}

/// Drops type parameters and argument lists. A receiver in parentheses before a dot stays.
fn without_brackets(name: &str) -> String {
    let (mut plain, mut depth) = (String::new(), 0_usize);
    for (at, character) in name.char_indices() {
        let is_receiver = character == '(' && at == 0 && name.contains(").");
        let is_arrow = character == '>' && name.get(..at).is_some_and(|before| before.ends_with('-'));
        match character {
            '<' | '[' => depth += 1,
            '(' if !is_receiver => depth += 1,
            '>' if is_arrow => plain.push(' '),
            '>' | ']' => depth = depth.saturating_sub(1),
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_has_the_same_words() {
        for (name, expected) in [
            ("area", "area"),
            ("Square.area", "Square area"),
            ("Square::area()", "Square area"),
            ("Square/area", "Square area"),
            ("Square->area", "Square area"),
            ("Square#area", "Square area"),
            ("(*Square).Area", "Square Area"),
            ("(List[T]).Len", "List Len"),
            ("Square.Area", "Square Area"),
            ("impl Square<T>", "Square"),
            ("impl<T> Shape<T> for Square<T>", "Square"),
            ("impl core::fmt::Debug for Square<'a>", "Square"),
            ("shapes::Square<int>::perimeter", "shapes Square perimeter"),
            ("area(int, double)", "area"),
            ("M.setup", "M setup"),
            ("implement", "implement"),
            ("  ", ""),
            ("r#type", "type"),
            ("std::vector<std::pair<int, int>>::push", "std vector push"),
        ] {
            assert_eq!(words_of(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn a_name_fits_every_path_that_ends_with_it() {
        let path = |text: &str| words_of(text);
        let query = |text: &str| SymbolQuery::parse(text).unwrap();
        assert!(query("Square.area").fits(&path("shapes.Square.area")));
        assert!(query("area").fits(&path("area")));
        assert!(!query("Circle.area").fits(&path("shapes.Square.area")));
        assert!(!query("shapes.Square.area").fits(&path("area")));
        assert!(query("square.AREA").fits_in_any_case(&path("shapes.Square.area")));
        assert_eq!(query("area#2").ordinal, Some(2));
        assert_eq!(query("Square#area").ordinal, None);
        assert_eq!(SymbolQuery::parse(" () "), None);
    }
}
