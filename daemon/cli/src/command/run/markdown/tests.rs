use proptest::prelude::*;

use super::*;

/// Each character with its style.
fn characters(pieces: &[&str]) -> Vec<(char, Option<Style>)> {
    let mut markdown = MarkdownStyler::default();
    let mut all = Vec::new();
    let mut collect = |markdown: &mut MarkdownStyler| {
        for (style, text) in std::mem::take(&mut markdown.out) {
            all.extend(text.chars().map(|character| (character, style.filter(|_| character != '\n'))));
        }
    };
    for piece in pieces {
        piece.chars().for_each(|character| markdown.take(character));
        assert!(markdown.buffered.len() <= SPAN + 4, "{:?}", markdown.buffered);
        collect(&mut markdown);
    }
    markdown.take('\n');
    collect(&mut markdown);
    all.pop();
    all
}

/// Names the styles: «b bold», «c code», «d dim», «i italic».
#[track_caller]
fn check(text: &str, expected: &str) {
    let mut shown = String::new();
    let mut last = None;
    for (character, style) in characters(&[text]).into_iter().chain([('\0', None)]) {
        if style != last {
            shown.push_str(if last.is_some() { "»" } else { "" });
            let names = [(BOLD, "«b "), (CODE, "«c "), (DIM, "«d "), (ITALIC, "«i ")];
            shown
                .push_str(names.iter().find(|(named, _)| Some(*named) == style).map_or("", |(_, name)| name));
            last = style;
        }
        shown.push(character);
    }
    assert_eq!(shown.trim_end_matches('\0'), expected);
}

#[test]
fn lines_have_their_styles() {
    check("# One\nplain\n### Two `x`\n", "«b # One»\nplain\n«b ### Two »«c `x`»\n");
    check("#no heading\n####### none\n", "#no heading\n####### none\n");
    check("- a\n  * b\n1. c\n10) d\n", "«c - »a\n«c   * »b\n«c 1. »c\n«c 10) »d\n");
    check("-a\n3.5 x\n-5\n", "-a\n3.5 x\n-5\n");
    check("> said `so`\nnot\n", "«d > said »«c `so`»\nnot\n");
    check("---\n* * *\n--\n", "«d ---»\n«d * * *»\n--\n");
    check("    # code\n    > code", "    # code\n    > code");
}

#[test]
fn words_have_their_styles() {
    check("a **bold** b", "a «b **bold**» b");
    check("**All.** x\n- **b**: c", "«b **All.**» x\n«c - »«b **b**»: c");
    check("an *italic word*, then", "an «i *italic word*», then");
    check("*so* it is", "«i *so*» it is");
    check("the `code * here` and ``a ` b``.", "the «c `code * here`» and «c ``a ` b``».");
    check("**`x`** y", "«b **»«c `x`»«b **» y");
}

#[test]
fn what_only_looks_like_a_mark_is_left_alone() {
    for text in [
        "2 * 3 * 4",
        "2 ** 3",
        "src/**/*.rs",
        "a*b*c",
        "*unclosed",
        "snake_case_name",
        "* ",
        "*",
        "a *b\nc* d",
    ] {
        let styles = characters(&[text]);
        let marked: Vec<_> = styles.iter().filter(|(_, style)| style.is_some()).collect();
        assert!(marked.is_empty() || text == "* " || text == "*", "{text}: {marked:?}");
    }
    check("**open\nnext", "«b **open»\nnext");
    check("`open\nnext", "«c `open»\nnext");
}

#[test]
fn blocks_are_code_from_fence_to_fence() {
    check("```rust\n# a **b**\n\n  ```  \nafter", "«d ```rust»\n«c # a **b**»\n\n«d   ```  »\nafter");
    check("~~~\n```\n~~~\n*x* y", "«d ~~~»\n«c ```»\n«d ~~~»\n«i *x*» y");
    check("````\n```\n````\nx", "«d ````»\n«c ```»\n«d ````»\nx");
    check("```\n``` not the end\nx", "«d ```»\n«c ``` not the end»\n«c x»");
    check("```one``` line\nnext", "«d ```one»«c ```» line\nnext");
}

proptest! {
    #[test]
    fn however_it_is_cut_nothing_is_lost_and_the_styles_are_the_same(
        text in "([-*_`~#> a1.)(\\n\u{e9}]|\\*\\*|```|\n- |[a-z]{1,9} ){0,60}",
        cuts in prop::collection::vec(0_usize..400, 0..20),
    ) {
        let whole = characters(&[&text]);
        prop_assert_eq!(whole.iter().map(|(character, _)| *character).collect::<String>(), text.clone());
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| text.floor_char_boundary(cut.min(text.len()))).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<_> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
        prop_assert_eq!(characters(&pieces), whole);
        let mut markdown = MarkdownStyler::default();
        let mut printed: String = pieces.iter().map(|piece| markdown.push(piece)).collect();
        printed.push_str(&markdown.finish());
        let seen = anstream::adapter::strip_str(&crate::terminal::unmarked(&printed)).to_string();
        prop_assert_eq!(seen, text);
    }
}
