mod model;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::Edit;
use model::DocumentModel;

const ENCODINGS: [PositionEncoding; 3] =
    [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];

/// Everything that can break lines and units.
fn wild() -> impl Strategy<Value = String> {
    let pieces =
        vec!["\r", "\n", "\r\n", "a", "bc", "é", "e\u{301}", "漢", "😀", "👩‍🚀", "\u{2028}", "\u{b}", "\u{85}"];
    prop::collection::vec(prop::sample::select(pieces), 0..14).prop_map(|pieces| pieces.concat())
}

/// Long enough for a rope of several chunks, with every kind of place in it.
fn long() -> impl Strategy<Value = String> {
    (wild(), wild(), 0..80usize)
        .prop_map(|(one, other, times)| one.repeat(times) + &other + &one.repeat(times))
}

fn lines() -> impl Strategy<Value = LineBreaks> {
    prop::sample::select(vec![LineBreaks::Any, LineBreaks::Lf])
}

fn encoding() -> impl Strategy<Value = PositionEncoding> {
    prop::sample::select(ENCODINGS.to_vec())
}

fn places(text: &str) -> Vec<usize> {
    (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect()
}

fn agree(document: &Document, model: &DocumentModel) {
    assert_eq!(document.text(), model.text);
    assert_eq!((document.len(), document.is_empty()), (model.text.len(), model.text.is_empty()));
    assert_eq!(document.line_count(), model.lines().len());
    assert_eq!(document.lone_crs, model.text.replace("\r\n", "").matches('\r').count());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn positions_are_those_of_the_definition(text in wild(), lines in lines()) {
        let (document, model) = (Document::new(&text, lines), DocumentModel::new(&text, lines));
        agree(&document, &model);
        for encoding in ENCODINGS {
            for line in (0..20).chain([u32::MAX]) {
                for character in (0..20).chain([u32::MAX]) {
                    let position = Position::new(line, character);
                    let expected = model.offset(position, encoding);
                    prop_assert_eq!(document.offset(position, encoding), expected, "{:?}", position);
                }
            }
            for at in 0..text.len() + 3 {
                prop_assert_eq!(document.position(at, encoding), model.position(at, encoding), "{}", at);
            }
        }
    }

    #[test]
    fn every_place_has_a_position_and_back(text in long(), lines in lines(), at in any::<Index>()) {
        let document = Document::new(&text, lines);
        let places = places(&text);
        let at = places[at.index(places.len())];
        for encoding in ENCODINGS {
            let back = document.offset(document.position(at, encoding), encoding);
            let inside = lines == LineBreaks::Any && crate::edit_validation::splits_line_break(&text, at);
            prop_assert_eq!(back, at - usize::from(inside));
        }
    }

    /// A client types at positions inside and outside the text; its `\r` may gain a `\n` and lose it again.
    #[test]
    fn what_a_client_types_is_in_the_text(
        text in long(),
        lines in lines(),
        typed in prop::collection::vec((any::<Index>(), any::<Index>(), 0..4u32, wild(), encoding()), 0..8),
    ) {
        let (mut document, mut model) = (Document::new(&text, lines), DocumentModel::new(&text, lines));
        let before = document.clone();
        for (from, len, past, text, encoding) in typed {
            let places = places(&model.text);
            let first = from.index(places.len());
            // Mostly short, sometimes across several chunks of the rope.
            let len = len.index(if past == 0 { places.len() } else { 12 });
            let last = (first + len).min(places.len() - 1);
            let start = model.position(places[first], encoding);
            let mut end = model.position(places[last], encoding);
            end.character += past.saturating_sub(2);
            let replaced = document.apply_content_change(Some((start, end)), &text, encoding).unwrap();
            prop_assert_eq!(&replaced, &model.apply(start, end, &text, encoding));
            agree(&document, &model);
        }
        prop_assert_eq!(before.text(), text, "a snapshot stays");
    }

    #[test]
    fn a_change_does_the_same_here_in_a_text_and_at_a_client(
        old in long(), new in wild(), at in any::<Index>(), len in 0..9usize, lines in lines()
    ) {
        let places = places(&old);
        let first = at.index(places.len());
        let last = (first + len).min(places.len() - 1);
        let new = [&old[..places[first]], &new, &old[places[last]..]].concat();
        let change = Change::between(&old, &new);
        let document = Document::new(&old, lines);
        let mut edited = document.clone();
        edited.apply_change(&change).unwrap();
        agree(&edited, &DocumentModel::new(&new, lines));
        for encoding in ENCODINGS {
            let mut client = document.clone();
            for (start, end, text) in document.change_ranges(&change, encoding).unwrap().into_iter().rev() {
                client.apply_content_change(Some((start, end)), &text, encoding).unwrap();
            }
            prop_assert_eq!(client.text(), new.as_str());
        }
    }
}

#[test]
fn a_lone_cr_breaks_lines_for_some() {
    let text = "a\rb\nc\r\nd\u{2028}e";
    assert_eq!(Document::new(text, LineBreaks::Any).line_count(), 4);
    assert_eq!(Document::new(text, LineBreaks::Lf).line_count(), 3);
}

#[test]
fn neovim_types_behind_the_cr_of_a_mixed_file() {
    let mut document = Document::new("ab\r\nc\n", LineBreaks::Lf);
    let behind = Position::new(0, 3);
    document.apply_content_change(Some((behind, behind)), ";", PositionEncoding::Utf16).unwrap();
    assert_eq!(document.text(), "ab\r;\nc\n");
    document.apply_content_change(Some((behind, Position::new(0, 4))), "", PositionEncoding::Utf16).unwrap();
    document.apply_content_change(Some((Position::new(0, 2), behind)), "", PositionEncoding::Utf16).unwrap();
    assert_eq!(document.text(), "ab\nc\n");

    // Past that place means the end of the line, which is before it.
    let mut document = Document::new("ab\r\n", LineBreaks::Lf);
    assert_eq!(
        document.apply_content_change(Some((behind, Position::new(0, 4))), "x", PositionEncoding::Utf16),
        Ok(2..2)
    );
    assert_eq!(document.text(), "abx\r\n");
}

#[test]
fn the_whole_text_is_replaced_and_counted_anew() {
    let mut document = Document::new("a\rb", LineBreaks::Lf);
    assert_eq!(document.apply_content_change(None, "x\ny", PositionEncoding::Utf8), Ok(0..3));
    assert_eq!((document.text().as_str(), document.line_count(), document.lone_crs), ("x\ny", 2, 0));
}

#[test]
fn a_range_that_ends_before_it_begins_is_refused() {
    let mut document = Document::new("ab\n", LineBreaks::Any);
    let (start, end) = (Position::new(0, 9), Position::new(0, 8));
    let error = document.apply_content_change(Some((start, end)), "x", PositionEncoding::Utf8).unwrap_err();
    assert_eq!(error.to_string(), "the range ends at 0:8, before its start at 0:9");
    assert_eq!(document.text(), "ab\n");
}

#[test]
fn a_change_for_another_text_changes_nothing() {
    let stale = Change::between("aé\nb\n", "aè\nB\n");
    for text in ["a", "aaa漢"] {
        let mut document = Document::new(text, LineBreaks::Any);
        assert_eq!(document.apply_change(&stale), stale.apply(text).map(drop));
        assert!(document.change_ranges(&stale, PositionEncoding::Utf8).is_err());
        assert_eq!(document.text(), text);
    }
    let twice = vec![Edit { range: 1..2, text: String::new() }, Edit { range: 0..1, text: String::new() }];
    assert!(Document::new("abc", LineBreaks::Any).apply_change(&Change::from_edits(twice)).is_err());
}
