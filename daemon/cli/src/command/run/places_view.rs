//! The places that `lsp` found, below its call, as `path:line`: terminals and editors open them from there.

use std::path::Path;

use copydesk_protocol::metadata::{CodePlaceMetadata, CodePlacesMetadata};

use crate::terminal::{DIM, columns, columns_of, cut, one_line, styled};

/// Places shown one by one.
const MAX_PLACES: usize = 10;

/// A text with fewer columns is left out.
const MIN_TEXT_COLUMNS: usize = 12;

/// `folder`: the one that paths are relative to.
pub(super) fn lines(found: Option<&CodePlacesMetadata>, folder: &Path) -> Vec<String> {
    found.map(|found| within(found, folder, columns())).unwrap_or_default()
}

fn within(found: &CodePlacesMetadata, folder: &Path, width: usize) -> Vec<String> {
    let mut lines: Vec<_> =
        found.places.iter().take(MAX_PLACES).map(|place| line(place, folder, width)).collect();
    let matches = usize::try_from(found.matches).unwrap_or(usize::MAX);
    let more = matches.saturating_sub(lines.len());
    if more > 0 {
        lines.push(styled(DIM, format!("  … and {more} more")));
    }
    lines
}

/// The place is never cut, so that it can be opened.
fn line(place: &CodePlaceMetadata, folder: &Path, width: usize) -> String {
    let path = Path::new(&place.path);
    let path = path.strip_prefix(folder).unwrap_or(path).display();
    let at = format!("  {}", one_line(&format!("{path}:{}", place.line)));
    let room = width.saturating_sub(columns_of(&at) + 2);
    let text = one_line(place.text.trim());
    if text.is_empty() || room < MIN_TEXT_COLUMNS {
        return at;
    }
    format!("{at}  {}", styled(DIM, cut(&text, room)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(count: usize, matches: u64) -> CodePlacesMetadata {
        let place = |number: usize| CodePlaceMetadata {
            path: format!("/w/src/file{number}.rs"),
            line: 7,
            column: 3,
            text: "    let total = add(1,\t2);".to_owned(),
        };
        CodePlacesMetadata {
            places: (0..count).map(place).collect(),
            matches,
            truncated: false,
            waiting: None,
        }
    }

    #[test]
    fn a_place_can_be_opened_and_has_its_text_if_there_is_room() {
        let at = |width: usize| within(&places(1, 1), Path::new("/w"), width);
        assert_eq!(at(60), [format!("  src/file0.rs:7  {}", styled(DIM, "let total = add(1, 2);"))]);
        assert_eq!(at(32), [format!("  src/file0.rs:7  {}", styled(DIM, "let total = …"))]);
        assert_eq!(at(20), ["  src/file0.rs:7"]);
        assert_eq!(within(&places(1, 1), Path::new("/other"), 20), ["  /w/src/file0.rs:7"]);
    }

    #[test]
    fn many_places_are_counted() {
        let lines = within(&places(12, 340), Path::new("/w"), 80);
        assert_eq!(lines.len(), 11);
        assert_eq!(lines.last().unwrap(), &styled(DIM, "  … and 330 more"));
    }
}
