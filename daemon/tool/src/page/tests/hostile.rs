//! Pages that are made to overflow, to be slow or to become much larger than they are.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::pages::page;
use crate::page::PageFormat;

/// Nothing that grows faster than the page comes near to reading such a page in this, not even without optimisation.
const PATIENCE: Duration = Duration::from_secs(30);

const SIZE: usize = 120_000;

#[test]
fn time_and_size_grow_with_the_page_alone() {
    let many = |piece: &str| piece.repeat(SIZE / piece.len());
    let nested = |open: &str, content: &str, close: &str| {
        let count = SIZE / (open.len() + close.len());
        open.repeat(count) + content + &close.repeat(count)
    };
    let long = "x".repeat(2000);
    for (name, html) in [
        ("divs", nested("<div>", "deep", "</div>")),
        ("quotes", nested("<blockquote>q", "deep", "</blockquote>")),
        ("quotes of lines", "<blockquote>".repeat(10_000) + &many("x<br>")),
        ("lists", nested("<ul><li>i", "deep", "</ul>")),
        ("tables", nested("<table><tr><td>c", "deep", "</table>")),
        ("marks", nested("<b>", "deep", "</b>")),
        ("marks around blocks", "<b><i><del>".repeat(50_000) + &many("<p>x")),
        ("marks never closed", many("<b>x<i>y")),
        ("items in elements", "<span>".repeat(100_000) + &many("<li></li>")),
        ("cells in elements", "<table>".to_owned() + &"<span>".repeat(100_000) + &many("<td>x")),
        ("ends of nothing", "<span>".repeat(100_000) + &many("</b></li></td>")),
        ("wide cells", "<table>".to_owned() + &many("<tr><td colspan=99999>x")),
        ("one wide row", "<table><tr>".to_owned() + &many("<td>x")),
        ("a link around blocks", format!("<a href=/{long}>") + &many("<p>x")),
        ("long links", many(&format!("<a href=/{long}>x</a>"))),
        ("code", many("<code>`")),
        ("fences", "<pre>".to_owned() + &many("`")),
        ("lines of code", "<ul><li>".repeat(100) + "<pre>" + &many("x\n")),
        ("attributes", "<p ".to_owned() + &many("a=b class=c href=d ") + ">x"),
        ("entities", many("&amp;&nosuch;&#0;")),
        ("comments", many("<!-- <b> --><!")),
        ("headings", many("<h1><div>")),
        ("no end", "<script>".to_owned() + &many("</scrip>")),
    ] {
        let start = Instant::now();
        for form in [PageFormat::Markdown, PageFormat::Text] {
            let page = page(&html, form);
            assert!(
                page.text.len() <= 48 * html.len(),
                "{name}: {} bytes of {}",
                page.text.len(),
                html.len()
            );
        }
        assert!(start.elapsed() < PATIENCE, "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn what_is_too_much_is_cut() {
    // Each line is behind twelve prefixes.
    let html = "<ul><li>".repeat(12) + "<pre>" + &"x\n".repeat(1_600_000);
    let page = page(&html, PageFormat::Markdown);
    assert!(page.is_cut && page.text.len() <= 33 * 1024 * 1024, "{} bytes", page.text.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Whatever tags are thrown together: no panic, no line that ends in a space of ours, no words lost outside of what is
    /// skipped.
    #[test]
    fn no_soup_is_too_thick(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let mut html = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            html.push_str(piece);
            html.push_str(&format!("w{number}w"));
        }
        for form in [PageFormat::Markdown, PageFormat::Text] {
            let text = page(&html, form).text;
            for number in 0..pieces.len() {
                prop_assert!(text.matches(&format!("w{number}w")).count() == 1, "w{number}w of {html} in {text}");
            }
        }
    }
}

const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<h2>",
    "</h2>",
    "<ul>",
    "</ul>",
    "<ol start=9>",
    "</ol>",
    "<li>",
    "</li>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<a href=x>",
    "</a>",
    "<code>",
    "</code>",
    "<pre>",
    "</pre>",
    "<blockquote>",
    "</blockquote>",
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th colspan=3>",
    "</th>",
    "<br>",
    "<hr>",
    "<dl>",
    "</dl>",
    "<dt>",
    "<dd>",
    "<span>",
    "</span>",
    "<sup>",
    "</sup>",
    " ",
    "\n",
    "&amp;",
    "<!-- c -->",
    "<article>",
    "</article>",
    "<h1>",
    "</h1>",
];
